"""What a bootstrap stores: words, queries, answers, and what became of the addresses."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from crawl_runs import Forked

from gristmill.bootstrapping.providers.provider import Result
from gristmill.bootstrapping.query import Query
from gristmill.bootstrapping.store import ASKED, CHOSEN, DONE, FETCH, GIVEN_UP, NAME, TO_ASK, Choice, Chosen, Store
from gristmill.errors import GristmillError, UsageError

BREAD = Query((("bread", "breads"), ("rye",)), ("the",))
OVEN = Query((("oven",), ("stone oven",)))


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path) as opened:
        yield opened


def test_a_round(store: Store, tmp_path: Path) -> None:
    store.begin(1, ["bread", "rye", "oven"], [BREAD, OVEN, BREAD])
    assert [asked.query for asked in store.to_ask(1)] == [BREAD, OVEN]
    store.answer(store.to_ask(1)[0].id, [Result("https://a.example/", 1, "A"), Result("https://b.example/", 2)])
    store.refuse(store.to_ask(1)[0].id, "too many words")
    assert store.to_ask(1) == []
    assert [(found.rank, found.url) for found in store.undecided(1)] == [
        (1, "https://a.example/"),
        (2, "https://b.example/"),
    ]
    query = store.undecided(1)[0].query
    store.decide(1, [Choice(query, 1, "https://a.example/", CHOSEN), Choice(query, 2, "https://b.example/", "seen")])
    store.advance(1, DONE, pages=1, documents=1, words=700)
    with Store(tmp_path) as again:
        assert again.words(1) == ["bread", "rye", "oven"]
        assert again.chosen(1) == [Chosen("https://a.example/", "(bread OR breads) rye the", 1)]
        assert again.outcomes(1) == {CHOSEN: 1, "seen": 1}
        assert again.states(1) == {ASKED: 1, "refused": 1}
        assert again.not_asked() == [('oven "stone oven"', "too many words")]
        assert [(item.number, item.stage, item.pages, item.documents, item.words) for item in again.rounds()] == [
            (1, DONE, 1, 1, 700)
        ]


def test_what_was_given_up_comes_again(store: Store) -> None:
    store.begin(1, ["bread"], [BREAD, OVEN])
    store.give_up([asked.id for asked in store.to_ask(1)], "wait an hour")
    assert store.not_asked() == [(BREAD.text, "wait an hour"), (OVEN.text, "wait an hour")]
    store.begin(2, ["oven"], [OVEN])
    assert [asked.query for asked in store.to_ask(2)] == [BREAD, OVEN]
    store.answer(store.to_ask(2)[0].id, [])
    assert store.states(1) == {GIVEN_UP: 2}
    assert store.states(2) == {ASKED: 1, TO_ASK: 1}
    assert [text for text, _ in store.not_asked()] == [OVEN.text]
    store.give_up([store.to_ask(2)[0].id], "again")
    store.begin(3, [], [])
    assert [asked.query for asked in store.to_ask(3)] == [OVEN]


def test_addresses_of_the_user(store: Store) -> None:
    store.begin(1, urls=["https://a.example/", "https://b.example/"], local=["a.html"])
    assert [(item.number, item.stage) for item in store.rounds()] == [(0, "build"), (1, "ask")]
    assert store.local == ["a.html"]
    assert store.to_ask(1) == []
    assert [found.rank for found in store.undecided(1)] == [1, 2]
    assert store.states(1) == {}
    assert store.not_asked() == []


def test_an_address_is_chosen_once(store: Store) -> None:
    store.begin(1, [], [BREAD])
    store.answer(1, [Result("https://a.example/", 1), Result("https://a.example/#x", 2)])
    with pytest.raises(sqlite3.IntegrityError):
        store.decide(1, [Choice(1, rank, "https://a.example/", CHOSEN) for rank in (1, 2)])
    assert list(store.addresses()) == []
    assert store.rounds()[0].stage == "ask"
    store.decide(1, [Choice(1, 1, "https://a.example/", CHOSEN)])
    assert list(store.addresses()) == ["https://a.example/"]
    assert store.rounds()[0].stage == FETCH


def test_hostile_results(store: Store) -> None:
    """Ranks that are no ranks, lone surrogates, zeros, texts without end."""
    store.begin(1, [], [BREAD])
    store.answer(
        1,
        [
            Result("https://a.example/\0", 1, "\ud800" + "x" * 10_000),
            Result("https://b.example/", 1),
            Result("https://c.example/", -5),
            Result("https://d.example/\udfff" + "y" * 100_000, 0),
        ],
    )
    found = store.undecided(1)
    assert [item.url[:18] for item in found] == [f"https://{name}.example/" for name in "abcd"]
    assert [item.rank for item in found] == [1, 3, 4, 5]
    assert len(found[-1].url) < 5_000


def test_a_kill_loses_no_answer(tmp_path: Path) -> None:
    def ask() -> None:
        store = Store(tmp_path)
        store.begin(1, ["bread"], [BREAD, OVEN])
        store.answer(1, [Result("https://a.example/", 1)])
        os.kill(os.getpid(), 9)

    assert Forked(ask, "store").wait() == -9
    with Store(tmp_path) as store:
        assert [asked.query for asked in store.to_ask(1)] == [OVEN]
        assert len(store.undecided(1)) == 1


def test_files_that_are_none(tmp_path: Path) -> None:
    (tmp_path / NAME).write_bytes(b"not a database, though long enough to be read as one" * 100)
    with pytest.raises(GristmillError, match="can't use"):
        Store(tmp_path)
    (tmp_path / NAME).unlink()
    Store(tmp_path).close()
    with closing(sqlite3.connect(tmp_path / NAME)) as db, db:
        db.execute("UPDATE state SET value = 99")
    with pytest.raises(GristmillError, match="has format 99"):
        Store(tmp_path)
    (tmp_path / NAME).rename(tmp_path / "elsewhere")
    (tmp_path / NAME).symlink_to(tmp_path / "elsewhere")
    with pytest.raises(UsageError, match="is a link"):
        Store(tmp_path)
