"""What the rounds of a bootstrap gave so far, and whether they are over."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from gristmill.bootstrapping.config import StopConfig
from gristmill.bootstrapping.store import ASKED, CHOSEN, DONE, GIVEN_UP, Store

ENDINGS = {
    "rounds": "the rounds are over",
    "words": "the wanted number of words is there",
    "nothing new": "the last round brought nothing new",
}
"""Why a bootstrap ends, in words."""


@dataclass(frozen=True, slots=True)
class RoundFigures:
    """What a round gave."""

    round: int
    """From 1; 0 is what was there before the first query."""
    seeds: int
    """Seed words."""
    queries: int
    asked: int
    """Queries that were answered."""
    results: int
    addresses: int
    """Results whose addresses were fetched; the others are in `left_out`."""
    pages: int
    """Answers of servers that were stored."""
    kept: int
    """Documents that the corpus has more than before."""
    words: int
    """Words of these."""
    left_out: Mapping[str, int]
    """How many results were left out, by reason."""

    def to_json(self) -> dict[str, Any]:
        """Return one record with all fields."""
        return dataclasses.asdict(self)


def figures(store: Store) -> list[RoundFigures]:
    """Add up what each round gave, also one that has not come to its end."""
    found: list[RoundFigures] = []
    documents = words = 0
    for item in store.rounds():
        states, outcomes = store.states(item.number), store.outcomes(item.number)
        is_done = item.stage == DONE
        found.append(
            RoundFigures(
                item.number,
                len(store.words(item.number)),
                states.total(),
                states[ASKED],
                outcomes.total(),
                outcomes[CHOSEN],
                item.pages,
                item.documents - documents if is_done else 0,
                item.words - words if is_done else 0,
                {reason: count for reason, count in sorted(outcomes.items()) if reason not in {CHOSEN, ""}},
            )
        )
        if is_done:
            documents, words = item.documents, item.words
    return found


def ending(store: Store, stop: StopConfig) -> str:
    """Say why no further round is to begin: one of `ENDINGS`; empty if one is."""
    rounds = store.rounds()
    last = rounds[-1]
    if stop.words and last.words >= stop.words:
        return "words"
    most = stop.max_rounds
    if most is not None and last.number >= most:
        return "rounds"
    # Without a last round, pages must also be kept: a provider may have new ones for ever that no filter lets pass.
    documents = rounds[-2].documents if len(rounds) > 1 else 0
    is_new = bool(last.pages) if most is not None else last.documents > documents
    is_dry = last.number > 0 and not is_new and not store.states(last.number)[GIVEN_UP]
    return "nothing new" if is_dry else ""
