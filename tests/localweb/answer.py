"""What a server of the local web answers, and what is true of that answer."""

from __future__ import annotations

import gzip
from dataclasses import dataclass

HTML = "text/html; charset=utf-8"


@dataclass(slots=True)
class Answer:
    """An answer to a request, and the truth about it."""

    body: bytes = b""
    status: int = 200
    content_type: str = HTML
    headers: tuple[tuple[str, str], ...] = ()
    coding: str = ""
    """How it is sent: `gzip`, `chunked` or `gzip+chunked`; as it is if empty."""
    behaviour: str = ""
    """How the server misbehaves in sending it: a name in `misbehaviour.WAYS`; not at all if empty."""
    kind: str = "other"
    """What sort of page it is: `article`, `home`, `section`, `shop`..."""
    lang: str = ""
    text: tuple[str, ...] = ()
    """Its clean text: headline and paragraphs."""
    text_key: str = ""
    """What copies and near-copies of the text have in common."""
    links: tuple[str, ...] = ()
    """The addresses that a crawler may follow, in order."""
    noindex: bool = False
    """Whether the page asks not to be kept."""

    @property
    def words(self) -> int:
        """Words of the clean text."""
        return sum(len(paragraph.split()) for paragraph in self.text)

    @property
    def payload(self) -> bytes:
        """The body with its content encoding, as it goes over the wire but for chunks."""
        return gzip.compress(self.body, 5, mtime=0) if "gzip" in self.coding else self.body


def not_found(kind: str = "missing") -> Answer:
    """The answer to an address that is not there."""
    return Answer(b"<!DOCTYPE html><title>404</title><h1>Not found</h1>", 404, kind=kind)


def moved(location: str, status: int = 301) -> Answer:
    """A redirect to another address."""
    links = (location,) if location.startswith("http") else ()
    return Answer(b"<a href='#'>moved</a>", status, headers=(("Location", location),), kind="redirect", links=links)
