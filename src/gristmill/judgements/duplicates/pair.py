"""Two documents side by side: their text as cleaning kept it, with what differs marked."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from gristmill.corpus.differences import MAX_WORDS, Comparison, compare
from gristmill.corpus.lookup import read_by_id
from gristmill.corpus.reader import CorpusReader
from gristmill.document import Block
from gristmill.errors import UsageError
from gristmill.judgements.duplicates.store import Pair
from gristmill.shards import DOCUMENTS

_ABOUT = ("url", "title", "lang", "date", "words")
_BLOCKS = ("max_boilerplate", "roles", *(f"blocks.{name}" for name in ("text", "score", "dropped", "role")))
_BLANK = Block("", "p", "", 0, 0, 0, 0, 0, 0)
_MAX_TEXT_CHARACTERS = 1_000_000
_BREAK = "\ue000"
"""Stands between blocks while texts are compared, as a word of its own: a comparison knows no lines."""


@dataclass(frozen=True, slots=True)
class About:
    """What is known of a document as a whole."""

    id: str
    url: str
    title: str
    lang: str
    date: str
    words: int


@dataclass(frozen=True, slots=True)
class ComparedPair:
    """Two documents and what differs in their texts."""

    first: About
    second: About
    comparison: Comparison
    """The first document is here, the second there."""
    common: float
    """The share of the words that are shown that are in both."""


def describe(corpus: CorpusReader, ids: Iterable[str]) -> dict[str, About]:
    """Look up what is known of some documents."""
    found = read_by_id(corpus, DOCUMENTS, ids, _ABOUT)
    return {identifier: About(identifier, **{name: row[name] for name in _ABOUT}) for identifier, row in found}


def texts_of(corpus: CorpusReader, ids: Iterable[str]) -> dict[str, str]:
    """Read the text of some documents, a block a line, as cleaning kept it."""
    return {identifier: _text(row) for identifier, row in read_by_id(corpus, DOCUMENTS, ids, _BLOCKS)}


def _text(row: dict[str, Any]) -> str:
    blocks = (replace(_BLANK, **block) for block in row["blocks"] or [])
    texts = [block.text for block in blocks if block.is_kept(row["max_boilerplate"], row["roles"])]
    return "\n".join(texts)[:_MAX_TEXT_CHARACTERS]


def compare_documents(corpus: CorpusReader, pair: Pair, max_words: int = MAX_WORDS) -> ComparedPair:
    """Compare the texts of two documents, at most so many words of each."""
    about, texts = describe(corpus, pair), texts_of(corpus, pair)
    for identifier in pair:
        if identifier not in about:
            raise UsageError(f"there is no document {identifier}")
    here, there = (texts[identifier].replace(_BREAK, " ").replace("\n", f" {_BREAK} ") for identifier in pair)
    comparison = _with_lines(compare(here, there, max_words))
    lengths = {side: sum(len(p.text.split()) for p in comparison.pieces if p.side == side) for side in _SIDES}
    shown = 2 * lengths["both"] + lengths["here"] + lengths["there"]
    return ComparedPair(about[pair[0]], about[pair[1]], comparison, 2 * lengths["both"] / shown if shown else 0.0)


def _with_lines(comparison: Comparison) -> Comparison:
    """Put lines where blocks end."""
    pieces = [replace(piece, text=piece.text.replace(_BREAK, "\n")) for piece in comparison.pieces]
    return replace(comparison, pieces=pieces)


_SIDES = ("both", "here", "there")
