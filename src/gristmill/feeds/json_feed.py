"""JSON Feed, versions 1 and 1.1."""

from __future__ import annotations

import json
from typing import Any

from gristmill.feeds.dates import utc
from gristmill.feeds.item import Feed, Item
from gristmill.feeds.plain_text import as_html, one_line, plain_text, printable
from gristmill.fetching.urls import normalise

_MAX_SUMMARY = 500  # characters of the text that stand for a summary


def read_json(text: str, url: str, max_items: int) -> Feed | None:
    """Read a JSON Feed; None if it is none."""
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(data, dict) or not isinstance(data.get("items"), list):
        return None
    entries = [entry for entry in data["items"] if isinstance(entry, dict)]
    known = any("url" in entry or "id" in entry or "external_url" in entry for entry in entries)
    if "jsonfeed.org" not in _text(data, "version") and not known:
        return None
    feed = Feed(title=plain_text(_text(data, "title"), 1000), link=_address(data, url, "home_page_url"))
    feed.items = [item for entry in entries[:max_items] if (item := _item(entry, url)).says_something]
    return feed


def _text(data: dict[str, Any], *names: str) -> str:
    """Return the first of some values that is there, as text."""
    for name in names:
        value = data.get(name)
        if isinstance(value, str) and value.strip():
            return value
        if isinstance(value, int | float) and not isinstance(value, bool):
            return str(value)
    return ""


def _address(data: dict[str, Any], base: str, *names: str) -> str:
    written = _text(data, *names).strip()
    return normalise(written, base) if written else ""


def _item(entry: dict[str, Any], url: str) -> Item:
    content = _text(entry, "content_html") or as_html(_text(entry, "content_text"))
    summary = plain_text(_text(entry, "summary")) or plain_text(content, _MAX_SUMMARY)
    published, updated = utc(_text(entry, "date_published")), utc(_text(entry, "date_modified"))
    authors = entry.get("authors") if isinstance(entry.get("authors"), list) else [entry.get("author")]
    names = (_text(author, "name") for author in authors or () if isinstance(author, dict))
    return Item(
        id=one_line(_text(entry, "id"))[:2000],
        link=_address(entry, url, "url", "external_url"),
        title=plain_text(_text(entry, "title"), 1000),
        description=summary,
        content=printable(content),
        published=published or updated,
        updated=updated,
        author=plain_text(next(names, ""), 200),
    )
