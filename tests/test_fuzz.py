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
    "clean": 100,
    "decode": 80,
    "kernel": 6,
    "misfits": 20,
    "cql": 700,
    "conditions": 350,
    "corpus.toml": 8,
    "parquet": 8,
    "index": 6,
}


def test_all_functions_of_the_kernel_are_tried() -> None:
    html = b"<p class=a>A mill &amp; a river.</p>"
    calls = [*fuzzing.kernel.calls_on_bytes(html, Random(0)), *fuzzing.kernel.calls_on_page(html, "block")]
    by_others = {"COMPILED", "Features", "KeyTable", "Lexicon", "Rows", "WeightTable"}
    # Those of alignment get random texts and arrays that don't fit in test_kernel_alignment.py.
    by_others |= {"PairTable", "Texts", "count_together", "find_beads", "find_chain", "measure_beads"}
    tried = {fuzzing.kernel.CLASSES.get(name, name) for name, _ in calls}
    assert tried == set(gristmill.kernel.__all__) - by_others


def test_all_targets_are_tried() -> None:
    assert set(CASES) == set(TARGETS)


@pytest.mark.parametrize("name", CASES)
def test_nothing_is_found(name: str, tmp_path: Path) -> None:
    found = fuzz(TARGETS[name](tmp_path), 0, iter(range(CASES[name])))
    findings = [f"case {finding.number}: {finding.case!r}\n{finding.trace}" for finding in found]
    assert not findings, findings[0]
