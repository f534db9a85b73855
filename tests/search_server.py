"""A search engine on loopback that answers as a test wants."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from http.server import BaseHTTPRequestHandler
from typing import Any, NamedTuple
from urllib.parse import parse_qs, urlsplit

import loopback


class Asked(NamedTuple):
    """A request that the engine got."""

    path: str
    parameters: dict[str, str]
    headers: dict[str, str]
    """Names in lower case."""


class Reply(NamedTuple):
    """What the engine answers."""

    body: bytes | str | dict[str, Any] | list[Any]
    status: int = 200
    headers: Mapping[str, str] = {}


class SearchEngine(loopback.Loopback):
    """Answers by a function, and notes what it was asked."""

    def __init__(self, answer: Callable[[Asked], Reply]) -> None:
        super().__init__()
        self.asked: list[Asked] = []
        self._reply = answer

    @property
    def address(self) -> str:
        """Where it is."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def queries(self) -> list[str]:
        """The queries that it was asked."""
        return [asked.parameters.get("q", "") for asked in self.asked]

    def _answer(self, handler: BaseHTTPRequestHandler) -> None:
        target = urlsplit(handler.path)
        given = {name: values[0] for name, values in parse_qs(target.query, keep_blank_values=True).items()}
        asked = Asked(target.path, given, {name.lower(): value for name, value in handler.headers.items()})
        self.asked.append(asked)
        body, status, headers = self._reply(asked)
        text = body if isinstance(body, str | bytes) else json.dumps(body)
        data = text.encode() if isinstance(text, str) else text
        reply = loopback.Reply(status, {"Content-Type": "application/json", **headers}, data)
        self.routes["127.0.0.1" + handler.path] = reply
        super()._answer(handler)
