"""Break pages as real pages are broken, without changing what a reader sees; a page names the ways in `broken:`."""

from __future__ import annotations

import re
from collections.abc import Callable


def unclosed(page: str) -> str:
    """Leave out end tags."""
    return re.sub(r"</(p|li|td|tr|option|dd|dt|body|html)>", "", page)


def misnested(page: str) -> str:
    """Close inline elements in the wrong order."""
    return re.sub(r"<em>([^<]*)</em>", r"<em><b>\1</em></b>", page)


def stray(page: str) -> str:
    """Add end tags that close nothing."""
    return page.replace("</p>", "</p></span></font></center>")


def unquoted(page: str) -> str:
    """Write attributes without quotes."""
    return re.sub(r'(<[a-z][^>]*?) ([a-z]+)="([\w-]+)"(?=[ >])', r"\1 \2=\3", page)


def uppercase(page: str) -> str:
    """Write tags in capitals, as editors of the nineties did."""
    return re.sub(r"</?(?:p|div|table|tr|td|a|ul|li|h[1-6])\b", lambda tag: tag[0].upper(), page)


def bare(page: str) -> str:
    """Leave ampersands unescaped, and leave out the doctype, html and body tags."""
    page = re.sub(r"(?i)<!doctype[^>]*>|</?(html|body)\b[^>]*>", "", page)
    return page.replace(" &amp; ", " & ")


def cut(page: str) -> str:
    """Truncate the page inside the last end tag, as if the connection had been lost."""
    return page.rstrip()[:-3]


def nul(page: str) -> str:
    """Put NUL and other control characters between paragraphs."""
    return re.sub(r"(</p>)", "\x00\x0b\\1", page)


def comment(page: str) -> str:
    """Add a comment at the end of the page that is never closed."""
    return page + "\n<!-- served from cache"


BREAKAGES: dict[str, Callable[[str], str]] = {
    function.__name__: function
    for function in (unclosed, misnested, stray, unquoted, uppercase, bare, cut, nul, comment)
}
