"""Search providers, asked over loopback: pages of results, forms of words, limits, and engines that mean ill."""

from __future__ import annotations

import asyncio
import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from provider_asking import GUITAR, PLAIN, ask
from search_server import Asked, Reply, SearchEngine
from web_server import served

import gristmill
from gristmill.bootstrapping.providers import PROVIDERS, ProviderError, Result, provider_of, trusted_of
from gristmill.bootstrapping.providers.variants import FORMS, variants
from gristmill.bootstrapping.query import Query
from gristmill.errors import UsageError
from gristmill.fetching.access import Access
from gristmill.fetching.session import Session
from gristmill.search.documents import DocumentSearch


def page(*urls: Any, **more: Any) -> Reply:
    return Reply({"results": [{"url": url, "title": f"About {url}"} for url in urls], **more})


def numbered(size: int, last: int = 10**9) -> Callable[[Asked], Reply]:
    """An engine with pages of results, up to the last one."""

    def answer(asked: Asked) -> Reply:
        first = (int(asked.parameters["pageno"]) - 1) * size
        return page(*(f"http://{number}.example/" for number in range(first, min(first + size, last))))

    return answer


def test_searxng_is_asked_for_pages_until_there_is_enough() -> None:
    with SearchEngine(numbered(10)) as engine:
        found, left_out = ask(f"searxng:{engine.address}", count=25, lang="cs")
    assert [result.url for result in found] == [f"http://{number}.example/" for number in range(25)]
    assert [result.rank for result in found] == list(range(1, 26))
    assert found[0].title == "About http://0.example/"
    assert [asked.parameters["pageno"] for asked in engine.asked] == ["1", "2", "3"]
    assert engine.asked[0].path == "/search"
    assert engine.asked[0].parameters["format"] == "json"
    assert engine.asked[0].parameters["language"] == "cs"
    assert not left_out


def test_searxng_is_asked_no_more_when_a_page_has_nothing_new() -> None:
    with SearchEngine(numbered(10, last=13)) as engine:
        assert len(ask(f"searxng:{engine.address}", count=100)[0]) == 13
    assert len(engine.asked) == 3
    with SearchEngine(lambda _: page("http://a.example/", "http://a.example/#b")) as engine:
        assert len(ask(f"searxng:{engine.address}", count=100)[0]) == 1
    assert len(engine.asked) == 2


def test_pages_without_end_end() -> None:
    with SearchEngine(numbered(1)) as engine:
        assert len(ask(f"searxng:{engine.address},max_pages=7", count=1000)[0]) == 7
    assert len(engine.asked) == 7


def test_searxng_gets_a_request_for_each_form() -> None:
    """Results of all forms are mixed, by their ranks."""

    def answer(asked: Asked) -> Reply:
        name = asked.parameters["q"].split()[0]
        return page(*(f"http://{name}-{asked.parameters['pageno']}-{number}.example/" for number in range(3)))

    with SearchEngine(answer) as engine:
        found, _ = ask(f"searxng:{engine.address}/", GUITAR, count=5)
    assert engine.queries == ["guitar fret and", "guitars fret and"]
    hosts = [result.url.removeprefix("http://").partition(".")[0] for result in found]
    assert hosts == ["guitar-1-0", "guitars-1-0", "guitar-1-1", "guitars-1-1", "guitar-1-2"]


def test_settings_of_searxng() -> None:
    with SearchEngine(numbered(10)) as engine:
        ask(f"searxng:{engine.address}/search,engines=bing,mojeek,forms=or", GUITAR)
        ask(f"searxng:{engine.address},forms=first,categories=general", GUITAR, lang="")
    assert engine.queries == ["(guitar OR guitars) fret and", "guitar fret and"]
    assert engine.asked[0].parameters["engines"] == "bing,mojeek"
    assert engine.asked[1].parameters["categories"] == "general"
    assert engine.asked[1].parameters["language"] == "all"


def test_forms_of_words() -> None:
    query = Query((("a", "a2", "a3"), ("b", "b2"), ("c d",)), ("f",))
    assert [variant.text for variant in variants(query, "each")] == ['a b "c d" f', 'a2 b2 "c d" f', 'a3 b "c d" f']
    assert [variant.text for variant in variants(query, "first")] == ['a b "c d" f']
    assert [variant.text for variant in variants(query, "or")] == [query.text]
    assert set(FORMS) == {"or", "each", "first"}


def test_other_characters_reach_the_engine() -> None:
    query = Query((("žluťoučký & kůň", "x=y"), ("C#",), ("的",)), ("100%",))
    with SearchEngine(numbered(10)) as engine:
        ask(f"searxng:{engine.address},forms=first", query)
    assert engine.queries == ['"žluťoučký & kůň" C# 的 100%']


@pytest.mark.parametrize(
    ("reply", "seconds", "is_fatal", "message"),
    [
        (Reply("", 429), 60, False, "asks to wait"),
        (Reply("", 429, {"Retry-After": "7"}), 7, False, "asks to wait"),
        (Reply("", 503, {"Retry-After": "99999999999"}), 7 * 86_400, False, "asks to wait"),
        (Reply("", 503, {"Retry-After": "soon"}), 60, False, "asks to wait"),
        (Reply("oh", 500), 30, False, "failed"),
        (Reply("<html>Forbidden", 403, {"Content-Type": "text/html"}), None, True, "settings.yml"),
        (Reply("", 401), None, True, "formats: \\[html, json\\]"),
        (Reply("", 404), None, True, "look at the address"),
        (Reply('{"error": "No\x1b query"}', 400), None, False, "take the query .status 400.: .*No query"),
        (Reply("", 302), None, False, "does not take"),
        (Reply("<!DOCTYPE html><title>Are you human?"), 60, False, "captcha"),
        (Reply('{"results": [{"url": "http://a.exa'), None, False, "not JSON"),
        (Reply("[" * 200_000), None, False, "not JSON"),
        (Reply("9" * 10_000), None, False, "not JSON"),
        (Reply(b"\xff\xfe\x00"), None, False, "not JSON"),
        (Reply(""), None, False, "not JSON"),
        (Reply("null"), None, False, "no list 'results'"),
        (Reply({"answers": [], "query\x1b": 1}), None, False, "it has: answers, query"),
        (Reply({"results": {"url": "http://a.example/"}}), None, False, "no list"),
        (Reply({"results": "http://a.example/"}), None, False, "no list"),
        (Reply({"results": [], "unresponsive_engines": [["bing", "CAPTCHA"], 7]}), 60, False, "bing CAPTCHA"),
        (Reply(b" " * 11_000_000), None, False, "more than 10"),
        (Reply(gzip.compress(b" " * 20_000_000, 1), 200, {"Content-Encoding": "gzip"}), None, False, "more than 10"),
    ],
)
def test_why_a_query_is_not_answered(reply: Reply, seconds: float | None, is_fatal: bool, message: str) -> None:
    with SearchEngine(lambda _: reply) as engine, pytest.raises(ProviderError, match=message) as raised:
        ask(f"searxng:{engine.address}")
    assert raised.value.retry_seconds == seconds
    assert raised.value.is_fatal == is_fatal
    assert str(raised.value).isprintable()
    assert engine.address in str(raised.value)


def test_a_server_that_is_not_there() -> None:
    with SearchEngine(lambda _: page()) as engine:
        spec = f"searxng:{engine.address}"
    with pytest.raises(ProviderError, match="no connection") as raised:
        ask(spec)
    assert raised.value.retry_seconds == 5


def test_redirects_to_private_networks_are_refused() -> None:
    """Only the address that the user typed may be in one."""
    with SearchEngine(lambda _: page("http://a.example/")) as other:
        reply = Reply("", 302, {"Location": f"{other.address}/search"})
        with SearchEngine(lambda _: reply) as engine, pytest.raises(ProviderError, match="private") as raised:
            ask(f"searxng:{engine.address}")
    assert raised.value.is_fatal
    assert not other.asked


def test_results_that_are_no_addresses_are_left_out_and_counted() -> None:
    results = [
        "javascript:alert(1)",
        "file:///etc/passwd",
        "ftp://a.example/",
        "data:text/html,x",
        "http://user:secret@a.example/",
        "//a.example/",
        "/relative",
        "",
        None,
        7,
        ["http://a.example/"],
        {"url": "http://a.example/"},
        "http://a.example/\x1b[2J",
        "http://a.example/\nHost: b",
        "http://a.example/\u202egpj.exe",
        "http://" + "a" * 20_000 + ".example/",
        "http://\ud800.example/",
        "http://127.0.0.1:1/",
        "http://0x7f.1/",
        "http://[::1]/",
        "http://169.254.169.254/latest/meta-data/",
        "http://192.168.1.1/",
        "  HTTPS://Good.Example:443/a/../b?utm_source=x#c ",
    ]
    with SearchEngine(lambda _: page(*results)) as engine:
        found, left_out = ask(f"searxng:{engine.address},max_pages=1", count=100)
    assert [result.url for result in found] == ["https://good.example/b"]
    assert left_out == {"no web address": 17, "private network": 5}


def test_networks_that_the_user_allows_are_not_left_out() -> None:
    async def asking(spec: str) -> list[Result]:
        access = Access(networks=("127.0.0.0/16",))
        async with Session.open(access, delay=0, trusted=trusted_of(spec)) as session:
            return await provider_of(spec, session, lang="").search(PLAIN, 10)

    with SearchEngine(lambda _: page("http://127.0.0.1:8000/", "http://10.0.0.1/")) as engine:
        found = asyncio.run(asking(f"searxng:{engine.address}"))
    assert [result.url for result in found] == ["http://127.0.0.1:8000/"]


def test_titles_are_fit_to_be_shown() -> None:
    titles = ["a\x1b[31m \u202eb\n\nc", "x" * 10_000, 7, None, {"a": 1}]
    body = {"results": [{"url": f"http://{place}.example/", "title": title} for place, title in enumerate(titles)]}
    with SearchEngine(lambda _: Reply(body)) as engine:
        found, _ = ask(f"searxng:{engine.address}")
    assert [result.title for result in found] == ["a [31m b c", "x" * 300, "", "", ""]


def test_millions_of_results_are_not_looked_at() -> None:
    body = json.dumps({"results": [0] * 3_000_000})
    with SearchEngine(lambda _: Reply(body)) as engine:
        found, left_out = ask(f"searxng:{engine.address},max_pages=1", count=10**9)
    assert not found
    assert left_out == {"too many results on a page": 2_999_000, "no web address": 1_000}


def test_pages_before_an_error_count() -> None:
    def answer(asked: Asked) -> Reply:
        return numbered(10)(asked) if asked.parameters["pageno"] == "1" else Reply("", 429)

    with SearchEngine(answer) as engine:
        found, left_out = ask(f"searxng:{engine.address}", count=30)
    assert len(found) == 10
    assert left_out == {"page without an answer": 1}


ENGINE = """
name = "example"
address = "ADDRESS/v1?q={query}&offset={start}&num={count}&hl={lang}"
results = "data.items"
url = "link.href"
title = "link.text"
page_results = 2
first_result = 1
max_words = 10
"""


def described(tmp_path: Path, text: str, address: str = "http://127.0.0.1:1") -> str:
    file = tmp_path / "engine.toml"
    file.write_text(text.replace("ADDRESS", address), "utf-8")
    return f"json:{file}"


def items(*urls: str) -> Reply:
    return Reply({"data": {"items": [{"link": {"href": url, "text": url.upper()}} for url in urls]}})


def test_an_engine_that_a_file_describes(tmp_path: Path) -> None:
    def answer(asked: Asked) -> Reply:
        first = int(asked.parameters["offset"])
        return items(*(f"http://{number}.example/" for number in range(first, first + 2)))

    with SearchEngine(answer) as engine:
        found, _ = ask(described(tmp_path, ENGINE, engine.address), GUITAR, count=3, lang="eu")
    assert [(result.url, result.title) for result in found] == [
        ("http://1.example/", "HTTP://1.EXAMPLE/"),
        ("http://2.example/", "HTTP://2.EXAMPLE/"),
        ("http://3.example/", "HTTP://3.EXAMPLE/"),
    ]
    expected = {"q": GUITAR.text, "num": "2", "hl": "eu"}
    assert [asked.parameters for asked in engine.asked] == [{**expected, "offset": "1"}, {**expected, "offset": "3"}]


def test_an_engine_without_pages_is_asked_once(tmp_path: Path) -> None:
    text = 'address = "ADDRESS/?q={query}"\nresults = ""\nurl = "0"\ntitle = "1"'
    with SearchEngine(lambda _: Reply([["http://a.example/", "A"], ["http://b.example/"], [], 7])) as engine:
        found, left_out = ask(described(tmp_path, text, engine.address), count=100)
    assert [(result.url, result.title) for result in found] == [("http://a.example/", "A"), ("http://b.example/", "")]
    assert len(engine.asked) == 1
    assert left_out == {"no web address": 2}


def test_a_list_that_is_left_out_is_empty_if_it_was_there_before(tmp_path: Path) -> None:
    def answer(asked: Asked) -> Reply:
        return items("http://1.example/") if asked.parameters["offset"] == "1" else Reply({"query": "x"})

    with SearchEngine(answer) as engine:
        found, left_out = ask(described(tmp_path, ENGINE, engine.address))
        assert (len(found), left_out) == (1, {})


def test_keys_come_from_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EXAMPLE_KEY", "s3cret&x")
    header = ENGINE + 'key_variable = "EXAMPLE_KEY"\nheader = "X-Token: Bearer {key}"'
    address = ENGINE.replace("{lang}", "{lang}&key={key}") + 'key_variable = "EXAMPLE_KEY"'
    with SearchEngine(lambda _: items("http://a.example/")) as engine:
        ask(described(tmp_path, header, engine.address), count=1)
        ask(described(tmp_path, address, engine.address), count=1)
    assert engine.asked[0].headers["x-token"] == "Bearer s3cret&x"
    assert engine.asked[1].parameters["key"] == "s3cret&x"
    assert "x-token" not in engine.asked[1].headers


@pytest.mark.parametrize("reply", [Reply("", 403), Reply("", 500), Reply("<html>"), Reply("{}"), Reply("s", 400)])
def test_no_error_repeats_a_key(reply: Reply, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EXAMPLE_KEY", "s3cret")
    text = ENGINE.replace("{lang}", "{lang}&key={key}") + 'key_variable = "EXAMPLE_KEY"'
    with SearchEngine(lambda _: reply) as engine, pytest.raises(ProviderError) as raised:
        ask(described(tmp_path, text, engine.address))
    assert "s3cret" not in str(raised.value)
    assert ("EXAMPLE_KEY" in str(raised.value)) == (reply.status == 403)


def test_a_key_goes_to_no_other_origin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EXAMPLE_KEY", "s3cret")
    text = ENGINE + 'key_variable = "EXAMPLE_KEY"\nheader = "X-Token: {key}"'

    async def asking(spec: str, other: str) -> list[Result]:
        async with Session.open(Access(), delay=0, trusted=[*trusted_of(spec), other]) as session:
            return await provider_of(spec, session, lang="").search(PLAIN, 1)

    with SearchEngine(lambda _: items("http://a.example/")) as other:
        reply = Reply("", 307, {"Location": other.address})
        with SearchEngine(lambda _: reply) as engine:
            assert asyncio.run(asking(described(tmp_path, text, engine.address), other.address))
    assert engine.asked[0].headers["x-token"] == "s3cret"
    assert "x-token" not in other.asked[0].headers


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('key = "s3cret"', "key_variable"),
        ('address = "https://a.example/?q={query}&api_key=s3cret"', "key_variable"),
        ('address = "https://a.example/?q={query}&key={key}"\nkey_variable = "s3cret-1"', "not the key itself"),
        ('address = "https://a.example/?q={query}"\nkey_variable = "KEY"', "needs both"),
        ('address = "https://a.example/?q={query}&key={key}"', "needs both"),
        ('address = "https://a.example/?q={query}"\nheader = "X-Key: s3cret"', "place of the key"),
        ('address = "https://a.example/?q={query}"\nheader = "X-Key: {key}\\nHost: b"', "place of the key"),
        ('address = "https://a.example/?q={query}&x={key}"\nkey_variable = "GRISTMILL_NO_KEY"', "export GRISTMILL_NO"),
        ('address = "https://a.example/"', r"with \{query\} in it"),
        ('address = "file:///etc/{query}"', r"with \{query\} in it"),
        ('address = "https://{lang}.example/?q={query}"', "written out"),
        ('address = "https://a.example/?q={query}&p={seite}"', r"\{seite\}"),
        ('address = "https://a.example/?q={query}"\nforms = "some"', "or, each, first"),
        ('address = "https://a.example/?q={query}"\npage_results = 0', "page_results must be at least 1, not 0"),
        ('address = "https://a.example/?q={query}"\nmax_words = -1', "max_words must be at least 0"),
        ('adress = "https://a.example/?q={query}"', "did you mean 'address'"),
        ("address = 7", "address must be text, not 7"),
        ("address", "not valid TOML"),
    ],
)
def test_descriptions_that_are_wrong(text: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=message) as raised:
        ask(described(tmp_path, text))
    assert "s3cret" not in str(raised.value)


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("searx:http://a.example", "did you mean 'searxng'"),
        ("google", "there are: searxng, commoncrawl, "),
        ("searxng", "needs a place"),
        ("searxng:", "needs a place"),
        ("searxng:localhost:8888", "http://localhost:8888"),
        ("searxng:file:///etc/passwd", "not the address of a server"),
        ("searxng:http://a.example/?q=x", "more than the address"),
        ("searxng:http://a.example,form=or", "did you mean 'forms'"),
        ("searxng:http://a.example,forms=and", "or, each, first"),
        ("searxng:http://a.example,max_pages=x", "a whole number"),
        ("gristmill:corpus", "http://localhost:8080"),
        ("file:not-there.tsv", "no file not-there.tsv"),
        ("commoncrawl:../2026", "not a crawl"),
        ("commoncrawl:latest,server=here", "not the address of a server"),
        ("json:not-there.toml", "can't read the settings"),
    ],
)
def test_providers_that_are_wrong(spec: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        trusted_of(spec)


def test_trusted_addresses() -> None:
    assert trusted_of("searxng:http://localhost:8888/,engines=a,b,max_words=3") == ["http://localhost:8888"]
    assert trusted_of("gristmill:http://LOCALHOST:8080") == ["http://localhost:8080"]


def test_plugins_can_register_providers(tmp_path: Path) -> None:
    plugin = tmp_path / "own_provider.py"
    plugin.write_text(
        "from dataclasses import dataclass\n"
        "from gristmill import part\n"
        '@part("search provider", "own")\n'
        "@dataclass(frozen=True)\n"
        "class Own:\n"
        "    def trusted(self, place):\n"
        "        return [place]\n"
    )
    gristmill.load_plugin(str(plugin))
    assert trusted_of("own:http://a.example") == ["http://a.example"]
    assert "own" in PROVIDERS


def test_the_search_of_another_corpus(indexed: gristmill.Corpus) -> None:
    search = DocumentSearch(indexed.index)
    query = Query((("bread", "loaf"),), ("the",))
    expected = [item.url for item in search.search(query.text, limit=1000, lang="en").rows]
    with served(indexed.folder) as client:
        address = client.address
        whole, left_out = ask(f"gristmill:{address},page_results=4", query, count=1000)
        some, _ = ask(f"gristmill:{address}", query, count=3)
        nothing, _ = ask(f"gristmill:{address}", Query((("qwertyuiop",),)))
        with pytest.raises(ProviderError, match="no word"):
            ask(f"gristmill:{address}", Query((("!!!",),)))
    assert len(expected) > 4
    assert [result.url for result in whole] == expected
    assert [result.url for result in some] == expected[:3]
    assert nothing == []
    assert not left_out
