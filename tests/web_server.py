"""A web app on loopback for tests: the sample, served as a user would."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlencode, urlsplit

from gristmill.web.app import Site
from gristmill.web.serving import running
from gristmill.web.shelf import Shelf


class Reply(NamedTuple):
    """What a server answered."""

    status: int
    headers: dict[str, str]
    """Names in lower case."""
    body: bytes

    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def text(self) -> str:
        return self.body.decode()


class Client:
    """Asks a server, as a program that is no browser."""

    def __init__(self, address: str) -> None:
        self.address = address
        self._target = urlsplit(address)

    def get(self, path: str, headers: Mapping[str, str] | None = None, **parameters: Any) -> Reply:
        query = f"?{urlencode(parameters, doseq=True)}" if parameters else ""
        return self.request("GET", path + query, headers=headers)

    def post(self, path: str, value: Any, headers: Mapping[str, str] | None = None) -> Reply:
        body = json.dumps(value).encode()
        return self.request("POST", path, body, {"Content-Type": "application/json", **(headers or {})})

    def request(self, method: str, path: str, body: bytes = b"", headers: Mapping[str, str] | None = None) -> Reply:
        connection = HTTPConnection(str(self._target.hostname), self._target.port, timeout=300)
        try:
            connection.request(method, path, body or None, dict(headers or {}))
            found = connection.getresponse()
            return Reply(found.status, {name.lower(): value for name, value in found.getheaders()}, found.read())
        finally:
            connection.close()


@contextmanager
def served(*folders: Path, workers: int = 1, **options: Any) -> Iterator[Client]:
    """Serve corpora for some time."""
    with running(Site(Shelf(list(folders)), workers=workers, **options)) as address:
        yield Client(address)
