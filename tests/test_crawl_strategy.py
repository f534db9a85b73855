"""Strategies: when hosts are left, in which order they come, and how large their shares are."""

import math

import pytest

from gristmill.crawling.config import CrawlConfig
from gristmill.crawling.frontier import Account, Entry
from gristmill.crawling.hosts import Host
from gristmill.crawling.reading import Link
from gristmill.crawling.strategy import BreadthFirst, YieldStrategy, expected_yield, strategy_of
from gristmill.crawling.traps import domain_of
from gristmill.errors import UsageError

LINK = Link(1, "a.example", "https://a.example/")


def _yield(**strategy: object) -> YieldStrategy:
    return YieldStrategy(CrawlConfig.from_table({"strategy": strategy, "scope": {"languages": ["cs"]}}))


@pytest.mark.parametrize(
    ("documents", "least"),
    [(20, 0.01 * (math.log10(20) - 1)), (100, 0.01), (1000, 0.02), (10_000, 0.03)],
)
def test_a_host_is_left_below_the_published_threshold(documents: int, least: float) -> None:
    size = 100_000_000
    for clean, fault in ((least * size * 0.99, "low-yield"), (least * size * 1.01, "")):
        host = Host(1, "a.example", pages=documents, bytes=size, clean=int(clean))
        assert _yield().fault(host) == fault


def test_a_host_is_not_judged_too_early() -> None:
    assert _yield().fault(Host(1, "a.example", pages=19, bytes=10**9)) == ""
    assert _yield().fault(Host(1, "a.example", pages=1000, bytes=262_143)) == ""
    assert _yield().fault(Host(1, "a.example", pages=20, bytes=262_144)) == "low-yield"


def test_a_site_that_was_asked_for_is_not_left() -> None:
    strategy = YieldStrategy(CrawlConfig.from_table({"scope": {"sites": ["a.example"]}}))
    poor = Host(1, "a.example", pages=1000, bytes=10**9)
    assert strategy.fault(poor) == ""
    assert strategy.room(poor) > 10**9
    assert not strategy.is_barren(Account(1000, 10**9, 0))


def test_what_is_expected_gives_way_to_what_is_measured() -> None:
    host = Host(1, "a.example", prior=0.08)
    assert expected_yield(host) == 0.08
    host.bytes, host.clean = 50_000, 1_000
    assert expected_yield(host) == 0.05
    host.bytes, host.clean = 50_000_000, 1_000_000
    assert expected_yield(host) == pytest.approx(0.02, rel=0.01)


def test_an_unknown_host_comes_before_a_bad_one() -> None:
    good, bad = Host(1, "a.example", bytes=10**7, clean=10**6), Host(2, "b.example", bytes=10**7)
    assert _yield().prior(good, 0.02) == pytest.approx(0.05, rel=0.01)
    assert _yield().prior(bad, 0.02) == 0.005 > expected_yield(bad)


def test_links_of_good_pages_come_first_and_those_to_other_languages_last() -> None:
    strategy = _yield()
    good, poor = strategy.link_rank(LINK, 0.2, 5), strategy.link_rank(LINK, 0.0, 5)
    foreign = strategy.link_rank(LINK._replace(lang="de-AT"), 0.2, 5)
    wanted = strategy.link_rank(LINK._replace(lang="cs-CZ"), 0.2, 5)
    assert strategy.first_rank() < good == wanted < poor < foreign
    assert strategy.link_rank(LINK, 0.2, 4) < good


def test_hosts_below_the_mean_have_smaller_shares() -> None:
    strategy = _yield()
    assert strategy.worst_rank(0.0, 0.04) == math.inf
    assert strategy.worst_rank(0.25, 0.04) == -0.02
    assert strategy.stretch(Host(1, "a.example", prior=0.02), 0.04) == 2.0
    assert strategy.stretch(Host(1, "a.example", prior=0.08), 0.04) == 1.0
    assert strategy.stretch(Host(1, "a.example"), 0.04) == 20.0


def test_a_domain_is_barren_when_its_hosts_together_are() -> None:
    strategy = _yield()
    assert not strategy.is_barren(Account(59, 10**7, 0))
    assert strategy.is_barren(Account(60, 10**7, 0))
    assert not strategy.is_barren(Account(60, 10**7, 10**6))


def test_a_queue_grows_with_the_text_that_a_host_gave() -> None:
    assert _yield().room(Host(1, "a.example")) == 200
    assert _yield().room(Host(1, "a.example", texts=500)) == 500
    assert _yield(max_queued=0).room(Host(1, "a.example")) > 10**9


def test_breadth_first_goes_by_discovery_and_never_comes_back() -> None:
    strategy = strategy_of(CrawlConfig.from_table({"strategy": {"name": "breadth-first"}}), 7)
    assert isinstance(strategy, BreadthFirst)
    assert [strategy.first_rank(), strategy.link_rank(LINK, 0.9, 3)] == [8.0, 9.0]
    assert strategy.host_rank(Host(1, "a.example"), Entry(5.0, 1, "https://a.example/", 1)) == 5.0
    assert strategy.fault(Host(1, "a.example", pages=10**6, bytes=10**12)) == ""
    assert (strategy.retries, strategy.host_failures) == (0, 1)


def test_an_unknown_strategy_is_refused() -> None:
    with pytest.raises(UsageError, match="must be one of yield, breadth-first, given, not 'depth-first'"):
        CrawlConfig.from_table({"strategy": {"name": "depth-first"}})


@pytest.mark.parametrize(
    ("host", "domain"),
    [
        ("www.example.cz", "example.cz"),
        ("a.b.c.example.cz", "example.cz"),
        ("www.example.co.uk", "example.co.uk"),
        ("example.cz", "example.cz"),
        ("localhost", "localhost"),
        ("192.0.2.7", "192.0.2.7"),
        ("2001:db8::1", "2001:db8::1"),
    ],
)
def test_domain_of(host: str, domain: str) -> None:
    assert domain_of(host) == domain
