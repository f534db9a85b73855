"""Get one page from one network address, within limits, with the bytes as they were on the wire.

Whatever a server or the network does, the outcome is an `Exchange` or a `Failure`. Redirects are not followed, cookies
are not kept, proxies of the environment are not used, and nothing is decompressed.
"""

from __future__ import annotations

import asyncio
import re
import socket
import ssl
import time
from collections.abc import Awaitable, Callable, Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import cache, lru_cache
from typing import Any, Self

from gristmill.errors import UsageError
from gristmill.fetching.exchange import Endpoint, Exchange, Failure
from gristmill.fetching.networks import Networks
from gristmill.fetching.urls import authority_of, host_of, is_tls
from gristmill.wording import one_line

try:
    import aiohttp
    from aiohttp.http_exceptions import HttpProcessingError
    from yarl import URL
except ImportError as error:
    raise UsageError("fetching pages needs aiohttp: pip install 'gristmill[crawl]'") from error

ENCODINGS = "gzip, deflate, br, zstd"
"""Content encodings that are asked for: those that `gristmill.archive` can undo."""

ACCEPT = "text/html,application/xhtml+xml;q=0.9,*/*;q=0.5"
_SLACK_BYTES = 1 << 20  # may come before anybody looks at the body
_IDLE_SECONDS = 2.0  # a connection is closed if it is not used again within this time
_OPEN_PER_REQUEST = 2  # connections that may be open, for each that may be in use; so that files do not run out
_MAX_DETAIL = 200  # characters
_HEAD_END = re.compile(rb"\r?\n\r?\n")
_INTERIM = re.compile(rb"HTTP/1\.[01] 1(?!01)\d\d")
_LENGTH = re.compile(rb"\ncontent-length[ \t]*:[ \t]*(\d{1,18})[ \t]*\r?\n", re.IGNORECASE)
_TRANSFER = re.compile(rb"\ntransfer-encoding[ \t]*:", re.IGNORECASE)
_LANGUAGE = re.compile("[A-Za-z]{1,8}(?:-[A-Za-z0-9]{1,8})*")

Check = Callable[[int, Mapping[str, str]], str]
"""Looks at status and headers before the body is read; a text is the reason why it shall not be."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What a server may cost."""

    max_bytes: int = 2_000_000
    """Longest body, as it is sent."""
    head_bytes: int = 65_536
    connect_seconds: float = 15.0
    read_seconds: float = 30.0
    """Longest pause between two pieces of a response."""
    total_seconds: float = 120.0
    min_rate: int = 500
    """Bytes a second below which a server is cut off..."""
    rate_seconds: float = 20.0
    """...so many seconds after its first byte."""
    connections: int = 256


@dataclass(slots=True)
class _Tape:
    """What one request sends and gets, noted on its way, with the limits that hold before HTTP is parsed."""

    limits: Limits
    opened: set[asyncio.Transport]
    """All connections of the client that are open."""
    max_wire: int
    """Bytes of a response with all that surrounds its body, such as the sizes of chunks."""
    begun: float = field(default_factory=time.monotonic)
    sent: float = 0.0
    date: str = ""
    request: bytes = b""
    wire: bytearray = field(default_factory=bytearray)
    transport: asyncio.Transport | None = None
    """The connection of this request."""
    reused: bool = False
    """Whether the connection is one from before."""
    received: int = 0
    first: float = 0.0
    head: int = 0
    """Bytes of the response's head; 0 as long as its end is not there."""
    head_seconds: float = 0.0
    end: int = 0
    """Bytes of head and body, if Content-Length names them; 0 if it does not."""
    status: int = 0
    fields: dict[str, str] = field(default_factory=dict)
    """The headers of the response."""
    reason: str = ""
    """Why the connection was cut off."""
    over: bool = False
    """Whether the request has come to its end: what is sent now, nobody asked for."""

    def start(self, request: bytes) -> None:
        """Note that the request is sent now."""
        self.request = request
        self.date = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        self.sent = time.monotonic()

    def take(self, data: bytes) -> bytes:
        """Note bytes of the response, and return them without what is behind its end.

        If they are too many or come too slowly, `reason` says so.
        """
        now = time.monotonic()
        self.first = self.first or now
        self.received += len(data)
        searched = max(len(self.wire) - 3, 0)
        self.wire += data
        if not self.head:
            self._find_head(searched, now)
        seconds = now - self.first
        if self.received > self.max_wire:
            self.reason = self.reason or "too-long"
        elif seconds > self.limits.rate_seconds and self.received < self.limits.min_rate * seconds:
            self.reason = self.reason or "slow"
        if self.end and (excess := len(self.wire) - self.end) > 0:
            del self.wire[self.end :]
            return data[:-excess] if excess < len(data) else b""
        return data

    def failure(self, url: str, reason: str, detail: str = "") -> Failure:
        """Return what is known of a request that failed."""
        return Failure(url, reason, detail, self.status, self.fields, self.received, time.monotonic() - self.begun)

    def _find_head(self, searched: int, now: float) -> None:
        """Look for the end of the head; interim responses, such as `103 Early Hints`, are left out."""
        while (end := _HEAD_END.search(self.wire, searched)) and _INTERIM.match(self.wire):
            del self.wire[: end.end()]
            searched = 0
        if end:
            self.head, self.head_seconds = end.end(), now - self.sent
            length = _LENGTH.search(self.wire, 0, self.head)
            if length and not _TRANSFER.search(self.wire, 0, self.head):
                self.end = self.head + int(length[1])
        if (self.received if not end else self.head) > self.limits.head_bytes:
            self.reason = "head"


_TAPE: ContextVar[_Tape] = ContextVar("_TAPE")


class _Recorder(asyncio.Protocol):
    """Stands between the transport of a connection and aiohttp, and notes what comes."""

    def __init__(self, transport: asyncio.Transport, behind: asyncio.Protocol, tape: _Tape) -> None:
        self._transport = transport
        self._behind = behind
        self._opened = tape.opened
        self._opened.add(transport)
        self.tape = tape

    def data_received(self, data: bytes) -> None:
        taken = b"" if self.tape.over else self.tape.take(data)
        if self.tape.reason:
            self._transport.abort()
            return
        if taken:
            self._behind.data_received(taken)
        if len(taken) < len(data):  # the server goes on behind the end of its response
            self._transport.close()

    def eof_received(self) -> bool | None:
        return self._behind.eof_received()

    def connection_lost(self, exc: Exception | None) -> None:
        self._opened.discard(self._transport)
        self._behind.connection_lost(exc)

    def pause_writing(self) -> None:
        self._behind.pause_writing()

    def resume_writing(self) -> None:
        self._behind.resume_writing()


class _Request(aiohttp.ClientRequest):
    """A request whose bytes, and those of its response, are noted on the tape of the running task."""

    async def send(self, conn: Any) -> aiohttp.ClientResponse:
        """Send the request."""
        if conn.protocol is None or conn.transport is None:
            raise aiohttp.ServerDisconnectedError
        tape, recorder = _TAPE.get(), conn.transport.get_protocol()
        tape.transport, tape.reused = conn.transport, isinstance(recorder, _Recorder)
        if conn.protocol.should_close:
            tape.reason = "" if tape.reused else "protocol"
            raise aiohttp.ServerDisconnectedError("the server spoke before it was asked")
        if tape.reused:
            recorder.tape = tape
        else:
            conn.transport.set_protocol(_Recorder(conn.transport, conn.protocol, tape))
        response = await super().send(conn)
        lines = [f"{self.method} {self.url.raw_path_qs} HTTP/1.1", *(f"{k}: {v}" for k, v in self.headers.items())]
        tape.start("\r\n".join([*lines, "", ""]).encode())
        return response


class _LostError(aiohttp.ClientError):
    """The connection ended before the response did, and the request must not be sent again."""


class _RefusedError(OSError):
    """A network address that must not be connected to."""


async def _send_once(
    request: aiohttp.ClientRequest, handler: Callable[[aiohttp.ClientRequest], Awaitable[aiohttp.ClientResponse]]
) -> aiohttp.ClientResponse:
    """Keep aiohttp from sending a request again, unless on a connection from before that the server had closed."""
    try:
        return await handler(request)
    except aiohttp.ClientConnectorError:
        raise
    except (aiohttp.ClientOSError, aiohttp.ServerDisconnectedError) as error:
        tape = _TAPE.get()
        if tape.reused and not tape.received:
            raise
        raise _LostError(str(error)) from error


class _NoResolver(aiohttp.abc.AbstractResolver):
    """Resolves nothing: whoever asks for a page has done that before."""

    async def resolve(self, host: str, port: int = 0, family: Any = socket.AF_INET) -> list[Any]:  # noqa: ARG002
        """Refuse."""
        raise _RefusedError(f"{host} is not an IP address")

    async def close(self) -> None:
        """Do nothing."""


class Client:
    """An HTTP client that connects to the network addresses it is told, if `networks` allows them."""

    def __init__(
        self,
        agent: str,
        networks: Networks,
        limits: Limits | None = None,
        *,
        keep_alive: bool = False,
        ssl_context: ssl.SSLContext | None = None,
    ) -> None:
        self._agent = agent
        self.networks = networks
        self._limits = limits or Limits()
        self._keep_alive = keep_alive
        self._ssl = ssl_context
        self._session: aiohttp.ClientSession | None = None
        self._opened: set[asyncio.Transport] = set()

    async def __aenter__(self) -> Self:
        limits = self._limits
        idle: dict[str, Any] = {"keepalive_timeout": _IDLE_SECONDS} if self._keep_alive else {"force_close": True}
        self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(
                ssl=self._ssl or _verifying(),
                limit=limits.connections,
                use_dns_cache=False,
                resolver=_NoResolver(),
                happy_eyeballs_delay=None,
                socket_factory=self._socket,
                **idle,
            ),
            timeout=aiohttp.ClientTimeout(
                total=limits.total_seconds, sock_connect=limits.connect_seconds, sock_read=limits.read_seconds
            ),
            cookie_jar=aiohttp.DummyCookieJar(),
            auto_decompress=False,
            trust_env=False,
            max_line_size=limits.head_bytes,
            max_field_size=limits.head_bytes,
            max_headers=limits.head_bytes,
            request_class=_Request,
            middlewares=(_send_once,),
        )
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._session:
            await self._session.close()

    def _socket(self, address: tuple[Any, ...]) -> socket.socket:
        """Make the socket of a connection; what it is connected to is checked here, the last place before it is."""
        family, kind, proto, _, sockaddr = address
        if refusal := self.networks.refusal(sockaddr[0]):
            raise _RefusedError(f"{sockaddr[0]} is {refusal}")
        return socket.socket(family, kind, proto)

    async def get(
        self,
        url: str,
        endpoint: Endpoint,
        check: Check | None = None,
        *,
        max_bytes: int | None = None,
        cut: bool = False,
        accept: str = ACCEPT,
        languages: tuple[str, ...] = (),
        headers: Mapping[str, str] | None = None,
    ) -> Exchange | Failure:
        """Send a GET request for a normalised address to an endpoint, and read the response.

        One whose body is longer than `max_bytes` is a failure, or with `cut` it ends there. `headers` are sent besides
        those that every request has.
        """
        if refusal := self.networks.refusal(endpoint.ip):
            return Failure(url, "network", f"{endpoint.ip} is {refusal}"[:_MAX_DETAIL])
        limit = self._limits.max_bytes if max_bytes is None else max_bytes
        tape = _Tape(self._limits, self._opened, self._limits.head_bytes + 2 * limit + _SLACK_BYTES)
        token = _TAPE.set(tape)
        try:
            sent = {"Host": authority_of(url), **_same_headers(self._agent, accept, languages), **(headers or {})}
            outcome = await self._exchange(url, endpoint, sent, check, limit, cut)
        except (aiohttp.ClientError, HttpProcessingError, OSError, ValueError) as error:
            outcome = tape.failure(url, tape.reason or _reason(error, tape), _detail(error))
        finally:
            tape.over = True
            tape.wire.clear()  # the tape stays with the connection
            _TAPE.reset(token)
            if tape.transport and len(self._opened) > _OPEN_PER_REQUEST * self._limits.connections:
                tape.transport.close()
        return outcome

    async def _exchange(
        self, url: str, endpoint: Endpoint, headers: dict[str, str], check: Check | None, limit: int, cut: bool
    ) -> Exchange | Failure:
        """Send a request and read the response; what is raised says why there is none."""
        if self._session is None:
            raise RuntimeError("use the client by `async with`")
        host = host_of(url)
        target = _target(url, endpoint)
        # A connection is only used again for the same host, since its name belongs to what connections are known by.
        async with self._session.get(target, headers=headers, allow_redirects=False, server_hostname=host) as response:
            tape = _TAPE.get()
            tape.status, tape.fields = response.status, _fields(response.raw_headers)
            reason = check(tape.status, tape.fields) if check else ""
            reason = reason or await _read(response, limit, cut) or tape.reason
            if tape.status == 101 or not tape.head or not tape.wire.startswith(b"HTTP/1."):  # other protocols
                reason = "protocol"
            if reason:
                response.close()
                return tape.failure(url, reason)
        wire = bytes(tape.wire)
        return Exchange(url, tape.date, endpoint.ip, tape.request, wire, tape.status, tape.fields, tape.head_seconds)


@cache
def _verifying() -> ssl.SSLContext:
    """Return what verifies certificates by the authorities of this machine, which take long to load."""
    return ssl.create_default_context()


def _target(url: str, endpoint: Endpoint) -> URL:
    """Put the network address in the place of the host, so that there is nothing to look up."""
    path, _, query = url[url.index("/", 8) :].partition("?")
    if not url.isascii() or not url.isprintable() or " " in url:
        raise aiohttp.InvalidURL(url, "not normalised")
    scheme = "https" if is_tls(url) else "http"
    host = f"[{endpoint.ip}]" if ":" in endpoint.ip else endpoint.ip
    return URL.build(scheme=scheme, host=host, port=endpoint.port, path=path, query_string=query, encoded=True)


async def _read(response: aiohttp.ClientResponse, limit: int, cut: bool) -> str:
    """Read the body, which goes to the tape; the reason why it is not wanted if it is too long."""
    length = response.headers.get("Content-Length", "")
    if not cut and length.isascii() and length.isdecimal() and int(length[:20]) > limit:
        return "too-long"
    size = 0
    while part := await response.content.readany():
        size += len(part)
        if size > limit:
            response.close()
            return "" if cut else "too-long"
    return ""


@lru_cache(maxsize=64)
def _same_headers(agent: str, accept: str, languages: tuple[str, ...]) -> dict[str, str]:
    """Return the headers that are the same for all hosts."""
    headers = {"User-Agent": agent, "Accept": accept, "Accept-Encoding": ENCODINGS}
    if wanted := [language for language in languages if _LANGUAGE.fullmatch(language)][:9]:
        ranked = [f"{language};q={1 - rank / 10:.1f}" if rank else language for rank, language in enumerate(wanted)]
        headers["Accept-Language"] = ",".join([*ranked, "*;q=0.1"])
    return headers


def _fields(raw: tuple[tuple[bytes, bytes], ...]) -> dict[str, str]:
    """Return headers with names in lower case; values of the same name are joined with commas."""
    fields: dict[str, str] = {}
    for raw_name, raw_value in raw:
        name, value = _text(raw_name.strip(b" \t")).lower(), _text(raw_value.strip(b" \t"))
        fields[name] = f"{fields[name]}, {value}" if name in fields else value
    return fields


def _text(raw: bytes) -> str:
    """Decode a header: UTF-8 where it is, as in addresses of redirects, or else Latin-1."""
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return raw.decode("latin-1")


def _reason(error: Exception, tape: _Tape) -> str:
    """Say by which kind of failure a request ended."""
    if isinstance(getattr(error, "os_error", None), _RefusedError):
        return "network"
    if isinstance(error, (aiohttp.ClientSSLError, ssl.SSLError)) or isinstance(error.__cause__, ssl.SSLError):
        return "tls"
    if isinstance(error, (aiohttp.ClientConnectorError, aiohttp.ConnectionTimeoutError)):
        return "connect"
    if isinstance(error, TimeoutError):
        return "timeout"
    if isinstance(error, (_LostError, aiohttp.ClientPayloadError, aiohttp.ClientConnectionError)):
        return "truncated" if b"HTTP/".startswith(tape.wire[:5]) else "protocol"
    return "protocol"


def _detail(error: Exception) -> str:
    """Describe an error in a line that is safe to print."""
    text = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    return one_line(text[:_MAX_DETAIL])
