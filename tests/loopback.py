"""A web server on loopback that answers by functions, for all names that a resolver of its own knows."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Self

from gristmill.fetching.access import Access
from gristmill.fetching.exchange import Endpoint

NETWORK = "127.0.0.0/16"


@dataclass(frozen=True, slots=True)
class Asked:
    """A request that came."""

    host: str
    path: str
    headers: dict[str, str]
    """Names in lower case."""
    begun: float
    ended: float


@dataclass(frozen=True, slots=True)
class Reply:
    """What a server answers."""

    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""


Route = Reply | Callable[[Mapping[str, str]], Reply]
"""An answer, or a function that makes it of the headers of the request."""


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: object, client_address: object) -> None:
        """Ignore clients that were killed."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)  # type: ignore[arg-type]


class Loopback:
    """Serves routes, which are addresses without the scheme (`example.org/feed.xml`), and notes who asks for what."""

    def __init__(self, routes: Mapping[str, Route] | None = None) -> None:
        self.routes: dict[str, Route] = dict(routes or {})
        self.log: list[Asked] = []
        self.names: dict[str, str] = {}
        """IP addresses of names that are somewhere else than this server."""

    def __enter__(self) -> Self:
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True  # or each body would wait 40 ms for its head to be acknowledged

            def do_GET(self) -> None:
                outer._answer(self)

            def log_message(self, *_: object) -> None:
                pass

        self._server = _Server(("127.0.0.1", 0), Handler)
        self.port = self._server.server_address[1]
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def _answer(self, handler: BaseHTTPRequestHandler) -> None:
        begun = time.monotonic()
        host = (handler.headers.get("Host") or "").partition(":")[0]
        headers = {name.lower(): value for name, value in handler.headers.items()}
        reply = self.reply(host, handler.path, headers)
        handler.send_response(reply.status)
        for name, value in {"Content-Length": str(len(reply.body)), **reply.headers}.items():
            handler.send_header(name, value)
        self.log.append(Asked(host, handler.path, headers, begun, time.monotonic()))  # before the client can know
        handler.end_headers()
        handler.wfile.write(reply.body)

    def reply(self, host: str, path: str, headers: Mapping[str, str]) -> Reply:
        """Answer a request by its route."""
        route = self.routes.get(host + path, Reply(404))
        return route if isinstance(route, Reply) else route(headers)

    async def resolve(self, host: str, port: int) -> list[Endpoint]:
        """Resolve all names to this server, but for those that are elsewhere."""
        if host in self.names:
            return [Endpoint(self.names[host], port)]
        return [Endpoint("127.0.0.1", self.port)]

    def access(self) -> Access:
        """Access to this server by the names that it has."""
        return Access("test@example.org", (NETWORK,), resolver=self)

    def paths(self) -> list[str]:
        """The addresses that were asked for, without their scheme, in the order of their answers."""
        return [asked.host + asked.path for asked in self.log]
