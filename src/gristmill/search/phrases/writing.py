"""What a way to match a tree is like as a phrase: its categories, and its words with those of the query put in."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

from gristmill.arrays.ragged import concatenated_ranges
from gristmill.search.index.index import Index
from gristmill.search.phrases.fitting import Fitting
from gristmill.search.phrases.ways import NON_CONTENT, Ways

ANY: str | None = None
"""What stands for any word."""
Pattern = tuple[str | None, ...]
"""The words of a phrase; None for any word."""


@dataclass(frozen=True, slots=True)
class Form:
    """A form of sentences: the categories of its words, and the words of the query in it; None at other places."""

    tags: tuple[str, ...]
    given: Pattern

    @property
    def non_content(self) -> int:
        """How many of its words are non-content words."""
        return sum(tag in NON_CONTENT for tag in self.tags)


@dataclass(frozen=True, slots=True)
class _Sentence:
    """The part of a sentence that matches: its tags and words, and whether these are glued to the one before."""

    start: int
    tags: tuple[str, ...]
    words: tuple[str, ...]
    glued: tuple[bool, ...]


def _sentences(index: Index, ways: Ways) -> Iterator[_Sentence]:
    positions = concatenated_ranges(ways.starts, ways.ends - ways.starts)
    columns = [(own.lexicon.strings(own.ids[positions])) for own in map(index.attribute, ("tag", "lc"))]
    glued = index.is_glued(positions).tolist()
    first = 0
    for start, end in zip(ways.starts.tolist(), ways.ends.tolist(), strict=True):
        here = slice(first, first + end - start)
        yield _Sentence(start, tuple(columns[0][here]), tuple(columns[1][here]), tuple(glued[here]))
        first = here.stop


def written(index: Index, ways: Ways, fitting: Fitting, lang: str) -> Iterator[tuple[Form, Pattern]]:
    """Write each way with the words of the query: its form, and its words."""
    places = ways.graph.places
    given = [number for number, place in enumerate(places) if place.words]
    asked = [number for number, place in enumerate(places) if place.is_asked and not place.words]
    keys = {number: fitting.keys(ways.places[number]) for number in given}
    for row, sentence in enumerate(_sentences(index, ways)):
        at = {number: int(ways.places[number][row]) - sentence.start for number in (*given, *asked)}
        pairs = zip(sentence.words, sentence.tags, strict=True)
        pattern = [word if tag in NON_CONTENT else ANY for word, tag in pairs]
        for number in asked:
            pattern[at[number]] = ANY
        for chosen in product(*(places[number].words for number in given)):
            words, fixed = list(pattern), [ANY] * len(pattern)
            for number, word in zip(given, chosen, strict=True):
                form = fitting.form(word, *keys[number][row]) if places[number].is_lemma else word
                words[at[number]] = fixed[at[number]] = form
            _fit_articles(words, sorted(at[number] for number in given), lang)
            yield Form(sentence.tags, tuple(fixed)), _unglued(words, sentence.glued)


def _fit_articles(words: list[str | None], given: Sequence[int], lang: str) -> None:
    """Write `a` or `an` before the words of the query as these begin: it stood before others."""
    for at in given:
        if lang == "en" and at and words[at - 1] in {"a", "an"}:
            words[at - 1] = "an" if (words[at] or "")[:1].lower() in {*"aeiou"} else "a"


def _unglued(words: Sequence[str | None], glued: Sequence[bool]) -> Pattern:
    """Join what is written without a space: `do` and `n't`; what is glued to any word is part of that."""
    found: list[str | None] = []
    for word, is_glued in zip(words, glued, strict=True):
        if not is_glued or not found:
            found.append(word)
        elif (last := found[-1]) is not None:
            found[-1] = last + word if word is not None else ANY
    return tuple(found)
