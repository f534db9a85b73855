"""Generate documents of all kinds from a set of texts."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeVar

from gristmill.evaluation.near_duplicates.desk import Desk, Settings, Source
from gristmill.evaluation.near_duplicates.kinds import KINDS
from gristmill.evaluation.near_duplicates.record import Made

__all__ = ["Settings", "make", "make_by_language"]

T = TypeVar("T")

_MIN_TEXTS = 3  # for a thread, or a page with others beside it


def make(texts: Iterable[Sequence[str]], seed: int = 0, settings: Settings | None = None) -> Iterator[Made]:
    """Generate documents with their truth. A text is a list of its blocks, and goes into documents of one kind only.

    The same texts, seed and settings give the same documents. Texts are read one by one, and no document is kept in
    memory, but the text of each different block is, to recognise it.
    """
    desk = Desk(settings or Settings(), seed)
    return _mixed(
        _made(desk, (source for source in map(desk.source, texts) if source.long)), desk.settings.window, desk.rng
    )


def make_by_language(
    texts: Mapping[str, Iterable[Sequence[str]]], seed: int = 0, settings: Settings | None = None
) -> Iterator[Made]:
    """Generate documents as `make` does from texts of known languages: each language has documents of all kinds."""
    desk = Desk(settings or Settings(), seed)
    sources = ((desk.source(text, lang) for text in found) for lang, found in texts.items())
    made = (_made(desk, (source for source in of_lang if source.long)) for of_lang in sources)
    return _mixed(itertools.chain.from_iterable(made), desk.settings.window, desk.rng)


def _made(desk: Desk, sources: Iterable[Source]) -> Iterator[Made]:
    """Distribute the sources among the kinds; what is left over at the end and too little for its kind is unique."""
    waiting: dict[str, list[Source]] = {kind: [] for kind in desk.settings.weights}
    for kind, source in zip(_deal(desk.settings.weights, desk.rng), sources, strict=False):
        waiting[kind].append(source)
        if len(waiting[kind]) == KINDS[kind].takes:
            yield from KINDS[kind].make(desk, waiting[kind])
            waiting[kind] = []
    for kind, group in waiting.items():
        yield from KINDS[kind if len(group) >= _MIN_TEXTS else "unique"].make(desk, group)


def _deal(weights: Mapping[str, float], rng: random.Random) -> Iterator[str]:
    """Choose kinds without end, always the one that is most behind its share; at the start that is random."""
    total = sum(weights.values())
    behind = {kind: rng.random() * bool(weight) for kind, weight in weights.items()}
    while True:
        for kind, weight in weights.items():
            behind[kind] += weight / total
        dealt = max(behind, key=behind.__getitem__)
        behind[dealt] -= 1
        yield dealt


def _mixed(items: Iterable[T], window: int, rng: random.Random) -> Iterator[T]:
    """Shuffle items, with at most `window` of them in memory."""
    held: list[T] = []
    for item in items:
        held.append(item)
        if len(held) > window:
            at = rng.randrange(len(held))
            held[at], held[-1] = held[-1], held[at]
            yield held.pop()
    rng.shuffle(held)
    yield from held
