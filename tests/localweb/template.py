"""HTML around the text: menus, teasers, styles and scripts, as sites have them; notes the links that it writes."""

from __future__ import annotations

from functools import cache
from html import escape
from random import Random
from urllib.parse import urljoin

_FILLER_CHARS = 400_000


@cache
def filler() -> str:
    """Scripts that do nothing."""
    random = Random("filler")
    names = [f"{random.choice('abcdefghkmnpst')}{random.randint(0, 999)}" for _ in range(400)]
    pieces = []
    size = 0
    while size < _FILLER_CHARS:
        a, b, c, d = random.choices(names, k=4)
        pieces.append(f'function {a}({b},{c}){{var {d}={b}.{c}||{{}};return {d}.{a}?{c}("{b}",{size}):{d};}}\n')
        size += len(pieces[-1])
    return "".join(pieces)


def script(at: int, size: int) -> str:
    """A script of about so many characters; which one depends on `at`."""
    if size <= 0:
        return ""
    start = at * 7919 % _FILLER_CHARS
    code = (filler() * (2 + size // _FILLER_CHARS))[start : start + size]
    return f"<script>/*<![CDATA[*/{code}/*]]>*/</script>\n"


@cache
def _soup() -> str:
    random = Random("soup")
    cards = []
    for number in range(400):
        name, price = f"{random.choice('abcdefgh')}{random.randint(10, 99)}", random.randint(10, 999)
        cards.append(
            f'<div class="card card--{name}" id="c{number}"><figure class="thumb"><img src="/i/{number}.jpg" alt="">'
            f'</figure><div class="meta"><span class="tag">{name}</span><b>{price}</b><i class="icon icon-{name}"></i>'
            f"</div></div>\n"
        )
    return "".join(cards)


def soup(at: int, size: int) -> str:
    """About so many characters of elements without links and hardly any text; which ones depends on `at`."""
    text = _soup()
    start = text.find('<div class="card', at * 7919 % (len(text) - size))
    return text[start : text.find('<div class="card', start + size)]


class Anchors:
    """Writes links, and notes where those lead that may be followed."""

    def __init__(self, origin: str, target: str = "/") -> None:
        self.origin = origin
        self.base = origin + target
        self.links: list[str] = []
        self.nofollow: list[str] = []

    def a(self, href: str, text: str, attributes: str = "") -> str:
        """A link."""
        if href.startswith("/") and not href.startswith("//"):
            address = self.origin + href
        else:
            address = href if href.startswith("http") else urljoin(self.base, href)
        (self.nofollow if "nofollow" in attributes else self.links).append(address)
        return f'<a href="{escape(href)}"{attributes and " " + attributes}>{escape(text)}</a>'

    def ul(self, items: list[tuple[str, str]], name: str = "menu") -> str:
        """A list of links."""
        rows = "".join(f'<li class="{name}-item">{self.a(href, text)}</li>\n' for href, text in items)
        return f'<ul class="{name}">\n{rows}</ul>\n'


def document(*, lang: str, title: str, head: str, body: str, charset: str = "utf-8") -> str:
    """A whole page."""
    declared = f'<meta charset="{charset}">\n' if charset else ""
    return (
        f'<!DOCTYPE html>\n<html lang="{lang}">\n<head>\n{declared}<title>{escape(title)}</title>\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"{head}</head>\n<body>\n{body}</body>\n</html>\n"
    )


def prose(headline: str, text: tuple[str, ...], byline: str = "") -> str:
    """An article: a headline and paragraphs."""
    paragraphs = "".join(f"<p>{escape(paragraph)}</p>\n" for paragraph in text)
    return f'<article class="post">\n<h1>{escape(headline)}</h1>\n{byline}{paragraphs}</article>\n'
