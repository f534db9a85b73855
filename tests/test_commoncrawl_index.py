"""Asking the indexes of archives: which captures they give, at what cost, and what they are not believed."""

from __future__ import annotations

import asyncio
import dataclasses
import gzip
import io
import json
from collections.abc import Iterator
from typing import Any

import pytest
from commoncrawl_server import CRAWL, NETWORKS, ArchiveServer, Reply, parquet_of, sample_server
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import parquet as pq

from gristmill.commoncrawl import Capture, Index, Pace, Servers, Wanted
from gristmill.commoncrawl.capture import is_path, refusal
from gristmill.commoncrawl.keys import Key, domain_keys, host_keys, key_of, url_keys
from gristmill.commoncrawl.piece import Piece
from gristmill.errors import GristmillError, UsageError
from gristmill.fetching.access import Access

PACE = Pace(parallel=4, rate=0, delay=0, back_off=0.01, retries=3)
GOOD = Capture("https://a.example/", "example,a)/", "20261017054040", "", "crawl-data/x.warc.gz", 5, 10)


@pytest.fixture
def server() -> Iterator[ArchiveServer]:
    with sample_server() as served:
        yield served


def find(server: ArchiveServer, wanted: Wanted, pace: Pace = PACE, **options: Any) -> list[Capture]:
    """Ask an index of a server."""

    async def ask() -> list[Capture]:
        servers = Servers(options.pop("data", server.address), server.address, server.address)
        async with Index.open(Access(networks=NETWORKS), servers, pace) as index:
            return [capture async for capture in index.find(wanted, **options)]

    return asyncio.run(ask())


def urls(captures: list[Capture]) -> set[str]:
    return {capture.url for capture in captures}


@pytest.mark.parametrize(
    ("url", "key"),
    [
        ("https://www.example.is/", "is,example)/"),
        ("http://example.is/News/?b=2&A=1", "is,example)/news?a=1&b=2"),
        ("https://www2.sub.example.is:8080/a/", "is,example,sub:8080)/a"),
        ("http://192.0.2.7/x", "192.0.2.7)/x"),
        ("http://[2001:db8::1]:81/", "[2001:db8::1]:81)/"),
    ],
)
def test_keys_of_addresses(url: str, key: str) -> None:
    assert key_of(url) == key


def test_keys_of_a_domain_are_those_of_its_hosts_alone() -> None:
    keys = domain_keys(".example.is")
    fitting = ["is,example)/", "is,example,www2)/a", "is,example:81)/"]
    others = ["is,example-two)/", "is,examples)/", "is)/", "is,exampl)/"]
    assert all(any(key.matches(text) for key in keys) for text in fitting)
    assert not any(key.matches(text) for key in keys for text in others)
    assert host_keys("www.example.is") == (Key("is,example)"), Key("is,example:"))


def test_keys_of_addresses_with_a_star() -> None:
    assert url_keys("https://example.org/news/*") == (
        Key("org,example)/news/"),
        Key("org,example)/news", is_whole=True),
    )
    assert url_keys("example.org/ne*") == (Key("org,example)/ne"),)
    assert url_keys("https://example.org") == (Key("org,example)/", is_whole=True),)
    for wrong in ("javascript:alert(1)", "https://*.example.org/", "*"):
        with pytest.raises(UsageError, match="no address of the web"):
            url_keys(wrong)


@given(st.lists(st.text("abc,)/", min_size=1, max_size=5), min_size=1), st.text("abc,)/", min_size=1, max_size=3))
def test_no_row_group_with_a_match_is_passed_over(keys: list[str], prefix: str) -> None:
    for key in (Key(prefix), Key(prefix, is_whole=True)):
        if any(map(key.matches, keys)):
            assert key.may_be_between(min(keys), max(keys))


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"languages": ("xx1",)}, "not a language code"),
        ({"languages": ("zzz",)}, "not a language code"),
        ({"domains": ("a b",)}, "no name of a host"),
        ({"since": "201"}, "no time"),
        ({"status": 7}, "no HTTP status"),
        ({"words": (" ",)}, "is empty"),
    ],
)
def test_what_can_not_be_wanted(wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        Wanted(**wrong).check()


@pytest.mark.parametrize("kind", ["columnar", "cdx", "wayback"])
def test_all_indexes_have_the_same_captures(server: ArchiveServer, kind: str) -> None:
    wanted = Wanted(domains=("gazette.example",), hosts=("spokes.example",))
    found = find(server, wanted, kind=kind)
    rows = [row for row in server.rows if row.status == 200 and row.mime == "text/html"]
    hosts = ("https://gazette.example/", "https://spokes.example/")
    assert urls(found) == {row.url for row in rows if row.url.startswith(hosts)}
    assert len(found) == 18
    by_url = {row.url: row for row in rows}
    for capture in found:
        row = by_url[capture.url]
        assert (capture.timestamp, capture.digest, capture.key) == (row.timestamp, row.digest, row.key)
        if kind != "wayback":
            assert (capture.filename, capture.offset, capture.length) == (row.filename, row.offset, row.length)


@pytest.mark.parametrize("kind", ["columnar", "cdx"])
def test_by_language_words_and_time(server: ArchiveServer, kind: str) -> None:
    czech = find(server, Wanted(domains=("example",), languages=("cs",)), kind=kind)
    assert {capture.languages for capture in czech} == {"ces,eng"}
    assert not find(server, Wanted(domains=("horal.example",), languages=("en",)), kind=kind)
    wanted = Wanted(domains=("gazette.example",), words=("CLOCK", "fish"), since="2023", until="202406")
    found = find(server, wanted, kind=kind)
    assert found
    assert all("clock" in capture.url or "fish" in capture.url for capture in found)
    assert not find(server, Wanted(domains=("gazette.example",), until="1999"), kind=kind)


def test_without_a_site_only_the_columnar_index_can_be_asked(server: ArchiveServer) -> None:
    assert len(find(server, Wanted(languages=("cs",)))) == 14
    with pytest.raises(UsageError, match="asked for a site"):
        find(server, Wanted(languages=("cs",)), kind="cdx")


def test_words_with_other_letters(server: ArchiveServer) -> None:
    page = {**server.rows[0].parquet(), "fetch_status": 200, "content_mime_detected": "text/html"}
    names = ("fr%C3%A9ttir", "fr%c3%a9ttir", "other")
    rows = [{**page, "url": f"https://a.example/{name}", "url_surtkey": f"example,a)/{name}"} for name in names]
    server.add_index([parquet_of(rows)])
    found = find(server, Wanted(words=("fréttir",)))
    assert urls(found) == {"https://a.example/fr%C3%A9ttir", "https://a.example/fr%c3%a9ttir"}


def test_limits_and_random_order(server: ArchiveServer) -> None:
    first = find(server, Wanted(), limit=12)
    assert len(first) == 12
    assert [capture.key for capture in first] == sorted(capture.key for capture in first)
    mixed = [find(server, Wanted(), limit=12, per_piece=2, seed=seed) for seed in (1, 1, 2)]
    assert mixed[0] == mixed[1] != mixed[2]
    assert len({capture.key.partition(")")[0] for capture in mixed[0]}) > len(
        {capture.key.partition(")")[0] for capture in first}
    )


def test_only_what_is_needed_of_the_columnar_index_is_read(server: ArchiveServer) -> None:
    find(server, Wanted(hosts=("gazette.example",)), crawls=[CRAWL])
    of_rows = [request for request in server.requests if not request.range.startswith("bytes=-")]
    assert [request.path.rpartition("/")[2] for request in of_rows if "parquet" in request.path] == [
        "part-00000.c000.gz.parquet"
    ] * 2
    whole = sum(len(data) for path, data in server.files.items() if path.endswith("parquet"))
    assert sum(request.sent for request in of_rows) < whole / 5


def test_a_language_that_nobody_has_costs_only_one_column(server: ArchiveServer) -> None:
    find(server, Wanted(languages=("eu",), status=0, types=()), crawls=[CRAWL])
    groups = [request for request in server.requests if "parquet" in request.path and request.range[6] != "-"]
    assert len(groups) == sum(-(-len(part) // 20) for part in _parts(server))
    assert max(request.sent for request in groups) < 200


def _parts(server: ArchiveServer) -> list[range]:
    size = -(-len(server.rows) // 3)
    return [range(at, min(at + size, len(server.rows))) for at in range(0, len(server.rows), size)]


def test_an_index_without_statistics_or_languages(server: ArchiveServer) -> None:
    rows = [row.parquet() for row in server.rows]
    server.add_index([parquet_of(rows, write_statistics=False)])
    assert len(find(server, Wanted(hosts=("gazette.example",)))) == 10
    path = next(path for path in server.files if path.endswith("parquet"))
    sink = io.BytesIO()
    pq.write_table(pq.read_table(io.BytesIO(server.files[path])).drop_columns(["content_languages"]), sink)
    server.files[path] = sink.getvalue()
    assert len(find(server, Wanted(hosts=("gazette.example",)))) == 10
    with pytest.raises(GristmillError, match="knows no languages"):
        find(server, Wanted(hosts=("gazette.example",), languages=("en",)))


def test_steps_that_are_done_are_not_done_again(server: ArchiveServer) -> None:
    wanted = Wanted(domains=("gazette.example",))

    async def ask() -> tuple[int, int]:
        servers = Servers(server.address, server.address, server.address)
        counts = []
        done: dict[str, str] = {}
        for _ in range(2):
            async with Index.open(Access(networks=NETWORKS), servers, PACE) as index:
                for kind in ("columnar", "cdx", "wayback"):
                    async for piece in index.ask(wanted, [CRAWL], done, kind):
                        done[piece.step] = piece.value
            counts.append(len(server.requests))
        return counts[0], counts[1]

    first, second = asyncio.run(ask())
    assert first == second > 5


def test_no_captures(server: ArchiveServer) -> None:
    for kind in ("columnar", "cdx", "wayback"):
        assert find(server, Wanted(domains=("nobody.example",)), kind=kind) == []


def test_a_crawl_that_is_not_there(server: ArchiveServer) -> None:
    with pytest.raises(GristmillError, match=r"no columnar index of the crawl 'CC-MAIN-1999-01'"):
        find(server, Wanted(domains=("a.example",)), crawls=["CC-MAIN-1999-01"])
    with pytest.raises(UsageError, match="not the name of a crawl"):
        find(server, Wanted(domains=("a.example",)), crawls=["../../etc"])


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"url": "javascript:alert(1)"}, "address"),
        ({"url": "file:///etc/passwd"}, "address"),
        ({"url": "https://a.example/\x1b[31m"}, "address"),
        ({"url": "https://a.example/\ud800"}, "address"),
        ({"url": "https://a.example/ x"}, "address"),
        ({"key": "a\ud800"}, "line"),
        ({"key": "a" * 100_000}, "line"),
        ({"timestamp": "2026"}, "date"),
        ({"timestamp": "20261340000000"}, "date"),
        ({"filename": "../../etc/passwd"}, "path"),
        ({"filename": "/etc/passwd"}, "path"),
        ({"filename": "crawl-data/../x"}, "path"),
        ({"filename": "https://evil.example/x"}, "path"),
        ({"filename": "a?b"}, "path"),
        ({"filename": "a" * 1_000}, "path"),
        ({"offset": -1}, "range"),
        ({"length": 0}, "range"),
        ({"length": -5}, "range"),
        ({"length": 10**12}, "range"),
        ({}, ""),
    ],
)
def test_hostile_entries(change: dict[str, Any], reason: str) -> None:
    assert refusal(dataclasses.replace(GOOD, **change)) == reason


@given(st.text())
def test_a_path_leads_nowhere_else(text: str) -> None:
    if is_path(text):
        assert not text.startswith(("/", "."))
        assert ".." not in text.split("/")
        assert not {":", "?", "#", "%", "\\", "\n", " "} & set(text)


def test_hostile_lines_of_the_cdx_server(server: ArchiveServer) -> None:
    good = next(row for row in server.rows if row.url == "https://gazette.example/").cdx()
    server.cdx_lines = [
        "not json",
        "[" * 100_000,
        "[]",
        json.dumps({"url": 5}),
        json.dumps({**good, "offset": "-5"}),
        json.dumps({**good, "length": "9" * 400}),
        json.dumps({**good, "filename": "../../x"}),
        json.dumps({**good, "url": "javascript:alert(1)"}),
    ]
    pieces: list[Piece] = []

    async def ask() -> None:
        servers = Servers(server.address, server.address, server.address)
        done: dict[str, str] = {}
        async with Index.open(Access(networks=NETWORKS), servers, PACE) as index:
            async for piece in index.ask(Wanted(hosts=("gazette.example",)), [CRAWL], done, "cdx"):
                done[piece.step] = piece.value
                pieces.append(piece)

    asyncio.run(ask())
    assert sum(len(piece.captures) for piece in pieces) == 10
    assert dict(sum((piece.refused for piece in pieces), pieces[0].refused)) == {
        "line": 3,
        "range": 2,
        "path": 1,
        "address": 2,
    }


@pytest.mark.parametrize(
    "body", [b"", b"{", b"[[[", b"5", b'{"pages": -1}', b'{"pages": true}', b'{"pages": 99999999999}', b"\xff"]
)
def test_hostile_answers_of_the_cdx_server(server: ArchiveServer, body: bytes) -> None:
    server.fault = lambda path, _: Reply(200, body) if path.endswith("-index") else None
    if body == b"5":  # as older servers answer: five pages
        server.fault = lambda path, _: Reply(200, b'{"pages": "x"}') if path.endswith("-index") else None
    with pytest.raises(GristmillError, match=r"can't be read|does not say how many pages"):
        find(server, Wanted(hosts=("gazette.example",)), kind="cdx", crawls=[CRAWL])


@pytest.mark.parametrize("rows", [5, {}, [5], [[]], [["a"], ["b"]], [["h"], [], ["key"], 5], [["x"] * 7, [1] * 7]])
def test_hostile_answers_of_the_wayback_machine(server: ArchiveServer, rows: Any) -> None:
    server.fault = lambda path, _: Reply(200, json.dumps(rows).encode()) if path.startswith("cdx") else None
    assert find(server, Wanted(hosts=("gazette.example",)), kind="wayback") == []


def test_a_resume_key_that_never_changes(server: ArchiveServer) -> None:
    row = ["example,a)/", "20261017054040", "https://a.example/", "text/html", "200", "", "5"]
    body = json.dumps([["h"] * 7, row, [], ["same"]]).encode()
    server.fault = lambda path, _: Reply(200, body) if path.startswith("cdx") else None
    assert len(find(server, Wanted(hosts=("a.example",)), kind="wayback")) == 1
    assert len(server.requests) == 3


@pytest.mark.parametrize(
    "part",
    [
        b"",
        b"PAR1",
        b"x" * 100,
        b"x" * 100 + (2**31).to_bytes(4, "little") + b"PAR1",
        b"x" * 100 + (50).to_bytes(4, "little") + b"PAR1",
    ],
)
def test_a_file_of_the_index_that_is_damaged(server: ArchiveServer, part: bytes) -> None:
    server.add_index([part])
    with pytest.raises(GristmillError, match="can't read the columnar index"):
        find(server, Wanted(hosts=("gazette.example",)))


def test_parts_of_the_index_that_are_cut_or_others(server: ArchiveServer) -> None:
    right = server.files

    def cut(path: str, asked: str) -> Reply | None:
        if not path.endswith("parquet") or asked.startswith("bytes=-"):
            return None
        start, end = map(int, asked.removeprefix("bytes=").split("-"))
        body = b"\0" * (end - start + 1)
        return Reply(206, body, {"Content-Range": f"bytes {start}-{end}/{len(right[path])}"})

    server.fault = cut
    with pytest.raises(GristmillError, match="can't read the columnar index"):
        find(server, Wanted(hosts=("gazette.example",)))


def test_lists_of_the_index_that_lead_elsewhere(server: ArchiveServer) -> None:
    listed = b"../../subset=warc/x.parquet\n/etc/subset=warc/x.parquet\nhttp://evil.example/subset=warc/a.parquet\n"
    server.files[f"crawl-data/{CRAWL}/cc-index-table.paths.gz"] = gzip.compress(listed)
    assert find(server, Wanted(hosts=("gazette.example",))) == []
    server.files[f"crawl-data/{CRAWL}/cc-index-table.paths.gz"] = gzip.compress(listed)[:-12]
    with pytest.raises(GristmillError, match="no columnar index"):
        find(server, Wanted(hosts=("gazette.example",)))
    server.files[f"crawl-data/{CRAWL}/cc-index-table.paths.gz"] = gzip.compress(b"a\n" * 200_000_000, 1)
    with pytest.raises(GristmillError, match="no columnar index"):
        find(server, Wanted(hosts=("gazette.example",)))


@pytest.mark.parametrize("kind", ["columnar", "cdx"])
def test_a_server_that_wants_a_rest_gets_it(server: ArchiveServer, kind: str) -> None:
    refusals = iter([503, 429, 403])

    def busy(path: str, _: str) -> Reply | None:
        if "parquet" in path or path.endswith("-index"):
            status = next(refusals, 0)
            return Reply(status, b"SlowDown") if status else None
        return None

    server.fault = busy
    pace = Pace(parallel=1, rate=0, delay=0, back_off=0.01, retries=5)
    assert len(find(server, Wanted(hosts=("gazette.example",)), pace=pace, kind=kind)) == 10


def test_a_server_that_asks_for_hours_is_left_alone(server: ArchiveServer) -> None:
    server.fault = lambda path, _: Reply(429, b"", {"Retry-After": "86400"}) if path.endswith("-index") else None
    with pytest.raises(GristmillError, match=r"left alone for 1 d .* go on later"):
        find(server, Wanted(hosts=("gazette.example",)), kind="cdx", crawls=[CRAWL])
    assert len(server.requests) == 1


def test_redirects_into_private_networks_are_refused(server: ArchiveServer) -> None:
    target = {"Location": "http://10.0.0.1/collinfo.json"}
    server.fault = lambda path, _: Reply(302, b"", target) if path == "collinfo.json" else None
    with pytest.raises(GristmillError, match="network"):
        find(server, Wanted(hosts=("gazette.example",)))
