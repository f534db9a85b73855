"""Documents of all kinds, from a set of texts."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeVar

from gristmill.evaluation.near_duplicates import chains, listings, templates, variants  # noqa: F401 (they register themselves)
from gristmill.evaluation.near_duplicates.desk import Desk, Settings, Source
from gristmill.evaluation.near_duplicates.kinds import KINDS
from gristmill.evaluation.near_duplicates.record import Made

__all__ = ["Settings", "make", "make_by_language"]

T = TypeVar("T")

_LEAST = 3  # texts that make a thread, or a page with others beside it


def make(texts: Iterable[Sequence[str]], seed: int = 0, settings: Settings | None = None) -> Iterator[Made]:
    """Documents with their truth. A text is a list of its blocks; each goes into documents of one kind only.

    The same texts, seed and settings give the same documents. Texts are taken one by one, and no document is kept; what
    is kept of each different block is its text, to know it again.
    """
    desk = Desk(settings or Settings(), seed)
    return _mixed(
        _made(desk, (source for source in map(desk.source, texts) if source.long)), desk.settings.window, desk.rng
    )


def make_by_language(
    texts: Mapping[str, Iterable[Sequence[str]]], seed: int = 0, settings: Settings | None = None
) -> Iterator[Made]:
    """The same of texts whose languages are known: no document has texts of two languages, and each language has all kinds."""
    desk = Desk(settings or Settings(), seed)
    sources = ((desk.source(text, lang) for text in found) for lang, found in texts.items())
    made = (_made(desk, (source for source in of_lang if source.long)) for of_lang in sources)
    return _mixed(itertools.chain.from_iterable(made), desk.settings.window, desk.rng)


def _made(desk: Desk, sources: Iterable[Source]) -> Iterator[Made]:
    """Deal the sources out to the kinds; what is left over at the end and is too little for its kind is unique."""
    waiting: dict[str, list[Source]] = {kind: [] for kind in desk.settings.weights}
    for kind, source in zip(_deal(desk.settings.weights, desk.rng), sources, strict=False):
        waiting[kind].append(source)
        if len(waiting[kind]) == KINDS[kind].takes:
            yield from KINDS[kind].make(desk, waiting[kind])
            waiting[kind] = []
    for kind, group in waiting.items():
        yield from KINDS[kind if len(group) >= _LEAST else "unique"].make(desk, group)


def _deal(weights: Mapping[str, float], rng: random.Random) -> Iterator[str]:
    """Kinds without end, always the one that lags most behind its share; chance decides how far each is behind at the beginning."""
    total = sum(weights.values())
    behind = {kind: rng.random() * bool(weight) for kind, weight in weights.items()}
    while True:
        for kind, weight in weights.items():
            behind[kind] += weight / total
        dealt = max(behind, key=behind.__getitem__)
        behind[dealt] -= 1
        yield dealt


def _mixed(items: Iterable[T], window: int, rng: random.Random) -> Iterator[T]:
    """Items in an order of chance, of which no more than `window` are in memory."""
    held: list[T] = []
    for item in items:
        held.append(item)
        if len(held) > window:
            at = rng.randrange(len(held))
            held[at], held[-1] = held[-1], held[at]
            yield held.pop()
    rng.shuffle(held)
    yield from held
