"""A web page made harmless, with its blocks marked, to be shown in a sandboxed frame of the page inspector.

The wall is the browser's: the frame has an opaque origin, and the policy of the answer (`POLICY`) allows neither
scripts, forms, frames, network nor navigation. This is the ditch before it. The page is written anew from its tokens:
only known elements and attributes, without addresses, every value in quotes and escaped, no element whose content is
read by other rules (scripts, raw text, SVG, MathML, templates), so that a browser can't read it in another way.
"""

from __future__ import annotations

import base64
import binascii
import html
import re
from collections.abc import Iterator, Sequence

import numpy as np

from gristmill.arrays.dtypes import Ints
from gristmill.cleaning.attributes import attributes
from gristmill.cleaning.markup import scan
from gristmill.html.marks import TARGET, Mark, Token, put_marks, style_of_parts
from gristmill.html.safe_css import safe_css

POLICY = (
    "sandbox; default-src 'none'; script-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src 'none'; "
    "connect-src 'none'; frame-src 'none'; child-src 'none'; object-src 'none'; worker-src 'none'; "
    "manifest-src 'none'; media-src 'none'; form-action 'none'; base-uri 'none'; frame-ancestors 'self'"
)
"""The Content-Security-Policy with which such a page must be sent."""

_KEPT = frozenset(
    (
        "a abbr acronym address article aside b bdi bdo big blockquote body br caption center cite code col colgroup dd"
        " del details dfn dir div dl dt em fieldset figcaption figure font footer h1 h2 h3 h4 h5 h6 header hgroup hr"
        " html i ins kbd label legend li main mark menu nav ol p pre q rp rt ruby s samp search section small span"
        " strike strong sub summary sup table tbody td tfoot th thead time tr tt u ul var wbr"
    ).split()
)
_RENAMED = {
    **dict.fromkeys(("form", "select", "optgroup", "option", "textarea", "dialog", "noscript"), "div"),
    **dict.fromkeys(("button", "picture", "marquee", "blink", "nobr"), "span"),
    **dict.fromkeys(("xmp", "plaintext", "listing"), "pre"),
}
"""Elements that are shown as others, as they would do something, or their content is read by other rules."""
_PICTURES = frozenset({"img", "image", "input"})
_VOID = frozenset({"br", "col", "hr", "wbr"})
_UNSEEN = frozenset("template svg math object canvas audio video applet map".split())
"""Elements whose text is left out if no block has it."""
_PLAIN_ATTRIBUTES = frozenset("lang dir colspan rowspan start reversed".split())
_ATTRIBUTES = _PLAIN_ATTRIBUTES | frozenset(
    (
        "class id style align valign bgcolor color face size width height border cellpadding cellspacing nowrap type"
        " value span clear noshade hidden"
    ).split()
)
_OWN = "gm-"
"""How ids and classes of ours begin; those of the page must not."""
_MAX_VALUE_CHARACTERS = 4_000
_MAX_PICTURE_CHARACTERS = 300_000
_MAX_CSS_CHARACTERS = 500_000
_MAX_DEPTH = 256
"""Elements within each other; browsers cut off at 512, and the marks are elements, too."""
_PICTURE = re.compile(r"data:(image/(?:png|jpeg|gif|webp));base64,([A-Za-z0-9+/=\s]+)", re.IGNORECASE)
_NAME = re.compile(rb"</?([a-zA-Z][^\t\n\f\r />]*)")
_DOCTYPE = re.compile(rb"\s*(?:<!--.*?-->\s*){0,3}<!doctype", re.IGNORECASE | re.DOTALL)


def sandboxed_page(
    text: str, marks: Sequence[Mark], *, is_text: bool = False, plain: bool = False, style: str = ""
) -> str:
    """Write a page anew, without anything that could do harm, and with its blocks marked.

    Marks are in the order of the page and don't overlap; their places are in characters. Block 7 is the element
    `gm-block-7`, so that `#gm-block-7` scrolls to it and marks it. `plain` leaves out the look of the page, which may
    hide text. `style` is CSS of ours for the classes of marks.
    """
    data = text.encode("utf-8", "replace")
    places = _byte_places(data, marks)
    if is_text:
        tokens, css = [Token("<pre>", "pre"), *_text_tokens(data, 0, len(data), places, is_raw=True)], ""
    else:
        tokens, css = _Rewriting(data, places, plain=plain).run()
    body, fragments = put_marks(tokens, marks, places)
    doctype = "<!DOCTYPE html>" if plain or is_text or _DOCTYPE.match(data[:2000]) else ""
    own = _STYLE + (_PLAIN if plain or is_text else _SHOWN) + style + style_of_parts(fragments)
    looks = "" if plain else f"<style>{css}</style>"
    return f'{doctype}<meta charset="utf-8"><title>stored page</title>{looks}<style>{own}</style>{body}'


def _byte_places(data: bytes, marks: Sequence[Mark]) -> list[tuple[int, int]]:
    """Convert the places of marks from characters to bytes; those beyond the page are at its end."""
    wanted = np.array([(mark.start, mark.end) for mark in marks], np.int64).reshape(-1, 2)
    if not data.isascii():
        begins: Ints = np.flatnonzero(np.frombuffer(data, np.int8) >= -64)
        begins = np.append(begins, len(data))
        wanted = begins[wanted.clip(0, len(begins) - 1)]
    return [(start, max(start, end)) for start, end in wanted.clip(0, len(data)).tolist()]


def _text_tokens(
    data: bytes, start: int, end: int, places: Sequence[tuple[int, int]], *, is_raw: bool, at: int = 0
) -> Iterator[Token]:
    """Cut a piece of text where blocks begin and end, and escape it."""
    cuts = [start]
    while at < len(places) and places[at][0] < end:
        cuts += [place for place in places[at] if start < place < end]
        at += 1
    for begin, stop in zip(cuts, [*cuts[1:], end], strict=True):
        if begin < stop:
            yield _text(data[begin:stop], begin, is_raw=is_raw)


def _text(piece: bytes, start: int, *, is_raw: bool) -> Token:
    """Escape text; references to characters stay as they are where the page has such."""
    text = piece.decode("utf-8", "replace").replace("\0", "\ufffd")
    escaped = html.escape(text, quote=False) if is_raw else text.replace("<", "&lt;").replace(">", "&gt;")
    return Token(escaped, start=start, is_blank=not text or text.isspace())


class _Rewriting:
    """Makes new tokens of a page, from its first byte to its last."""

    def __init__(self, data: bytes, places: Sequence[tuple[int, int]], *, plain: bool) -> None:
        self._data = data
        self._places = places
        self._plain = plain
        self._tokens: list[Token] = []
        self._css: list[str] = []
        self._css_left = 0 if plain else _MAX_CSS_CHARACTERS
        self._open: list[str] = []
        self._unseen: list[str] = []
        self._at = 0  # the first mark that is not behind us
        self._raw = ""  # the element whose text has no references to characters

    def run(self) -> tuple[list[Token], str]:
        """Make the tokens, and the CSS of the page."""
        markup, data, end = scan(self._data), self._data, 0
        places = (column.tolist() for column in markup.places_in_source())
        for start, stop, behind, closing in zip(*places, markup.closing.tolist(), strict=True):
            self._add_text(end, start)
            found = _NAME.match(data, start, stop)
            if found:
                name = found[1].decode("ascii", "replace").lower()
                self._add_tag(name, start, stop, closing=closing)
                if name == "style" and not closing:
                    self._add_css(data[stop:behind])
            end = behind
        self._add_text(end, len(data))
        return self._tokens, "\n".join(self._css)

    def _add_text(self, start: int, end: int) -> None:
        if start >= end:
            return
        places = self._places
        while self._at < len(places) and places[self._at][1] <= start:
            self._at += 1
        if self._unseen and not (self._at < len(places) and places[self._at][0] < end):
            return
        self._tokens += _text_tokens(self._data, start, end, places, is_raw=bool(self._raw), at=self._at)

    def _add_css(self, raw: bytes) -> None:
        if self._css_left > 0 and not self._unseen:
            css = re.sub(r"</style[^>]*>?$", "", raw.decode("utf-8", "replace"), flags=re.IGNORECASE)[: self._css_left]
            self._css_left -= len(css)
            self._css.append(safe_css(css))

    def _add_tag(self, name: str, start: int, end: int, *, closing: bool) -> None:
        if name in _UNSEEN:
            self._note_unseen(name, closing=closing)
        elif name in _PICTURES and not closing:
            self._add_picture(name, start, end)
        elif name in _KEPT or name in _RENAMED:
            if name in {"xmp", "plaintext"}:
                self._raw = "" if closing else name
            self._add_known(_RENAMED.get(name, name), start, end, closing=closing)

    def _note_unseen(self, name: str, *, closing: bool) -> None:
        if not closing and len(self._unseen) < _MAX_DEPTH:
            self._unseen.append(name)
        elif closing and name in self._unseen:
            while self._unseen.pop() != name:
                pass

    def _add_known(self, name: str, start: int, end: int, *, closing: bool) -> None:
        if closing:
            if name in self._open[-_MAX_DEPTH:]:
                while self._open.pop() != name:
                    pass
                self._tokens.append(Token(f"</{name}>", name, closes=True, start=start))
            return
        if name not in _VOID and name not in {"html", "body"}:
            if len(self._open) >= _MAX_DEPTH:
                return
            self._open.append(name)
        self._tokens.append(Token(f"<{name}{self._attributes(name, start, end)}>", name, start=start))

    def _attributes(self, name: str, start: int, end: int) -> str:
        given = attributes(self._data[start:end])
        allowed = _PLAIN_ATTRIBUTES if self._plain else _ATTRIBUTES
        written = []
        classes = [_OWN + "link"] if name == "a" and b"href" in given else []
        for key, value in given.items():
            known = key.decode("ascii", "replace")
            if known in allowed:
                text = html.unescape(value.decode("utf-8", "replace"))[:_MAX_VALUE_CHARACTERS].replace("\0", "")
                if known == "class":
                    classes = [word for word in text.split() if not word.lower().startswith(_OWN)] + classes
                elif known == "style":
                    written.append(f' style="{html.escape(safe_css(text))}"')
                elif not text.lower().startswith(_OWN):
                    written.append(f' {known}="{html.escape(text)}"')
        if classes:
            written.append(f' class="{html.escape(" ".join(classes))}"')
        return "".join(written) + (" open" if name == "details" else "")

    def _add_picture(self, name: str, start: int, end: int) -> None:
        """Show a picture that is in the page itself, or in place of it what it shows; of a field, what is in it."""
        given = {
            key: html.unescape(value.decode("utf-8", "replace"))
            for key, value in attributes(self._data[start:end]).items()
        }
        if name == "input":
            kind = given.get(b"type", "").lower()
            shown = "" if kind in {"hidden", "password"} else given.get(b"value") or given.get(b"placeholder") or " "
            text = f'<span class="gm-field">{html.escape(shown[:200])}</span>' if shown else ""
        else:
            source = _picture(given.get(b"src", "").strip())
            about = html.escape(given.get(b"alt", "")[:300])
            size = "".join(f' {side}="{given[key]}"' for side, key in _SIDES if _SIZE.fullmatch(given.get(key, "")))
            text = f'<img src="{source}" alt="{about}"{size}>' if source else f'<span class="gm-image">{about}</span>'
        if text and not self._unseen:
            self._tokens.append(Token(text, "img", start=start))


_SIDES = (("width", b"width"), ("height", b"height"))
_SIZE = re.compile(r"[0-9]{1,4}%?")


def _picture(source: str) -> str:
    """Write the address of a picture anew, if it holds the picture itself in one of the usual forms; else empty."""
    found = _PICTURE.fullmatch(source) if len(source) <= _MAX_PICTURE_CHARACTERS else None
    if not found:
        return ""
    try:
        content = base64.b64decode("".join(found[2].split()), validate=True)
    except (binascii.Error, ValueError):
        return ""
    return f"data:{found[1].lower()};base64,{base64.b64encode(content).decode()}"


_STYLE = f"""
gm-block{{display:inline;scroll-margin:35vh 0;background:hsl(var(--gm-hue,0) var(--gm-full,60%) 45%/.13);\
box-shadow:inset 0 -2px hsl(var(--gm-hue,0) var(--gm-full,60%) 45%);border-radius:2px}}
gm-block.gm-out{{background:none;box-shadow:inset 0 -1px hsl(var(--gm-hue,0) var(--gm-full,60%) 45%/.6);opacity:.72}}
gm-block.gm-none{{--gm-full:0%}}
gm-block.gm-differs{{outline:2px dashed #7a2ea0;outline-offset:1px}}
gm-block:hover{{outline:2px solid #1d5fd1;outline-offset:1px}}
gm-block:target{{{TARGET};opacity:1!important}}
.gm-link{{text-decoration:underline;cursor:text}}
.gm-image,.gm-field{{display:inline-block;border:1px dashed #888;color:inherit;opacity:.7;font-size:.8em;\
padding:0 .4em;max-width:100%;min-width:1em;min-height:1em}}
"""
_SHOWN = """
html,body{visibility:visible!important;opacity:1!important;overflow:visible!important;height:auto!important;\
position:static!important;transform:none!important;clip-path:none!important}
html{display:block!important}body{display:block!important}
html:not([bgcolor]){background-color:#fff}img{max-width:100%}
"""
_PLAIN = """
:root{color-scheme:light dark;background:Canvas;color:CanvasText}
body{font:15px/1.5 system-ui,sans-serif;margin:1rem;overflow-wrap:anywhere}
table{border-collapse:collapse}td,th{border:1px solid #9996;padding:.1rem .4rem;vertical-align:top}
pre{white-space:pre-wrap}img{max-width:100%}
"""
