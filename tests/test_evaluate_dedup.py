"""`gristmill evaluate dedup` as a user types it, and what it is made of."""

from __future__ import annotations

import json
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from command import run
from hypothesis import given
from hypothesis import strategies as st

from gristmill.dedup import DUPLICATES_SCHEMA
from gristmill.dedup.documents import Sketches
from gristmill.dedup.documents.all_pairs import sharing_pairs
from gristmill.dedup.evaluation import blocks_left, documents_left, measure, read_alike
from gristmill.errors import UsageError
from gristmill.evaluation.known_clusters import read_clusters
from gristmill.evaluation.near_duplicates import Made, MadeBlock, make, sample_texts, write_shards
from gristmill.shards import Shard, ShardWriter

ROWS = [
    {"id": "a", "text": "one two three four five\nsix seven eight", "cluster": "x"},
    {"id": 2, "text": "one two three four five\nsix seven eight", "cluster": "x"},
    {"id": "c", "text": "nine ten eleven twelve", "cluster": None},
    {"id": "d", "text": "nine ten eleven twelve and more", "cluster": ""},
]


def write_json(path: Path, rows: list[Any]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def block(words: str, verdict: str, share: float = 0.0, copy_of: str = "") -> tuple[str, dict[str, Any]]:
    return words, {"share": share, "verdict": verdict, "copy_of": copy_of, "copy_block": -1}


Row = tuple[float, str, list[tuple[str, dict[str, Any]]]]


def write_by_hand(folder: Path, rows: list[Row], per_shard: int) -> list[Shard]:
    """Documents and what is said of them: share, what they are a copy of, and their blocks."""
    made = [Made("", tuple(MadeBlock(text, 0) for text, _ in blocks), "", 0) for _, _, blocks in rows]
    shards = write_shards(made, folder, per_shard)
    for number, shard in enumerate(shards):
        found = [
            {
                "share": share,
                "copy_of": copy_of,
                "text_blocks": sum(judged["verdict"] == "unique" for _, judged in blocks),
                "words": 0,
                "length": 0,
                "text_bytes": 0,
                "blocks": [judged for _, judged in blocks],
            }
            for share, copy_of, blocks in rows[number * per_shard : (number + 1) * per_shard]
        ]
        with ShardWriter(shard.duplicates, DUPLICATES_SCHEMA) as writer:
            writer.write(pa.Table.from_pylist(found, schema=DUPLICATES_SCHEMA))
            writer.finish({})
    return shards


def test_pairs_of_whole_copies_and_of_blocks(tmp_path: Path) -> None:
    first, second = "00000-000000", "00000-000001"
    rows: list[Row] = [
        (0.0, "", [block("a b c d", "unique"), block("e", "unique")]),
        (
            0.3,
            "",
            [block("f g h", "unique"), block("a b", "duplicate", 0.5, first), block("not kept at all", "", 1.0, first)],
        ),
        (0.9, first, [block("a b c d", "duplicate", 0.9, first)]),
        (1.0, "", [block("f g h", "duplicate", 1.0, second), block("a", "duplicate", 1.0, first)]),
        (0.2, "", [block("z a b c", "unique", 0.5, "other-corpus/00000-000001")]),
        (0.04, second, [block("f", "duplicate", 0.04, second)]),
    ]
    shards = write_by_hand(tmp_path, rows, 4)
    alike = read_alike(shards)
    found = {(int(one), int(other)): float(score) for one, other, score in zip(*vars_of(alike.pairs), strict=True)}
    assert found == {(0, 1): pytest.approx(0.2), (0, 2): 0.9, (1, 3): 0.75, (0, 3): 0.25, (1, 5): 0.04}
    assert alike.clusters(6).tolist() == [0, 1, 0, 1, 4, 1]
    assert alike.clusters(6, 0.2).tolist() == [0, 0, 0, 0, 4, 0]
    assert documents_left(shards) == 3
    assert [left.tolist() for left in blocks_left(shards[0])] == [
        [True, True],
        [True, False, False],
        [False],
        [False, False],
    ]


def vars_of(pairs: Any) -> tuple[Any, Any, Any]:
    return pairs.first, pairs.second, pairs.scores


def test_exact_copies_on_near_duplicates(tmp_path: Path) -> None:
    made = list(make(sample_texts()))
    quality = measure(
        "exact", write_shards(made, tmp_path, 40), np.array([document.cluster for document in made]), tmp_path / "work"
    )
    assert quality.pairs.precision == 1
    assert quality.b_cubed.precision == 1
    assert 0.5 < quality.pairs.recall < 1
    assert quality.left == len({document.text for document in made})
    assert quality.au_roc is not None
    assert 0.75 < quality.au_roc < 1


def test_onion_finds_what_exact_does_not(tmp_path: Path) -> None:
    made = list(make(sample_texts()))
    quality = measure(
        "onion", write_shards(made, tmp_path, 40), np.array([document.cluster for document in made]), tmp_path / "work"
    )
    assert quality.pairs.recall > 0.95
    assert quality.b_cubed.f1 > 0.95
    assert quality.au_roc is not None
    assert quality.au_roc > 0.99


@given(st.lists(st.frozensets(st.integers(0, 9), max_size=5), max_size=9))
def test_all_pairs_that_share_features(features: list[frozenset[int]]) -> None:
    counts = np.array([len(one) for one in features], np.int64)
    flat = np.array([feature for one in features for feature in sorted(one)], np.uint64)
    sketches = Sketches(flat, np.append(0, np.cumsum(counts)), counts)
    parts = [zip(*(column.tolist() for column in part), strict=True) for part in sharing_pairs(sketches)]
    assert sorted(pair for part in parts for pair in part) == [
        (one, other, len(features[one] & features[other]))
        for one, other in combinations(range(len(features)), 2)
        if features[one] & features[other]
    ]


@pytest.mark.parametrize("method", ["resemblance:n=3", "minhash:n=3", "winnow:n=3,window=2"])
def test_au_roc_is_that_of_all_pairs(tmp_path: Path, method: str) -> None:
    """CEDAR 6.1.1: each pair has a score, whether it is found or not.

    The first two texts share six words of twelve, and so 4 of 16 shingles; no others share a word. Nothing is found by
    the thresholds of the methods, so that by what is found the area would be a half.
    """
    words = [f"w{number}" for number in range(42)]
    texts = [words[:12], words[:6] + words[12:18], words[18:30], words[30:]]
    made = [Made("", (MadeBlock(" ".join(text), number),), "", 0) for number, text in enumerate(texts)]
    quality = measure(method, write_shards(made, tmp_path), np.array([0, 0, 1, 2]), tmp_path / "work")
    assert quality.left == 4
    assert quality.pairs.recall == 0
    assert quality.au_roc == 1


def test_json_lines_and_parquet_are_read(tmp_path: Path) -> None:
    documents = read_clusters([write_json(tmp_path / "truth.jsonl", ROWS)])
    assert [document.cluster for document in documents] == [0, 0, 1, 2]
    assert [block.text for block in documents[0].blocks] == ["one two three four five", "six seven eight"]
    table = pa.table(
        {"id": ["e", "f"], "text": ["Something else.", "And more."], "cluster": ["x", "y"], "more": [1, 2]}
    )
    pq.write_table(table, tmp_path / "truth.parquet")
    both = read_clusters([tmp_path / "truth.jsonl", tmp_path / "truth.parquet"])
    assert [document.cluster for document in both] == [0, 0, 1, 2, 0, 3]


def test_half_a_character_can_be_stored(tmp_path: Path) -> None:
    path = tmp_path / "truth.jsonl"
    path.write_text('{"id": 1, "text": "half \\ud800 of it", "cluster": 1}\n\n')
    [document] = read_clusters([path])
    write_shards([document], tmp_path)
    assert document.text == "half ? of it"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "has no documents"),
        (b"\n \n", "has no documents"),
        (b"{}\n", "line 1: there is no id, text, cluster"),
        (b'{"id": 1, "text": "a", "cluster": 1}\n{"id": 2, "text": "b"}\n', "line 2: there is no cluster"),
        (b"[1]\n", "line 1: there is no id"),
        (b"id,text,cluster\n", "line 1: this is not JSON"),
        (b"\xff\xfe\n", "can't read"),
        (b"PAR1 and no more", "can't read"),
        (b'{"id": 1, "text": "a", "cluster": 1}\n' * 2, "line 2: there is another document with the id '1'"),
        (b'{"id": 1, "text": null, "cluster": 1}\n', "line 1: text must be text"),
    ],
)
def test_bad_files(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "bad.jsonl"
    path.write_bytes(content)
    with pytest.raises(UsageError, match=message) as raised:
        read_clusters([path])
    assert "\n" not in str(raised.value)


def test_a_column_is_missing(tmp_path: Path) -> None:
    pq.write_table(pa.table({"id": [1], "text": ["a"]}), tmp_path / "bad.parquet")
    with pytest.raises(UsageError, match="has no column cluster"):
        read_clusters([tmp_path / "bad.parquet"])


def test_table(tmp_path: Path) -> None:
    write_json(tmp_path / "truth.jsonl", ROWS)
    result = run("evaluate", "dedup", "truth.jsonl", "-m", "exact", "-m", "exact:keep=none", cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    header, *rows = result.stdout.decode().splitlines()
    assert header.split() == "method pairs P R F1 B-cubed P R F1 AU-ROC left seconds".split()
    assert [row.split()[:9] for row in rows] == [
        ["exact", *["1.000"] * 7, "3"],
        ["exact:keep=none", *["1.000"] * 7, "2"],
    ]


def test_json(tmp_path: Path) -> None:
    write_json(tmp_path / "truth.jsonl", ROWS)
    result = run("evaluate", "dedup", "truth.jsonl", "--json", "-m", "exact", cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    figures = json.loads(result.stdout)
    assert (figures["documents"], figures["clusters"]) == (4, 3)
    assert figures["methods"][0]["b_cubed"] == {"precision": 1, "recall": 1, "f1": 1}


def test_of_the_sample_also_what_is_lost(tmp_path: Path) -> None:
    arguments = ("evaluate", "dedup", "sample", "-m", "onion", "-m", "exact:keep=none")
    result = run(*arguments, cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    _, _, _, empty, header, *rows = result.stdout.decode().splitlines()
    assert empty == ""
    assert header.split("  ")[-1].strip() == "first blocks lost"
    shares = {row.split()[0]: [float(cell.rstrip("%")) for cell in row.split()[1:]] for row in rows}
    assert shares["onion"][0] > 95
    assert shares["exact:keep=none"][2] > 5
    figures = json.loads(run(*arguments, "--json", cwd=tmp_path).stdout)
    by_method = {method["method"]: method["texts"] for method in figures["methods"]}
    assert by_method["onion"]["copies_gone"] == pytest.approx(shares["onion"][0] / 100, abs=0.0001)
    assert by_method["onion"]["revised 0.9"] > 0.95


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["sample", "-m", "onin"], "there is no de-duplication method 'onin'; did you mean 'onion'?"),
        (["sample", "-m", "exact:k=1"], "has no parameter 'k'"),
        (["none.jsonl"], "there is no file 'none.jsonl'"),
        (["."], "can't read"),
        (["sample", "none.jsonl"], "the sample can't be evaluated together with files"),
        ([], "Missing argument 'TRUTH'"),
    ],
)
def test_wrong_usage(tmp_path: Path, arguments: list[str], message: str) -> None:
    result = run("evaluate", "dedup", *arguments, cwd=tmp_path)
    assert result.returncode == 2
    assert message in result.stderr.decode()
    assert result.stdout == b""


def test_help_tells_of_both_commands() -> None:
    both = run("evaluate", "--help").stdout.decode()
    assert "gristmill evaluate my-pages" in both
    assert "gristmill evaluate dedup sample" in both
    assert "Examples:\n    gristmill evaluate dedup sample" in run("evaluate", "dedup", "--help").stdout.decode()
