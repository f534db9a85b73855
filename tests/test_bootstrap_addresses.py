"""Which addresses are fetched: each once, a few of a query and of a host, none that is no page."""

from __future__ import annotations

from collections import Counter

import pytest

from gristmill.bootstrapping.addresses import REASONS, Chooser
from gristmill.bootstrapping.config import AddressesConfig
from gristmill.bootstrapping.store import CHOSEN, Found


def test_each_once_and_by_the_best_rank() -> None:
    found = [
        Found(1, 1, "https://a.example/1"),
        Found(1, 2, "https://a.example/2"),
        Found(2, 1, "HTTPS://A.example/2#top"),
        Found(2, 2, "https://a.example/old"),
    ]
    choices = Chooser(AddressesConfig(), ["https://a.example/old"]).choose(found)
    assert {(choice.query, choice.rank): (choice.address, choice.outcome) for choice in choices} == {
        (1, 1): ("https://a.example/1", CHOSEN),
        (1, 2): ("https://a.example/2", "seen"),
        (2, 1): ("https://a.example/2", CHOSEN),
        (2, 2): ("https://a.example/old", "seen"),
    }


def test_limits_of_queries_and_hosts() -> None:
    found = [
        Found(query, rank, f"https://h{rank % 3}.example/{query}/{rank}") for query in (1, 2) for rank in range(1, 9)
    ]
    choices = Chooser(AddressesConfig(per_query=5, per_host=3), ["https://www.h0.example/"]).choose(found)
    chosen = [choice for choice in choices if choice.outcome == CHOSEN]
    assert Counter(choice.address[8:10] for choice in chosen) == {"h0": 2, "h1": 3, "h2": 3}
    assert max(Counter(choice.query for choice in chosen).values()) <= 5
    assert {choice.outcome for choice in choices} == {CHOSEN, "host-limit", "query-limit"}
    few = Chooser(AddressesConfig(per_query=2, per_host=0)).choose(found)
    assert Counter(choice.outcome for choice in few) == {CHOSEN: 4, "query-limit": 12}
    given = [item._replace(is_given=True) for item in found]
    all_of_them = Chooser(AddressesConfig(per_query=2, per_host=1)).choose(given)
    assert Counter(choice.outcome for choice in all_of_them) == {CHOSEN: 16}


def test_as_ukwac() -> None:
    """One address of each host, any of them, and the same ones for the same seed."""
    config = AddressesConfig(per_host=1, order="random", domains=(".uk",))
    found = [Found(1, rank, f"https://www.h{rank % 5}.co.uk/{rank}") for rank in range(1, 51)]
    found.append(Found(1, 51, "https://h.example/"))

    def chosen(seed: int) -> list[str]:
        return [choice.address for choice in Chooser(config, seed=seed).choose(found) if choice.outcome == CHOSEN]

    assert len({address.partition(".co.uk")[0] for address in chosen(1)}) == len(chosen(1)) == 5
    assert chosen(1) == chosen(1)
    assert chosen(1) != chosen(2)


@pytest.mark.parametrize(
    ("url", "outcome"),
    [
        ("https://good.example/page.html", CHOSEN),
        ("https://good.example/a.pdf", CHOSEN),
        ("https://good.example/a.jpg", "suffix"),
        ("https://good.example/a.WAV?x=1", "suffix"),
        ("https://bad.example/", "forbidden"),
        ("https://www.bad.example/", "forbidden"),
        ("https://other.org/", "scope"),
        ("http://127.0.0.1/", "private"),
        ("http://[::1]/", "private"),
        ("http://2130706433/", "private"),
        ("http://169.254.169.254/latest/meta-data", "private"),
        ("javascript:alert(1)", "invalid"),
        ("ftp://good.example/", "invalid"),
        ("https://user:password@good.example/", "invalid"),
        ("", "invalid"),
        ("https://good.example/" + "a/" * 50, "trap"),
        ("https://good.example/\x1b[31m" + "a" * 20_000, "invalid"),
    ],
)
def test_what_is_left_out(url: str, outcome: str) -> None:
    config = AddressesConfig(domains=("example", "[::1]", "127.0.0.1"), forbid=("bad.example",), suffixes=(".PDF",))
    (choice,) = Chooser(config).choose([Found(1, 1, url)])
    assert choice.outcome == outcome
    assert outcome == CHOSEN or outcome in REASONS


def test_a_private_network_that_is_allowed() -> None:
    (choice,) = Chooser(AddressesConfig(), networks=["127.0.0.0/8"]).choose([Found(1, 1, "http://127.0.0.1/")])
    assert choice.outcome == CHOSEN
