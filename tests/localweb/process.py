"""The local web in a process of its own, so that its work does not count as the crawler's."""

from __future__ import annotations

import json
import os
import ssl
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Self

from localweb.certificates import client_context
from localweb.log import Visit, read_log
from localweb.resolver import WebResolver
from localweb.web import Served

_TESTS = Path(__file__).resolve().parents[1]


class ServedWeb:
    """A web that is being served: `with ServedWeb(LocalWeb(seed, scale)) as served`.

    `tempo` multiplies the time that slow servers take.
    """

    def __init__(self, web: Served, *, tempo: float = 1.0, folder: Path | None = None) -> None:
        self.web = web
        self._arguments = [web.spec, str(tempo)]
        self._temporary = None if folder else tempfile.TemporaryDirectory(prefix="localweb-")
        self.folder = Path(self._temporary.name if self._temporary else str(folder))

    def __enter__(self) -> Self:
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(_TESTS), os.environ.get("PYTHONPATH", "")])}
        self._process = subprocess.Popen(
            [sys.executable, "-m", "localweb", str(self.folder), *self._arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=environment,
        )
        self.port = int(json.loads(self._answer())["port"])
        self.ca_file = self.folder / "ca.pem"
        self.hosts_file = self.folder / "hosts"
        lines = [f"{address}:{self.port} {name}\n" for name, address in self.web.names.items()]
        self.hosts_file.write_text("".join(lines), encoding="utf-8")
        return self

    def __exit__(self, *_: object) -> None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait(120)
        self._process.stdout.close()
        if self._temporary:
            self._temporary.cleanup()

    @property
    def pid(self) -> int:
        """The id of the server's process."""
        return self._process.pid

    @property
    def ssl_context(self) -> ssl.SSLContext:
        """A context for clients that trusts this web's authority."""
        return client_context(self.ca_file.read_bytes())

    @property
    def resolver(self) -> WebResolver:
        """A resolver for clients."""
        return WebResolver(self.web, self.port)

    def visits(self) -> list[Visit]:
        """All requests up to now."""
        assert self._process.stdin is not None
        self._process.stdin.write("flush\n")
        self._process.stdin.flush()
        self._answer()
        return read_log(self.folder / "log")

    def _answer(self) -> str:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError("the server of the local web has ended")
        return line
