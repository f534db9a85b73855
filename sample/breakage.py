"""Ways in which real pages are broken, none of which changes what a reader sees."""

from __future__ import annotations

import re
from collections.abc import Callable


def unclosed(page: str) -> str:
    """Optional and forgotten end tags."""
    return re.sub(r"</(p|li|td|tr|option|dd|dt|body|html)>", "", page)


def misnested(page: str) -> str:
    """Inline elements closed in the wrong order."""
    return re.sub(r"<em>([^<]*)</em>", r"<em><b>\1</em></b>", page)


def stray(page: str) -> str:
    """End tags that close nothing."""
    return page.replace("</p>", "</p></span></font></center>")


def unquoted(page: str) -> str:
    """Attributes without quotes."""
    return re.sub(r'(<[a-z][^>]*?) ([a-z]+)="([\w-]+)"(?=[ >])', r"\1 \2=\3", page)


def uppercase(page: str) -> str:
    """Tags in capitals, as editors of the nineties wrote them."""
    return re.sub(r"</?(?:p|div|table|tr|td|a|ul|li|h[1-6])\b", lambda tag: tag[0].upper(), page)


def bare(page: str) -> str:
    """Unescaped ampersands, and no doctype, html or body tag."""
    page = re.sub(r"(?i)<!doctype[^>]*>|</?(html|body)\b[^>]*>", "", page)
    return page.replace(" &amp; ", " & ")


def cut(page: str) -> str:
    """The connection broke off inside the last end tag."""
    return page.rstrip()[:-3]


def nul(page: str) -> str:
    """NUL and other control characters between the words."""
    return re.sub(r"(</p>)", "\x00\x0b\\1", page)


def comment(page: str) -> str:
    """A comment that is never closed at the end of the page."""
    return page + "\n<!-- served from cache"


BREAKAGES: dict[str, Callable[[str], str]] = {
    function.__name__: function
    for function in (unclosed, misnested, stray, unquoted, uppercase, bare, cut, nul, comment)
}
