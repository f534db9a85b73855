"""Search providers by name: `searxng:http://localhost:8888`, `file:results.tsv`, `json:engine.toml,max_pages=3`.

A kind of provider is a frozen dataclass whose fields are its settings, registered under its name. What stands behind
the colon is the place that it asks or reads: an address, a file. Settings follow behind commas.
"""

from __future__ import annotations

import re
from typing import Protocol

from gristmill.bootstrapping.providers.provider import Provider
from gristmill.errors import UsageError
from gristmill.fetching.session import Session
from gristmill.fetching.urls import normalise
from gristmill.registry import Registry, parse_spec, parts_of, with_parameters

_SETTINGS = re.compile(r",(?=[a-z_]+=)")


class Kind(Protocol):
    """A kind of provider, with its settings."""

    def open(self, place: str, session: Session, lang: str) -> Provider:
        """Make the provider that asks a place for pages in a language, or in any if `lang` is empty."""

    def trusted(self, place: str) -> list[str]:
        """Return the addresses that the user has typed, which may be in a private network."""


PROVIDERS: Registry[type[Kind]] = parts_of("search provider")


def provider_of(spec: str, session: Session, *, lang: str) -> Provider:
    """Make the provider that a line of text names: `searxng:http://localhost:8888,engines=bing,mojeek`."""
    kind, place = _parsed(spec)
    return kind.open(place, session, lang)


def trusted_of(spec: str) -> list[str]:
    """Return the addresses in a line of text that names a provider, for `Session.open(trusted=...)`.

    It also checks the line, with no request sent.
    """
    kind, place = _parsed(spec)
    return kind.trusted(place)


def web_address(place: str, example: str) -> str:
    """Return the normal form of an address that the user typed, without a slash at its end."""
    found = normalise(place)
    if not found:
        raise UsageError(f"{place!r} is not the address of a server: write one like {example}")
    return found.rstrip("/")


def _parsed(spec: str) -> tuple[Kind, str]:
    """Find the kind of provider, with its settings, and the place that it asks."""
    head, *settings = _SETTINGS.split(spec, maxsplit=1)
    name, _, place = head.partition(":")
    name = name.strip()
    if name in {"http", "https"}:
        raise UsageError(f"say what answers at {head}: searxng:{head}, or gristmill:{head}")
    kind = PROVIDERS[name]()
    if not place.strip():
        raise UsageError(f"the search provider {name!r} needs a place to ask: {name}:ADDRESS or {name}:FILE")
    return with_parameters(kind, f"the search provider {name!r}", parse_spec(f"{name}:{''.join(settings)}")[1]), (
        place.strip()
    )
