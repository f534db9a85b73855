"""The kernel's loops that count for word lists and bigrams, compared with plain counting."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from gristmill.kernel import COMPILED, tallies
from gristmill.kernel.loading import load
from gristmill.search import Index, Subcorpus
from gristmill.search.index.plain import PlainDocument, PlainParagraph, make_index
from gristmill.search.statistics import counted, ngrams, pairs, top_pairs
from gristmill.search.statistics.choice import Choice
from gristmill.search.statistics.ranking import best
from gristmill.search.statistics.values import Values

LOOPS = [module for module in (tallies, load("tallies")) if module is not None]


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Index:
    """Random words by Zipf's law, with punctuation among them, in sentences of up to 12."""
    chance = np.random.default_rng(1)
    documents = []
    for number in range(40):
        sentences = [
            [
                (".", "PUNCT", ".", "", False) if word == 3 else (f"w{word}", "X", f"w{word}", "", False)
                for word in words
            ]
            for words in (np.minimum(chance.zipf(1.5, chance.integers(1, 12)), 90).tolist() for _ in range(20))
        ]
        documents.append(PlainDocument([PlainParagraph(sentences, {})], {"year": str(2000 + number % 3)}))
    return make_index(tmp_path_factory.mktemp("index"), documents)


@pytest.fixture(params=LOOPS)
def _small_parts(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rounds and parts so small that there are several; with the loops as they are in Python, and compiled."""
    monkeypatch.setattr(pairs, "_ROUND_OCCURRENCES", 900)
    monkeypatch.setattr(pairs, "_PART_OCCURRENCES", 60)
    monkeypatch.setattr(pairs, "_BLOCK_TOKENS", 500)
    monkeypatch.setattr(counted, "_MIN_TOKENS_FOR_KERNEL", 0)
    monkeypatch.setattr(counted, "_loops", lambda: request.param.count_between)
    for name in ("count_pairs", "gather_pairs", "tabulate_pairs"):
        monkeypatch.setattr(f"gristmill.kernel.{name}", getattr(request.param, name))


@pytest.mark.usefixtures("_small_parts")
@pytest.mark.parametrize("where", [None, "year=2001"])
@pytest.mark.parametrize("punctuation", [False, True])
def test_pairs_by_the_kernel_are_those_by_sorting(
    index: Index, where: str | None, punctuation: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    part = Subcorpus(index, where) if where else None
    for limit, least in ((5, 2), (None, 1), (0, 2), (40, 3)):
        found = []
        for can_count in (True, False):
            monkeypatch.setattr(ngrams, "can_count", lambda _, can=can_count: can)
            found.append(
                ngrams.ngrams(index, subcorpus=part, punctuation=punctuation, limit=limit, min_frequency=least)
            )
        assert found[0] == found[1]


@pytest.mark.usefixtures("_small_parts")
@pytest.mark.parametrize("where", [None, "year=2001"])
def test_the_most_frequent_pairs_are_those_of_all(
    index: Index, where: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    part = Subcorpus(index, where) if where else None
    first_tables = []
    for values, more in ((1, 0), (8, 0), (3, 1), (200, 3)):  # of which the first ones are too small, then made larger
        monkeypatch.setattr(top_pairs, "_VALUES", values)
        monkeypatch.setattr(top_pairs, "_VALUES_FOR_EACH", more)
        for limit, least, punctuation in ((1, 2, False), (9, 1, True), (37, 2, False), (40, 3, True), (5000, 1, False)):
            options: Any = {"limit": limit, "min_frequency": least, "punctuation": punctuation, "subcorpus": part}
            found, all_counted = (ngrams.ngrams(index, totals=totals, **options) for totals in (False, True))
            first_tables.append(hasattr(found, "_count"))
            assert found.rows == all_counted.rows
            assert found == all_counted
            assert found.facts() == all_counted.facts()
    assert not COMPILED or any(first_tables)


@pytest.mark.parametrize("loops", LOOPS)
def test_a_counter_may_wrap(loops: ModuleType) -> None:
    keys, one = np.zeros(4, np.int32), np.zeros(1, np.int64)
    counters, wrapped = np.array([0xFFFE, 0, 0, 0], np.uint16), np.zeros(1, np.int64)
    codes = np.array([0, 1], np.uint16)
    assert loops.tabulate_pairs(keys, one, one + 4, codes, 2, counters, wrapped) == 1
    assert (counters.tolist(), wrapped.tolist()) == ([1, 0, 0, 0], [0])
    found = top_pairs.pairs_of(np.array([7]), counters, wrapped, 2)
    assert (found.keys.tolist(), found.counts.tolist()) == ([[7, 7]], [0x10001])
    for width, room in ((1, wrapped), (3, wrapped), (2, wrapped[:0])):
        counters[0] = 0xFFFF
        with pytest.raises(ValueError, match=r"code|room"):
            loops.tabulate_pairs(keys, one, one + 4, codes, width, counters, room)


@pytest.mark.usefixtures("_small_parts")
def test_values_in_documents_are_counted(index: Index) -> None:
    part = Subcorpus(index, "year=2002")
    values, starts = Values(index, "word"), index.structure("doc").bounds.tolist()
    ids = index.attribute("word").ids.tolist()
    plain = Counter(
        key for number, (start, end) in enumerate(pairwise(starts)) if part.chosen[number] for key in ids[start:end]
    )
    found = counted.counted(values, Choice(index, part))
    assert dict(zip(found.keys.tolist(), found.counts.tolist(), strict=True)) == plain
    both = counted.counts_in_both(values, Choice(index, part), Choice(index, part.rest))
    assert both is not None
    assert (both[0] + both[1]).tolist() == index.attribute("word").counts.tolist()
    assert both[0][found.keys].tolist() == found.counts.tolist()


@pytest.mark.parametrize("loops", LOOPS)
def test_what_does_not_fit_is_refused(loops: ModuleType) -> None:
    keys, one, many = np.array([0, 1, 2], np.int32), np.zeros(1, np.int64), np.zeros(9, np.int64)
    counts = np.zeros(3, np.int32)
    for starts, ends, wrong in ((one, one + 4, counts), (one - 1, one + 1, counts), (one, one + 3, counts[:2])):
        with pytest.raises(ValueError, match=r"keys|values"):
            loops.count_between(keys, starts, ends, wrong)
    room = np.zeros(0, np.uint32)
    with pytest.raises(ValueError, match="room"):
        loops.gather_pairs(keys, one, one + 3, many[:3], many[:2], 4, many[:2], room)
    with pytest.raises(ValueError, match="part"):
        loops.gather_pairs(keys, one, one + 3, many[:3] + (5 << 32), many[:2], 4, many[:2], room)
    wrong_pairs, numbers = np.array([99], np.uint32), np.array([0, 2], np.int64)
    with pytest.raises(ValueError, match="part"):
        loops.count_pairs(
            wrong_pairs, one, one + 1, numbers, 1, np.array([0, 1, 2]), counts[:2], 1, 9, many.copy(), many.copy()
        )


def test_the_best_of_many_scores() -> None:
    scores = np.random.default_rng(2).zipf(1.3, 5000) % 1000
    for limit in (None, 0, 1, 30, 4999, 5000, 9000):
        expected = sorted(range(len(scores)), key=lambda place: -scores[place])[:limit]
        assert best(scores, limit).tolist() == expected


def test_the_structures_of_many_positions(index: Index) -> None:
    sentences = index.structure("s")
    positions = np.arange(index.size)
    expected = [
        number for number, (start, end) in enumerate(pairwise(sentences.bounds.tolist())) for _ in range(start, end)
    ]
    assert sentences.number_at(positions).tolist() == expected
    assert sentences.number_at(positions[::-1]).tolist() == expected[::-1]


def test_short_words_fill_a_line(tmp_path: Path) -> None:
    from gristmill.search import Concordance  # noqa: PLC0415

    words = [("a", "X", "a", "", False)] * 60
    words[30] = ("hit", "X", "hit", "", False)
    index = make_index(tmp_path, [PlainDocument([PlainParagraph([words], {})], {})])
    line = Concordance.of(index, '"hit"').page()[0]
    assert (line.left, line.right) == ("a " * 20, " a" * 20)


def test_it_is_known_whether_the_kernel_can_count(index: Index) -> None:
    assert pairs.can_count(Values(index, "word")) is COMPILED
