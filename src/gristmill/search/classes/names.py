"""Names of a corpus: proper nouns in a row, as a whole; and names as users write them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gristmill.arrays.dtypes import Ids
from gristmill.corpus.attributes import lower_cased
from gristmill.errors import UsageError
from gristmill.search.classes.pattern import Name
from gristmill.search.index.index import Index
from gristmill.search.sketches.extract import extracts
from gristmill.search.subcorpus import Subcorpus

MAX_WORDS = 6
"""Words of a name; longer rows of proper nouns are headings, mostly."""


def name_of(text: str, lang: str, titles: Sequence[str] = (), *, last: bool = False) -> Name:
    """Divide a name as the texts in a language are; with `last`, its last word alone stands for it, too."""
    from gristmill.annotation.tokeniser import tokenise  # noqa: PLC0415 (names of a corpus are divided already)

    words = tuple(tokenise(text.strip(), lang).words)
    if not words or len(words) > 2 * MAX_WORDS:
        raise UsageError(f"which name? Write one of at most {2 * MAX_WORDS} words, such as 'Al Franken'")
    return _name(words, titles, last=last)


def _name(words: tuple[str, ...], titles: Sequence[str], *, last: bool) -> Name:
    forms = (words, words[-1:]) if last and len(words) > 1 else (words,)
    return Name(" ".join(words), forms, tuple(lower_cased(title) for title in titles))


@dataclass(frozen=True, slots=True)
class Named:
    """A name of a corpus, and how often it occurs."""

    name: Name
    count: int


def frequent_names(
    index: Index, part: Subcorpus, titles: Sequence[str] = (), *, min_count: int = 5, last: bool = False
) -> list[Named]:
    """List the names of some documents, the most frequent first: rows of proper nouns, without titles before them."""
    words = index.attribute("word")
    proper = index.attribute("tag").lexicon.find("PROPN")
    if proper < 0:
        return []
    left_out = {lower_cased(title) for title in titles}
    rows: Counter[tuple[int, ...]] = Counter()
    for extract in extracts(index, part.numbers):
        tags = extract.attributes["tag"].ids
        starts, ends = _rows(tags == proper, extract.structure("s").bounds.astype(np.int64))
        ids = extract.attributes["word"].ids
        for start, end in zip(starts.tolist(), ends.tolist(), strict=True):
            rows[tuple(ids[start:end].tolist())] += 1
    counted: Counter[tuple[str, ...]] = Counter()
    known = {number: text for number, text in _texts(words.lexicon, rows)}
    for row, count in rows.items():
        texts = [known[number] for number in row]
        while len(texts) > 1 and lower_cased(texts[0]) in left_out:
            texts.pop(0)
        if 0 < len(texts) <= MAX_WORDS and lower_cased(texts[0]) not in left_out and any(map(str.isalpha, texts[0])):
            counted[tuple(texts)] += count
    frequent = [(texts, count) for texts, count in counted.items() if count >= min_count]
    frequent.sort(key=lambda item: (-item[1], item[0]))
    return [Named(_name(texts, titles, last=last), count) for texts, count in frequent]


def _texts(lexicon: object, rows: Counter[tuple[int, ...]]) -> zip[tuple[int, str]]:
    numbers = sorted({number for row in rows for number in row})
    return zip(numbers, lexicon.strings(np.array(numbers, np.int64)), strict=True)  # type: ignore[attr-defined]


def _rows(proper: np.ndarray[tuple[int], np.dtype[np.bool_]], bounds: Ids) -> tuple[Ids, Ids]:
    """Where rows of proper nouns begin and end; a row ends with its sentence."""
    before = np.concatenate([[False], proper[:-1]])
    after = np.concatenate([proper[1:], [False]])
    first, last = np.zeros(len(proper) + 1, np.bool_), np.zeros(len(proper) + 1, np.bool_)
    first[bounds] = True
    last[bounds] = True
    starts = np.flatnonzero(proper & (~before | first[:-1]))
    ends = np.flatnonzero(proper & (~after | last[1:])) + 1
    return starts, ends
