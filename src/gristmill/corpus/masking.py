"""Masking of personal data in exports: in text, in tokens, in titles, names of authors and other metadata.

Nothing in the corpus changes.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate

from gristmill.annotation import Annotation
from gristmill.annotation.relations import as_trees, joined
from gristmill.corpus.selecting import SelectedDocument
from gristmill.personal import REPLACEMENTS, Found, find_personal

_MASK_TAG = "SYM"
"""Part of speech of addresses and numbers in Universal Dependencies."""


def masked(
    selected: Iterable[SelectedDocument], kinds: Sequence[str], counts: Counter[str]
) -> Iterator[SelectedDocument]:
    """Replace personal data of some kinds in documents, and count it by kind."""
    for chosen in selected:
        before = counts.total()
        for number, block in enumerate(chosen.document.blocks):
            found = find_personal(block.text, kinds)
            if found:
                counts.update(one.kind for one in found)
                if chosen.annotations:
                    chosen.annotations[number] = mask_tokens(chosen.annotations[number], block.text, found)
                block.text = mask_text(block.text, found)
        document = chosen.document
        for name in ("title", "author", "site_name", "description"):
            setattr(document, name, _masked_text(getattr(document, name), kinds, counts))
        document.headline = _masked_text(document.headline, kinds, Counter())  # in a block or the title, and counted
        document.categories = [_masked_text(text, kinds, counts) for text in document.categories]
        document.keywords = [_masked_text(text, kinds, counts) for text in document.keywords]
        if counts.total() > before:
            chosen.measure()
        yield chosen


def _masked_text(text: str, kinds: Sequence[str], counts: Counter[str]) -> str:
    """Replace personal data in a short text, and count it."""
    found = find_personal(text, kinds)
    counts.update(one.kind for one in found)
    return mask_text(text, found)


def mask_text(text: str, found: Sequence[Found]) -> str:
    """Replace what was found in a text."""
    pieces, end = [], 0
    for one in found:
        pieces += [text[end : one.start], REPLACEMENTS[one.kind]]
        end = one.end
    return "".join([*pieces, text[end:]])


def mask_tokens(annotation: Annotation, text: str, found: Sequence[Found]) -> Annotation:
    """Tokens of a masked text: all tokens that a finding has a part in become one.

    `mail` `to:jo` `@` `mill.example` `!` becomes `mail` `to:<EMAIL>` `!` if `jo@mill.example` was found.
    """
    made = Annotation(tagger=annotation.tagger)
    masked_text, moved = mask_text(text, found), _Moved(found)
    ends_of_sentences = list(accumulate(annotation.sentences))
    lengths = [0] * len(ends_of_sentences)
    groups: list[int] = []
    for first, last, spans in _groups(annotation, found):
        start = annotation.starts[first]
        if spans:
            end = max(annotation.starts[last - 1] + len(annotation.words[last - 1]), spans[-1].end)
            start = min(start, spans[0].start)
            word = masked_text[moved(start) : moved(end)]
            values = [word, word, _MASK_TAG, "", ""]
        else:
            values = [column[first] for column in _columns(annotation)]
        for column, value in zip(_columns(made), values, strict=True):
            column.append(value)
        groups += [len(made.starts)] * (last - first)
        made.starts.append(moved(start))
        lengths[bisect_right(ends_of_sentences, first)] += 1
    made.sentences = [length for length in lengths if length]
    relations = joined(annotation.heads, annotation.deprels, groups)
    made.heads, made.deprels = as_trees(*relations, made.sentences)  # a finding may join sentences
    return made


def _columns(annotation: Annotation) -> tuple[list[str], ...]:
    """The values of tokens."""
    return annotation.words, annotation.lemmas, annotation.tags, annotation.xpos, annotation.feats


class _Moved:
    """Maps places of a text that are not within a finding to places of the masked text.

    "to jo@mill.example now": the finding from 3 to 18 becomes <EMAIL>, which is 7 characters and so 8 shorter
    ends [18], shifts [0, -8]: prefix sums of how much longer the text becomes with each finding
    The place 0 is before the end, and stays 0; the place 19 is after it, and becomes 11.
    """

    def __init__(self, found: Sequence[Found]) -> None:
        self._ends = [one.end for one in found]
        self._shifts = list(
            accumulate((len(REPLACEMENTS[one.kind]) - (one.end - one.start) for one in found), initial=0)
        )

    def __call__(self, place: int) -> int:
        return place + self._shifts[bisect_right(self._ends, place)]


def _groups(annotation: Annotation, found: Sequence[Found]) -> Iterator[tuple[int, int, list[Found]]]:
    """Groups of tokens that become one, and the findings in them: mostly single tokens, without any."""
    first, spans = 0, list[Found]()
    waiting = iter(found)
    span = next(waiting, None)
    for number, (start, word) in enumerate(zip(annotation.starts, annotation.words, strict=True)):
        if number > first and not (spans and spans[-1].end > start):
            yield first, number, spans
            first, spans = number, []
        while span and span.start < start + len(word):
            if span.end > start:
                spans.append(span)
            span = next(waiting, None)
    if annotation.words:
        yield first, len(annotation.words), spans
