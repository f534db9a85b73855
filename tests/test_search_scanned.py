"""Patterns of tokens that are found by an automaton, compared with the elements that it stands for and a plain scan."""

from __future__ import annotations

import random
from pathlib import Path
from types import ModuleType
from unittest.mock import patch

import numpy as np
import pytest
from scanning import PlainCorpus, repeated, scan, sequence, to_docs, to_documents, to_index, word
from segmented import open_segments, split, write_segments

from gristmill.errors import UsageError
from gristmill.kernel import walks
from gristmill.kernel.loading import load
from gristmill.search import hits
from gristmill.search.cql import bounds, scanned
from gristmill.search.cql.automaton import COLUMNS, TooLargeError, automaton_of
from gristmill.search.cql.matching import find
from gristmill.search.cql.parsing import parse
from gristmill.search.cql.part_parsing import MAX_UNBOUNDED_TIMES
from gristmill.search.index.index import Index

LOOPS = [module for module in (walks, load("walks")) if module is not None]
TOKENS = [
    "[]",
    '"a"',
    '"b"',
    '[tag="a"]',
    '[tag!="a"]',
    '[lc="a|é"]',
    '[lempos!="a-x" & tag="b"]',
    '1:"a"',
    '[lemma="x"]',
]
TIMES = ["", "", "", "?", "*", "+", "{2}", "{0,3}", "{2,}", "{0}", "{1,2}"]


@pytest.fixture(autouse=True, params=LOOPS)
def _always(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Scan whatever can be scanned, in small blocks; with the loop as it is in Python, and compiled."""
    monkeypatch.setattr("gristmill.kernel.COMPILED", True)
    monkeypatch.setattr("gristmill.kernel.find_walks", request.param.find_walks, raising=False)
    monkeypatch.setattr(scanned, "_MIN_TOKENS", 1)
    monkeypatch.setattr(scanned, "_MAX_TOKENS_PER_SPAN", 1 << 40)
    monkeypatch.setattr(scanned, "BLOCK_TOKENS", 37)
    monkeypatch.setattr(scanned, "_MIN_ROOM", 5)


def exact(index: Index, query: str) -> list[tuple[int, int]]:
    """Find without automata."""
    with patch.object(scanned, "_MAX_TOKENS_PER_SPAN", 0):
        return find(index, query).spans()


def made_pattern(chance: random.Random, depth: int) -> str:
    """A pattern of tokens at random."""
    kind = chance.choice(["token", "sequence", "sequence", "alternatives"]) if depth else "token"
    if kind == "token":
        return chance.choice(TOKENS).replace("1:", "") + chance.choice(TIMES)
    parts = [made_pattern(chance, depth - 1) for _ in range(chance.choice([2, 2, 3]))]
    return f"({(' ' if kind == 'sequence' else ' | ').join(parts)}){chance.choice(TIMES)}"


def made_corpus(chance: random.Random, documents: int) -> PlainCorpus:
    """Documents of up to 20 tokens."""

    def sentence() -> list[tuple[str, str, str]]:
        return [
            (chance.choice("abAé"), chance.choice("ab"), chance.choice("ax")) for _ in range(chance.randrange(1, 21))
        ]

    return [([([sentence()], "a")], "a", "7") for _ in range(documents)]


@pytest.fixture(scope="module")
def indexes(tmp_path_factory: pytest.TempPathFactory) -> list[Index]:
    """The same documents in one segment and in three."""
    corpus = made_corpus(random.Random(1), 30)
    folder = tmp_path_factory.mktemp("segments")
    parts = split(to_documents(corpus), [11, 20])
    return [
        to_index(tmp_path_factory.mktemp("index"), corpus),
        open_segments(folder, write_segments(folder, parts)),
    ]


def test_spans_are_those_of_the_elements(indexes: list[Index], monkeypatch: pytest.MonkeyPatch) -> None:
    chance, walked = random.Random(2), []
    walk = scanned.Scanned.walk

    def noted(self: scanned.Scanned) -> hits.Hits | None:
        walked.append(walk(self))
        return walked[-1]

    monkeypatch.setattr(scanned.Scanned, "walk", noted)
    for number in range(40):
        pattern = made_pattern(chance, 2)
        query = pattern if number % 3 else f"({pattern}) within 7 within <s/> !containing ({made_pattern(chance, 1)})"
        try:
            spans = exact(indexes[0], query)
        except UsageError:  # as it matches no token
            continue
        for index in indexes:
            assert find(index, query).spans() == spans, query
    assert sum(found is not None for found in walked) > 40


def test_repetitions_are_limited_as_documented(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert (walks.MAX_WALK, walks.COLUMNS) == (MAX_UNBOUNDED_TIMES, COLUMNS)
    corpus: PlainCorpus = [
        ([([[("b", "a", "a")] + [("a", "a", "a")] * length], "a")], "a", "7") for length in (99, 150, 9)
    ]
    docs, index = to_docs(corpus), to_index(tmp_path, corpus)
    for pattern in (repeated(word("a"), ("+", 1, 100)), sequence([word("b"), repeated(word("a"), ("*", 0, 100))])):
        assert find(index, pattern.text).spans() == scan(pattern, docs)
    for limit in (1000, 3):  # of starts of long walks: with 3, it is given up
        monkeypatch.setattr(scanned, "_MIN_LONG_WALKS", limit)
        monkeypatch.setattr(scanned, "_LONG_WALKS_AT_ONCE", 7)
        assert find(index, '"b"? ("a"+ "a"?)').spans() == exact(index, '"b"? ("a"+ "a"?)')


def test_limits_hold(indexes: list[Index]) -> None:
    with patch.object(bounds, "MAX_STEPS", 3000), pytest.raises(UsageError, match="takes too long"):
        find(indexes[0], '"b"+ []?')
    with patch.object(hits, "MAX_SPANS", 20), pytest.raises(UsageError, match="matches"):
        find(indexes[0], '"b"+ []?')


@pytest.mark.parametrize(
    "query",
    [
        '"a"{65}',
        '("a" | "b" "c"){33}',
        '("a"|"b") []{0,30} "c" []{12}',
        " ".join(f'"{letter}"?' for letter in "abcdefghi"),
    ],
)
def test_large_automata_are_not_made(query: str) -> None:
    with pytest.raises(TooLargeError):
        automaton_of(parse(query).node)


def test_an_automaton() -> None:
    """State 0 has no token yet, 1 accepts, whether "a" or "b" came."""
    automaton = automaton_of(parse('"a" "b"+ | "a"').node)
    assert (automaton.table.tolist(), automaton.accepting) == ([[-1, 1, -1, 1], [-1, -1, 1, 1]], 1)
    assert automaton.rows(np.array([0, 2, 1], np.uint8))[:3].tolist() == [-1, -1, 256]


@pytest.mark.parametrize("loops", LOOPS)
def test_what_does_not_fit_is_refused(loops: ModuleType) -> None:
    codes, documents = np.zeros(10, np.uint8), np.array([0, 5, 10])
    table, room, aside = np.full(256, -1, np.int32), np.zeros(200, np.uint32), np.zeros(3, np.int64)

    def walk(
        codes: np.ndarray = codes,
        base: int = 0,
        last: int = 10,
        bounds: np.ndarray = documents,
        to: int = -1,
        written: int = 0,
    ) -> tuple[int, ...]:
        table[0] = to
        found: tuple[int, ...] = loops.find_walks(
            codes, base, 0, last, bounds, table, 0, room, room.copy(), written, aside, 0
        )
        return found

    assert walk() == (10, 0, 0, 0)
    assert walk(to=0) == (10, 30, 0, 30)
    assert walk(to=0, written=100) == (0, 100, 0, 0)
    assert walk(last=0, bounds=documents[:1]) == (0, 0, 0, 0)
    for wrong in (
        {"codes": codes[:9]},
        {"base": 1},
        {"base": -1},
        {"last": 11},
        {"bounds": documents[:2]},
        {"bounds": documents + 1},
        {"bounds": documents[:0]},
        {"to": 256},
        {"to": -2},
        {"to": 1},
        {"written": -1},
    ):
        with pytest.raises(ValueError, match=r"token|state|spans"):
            walk(**wrong)
    with pytest.raises(ValueError, match="columns"):
        loops.find_walks(codes, 0, 0, 1, documents, table[:255], 0, room, room, 0, aside, 0)
