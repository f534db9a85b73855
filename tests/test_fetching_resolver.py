from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gristmill.errors import UsageError
from gristmill.fetching import resolver as module
from gristmill.fetching.exchange import Endpoint
from gristmill.fetching.resolver import HostsFile, Resolver, SystemResolver


class System:
    """Stands for the system's name service, which no test may ask; it counts the questions."""

    def __init__(self) -> None:
        self.asked: list[bytes] = []
        self.go_on = threading.Event()

    def getaddrinfo(self, host: bytes, _port: None, **_: object) -> list[Any]:
        self.asked.append(host)
        if host == b"slow.test":
            self.go_on.wait(120)
        if host == b"many.test":
            ips = ["2606:4700::2", "9.9.9.9", "1.1.1.1", "9.9.9.9"]
            return [(0, 0, 0, "", (ip, 0)) for ip in ips]
        if host == b"again.test":
            raise socket.gaierror(socket.EAI_AGAIN, "Temporary failure in name resolution")
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")


@pytest.fixture
def system(monkeypatch: pytest.MonkeyPatch) -> System:
    system = System()
    monkeypatch.setattr(socket, "getaddrinfo", system.getaddrinfo)
    return system


def resolve(
    host: str, port: int = 80, make: Callable[[SystemResolver], Resolver] = lambda behind: behind
) -> list[Endpoint]:
    async def run() -> list[Endpoint]:
        async with SystemResolver() as behind:
            return await make(behind).resolve(host, port)

    return asyncio.run(run())


@pytest.mark.usefixtures("system")
def test_all_addresses_in_a_stable_order() -> None:
    assert resolve("many.test", 81) == [Endpoint("1.1.1.1", 81), Endpoint("9.9.9.9", 81), Endpoint("2606:4700::2", 81)]


def test_addresses_are_not_looked_up(system: System) -> None:
    assert resolve("127.0.0.1", 8080) == [Endpoint("127.0.0.1", 8080)]
    assert resolve("::1", 443) == [Endpoint("::1", 443)]
    assert system.asked == []


def test_answers_are_kept_and_asked_for_once(system: System) -> None:
    async def run() -> None:
        async with SystemResolver() as names:
            await asyncio.gather(*(names.resolve("many.test", port) for port in range(80, 90)))
            await names.resolve("many.test", 80)

    asyncio.run(run())
    assert system.asked == [b"many.test"]


@pytest.mark.parametrize(("host", "number"), [("none.test", socket.EAI_NONAME), ("again.test", socket.EAI_AGAIN)])
def test_failures_are_kept_for_a_while(system: System, monkeypatch: pytest.MonkeyPatch, host: str, number: int) -> None:
    async def run() -> None:
        async with SystemResolver() as names:
            for _ in range(2):
                with pytest.raises(OSError, match="ame") as error:
                    await names.resolve(host, 80)
                assert error.value.errno == number

    asyncio.run(run())
    assert len(system.asked) == 1
    monkeypatch.setattr(module, "_NOT_FOUND_SECONDS", -1.0)
    monkeypatch.setattr(module, "_FAILED_SECONDS", -1.0)
    asyncio.run(run())
    assert len(system.asked) == 3


def test_a_slow_look_up_is_given_up_and_others_go_on(system: System) -> None:
    async def run() -> None:
        async with SystemResolver(seconds=1.0) as names:
            slow = asyncio.create_task(names.resolve("slow.test", 80))
            assert await names.resolve("many.test", 80)
            with pytest.raises(OSError, match="no answer"):
                await slow

    try:
        asyncio.run(run())
    finally:
        system.go_on.set()


def test_one_that_waits_can_be_cancelled_without_the_others(system: System) -> None:
    async def run() -> None:
        async with SystemResolver() as names:
            first = asyncio.create_task(names.resolve("slow.test", 80))
            second = asyncio.create_task(names.resolve("slow.test", 80))
            await asyncio.sleep(0.01)
            first.cancel()
            system.go_on.set()
            with pytest.raises(OSError, match="not known"):
                await second
            assert first.cancelled()

    asyncio.run(run())
    assert system.asked == [b"slow.test"]


@pytest.mark.parametrize("host", ["", "a" * 64 + ".test", "a..test", "é.test", "a\0.test", "a" * 300])
def test_what_can_be_no_name(host: str) -> None:
    with pytest.raises(OSError, match=r"."):
        resolve(host)


def test_the_cache_is_bounded(system: System, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_MAX_CACHED", 2)

    async def run() -> None:
        async with SystemResolver() as names:
            for host in ("a.test", "b.test", "c.test", "a.test"):
                with pytest.raises(OSError, match="not known"):
                    await names.resolve(host, 80)

    asyncio.run(run())
    assert system.asked == [b"a.test", b"b.test", b"c.test", b"a.test"]


HOSTS = """
# a comment
127.0.0.1        example.org www.Example.org  # another
127.0.0.2:8080   ports.example
127.0.0.3:81/80  split.example
127.0.0.4:444/443 split.example
127.0.0.5        *.test
127.0.0.6        *.a.test many.a.test
[::1]:8443/443   many.a.test
::1              six.example
"""


@pytest.mark.parametrize(
    ("host", "port", "found"),
    [
        ("example.org", 80, [("127.0.0.1", 80)]),
        ("www.example.org", 8000, [("127.0.0.1", 8000)]),
        ("ports.example", 443, [("127.0.0.2", 8080)]),
        ("split.example", 80, [("127.0.0.3", 81)]),
        ("split.example", 443, [("127.0.0.4", 444)]),
        ("x.test", 80, [("127.0.0.5", 80)]),
        ("x.y.test", 80, [("127.0.0.5", 80)]),
        ("x.a.test", 80, [("127.0.0.6", 80)]),
        ("many.a.test", 443, [("127.0.0.6", 443), ("::1", 8443)]),
        ("six.example", 80, [("::1", 80)]),
        ("9.9.9.9", 80, [("9.9.9.9", 80)]),
    ],
)
def test_a_hosts_file(tmp_path: Path, system: System, host: str, port: int, found: list[tuple[str, int]]) -> None:
    path = tmp_path / "hosts"
    path.write_text(HOSTS)
    assert resolve(host, port, lambda behind: HostsFile(path, behind)) == [Endpoint(*each) for each in found]
    assert system.asked == []


@pytest.mark.parametrize(("host", "port"), [("split.example", 8000), ("none.example", 80), ("test", 80)])
def test_names_that_are_not_in_the_file_go_to_the_resolver_behind(
    tmp_path: Path, system: System, host: str, port: int
) -> None:
    path = tmp_path / "hosts"
    path.write_text(HOSTS)
    with pytest.raises(OSError, match="not known"):
        resolve(host, port, lambda behind: HostsFile(path, behind))
    assert system.asked == [host.encode()]


def test_a_star_stands_for_all_names_but_not_for_addresses(tmp_path: Path) -> None:
    path = tmp_path / "hosts"
    path.write_text("127.0.0.1:8080 *\n")
    assert resolve("a.b.example", 80, lambda behind: HostsFile(path, behind)) == [Endpoint("127.0.0.1", 8080)]
    assert resolve("9.9.9.9", 80, lambda behind: HostsFile(path, behind)) == [Endpoint("9.9.9.9", 80)]


@pytest.mark.parametrize(
    "line",
    ["127.0.0.1", "example.org 127.0.0.1", "127.0.0.1:x a", "127.0.0.1:99999 a", "127.0.0.1/-1 a", "[::1 a", "127.1 a"],
)
def test_a_wrong_line_is_named(tmp_path: Path, line: str) -> None:
    path = tmp_path / "hosts"
    path.write_text(f"\n{line}\n")
    with pytest.raises(UsageError, match="line 2 of"):
        HostsFile(path, SystemResolver())


def test_a_hosts_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="can't be read"):
        HostsFile(tmp_path / "hosts", SystemResolver())
