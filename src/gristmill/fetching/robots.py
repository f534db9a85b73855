"""What robots.txt and `X-Robots-Tag` say a crawler may do (RFC 9309)."""

from __future__ import annotations

import math
import re
import zlib
from collections.abc import Awaitable, Callable, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from gristmill.archive.http import parse
from gristmill.errors import UsageError
from gristmill.fetching.agent import PRODUCT
from gristmill.fetching.exchange import Exchange, Failure
from gristmill.fetching.urls import normalise

try:
    from protego import Protego
except ImportError as error:
    raise UsageError("robots.txt needs Protego: pip install 'gristmill[crawl]'") from error

MAX_ROBOTS_BYTES = 500 * 1024
"""How much of a robots.txt counts (RFC 9309, section 2.5); fetch it with `max_bytes` of this and `cut`."""

_MAX_STORED_BYTES = 4 * MAX_ROBOTS_BYTES  # bytes that were no UTF-8 take three times as many
_MAX_REDIRECTS = 5  # RFC 9309, section 2.3.1.2
_MAX_SITEMAPS = 100
_MAX_LINE = 8_192  # characters; longer lines are no rules that anybody means
_OTHER_AGENT = "~"  # stands for all agents that are not ours
_AGENT_LINE = re.compile(r"^[ \t]*user[- ]?agent(?:[ \t]*:|[ \t])([^#\n]*)", re.IGNORECASE | re.MULTILINE)
_TOKEN = re.compile(r"[a-z_-]+", re.IGNORECASE)
_TAG_AGENT = re.compile(r"\s*([\w*-]+)\s*:(.*)", re.DOTALL)
_VALUED = ("unavailable_after", "max-snippet", "max-image-preview", "max-video-preview")


class Robots:
    """What a robots.txt says to us.

    `unreachable` robots.txt allow nothing and should be asked for again soon.
    """

    def __init__(self, text: str = "", *, unreachable: bool = False, agent: str = PRODUCT) -> None:
        self.unreachable = unreachable
        self._text = text
        self._agent = agent
        self._rules = Protego.parse(_AGENT_LINE.sub(lambda line: _agent_line(line[1], agent), text)) if text else None

    @property
    def delay(self) -> float | None:
        """Seconds that `Crawl-delay` asks for; None if it does not."""
        delay = self._rules.crawl_delay(self._agent) if self._rules else None
        return delay if delay is not None and 0 <= delay < math.inf else None

    @property
    def sitemaps(self) -> list[str]:
        """Addresses of sitemaps, normalised."""
        addresses = (normalise(address) for address in (self._rules.sitemaps if self._rules else ()))
        return list(dict.fromkeys(address for address in addresses if address))[:_MAX_SITEMAPS]

    def allows(self, url: str) -> bool:
        """Whether a normalised address may be fetched."""
        if self.unreachable:
            return False
        return self._rules is None or self._rules.can_fetch(url, self._agent)

    def to_bytes(self) -> bytes:
        """Return a form that can be stored."""
        return bytes([self.unreachable]) + zlib.compress(self._text.encode())

    @classmethod
    def from_bytes(cls, stored: bytes, agent: str = PRODUCT) -> Robots:
        """Read the form that `to_bytes` writes; what is damaged, or a bomb, is to be fetched again."""
        inflater = zlib.decompressobj()
        try:
            text = inflater.decompress(stored[1:], _MAX_STORED_BYTES).decode()
        except (zlib.error, UnicodeDecodeError):
            text = ""
        return cls(text, unreachable=not inflater.eof or bool(stored[0]), agent=agent)


def _agent_line(value: str, agent: str) -> str:
    """Write a User-agent line so that only the lines of all agents and those of ours match.

    The product token must be the whole name (RFC 9309, section 2.2.1), while Protego also takes the beginning of ours
    for it; a version behind it does not count.
    """
    value = value.strip()
    if value.split()[:1] == ["*"]:
        return "User-agent: *"
    token = _TOKEN.match(value)
    return f"User-agent: {agent if token and token[0].lower() == agent.lower() else _OTHER_AGENT}"


def robots_of(answer: Exchange | Failure, agent: str = PRODUCT) -> Robots:
    """Take the answer to a request for robots.txt: its rules; all is allowed if there is none, nothing if it fails."""
    if isinstance(answer, Failure) or answer.status >= 500 or answer.status == 429:
        return Robots(unreachable=True, agent=agent)
    if not 200 <= answer.status < 300:
        return Robots(agent=agent)
    return Robots(_rules_text(parse(answer.wire, MAX_ROBOTS_BYTES).body), agent=agent)


def _rules_text(body: bytes) -> str:
    """Decode a robots.txt, without a last line that was cut off, and without what can't be a rule."""
    if len(body) > MAX_ROBOTS_BYTES:
        body = body[: body.rfind(b"\n", 0, MAX_ROBOTS_BYTES) + 1]
    text = body.decode("utf-8-sig", "replace").replace("\r\n", "\n").replace("\r", "\n").replace("\0", " ")
    return "\n".join(line for line in text.split("\n") if len(line) <= _MAX_LINE)


async def fetch_robots(
    origin: str, get: Callable[[str], Awaitable[Exchange | Failure]], agent: str = PRODUCT
) -> Robots:
    """Fetch the robots.txt of an origin (`https://example.org`) by `get`, which is also used for its redirects."""
    url = f"{origin}/robots.txt"
    for _ in range(_MAX_REDIRECTS + 1):
        answer = await get(url)
        if isinstance(answer, Failure) or not 300 <= answer.status < 400:
            return robots_of(answer, agent)
        url = normalise(answer.headers.get("location", ""), url) if "location" in answer.headers else ""
        if not url:
            break
    return Robots(agent=agent)


def tags_of(headers: Mapping[str, str], agent: str = PRODUCT, now: datetime | None = None) -> frozenset[str]:
    """Return which of `noindex` and `nofollow` the header `X-Robots-Tag` says to us or to all.

    A name with a colon begins the tags of one agent: `otherbot: noindex, nofollow`.
    """
    found: set[str] = set()
    value = headers.get("x-robots-tag", "")
    ours = True
    for part in re.split(r",(?! *\d\d[ -])", value):  # not within a date
        tag = part
        while (named := _TAG_AGENT.match(tag)) and named[1].lower() not in _VALUED:
            ours, tag = named[1].lower() in {"*", agent.lower()}, named[2]
        if ours:
            found.update(_tags(tag.strip().lower(), now or datetime.now(UTC)))
    return frozenset(found)


def _tags(tag: str, now: datetime) -> set[str]:
    """Return what a single tag means."""
    if tag == "none":
        return {"noindex", "nofollow"}
    if tag.startswith("unavailable_after:"):
        return {"noindex"} if _is_past(tag.partition(":")[2].strip(), now) else set()
    return {tag} & {"noindex", "nofollow"}


def _is_past(date: str, now: datetime) -> bool:
    """Whether a date, as in e-mails or in ISO 8601, is in the past; one that can't be read is not."""
    for read in (parsedate_to_datetime, datetime.fromisoformat):
        try:
            then = read(date)
        except (ValueError, TypeError, IndexError, OverflowError):
            continue
        return (then if then.tzinfo else then.replace(tzinfo=UTC)) < now
    return False
