"""The server of the local web, in this process; one port serves HTTP and HTTPS on many addresses of the loopback."""

from __future__ import annotations

import asyncio
import errno
import socket
import time
from pathlib import Path
from typing import Self

from localweb.certificates import Certificates
from localweb.connection import Connection, Service
from localweb.log import Visit
from localweb.web import UNTOUCHABLE_IP, Served

_TLS_HANDSHAKE = b"\x16"
_BACKLOG = 512


class Server:
    """Serves a web on the addresses of its hosts, on a port that the system chooses: `async with Server(web, log)`."""

    def __init__(self, web: Served, log: Path, tempo: float = 1.0) -> None:
        self.web = web
        self.log_path = log
        self.tempo = tempo
        self.certificates = Certificates(web.hosts, web.faulty_tls)
        self.port = 0
        self._sockets: list[socket.socket] = []

    async def __aenter__(self) -> Self:
        self._log = self.log_path.open("w", encoding="utf-8")
        self._service = Service(self.web, self._log, self.tempo)
        self._loop = asyncio.get_running_loop()
        self._listen(sorted(set(self.web.hosts.values())))
        for listener in self._sockets:
            self._loop.add_reader(listener, self._accept, listener)
        return self

    async def __aexit__(self, *_: object) -> None:
        for listener in self._sockets:
            self._loop.remove_reader(listener)
            listener.close()
        self._sockets.clear()
        for connection in list(self._service.connections):
            connection.abort()
        await asyncio.gather(*self._service.tasks, return_exceptions=True)
        await asyncio.sleep(0)
        self._log.close()

    def flush(self) -> None:
        """Write all of the log to its file."""
        self._log.flush()

    def _listen(self, addresses: list[str]) -> None:
        """Listen on all addresses, on one port."""
        for _ in range(20):
            try:
                for address in addresses:
                    listener = socket.create_server((address, self.port), backlog=_BACKLOG)
                    listener.setblocking(False)
                    self._sockets.append(listener)
                    self.port = listener.getsockname()[1]
            except OSError as error:
                if error.errno != errno.EADDRINUSE:
                    raise
                for listener in self._sockets:
                    listener.close()
                self._sockets.clear()
                self.port = 0
            else:
                return
        raise OSError(errno.EADDRINUSE, "no port is free on all addresses")

    def _accept(self, listener: socket.socket) -> None:
        try:
            connection, peer = listener.accept()
        except OSError:
            return  # the client has left already
        ip = listener.getsockname()[0]
        if ip == UNTOUCHABLE_IP:
            now = time.monotonic_ns()
            self._log.write(Visit(now, now, "", "", ip, f"{peer[0]}:{peer[1]}", "", "", "", 0, 0, whole=False).line())
        connection.setblocking(False)
        self._loop.add_reader(connection, self._begin, connection)

    def _begin(self, connection: socket.socket) -> None:
        """Look at the first byte to see whether the client speaks TLS."""
        self._loop.remove_reader(connection)
        try:
            first = connection.recv(1, socket.MSG_PEEK)
        except OSError:
            first = b""
        if not first:
            connection.close()
            return
        task = self._loop.create_task(self._serve(connection, tls=first == _TLS_HANDSHAKE))
        self._service.tasks.add(task)
        task.add_done_callback(self._service.tasks.discard)

    async def _serve(self, connection: socket.socket, *, tls: bool) -> None:
        context = self.certificates.context if tls else None
        try:
            await self._loop.connect_accepted_socket(lambda: Connection(self._service), connection, ssl=context)
        except OSError:
            connection.close()  # the client does not like the certificate, or has left
