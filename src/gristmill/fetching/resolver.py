"""Resolve names of hosts to network addresses: by the system, or first by a file like /etc/hosts."""

from __future__ import annotations

import asyncio
import socket
import time
from collections import OrderedDict
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from ipaddress import ip_address
from pathlib import Path
from typing import Protocol, Self

from gristmill.errors import UsageError
from gristmill.fetching.exchange import Endpoint

_THREADS = 64  # look-ups at a time; each waits for the system's resolver in a thread
_MAX_CACHED = 50_000  # hosts
_FOUND_SECONDS = 3600.0
_NOT_FOUND_SECONDS = 300.0
_FAILED_SECONDS = 15.0  # failures that may pass soon, as when the network is gone


class Resolver(Protocol):
    """What resolves names of hosts."""

    async def resolve(self, host: str, port: int) -> list[Endpoint]:
        """Return all network addresses of a host, IPv4 first, always in the same order; OSError if there is none."""


@dataclass(slots=True)
class _Cached:
    """What a look-up brought: addresses, or an error."""

    until: float
    ips: list[str]
    error: OSError | None = None


class SystemResolver:
    """The system's resolver, in threads of its own, with a time limit and a cache. `async with` ends the threads."""

    def __init__(self, seconds: float = 20.0) -> None:
        self._seconds = seconds
        self._threads = ThreadPoolExecutor(_THREADS, thread_name_prefix="dns")
        self._cache: OrderedDict[str, _Cached] = OrderedDict()
        self._running: dict[str, asyncio.Task[_Cached]] = {}

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        for task in self._running.values():
            task.cancel()
        self._threads.shutdown(wait=False, cancel_futures=True)

    async def resolve(self, host: str, port: int) -> list[Endpoint]:
        """Return all network addresses of a host, IPv4 first, always in the same order; OSError if there is none."""
        if is_ip(host):
            return [Endpoint(host, port)]
        cached = self._cache.get(host)
        if cached is None or cached.until < time.monotonic():
            if host not in self._running:
                self._running[host] = asyncio.create_task(self._look_up(host))
            cached = await asyncio.shield(self._running[host])  # others may wait for the same look-up
        if cached.error:
            raise OSError(*cached.error.args) from cached.error
        return [Endpoint(ip, port) for ip in cached.ips]

    async def _look_up(self, host: str) -> _Cached:
        """Ask the system, and keep its answer."""
        try:
            loop = asyncio.get_running_loop()
            async with asyncio.timeout(self._seconds):
                ips = await loop.run_in_executor(self._threads, _system_ips, host)
            cached = _Cached(time.monotonic() + _FOUND_SECONDS, ips)
        except TimeoutError:
            error = OSError(socket.EAI_AGAIN, f"no answer in {self._seconds:g} s")
            cached = _Cached(time.monotonic() + _FAILED_SECONDS, [], error)
        except (OSError, ValueError) as failure:  # ValueError: a name that can't be one
            error = failure if isinstance(failure, OSError) else OSError(socket.EAI_NONAME, str(failure))
            seconds = _FAILED_SECONDS if error.errno == socket.EAI_AGAIN else _NOT_FOUND_SECONDS
            cached = _Cached(time.monotonic() + seconds, [], error)
        finally:
            del self._running[host]
        self._cache[host] = cached
        self._cache.move_to_end(host)
        if len(self._cache) > _MAX_CACHED:
            self._cache.popitem(last=False)
        return cached


def is_ip(host: str) -> bool:
    """Whether the host of a normalised address is an IP address."""
    try:
        ip_address(host)
    except ValueError:
        return False
    return True


def _system_ips(host: str) -> list[str]:
    """Return the addresses of a host in order; given as bytes, the name is not changed by Python's old IDNA."""
    found = socket.getaddrinfo(host.encode("ascii"), None, type=socket.SOCK_STREAM)
    return _sorted_ips(str(sockaddr[0]) for _, _, _, _, sockaddr in found)


def _sorted_ips(ips: Iterable[str]) -> list[str]:
    return sorted(set(ips), key=lambda ip: (":" in ip, ip))


@dataclass(frozen=True, slots=True)
class _Line:
    """An address in the file: where to connect to; 0 is the port that was asked for, or any port."""

    endpoint: Endpoint
    only_port: int


class HostsFile:
    """A file like /etc/hosts. Names that are not in it are resolved by the resolver behind it.

    A line is an address and the names that have it. The address may have a port, which is connected to instead of the
    one in the URL, and behind a slash the port that this is for. `*.test` stands for all names below `test`, `*` for
    all names; the longest match counts. All lines with the same name count. `#` begins a comment.

        127.0.0.1            example.org www.example.org
        127.0.0.1:8080/80    *.test
        [::1]:8443/443       *.test
    """

    def __init__(self, path: str | Path, behind: Resolver) -> None:
        self._behind = behind
        self._lines: dict[str, list[_Line]] = {}
        try:
            text = Path(path).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise UsageError(f"the hosts file {path} can't be read: {error}") from error
        for number, line in enumerate(text.splitlines(), 1):
            address, *names = line.partition("#")[0].split() or [""]
            if not address:
                continue
            if not names or not (parsed := _parse_address(address)):
                raise UsageError(f"line {number} of {path} is not like `127.0.0.1:8080 example.org`: {line!r}")
            for name in names:
                self._lines.setdefault(name.lower().rstrip("."), []).append(parsed)

    async def resolve(self, host: str, port: int) -> list[Endpoint]:
        """Return the addresses of a host for a port from the file, or from the resolver behind it."""
        if not is_ip(host):
            for name in _patterns(host):
                found = [line for line in self._lines.get(name, ()) if line.only_port in {0, port}]
                if found:
                    return [
                        line.endpoint if line.endpoint.port else replace(line.endpoint, port=port) for line in found
                    ]
        return await self._behind.resolve(host, port)


def _patterns(host: str) -> Iterable[str]:
    """Give the names under which a host may be in the file, the most specific first."""
    yield host
    while "." in host:
        host = host.partition(".")[2]
        yield f"*.{host}"
    yield "*"


def _parse_address(text: str) -> _Line | None:
    """Parse the address of a line: `127.0.0.1`, `127.0.0.1:8080`, `[::1]:8443/443`."""
    text, _, only_port = text.partition("/")
    ip, port = text, ""
    if text.startswith("[") or text.count(":") == 1:
        ip, _, port = text.rpartition(":")
        ip = ip[1:-1] if ip[:1] + ip[-1:] == "[]" else ip
    numbers = [int(number) if number.isdecimal() else -1 for number in (port or "0", only_port or "0")]
    return _Line(Endpoint(ip, numbers[0]), numbers[1]) if is_ip(ip) and all(0 <= n < 65536 for n in numbers) else None
