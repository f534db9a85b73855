"""The local web itself: that it is the same each time, true to its truth, and misbehaves as it says."""

from __future__ import annotations

import asyncio
import re
import socket
import ssl
import time
import zlib
from collections.abc import Callable, Iterator
from html import unescape
from itertools import islice
from urllib.parse import urljoin, urlsplit

import pytest
from localweb import LocalWeb, ServedWeb, Truth, UniformWeb, Visit, trapped, violations
from localweb.answer import Answer
from localweb.articles import ArticleSite
from localweb.misbehaviour import WAYS
from localweb.robots import RobotsSite
from localweb.roster import CLASSES
from localweb.site import Site
from localweb.traps import MirrorSite
from localweb.web import UNTOUCHABLE, UNTOUCHABLE_IP
from protego import Protego
from waiting import PATIENCE, wait_until

import gristmill
from gristmill.fetching.exchange import Endpoint

SCALE = 0.03
_SILENT = {"silence": 0.4, "drip": 1.0, "drip-head": 0.4, "stall": 1.0, "huge-length": 1.0, "huge-chunk": 1.0}
"""Seconds after which nothing more is expected of these, or not all."""
_HREF = re.compile(r'<a href="([^"]*)"')


@pytest.fixture(scope="module")
def web() -> LocalWeb:
    return LocalWeb(1, SCALE)


@pytest.fixture(scope="module")
def pages(web: LocalWeb) -> list[Truth]:
    return list(web.walk())


@pytest.fixture(scope="module")
def served(web: LocalWeb) -> Iterator[ServedWeb]:
    with ServedWeb(web, tempo=0.002) as served:
        yield served


def _site(web: LocalWeb, kind: str, variant: str | None = None) -> Site:
    return next(site for site in web.sites.values() if site.plan.kind == kind and variant in {None, site.plan.variant})


def _words(body: bytes, method: str = "mill") -> tuple[int, str | None]:
    document = gristmill.clean(body, method=method)
    return len(document.text.split()), document.lang


def test_the_same_seed_gives_the_same_web() -> None:
    first, again, other = LocalWeb(3, SCALE), LocalWeb(3, SCALE), LocalWeb(4, SCALE)
    assert list(first.sites) == list(again.sites) != list(other.sites)
    assert first.seeds == again.seeds
    assert first.hosts == again.hosts
    for host, site in list(first.sites.items())[::7]:
        assert site.answer("/") == again.sites[host].answer("/")
    assert list(islice(first.walk(), 60)) == list(islice(again.walk(), 60))


def test_there_are_sites_of_every_kind(web: LocalWeb) -> None:
    assert len(web.sites) >= 200
    assert {site.plan.kind for site in web.sites.values()} == set(CLASSES)
    assert {site.plan.variant.lstrip("!") for site in web.sites.values() if site.plan.kind == "faulty"} >= set(WAYS)
    assert len(set(web.hosts.values())) < len(web.sites)  # some share an IP address
    czech = [site for site in web.sites.values() if site.plan.kind in {"text", "mixed", "encoding"}]
    assert 0.05 < len(czech) / len(web.sites) < 0.2


def test_links_lead_to_all_sites_that_may_be_visited(web: LocalWeb, pages: list[Truth]) -> None:
    reached = {urlsplit(truth.url).hostname for truth in pages}
    for host, site in web.sites.items():
        shut = site.forbidden("/") or site.plan.kind == "tls" or site.plan.variant.startswith("!")
        assert (host in reached) == (not shut), host
    assert not reached & set(UNTOUCHABLE)


def test_totals_count_copies_once(web: LocalWeb, pages: list[Truth]) -> None:
    texts = {truth.text_key: truth.words for truth in reversed(pages) if truth.text_key}
    assert web.totals.pages == len(pages)
    assert web.totals.size == sum(truth.size for truth in pages)
    assert web.totals.words == sum(texts.values()) < sum(truth.words for truth in pages)
    assert web.totals.words > 50_000


@pytest.mark.parametrize("kind", ["text", "encoding", "mixed", "language"])
def test_articles_are_text_in_their_language(web: LocalWeb, kind: str) -> None:
    for site in [site for site in web.sites.values() if site.plan.kind == kind]:
        assert isinstance(site, ArticleSite)
        for number in range(2):
            answer = site.article(number)
            words, lang = _words(answer.body)
            assert words == pytest.approx(answer.words, rel=0.05, abs=8), site.host
            assert lang == answer.lang, site.host


@pytest.mark.parametrize("kind", ["shop", "listing", "gallery", "farm"])
def test_thin_sites_have_hardly_any_text(web: LocalWeb, kind: str) -> None:
    found = size = 0
    for site in [site for site in web.sites.values() if site.plan.kind == kind and site.plan.variant != "list"]:
        answer = site.answer("/")
        assert answer.words == 0
        found += _words(answer.body, "justext")[0]  # which looks for running text: to `mill`, offers are text, too
        size += len(answer.body)
    assert found < size / 1000


def test_the_truth_knows_the_links_of_pages(web: LocalWeb, pages: list[Truth]) -> None:
    for truth in pages[::3]:
        parts = urlsplit(truth.url)
        site = web.sites[parts.hostname or ""]
        if site.plan.kind in {"session", "malicious", "redirect", "faulty", "mirror"}:
            continue
        answer = site.answer(parts.path)
        if answer.status == 200 and answer.content_type.startswith("text/html") and answer.links:
            html = answer.body.decode("utf-8", "replace")
            written = {urljoin(truth.url, unescape(href)) for href in _HREF.findall(html)}
            stated = set(answer.links)
            assert stated <= written | {f"{site.origin}/{lang}{parts.path}" for lang in ("en", "de")}, truth.url
            if site.plan.kind != "directive":
                extra = {url for url in written - stated if "/foto/" not in url and "//#" not in url}
                assert not extra, truth.url


def test_mirrors_have_the_text_of_their_originals(web: LocalWeb) -> None:
    for variant, same in (("", True), ("near", False)):
        mirror = _site(web, "mirror", variant)
        assert isinstance(mirror, MirrorSite)
        target = mirror.original.path(0)
        ours, theirs = mirror.answer(target), mirror.original.answer(target)
        assert ours.text_key == theirs.text_key
        assert (ours.body == theirs.body) is same
        common = len(set(ours.body.split()) & set(theirs.body.split()))
        assert common > 0.9 * len(set(theirs.body.split()))


def test_sessions_are_the_same_pages_under_other_addresses(web: LocalWeb) -> None:
    for variant in ("path", "query", "aspx"):
        site = _site(web, "session", variant)
        once, twice = (site.answer(target) for target in ("/", site.answer("/").links[0].removeprefix(site.origin)))
        assert not set(once.links) & {link for link in twice.links if link.startswith(site.origin)}
        assert web.plain(once.links[-1]) in {web.plain(link) for link in once.links}
        inner = [link.removeprefix(site.origin) for link in once.links if link.startswith(site.origin)]
        assert all(site.trap(target) == "session" for target in inner)
        article = next(target for target in inner if site.answer(target).text)
        assert site.answer(article).text == site.answer(site.plain(article)).text


@pytest.mark.parametrize(
    ("kind", "steps"),
    [("calendar", 300), ("facets", 300), ("growing", 60), ("deep", 300), ("endless", 300), ("soft-404", 300)],
)
def test_traps_have_no_end(web: LocalWeb, kind: str, steps: int) -> None:
    site = _site(web, kind)
    waiting = [link.removeprefix(site.origin) for link in site.answer("/").links]
    waiting = [target for target in waiting if site.trap(target) == kind]
    seen = set(waiting)
    for _ in range(steps):
        answer = site.answer(waiting.pop())
        assert answer.status == 200
        new = {link.removeprefix(site.origin) for link in answer.links if link.startswith(site.origin)} - seen
        seen |= new
        waiting += [target for target in new if site.trap(target) == kind]
    assert len(waiting) > 10


def test_names_below_a_host_have_no_end(web: LocalWeb) -> None:
    (parent,) = web.endless_hosts
    host = f"u977.{parent}"
    assert web.resolve(host) == web.hosts[parent]
    assert web.resolve(f"a.b.{parent}") is None
    answer = web.answer(host, "/", web.sites[parent].plan.scheme)
    assert answer is not None
    assert any(f"u{977 * 4 + 1}.{parent}" in link for link in answer.links)
    truth = web.truth(f"{web.sites[parent].plan.scheme}://{host}/")
    assert truth is not None
    assert truth.trap == "subdomains"


def test_what_robots_txt_forbids_is_what_a_parser_reads(web: LocalWeb) -> None:
    read = 0
    for site in web.sites.values():
        rules = site.robots()
        if not isinstance(site, RobotsSite) or rules.status != 200 or rules.behaviour:
            continue
        if site.plan.variant in {"utf-16", "binary", "long"}:
            continue  # not for a parser, or only up to a limit
        robots = Protego.parse(rules.body.decode("utf-8-sig"))
        read += 1
        for target in ["/", *(site.path(number) for number in range(24))]:
            allowed = robots.can_fetch(site.origin + target, "gristmill")
            assert allowed == (not site.forbidden(target)), (site.plan.variant, target)
    assert read > 10


def _connect(served: ServedWeb, host: str, *, tls: bool = False) -> socket.socket:
    address = served.web.hosts.get(host) or served.web.hosts[host.partition(".")[2]]
    connection = socket.create_connection((address, served.port), timeout=PATIENCE)
    if not tls:
        return connection
    try:
        return served.ssl_context.wrap_socket(connection, server_hostname=host)
    except ssl.SSLError:
        connection.close()
        raise


def _ask(
    served: ServedWeb, host: str, target: str, *, tls: bool = False, limit: int = 3_000_000, patience: float = PATIENCE
) -> bytes:
    """All that the server sends, up to a limit; a timeout or reset ends it too, with a mark."""
    received = bytearray()
    with _connect(served, host, tls=tls) as connection:
        deadline = time.monotonic() + patience
        connection.sendall(f"GET {target} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n".encode())
        try:
            while len(received) < limit:
                connection.settimeout(max(0.001, deadline - time.monotonic()))
                data = connection.recv(65_536)
                if not data:
                    break
                received += data
        except TimeoutError:
            received += b"<TIMEOUT>"
        except ConnectionResetError:
            received += b"<RESET>"
    return bytes(received)


def _parts(data: bytes) -> tuple[bytes, bytes]:
    head, _, body = data.partition(b"\r\n\r\n")
    return head, body


def test_sound_answers_are_sent_as_they_are(web: LocalWeb, served: ServedWeb) -> None:
    for variant in ("", "gzip", "chunked", "gzip+chunked"):
        site = _site(web, "text", variant)
        assert isinstance(site, ArticleSite)
        target = site.path(0)
        head, body = _parts(_ask(served, site.host, target, tls=site.plan.scheme == "https"))
        assert head.startswith(b"HTTP/1.1 200 OK")
        if "chunked" in variant:
            body = _unchunked(body)
        if "gzip" in variant:
            body = zlib.decompress(body, 31)
        assert body == site.answer(target).body


def _unchunked(body: bytes) -> bytes:
    result = b""
    while True:
        size, _, body = body.partition(b"\r\n")
        if int(size, 16) == 0:
            return result
        result += body[: int(size, 16)]
        body = body[int(size, 16) + 2 :]


def test_sites_of_one_scheme_redirect_from_the_other(web: LocalWeb, served: ServedWeb) -> None:
    site = next(site for site in web.sites.values() if site.plan.kind == "text" and site.plan.scheme == "https")
    head, _ = _parts(_ask(served, site.host, "/rubrika/0"))
    assert head.startswith(b"HTTP/1.1 301")
    assert f"Location: https://{site.host}/rubrika/0".encode() in head


def test_certificates_are_good_or_bad_as_they_should_be(web: LocalWeb, served: ServedWeb) -> None:
    site = _site(web, "text")
    (parent,) = web.endless_hosts
    assert b"HTTP/1.1 " in _ask(served, site.host, "/", tls=True)
    assert b"HTTP/1.1 " in _ask(served, f"u5.{parent}", "/", tls=True)
    reasons = {"untrusted": "issuer", "expired": "expired", "name": "mismatch"}
    for host, fault in web.faulty_tls.items():
        with pytest.raises(ssl.SSLCertVerificationError, match=reasons[fault]):
            _connect(served, host, tls=True)


def _length(data: bytes) -> int:
    match = re.search(rb"Content-Length: (-?\d+)", data)
    return int(match[1]) if match else -2


# What is seen on a raw socket, for each way to misbehave.
_SEEN: dict[str, Callable[[bytes, Answer], bool]] = {
    "late": lambda data, answer: data.endswith(answer.body[-20:]),
    "silence": lambda data, _: data == b"<TIMEOUT>",
    "drip": lambda data, answer: 10 < len(_parts(data)[1]) < len(answer.body) and data.endswith(b"<TIMEOUT>"),
    "drip-head": lambda data, _: data.startswith(b"HTTP/1.1 200") and b"<html" not in data,
    "stall": lambda data, answer: _length(data) == len(answer.body) and data.endswith(b"<TIMEOUT>"),
    "reset": lambda data, _: data == b"<RESET>",
    "close": lambda data, _: data == b"",
    "cut": lambda data, answer: _length(data) == len(answer.body) > len(_parts(data)[1]) and b"<TIM" not in data,
    "cut-head": lambda data, _: 0 < len(data) <= 30,
    "cut-chunks": lambda data, _: b"chunked" in data and b"\r\n400\r\n" in data and b"\r\n0\r\n" not in data,
    "short-length": lambda data, answer: 0 < _length(data) < len(answer.body) == len(_parts(data)[1]),
    "long-length": lambda data, answer: _length(data) > len(answer.body) == len(_parts(data)[1]),
    "two-lengths": lambda data, _: data.count(b"Content-Length:") == 2,
    "negative-length": lambda data, _: _length(data) == -1,
    "huge-length": lambda data, _: _length(data) == 10**15,
    "endless": lambda data, _: len(data) >= 1_000_000 and _length(data) == -2,
    "endless-chunked": lambda data, _: len(data) >= 1_000_000 and b"chunked" in data,
    "bomb": lambda data, _: len(zlib.decompressobj(31).decompress(_parts(data)[1], 30_000_000)) == 30_000_000,
    "nested-bomb": lambda data, _: b"gzip, gzip, gzip" in data and len(data) < 100_000,
    "header-flood": lambda data, _: len(data) >= 1_000_000 and b"\r\n\r\n" not in data,
    "huge-header": lambda data, _: len(_parts(data)[0]) > 1_000_000,
    "interim-flood": lambda data, _: data.count(b"HTTP/1.1 103") > 10_000,
    "bad-chunks": lambda data, _: b"\r\n\r\nzz\r\n" in data,
    "huge-chunk": lambda data, _: b"\r\n\r\nffffffffffffffff\r\n" in data,
    "length-and-chunks": lambda data, _: b"chunked" in data and _length(data) == 5,
    "binary": lambda data, _: bytes(range(256)) in data and b"text/html" in data,
    "as-image": lambda data, answer: b"image/png" in data and answer.body in data,
    "wrong-coding": lambda data, answer: b"Content-Encoding: gzip" in data and answer.body in data,
    "cut-coding": lambda data, _: (
        not (unpacked := zlib.decompressobj(31)).decompress(_parts(data)[1]) or not unpacked.eof
    ),
    "unknown-coding": lambda data, _: b"Content-Encoding: x-nonsense" in data,
    "garbage": lambda data, _: data.startswith(b"SSH-2.0"),
    "bare-body": lambda data, answer: data == answer.body,
    "bad-status": lambda data, _: data.startswith(b"HTTP/1.1 two-hundred \x1b"),
    "bad-headers": lambda data, _: b"no colon here\r\n" in data and b"a\0b" in data,
    "split-header": lambda data, _: data.count(b"HTTP/1.1 200") == 2,
    "busy": lambda data, _: data.startswith(b"HTTP/1.1 503") and b"Retry-After: 1" in data,
    "too-many": lambda data, _: data.startswith(b"HTTP/1.1 429") and b"Retry-After: 3600" in data,
    "retry-date": lambda data, _: b"Retry-After: Fri, 31 Dec 2038" in data,
}


@pytest.mark.parametrize("way", list(WAYS))
def test_servers_misbehave_as_they_should(web: LocalWeb, served: ServedWeb, way: str) -> None:
    site = _site(web, "faulty", way)
    assert isinstance(site, ArticleSite)
    tls = site.plan.scheme == "https"
    assert _ask(served, site.host, "/", tls=tls).startswith(b"HTTP/1.1 200 OK")
    target = site.path(0)
    data = _ask(served, site.host, target, tls=tls, patience=_SILENT.get(way, PATIENCE))
    assert _SEEN[way](data, site.answer(target)), (len(data), data[:300], data[-60:])


def test_a_busy_server_answers_the_second_time(web: LocalWeb, served: ServedWeb) -> None:
    site = _site(web, "faulty", "busy")
    assert isinstance(site, ArticleSite)
    tls = site.plan.scheme == "https"
    first, second = (_ask(served, site.host, site.path(1), tls=tls) for _ in range(2))
    assert first.startswith(b"HTTP/1.1 503")
    assert second.startswith(b"HTTP/1.1 200")


def test_the_log_has_every_request(web: LocalWeb, served: ServedWeb) -> None:
    site = next(site for site in web.sites.values() if site.plan.kind == "shop" and site.plan.scheme == "http")
    before = len(served.visits())
    started = time.monotonic_ns()
    data = _ask(served, site.host, "/k/1?a=%C5%99")
    visits = served.visits()
    assert len(visits) == before + 1
    visit = visits[-1]
    assert (visit.url, visit.status, visit.sent) == (f"http://{site.host}/k/1?a=%C5%99", 404, len(data))
    assert (visit.ip, visit.method, visit.whole) == (web.hosts[site.host], "GET", True)
    assert visit.header("connection") == "close"
    assert started < visit.began < visit.ended < time.monotonic_ns()


def _visit(web: LocalWeb, url: str, began: float, ended: float, *, status: int = 200) -> Visit:
    parts = urlsplit(url)
    host = parts.hostname or ""
    target = url.partition(parts.netloc)[2]
    times = round(began * 1e9), round(ended * 1e9)
    ip = web.resolve(host) or "127.0.0.1"
    return Visit(*times, parts.scheme, host, ip, "", "GET", target, "", status, 1, whole=True)


def test_violations_are_found(web: LocalWeb) -> None:
    a, b, c = web.seeds[:3]
    good = [_visit(web, a, 1, 2), _visit(web, f"{a}rubrika/0", 4, 5), _visit(web, c, 1, 3)]
    assert violations(web, good, delay=2, ip_delay=1) == {}
    assert set(violations(web, good, delay=3)) == {"host delay"}
    assert set(violations(web, [*good, _visit(web, f"{a}x", 4.5, 6)])) == {"host at once", "IP at once"}
    assert set(violations(web, [*good, _visit(web, a, 8, 9)])) == {"repeated"}
    assert violations(web, [_visit(web, a, 1, 2, status=503), _visit(web, a, 4, 5)]) == {}
    closed = _site(web, "robots", "all")
    assert set(violations(web, [_visit(web, f"{closed.origin}/", 1, 2)])) == {"forbidden"}
    assert violations(web, [_visit(web, f"{closed.origin}/robots.txt", 1, 2)]) == {}
    hidden = _site(web, "directive", "rel-nofollow")
    assert set(violations(web, [_visit(web, f"{hidden.origin}/skryte/0", 1, 2)])) == {"forbidden"}
    for url in (f"http://{UNTOUCHABLE[0]}/", "http://0x7f000001/", f"https://{next(iter(web.faulty_tls))}/"):
        assert set(violations(web, [_visit(web, url, 1, 2)])) == {"untouchable"}
    one, two = _sharing_an_address(web)
    both = [_visit(web, f"http://{one}/", 1, 2), _visit(web, f"http://{two}/", 1.5, 2)]
    assert set(violations(web, both)) == {"IP at once"}
    assert b != c


def _sharing_an_address(web: LocalWeb) -> tuple[str, str]:
    names: dict[str, str] = {}
    for host, address in web.hosts.items():
        if address in names:
            return names[address], host
        names[address] = host
    raise AssertionError("no two hosts share an address")


def test_requests_within_traps_are_counted(web: LocalWeb) -> None:
    calendar, (parent,) = _site(web, "calendar"), web.endless_hosts
    urls = [f"{calendar.origin}/kalendar/2026-01-0{day}" for day in (1, 2, 3)] + [f"{calendar.origin}/"]
    urls += [f"http://u{number}.{parent}/" for number in (1, 5)]
    counts = trapped(web, [_visit(web, url, at, at) for at, url in enumerate(urls)])
    assert counts == {(calendar.host, "calendar"): 3, (parent, "subdomains"): 2}


def test_a_connection_to_an_untouchable_address_is_noted(web: LocalWeb, served: ServedWeb) -> None:
    before = served.visits()
    with socket.create_connection((UNTOUCHABLE_IP, served.port), timeout=PATIENCE):
        pass
    wait_until(lambda: len(served.visits()) > len(before))
    assert set(violations(web, served.visits()[len(before) :])) == {"untouchable"}


def test_the_hosts_file_has_all_names(web: LocalWeb, served: ServedWeb) -> None:
    lines = served.hosts_file.read_text(encoding="utf-8").splitlines()
    names = {line.split()[1]: line.split()[0] for line in lines}
    assert names.keys() >= web.sites.keys()
    assert names[web.endless_hosts[0]] == f"{web.hosts[web.endless_hosts[0]]}:{served.port}"
    assert f"*.{web.endless_hosts[0]}" in names
    assert names["*"] == f"{UNTOUCHABLE_IP}:{served.port}"


def test_the_resolver_knows_no_other_names(web: LocalWeb, served: ServedWeb) -> None:
    host = next(iter(web.sites))
    assert asyncio.run(served.resolver.resolve(host, 443)) == [Endpoint(web.hosts[host], served.port)]
    with pytest.raises(OSError, match="no such name"):
        asyncio.run(served.resolver.resolve("example.org", 80))


def test_uniform_pages_are_alike() -> None:
    web = UniformWeb(host_count=5, pages=40, page_bytes=38_000, links=10)
    reached, waiting = {0}, [0]
    while waiting:
        parts = urlsplit(web.url(waiting.pop()))
        answer = web.answer(parts.hostname or "", parts.path, "http", "81")
        assert answer is not None
        assert len(answer.body) == pytest.approx(38_000, rel=0.01)
        links = _HREF.findall(answer.body.decode())
        assert len(links) == 10
        assert all(":81/" in link for link in links)
        new = {int(link.rpartition("-")[2].removesuffix(".html")) for link in links} - reached
        reached |= new
        waiting += new
    assert reached == set(range(40))
