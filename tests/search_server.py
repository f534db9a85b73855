"""A search engine on loopback that answers as a test wants."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
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

    def reply(self, host: str, path: str, headers: Mapping[str, str]) -> loopback.Reply:
        """Answer a request, whatever its path."""
        del host
        target = urlsplit(path)
        given = {name: values[0] for name, values in parse_qs(target.query, keep_blank_values=True).items()}
        self.asked.append(Asked(target.path, given, dict(headers)))
        body, status, more = self._reply(self.asked[-1])
        text = body if isinstance(body, str | bytes) else json.dumps(body)
        data = text.encode() if isinstance(text, str) else text
        return loopback.Reply(status, {"Content-Type": "application/json", **more}, data)
