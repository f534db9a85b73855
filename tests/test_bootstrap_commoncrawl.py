"""Common Crawl's index as a search provider: words in addresses, looked up in parts of the index that are read once."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

import pytest
from commoncrawl_server import CRAWL, ArchiveServer, Reply, Row, parquet_of

from gristmill.bootstrapping.providers import ProviderError, provider_of, trusted_of
from gristmill.bootstrapping.query import Query
from gristmill.fetching.access import Access
from gristmill.fetching.session import Session

PAGES = {
    "https://music.example/guitar-frets.html": "eng",
    "https://music.example/guitars/strings": "eng",
    "https://a.example/2026/The_Guitar_Fret?page=1": "eng",
    "https://a.example/kytary/pražce": "ces",
    "https://b.example/%D0%B3%D0%B8%D1%82%D0%B0%D1%80%D0%B0": "rus",
    "https://b.example/afret": "eng",
    "https://c.example/page?id=7": "eng",
    "http://10.0.0.1/guitar": "eng",
}


def row(url: str, languages: str) -> Row:
    filename = f"crawl-data/{CRAWL}/segments/1/warc/x.warc.gz"
    return Row(url, datetime(2026, 10, 17, tzinfo=UTC), 200, "A" * 32, "text/html", languages, filename, 0, 100)


@pytest.fixture
def server() -> Iterator[ArchiveServer]:
    with ArchiveServer() as started:
        rows = [row(*page).parquet() for page in PAGES.items()]
        started.add_index([parquet_of(rows[:4], group=2), parquet_of(rows[4:], group=2)])
        yield started


def ask(spec: str, queries: Sequence[Query], count: int = 10, lang: str = "en") -> tuple[list[set[str]], Counter[str]]:
    async def asking() -> tuple[list[set[str]], Counter[str]]:
        async with Session.open(Access(), delay=0, trusted=trusted_of(spec)) as session:
            provider = provider_of(spec, session, lang=lang)
            found = [{result.url for result in await provider.search(query, count)} for query in queries]
            return found, provider.left_out

    return asyncio.run(asking())


GUITAR = Query((("guitar",), ("fret",)), ("the",))


def test_addresses_with_most_words_come_first(server: ArchiveServer) -> None:
    (best, whole), left_out = _ask_twice(server, GUITAR, 2)
    assert best == {"https://music.example/guitar-frets.html", "https://a.example/2026/The_Guitar_Fret?page=1"}
    assert whole == {*best, "https://music.example/guitars/strings"}
    assert left_out == {"private network": 1}


def _ask_twice(server: ArchiveServer, query: Query, count: int) -> tuple[list[set[str]], Counter[str]]:
    spec = f"commoncrawl:{CRAWL},server={server.address}"
    first, _ = ask(spec, [query], count)
    second, left_out = ask(spec, [query])
    return [*first, *second], left_out


def test_the_index_is_read_once_for_all_queries(server: ArchiveServer) -> None:
    spec = f"commoncrawl:latest,server={server.address}"
    ask(spec, [GUITAR])
    once = len(server.requests)
    found, _ = ask(spec, [GUITAR, Query((("strings",),)), Query((("banjo",),))])
    assert len(server.requests) == 2 * once
    assert found[1:] == [{"https://music.example/guitars/strings"}, set()]


@pytest.mark.parametrize(
    ("lang", "forms", "url"),
    [
        ("cs", ("kytara", "kytary"), "https://a.example/kytary/pra%C5%BEce"),
        ("cs", ("Pražce",), "https://a.example/kytary/pra%C5%BEce"),
        ("ru", ("гитара",), "https://b.example/%D0%B3%D0%B8%D1%82%D0%B0%D1%80%D0%B0"),
        ("", ("the guitar fret",), "https://a.example/2026/The_Guitar_Fret?page=1"),
    ],
)
def test_forms_accents_and_scripts(server: ArchiveServer, lang: str, forms: tuple[str, ...], url: str) -> None:
    (found,), _ = ask(f"commoncrawl:{CRAWL},server={server.address}", [Query((forms,))], lang=lang)
    assert found == {url}


def test_words_without_letters_find_nothing(server: ArchiveServer) -> None:
    found, _ = ask(f"commoncrawl:{CRAWL},server={server.address}", [Query((("!!!",),)), Query(())])
    assert found == [set(), set()]


def test_settings(server: ArchiveServer) -> None:
    spec = f"commoncrawl:{CRAWL},server={server.address}"
    (found,), _ = ask(f"{spec},domains=music.example", [GUITAR])
    assert found == {"https://music.example/guitar-frets.html", "https://music.example/guitars/strings"}
    (few,), _ = ask(f"{spec},addresses=1,row_groups=1", [Query((("a",), ("b",), ("c",), ("music",), ("10",)))], lang="")
    assert len(few) <= 1


def test_an_index_that_is_not_there(server: ArchiveServer) -> None:
    server.fault = lambda path, _: Reply(404) if "paths" in path else None
    with pytest.raises(ProviderError, match="no columnar index") as raised:
        ask(f"commoncrawl:{CRAWL},server={server.address}", [GUITAR])
    assert raised.value.is_fatal
    assert str(raised.value).isprintable()


def test_an_index_that_is_broken(server: ArchiveServer) -> None:
    server.fault = lambda path, _: (
        Reply(206, b"x" * 100, {"Content-Range": "bytes 0-99/100"}) if "part-" in path else None
    )
    with pytest.raises(ProviderError, match="can't read"):
        ask(f"commoncrawl:{CRAWL},server={server.address}", [GUITAR])
