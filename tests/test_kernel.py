"""Which kernel is used: the compiled one where there is one, and the Python files on demand."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from gristmill.kernel import COMPILED
from gristmill.kernel.loading import load


@pytest.mark.skipif("GRISTMILL_EXPECT_KERNEL" not in os.environ, reason="nothing is said of what there should be")
def test_the_kernel_is_what_is_expected() -> None:
    assert os.environ["GRISTMILL_EXPECT_KERNEL"] == ("compiled" if COMPILED else "python")


def test_the_python_files_on_demand(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRISTMILL_KERNEL", "python")
    assert load("tokens") is None
    command = [sys.executable, "-m", "gristmill", "--version"]
    assert subprocess.run(command, capture_output=True, check=True).stdout.endswith(b" (kernel not compiled)\n")


def test_a_module_that_is_not_there() -> None:
    assert load("none") is None
