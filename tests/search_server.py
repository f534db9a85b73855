"""A search engine on loopback that answers as a test wants."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any, NamedTuple
from urllib.parse import parse_qs, urlsplit


class Asked(NamedTuple):
    """A request that the engine got."""

    path: str
    parameters: dict[str, str]
    headers: Mapping[str, str]


class Reply(NamedTuple):
    """What the engine answers."""

    body: bytes | str | dict[str, Any] | list[Any]
    status: int = 200
    headers: Mapping[str, str] = {}


@dataclass
class SearchEngine:
    """Where the engine is, and what it was asked."""

    address: str
    asked: list[Asked] = field(default_factory=list)

    @property
    def queries(self) -> list[str]:
        """The queries that it was asked."""
        return [asked.parameters.get("q", "") for asked in self.asked]


@contextmanager
def search_engine(answer: Callable[[Asked], Reply]) -> Iterator[SearchEngine]:
    """Run an engine that answers by a function."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            target = urlsplit(self.path)
            given = {name: values[0] for name, values in parse_qs(target.query, keep_blank_values=True).items()}
            asked = Asked(target.path, given, dict(self.headers))
            engine.asked.append(asked)
            reply = answer(asked)
            body = reply.body if isinstance(reply.body, str | bytes) else json.dumps(reply.body)
            data = body.encode() if isinstance(body, str) else body
            self.send_response(reply.status)
            for name, value in {"Content-Type": "application/json", **reply.headers}.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
            """Say nothing."""

    class Server(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, request: Any, client_address: Any) -> None:
            """Clients may go amid an answer."""

    with Server(("127.0.0.1", 0), Handler) as server:
        engine = SearchEngine(f"http://127.0.0.1:{server.server_port}")
        thread = Thread(target=server.serve_forever, args=(0.02,), daemon=True)
        thread.start()
        try:
            yield engine
        finally:
            server.shutdown()
            thread.join()
