"""Which kernel is used: the compiled one where there is one, and the Python files on demand."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from gristmill.kernel import COMPILED, rows
from gristmill.kernel.loading import load


@pytest.mark.skipif("GRISTMILL_EXPECT_KERNEL" not in os.environ, reason="nothing is said of what there should be")
def test_the_kernel_is_what_is_expected() -> None:
    assert os.environ["GRISTMILL_EXPECT_KERNEL"] == ("compiled" if COMPILED else "python")


def test_the_python_files_on_demand(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRISTMILL_KERNEL", "python")
    assert load("tokens") is None
    command = [sys.executable, "-m", "gristmill", "--version"]
    assert b" (kernel not compiled, " in subprocess.run(command, capture_output=True, check=True).stdout


def test_a_module_that_is_not_there() -> None:
    assert load("none") is None


def test_rows_have_one_meaning() -> None:
    tree = ast.parse(Path(rows.__file__).read_text(encoding="utf-8"))
    targets = [target for node in tree.body if isinstance(node, ast.Assign) for target in node.targets]
    names = [name.id for target in targets for name in ast.walk(target) if isinstance(name, ast.Name)]
    assert [name for name, number in Counter(names).items() if number > 1] == []
