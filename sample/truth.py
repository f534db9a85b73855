"""Read the truth of a page of the sample, block by block, from its marked HTML.

It uses the standard library's parser, on well-formed pages only, so that it is independent of `gristmill.clean`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from html.parser import HTMLParser

BLOCK_TAGS = frozenset(
    "address article aside blockquote body caption center col colgroup dd details dialog div dl dt fieldset "
    "figcaption figure footer"
    " form h1 h2 h3 h4 h5 h6 header hgroup hr html legend li main menu nav ol optgroup option p pre search section "
    "select summary"
    " table tbody td textarea tfoot th thead tr ul".split(),
)
_HIDDEN_TAGS = frozenset("head script style template noscript iframe svg object canvas audio video".split())
_VOID_TAGS = frozenset("area base br col embed hr img input link meta source track wbr".split())
_MARK = re.compile(r"<!--(?:role [a-z]+|/role|block \d+|from \S+ [a-z]+)-->\n?")


@dataclass
class TrueBlock:
    """A block as a reader of the page sees it.

    `number` is its place in the page's text source, `source` the block (`host/path#number`) that it repeats or revises.
    """

    text: str
    kind: str
    role: str
    number: int | None = None
    source: str = ""
    relation: str = ""


def blocks_of(marked: str) -> list[TrueBlock]:
    """Read all visible blocks of a marked page, in order."""
    reader = _Reader()
    reader.feed(marked)
    reader.close()
    return reader.finish()


def without_marks(marked: str) -> str:
    """Remove the marks: the page as it goes into the archive."""
    return _MARK.sub("", marked)


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.blocks: list[TrueBlock] = []
        self._open: list[tuple[str, bool]] = []
        self._role = "boilerplate"
        self._number: int | None = None
        self._from = ("", "")
        self._text: list[str] = []
        self._kind = "p"
        self._breaks = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "br":
            self._breaks += 1
            self._text.append(" ")
            if self._breaks == 2:
                self._cut()
            return
        if tag in BLOCK_TAGS:
            self._cut()
        if tag not in _VOID_TAGS:
            given = dict(attrs)
            style = (given.get("style") or "").replace(" ", "").lower()
            hidden = tag in _HIDDEN_TAGS or "hidden" in given or "display:none" in style
            self._open.append((tag, hidden or self._hidden()))

    def handle_endtag(self, tag: str) -> None:
        if tag in _VOID_TAGS:
            return
        if tag in BLOCK_TAGS:
            self._cut()
        while self._open:
            name, _ = self._open.pop()
            if name == tag:
                break
            raise ValueError(f"the sample's sources must be well-formed: </{tag}> closes <{name}>")

    def handle_data(self, data: str) -> None:
        if self._hidden():
            return
        if data.strip():
            self._breaks = 0
            if not "".join(self._text).strip():
                self._kind = self._kind_here()
        self._text.append(data)

    def handle_comment(self, data: str) -> None:
        words = data.split()
        if words[:1] == ["role"]:
            self._cut()
            self._role = words[1]
        elif words == ["/role"]:
            self._cut()
            self._role = "boilerplate"
        elif words[:1] == ["block"]:
            self._number = int(words[1])
        elif words[:1] == ["from"]:
            self._from = (words[1], words[2])

    def finish(self) -> list[TrueBlock]:
        self._cut()
        return self.blocks

    def _hidden(self) -> bool:
        return bool(self._open) and self._open[-1][1]

    def _kind_here(self) -> str:
        """Headings are `h`, list items `l`; a `div` is looked through, any other block element makes a paragraph."""
        for tag, _ in reversed(self._open):
            if tag in BLOCK_TAGS and tag != "div":
                return "h" if re.fullmatch("h[1-6]", tag) else "l" if tag in {"li", "dt", "dd"} else "p"
        return "p"

    def _cut(self) -> None:
        text = " ".join("".join(self._text).split())
        self._text = []
        self._breaks = 0
        if text:
            self.blocks.append(TrueBlock(text, self._kind, self._role, self._number, *self._from))
            self._number = None
            self._from = ("", "")
