"""How much memory objects hold: each array once and whole, without files that are mapped and what others have."""

from __future__ import annotations

import shutil
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gristmill
from gristmill.arrays.holding import held_bytes
from gristmill.arrays.storing import load_arrays, save_arrays
from gristmill.operations.searched import Ordered
from gristmill.search.index.attribute import Attribute
from gristmill.search.index.index import Index
from gristmill.search.index.structure import Structure
from gristmill.search.ranked import store


@dataclass(slots=True)
class Slotted:
    array: Any
    other: Any = None


@dataclass
class Remembering:
    parts: list[Any] = field(default_factory=list)

    @cached_property
    def found(self) -> np.ndarray[Any, Any]:
        return np.zeros(1000, np.uint8)


Slotted.__module__ = Remembering.__module__ = "gristmill.made_up"  # only our own objects are looked into


def test_arrays_count_once_and_whole() -> None:
    array = np.zeros(500, np.uint8)
    thing = Remembering([array, {"part": array[:10]}, (Slotted(array[3:]), Slotted(np.zeros(7, np.uint8)))])
    assert held_bytes(thing) == 507
    assert len(thing.found) == 1000
    thing.parts.append(thing)  # which does not go on for ever
    assert held_bytes(thing) == 1507
    assert held_bytes(thing, (Slotted,)) == 1500


def test_what_is_mapped_counts_nothing(tmp_path: Path) -> None:
    save_arrays(tmp_path / "a.arrays", {"large": np.zeros(1 << 20, np.uint8)})
    mapped = load_arrays(tmp_path / "a.arrays")
    assert held_bytes(mapped) == 0
    assert held_bytes([mapped["large"] + 1]) == 1 << 20


def test_a_search_weighs_what_it_found_out(indexed: gristmill.Corpus) -> None:
    shared = (Index, Attribute, Structure)
    found = Ordered('[tag="NOUN"]').find(indexed.index)
    before = held_bytes(found, shared)
    assert found.sort("right").page(1, 10)
    assert before < 8 * len(found) < held_bytes(found, shared), "sorting has looked up documents"


def test_ranked_units_are_let_go(indexed: gristmill.Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "_MAX_HELD", 1)
    shutil.copytree(indexed.folder, tmp_path / "one")
    corpus = gristmill.Corpus(tmp_path / "one")
    for unit in ("sentence", "paragraph", "sentence"):
        assert corpus.find('"of the" mill', unit=unit).rows
        (lists,) = store._open[corpus.index].values()
        assert lists.ranked.unit.kind == unit
