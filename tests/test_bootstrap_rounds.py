"""What the rounds of a bootstrap gave, and when they are over."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from gristmill.bootstrapping.config import BootstrapConfig, StopConfig
from gristmill.bootstrapping.query import Query
from gristmill.bootstrapping.rounds import ending, figures
from gristmill.bootstrapping.store import DONE, Store
from gristmill.errors import UsageError

QUERY = Query((("rye",), ("bread",)))


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path) as opened:
        yield opened


def add_round(store: Store, number: int, pages: int, documents: int) -> None:
    store.begin(number, ["rye"], [Query((("rye",), (f"bread {number}",)))])
    store.answer(store.to_ask(number)[0].id, [])
    store.advance(number, DONE, pages=pages, documents=documents, words=100 * documents)


@pytest.mark.parametrize(
    ("stop", "ends"),
    [
        (StopConfig(), ["rounds", "rounds", "rounds", "rounds"]),
        (StopConfig(rounds=3), ["", "", "rounds", "rounds"]),
        (StopConfig(words=1_000), ["", "words", "words", "words"]),
        (StopConfig(words=5_000), ["", "", "nothing new", "nothing new"]),
        (StopConfig(rounds=9, words=5_000), ["", "", "", "nothing new"]),
        (StopConfig(rounds=1, words=5_000), ["rounds", "rounds", "rounds", "rounds"]),
    ],
)
def test_when_it_ends(store: Store, stop: StopConfig, ends: list[str]) -> None:
    """The third round has pages of which nothing is kept, the fourth has none."""
    found = []
    for number, (pages, documents) in enumerate([(10, 5), (20, 12), (3, 12), (0, 12)], 1):
        add_round(store, number, pages, documents)
        found.append(ending(store, stop))
    assert found == ends


def test_queries_that_were_given_up_are_a_reason_to_go_on(store: Store) -> None:
    store.begin(1, ["rye"], [QUERY])
    store.give_up([store.to_ask(1)[0].id], "busy")
    store.advance(1, DONE)
    assert ending(store, StopConfig(words=100)) == ending(store, StopConfig(rounds=2)) == ""


def test_figures_are_those_of_each_round(store: Store) -> None:
    add_round(store, 1, 10, 5)
    add_round(store, 2, 20, 12)
    store.begin(3, ["rye"], [QUERY])
    rows = [(row.round, row.queries, row.asked, row.pages, row.kept, row.words) for row in figures(store)]
    assert rows == [(1, 1, 1, 10, 5, 500), (2, 1, 1, 20, 7, 700), (3, 1, 0, 0, 0, 0)]


def test_limits_below_nothing() -> None:
    with pytest.raises(UsageError, match="rounds must be at least 0"):
        BootstrapConfig.from_table({"stop": {"rounds": -1}})
