"""A resolver for crawls of the local web: it knows its names and asks nobody for others."""

from __future__ import annotations

import socket

from gristmill.fetching.exchange import Endpoint
from localweb.web import LocalWeb, Served


class WebResolver:
    """Resolves the names of a web that is served on a port, whatever port is in the address."""

    def __init__(self, web: Served, port: int) -> None:
        self._web = web
        self._port = port

    async def resolve(self, host: str, port: int) -> list[Endpoint]:
        """The one address of a host; OSError if there is no such host."""
        del port
        ip = self._web.resolve(host) if isinstance(self._web, LocalWeb) else self._web.hosts.get(host)
        if ip is None:
            raise OSError(socket.EAI_NONAME, "no such name in the local web")
        return [Endpoint(ip, self._port)]
