"""Search for documents over HTTP: `GET /search?q=...&page=1&count=10&lang=en` is answered in JSON.

The shape is that of SearXNG, so whatever takes results from there takes them from here:

    {"query": "mill", "number_of_results": 12, "results": [{"url": ..., "title": ..., "content": ..., "score": ...}]}

An error is `{"error": "what is wrong"}` with the status 400, or 404 for another path.
"""

from __future__ import annotations

import io
import json
import logging
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import ip_address
from threading import BoundedSemaphore, Thread
from typing import Any, ClassVar
from urllib.parse import parse_qs, urlsplit

from gristmill.errors import GristmillError, UsageError
from gristmill.search.documents import DocumentSearch
from gristmill.version import __version__

_LOG = logging.getLogger(__name__)
_MAX_COUNT = 100
"""Most results of a page."""
_MAX_PAGE = 100_000
_MAX_CONNECTIONS = 100
_IDLE_SECONDS = 10.0
"""How long a client may be silent."""
REQUEST_SECONDS = 20.0
"""How long a request may take to come."""
_MAX_FIELDS = 20
_LOCAL_NAMES = frozenset(["localhost", "localhost.localdomain"])


class SearchServer(ThreadingHTTPServer):
    """Answers requests, each connection in a thread of its own."""

    daemon_threads = True
    block_on_close = False
    request_queue_size = 128
    allow_reuse_address = True

    def __init__(self, search: DocumentSearch, host: str = "127.0.0.1", port: int = 8080) -> None:
        """Listen at an address; port 0 is any that is free."""
        self.search = search
        self.is_local = _is_local(host)
        self._free = BoundedSemaphore(_MAX_CONNECTIONS)
        self.address_family = socket.AF_INET6 if ":" in host else socket.AF_INET
        try:
            super().__init__((host, port), _Handler)
        except (OSError, OverflowError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise UsageError(
                f"can't listen at {host}, port {port}: {reason}; choose another --port or --host"
            ) from error

    @property
    def address(self) -> str:
        """Where it can be asked: `http://127.0.0.1:8080`."""
        host, port = self.server_address[:2]
        shown = f"[{host!s}]" if ":" in str(host) else str(host)
        return f"http://{shown}:{port}"

    def server_bind(self) -> None:
        """Bind without asking a name server for the name of this machine, which may take long."""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.socket.bind(self.server_address)
        self.server_address = self.socket.getsockname()
        self.server_name, self.server_port = str(self.server_address[0]), int(self.server_address[1])

    def process_request(self, request: Any, client_address: Any) -> None:
        """Answer in a thread; a client too many is told to come again."""
        if self._free.acquire(blocking=False):
            super().process_request(request, client_address)
            return
        try:
            request.setblocking(False)
            request.sendall(b"HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nContent-Length: 0\r\n\r\n")
        except OSError:
            _LOG.debug("%s left before it was told to come again", client_address)
        self.shutdown_request(request)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        """Answer the requests of a connection."""
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._free.release()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Log what goes wrong with a connection; mostly the client has gone."""
        del request
        _LOG.debug("connection of %s", client_address, exc_info=True)

    @contextmanager
    def running(self) -> Iterator[str]:
        """Serve in a thread for some time; gives the address."""
        thread = Thread(target=self.serve_forever, args=(0.05,), daemon=True)
        thread.start()
        try:
            yield self.address
        finally:
            self.shutdown()
            thread.join()
            self.server_close()


class _TimelyRequests(io.RawIOBase):
    """What a client sends; each request must be there in time, so that slow clients don't take all connections."""

    def __init__(self, connection: socket.socket) -> None:
        super().__init__()
        self._connection = connection
        self._until = 0.0

    def readable(self) -> bool:
        """Tell that it can be read."""
        return True

    def begin(self) -> None:
        """Wait for the next request from now on."""
        self._until = time.monotonic() + REQUEST_SECONDS

    def readinto(self, buffer: Any) -> int:
        """Read what has come."""
        left = self._until - time.monotonic()
        if left <= 0:
            raise TimeoutError("the request takes too long")
        self._connection.settimeout(min(left, _IDLE_SECONDS))
        try:
            return self._connection.recv_into(buffer)
        finally:
            self._connection.settimeout(_IDLE_SECONDS)


class _Handler(BaseHTTPRequestHandler):
    """Answers the requests of a connection."""

    server: SearchServer
    protocol_version = "HTTP/1.1"
    server_version = f"gristmill/{__version__}"
    sys_version = ""
    timeout: ClassVar[float] = _IDLE_SECONDS
    disable_nagle_algorithm = True  # or each body would wait 40 ms for its head to be acknowledged

    def setup(self) -> None:
        """Begin with a connection."""
        super().setup()
        self.rfile.close()
        self._requests = _TimelyRequests(self.connection)
        self.rfile = io.BufferedReader(self._requests)

    def handle_one_request(self) -> None:
        """Wait for a request and answer it."""
        self._requests.begin()
        super().handle_one_request()

    def do_GET(self) -> None:
        """Answer a request."""
        try:
            status, answer = self._answer()
        except GristmillError as error:
            status, answer = HTTPStatus.BAD_REQUEST, {"error": str(error)}
        except Exception:  # noqa: BLE001 (whatever it is, other requests are to be answered)
            _LOG.exception("request %r", self.path)
            status, answer = HTTPStatus.INTERNAL_SERVER_ERROR, {"error": "the search failed; the log says why"}
        self._send(status, answer)

    def do_HEAD(self) -> None:
        """Answer a request without a body."""
        self.do_GET()

    def _answer(self) -> tuple[HTTPStatus, dict[str, Any]]:
        if self.server.is_local and not _is_local(_host(self.headers.get("Host", ""))):
            # A page of the web that a browser shows could reach this server under a name of its own (DNS rebinding).
            return HTTPStatus.FORBIDDEN, {"error": "this server is for this machine only: ask it as localhost"}
        try:
            target = urlsplit(self.path)
        except ValueError as error:
            raise UsageError("the address of the request is none") from error
        if target.path.rstrip("/") != "/search":
            return HTTPStatus.NOT_FOUND, {"error": "there is only /search?q=...&page=1&count=10&lang=..."}
        try:
            given = parse_qs(target.query, max_num_fields=_MAX_FIELDS)
        except ValueError as error:
            raise UsageError(f"more than {_MAX_FIELDS} parameters") from error
        return HTTPStatus.OK, answer_of(self.server.search, {name: values[-1] for name, values in given.items()})

    def _send(self, status: HTTPStatus, answer: dict[str, Any]) -> None:
        body = json.dumps(answer, ensure_ascii=True).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.send_header("X-Content-Type-Options", "nosniff")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 (named so in the base class)
        """Log requests."""
        _LOG.info("%s %r", self.client_address[0], format % args)


def answer_of(search: DocumentSearch, given: dict[str, str]) -> dict[str, Any]:
    """Answer a request by its parameters; raises if these are wrong."""
    query = given.get("q", "")
    page, count = _number(given, "page", 1, _MAX_PAGE), _number(given, "count", 10, _MAX_COUNT)
    found = search.search(query, limit=count, offset=(page - 1) * count, lang=given.get("lang", ""))
    return {
        "query": query,
        "number_of_results": found.total,
        "results": [
            {"url": item.url, "title": item.title, "content": item.extract, "score": round(item.score, 6)}
            for item in found.documents
        ],
    }


def _number(given: dict[str, str], name: str, default: int, most: int) -> int:
    text = given.get(name, str(default))
    if not (text.isascii() and text.isdecimal() and len(text) < 10 and 1 <= int(text) <= most):
        raise UsageError(f"{name} must be a whole number from 1 to {most:,}")
    return int(text)


def _host(authority: str) -> str:
    """Return the name of the host in a Host header, without its port."""
    if authority.startswith("["):
        return authority[1:].partition("]")[0]
    return authority.partition(":")[0]


def _is_local(host: str) -> bool:
    """Tell whether a name or address is that of this machine."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host.lower() in _LOCAL_NAMES
