"""Selected documents with their tokens, for exports in formats of tokens.

Tokens that are stored are read. Blocks without any are annotated on the way, by the code that the pipeline uses.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, groupby

import pyarrow as pa

from gristmill.annotation.annotation import Annotation
from gristmill.annotation.blocks import annotate, language_of
from gristmill.annotation.parsing.choice import choices_of, with_parsers_of
from gristmill.annotation.table import from_arrow
from gristmill.annotation.tagger import named_by
from gristmill.consent import allow
from gristmill.corpus.annotated import stored_choices
from gristmill.corpus.reader import CorpusReader
from gristmill.corpus.selecting import SelectedDocument
from gristmill.corpus.selection import Selection
from gristmill.shards import Shard, read_batches

_BATCH_CHARACTERS = 500_000
"""Text that is annotated together."""
_BATCH_ROWS = 256
"""Rows of `tokens.parquet` that are read together."""
_MISSING = Annotation()
"""Stands for the tokens of a block that are not stored."""


def select_with_tokens(
    corpus: CorpusReader, selection: Selection | None = None, choices: Sequence[str] | None = None
) -> Iterator[SelectedDocument]:
    """Yield the documents that a selection keeps, with the tokens of all their blocks.

    Without `choices` of taggers, tokens are as the corpus was annotated, or would be. With some, they are as chosen,
    and made anew where the corpus was annotated otherwise; parsers are those of the corpus.
    """
    if choices is not None:
        allow(named_by(choices))
    shards = [select_shard_with_tokens(corpus, shard, selection, choices) for shard in corpus.shards]
    return chain.from_iterable(shards)


def select_shard_with_tokens(
    corpus: CorpusReader, shard: Shard, selection: Selection | None = None, choices: Sequence[str] | None = None
) -> Iterator[SelectedDocument]:
    """Yield the documents of one shard that a selection keeps, with the tokens of all their blocks."""
    there, ours = stored_choices(shard), choices_of(corpus.config.annotate)
    choices = None if choices is None else with_parsers_of(choices, ours)
    usable = there is not None and (choices is None or list(choices) == there)
    wanted = next(taggers for taggers in (choices, there, ours) if taggers is not None)
    if not usable:
        corpus.check_taggers(wanted)
    selected = corpus.select(selection, shard)
    return _completed(_with_stored(shard, selected) if usable else selected, corpus, wanted)


def _with_stored(shard: Shard, selected: Iterable[SelectedDocument]) -> Iterator[SelectedDocument]:
    """Give documents of a shard the tokens that are stored for their blocks, or `_MISSING`.

    The document in row 600 is in batch 600 // 256 = 2, where it stands in row 600 % 256 = 88.
    """
    batches = enumerate(read_batches(shard.tokens, rows=_BATCH_ROWS))
    for number, group in groupby(selected, lambda chosen: chosen.row // _BATCH_ROWS):
        batch = next(batch for place, batch in batches if place == number)
        some = list(group)
        annotated = from_arrow(batch.take(pa.array([chosen.row % _BATCH_ROWS for chosen in some])))
        for chosen, document in zip(some, annotated, strict=True):
            chosen.annotations = [document.get(block, _MISSING) for block in chosen.numbers]
            yield chosen


def _completed(
    selected: Iterable[SelectedDocument], corpus: CorpusReader, choices: Sequence[str]
) -> Iterator[SelectedDocument]:
    """Give documents the tokens that they lack; many blocks are annotated together."""
    waiting: list[SelectedDocument] = []
    characters = 0
    for chosen in selected:
        waiting.append(chosen)
        characters += chosen.document.length
        if characters >= _BATCH_CHARACTERS:
            yield from _complete(waiting, corpus, choices)
            waiting, characters = [], 0
    yield from _complete(waiting, corpus, choices)


def _complete(selected: list[SelectedDocument], corpus: CorpusReader, choices: Sequence[str]) -> list[SelectedDocument]:
    """Annotate the blocks of some documents that have no tokens, all at once."""
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
