"""Single requests outside of crawls: for feeds, indexes and search engines, with the safety and manners of a crawl.

async with Session.open(Access(contact="me@example.org")) as session:
    answer = await session.get("https://example.org/feed.xml")
"""

from __future__ import annotations

import asyncio
import socket
import time
from collections.abc import AsyncIterator, Collection, Mapping, MutableMapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from ipaddress import ip_address

from gristmill.archive.http import parse
from gristmill.fetching.access import Access
from gristmill.fetching.client import ACCEPT, Client, Limits
from gristmill.fetching.exchange import Exchange, Failure
from gristmill.fetching.networks import Networks
from gristmill.fetching.resolver import Resolver
from gristmill.fetching.robots import MAX_ROBOTS_BYTES, Robots, fetch_robots
from gristmill.fetching.urls import host_of, normalise, origin_of, port_of

_EVERYWHERE = ("0.0.0.0/0", "::/0")
_MAX_REDIRECTS = 5
_MAX_ENDPOINTS = 3  # of a host that are tried until one is there
_ROBOTS_SECONDS = 86_400.0
_UNREACHABLE_SECONDS = 3_600.0
_REDIRECTS = frozenset([301, 302, 303, 307, 308])
_PERMANENT = frozenset([301, 308])
_SECRET = frozenset(["authorization", "cookie", "proxy-authorization"])
"""Headers that are not sent to another origin than they were meant for."""

RobotsStore = MutableMapping[str, tuple[float, bytes]]
"""robots.txt by origin: when it was fetched, in seconds since 1970, and what `Robots.to_bytes` wrote."""


@dataclass(frozen=True, slots=True)
class Answer:
    """A whole response, behind all redirects."""

    url: str
    """Where it came from in the end."""
    status: int
    headers: dict[str, str]
    """Names in lower case."""
    body: bytes
    """Without transfer and content encodings."""
    moved: str = ""
    """The new address, if all redirects were permanent; empty if there was none."""
    exchange: Exchange | None = None
    """The last request and its response as they were on the wire."""


@dataclass(slots=True)
class _Turn:
    """Who may ask a host, and when."""

    free: asyncio.Semaphore
    next: float = 0.0
    """On the clock of the loop, in seconds."""


class Session:
    """Sends requests, one at a time to a host and with a pause between two, and follows redirects."""

    def __init__(
        self,
        client: Client,
        trusting: Client,
        resolver: Resolver,
        *,
        delay: float = 1.0,
        parallel: int = 1,
        trusted: Collection[str] = (),
        robots: RobotsStore | None = None,
        abroad: bool = True,
    ) -> None:
        """Use `open`, which makes the clients; `abroad` is whether other machines than this one may be asked."""
        self._client = client
        self._trusting = trusting
        self._resolver = resolver
        self._delay = delay
        self._parallel = parallel
        self._trusted = frozenset(origin_of(normalise(url)) for url in trusted)
        self._robots: RobotsStore = {} if robots is None else robots
        self._abroad = abroad
        self._turns: dict[str, _Turn] = {}
        self._silent: dict[str, Failure] = {}
        """Origins that did not answer at all: not asked again in this session, but in the next one."""

    @classmethod
    @asynccontextmanager
    async def open(
        cls,
        access: Access,
        *,
        delay: float = 1.0,
        parallel: int = 1,
        trusted: Collection[str] = (),
        robots: RobotsStore | None = None,
        limits: Limits | None = None,
    ) -> AsyncIterator[Session]:
        """Open a session for the time of some requests.

        `delay` is the pause between two requests to a host, in seconds; `parallel` of them may run at a time, as data
        servers allow. `trusted` are addresses that the user has typed: servers at their origins may be in a private
        network. `robots` is where robots.txt are kept.
        """
        context = access.ssl_context
        async with (
            access.resolving() as resolver,
            Client(access.agent, Networks(access.networks), limits, keep_alive=True, ssl_context=context) as client,
            Client(access.agent, Networks(_EVERYWHERE), limits, keep_alive=True, ssl_context=context) as trusting,
        ):
            yield cls(
                client,
                trusting,
                resolver,
                delay=delay,
                parallel=parallel,
                trusted=trusted,
                robots=robots,
                abroad=bool(access.who),
            )

    async def get(
        self,
        url: str,
        *,
        headers: Mapping[str, str] | None = None,
        secrets: Mapping[str, str] | None = None,
        accept: str = ACCEPT,
        max_bytes: int = 10_000_000,
        languages: tuple[str, ...] = (),
        robots: bool = False,
    ) -> Answer | Failure:
        """Ask for an address, also where it redirects to.

        `secrets` are headers that no other origin gets, such as keys. The body may have `max_bytes`, both as it is sent
        and decompressed. With `robots`, each address is asked for only if robots.txt allows it; the failure is `robots`
        if not.
        """
        here = normalise(url)
        if not here:
            return Failure(url, "protocol", "not a web address")
        sent = {**(headers or {}), **(secrets or {})}
        secret = _SECRET.union(map(str.lower, secrets or {}))
        moved = here
        for count in range(_MAX_REDIRECTS + 1):
            if robots and (refused := await self._refused(here)):
                return refused
            found = await self._get(here, sent, accept, max_bytes, languages)
            if isinstance(found, Failure):
                return found
            location = found.headers.get("location", "") if found.status in _REDIRECTS else ""
            target = normalise(location, here) if location else ""
            if not target:
                return self._answer(found, max_bytes, moved if count else "")
            if found.status not in _PERMANENT:
                moved = ""
            moved = target if moved else ""
            if origin_of(target) != origin_of(here):
                sent = {name: value for name, value in sent.items() if name.lower() not in secret}
            here = target
        return Failure(here, "redirects", f"more than {_MAX_REDIRECTS}")

    def refusal(self, url: str) -> str:
        """Say why a normalised address must not be asked for, if its host is a network address; empty if it may be."""
        host = host_of(url)
        try:
            ip_address(host)
        except ValueError:  # a name: where it leads to is seen when it is asked for
            return ""
        return self._client.networks.refusal(host)

    @staticmethod
    def _answer(found: Exchange, max_bytes: int, moved: str) -> Answer | Failure:
        response = parse(found.wire, max_bytes)
        if len(response.body) > max_bytes:
            return Failure(found.url, "too-long", "decompressed", found.status, found.headers, len(found.wire))
        return Answer(found.url, found.status, found.headers, response.body, moved, found)

    async def _get(
        self, url: str, headers: Mapping[str, str], accept: str, max_bytes: int, languages: tuple[str, ...]
    ) -> Exchange | Failure:
        """Ask for one address when it is the turn of this request."""
        host = host_of(url)
        turn = self._turns.setdefault(host, _Turn(asyncio.Semaphore(self._parallel)))
        loop = asyncio.get_running_loop()
        async with turn.free:
            await asyncio.sleep(max(0.0, turn.next - loop.time()))
            try:
                return await self._send(host, url, headers, accept, max_bytes, languages)
            finally:
                turn.next = loop.time() + self._delay

    async def _send(
        self, host: str, url: str, headers: Mapping[str, str], accept: str, max_bytes: int, languages: tuple[str, ...]
    ) -> Exchange | Failure:
        is_trusted = origin_of(url) in self._trusted
        client = self._trusting if is_trusted else self._client
        try:
            endpoints = await self._resolver.resolve(host, port_of(url))
        except OSError as error:
            return Failure(url, "dns-failure" if error.errno == socket.EAI_AGAIN else "dns", str(error))
        found: Exchange | Failure = Failure(url, "dns", "the name has no network address")
        for endpoint in endpoints[:_MAX_ENDPOINTS]:
            if not (self._abroad or is_trusted or ip_address(endpoint.ip).is_loopback):
                return Failure(url, "network", "no contact was given, so that only this machine is asked")
            found = await client.get(
                url, endpoint, max_bytes=max_bytes, accept=accept, languages=languages, headers=headers
            )
            if isinstance(found, Exchange) or found.reason not in {"network", "connect"}:
                break
        return found

    async def _refused(self, url: str) -> Failure | None:
        """Look robots.txt up, and fetch it if it is not known or too old; None if an address may be asked for.

        If robots.txt can't be fetched, the failure is what kept it from that: mostly there is no such host any more.
        """
        origin = origin_of(url)
        if origin in self._silent:
            return replace(self._silent[origin], url=url)
        now = time.time()
        fetched, stored = self._robots.get(origin, (0.0, b""))
        if stored:
            known = Robots.from_bytes(stored)
            if abs(now - fetched) < (_UNREACHABLE_SECONDS if known.unreachable else _ROBOTS_SECONDS):
                return _refusal(url, known)
        last: list[Exchange | Failure] = []

        async def get(address: str) -> Exchange | Failure:
            last.append(await self._get(address, {}, ACCEPT, MAX_ROBOTS_BYTES, ()))
            return last[-1]

        rules = await fetch_robots(origin, get)
        if rules.unreachable and last and isinstance(last[-1], Failure):
            self._silent[origin] = last[-1]
            return replace(last[-1], url=url)
        self._robots[origin] = now, rules.to_bytes()
        return _refusal(url, rules)


def _refusal(url: str, rules: Robots) -> Failure | None:
    if rules.allows(url):
        return None
    return Failure(url, "robots", "robots.txt could not be fetched" if rules.unreachable else "")
