from __future__ import annotations

import asyncio
import gzip
import tracemalloc
import zlib
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gristmill.fetching.exchange import Exchange, Failure
from gristmill.fetching.robots import MAX_ROBOTS_BYTES, Robots, fetch_robots, robots_of, tags_of

SITE = "https://example.org"


def answer(body: bytes = b"", status: int = 200, head: str = "", **headers: str) -> Exchange:
    wire = f"HTTP/1.1 {status} x\r\n{head}\r\n".encode() + body
    return Exchange(f"{SITE}/robots.txt", "", "", b"", wire, status, headers)


def allowed(text: str, *paths: str) -> list[str]:
    """Which of these paths may be fetched."""
    robots = robots_of(answer(text.encode()))
    return [path for path in paths if robots.allows(SITE + path)]


def test_the_simple_example_of_the_standard() -> None:
    text = """
        User-Agent: *
        Disallow: *.gif$
        Disallow: /example/
        Allow: /publications/

        User-Agent: foobot
        Disallow:/
        Allow:/example/page.html
        Allow:/example/allowed.gif

        User-Agent: barbot
        User-Agent: bazbot
        Disallow: /example/page.html

        User-Agent: quxbot
    """
    assert allowed(text, "/", "/a.gif", "/a.gif?b", "/example/a", "/publications/") == [
        "/",
        "/a.gif?b",
        "/publications/",
    ]
    own = text.replace("foobot", "Gristmill")
    assert allowed(own, "/", "/example/page.html", "/example/allowed.gif", "/publications/") == [
        "/example/page.html",
        "/example/allowed.gif",
    ]
    assert allowed(text.replace("bazbot", "GRISTMILL"), "/", "/example/page.html", "/a.gif") == ["/", "/a.gif"]
    assert allowed(text.replace("quxbot", "gristmill"), "/", "/example/", "/a.gif") == ["/", "/example/", "/a.gif"]


def test_the_longest_match_counts() -> None:
    text = "User-Agent: foobot\nAllow: /example/page/\nDisallow: /example/page/disallowed.gif"
    text = text.replace("foobot", "gristmill")
    assert allowed(text, "/example/page/", "/example/page/a", "/example/page/disallowed.gif", "/x") == [
        "/example/page/",
        "/example/page/a",
        "/x",
    ]
    assert allowed("User-agent: *\nAllow: /p\nDisallow: /", "/page", "/q") == ["/page"]
    assert allowed("User-agent: *\nDisallow: /p\nAllow: /p", "/p") == ["/p"]  # the same length: allowed
    assert allowed("User-agent: *\nAllow: /$\nDisallow: /", "/", "/page.htm") == ["/"]
    assert allowed("User-agent: *\nAllow: /page\nDisallow: /*.htm", "/page.htm") == []


@pytest.mark.parametrize(
    ("rule", "paths", "matching"),
    [
        ("/fish", ["/fish", "/fish.html", "/fishheads", "/fish?id=1", "/Fish", "/a/fish"], 4),
        ("/fish/", ["/fish/", "/fish/a", "/fish", "/fish.html"], 2),
        ("/fish*", ["/fish", "/fish.html", "/Fish"], 2),
        ("/*.php", ["/a.php", "/a/b.php?c", "/.php/", "/", "/a.PHP"], 3),
        ("/*.php$", ["/a.php", "/a/b.php", "/a.php?b", "/a.php/", "/a.php5"], 2),
        ("/fish*.php", ["/fish.php", "/fishheads/a.php?b", "/Fish.PHP"], 2),
        ("/a%3cd.html", ["/a%3cd.html", "/a%3Cd.html", "/b"], 2),
        ("/foo/bar/ツ", ["/foo/bar/%E3%83%84", "/foo/bar/%e3%83%84x", "/foo/bar/"], 2),
        ("/foo/bar/%E3%83%84", ["/foo/bar/%E3%83%84", "/foo/bar/"], 1),
        ("/foo/bar/%62%61%7A", ["/foo/bar/baz", "/foo/bar/"], 1),
        ("/a?b=", ["/a?b=1", "/a", "/a?c"], 1),
        ("//a", ["//a", "/a"], 1),
    ],
)
def test_how_a_rule_matches(rule: str, paths: list[str], matching: int) -> None:
    assert allowed(f"User-agent: *\nDisallow: {rule}", *paths) == paths[matching:]


@pytest.mark.parametrize(
    ("agent", "ours"),
    [
        *[
            ("gristmill", True),
            ("GristMill", True),
            ("gristmill/1.0", True),
            ("Gristmill (+http://a/)", True),
            ("*", True),
        ],
        *[("grist", False), ("g", False), ("mill", False), ("gristmillbot", False), ("gristmill-images", False)],
        *[("a gristmill", False), ("googlebot", False), ("", False), ("gristmil*", False)],
    ],
)
def test_whose_rules_count(agent: str, ours: bool) -> None:
    for line in (f"User-agent: {agent}", f"user-agent:{agent}  # a", f" USERAGENT : {agent}"):
        assert allowed(f"{line}\nDisallow: /", "/") == ([] if ours else ["/"])


def test_groups_of_the_same_agent_are_one_and_others_do_not_count() -> None:
    text = "User-agent: gristmill\nDisallow: /a\n\nUser-agent: *\nDisallow: /\n\nUser-agent: gristmill\nDisallow: /b"
    assert allowed(text, "/a", "/b", "/c") == ["/c"]
    assert allowed("Disallow: /\nUser-agent: x\nDisallow: /a", "/", "/a") == ["/", "/a"]  # rules of no agent


@pytest.mark.parametrize(
    ("value", "delay"),
    [("10", 10.0), ("0.5", 0.5), ("0", 0.0), ("-1", None), ("soon", None), ("inf", None), ("nan", None), ("1e6", 1e6)],
)
def test_crawl_delay(value: str, delay: float | None) -> None:
    assert robots_of(answer(f"User-agent: *\nCrawl-delay: {value}\n".encode())).delay == delay
    assert robots_of(answer(f"User-agent: other\nCrawl-delay: {value}\n".encode())).delay is None


def test_sitemaps() -> None:
    lines = [b"Sitemap: HTTPS://Example.org/a.xml#x", b"sitemap: /relative.xml", b"Sitemap: ftp://example.org/"]
    lines += [b"Sitemap: https://example.org/a.xml", *(b"Sitemap: https://example.org/%d" % n for n in range(200))]
    sitemaps = robots_of(answer(b"\n".join(lines))).sitemaps
    assert sitemaps[:2] == ["https://example.org/a.xml", "https://example.org/0"]
    assert len(sitemaps) == 100


@pytest.mark.parametrize("status", [200, 201, 206])
def test_rules_are_taken_of_good_answers(status: int) -> None:
    assert not robots_of(answer(b"User-agent: *\nDisallow: /", status)).allows(SITE + "/a")


@pytest.mark.parametrize("status", [400, 401, 403, 404, 410, 451, 300, 304])
def test_all_is_allowed_if_there_is_no_robots_txt(status: int) -> None:
    robots = robots_of(answer(b"User-agent: *\nDisallow: /", status))
    assert robots.allows(SITE + "/a")
    assert not robots.unreachable


@pytest.mark.parametrize("status", [429, 500, 502, 503, 599, 999])
def test_nothing_is_allowed_if_the_server_is_in_trouble(status: int) -> None:
    robots = robots_of(answer(b"", status))
    assert not robots.allows(SITE + "/a")
    assert robots.unreachable
    assert (robots.delay, robots.sitemaps) == (None, [])


def test_nothing_is_allowed_if_the_server_can_not_be_reached() -> None:
    for reason in ("dns", "network", "connect", "timeout", "tls", "protocol"):
        assert not robots_of(Failure(SITE, reason)).allows(SITE + "/a")


def test_encodings_of_the_file() -> None:
    text = b"User-agent: *\r\nDisallow: /a\rAllow: /a/b"
    for body in (text, b"\xef\xbb\xbf" + text, b"\xff\xfe\x80 junk\n" + text, b"\0\0\n" + text):
        robots = robots_of(answer(body))
        assert [robots.allows(SITE + path) for path in ("/a", "/a/b", "/c")] == [False, True, True]
    packed = answer(gzip.compress(text), head="Content-Encoding: gzip\r\n")
    assert not robots_of(packed).allows(SITE + "/a")


def test_of_a_long_file_the_beginning_counts_up_to_its_last_whole_line() -> None:
    head = b"User-agent: *\nDisallow: /a\n"
    filler = b"#" * (MAX_ROBOTS_BYTES - len(head) - len(b"\nDisallow: /b"))
    robots = robots_of(answer(head + filler + b"\nDisallow: /bcd\nDisallow: /e\n" + b"x" * 1000))
    assert [robots.allows(SITE + path) for path in ("/a", "/b", "/bcd", "/e")] == [False, True, True, True]
    bomb = answer(gzip.compress(head + b"#" * 50_000_000), head="Content-Encoding: gzip\r\n")
    assert not robots_of(bomb).allows(SITE + "/a")


@given(st.binary(max_size=500) | st.text(max_size=200).map(lambda text: text.encode("utf-8", "replace")))
def test_no_file_can_do_harm(body: bytes) -> None:
    robots = robots_of(answer(body))
    again = Robots.from_bytes(robots.to_bytes())
    for url in ("/", "/a?b=%C3%A9&c=%", "/robots.txt", "/%", "//[", "/a;b"):
        assert again.allows(SITE + url) == robots.allows(SITE + url)
    assert (again.delay, again.sitemaps) == (robots.delay, robots.sitemaps)


def test_robots_are_stored() -> None:
    text = b"User-agent: *\nDisallow: /\xc4\x8d\nCrawl-delay: 3\nSitemap: https://example.org/s.xml\n"
    for robots in (robots_of(answer(text)), Robots(unreachable=True), Robots()):
        again = Robots.from_bytes(robots.to_bytes())
        assert again.allows(SITE + "/%C4%8D") == robots.allows(SITE + "/%C4%8D")
        assert (again.unreachable, again.delay, again.sitemaps) == (robots.unreachable, robots.delay, robots.sitemaps)


def fetched(answers: dict[str, Exchange | Failure]) -> tuple[Robots, list[str]]:
    asked: list[str] = []

    async def get(url: str) -> Exchange | Failure:
        asked.append(url)
        return answers.get(url, answer(status=404))

    return asyncio.run(fetch_robots(SITE, get)), asked


def test_redirects_are_followed_also_to_other_hosts() -> None:
    rules = answer(b"User-agent: *\nDisallow: /a")
    robots, asked = fetched(
        {
            f"{SITE}/robots.txt": answer(status=301, location="/r#x"),
            f"{SITE}/r": answer(status=307, location="http://www.example.org/robots.txt"),
            "http://www.example.org/robots.txt": rules,
        }
    )
    assert asked == [f"{SITE}/robots.txt", f"{SITE}/r", "http://www.example.org/robots.txt"]
    assert not robots.allows(f"{SITE}/a")


def test_redirects_that_lead_nowhere() -> None:
    robots, asked = fetched({f"{SITE}/robots.txt": answer(status=302, location="/robots.txt")})
    assert len(asked) == 6
    assert robots.allows(SITE + "/a")
    for location in ("", "mailto:a@example.org", "http://"):
        robots, asked = fetched({f"{SITE}/robots.txt": answer(status=302, location=location)} if location else {})
        assert robots.allows(SITE + "/a")
        assert len(asked) == 1
    robots, asked = fetched({f"{SITE}/robots.txt": answer(status=302)})
    assert (robots.allows(SITE + "/a"), len(asked)) == (True, 1)


def test_a_redirect_to_a_server_in_trouble() -> None:
    there = "https://www.example.org/robots.txt"
    for trouble in (answer(status=503), Failure(there, "timeout")):
        robots, _ = fetched({f"{SITE}/robots.txt": answer(status=301, location=there), there: trouble})
        assert robots.unreachable


@pytest.mark.parametrize(
    ("value", "tags"),
    [
        ("", ""),
        ("noindex", "noindex"),
        ("NoIndex, NOFOLLOW", "noindex nofollow"),
        ("none", "noindex nofollow"),
        ("all, max-snippet: 50", ""),
        ("noarchive, nosnippet", ""),
        ("gristmill: noindex", "noindex"),
        ("Gristmill:nofollow, noindex", "noindex nofollow"),
        ("*: none", "noindex nofollow"),
        ("otherbot: noindex", ""),
        ("otherbot: noindex, nofollow", ""),
        ("otherbot: noindex, gristmill: nofollow", "nofollow"),
        ("nofollow, otherbot: noindex", "nofollow"),
        ("unavailable_after: 25 Jun 2010 15:00:00 GMT", "noindex"),
        ("unavailable_after: Fri, 25 Jun 2010 15:00:00 GMT, nofollow", "noindex nofollow"),
        ("unavailable_after: 2010-06-25", "noindex"),
        ("unavailable_after: 25 Jun 2090 15:00:00 GMT", ""),
        ("unavailable_after: someday", ""),
        ("otherbot: unavailable_after: 25 Jun 2010 15:00:00 GMT", ""),
        ("gristmill: unavailable_after: 25 Jun 2010 15:00:00 PST", "noindex"),
        (":::,,noindex:", ""),
        ("max-image-preview: large, noindex", "noindex"),
    ],
)
def test_tags(value: str, tags: str) -> None:
    assert tags_of({"x-robots-tag": value}, now=datetime(2026, 1, 1, tzinfo=UTC)) == set(tags.split())
    assert tags_of({}) == set()


@given(st.text(st.characters(codec="latin-1")))
def test_no_tag_can_do_harm(value: str) -> None:
    assert tags_of({"x-robots-tag": value, "other": value}) <= {"noindex", "nofollow"}


@pytest.mark.parametrize("stored", [b"", b"\0", b"\0damaged", b"\0" + zlib.compress(b"x" * 50_000_000)])
def test_stored_rules_that_are_damaged_are_asked_for_again(stored: bytes) -> None:
    tracemalloc.start()
    try:
        robots = Robots.from_bytes(stored)
        assert tracemalloc.get_traced_memory()[1] < 20_000_000
    finally:
        tracemalloc.stop()
    assert robots.unreachable
