"""CSS of strangers, without what loads anything or acts: for stored pages in a sandboxed frame.

What it leaves can still look like anything; the policy of the frame keeps it from loading anything, too.
"""

from __future__ import annotations

import re

_ESCAPE = re.compile(r"\\(?:([0-9a-fA-F]{1,6})[ \t\n\r\f]?|([^0-9a-fA-F\n\r\f]))")
_AT_RULE = re.compile(r"@(?:import|charset|namespace)[^;{}]*;?", re.IGNORECASE)
_FONT = re.compile(r"@font-face[^{};]*(?:\{[^}]*\}?)?", re.IGNORECASE)
_PICTURE = r"""url\(\s{0,9}["']?data:image/(?:png|gif|jpeg|webp);base64,[A-Za-z0-9+/=]{1,200000}["']?\s{0,9}\)"""
_UNSAFE = re.compile(
    rf"(?P<picture>{_PICTURE})"
    r"|(?:url|src|image|image-set|-webkit-image-set|cross-fade|-webkit-cross-fade|element|paint|expression)(?P<call>\()"
    r"|(?:behavior|-moz-binding|-webkit-user-modify)\s{0,9}(?P<colon>:)"
    r"|(?:javascript|vbscript|livescript|https?|ftp|file|blob|filesystem|wss?)\s{0,9}:|//",
    re.IGNORECASE,
)
"""A small picture, which stays; what loads something, or acts; an address."""


def safe_css(css: str) -> str:
    """Return CSS without imports, fonts, addresses, and all functions that load something but small pictures in it.

    Letters that are written as escapes are resolved first, so that names can't be hidden in them. Whatever is taken out
    leaves something in its place, or what stood around it could be such a name. It can stand in a `style` element:
    there is no `<` in it.
    """
    css = _without_comments(css.replace("\0", ""))
    css = _ESCAPE.sub(_resolved, css)
    css = _FONT.sub(" ", _AT_RULE.sub(" ", css))
    css = _UNSAFE.sub(_replaced, css)
    return css.replace("<", "\\3c ")


def _replaced(found: re.Match[str]) -> str:
    return found["picture"] or f"gm-none{found['call'] or found['colon'] or ' '}"


def _without_comments(css: str) -> str:
    """Leave out comments; an open one goes to the end. A loop, as a pattern would take quadratic time."""
    parts, at = [], 0
    while (start := css.find("/*", at)) >= 0:
        parts.append(css[at:start])
        end = css.find("*/", start + 2)
        if end < 0:
            return " ".join(parts)
        at = end + 2
    return " ".join([*parts, css[at:]])


def _resolved(escape: re.Match[str]) -> str:
    """Write a letter or sign of ASCII that is escaped as it is, unless it would end a string; others stay escaped."""
    code = int(escape[1], 16) if escape[1] else ord(escape[2])
    if code > 126 or code < 32 or chr(code) in "\"'\\":
        return escape[0]
    return chr(code)
