"""Escape text so that CommonMark, with GitHub's tables and strikethrough, reads it as text.

*not emphasis*   \\*not emphasis\\*          1. at the start of a line   1\\. at the start of a line
a snake_case     a snake_case               [1] &amp; <b>               \\[1\\] \\&amp; \\<b>
"""

from __future__ import annotations

import re
from urllib.parse import urljoin, urlsplit

MAX_ADDRESS = 1000
"""Characters of the address of a link, or of the page's own address; longer ones are left out, as they come again with
every block that a link holds."""

# `_` within a word is never emphasis; `<` and `&` only matter where a tag or a reference could begin.
_SPECIAL = re.compile(
    r"[\\`*\[\]~]"
    r"|(?<!\w)_++|_++(?![^\W_])"
    r"|<(?=[A-Za-z/!?]|$)"
    r"|&(?=#?[A-Za-z0-9]{1,32};|$)"
)
_LINE_START = re.compile(r"(?:#{1,6}(?=\s|$)|[-+](?=\s|$)|>|(?:=+|-+)\s*$|[|:-][-|:\s]*$)")
_NUMBERED = re.compile(r"([0-9]{1,9})([.)])(?=\s|$)")
_CLOSING_SIGNS = re.compile(r"(^|\s)(#+)$")
_BACKTICKS = re.compile(r"`+")
_REMOVED_FROM_ADDRESSES = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_ENCODED = {sign: f"%{ord(sign):02X}" for sign in ' <>\\`|"^{}'}
_ENCODED_SIGNS = re.compile(f"[{re.escape(''.join(_ENCODED))}]")
_OTHER_SPACE = re.compile(r"\s")
_REFERENCE = re.compile(r"&(?=#?[A-Za-z0-9]{1,32};)")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_SCHEMES = ("http:", "https:", "mailto:", "tel:", "ftp:")


def escape(text: str) -> str:
    """Escape text within a line."""
    return _SPECIAL.sub(_escaped, text)


def _escaped(match: re.Match[str]) -> str:
    return "".join([f"\\{sign}" for sign in match[0]])


def escape_line_start(line: str) -> str:
    """Escape what would begin a heading, list, quotation, table or rule at the start of a line."""
    if _LINE_START.match(line):
        return f"\\{line}"
    return _NUMBERED.sub(r"\1\\\2", line, count=1) if _NUMBERED.match(line) else line


def escape_heading_end(line: str) -> str:
    """Escape number signs at the end of a heading, which would be left out."""
    return _CLOSING_SIGNS.sub(r"\1\\\2", line)


def code_span(text: str) -> str:
    """Write code within a line, between backticks enough."""
    fence = "`" * (1 + max(map(len, _BACKTICKS.findall(text)), default=0))
    space = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{fence}{space}{text}{space}{fence}"


def fence_of(text: str) -> str:
    """Return the fence for lines of code: more backticks than the code has in a row, and at least three."""
    return "`" * max(3, 1 + max(map(len, _BACKTICKS.findall(text)), default=0))


def address(href: str, base: str) -> str:
    """Make the address of a link absolute, in a form that needs no escapes; empty if it can't be a link.

    Without a base it stays relative. Scripts and embedded data are no addresses.
    """
    href = _REMOVED_FROM_ADDRESSES.sub("", href).strip()
    scheme = _SCHEME.match(href)
    if not href or len(href) > MAX_ADDRESS or (scheme and scheme[0].lower() not in _SCHEMES):
        return ""
    if base:
        try:
            href = urljoin(base, href)
        except ValueError:  # such as a bracket that is never closed in the name of a host
            return ""
    href = _ENCODED_SIGNS.sub(lambda match: _ENCODED[match[0]], href)
    href = _OTHER_SPACE.sub("", href)
    return href if _is_balanced(href) else href.replace("(", "%28").replace(")", "%29")


def destination(link: str) -> str:
    """Write an address as the destination of a link."""
    return _REFERENCE.sub(r"\\&", link)


def usable_base(url: str) -> str:
    """Return an address if others can be relative to it; else nothing."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return ""
    return url if len(url) <= MAX_ADDRESS and parts.scheme in {"http", "https"} and parts.netloc else ""


def _is_balanced(href: str) -> bool:
    """Tell whether brackets are pairs that are not nested: CommonMark allows these in an address."""
    is_open = False
    for sign in href:
        if sign in "()":
            if is_open == (sign == "("):
                return False
            is_open = sign == "("
    return not is_open
