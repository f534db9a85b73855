"""The questions of `search.py`: what is asked of an index, and in which ways of DuckDB."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import search_duckdb as peer
import search_duckdb_structures as structures

from gristmill.search import Concordance, Index, Subcorpus, find
from gristmill.search.statistics.collocations import collocations
from gristmill.search.statistics.keywords import keywords
from gristmill.search.statistics.ngrams import ngrams
from gristmill.search.statistics.wordlist import word_list

RATIO_ASKED = 10.0
"""How many times as long DuckDB should take at least."""
_RATIO_OF_FREQUENT_LEMMA = 20.0
_YEAR = 2015
_ROWS = 100
_LONG_LIST = 1000
_REGEXES = {
    ".*ing": [r"regexp_full_match(word, '.*ing')", "suffix(word, 'ing')", "word LIKE '%ing'"],
    "(?i)un.*able": [r"regexp_full_match(word, '(?i)un.*able')", "word ILIKE 'un%able'"],
    ".*[aeiou]{3}.*": [r"regexp_full_match(word, '.*[aeiou]{3}.*')", "regexp_matches(word, '[aeiou]{3}')"],
    r"\w+ing": [
        r"regexp_full_match(word, '[\pL\pM\pN\p{Pc}]+ing')",
        r"suffix(word, 'ing') AND regexp_full_match(word, '[\pL\pM\pN\p{Pc}]+ing')",
    ],
}
"""Regular expressions, and ways to say the same in SQL; `\\w` is of all scripts, which in RE2 it is not."""


@dataclass(frozen=True, slots=True)
class Question:
    """Something to be asked, of an index and in the ways that there are of DuckDB; the answers can be compared."""

    name: str
    ours: Callable[[Index], Any]
    peers: Sequence[Callable[[Any], Any]] = ()
    asked: float | None = None
    """Milliseconds that it may take."""
    ratio: float = RATIO_ASKED


def first_page(concordance: Concordance) -> tuple[int, list[tuple[int, str]]]:
    """The number of hits, and the first ones with their places, without spaces, which DuckDB's table does not have."""
    return len(concordance), [(line.position, "".join(line.node.split())) for line in concordance.page(1, peer.PAGE)]


def peer_page(found: peer.Page) -> tuple[int, list[tuple[int, str]]]:
    """The number of hits and the first ones with their places, as DuckDB gives them."""
    return found.count, [(start, "".join(node.split())) for start, _, node, _ in found.lines]


def paged(query: str, hits: Sequence[peer.Hits], asked: float | None = None, ratio: float = RATIO_ASKED) -> Question:
    """Count a query's hits and show the first page."""

    def way(page: Callable[[Any], peer.Page]) -> Callable[[Any], Any]:
        return lambda database: peer_page(page(database))

    ways = [way(page) for one in hits for page in peer.ways_to_page(one)]
    return Question(f"{query}, page", lambda index: first_page(Concordance.of(index, query)), ways, asked, ratio)


def listed(
    name: str, ours: Callable[[Index], list[tuple[Any, ...]]], statements: Sequence[str], asked: float | None = None
) -> Question:
    """Make a list; a row is a value and frequencies."""

    def way(sql: str) -> Callable[[Any], Any]:
        return lambda database: database.execute(sql).fetchall()

    return Question(name, ours, list(map(way, statements)), asked)


def questions() -> Iterator[Question]:
    """The questions that are asked, first those with a limit of time."""
    yield from _of_tokens()
    yield from _of_lists()
    yield from _of_structures()


def _of_tokens() -> Iterator[Question]:
    for lemma, ratio in (("be", _RATIO_OF_FREQUENT_LEMMA), ("time", RATIO_ASKED)):
        yield paged(f'[lemma="{lemma}"]', [peer.one_token(f"lemma = '{lemma}'")], 20, ratio)
    yield paged('[lemma="be"] [tag="VERB"]', peer.two_tokens("lemma = 'be'", "tag = 'VERB'"), 100)
    yield paged('[tag="ADJ"] [tag="NOUN"]', peer.two_tokens("tag = 'ADJ'", "tag = 'NOUN'"), 100)
    for regex, conditions in _REGEXES.items():
        yield paged(f'[word="{regex}"]', list(map(peer.one_token, conditions)), 200)
    gap = '[lemma="have"] []{0,3} [tag="VERB"] within <s/>'
    yield paged(gap, peer.with_gap("lemma = 'have'", 3, "tag = 'VERB'"))
    yield paged('("very"* "good")+', peer.praise("very", "good"))
    yield paged('[tag="DET"]? [tag="ADJ"]* [tag="NOUN"]+', peer.noun_phrases())


def _of_lists() -> Iterator[Question]:
    for lemma in ("time", "be"):
        yield listed(
            f"collocations of {lemma}", _collocations(lemma), peer.collocations(f"lemma = '{lemma}'", 5, _ROWS), 500
        )
    yield listed("word list of lemmas", _word_list, peer.word_list(_LONG_LIST))
    yield listed("bigrams of words", _bigrams, peer.bigrams(_LONG_LIST))
    yield listed("keywords of years", _keywords, peer.keywords(_YEAR, _ROWS))
    right = peer.sorted_right("lemma = 'be'")
    yield Question(
        '[lemma="be"] by right context, page',
        lambda index: first_page(Concordance.of(index, '[lemma="be"]').sort("right/case", "codepoints")),
        [lambda database: peer_page(peer.sorted_page(database, right, "word1, word2, word3, start"))],
    )
    yield Question(
        "the same, ignoring case", lambda index: first_page(Concordance.of(index, '[lemma="be"]').sort("right"))
    )
    yield listed('[lemma="be"] by host', _by_host, peer.by_host("lemma = 'be'", _ROWS))


def _of_structures() -> Iterator[Question]:
    yield paged("<s> []{1,3} </s>", structures.edge_to_edge("sentence", 3))
    yield paged("<s> []{1,3} </s> within <s/>", structures.short("sentence", 3))
    yield paged("<p> []{1,5} </p>", structures.edge_to_edge("paragraph", 5))
    yield paged("<s>[]*</s>", structures.edge_to_edge("sentence", structures.UNBOUNDED))
    yield paged(f'<doc year="{_YEAR}"> []{{1,20}}', structures.beginnings_of_documents(f"year = '{_YEAR}'", 20))
    for lemma in ("mill", "water"):
        yield paged(f'<s/> containing [lemma="{lemma}"]', structures.containing("sentence", f"lemma = '{lemma}'"))


def _collocations(lemma: str) -> Callable[[Index], list[tuple[Any, ...]]]:
    def ask(index: Index) -> list[tuple[Any, ...]]:
        found = collocations(index, find(index, f'[lemma="{lemma}"]'), "lemma", limit=_ROWS)
        return [(row.value, row.together, row.frequency) for row in found.rows]

    return ask


def _word_list(index: Index) -> list[tuple[Any, ...]]:
    return [(row.value, row.frequency) for row in word_list(index, "lemma", limit=_LONG_LIST).rows]


def _bigrams(index: Index) -> list[tuple[Any, ...]]:
    return [(row.value, row.frequency) for row in ngrams(index, 2, "word", limit=_LONG_LIST).rows]


def _keywords(index: Index) -> list[tuple[Any, ...]]:
    found = keywords(index, attribute="lemma", subcorpus=Subcorpus(index, f"year >= {_YEAR}"), limit=_ROWS)
    return [(row.value, row.frequency, row.reference_frequency) for row in found.rows]


def _by_host(index: Index) -> list[tuple[Any, ...]]:
    found = Concordance.of(index, '[lemma="be"]').frequency("host", _ROWS)
    return [(*row.values, row.count) for row in found.rows]
