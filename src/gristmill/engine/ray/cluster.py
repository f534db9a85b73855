"""The cluster: how this process connects to it, which nodes it has, and how many tasks have room there."""

from __future__ import annotations

import contextlib
import importlib
import logging
import os
import signal
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

from gristmill.engine.ray.settings import RaySettings
from gristmill.errors import GristmillError, UsageError

_log = logging.getLogger(__name__)
_CONNECT_SECONDS = 10.0
_MOMENT_SECONDS = 0.5
_SETTINGS = {
    "RAY_USAGE_STATS_ENABLED": "0",  # nobody is told that somebody uses Ray
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",  # or it warns of what it will do in a later version
    "RAY_worker_niceness": "0",  # workers of a cluster that is started here get as much as processes of our own
}
"""Settings of Ray, where the user has not set others."""


@dataclass(frozen=True, slots=True)
class Node:
    """A node that is alive, and what it has in all."""

    id: str
    host: str
    cpus: float
    memory: float

    def slots(self, settings: RaySettings) -> int:
        """Count the tasks that have room at a time."""
        by_cpus = int(self.cpus / settings.cpus + 1e-9)
        needed = settings.memory_bytes
        return min(by_cpus, int(self.memory // needed)) if needed else by_cpus


class Cluster:
    """A connection to a Ray cluster. One that was there before stays as it is when this one is closed."""

    def __init__(self, settings: RaySettings) -> None:
        """Connect, or raise an error that says what to do."""
        self.ray = import_ray()
        self._opened = ExitStack()
        self._nodes: list[Node] = []
        self._asked = float("-inf")
        if not self.ray.is_initialized():
            self._opened.enter_context(_printing_nothing())
            self._connect(settings)
            self._opened.callback(self._disconnect)

    def _connect(self, settings: RaySettings) -> None:
        given = settings.address
        asked = given if given not in {"", "auto"} else os.environ.get("RAY_ADDRESS", "")
        if asked and asked != "local":
            _check_reachable(asked)
        for name, value in _SETTINGS.items():
            os.environ.setdefault(name, value)
        try:
            with _quiet(), _signals_kept():
                self.ray.init(
                    address=given or None,
                    include_dashboard=None if asked and asked != "local" else False,
                    log_to_driver=False,
                    configure_logging=False,
                )
        except (GristmillError, MemoryError):
            raise
        except Exception as error:  # what Ray raises if it can't be reached is of many kinds
            raise UsageError(_why_not(given, error)) from error

    @property
    def nodes(self) -> list[Node]:
        """The nodes that are alive, or were a moment ago: of many, it takes a moment to ask for them."""
        if time.monotonic() > self._asked + _MOMENT_SECONDS:
            self._nodes, self._asked = self._ask(), time.monotonic()
        return self._nodes

    def _ask(self) -> list[Node]:
        return [
            Node(
                node["NodeID"],
                node["NodeManagerAddress"],
                node["Resources"].get("CPU", 0.0),
                node["Resources"].get("memory", 0.0),
            )
            for node in self.ray.nodes()
            if node["Alive"]
        ]

    def close(self) -> None:
        """Disconnect, if this is who connected; a cluster that was started for it ends."""
        self._opened.close()

    def _disconnect(self) -> None:
        with _signals_kept():
            self.ray.shutdown()


def import_ray() -> Any:
    """Import Ray; raises with what to do if it is not installed."""
    try:
        return importlib.import_module("ray")
    except ImportError as error:
        raise UsageError("the engine 'ray' needs Ray: pip install 'gristmill[cluster]'") from error


def no_room(settings: RaySettings, nodes: list[Node]) -> UsageError:
    """Make the error for tasks that no node is large enough for."""
    memory = f" and {settings.memory} of memory" if settings.memory else ""
    largest = max(nodes, key=lambda node: (node.cpus, node.memory), default=None)
    has = f"the largest has {largest.cpus:g} and {largest.memory / 1e9:.1f}G" if largest else "there is none"
    return UsageError(
        f"no node of the Ray cluster has the {settings.cpus:g} CPUs{memory} that a task is to get ({has}): ask for "
        "less with --engine ray:cpus=...,memory=..., or where nodes are started on demand, say how long to wait: "
        "--engine ray:wait=600"
    )


def _check_reachable(address: str) -> None:
    """Raise at once if nothing answers at an address: Ray itself would try for long, and say less."""
    host, colon, port = address.removeprefix("ray://").rpartition(":")
    if not colon or not port.isdigit():
        raise UsageError(f"{address!r} is not the address of a Ray cluster: write HOST:PORT, auto or local")
    try:
        socket.create_connection((host.strip("[]"), int(port)), _CONNECT_SECONDS).close()
    except OSError as error:
        raise UsageError(
            f"can't reach the Ray cluster at {address}: {error.strerror or error}; is it running? "
            "`ray status` on its head node says so"
        ) from error


def _why_not(given: str, error: Exception) -> str:
    """Say why Ray can't be used, in a sentence."""
    where = f"the Ray cluster {given}" if given not in {"", "local"} else "Ray"
    said = " ".join(str(error).split())
    if "ersion mismatch" in said:
        return f"{where} has another version of Ray or Python than this process: install the same on all nodes ({said})"
    if isinstance(error, ConnectionError) and given == "auto":
        return "no Ray cluster runs on this machine: start one with `ray start --head`, or leave out address=auto"
    return f"can't use {where}: {said or type(error).__name__}"


@contextlib.contextmanager
def _printing_nothing() -> Iterator[None]:
    """Log what Ray would print to standard output when a node dies: that is where results of commands go."""
    module = importlib.import_module("ray._private.worker")
    before = getattr(module, "print_to_stdstream", None)

    def log_instead(data: dict[str, Any], *_: object, **__: object) -> None:
        _log.debug("Ray says: %s", "\n".join(map(str, data.get("lines", ()))))

    module.__dict__["print_to_stdstream"] = log_instead
    try:
        yield
    finally:
        module.__dict__["print_to_stdstream"] = before


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Keep what Ray says when it starts away from the user: what goes wrong is raised."""
    logger = logging.getLogger("ray")
    before = logger.level
    logger.setLevel(logging.ERROR)
    try:
        yield
    finally:
        logger.setLevel(max(before, logging.ERROR))


@contextlib.contextmanager
def _signals_kept() -> Iterator[None]:
    """Keep what this process does when it is told to end: Ray sets handlers of its own."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        yield
    finally:
        for number, handler in before.items():
            if handler is not None:
                signal.signal(number, handler)
