"""Exact copies are found across shards; methods are found by name, with their parameters."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gristmill import dedup
from gristmill.dedup.exact import Exact, first_copies
from gristmill.dedup.onion.method import Onion
from gristmill.document import Block, Document
from gristmill.errors import UsageError
from gristmill.shards import Shard, document_writer, facts, read_rows


def document(text: str, dropped: str = "") -> Document:
    made = Document(blocks=[Block(text, "p", "", 0, 0, 1, 0, 0, 0)], dropped=dropped)
    made.measure()
    return made


def write(folder: Path, documents: list[Document]) -> Shard:
    shard = Shard(folder)
    with document_writer(shard) as writer:
        for item in documents:
            writer.write(item)
        writer.finish({})
    return shard


@pytest.fixture
def shards(tmp_path: Path) -> list[Shard]:
    return [
        write(tmp_path / "00000", [document("a", dropped="length"), document("b"), document("a")]),
        write(tmp_path / "00001", []),
        write(
            tmp_path / "00002",
            [document("b"), document("c"), document("a"), document("b", dropped="size"), document("b")],
        ),
    ]


@pytest.mark.parametrize("method", ["exact", "onion"])
def test_copies_across_shards(shards: list[Shard], tmp_path: Path, method: str) -> None:
    dedup.run(method, shards, tmp_path / "work")
    found = [[(row["copy_of"], row["share"], row["words"]) for row in read_rows(shard.duplicates)] for shard in shards]
    assert found[0] == [("", 0.0, 0), ("", 0.0, 1), ("", 0.0, 1)]
    assert found[1] == []
    assert found[2] == [
        ("00000-000001", 1.0, 0),
        ("", 0.0, 1),
        ("00000-000002", 1.0, 0),
        ("", 0.0, 0),
        ("00000-000001", 1.0, 0),
    ]
    assert [facts(shard.duplicates)["counts"].get("duplicates", 0) for shard in shards] == [0, 0, 3]
    blocks = [[block["verdict"] for row in read_rows(shard.duplicates) for block in row["blocks"]] for shard in shards]
    assert blocks == [["", "unique", "unique"], [], ["duplicate", "unique", "duplicate", "", "duplicate"]]


def test_all_copies_can_go(shards: list[Shard], tmp_path: Path) -> None:
    dedup.run("exact:keep=none", shards, tmp_path / "work")
    found = [row["copy_of"] for shard in shards for row in read_rows(shard.duplicates)]
    assert found == ["", "00002-000000", "00002-000002", "00000-000001", "", "00000-000002", "", "00000-000001"]


@given(st.lists(st.tuples(st.integers(0, 4), st.booleans())))
def test_against_a_plain_loop(rows: list[tuple[int, bool]]) -> None:
    digests = np.array([[value // 2, value] for value, _ in rows], np.uint64).reshape(-1, 2)
    seen: dict[int, int] = {}
    expected = [seen.setdefault(value, row) if kept else row for row, (value, kept) in enumerate(rows)]
    assert first_copies(digests, np.array([kept for _, kept in rows], np.bool_)).tolist() == expected


def test_a_line_of_text_names_a_method() -> None:
    assert dedup.parse("exact") == Exact()
    assert dedup.parse("onion: n=7, threshold=0.25,exclude=punctuation+stopwords") == Onion(
        n=7, threshold=0.25, exclude="punctuation+stopwords"
    )
    assert dedup.spec_of("onion", Onion(n=7)) == "onion:n=7"
    assert dedup.spec_of("onion", Onion()) == "onion"


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("onoin", "did you mean 'onion'"),
        ("onion:m=3", "has no parameter 'm' (it has: n, threshold"),
        ("onion:n=ten", "n must be a whole number, not 'ten'"),
        ("onion:n", "not of the form parameter=value"),
        ("onion:n=0", "from 1 to 255"),
        ("onion:threshold=2", "between 0 and 1"),
        ("onion:level=page", "one of block, document"),
        ("onion:exclude=verbs", "punctuation, stopwords"),
        ("exact:keep=last", "one of first, none"),
    ],
)
def test_a_wrong_line_is_an_error_that_helps(spec: str, message: str) -> None:
    with pytest.raises(UsageError) as error:
        dedup.parse(spec)
    assert message in str(error.value)
