"""`gristmill dedup`, and what exports and statistics make of what it found."""

from __future__ import annotations

import json
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from command import run

import gristmill
from gristmill.arguments import as_bytes
from gristmill.corpus import CorpusReader, Selection
from gristmill.dedup.result import are_left
from gristmill.errors import GristmillError, UsageError
from gristmill.shards import Shard, read_rows

_COMMAND = [sys.executable, "-m", "gristmill"]


@pytest.fixture
def copy(corpus: CorpusReader, tmp_path: Path) -> Path:
    """A corpus to write to."""
    return shutil.copytree(corpus.folder, tmp_path / "copy")


def files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def test_the_table(copy: Path) -> None:
    result = run("dedup", copy)
    lines = result.stdout.decode().splitlines()
    assert lines[0].split() == ["before", "after", "left"]
    assert lines[1].split()[:3] == ["documents", "106", "103"]
    assert any(line.startswith("duplicate 10-grams") for line in lines)
    assert any("gazette.example" in line for line in lines)
    assert any(" copies of 00000-" in line for line in lines)
    assert result.returncode == 0


def test_again_with_the_same_settings_gives_the_same_bytes(corpus: gristmill.Corpus, copy: Path) -> None:
    gristmill.deduplicate(copy, workers=1)
    assert files(copy) == files(corpus.folder)


def test_json_and_parameters(copy: Path) -> None:
    found = json.loads(run("dedup", copy, "-n", "5", "--threshold", "0.1", "--json").stdout)
    assert found["words"]["before"] > found["words"]["after"] > 0
    assert found["found"]["n"] == 5
    assert CorpusReader(copy).config.dedup.method == "onion:n=5,threshold=0.1"
    run("dedup", copy, "--level", "document")
    assert CorpusReader(copy).config.dedup.method == "onion:n=5,threshold=0.1,level=document"
    run("dedup", copy, "--method", "minhash:k=20,s=5,r=1")
    assert CorpusReader(copy).config.dedup.method == "minhash:k=20,s=5,r=1"
    assert not (copy / "ngrams").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--method", "onoin"], "did you mean 'onion'"),
        (["--method", "exact", "-n", "3"], "'exact' has no parameter 'n'"),
        (["--memory", "much"], "not a size of memory"),
        (["--memory", "10MB"], "at least 300 MB"),
        (["--level", "page"], "one of block, document"),
        (["--against", "nowhere"], "nowhere: make it with `gristmill dedup"),
    ],
)
def test_wrong_usage_is_one_line_and_changes_nothing(copy: Path, arguments: list[str], message: str) -> None:
    before = files(copy)
    result = run("dedup", copy, *arguments)
    assert message in result.stderr.decode()
    assert result.returncode == 2
    assert files(copy) == before


def test_no_corpus(tmp_path: Path) -> None:
    assert run("dedup", tmp_path).returncode == 2


def test_memory_sizes() -> None:
    assert [as_bytes(text, "memory") for text in ("500MB", "1.5 GB", "2g", "1000000", "3GiB")] == [
        500_000_000,
        1_500_000_000,
        2 * 10**9,
        10**6,
        3 * 10**9,
    ]
    with pytest.raises(UsageError):
        as_bytes("lots", "memory")


def test_against_itself_nothing_is_left(corpus: gristmill.Corpus, copy: Path) -> None:
    new = gristmill.deduplicate(copy, against=[corpus.folder], workers=1)
    assert new.counts["kept"] == 0
    assert new.counts["passed"] == new.counts["duplicates"]
    assert all(
        row["copy_of"].startswith(f"{corpus.folder.name}/")
        for shard in new.shards
        for row in read_rows(shard.duplicates)
        if row["copy_of"]
    )


def test_counts_add_up(corpus: gristmill.Corpus) -> None:
    left = list(corpus.documents())
    assert len(left) == corpus.counts["kept"] == corpus.counts["passed"] - corpus.counts["duplicates"]
    assert sum(document.words for document in left) == corpus.size["words"]
    assert sum(document.text_bytes for document in left) == corpus.size["bytes"]
    assert sum(len(document.blocks) for document in left) == corpus.size["blocks"]
    dropped = [reason for reason, *_ in corpus.dropped()]
    assert dropped.count("duplicate") == corpus.counts["duplicates"]


def test_the_line_can_be_drawn_anew(corpus: gristmill.Corpus) -> None:
    def words(threshold: float | None) -> int:
        return sum(document.words for document in corpus.documents(Selection(max_duplicate=threshold)))

    assert words(None) == words(0.5)
    assert words(0.0) < words(0.5) < words(1.0)
    assert words(1.0) == sum(corpus.manifest.dedup["words"].values())


def test_what_another_threshold_leaves() -> None:
    found = [(0.9, "duplicate"), (1.0, "stub"), (0.8, "duplicate"), (0.1, "unique"), (0.0, "")]
    judged = pa.array([{"share": share, "verdict": verdict} for share, verdict in found])

    def left(max_duplicate: float | None = None) -> list[int]:
        return np.flatnonzero(are_left(judged, max_duplicate)).tolist()

    assert left() == [3, 4]
    assert left(0.5) == [3, 4]
    assert left(0.05) == [4]
    assert left(0.8) == [2, 3, 4]
    assert left(1.0) == [0, 1, 2, 3, 4]


def test_killed_at_any_moment(corpus: gristmill.Corpus, copy: Path) -> None:
    """However often and wherever it is killed: meanwhile it says so, and in the end the result is the same."""
    expected = files(gristmill.deduplicate(shutil.copytree(copy, copy.parent / "other"), "onion:n=5", workers=1).folder)
    draw = random.Random(7)
    command = [*_COMMAND, "dedup", str(copy), "--method", "onion:n=5", "-j", "1"]
    for _ in range(6):
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
            time.sleep(draw.uniform(0.4, 1.6))
            process.send_signal(signal.SIGKILL)
    message = run("stats", copy).stderr.decode()
    assert not message or "is not complete" in message
    subprocess.run(command, check=True, capture_output=True)
    assert files(copy) == expected
    assert corpus.counts["kept"] > 0


def test_a_corpus_that_is_not_built_to_its_end(copy: Path) -> None:
    Shard.of(copy, "00000").documents.unlink()
    with pytest.raises(GristmillError, match="finish it with the same `gristmill build`"):
        gristmill.deduplicate(copy)


def test_the_method_of_a_corpus(corpus: gristmill.Corpus, copy: Path) -> None:
    opened = gristmill.Corpus(copy)
    found = opened.deduplicate(threshold=0.1, against=(corpus.folder,), workers=1)
    assert found.documents[1] == opened.counts["kept"] == 0
    assert opened.config.dedup.method == "onion:threshold=0.1"
    assert {block.text for block in found.repeated} == {"(in another corpus)"}
    with pytest.raises(gristmill.UsageError, match="threshold must be at most 1"):
        opened.deduplicate(threshold=2)
