"""Find the site that a page of a gold standard is from, so that cross-validation can keep sites together."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

_FIRST_LINE = re.compile(r"\s*URL:?\s*(https?://\S+)", re.IGNORECASE)
_CLEANEVAL = re.compile(rb"""\s*<text id=["']?(https?://[^"'\s>]+)""")
_IN_ID = re.compile(r"(?:^|_)((?:[a-z0-9-]+\.)+[a-z]{2,})(?:_|$)")
_HEAD_BYTES = 200_000  # in which the declarations of a page are looked for
_DECLARED = (
    re.compile(
        rb"""<link[^>]{0,200}?\brel=["']?canonical["']?[^>]{0,200}?\bhref=["']?(https?://[^"'\s>]+)""", re.IGNORECASE
    ),
    re.compile(
        rb"""<link[^>]{0,200}?\bhref=["']?(https?://[^"'\s>]+)["']?[^>]{0,200}?\brel=["']?canonical""", re.IGNORECASE
    ),
    re.compile(
        rb"""<meta[^>]{0,200}?\bproperty=["']?og:url["']?[^>]{0,200}?\bcontent=["']?(https?://[^"'\s>]+)""",
        re.IGNORECASE,
    ),
    re.compile(rb"""<base[^>]{0,200}?\bhref=["']?(https?://[^"'\s>]+)""", re.IGNORECASE),
)


def address(annotated: str | None, html: bytes) -> str | None:
    """Read the address of a page where CleanEval wrote it: in the first line of the gold file, or around the page."""
    found = _FIRST_LINE.match(annotated or "")
    if found:
        return found[1]
    wrapper = _CLEANEVAL.match(html)
    return wrapper[1].decode("utf-8", "replace") if wrapper else None


def site(url: str | None, page_id: str, html: bytes) -> str:
    """Find the host of a page by its address, else by its id, else by what the page declares; empty if unknown."""
    host = _host(url)
    if host:
        return host
    named = _IN_ID.search(page_id.lower())
    return _without_www(named[1]) if named else _declared(html)


def _declared(html: bytes) -> str:
    head = html[:_HEAD_BYTES]
    for pattern in _DECLARED:
        found = pattern.search(head)
        if found:
            return _host(found[1].decode("utf-8", "replace"))
    return ""


def _host(url: str | None) -> str:
    try:
        return _without_www((urlsplit(url or "").hostname or "").lower())
    except ValueError:  # a bracket where none may be
        return ""


def _without_www(host: str) -> str:
    return re.sub(r"^www\d?\.", "", host)
