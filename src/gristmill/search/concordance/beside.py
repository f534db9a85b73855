"""The other language beside the lines of a concordance: the sentences that each hit is aligned with."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice

import numpy as np

from gristmill.arrays.dtypes import Ids, Mask
from gristmill.arrays.ragged import concatenated_ranges
from gristmill.search.aligned import Alignment, open_alignment
from gristmill.search.concordance.lines import AlignedText, Line, gaps_before
from gristmill.search.concordance.occurrences import Occurrences
from gristmill.search.hits import Hits
from gristmill.search.index.index import Index
from gristmill.search.subcorpus import Subcorpus

_LINES_AT_ONCE = 500
"""Lines whose aligned sentences are looked up together."""
_MAX_TOKENS = 2_000
"""Tokens that are shown of what a hit is aligned with: a hit can be a whole document."""


@dataclass(frozen=True, eq=False)
class Beside:
    """The language that is shown beside the hits, and what was asked of it."""

    alignment: Alignment
    lang: str
    marked: Hits | None = None
    """Hits in that language, which are marked in what is shown."""

    @classmethod
    def of(cls, index: Index, lang: str) -> Beside:
        """Show a language of a parallel corpus; raises if the corpus is none, or is not in it."""
        alignment = open_alignment(index)
        alignment.side_of(lang)
        return cls(alignment, lang)

    @property
    def searched(self) -> str:
        """The language that is searched: the other one."""
        return self.alignment.languages[1 - self.alignment.side_of(self.lang)]

    def restricted(self, index: Index, part: Subcorpus | None) -> Subcorpus:
        """Make a subcorpus of the documents in the language that is searched; of those of a subcorpus, if given."""
        own = self.alignment.documents(1 - self.alignment.side_of(self.lang))
        condition = f'lang="{self.searched}"'
        if part is None:
            return Subcorpus(index, condition, chosen=own)
        return Subcorpus(index, f"{condition} & ({part.condition})", chosen=own & part.chosen)

    def restricted_other(self, index: Index) -> Subcorpus:
        """Make a subcorpus of the documents in the language that is shown beside the hits."""
        own = self.alignment.documents(self.alignment.side_of(self.lang))
        return Subcorpus(index, f'lang="{self.lang}"', chosen=own)

    def have(self, hits: Hits, others: Hits) -> Mask:
        """Tell which hits have one of the others in what they are aligned with."""
        return self.alignment.have(hits, others)

    def marking(self, hits: Hits) -> Beside:
        """Return the same, with these hits marked, too."""
        return replace(self, marked=hits if self.marked is None else Hits.union([self.marked, hits]))


def with_aligned(lines: Iterator[Line], spans: Occurrences, beside: Beside) -> Iterator[Line]:
    """Give lines what they are aligned with; the spans are those of the lines, in the same order."""
    start = 0
    while some := list(islice(lines, _LINES_AT_ONCE)):
        own = spans.take(slice(start, start + len(some)))
        for line, aligned in zip(some, _aligned(own, beside), strict=True):
            yield replace(line, aligned=aligned)
        start += len(some)


def _aligned(spans: Occurrences, beside: Beside) -> Iterator[AlignedText]:
    """Look up the texts that some spans are aligned with: of all of them together."""
    index, alignment = spans.index, beside.alignment
    first, last = alignment.token_ranges(spans.hits)
    last = np.minimum(last, first + _MAX_TOKENS)
    places = concatenated_ranges(first, last - first)
    words = index.attributes["word"].lexicon.strings(index.attributes["word"].ids[places])
    gaps = gaps_before(index, places)
    documents = index.structures["doc"].number_at(first)
    scores = alignment.scores[index.structures["s"].number_at(spans.starts)]
    ids, urls = (_values(index, name, documents) for name in ("id", "url"))
    end = 0
    for number, (low, high) in enumerate(zip(first.tolist(), last.tolist(), strict=True)):
        start, end = end, end + high - low
        if start == end:
            yield AlignedText("", beside.lang)
            continue
        pieces = [words[start], *map(str.__add__, gaps[start + 1 : end], words[start + 1 : end])]
        marks = _marks(beside.marked, low, high, pieces, words[start:end])
        score = round(float(scores[number]), 4)
        yield AlignedText("".join(pieces), beside.lang, ids[number], urls[number], score, marks)


def _values(index: Index, name: str, documents: Ids) -> list[str]:
    attribute = index.structures["doc"].attributes.get(name)
    return attribute.values(documents) if attribute else [""] * len(documents)


def _marks(
    marked: Hits | None, low: int, high: int, pieces: list[str], words: list[str]
) -> tuple[tuple[int, int], ...]:
    """Find where marked hits are in a text from the token `low` to before `high`, in characters.

    Hits that overlap are one mark.
    """
    if marked is None:
        return ()
    ends = np.cumsum([len(piece) for piece in pieces])
    begin, stop = np.searchsorted(marked.starts, [low, high]).tolist()
    found: list[tuple[int, int]] = []
    for start, end in zip(marked.starts[begin:stop].tolist(), marked.ends[begin:stop].tolist(), strict=True):
        if end <= high:
            mark = int(ends[start - low]) - len(words[start - low]), int(ends[end - 1 - low])
            if found and mark[0] < found[-1][1]:
                mark = found[-1][0], max(found.pop()[1], mark[1])
            found.append(mark)
    return tuple(found)
