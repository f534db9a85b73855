"""Which addresses are followed: scope, suffixes, traps; and patterns that what a program makes has in common."""

from __future__ import annotations

import pickle
import random
from collections.abc import Callable
from itertools import combinations

import pytest
from growth import check_growth
from hypothesis import given
from hypothesis import strategies as st

from gristmill.crawling.config import CrawlConfig, ScopeConfig, TrapsConfig
from gristmill.crawling.scope import Scope
from gristmill.crawling.traps import PATTERNS_PER_HOST, pattern_number, pattern_of, trap_of
from gristmill.errors import UsageError
from gristmill.fetching.urls import host_of, normalise

SITE = "http://example.org"
YEAR = 2026


def trap(path: str) -> str:
    return trap_of(SITE + path, TrapsConfig(), YEAR)


def refusal(url: str, **settings: tuple[str, ...]) -> str:
    scope = Scope.of(CrawlConfig(ScopeConfig(**settings)))  # type: ignore[arg-type]
    return pickle.loads(pickle.dumps(scope)).refusal(url, host_of(url), YEAR)  # type: ignore[no-any-return]  # noqa: S301


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("/" + "a" * 980, ""),
        ("/" + "a" * 990, "trap-length"),
        ("/" + "/".join("abcdefghijklmnop"), ""),
        ("/" + "/".join("abcdefghijklmnop") + "/", ""),
        ("/" + "/".join("abcdefghijklmnopq"), "trap-depth"),
        ("/?" + "&".join("a=1 b=2 c=3 d=4 e=5".split()), ""),
        ("/?" + "&".join("a=1 b=2 c=3 d=4 e=5 f=6".split()), "trap-parameters"),
        ("/a/b/a/b", ""),
        ("/a/b/a/b/a/b", "trap-repeat"),
        ("/x/a/b/a/b/a/b/y", "trap-repeat"),
        ("/a/b/c/a/b/c/a/b/c/d", "trap-repeat"),
        ("/a/a/b", ""),
        ("/a/a/a", "trap-repeat"),
        ("/a/1/a/2/a/3", ""),
        ("/a/1/a/2/a/3/a/4", "trap-repeat"),
        ("/2011/11/11/party", ""),
        ("/", ""),
        ("", ""),
    ],
)
def test_shape_of_addresses(path: str, reason: str) -> None:
    assert trap(path) == reason


@pytest.mark.parametrize(
    "path",
    [
        "/calendar/2031/05",
        "/calendar/2031-05-17",
        "/calendar/2031/5/7/",
        "/events/2031/12/day.html",
        "/events/?date=2031-05-01",
        "/events/?month=2031-5",
        "/events/?d=17.05.2031",
        "/events/?year=2031&month=5",
        "/?m=203105",
        "/calendar/1985/02/",
        "/calendar/?rok=1950",
        "/?date=2031-05-17T00:00",
    ],
)
def test_calendars_far_away(path: str) -> None:
    assert trap(path) == "trap-calendar"
    assert not trap_of(SITE + path, TrapsConfig())


@pytest.mark.parametrize(
    "path",
    [
        "/2026/05/17/news",
        "/2028/12/plans",
        "/1985/02/12/old-article.html",
        "/calendar/2027/05",
        "/thread/1234/5",
        "/thread/2045/7",
        "/item/2045",
        "/item/9999/12",
        "/?id=2045",
        "/?year=2024",
        "/?page=1985",
        "/?m=1985",
        "/wiki/1968",
        "/?date=soon",
        "/?year=1234567",
        "/?",
    ],
)
def test_what_is_no_calendar(path: str) -> None:
    assert not trap(path)


@given(st.text(max_size=80))
def test_no_address_raises(text: str) -> None:
    url = normalise(f"http://example.org/{text}")
    for address in (url, SITE, f"{SITE}/{text}"):
        trap_of(address, TrapsConfig(), YEAR)
        assert pattern_of(address).startswith("/")
        assert 0 <= pattern_number(pattern_of(address)) < PATTERNS_PER_HOST


@pytest.mark.parametrize("unit", ["/a", "/1", "a-", "0", "/1990-01", "?", "&a=1", "=", "1.", "a.", "%20", "0a", ";"])
def test_cost_grows_with_the_address(unit: str) -> None:
    rules = TrapsConfig(max_length=1 << 30, max_parameters=1 << 30)

    def make(size: int) -> Callable[[], object]:
        address = f"{SITE}/{unit * size}x"
        return lambda: (trap_of(address, rules, YEAR), pattern_of(address))

    check_growth(make, 1_000, 20_000, 0.005)


@pytest.mark.parametrize(
    ("path", "pattern"),
    [
        ("/", "/"),
        ("/2024/05/my-nice-post", "/#/#/*"),
        ("/2024/05/my-nice-post/", "/#/#/*"),
        ("/about.html", "/*.html"),
        ("/news/12345", "/news/#"),
        ("/news/12345-minister-resigns.html", "/news/*.html"),
        ("/product/550e8400-e29b-41d4-a716-446655440000", "/product/%"),
        ("/s/9f86d081884c7d65/start", "/s/%/*"),
        ("/en/news/politics/some-title", "/en/news/**/*"),
        ("/en/news/politics/europe/some-title", "/en/news/**/*"),
        ("/blog/2024/05/17/some-title", "/blog/#/**/*"),
        ("/calendar/2024/5", "/calendar/#/#"),
        ("/calendar/2024-05-17", "/calendar/#"),
        ("/page2/x", "/page#/*"),
        ("/viewtopic.php?f=1&t=2", "/viewtopic.php?**"),
        ("/viewtopic.php?t=2", "/viewtopic.php?t"),
        ("/index.php?id=7&option=com_content&view=article", "/index.php?option=com_content&view=article&**"),
        ("/list?page=7", "/list?page"),
        ("/my-nice-old-post?replytocom=7", "/*?replytocom"),
        ("/?12345", "/?#"),
    ],
)
def test_patterns(path: str, pattern: str) -> None:
    assert pattern_of(SITE + path) == pattern


def test_what_a_program_makes_has_few_patterns() -> None:
    rng = random.Random(1)
    letters = "abcdefghijklmnopqrstuvwxyz"
    facets = ("brand", "color", "size", "sort", "page", "price")
    chosen = [names for count in range(1, 6) for names in combinations(facets, count)]
    traps = {
        "calendar": [f"/calendar/{year}/{month}" for year in range(2000, 2026) for month in range(1, 13)],
        "facets": ["/shop?" + "&".join(f"{name}={rng.randrange(9)}" for name in names) for names in chosen],
        "sessions": [f"/s{rng.getrandbits(64):016x}/{page}" for page in ("a", "b", "c") for _ in range(100)],
        "folders": [f"/deep/{'/'.join(f'{rng.getrandbits(24):06x}' for _ in range(1 + n % 9))}/" for n in range(1000)],
        "pages": [f"/list?page={number}" for number in range(1000)],
        "names": ["/" + "".join(rng.choices(letters, k=rng.randrange(4, 12))) for _ in range(1000)],
        "maze": [f"/maze/{'/'.join(rng.choices(('left', 'right', 'up'), k=rng.randrange(1, 9)))}" for _ in range(1000)],
    }
    counts = {name: len({pattern_of(SITE + path) for path in paths}) for name, paths in traps.items()}
    assert counts.pop("maze") <= 7
    assert counts.pop("folders") <= 20
    assert max(counts.values()) <= len(facets) + 1


def test_random_folders_have_a_bounded_number_of_patterns() -> None:
    rng = random.Random(1)
    found = {pattern_number(pattern_of(f"{SITE}/{rng.random()}a/{rng.getrandbits(40)}b/x")) for _ in range(20_000)}
    assert len(found) <= PATTERNS_PER_HOST


@pytest.mark.parametrize(
    ("url", "settings", "reason"),
    [
        ("http://a.example.cz/", {"domains": (".cz",)}, ""),
        ("http://example.sk/", {"domains": (".cz", "sk")}, ""),
        ("http://example.com/", {"domains": (".cz",)}, "scope"),
        ("http://notexample.org/", {"domains": ("example.org",)}, "scope"),
        ("http://examplecz/", {"domains": (".cz",)}, "scope"),
        ("http://xn--bcher-kva.example/", {"domains": ("Bücher.example",)}, ""),
        ("http://www.example.org/", {"sites": ("example.org",)}, ""),
        ("http://example.org/", {"sites": ("www.example.org",)}, ""),
        ("http://blog.example.org/", {"sites": ("www.example.org",)}, ""),
        ("http://example.com/", {"sites": ("example.org",)}, "scope"),
        ("http://a.b.example.org/", {"forbid": ("b.example.org",)}, "forbidden"),
        ("http://a.b.example.org/", {"forbid": ("b.example.org",), "domains": (".cz",)}, "forbidden"),
        ("http://b.example.org/", {"forbid": ("a.b.example.org",)}, ""),
        ("http://a.org/x/y.JPG", {}, "suffix"),
        ("http://a.org/x.tar.gz?download=1", {}, "suffix"),
        ("http://a.org/x.pdf/view", {}, ""),
        ("http://a.org/x.php?file=a.pdf", {}, ""),
        ("http://a.org/x.html", {}, ""),
        ("http://a.zip/", {}, ""),
        ("http://a.org/a/a/a/a", {}, "trap-repeat"),
        ("http://a.org/2050/01/", {}, "trap-calendar"),
        ("http://127.0.0.1/", {"domains": ("127.0.0.1",)}, ""),
        ("http://[::1]:8080/", {"sites": ("::1",)}, ""),
        ("http://[::2]/", {"forbid": ("[::2]",)}, "forbidden"),
    ],
)
def test_scope(url: str, settings: dict[str, tuple[str, ...]], reason: str) -> None:
    assert refusal(url, **settings) == reason


@pytest.mark.parametrize("name", ["", ".", "a b", "http://", "ftp://example.org/"])
def test_what_is_no_domain_is_refused(name: str) -> None:
    with pytest.raises(UsageError, match="is no host or domain"):
        Scope.of(CrawlConfig(ScopeConfig(domains=(name,))))
