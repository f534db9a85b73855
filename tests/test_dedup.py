"""Exact copies are found across shards; the first in source order is kept."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from gristmill.dedup.exact import exact, first_copies
from gristmill.document import Block, Document
from gristmill.shards import DUPLICATES, document_writer, facts, read_rows


def document(text: str, dropped: str = "") -> Document:
    made = Document(blocks=[Block(text, "p", "", 0, 0, 1, 0, 0, 0)], dropped=dropped)
    made.measure()
    return made


def shard(folder: Path, documents: list[Document]) -> Path:
    with document_writer(folder) as writer:
        for item in documents:
            writer.write(item)
        writer.finish({})
    return folder


def test_copies_across_shards(tmp_path: Path) -> None:
    shards = [
        shard(tmp_path / "00000", [document("a", dropped="length"), document("b"), document("a")]),
        shard(tmp_path / "00001", []),
        shard(tmp_path / "00002", [document("b"), document("c"), document("a"), document("b", dropped="size"), document("b")]),
    ]
    assert exact(shards) == 3
    found = [[(row["copy_of"], row["share"]) for row in read_rows(folder / DUPLICATES)] for folder in shards]
    assert found[0] == [("", 0.0), ("", 0.0), ("", 0.0)]
    assert found[1] == []
    assert found[2] == [("00000-000001", 1.0), ("", 0.0), ("00000-000002", 1.0), ("", 0.0), ("00000-000001", 1.0)]
    assert [facts(folder / DUPLICATES)["duplicates"] for folder in shards] == [0, 0, 3]


@given(st.lists(st.tuples(st.integers(0, 4), st.booleans())))
def test_against_a_plain_loop(rows: list[tuple[int, bool]]) -> None:
    digests = np.array([[value // 2, value] for value, _ in rows], np.uint64).reshape(-1, 2)
    seen: dict[int, int] = {}
    expected = [seen.setdefault(value, row) if kept else row for row, (value, kept) in enumerate(rows)]
    assert first_copies(digests, np.array([kept for _, kept in rows], np.bool_)).tolist() == expected
