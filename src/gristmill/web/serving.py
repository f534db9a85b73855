"""Serve a site: until Ctrl-C, or in a thread for some time."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Thread

import uvicorn

from gristmill.engine.limits import max_open_files
from gristmill.errors import GristmillError, UsageError
from gristmill.web.app import Site, make_app
from gristmill.web.connections import TimelyConnection
from gristmill.web.security.limits import MAX_HEAD_BYTES

_MAX_START_SECONDS = 60.0
_IDLE_SECONDS = 15
_MAX_CONNECTIONS = 1_000
_TICKS_BETWEEN_CHECKS = 5  # of a tenth of a second


def listen(host: str, port: int) -> socket.socket:
    """Take an address; port 0 is any that is free. Raises if that can't be had."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    found = socket.socket(family, socket.SOCK_STREAM)
    try:
        found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        found.bind((host, port))
        found.listen(512)
    except (OSError, OverflowError) as error:
        found.close()
        reason = getattr(error, "strerror", None) or str(error)
        raise UsageError(f"can't listen at {host}, port {port}: {reason}; choose another --port or --host") from error
    return found


def address_of(listening: socket.socket) -> str:
    """Where a server can be asked: `http://127.0.0.1:8080`."""
    host, port = listening.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


class _Server(uvicorn.Server):
    """A server that says when it is ready, and looks for slow clients every now and then."""

    def __init__(self, config: uvicorn.Config, on_ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._on_ready = on_ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self._on_ready()

    async def on_tick(self, counter: int) -> bool:
        if counter % _TICKS_BETWEEN_CHECKS == 0:
            for connection in list(self.server_state.connections):
                if isinstance(connection, TimelyConnection):
                    connection.check()
        return await super().on_tick(counter)


def _server(site: Site, on_ready: Callable[[], None]) -> _Server:
    config = uvicorn.Config(
        make_app(site),
        log_config=None,
        access_log=False,
        proxy_headers=False,
        server_header=False,
        lifespan="on",
        timeout_keep_alive=_IDLE_SECONDS,
        timeout_graceful_shutdown=2,
        limit_concurrency=min(_MAX_CONNECTIONS, max_open_files() // 2),
        h11_max_incomplete_event_size=MAX_HEAD_BYTES,
        http=type("Connection", (TimelyConnection,), {"max_of_address": site.access.meter.limits.connections}),
        loop="asyncio",
        ws="none",
    )
    return _Server(config, on_ready)


def serve(site: Site, listening: socket.socket, on_ready: Callable[[], None]) -> None:
    """Serve until Ctrl-C."""
    _server(site, on_ready).run([listening])


@contextmanager
def running(site: Site, host: str = "127.0.0.1", port: int = 0) -> Iterator[str]:
    """Serve in a thread for some time; gives the address."""
    listening = listen(host, port)
    server = _server(site, lambda: None)
    thread = Thread(target=server.run, args=([listening],), daemon=True)
    thread.start()
    end = time.monotonic() + _MAX_START_SECONDS
    while not server.started:
        if not thread.is_alive() or time.monotonic() > end:
            raise GristmillError("the server does not start; the log says why")
        time.sleep(0.01)
    try:
        yield address_of(listening)
    finally:
        server.should_exit = True
        thread.join()
        listening.close()
