"""Word sketches in queries: the tokens of `ws(...)`, `term(...)`, `~"..."`, `swap(...)` and `ccoll(...)`.

`ws` and `term` select the head of a pair or of a phrase, and give the label 1 to the other token. They are tables: the
position of the selected token, and of the labelled ones, row by row.

    the old mill         tokens 0 1 2
    ws("mill-n", "modifier", ".*")              at 2, label 1 at 1
    swap(1, ws("mill-n", "modifier", ".*"))     at 1, label 1 at 2
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import reduce

import numpy as np

from gristmill.arrays.dtypes import Ids
from gristmill.arrays.ragged import spread
from gristmill.condition import AllOf, AnyOf, Condition
from gristmill.condition.values import regex_problem
from gristmill.errors import UsageError
from gristmill.search.cql.frontier import UNSET
from gristmill.search.cql.selecting import Selector
from gristmill.search.cql.terms import Sketched, Swapped
from gristmill.search.hits import check_size, distinct
from gristmill.search.index.index import Index
from gristmill.search.sketches.lempos import split_lempos, tags_with
from gristmill.search.sketches.phrases import term_tokens
from gristmill.search.sketches.places import Places
from gristmill.search.sketches.related import related_tokens
from gristmill.search.sketches.store import AUTOMATIC_TOKENS, Sketches, open_sketches
from gristmill.search.sketches.thesaurus import thesaurus
from gristmill.search.sketches.words import Word, find_word

OTHER = 1
"""The label of the collocate of `ws`, and of the other words of `term`."""
_MAX_SIMILAR = 1_000


@dataclass(frozen=True, slots=True)
class _Table:
    """Selected tokens, and labelled ones, row by row; `UNSET` where a row lacks a label. Selected ones ascend."""

    at: Ids
    labels: dict[int, Ids]

    def take(self, rows: Ids) -> _Table:
        return _Table(self.at[rows], {label: places[rows] for label, places in self.labels.items()})

    def label(self, number: int) -> Ids:
        found = self.labels.get(number)
        return np.full(len(self.at), UNSET) if found is None else found

    def sorted(self) -> _Table:
        return self.take(np.argsort(self.at, kind="stable"))


@dataclass
class Sketching:
    """Finds the tokens of conditions on word sketches in an index."""

    index: Index
    select: Callable[[Condition], Selector]
    """Gives the tokens of any condition."""
    step: Callable[[], None] = lambda: None
    """Called now and then; it raises if nobody waits for the answer."""

    def tokens(self, condition: Sketched | Swapped) -> Ids:
        """Positions of the tokens that a condition selects, ascending."""
        if not self.index.size:
            raise condition.place.error(
                "word sketches are of the texts of a whole corpus: an empty one has none, nor has a standing query, "
                "which is asked of new texts alone:"
            )
        if isinstance(condition, Sketched) and condition.function == "~":
            return self._similar(condition)
        return distinct(self._table(condition).at)

    def _table(self, condition: Condition) -> _Table:
        """The tokens that a condition selects, with labels if it has any."""
        match condition:
            case Sketched() if condition.function != "~":
                return self._pairs(condition)
            case Swapped():
                return self._swapped(condition)
            case AllOf() if _has_labels(condition):
                labelled = [self._table(part) for part in condition.parts if _has_labels(part)]
                table = reduce(_both, labelled)
                for part in condition.parts:
                    if not _has_labels(part):
                        table = table.take(np.flatnonzero(self.select(part).at(table.at)))
                return table
            case AnyOf() if _has_labels(condition):
                return _either([self._table(part) for part in condition.parts])
            case _:
                return _Table(self.select(condition).positions().astype(np.int64), {})

    def _pairs(self, condition: Sketched) -> _Table:
        """The tokens of `ws` or `term`."""
        for regex in condition.arguments:
            problem = regex_problem(regex)
            if problem:
                raise condition.place.error(f"{regex!r} is not a regular expression: {problem}:")
        places = Places(self.index, self.step)
        try:
            if condition.function == "term":
                at, others = term_tokens(places, *condition.arguments)
            else:
                head, relation, collocate = condition.arguments
                at, others = related_tokens(places, head, relation, collocate)
        except UsageError as error:
            raise condition.place.error(f"{error}:") from None
        return _Table(at, {OTHER: others})

    def _swapped(self, condition: Swapped) -> _Table:
        """Select the labelled token instead, or give it another label."""
        table = self._table(condition.part)
        if condition.renamed is not None:
            labels = {label: places for label, places in table.labels.items() if label != condition.label}
            renamed = table.labels.get(condition.label)
            return _Table(table.at, labels if renamed is None else {**labels, condition.renamed: renamed})
        if condition.label not in table.labels:
            known = " and ".join(map(str, sorted(table.labels)))
            raise condition.place.error(
                f"there is nothing to swap: no token in it has the label {condition.label}"
                + (f", but {known}" if known else " (ws and term give the label 1)")
                + ":"
            )
        there = table.take(np.flatnonzero(table.labels[condition.label] != UNSET))
        labels = {**there.labels, condition.label: there.at}
        return _Table(there.labels[condition.label], labels).sorted()

    def _similar(self, condition: Sketched) -> Ids:
        """Tokens of words that are used like a word."""
        name, count = condition.arguments
        if count and not 1 <= int(count) <= _MAX_SIMILAR:
            raise condition.place.error(f"words that are used alike are at least 1 and at most {_MAX_SIMILAR:,}:")
        try:
            sketches, word = self._word(name)
        except UsageError as error:
            raise condition.place.error(f"{error}:") from None
        most = int(count) if count else similar_by_default(word.frequency)
        found = thesaurus(sketches, word.lemma, word.tag, limit=most)
        lemmas, tags = self.index.attribute("lemma"), self.index.attribute("tag")
        ids = np.unique(np.array([lemmas.lexicon.find(row.word) for row in found.rows], np.int64))
        positions = lemmas.positions_of(ids).astype(np.int64)
        positions = positions[tags.ids[positions] == tags.lexicon.find(word.tag)]
        return Places(self.index).in_language(positions, sketches.lang)

    def _word(self, name: str) -> tuple[Sketches, Word]:
        """Find a word in the sketches of the first language that has it, the largest first."""
        lemma, letter = split_lempos(name)
        problem: UsageError | None = None
        for lang in Places(self.index).languages():
            sketches = open_sketches(self.index, self.index.folder.parent, lang=lang, max_tokens=AUTOMATIC_TOKENS)
            try:
                return sketches, _found_word(sketches, lemma, letter)
            except UsageError as error:
                problem = problem or error
        raise problem or UsageError(name)


def similar_by_default(frequency: int) -> int:
    """How many words are used alike if nobody says: the logarithm of the frequency, 2 for 100 and 3 for 1,000."""
    return max(1, int(math.log10(max(frequency, 1))))


def _found_word(sketches: Sketches, lemma: str, letter: str) -> Word:
    """Find a lemma, with the tag of a letter that has the most relations."""
    if not letter:
        return find_word(sketches, lemma)
    base = sketches.base
    tags = [tag for tag in tags_with(letter, base.tag_names) if base.find(lemma, tag) >= 0]
    if not tags:
        known = "".join(f", but as {tag}" for tag in list(base.tags_of(lemma))[:1])
        raise UsageError(
            f"the word {lemma}-{letter} stands in no grammatical relation in {base.size:,} tokens "
            f"({sketches.lang}, by {sketches.source}){known}"
        )
    return find_word(sketches, lemma, max(tags, key=lambda tag: int(base.totals[base.find(lemma, tag)])))


def _has_labels(condition: Condition) -> bool:
    """Whether a condition gives labels to tokens."""
    match condition:
        case Swapped():
            return True
        case Sketched():
            return condition.function != "~"
        case AllOf() | AnyOf():
            return any(_has_labels(part) for part in condition.parts)
        case _:
            return False


def _both(one: _Table, other: _Table) -> _Table:
    """Rows of both tables that select the same token; a label that both have is on the same token in both."""
    first = np.searchsorted(other.at, one.at)
    counts = np.searchsorted(other.at, one.at, side="right") - first
    check_size(int(counts.sum()))
    rows, places = spread(first, counts)
    left, right = one.take(rows), other.take(places)
    agree = np.ones(len(rows), np.bool_)
    labels = {}
    for label in {**left.labels, **right.labels}:
        here, there = left.label(label), right.label(label)
        agree &= (here == there) | (here == UNSET) | (there == UNSET)
        labels[label] = np.maximum(here, there)
    return _Table(left.at, labels).take(np.flatnonzero(agree))


def _either(tables: list[_Table]) -> _Table:
    """Rows of all tables."""
    labels = sorted({label for table in tables for label in table.labels})
    merged = {label: np.concatenate([table.label(label) for table in tables]) for label in labels}
    return _Table(np.concatenate([table.at for table in tables]), merged).sorted()
