"""Asking a provider that limits its users and fails: it is left alone for a while, and nothing is asked twice."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from gristmill.bootstrapping.asking import Asking
from gristmill.bootstrapping.config import QueriesConfig
from gristmill.bootstrapping.providers.provider import ProviderError, Result
from gristmill.bootstrapping.query import Query
from gristmill.bootstrapping.store import ASKED, GIVEN_UP, REFUSED, TO_ASK, Store
from gristmill.errors import GristmillError

QUERIES = [Query(((f"word{number}",), ("bread",))) for number in range(6)]
Behaviour = Callable[[int, str], ProviderError | None]


class Moody:
    """A provider that fails as it is told to: by the number of the request, and its query."""

    name = "moody"
    max_words = 0

    def __init__(self, behaviour: Behaviour) -> None:
        self.left_out: Counter[str] = Counter()
        self.asked: list[str] = []
        self._behaviour = behaviour

    async def search(self, query: Query, count: int) -> list[Result]:
        self.asked.append(query.text)
        error = self._behaviour(len(self.asked), query.text)
        if error:
            raise error
        return [Result(f"https://h.example/{query.text}/{rank}", rank) for rank in range(1, count + 3)]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path) as opened:
        opened.begin(1, [], QUERIES)
        yield opened


def ask(store: Store, behaviour: Behaviour, **settings: float) -> tuple[list[str], list[float]]:
    """Ask all queries; returns those that were sent, and the pauses."""
    provider, pauses, done = Moody(behaviour), list[float](), list[int]()

    async def sleep(seconds: float) -> None:
        pauses.append(seconds)

    before = store.states(1)[TO_ASK]
    config = QueriesConfig(**settings)  # type: ignore[arg-type]
    try:
        asyncio.run(Asking(store, provider, config, advance=done.append, sleep=sleep).run(1, 2))
    finally:
        states = store.states(1)
        assert sum(done) == before - states[TO_ASK] - states[GIVEN_UP]
    return provider.asked, pauses


def test_all_are_asked_once(store: Store) -> None:
    assert ask(store, lambda *_: None) == ([query.text for query in QUERIES], [])
    assert store.states(1) == {ASKED: 6}
    assert len(store.undecided(1)) == 12, "no more results than were asked for"
    assert ask(store, lambda *_: None) == ([], [])


def test_a_rate_limit(store: Store) -> None:
    """The provider is left alone for as long as it says, at least, and longer if it goes on failing."""
    asked, pauses = ask(store, lambda number, _: ProviderError("slow down", 5.0) if 2 <= number <= 4 else None)
    assert pauses == [5.0, 5.0, 8.0]
    assert store.states(1) == {ASKED: 6}
    assert len(asked) == 9
    assert Counter(asked).most_common(1)[0][1] <= 2, "the next query comes first"


def test_one_query_that_never_works(store: Store) -> None:
    bad = QUERIES[2].text
    asked, _ = ask(store, lambda _, text: ProviderError("502", 0.0) if text == bad else None, retries=2)
    assert Counter(asked)[bad] == 3
    assert store.states(1) == {ASKED: 5, GIVEN_UP: 1}
    assert store.not_asked() == [(bad, "502")]


def test_a_query_that_is_refused_is_not_asked_again(store: Store) -> None:
    bad = QUERIES[2].text
    asked, pauses = ask(store, lambda _, text: ProviderError("too many words") if text == bad else None)
    assert Counter(asked) == Counter(query.text for query in QUERIES)
    assert pauses == []
    assert store.states(1) == {ASKED: 5, REFUSED: 1}


def test_a_provider_that_wants_a_long_pause(store: Store) -> None:
    asked, pauses = ask(store, lambda number, _: ProviderError("tomorrow", 86_400.0) if number > 2 else None)
    assert (len(asked), pauses) == (3, [])
    assert store.states(1) == {ASKED: 2, GIVEN_UP: 4}
    assert store.not_asked() == [(query.text, "tomorrow") for query in [*QUERIES[2:]]]


def test_a_provider_that_fails_on_and_on(store: Store) -> None:
    asked, pauses = ask(store, lambda number, _: ProviderError("500", 0.0) if number > 1 else None)
    assert pauses == [2.0, 4.0, 8.0, 16.0, 32.0]
    assert len(asked) == 7
    assert store.states(1) == {ASKED: 1, GIVEN_UP: 5}


@pytest.mark.parametrize(
    "error", [ProviderError("down", 0.0), ProviderError("the key is wrong: set KEY", is_fatal=True)]
)
def test_nothing_is_given_up_if_nothing_was_answered(store: Store, error: ProviderError) -> None:
    with pytest.raises(GristmillError, match=str(error)):
        ask(store, lambda *_: error)
    assert store.states(1) == {TO_ASK: 6}


def test_a_fatal_error_keeps_what_was_answered(store: Store) -> None:
    with pytest.raises(GristmillError, match=r"^the key is wrong$"):
        ask(store, lambda number, _: ProviderError("the key is wrong", is_fatal=True) if number == 4 else None)
    assert store.states(1) == {ASKED: 3, TO_ASK: 3}
    asked, _ = ask(store, lambda *_: None)
    assert asked == [query.text for query in QUERIES[3:]]
