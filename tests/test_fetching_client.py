from __future__ import annotations

import asyncio
import random
import socket
import ssl
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any, Self

import pytest
import trustme

from gristmill.archive.http import parse
from gristmill.fetching.client import Client, Limits
from gristmill.fetching.exchange import Endpoint, Exchange, Failure
from gristmill.fetching.networks import Networks

URL = "http://example.org/a?b|c"
OK = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 5\r\n\r\nhello"
AGENT = "gristmill/0 (+crawl@example.org)"
SMALL = Limits(max_bytes=100_000, head_bytes=4_000)
QUICK = replace(SMALL, connect_seconds=0.3, read_seconds=1.0)  # for servers that say nothing

NO_TRUST = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)  # loading the system's certificates takes time

Writer = asyncio.StreamWriter
Answer = Callable[[Writer, int], Awaitable[None]]


@dataclass
class Server:
    """A server on loopback that answers by a function, which is told the number of the request."""

    answer: Answer
    tls: ssl.SSLContext | None = None
    requests: list[bytes] = field(default_factory=list)
    connections: int = 0
    endpoint: Endpoint = field(default_factory=lambda: Endpoint("", 0))
    keep: bool = False
    """Whether connections stay open behind an answer."""
    ip: str = "127.0.0.1"

    async def __aenter__(self) -> Self:
        self._tasks: set[asyncio.Task[None]] = set()
        self._server = await asyncio.start_server(self._accept, self.ip, 0, ssl=self.tls)
        self.endpoint = Endpoint(*self._server.sockets[0].getsockname()[:2])
        return self

    async def __aexit__(self, *_: object) -> None:
        self._server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await asyncio.sleep(0)  # transports close themselves in the next round of the loop

    def _accept(self, reader: asyncio.StreamReader, writer: Writer) -> None:
        self.connections += 1
        self._tasks.add(asyncio.create_task(self._serve(reader, writer)))

    async def _serve(self, reader: asyncio.StreamReader, writer: Writer) -> None:
        try:
            while True:
                self.requests.append(await reader.readuntil(b"\r\n\r\n"))
                await self.answer(writer, len(self.requests))
                await writer.drain()
                if not self.keep:
                    break
        except (OSError, asyncio.IncompleteReadError):
            return
        finally:
            writer.close()


def sending(*pieces: bytes, pause: float = 0.0) -> Answer:
    """Answer with these bytes."""

    async def answer(writer: Writer, _: int) -> None:
        for piece in pieces:
            writer.write(piece)
            await writer.drain()
            if pause:
                await asyncio.sleep(pause)

    return answer


def client(limits: Limits = SMALL, *, allowed: str = "127.0.0.0/8", **options: Any) -> Client:
    options.setdefault("ssl_context", NO_TRUST)
    return Client(AGENT, Networks([allowed]), limits, **options)


def fetch(answer: Answer, limits: Limits = SMALL, **options: Any) -> tuple[Exchange | Failure, Server]:
    """Get one page."""

    async def run() -> tuple[Exchange | Failure, Server]:
        async with Server(answer) as server, client(limits) as web:
            return await web.get(URL, server.endpoint, **options), server

    return asyncio.run(run())


def failure(answer: Answer, limits: Limits = SMALL, **options: Any) -> Failure:
    outcome, _ = fetch(answer, limits, **options)
    assert isinstance(outcome, Failure)
    assert outcome.detail.isprintable()
    return outcome


def test_request_and_response_are_noted_to_the_byte() -> None:
    wire = b"HTTP/1.1 200 Fine\r\nX-a: 1\r\nServer:  odd \r\nTransfer-Encoding: chunked\r\nx-A: 2\r\n\r\n"
    wire += b"5;ext=1\r\nhello\r\n1\r\n!\r\n0\r\nTrailer: x\r\n\r\n"
    outcome, server = fetch(sending(*(wire[at : at + 7] for at in range(0, len(wire), 7)), pause=0.001))
    assert isinstance(outcome, Exchange)
    assert outcome.wire == wire
    assert [outcome.request] == server.requests
    assert outcome.request.startswith(b"GET /a?b|c HTTP/1.1\r\nHost: example.org\r\nUser-Agent: " + AGENT.encode())
    assert b"\r\nAccept-Encoding: gzip, deflate, br, zstd\r\n" in outcome.request
    assert b"\r\nConnection: close\r\n" in outcome.request
    assert outcome.headers == {"x-a": "1, 2", "server": "odd", "transfer-encoding": "chunked"}
    assert (outcome.status, outcome.ip, outcome.url) == (200, "127.0.0.1", URL)
    assert parse(outcome.wire, 100).body == b"hello!"
    age = time.time() - datetime.fromisoformat(outcome.date).timestamp()
    assert -2 < age < 60
    assert outcome.date.endswith("Z")
    assert 0 < outcome.seconds < 60


def test_a_large_page_comes_whole() -> None:
    body = random.Random(1).randbytes(90_000)
    wire = b"HTTP/1.0 200 OK\r\n\r\n" + body
    outcome, _ = fetch(sending(wire))
    assert isinstance(outcome, Exchange)
    assert outcome.wire == wire


WHOLE = {
    "length": OK,
    "until the end": b"HTTP/1.1 200 OK\r\n\r\nhello",
    "line feeds": b"HTTP/1.1 200 OK\nContent-Length: 5\n\nhello",
    "no body": b"HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n",
    "odd status": b"HTTP/1.1 999 No\r\nContent-Length: 5\r\n\r\nhello",
    "no reason": b"HTTP/1.1 200\r\nContent-Length: 5\r\n\r\nhello",
    "redirect": b"HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n",
    "cookies": b"HTTP/1.1 200 OK\r\nSet-Cookie: a=1\r\nSet-Cookie: b\x00\xff=;;;\r\nContent-Length: 5\r\n\r\nhello",
    "folded": b"HTTP/1.1 200 OK\r\nX: a\r\n b\r\nContent-Length: 5\r\n\r\nhello",
    "many headers": b"HTTP/1.1 200 OK\r\n" + b"".join(b"X%d: 1\r\n" % n for n in range(300)) + b"\r\nhello",
}
WHOLE["cookies"] = WHOLE["cookies"].replace(b"\x00", b"")


@pytest.mark.parametrize("name", WHOLE)
def test_whole_responses(name: str) -> None:
    outcome, _ = fetch(sending(WHOLE[name]))
    assert isinstance(outcome, Exchange)
    assert outcome.wire == WHOLE[name]


def test_what_follows_the_end_of_a_response_is_left_out() -> None:
    for pieces in ([OK + b" and more"], [OK, b" and more"], [OK[:-2], b"lo and more"], [OK[:40], OK[40:] + OK]):
        outcome, server = fetch(sending(*pieces, pause=0.01))
        assert isinstance(outcome, Exchange)
        assert outcome.wire == OK
        assert len(server.requests) == 1


def test_interim_responses_are_left_out() -> None:
    hints = b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n"
    outcome, _ = fetch(sending(hints[:30], hints[30:] + OK, pause=0.01))
    assert isinstance(outcome, Exchange)
    assert outcome.wire == OK
    assert failure(sending(hints * 100)).reason == "head"


def test_headers_are_text_whatever_their_bytes() -> None:
    head = "HTTP/1.1 302 Found\r\nLocation: /č\r\n".encode() + b"X-Latin: \xe9\r\nContent-Length: 0\r\n\r\n"
    outcome, _ = fetch(sending(head))
    assert outcome.headers == {"location": "/č", "x-latin": "é", "content-length": "0"}


CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n"
FAULTS = {
    "nothing": (b"", "truncated"),
    "half a head": (b"HTTP/1.1 200 OK\r\nContent-Ty", "truncated"),
    "less than its length": (OK[:-1], "truncated"),
    "no last chunk": (CHUNKED, "truncated"),
    "half a chunk": (CHUNKED[:-4], "truncated"),
    "wrong size of a chunk": (CHUNKED + b"zz\r\n", "protocol"),
    "negative chunk": (CHUNKED + b"-5\r\nhello\r\n", "protocol"),
    "huge chunk": (CHUNKED + b"ffffffffffffffffffff\r\n", "protocol"),
    "garbage": (b"\x00\x01\x02\xff" * 10, "protocol"),
    "ssh": (b"SSH-2.0-OpenSSH_9.6\r\n", "protocol"),
    "html without a head": (b"<html><p>hello", "protocol"),
    "icy": (b"ICY 200 OK\r\n\r\nhello", "protocol"),
    "http 2": (b"HTTP/2 200 OK\r\n\r\nhello", "protocol"),
    "status": (b"HTTP/1.1 20x OK\r\n\r\nhello", "protocol"),
    "negative length": (b"HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\nhello", "protocol"),
    "two lengths": (b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello!", "protocol"),
    "zero byte": (b"HTTP/1.1 200 OK\r\nX: \x00\r\nContent-Length: 5\r\n\r\nhello", "protocol"),
    "another protocol": (b"HTTP/1.1 101 Yes\r\nUpgrade: websocket\r\nConnection: upgrade\r\n\r\nhello", "protocol"),
    "no http": (b"RTSP/1.0 200 OK\r\nContent-Length: 5\r\n\r\nhello", "protocol"),
    "blank lines first": (b"\r\n\r\n" + OK, "protocol"),
    "long head": (b"HTTP/1.1 200 OK\r\nX: " + b"x" * 100_000, "head"),
    "long head with an end": (b"HTTP/1.1 200 OK\r\nX: " + b"x" * 5_000 + b"\r\n\r\n", "head"),
    "long status line": (b"HTTP/1.1 200 " + b"x" * 100_000, "head"),
    "flood of headers": (b"HTTP/1.1 200 OK\r\n" + b"X-a: b\r\n" * 10_000, "head"),
    "long body": (b"HTTP/1.1 200 OK\r\n\r\n" + b"x" * 100_001, "too-long"),
    "length of a long body": (b"HTTP/1.1 200 OK\r\nContent-Length: 100001\r\n\r\nx", "too-long"),
    "length beyond all": (b"HTTP/1.1 200 OK\r\nContent-Length: 999999999999999999\r\n\r\nx", "too-long"),
    "chunks of a long body": (CHUNKED + b"fffff\r\n" + b"x" * 250_000, "too-long"),
    "tiny chunks": (CHUNKED + b"1;" + b"x" * 2_500_000 + b"\r\nx\r\n", "too-long"),
}


@pytest.mark.parametrize("name", FAULTS)
@pytest.mark.parametrize("keep_alive", [False, True])
def test_faults_of_servers(name: str, keep_alive: bool) -> None:
    data, reason = FAULTS[name]

    async def run() -> None:
        async with Server(sending(data)) as server, client(keep_alive=keep_alive) as web:
            outcome = await web.get(URL, server.endpoint)
            assert isinstance(outcome, Failure)
            assert (outcome.reason, outcome.url) == (reason, URL)
            assert outcome.detail.isprintable()
            assert outcome.received <= len(data)
            assert len(server.requests) == 1  # and not tried again

    asyncio.run(run())


def test_of_a_response_that_breaks_off_its_head_is_known() -> None:
    outcome = failure(sending(b"HTTP/1.1 503 Busy\r\nRetry-After: 60\r\nContent-Length: 5\r\n\r\n"))
    assert (outcome.reason, outcome.status, outcome.headers["retry-after"]) == ("truncated", 503, "60")


def test_a_body_may_be_just_as_long_as_the_limit() -> None:
    for head in (b"Content-Length: 100000\r\n", b"X: y\r\n"):
        assert isinstance(fetch(sending(b"HTTP/1.1 200 OK\r\n" + head + b"\r\n" + b"x" * 100_000))[0], Exchange)
    chunks = (b"3e8\r\n" + b"x" * 1000 + b"\r\n") * 100
    wire = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks + b"0\r\n\r\n"
    outcome, _ = fetch(sending(wire))
    assert isinstance(outcome, Exchange)
    assert outcome.wire == wire
    assert failure(sending(wire), max_bytes=99_999).reason == "too-long"


def test_an_endless_body_is_cut_off() -> None:
    sent = 0

    async def answer(writer: Writer, _: int) -> None:
        nonlocal sent
        writer.write(b"HTTP/1.1 200 OK\r\n\r\n")
        while True:
            writer.write(b"x" * 10_000)
            await writer.drain()
            sent += 10_000

    outcome = failure(answer)
    assert (outcome.reason, outcome.status) == ("too-long", 200)
    assert sent < 20_000_000  # what fits into the buffers of the system


def test_a_body_that_is_cut() -> None:
    for head in (b"Content-Length: 300000\r\n", b""):
        outcome, _ = fetch(sending(b"HTTP/1.1 200 OK\r\n" + head + b"\r\n" + b"x" * 300_000), max_bytes=1000, cut=True)
        assert isinstance(outcome, Exchange)
        assert 1000 < len(parse(outcome.wire, 1_000_000).body) <= 300_000


def test_status_and_headers_are_checked_before_the_body_is_read() -> None:
    seen: list[tuple[int, Mapping[str, str]]] = []

    def check(status: int, headers: Mapping[str, str]) -> str:
        seen.append((status, headers))
        return "type"

    async def answer(writer: Writer, _: int) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: image/png\r\nContent-Length: 90000\r\n\r\n")
        await writer.drain()
        await asyncio.sleep(600)

    outcome = failure(answer, check=check)
    assert (outcome.reason, outcome.status, outcome.headers["content-type"]) == ("type", 200, "image/png")
    assert seen == [(200, {"content-type": "image/png", "content-length": "90000"})]
    assert isinstance(fetch(sending(OK), check=lambda _status, _headers: "")[0], Exchange)


def test_what_is_asked_for() -> None:
    _, server = fetch(sending(OK), accept="application/xml", languages=("cs", "sk", "x\r\ny"))
    assert b"\r\nAccept: application/xml\r\n" in server.requests[0]
    assert b"\r\nAccept-Language: cs,sk;q=0.9,*;q=0.1\r\n" in server.requests[0]


@pytest.mark.parametrize("at", [0, 10, len(OK) - 2])
def test_a_server_that_falls_silent(at: int) -> None:
    async def answer(writer: Writer, _: int) -> None:
        writer.write(OK[:at])
        await asyncio.sleep(600)

    outcome = failure(answer, QUICK)
    assert outcome.reason == "timeout"
    assert 0.9 < outcome.seconds < 60
    assert outcome.received == at


def test_a_server_that_takes_too_long_in_all() -> None:
    drops = [b"HTTP/1.1 200 OK\r\n\r\n", *[b"x"] * 100]
    outcome = failure(sending(*drops, pause=0.05), Limits(read_seconds=1, total_seconds=0.4, min_rate=0))
    assert outcome.reason == "timeout"
    assert outcome.seconds < 60


@pytest.mark.parametrize("head", [b"HTTP/1.1 200 OK\r\n\r\n", b"HTTP/1.1 200 OK\r\n", b"HTTP/1.1 200 OK\r\nX: "])
def test_a_server_that_drips(head: bytes) -> None:
    outcome = failure(sending(head, *[b"x"] * 100, pause=0.05), Limits(min_rate=500, rate_seconds=0.2))
    assert outcome.reason == "slow"
    assert outcome.seconds < 60


def test_a_server_that_thinks_long_is_not_slow() -> None:
    async def answer(writer: Writer, _: int) -> None:
        await asyncio.sleep(0.2)
        writer.write(OK)

    assert isinstance(fetch(answer, Limits(min_rate=10_000, rate_seconds=0.1))[0], Exchange)


def test_a_reset_connection() -> None:
    def resetting(after: bytes) -> Answer:
        async def answer(writer: Writer, _: int) -> None:
            writer.write(after)
            await writer.drain()
            await asyncio.sleep(0.02)
            writer.transport.abort()

        return answer

    assert failure(resetting(b"")).reason == "truncated"
    assert failure(resetting(OK[:-1])).reason == "truncated"


def test_no_server() -> None:
    async def run() -> None:
        async with Server(sending(OK)) as server:
            pass
        async with client() as web:
            outcome = await web.get(URL, server.endpoint)
            assert isinstance(outcome, Failure)
            assert outcome.reason == "connect"

    asyncio.run(run())


@pytest.mark.parametrize(
    "ip", ["127.0.0.1", "::ffff:127.0.0.1", "169.254.169.254", "::1", "fe80::1%eth0", "nonsense", ""]
)
@pytest.mark.parametrize("host", ["example.org", "127.0.0.1", "[::1]"])
def test_networks_that_are_not_allowed_are_not_connected_to(ip: str, host: str) -> None:
    async def run() -> None:
        async with Server(sending(OK)) as server, client(allowed="10.0.0.0/8") as web:
            outcome = await web.get(f"http://{host}:{server.endpoint.port}/", Endpoint(ip, server.endpoint.port))
            assert isinstance(outcome, Failure)
            assert outcome.reason == "network"
            assert server.connections == 0

    asyncio.run(run())


def test_only_the_endpoint_is_connected_to() -> None:
    async def run() -> None:
        async with Server(sending(OK)) as right, Server(sending(OK)) as wrong, client() as web:
            outcome = await web.get(f"http://127.0.0.1:{wrong.endpoint.port}/", right.endpoint)
            assert isinstance(outcome, Exchange)
            assert (right.connections, wrong.connections) == (1, 0)
            assert f"Host: 127.0.0.1:{wrong.endpoint.port}\r\n".encode() in outcome.request

    asyncio.run(run())


def test_proxies_of_the_environment_are_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:1/")
    assert isinstance(fetch(sending(OK))[0], Exchange)


@pytest.mark.parametrize("url", ["http://example.org/a b", "http://example.org/a\r\nX: y", "http://example.org/č"])
def test_an_address_that_is_not_normalised_is_not_sent(url: str) -> None:
    async def run() -> None:
        async with Server(sending(OK)) as server, client() as web:
            outcome = await web.get(url, server.endpoint)
            assert isinstance(outcome, Failure)
            assert server.connections == 0

    asyncio.run(run())


def test_connections_are_used_again_if_wanted() -> None:
    async def run(keep_alive: bool) -> tuple[int, int]:
        async with Server(sending(OK), keep=True) as server, client(keep_alive=keep_alive) as web:
            for number in range(5):
                outcome = await web.get(f"http://example.org/{number}", server.endpoint)
                assert isinstance(outcome, Exchange)
                assert outcome.wire == OK
                assert outcome.request == server.requests[-1]
            return server.connections, len(server.requests)

    assert asyncio.run(run(keep_alive=True)) == (1, 5)
    assert asyncio.run(run(keep_alive=False)) == (5, 5)


def test_not_all_connections_are_kept() -> None:
    async def run() -> None:
        limits = Limits(connections=3)
        async with Server(sending(OK), keep=True) as server, client(limits, keep_alive=True) as web:
            for number in range(20):
                assert isinstance(await web.get(f"http://h{number}.example/", server.endpoint), Exchange)
                await asyncio.sleep(0)
                assert len(web._opened) <= 7
            assert server.connections == 20
        assert web._opened == set()

    asyncio.run(run())


def test_a_kept_connection_that_the_server_has_closed_is_made_again() -> None:
    async def answer(writer: Writer, number: int) -> None:
        if number == 2:  # the request on the old connection
            writer.transport.abort()
        else:
            writer.write(OK)

    async def run() -> None:
        async with Server(answer, keep=True) as server, client(keep_alive=True) as web:
            for _ in range(2):
                outcome = await web.get(URL, server.endpoint)
                assert isinstance(outcome, Exchange)
                assert outcome.wire == OK
            assert (server.connections, len(server.requests)) == (2, 3)

    asyncio.run(run())


def test_a_server_that_talks_without_being_asked_is_not_believed() -> None:
    async def run() -> None:
        read, said = asyncio.Event(), asyncio.Event()

        async def answer(writer: Writer, number: int) -> None:
            writer.write(OK)
            if number == 1:
                await writer.drain()
                await read.wait()
                writer.write(OK.replace(b"hello", b"false"))
                said.set()

        async with Server(answer, keep=True) as server, client(keep_alive=True) as web:
            for _ in range(3):
                outcome = await web.get(URL, server.endpoint)
                assert isinstance(outcome, Exchange)
                assert outcome.wire == OK
                read.set()
                await said.wait()
                await asyncio.sleep(0.05)  # in which the loop looks at the connection at least once

    asyncio.run(run())


class Talker(asyncio.Protocol):
    """A server that says something at once, and does not listen."""

    def __init__(self, greeting: bytes) -> None:
        self.greeting = greeting
        self.transports: list[asyncio.BaseTransport] = []

    async def __aenter__(self) -> Endpoint:
        self.server = await asyncio.get_running_loop().create_server(lambda: self, "127.0.0.1", 0)
        return Endpoint(*self.server.sockets[0].getsockname()[:2])

    async def __aexit__(self, *_: object) -> None:
        self.server.close()
        for transport in self.transports:
            transport.close()
        await asyncio.sleep(0)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.WriteTransport)
        self.transports.append(transport)
        transport.write(self.greeting)


def test_a_server_that_talks_first() -> None:
    async def run() -> None:
        async with Talker(b"220 mail.example.org ESMTP\r\n") as endpoint, client() as web:
            outcome = await web.get(URL, endpoint)
        assert isinstance(outcome, Failure)
        assert outcome.reason == "protocol"

    asyncio.run(run())


def has_ipv6() -> bool:
    try:
        with socket.create_server(("::1", 0), family=socket.AF_INET6):
            return True
    except OSError:
        return False


@pytest.mark.skipif(not has_ipv6(), reason="there is no IPv6 here")
def test_ipv6() -> None:
    async def run() -> None:
        async with Server(sending(OK), ip="::1") as server, client(allowed="::1") as web:
            outcome = await web.get("http://[::1]:81/", server.endpoint)
            assert isinstance(outcome, Exchange)
            assert (outcome.ip, outcome.request) == ("::1", server.requests[0])
            assert b"\r\nHost: [::1]:81\r\n" in outcome.request

    asyncio.run(run())


def test_the_address_of_a_socket_is_checked_when_it_is_made() -> None:
    address = (socket.AF_INET, socket.SOCK_STREAM, 0, "", ("10.0.0.1", 80))
    with pytest.raises(OSError, match="private"):
        client()._socket(address)


def test_many_at_a_time_are_not_mixed_up() -> None:
    async def answer(writer: Writer, number: int) -> None:
        for byte in b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n%03d" % number:
            writer.write(bytes([byte]))
            await asyncio.sleep(0)

    async def run() -> None:
        async with Server(answer, keep=True) as server, client(keep_alive=True) as web:
            outcomes = await asyncio.gather(
                *(web.get(f"http://h{number % 7}.example/{number}", server.endpoint) for number in range(50))
            )
            for number, outcome in enumerate(outcomes):
                assert isinstance(outcome, Exchange)
                assert f"/{number} HTTP".encode() in outcome.request
                assert server.requests[int(outcome.wire[-3:]) - 1] == outcome.request

    asyncio.run(run())


def test_a_request_can_be_cancelled() -> None:
    async def answer(writer: Writer, _: int) -> None:
        writer.write(OK[:-1])
        await asyncio.sleep(600)

    async def run() -> None:
        async with Server(answer) as server, client() as web:
            task = asyncio.create_task(web.get(URL, server.endpoint))
            await asyncio.sleep(0.05)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task

    asyncio.run(run())


@dataclass(frozen=True)
class Certificates:
    """An authority that the client trusts, or not."""

    authority: trustme.CA

    def server(self, *names: str, expired: bool = False) -> ssl.SSLContext:
        until = datetime(2020, 1, 1, tzinfo=UTC) if expired else None
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.authority.issue_cert(*names, not_after=until).configure_cert(context)
        return context

    def client(self) -> ssl.SSLContext:
        context = ssl.create_default_context()
        self.authority.configure_trust(context)
        return context


@pytest.fixture(scope="module")
def certificates() -> Certificates:
    return Certificates(trustme.CA())


def test_tls(certificates: Certificates) -> None:
    async def run() -> None:
        tls = certificates.server("a.example", "b.example", "127.0.0.1")
        async with (
            Server(sending(CHUNKED + b"0\r\n\r\n"), tls, keep=True) as server,
            client(keep_alive=True, ssl_context=certificates.client()) as web,
        ):
            for host in ("a.example", "a.example", "b.example", "127.0.0.1"):
                outcome = await web.get(f"https://{host}/", server.endpoint)
                assert isinstance(outcome, Exchange)
                assert outcome.wire == CHUNKED + b"0\r\n\r\n"
                assert outcome.request == server.requests[-1]
            assert server.connections == 3  # no connection is used for another name

    asyncio.run(run())


@pytest.mark.parametrize("fault", ["host", "other host on a kept connection", "expired", "unknown"])
def test_tls_that_is_not_right(certificates: Certificates, fault: str) -> None:
    tls = certificates.server("example.org", expired=fault == "expired")
    url, trusted = "https://example.org/", certificates.client()
    if fault == "host" or fault.startswith("other"):
        url = "https://www.example.org/"
    if fault == "unknown":
        trusted = Certificates(trustme.CA()).client()

    async def run() -> None:
        async with (
            Server(sending(OK), tls, keep=True) as server,
            client(keep_alive=True, ssl_context=trusted) as web,
        ):
            if fault.startswith("other"):
                assert isinstance(await web.get("https://example.org/", server.endpoint), Exchange)
            outcome = await web.get(url, server.endpoint)
            assert isinstance(outcome, Failure)
            assert outcome.reason == "tls"
            assert all(b"www" not in request for request in server.requests)

    asyncio.run(run())


@pytest.mark.parametrize(("greeting", "reason"), [(b"", "connect"), (b"HTTP/1.1 400 Bad Request\r\n\r\n", "tls")])
def test_no_tls_at_all(greeting: bytes, reason: str) -> None:
    async def run() -> None:
        async with Talker(greeting) as endpoint, client(SMALL if greeting else QUICK) as web:
            outcome = await web.get("https://example.org/", endpoint)
        assert isinstance(outcome, Failure)
        assert outcome.reason == reason
        assert outcome.seconds < 60

    asyncio.run(run())


def test_certificates_of_the_system_are_trusted_by_default(certificates: Certificates) -> None:
    async def run() -> None:
        tls = certificates.server("example.org")
        async with Server(sending(OK), tls) as server, client(ssl_context=None) as web:
            outcome = await web.get("https://example.org/", server.endpoint)
            assert isinstance(outcome, Failure)
            assert outcome.reason == "tls"

    asyncio.run(run())


def test_a_client_must_be_entered() -> None:
    with pytest.raises(RuntimeError, match="async with"):
        asyncio.run(client().get(URL, Endpoint("127.0.0.1", 80)))
