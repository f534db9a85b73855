"""What comes of a request: an `Exchange`, with the bytes as they were on the wire, or a `Failure` that says why not."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A network address that a name was resolved to, and that may be connected to."""

    ip: str
    port: int


@dataclass(slots=True)
class Exchange:
    """A request and the whole response to it."""

    url: str
    date: str
    """When the request was sent, in UTC: `2026-11-17T05:40:40Z`."""
    ip: str
    request: bytes
    """The head of the request as it was sent."""
    wire: bytes
    """The response as it came: head and body, with transfer and content encodings."""
    status: int
    headers: dict[str, str] = field(default_factory=dict)
    """Names in lower case; of a header that comes several times, the values are joined with commas."""
    seconds: float = 0.0
    """From the request to the end of the response's head."""


@dataclass(slots=True)
class Failure:
    """A request that brought no whole response, or one that was not wanted."""

    url: str
    reason: str
    """One of `REASONS`."""
    detail: str = ""
    """What exactly happened, for the log; printable, at most a line."""
    status: int = 0
    """The HTTP status, if there was one."""
    headers: dict[str, str] = field(default_factory=dict)
    received: int = 0
    """Bytes that were downloaded before it failed."""
    seconds: float = 0.0


REASONS = {
    "dns": "there is no host of this name",
    "dns-failure": "no name server answers",
    "network": "the address is private, reserved or otherwise not to be connected to",
    "connect": "no connection",
    "tls": "the certificate or the encryption is not right",
    "timeout": "no answer, or not all of it, in time",
    "slow": "the answer came too slowly",
    "protocol": "the answer is not valid HTTP",
    "head": "the head of the answer is too large",
    "truncated": "the connection ended before the answer did",
    "type": "not a type that is wanted",
    "too-short": "shorter than wanted",
    "too-long": "longer than wanted",
    "language": "in a language that is not wanted",
    "robots": "robots.txt does not allow it",
    "redirects": "too many redirects",
}
"""Why a request fails, in words. Up to `truncated` these are faults of network or server, the rest are rules."""
