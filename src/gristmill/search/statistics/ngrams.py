"""N-grams: sequences of values in a row, by their frequency.

Counts are exact and memory is bounded: n-grams are counted in rounds, each for those that begin with some of the
values, as many as have about 4 million occurrences. In a round they grow token by token, and what is too rare already
is dropped on the way, since no longer n-gram can be more frequent than its beginning. A round takes up to 80 bytes an
occurrence, 340 MB, or more if one value alone has more than 4 million; besides there is a byte for each token.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from gristmill.arrays.dtypes import Ids, Mask
from gristmill.arrays.ragged import chunks, concatenated_ranges
from gristmill.engine import Report, silent
from gristmill.errors import UsageError
from gristmill.search.index.index import Index
from gristmill.search.index.lexicon import Lexicon
from gristmill.search.index.structure import Structure
from gristmill.search.statistics.choice import BLOCK_TOKENS, Choice
from gristmill.search.statistics.counted import counted
from gristmill.search.statistics.measures import per_million
from gristmill.search.statistics.pairs import can_count, frequent_pairs
from gristmill.search.statistics.ranking import best
from gristmill.search.statistics.tally import distinct
from gristmill.search.statistics.top_pairs import top_pairs
from gristmill.search.statistics.values import Values
from gristmill.search.statistics.wordlist import WordList, WordListRow
from gristmill.search.subcorpus import Subcorpus

MAX_N = 6
"""Longest n-grams that are counted, in tokens."""
MIN_N = 2
"""Shortest n-grams that are counted, in tokens."""
_ROUND_OCCURRENCES = 1 << 22
"""Occurrences of first tokens that are counted in one round."""
_MAX_VALUES = 1 << 31
"""Values that an attribute may have: the rank of a beginning and the key of a token are packed into 64 bits."""


@dataclass(frozen=True, slots=True)
class _Grams:
    """Different n-grams in the order of their keys, a column for each token, and the frequency of each."""

    keys: npt.NDArray[np.int64]
    counts: Ids

    def where(self, places: npt.NDArray[np.int64] | npt.NDArray[np.bool_]) -> _Grams:
        return _Grams(self.keys[places], self.counts[places])


def ngrams(
    index: Index,
    n: int = 2,
    attribute: str = "word",
    *,
    subcorpus: Subcorpus | None = None,
    ignore_case: bool = False,
    matching: str | None = None,
    punctuation: bool = False,
    min_frequency: int = 2,
    within: str = "s",
    limit: int | None = 1000,
    totals: bool = False,
    report: Report = silent,
) -> WordList:
    """Count sequences of `n` values of an attribute, the most frequent first.

    Those of the same frequency are in the order of code points, word by word. None goes beyond the end of the structure
    that is named by `within`. `matching` is a regular expression for the whole n-gram, whose values have a space
    between them. N-grams with punctuation are left out unless they are asked for. The most frequent bigrams are found
    without counting all; how many there are is counted when the list is asked for it, or with them if it surely will be
    (`totals`). `report` is told how many tokens more are done.
    """
    if not MIN_N <= n <= MAX_N:
        raise UsageError(f"n-grams have from {MIN_N} to {MAX_N} tokens, not {n}")
    values = Values(index, attribute, ignore_case=ignore_case)
    choice = Choice(index, subcorpus)
    if values.space >= _MAX_VALUES:
        raise UsageError(f"n-grams are of one attribute, such as word or lemma, not of {attribute!r}")
    structure = index.structure(within)
    if n == 2 and can_count(values):
        count = partial(frequent_pairs, values, choice, structure, punctuation=punctuation, min_frequency=min_frequency)
        if limit and matching is None and not totals:
            top = top_pairs(
                values, choice, structure, punctuation=punctuation, min_frequency=min_frequency, limit=limit
            )
            if top is not None:
                report(choice.size)
                listed = _listed(values, choice, structure, _Grams(top.keys, top.counts), limit, n, 0, 0, 0)
                return listed.counted_later(lambda: count(limit=1, report=silent).totals)
        pairs = count(limit=limit if matching is None else None, report=report)
        found = _Grams(pairs.keys, pairs.counts)
        if matching is None:
            return _listed(values, choice, structure, found, limit, n, *pairs.totals)
        found = _matching(values, found, matching)
        return _listed(
            values,
            choice,
            structure,
            found,
            limit,
            n,
            len(found.counts),
            int(found.counts.sum()),
            pairs.totals.left_out,
        )
    may_begin = _may_begin(choice, structure, n)
    begins = np.count_nonzero(may_begin)
    if not punctuation:
        _leave_out_punctuation(may_begin, values, n)
    types = occurrences = 0
    found = _Grams(np.empty((0, n), np.int64), np.empty(0, np.int64))
    for starts in _rounds(values, choice, may_begin, min_frequency):
        grams = _matching(values, _count(values, starts, n, min_frequency), matching)
        types += len(grams.counts)
        occurrences += int(grams.counts.sum())
        found = _Grams(np.concatenate([found.keys, grams.keys]), np.concatenate([found.counts, grams.counts]))
        report(len(starts))
        found = found.where(
            np.sort(best(found.counts, limit))
        )  # rounds are in the order of keys, and so is what is kept
    left_out = int(begins - np.count_nonzero(may_begin))
    return _listed(values, choice, structure, found, limit, n, types, occurrences, left_out)


def _listed(
    values: Values,
    choice: Choice,
    within: Structure,
    grams: _Grams,
    limit: int | None,
    n: int,
    types: int,
    occurrences: int,
    left_out: int,
) -> WordList:
    """The list of the most frequent n-grams."""
    found = grams.where(best(grams.counts, limit))
    known = choice.knowing(values.names)
    counts = _count_known(values, known, within, found.keys) if known.missing.is_partial else found.counts
    rates = per_million(counts, known.size).tolist()
    texts = _texts(values, found.keys).to_pylist()
    rows = [WordListRow(*row) for row in zip(texts, found.counts.tolist(), rates, strict=True)]
    return WordList(values.name, choice.size, types, occurrences, rows, left_out, n, missing=known.missing)


def _count_known(values: Values, known: Choice, within: Structure, grams: npt.NDArray[np.int64]) -> Ids:
    """Count some n-grams, a row of keys each, among the tokens that have the attribute.

    As in `_count`, beginnings grow token by token; here only those of the given n-grams are followed.
    """
    found, n = np.zeros(len(grams), np.int64), grams.shape[1]
    begins, ends = known.stretches(within.bounds.astype(np.int64))
    for some in chunks(ends - begins, BLOCK_TOKENS):
        lengths = np.maximum(ends[some.start : some.stop] - begins[some.start : some.stop] - n + 1, 0)
        starts = concatenated_ranges(begins[some.start : some.stop], lengths)
        ranks, of_grams = np.zeros(len(starts), np.int64), np.zeros(len(grams), np.int64)
        for place in range(n):
            packed = ranks * values.space + values.keys(starts + place)
            beginnings, of_grams = np.unique(of_grams * values.space + grams[:, place], return_inverse=True)
            ranks = np.minimum(np.searchsorted(beginnings, packed), max(len(beginnings) - 1, 0))
            there = beginnings[ranks] == packed if len(beginnings) else np.zeros(len(packed), np.bool_)
            ranks, starts = ranks[there], starts[there]
        found += np.bincount(ranks, minlength=len(beginnings))[of_grams]
    return found


def _rounds(values: Values, choice: Choice, may_begin: Mask, min_frequency: int) -> Iterator[Ids]:
    """Positions where n-grams begin that may be frequent enough, ascending, a round at a time.

    Those with the same first value are in the same round.
    """
    first = counted(values, choice).filtered(min_frequency=min_frequency)
    done = 0
    while done < len(first.keys):
        last = max(int(np.searchsorted(np.cumsum(first.counts[done:]), _ROUND_OCCURRENCES, side="right")), 1) + done
        parts = [np.empty(0, np.int64)]
        for start, stop, _ in choice.blocks():
            keys = values.keys(slice(start, stop))
            wanted = (keys >= first.keys[done]) & (keys <= first.keys[last - 1]) & may_begin[start:stop]
            parts.append(np.flatnonzero(wanted) + start)
        yield np.concatenate(parts)
        done = last


def _may_begin(choice: Choice, within: Structure, n: int) -> Mask:
    """Whether each token is counted and far enough from the end of its structure; a byte a token."""
    found = np.zeros(choice.index.size, np.bool_)
    for start, stop, mask in choice.blocks():
        found[start:stop] = True if mask is None else mask
    starts, ends = choice.stretches(within.bounds.astype(np.int64))
    for place in range(1, n):
        found[np.maximum(ends - place, starts)] = False
    return found


def _leave_out_punctuation(may_begin: Mask, values: Values, n: int) -> None:
    """Unmark the tokens from which an n-gram would reach a token that is no word."""
    for start in range(0, len(may_begin), BLOCK_TOKENS):
        stop = min(start + BLOCK_TOKENS, len(may_begin))
        marks = start + np.flatnonzero(~values.are_words(values.keys(slice(start, stop))))
        for before in range(n):
            may_begin[np.maximum(marks - before, 0)] = False


def _count(values: Values, starts: Ids, n: int, min_frequency: int) -> _Grams:
    """Count the n-grams that begin at these positions, by sorting beginnings, which grow token by token.

    Each beginning has a rank; packed with the key of the next token it gives the next, longer beginning:

        tokens b a b a c with keys a 0, b 1, c 2, of a space of 3; bigrams begin at [0, 1, 2, 3]
        ranks of first tokens [1, 0, 1, 0], times 3, plus next keys [0, 1, 0, 2]: [3, 1, 3, 2]
        sorted [1, 2, 3, 3]: distinct pairs 1, 2, 3 with counts 1, 1, 2
        Unpacked by 3 they are (0, 1), (0, 2), (1, 0): "a b" once, "a c" once, "b a" twice.
    """
    ranks = values.keys(starts).astype(np.int64)
    grams = np.arange(values.space).reshape(-1, 1)
    for place in range(1, n):
        ranks *= values.space
        ranks += values.keys(starts + place)
        if place < n - 1:
            order = np.argsort(ranks)
            ranks, starts = ranks[order], starts[order]
        else:
            ranks.sort()  # where they stand is not needed any more, and this is faster
        pairs, counts = distinct(ranks)
        kept = counts >= min_frequency
        before, last = np.divmod(pairs[kept], values.space)
        grams = np.column_stack([grams[before], last])
        if place == n - 1:
            break
        starts = starts[np.repeat(kept, counts)]
        ranks = np.repeat(np.arange(len(grams)), counts[kept])
    return _Grams(grams, counts[kept])


def _matching(values: Values, grams: _Grams, matching: str | None) -> _Grams:
    """Keep the n-grams that a regular expression matches as a whole."""
    if matching is None:
        return grams
    texts = _texts(values, grams.keys).dictionary_encode()
    return grams.where(np.isin(texts.indices.to_numpy(), _matches(texts.dictionary, matching, values.ignore_case)))


def _matches(texts: pa.Array, regex: str, ignore_case: bool) -> Ids:
    """Ids of the texts that a regular expression matches; a lexicon knows how, but wants them sorted."""
    order = pc.sort_indices(texts)
    numbers: Ids = order.to_numpy()
    return numbers[Lexicon.of(texts.take(order)).matching(regex, ignore_case)]


def _texts(values: Values, keys: npt.NDArray[np.int64]) -> pa.Array:
    """N-grams as text, with a space between their values."""
    columns = [values.strings(column) for column in keys.T]
    return pc.binary_join_element_wise(*columns, pa.scalar(" ", pa.large_string()))
