"""Indexes of several segments, made of plain documents, for tests."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np
import pyarrow as pa

from gristmill.engine import InlineEngine
from gristmill.search.index.index import Index
from gristmill.search.index.joining import write_joined
from gristmill.search.index.merging import merge
from gristmill.search.index.plain import PlainDocument, make_index
from gristmill.search.index.segment import read_card
from gristmill.search.index.state import JOINED, SEGMENTS, SegmentEntry, State
from gristmill.search.index.writing import Columns, StructureColumns, code, write_index


def split(documents: Sequence[PlainDocument], cuts: Sequence[int]) -> list[list[PlainDocument]]:
    """Documents divided at some places; two that are the same make an empty part."""
    places = [0, *sorted(min(cut, len(documents)) for cut in cuts), len(documents)]
    return [list(documents[start:end]) for start, end in pairwise(places)]


def write_segments(folder: Path, parts: Sequence[Sequence[PlainDocument]]) -> list[Path]:
    """A segment for each part, whose documents and paragraphs all have the same attributes; there may be empty ones."""
    places = [folder / SEGMENTS / f"{number:03d}" for number in range(len(parts))]
    attributes: dict[str, list[str]] = {"doc": [], "p": [], "s": []}
    for place, part in zip(places, parts, strict=True):
        if part:
            make_index(place, part)
            attributes = read_card(place)["structures"]
    for place, part in zip(places, parts, strict=True):
        if not part:
            _write_empty(place, attributes)
    return places


def _write_empty(place: Path, attributes: dict[str, list[str]]) -> None:
    nothing = code(pa.array([], pa.string()))
    structures = {
        name: StructureColumns(np.zeros(1, np.int64), dict.fromkeys(of, nothing)) for name, of in attributes.items()
    }
    write_index(
        place, Columns(dict.fromkeys(("word", "tag", "lemma", "xpos"), nothing), np.zeros(0, np.bool_), structures)
    )


def open_segments(folder: Path, places: Sequence[Path], joined_before: int = 0) -> Index:
    """The index of some segments; what the first `joined_before` of them have in common is joined first."""
    engine = InlineEngine()
    joined = folder / JOINED / "all"
    before = None
    if joined_before:
        before = folder / JOINED / "before"
        write_joined(before, places[:joined_before], engine)
    write_joined(joined, places, engine, before, joined_before)
    entries = []
    for number, place in enumerate(places):
        about = read_card(place)["index"]
        entries.append(SegmentEntry(place.name, about["tokens"], about["bytes"], {f"{number:05d}": "key"}))
    State({}, tuple(entries), "all").write(folder)
    return Index.open(folder)


def merged(folder: Path, places: Sequence[Path]) -> Path:
    """Some segments as one."""
    place = folder / SEGMENTS / f"{places[0].name}-{places[-1].name}"
    merge(places, place)
    return place
