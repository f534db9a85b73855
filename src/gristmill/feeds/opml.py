"""Lists of subscriptions in OPML: reading those of any feed reader, and writing one."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from turbohtml import escape

from gristmill.decoding.decoding import decode
from gristmill.errors import GristmillError
from gristmill.feeds.plain_text import plain_text
from gristmill.feeds.xml_tokens import EMPTY, START, attributes_of, tokens
from gristmill.fetching.urls import normalise

MAX_BYTES = 50_000_000
_MAX_SUBSCRIPTIONS = 100_000
_MAX_TITLE = 1000  # characters
_HEAD_CHARACTERS = 10_000  # in which the outermost element begins
_ADDRESSES = ("xmlurl", "xml_url", "rssurl", "url")


class Subscription(NamedTuple):
    """A feed that somebody follows."""

    url: str
    """Normalised."""
    title: str = ""


def is_opml(data: bytes) -> bool:
    """Tell whether this is a list of subscriptions."""
    head = data[:_HEAD_CHARACTERS].replace(b"\0", b"")  # of UTF-16
    return b"<opml" in head.lower()


def read_opml(data: bytes, url: str = "") -> list[Subscription]:
    """Read the feeds of a list, in its order and each once, whatever folders they are in.

    `url` is where the list is from, if it is from the web. What is no address of the web is left out.
    """
    if not is_opml(data):
        raise GristmillError("this is no list of feeds in OPML: there is no <opml> at its beginning")
    found: dict[str, str] = {}
    for kind, name, rest in tokens(decode(data[:MAX_BYTES]).text):
        if kind not in {START, EMPTY} or name.lower().rpartition(":")[2] != "outline":
            continue
        given = attributes_of(rest)
        written = next((given[name] for name in _ADDRESSES if given.get(name)), "")
        address = normalise(written, url) if written else ""
        if address and address not in found:
            found[address] = plain_text(given.get("title") or given.get("text", ""), _MAX_TITLE)
            if len(found) == _MAX_SUBSCRIPTIONS:
                break
    return [Subscription(*pair) for pair in found.items()]


def write_opml(subscriptions: Iterable[Subscription], title: str = "Subscriptions") -> str:
    """Write a list that feed readers can import."""
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        '<opml version="2.0">',
        f"<head><title>{_quoted(title)}</title></head>",
        "<body>",
        *(
            f'<outline type="rss" text="{_quoted(title or url)}" title="{_quoted(title or url)}" '
            f'xmlUrl="{_quoted(url)}"/>'
            for url, title in subscriptions
        ),
        "</body>",
        "</opml>",
    ]
    return "\n".join([*lines, ""])


def _quoted(text: str) -> str:
    return escape(plain_text(escape(text), _MAX_TITLE)).replace('"', "&quot;")
