"""Plain text of what feeds have in their fields: pieces of HTML, or text that looks like it."""

from __future__ import annotations

import re

from turbohtml import escape, unescape

from gristmill.kernel.elements import BLOCKS, CODES, SPACED

_QUOTED = r"(?:[^<>\"']++|\"[^\"<]*+\"|'[^'<]*+')*+"
_MARKUP = re.compile(
    r"<!--(?:[^-]++|-(?!->))*+(?:-->)?+"
    r"|<(script|style)\b[^<>]*+>(?:[^<]++|<(?!/\1))*+"
    rf"|</?+([A-Za-z][A-Za-z0-9:-]*+)(?=[\s/>])(?:{_QUOTED}>|[^<>]*+>)",
    re.IGNORECASE,
)
_SEPARATE = BLOCKS | SPACED
_MORE = frozenset("a b i u s em strong small big sub sup span font code kbd var cite q abbr ins del mark time".split())
_KNOWN = frozenset(CODES) | _MORE
_CONTROLS = re.compile("[\0-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\ufeff]")
_DIRECTIONS = re.compile("[\u202a-\u202e\u2066-\u2069]")  # they would turn what a terminal shows behind them
_SURROGATES = re.compile("[\ud800-\udfff]")
_BLANK_LINES = re.compile(r"\n[^\S\n]*+\n")


def plain_text(html: str, most: int = 10_000) -> str:
    """Return the text of a piece of HTML in one line, at most so many characters of it.

    Only elements of HTML are markup: in `the <T> of Java` there is none.
    """
    text = _MARKUP.sub(_replacement, html) if "<" in html else html
    return one_line(unescape(text) if "&" in text else text)[:most].rstrip()


def _replacement(found: re.Match[str]) -> str:
    name = (found[2] or "").lower()
    if not name or name in _SEPARATE:
        return " "
    return "" if name in _KNOWN or ":" in name or "-" in name else found[0]


def one_line(text: str) -> str:
    """Return a text with single spaces for white space, and without what would spoil a terminal."""
    return " ".join(_DIRECTIONS.sub("", printable(text)).split())


def printable(text: str) -> str:
    """Return a text without control characters and without halves of characters, which can't be stored."""
    if text.isprintable():
        return text
    return _CONTROLS.sub("", _SURROGATES.sub("\ufffd", text))


def as_html(text: str) -> str:
    """Return plain text as HTML, with a paragraph for each of its own."""
    parts = (part.strip() for part in _BLANK_LINES.split(text))
    return "".join(f"<p>{escape(part)}</p>" for part in parts if part)
