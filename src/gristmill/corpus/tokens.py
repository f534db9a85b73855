"""SelectedDocument documents with their tokens: those that are stored, and for other blocks those that the same code finds on the fly."""

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
from gristmill.corpus.reader import CorpusReader
from gristmill.corpus.selecting import SelectedDocument
from gristmill.corpus.selection import Selection
from gristmill.shards import TOKENS, read_batches

_CHARACTERS = 500_000  # of text that is annotated together
_ROWS = 256


def select_with_tokens(
    corpus: CorpusReader, selection: Selection | None = None, choices: Sequence[str] | None = None
) -> Iterator[SelectedDocument]:
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
        selected = corpus.select(selection, shard)
        shards.append(_completed(_with_stored(shard, selected) if usable else selected, corpus, wanted))
    return chain.from_iterable(shards)


def _with_stored(shard: Path, selected: Iterable[SelectedDocument]) -> Iterator[SelectedDocument]:
    """The same with the tokens that are stored; a block without any has none."""
    batches = enumerate(read_batches(shard / TOKENS, rows=_ROWS))
    for number, group in groupby(selected, lambda chosen: chosen.row // _ROWS):
        batch = next(batch for place, batch in batches if place == number)
        some = list(group)
        annotated = from_arrow(batch.take(pa.array([chosen.row % _ROWS for chosen in some])))
        for chosen, document in zip(some, annotated, strict=True):
            chosen.annotations = [document.get(block, _MISSING) for block in chosen.numbers]
            yield chosen


_MISSING = Annotation()


def _completed(
    selected: Iterable[SelectedDocument], corpus: CorpusReader, choices: Sequence[str]
) -> Iterator[SelectedDocument]:
    """The same with tokens for all blocks, of which many are annotated together."""
    waiting: list[SelectedDocument] = []
    characters = 0
    for chosen in selected:
        waiting.append(chosen)
        characters += chosen.document.length
        if characters >= _CHARACTERS:
            yield from _complete(waiting, corpus, choices)
            waiting, characters = [], 0
    yield from _complete(waiting, corpus, choices)


def _complete(selected: list[SelectedDocument], corpus: CorpusReader, choices: Sequence[str]) -> list[SelectedDocument]:
    for chosen in selected:
        chosen.annotations = chosen.annotations or [_MISSING] * len(chosen.numbers)
    places = [
        (chosen, at)
        for chosen in selected
        for at, annotation in enumerate(chosen.annotations)
        if annotation is _MISSING
    ]
    blocks = [(chosen.document.blocks[at], chosen.document.lang) for chosen, at in places]
    texts = [(block.text, language_of(block.text, block.lang, lang)) for block, lang in blocks]
    if texts:
        corpus.check_taggers(choices)
    for (chosen, at), annotation in zip(places, annotate(texts, choices), strict=True):
        chosen.annotations[at] = annotation
    return selected
