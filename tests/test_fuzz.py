"""Some cases of every fuzzing target, the same each time; `python -m fuzzing` in this folder tries others."""

from __future__ import annotations

from pathlib import Path
from random import Random

import fuzzing.files
import fuzzing.kernel
import fuzzing.pages
import fuzzing.queries
import pytest
from fuzzing import TARGETS, fuzz

import gristmill.kernel

CASES = {
    "clean": 250,
    "decode": 150,
    "kernel": 40,
    "misfits": 60,
    "cql": 3000,
    "conditions": 2000,
    "corpus.toml": 40,
    "parquet": 25,
    "index": 25,
}


def test_all_functions_of_the_kernel_are_tried() -> None:
    html = b"<p class=a>A mill &amp; a river.</p>"
    calls = [*fuzzing.kernel.calls_on_bytes(html, Random(0)), *fuzzing.kernel.calls_on_page(html, "block")]
    assert {name for name, _ in calls} == set(gristmill.kernel.__all__) - {"COMPILED"}


def test_all_targets_are_tried() -> None:
    assert set(CASES) == set(TARGETS)


@pytest.mark.parametrize("name", CASES)
def test_nothing_is_found(name: str, tmp_path: Path) -> None:
    found = fuzz(TARGETS[name](tmp_path), 0, iter(range(CASES[name])))
    findings = [f"case {finding.number}: {finding.case!r}\n{finding.trace}" for finding in found]
    assert not findings, findings[0]
