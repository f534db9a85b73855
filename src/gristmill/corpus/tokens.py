"""Cut documents with their tokens: those that are stored, and for other blocks those that the same code finds on the fly."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, groupby
from pathlib import Path

import pyarrow as pa

from gristmill.annotation.annotation import Annotation
from gristmill.annotation.blocks import annotate, language_of
from gristmill.annotation.table import from_arrow
from gristmill.annotation.tagger import named_by
from gristmill.consent import allow
from gristmill.corpus.annotated import stored_choices
from gristmill.corpus.corpus import Corpus, Selection
from gristmill.corpus.cut import Cut
from gristmill.shards import TOKENS, read_batches

_CHARACTERS = 500_000  # of text that is annotated together
_ROWS = 256


def cuts_with_tokens(
    corpus: Corpus, selection: Selection | None = None, choices: Sequence[str] | None = None
) -> Iterator[Cut]:
    """What a selection keeps, with the tokens of all blocks.

    Without `choices` of taggers they are as the corpus was annotated, or would be; with some they are as chosen, and
    made anew where it was annotated otherwise.
    """
    if choices is not None:
        allow(named_by(choices))
    shards = []
    for shard in corpus.shards:
        there = stored_choices(shard)
        usable = there is not None and (choices is None or list(choices) == there)
        wanted = next(taggers for taggers in (choices, there, corpus.config.annotate.taggers) if taggers is not None)
        if not usable:
            corpus.check_taggers(wanted)
        cuts = corpus.cuts(selection, shard)
        shards.append(_completed(_with_stored(shard, cuts) if usable else cuts, corpus, wanted))
    return chain.from_iterable(shards)


def _with_stored(shard: Path, cuts: Iterable[Cut]) -> Iterator[Cut]:
    """The same with the tokens that are stored; a block without any has none."""
    batches = enumerate(read_batches(shard / TOKENS, rows=_ROWS))
    for number, group in groupby(cuts, lambda cut: cut.row // _ROWS):
        batch = next(batch for place, batch in batches if place == number)
        some = list(group)
        annotated = from_arrow(batch.take(pa.array([cut.row % _ROWS for cut in some])))
        for cut, document in zip(some, annotated, strict=True):
            cut.annotations = [document.get(block, _MISSING) for block in cut.numbers]
            yield cut


_MISSING = Annotation()


def _completed(cuts: Iterable[Cut], corpus: Corpus, choices: Sequence[str]) -> Iterator[Cut]:
    """The same with tokens for all blocks, of which many are annotated together."""
    waiting: list[Cut] = []
    characters = 0
    for cut in cuts:
        waiting.append(cut)
        characters += cut.document.length
        if characters >= _CHARACTERS:
            yield from _complete(waiting, corpus, choices)
            waiting, characters = [], 0
    yield from _complete(waiting, corpus, choices)


def _complete(cuts: list[Cut], corpus: Corpus, choices: Sequence[str]) -> list[Cut]:
    for cut in cuts:
        cut.annotations = cut.annotations or [_MISSING] * len(cut.numbers)
    places = [(cut, at) for cut in cuts for at, annotation in enumerate(cut.annotations) if annotation is _MISSING]
    blocks = [(cut.document.blocks[at], cut.document.lang) for cut, at in places]
    texts = [(block.text, language_of(block.text, block.lang, lang)) for block, lang in blocks]
    if texts:
        corpus.check_taggers(choices)
    for (cut, at), annotation in zip(places, annotate(texts, choices), strict=True):
        cut.annotations[at] = annotation
    return cuts
