"""Cut a page into the blocks that a reader sees, in one pass over the tokens.

No tree is built: open block elements are kept on a stack, which is all that blocks, their paths and their kinds need. Nothing here is
recursive, and every step is constant work for a token, so that time is linear in the size of the page whatever the page is.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, field
from itertools import accumulate

from turbohtml import Tokenizer

from gristmill.clean.elements import BLOCKS, CELLS, HEADINGS, HIDDEN, IMPLIED_ENDS, LIST_ITEMS, TABLE_PARTS, VOID
from gristmill.clean.words import count_words
from gristmill.document import Block, Kind

_DEEPEST_PATH = 64  # elements of a path that are kept; a path without limit would make deep pages quadratic
_LOOK_BACK = 256  # how far up the stack an end tag looks for its start tag, for the same reason
_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_DISPLAY_NONE = re.compile(r"display\s{0,9}:\s{0,9}none", re.IGNORECASE)
_HIDING_WORDS = ("hidden", "none", "Hidden", "HIDDEN", "None", "NONE")  # without one of them attributes need not be read
_KINDS: dict[str, Kind] = (
    dict.fromkeys(BLOCKS - {"div"}, "p") | dict.fromkeys(HEADINGS, "h") | dict.fromkeys(LIST_ITEMS, "l")  # type: ignore[arg-type]
)
_NOTHING: frozenset[str] = frozenset()

# What a tag does. Tags that are not here stand inside a block and are only counted.
_BLOCK = 1  # ends a block and begins another
_EDGE = 2  # the same, but nothing stands in the element, or everything does
_HIDDEN = 3
_BREAK = 4
_LINK = 5
_effect = (
    dict.fromkeys(BLOCKS, _BLOCK)
    | dict.fromkeys([*(BLOCKS & VOID), "html", "body"], _EDGE)
    | dict.fromkeys([*HIDDEN, "title"], _HIDDEN)
    | {"br": _BREAK, "a": _LINK}
).get


@dataclass(slots=True)
class Segmented:
    """The blocks of a page and its title."""

    blocks: list[Block] = field(default_factory=list)
    title: str = ""


def segment(source: str) -> Segmented:
    """The visible text of a page of HTML as blocks, in the order of the page."""
    may_hide = any(word in source for word in _HIDING_WORDS)
    tokenizer = Tokenizer(capture_attributes=may_hide)
    handler = _Handler(source, tokenizer)
    tokenizer.feed(source)
    tokenizer.dispatch(handler)
    tokenizer.close()
    tokenizer.dispatch(handler)
    handler.end_block()
    return handler.result


def segment_text(source: str) -> Segmented:
    """The lines of a plain text as blocks."""
    blocks = []
    start = 0
    for line in source.split("\n"):
        clean = _clean(line)
        if clean:
            blocks.append(Block(clean, "p", "", start, start + len(line), count_words(clean), 0, 0, 0))
        start += len(line) + 1
    return Segmented(blocks)


class _Handler:
    """Takes the tokens of a page, in the shape that `html.parser` has given such handlers, and gathers blocks."""

    def __init__(self, source: str, tokenizer: Tokenizer) -> None:
        self.result = Segmented()
        self._position = tokenizer.position
        self._lines = [0, *accumulate(map(len, source.split("\n")))]  # where each line begins, line breaks not counted
        self._stack = ["html/body"]  # what every page has, with or without tags; no end tag takes it off
        self._hidden = ""  # the element we are in that is not shown
        self._hidden_depth = 0  # how often it is open
        self._in_link = False
        self._parts: list[str] = []
        self._link_parts: list[str] = []
        self._start = (0, 0)
        self._links = self._tags = self._breaks = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        effect = _effect(tag, 0)
        if self._hidden:
            if self._hidden != "p" or effect != _BLOCK:
                self._hidden_depth += tag == self._hidden
                return
            self._hidden = ""  # a paragraph needs no end tag: any block ends it
        if effect == _HIDDEN or (attrs and effect != _EDGE and _is_hidden(attrs)):
            if 0 < effect <= _EDGE:
                self.end_block()
            if tag not in VOID:
                self._hidden, self._hidden_depth = tag, 1
        elif effect == _BLOCK:
            if self._parts:
                self.end_block()
            stack = self._stack
            if stack[-1] == "p" or tag in IMPLIED_ENDS:
                _close_implied(stack, tag)
            stack.append(tag)
        elif effect == _LINK:
            self._in_link = True
            self._links += 1
            self._tags += 1
        elif effect == _EDGE:
            self.end_block()
        elif effect == _BREAK:
            self._line_break()
        else:
            self._tags += 1

    def handle_endtag(self, tag: str) -> None:
        effect = _effect(tag, 0)
        if self._hidden:
            if tag == self._hidden:
                self._hidden_depth -= 1
                if not self._hidden_depth:
                    self._hidden = ""
        elif effect == _BLOCK:
            if self._parts:
                self.end_block()
            stack = self._stack
            if stack[-1] == tag:
                stack.pop()
            else:
                _close(stack, tag)
        elif effect == _EDGE:
            self.end_block()
        else:
            self._tags += 1
            if effect == _LINK:
                self._in_link = False

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)

    def handle_data(self, data: str) -> None:
        if self._hidden:
            if self._hidden == "title" and not self.result.title:
                self.result.title = _clean(data)
        elif not data.isspace():
            if not self._parts:
                self._start = self._position()
            self._parts.append(data)
            self._breaks = 0
            if self._in_link:
                self._link_parts.append(data)
        elif self._parts:
            self._parts.append(data)

    def _ignore(self, data: str) -> None:
        """Comments, doctypes and processing instructions are nothing to a reader."""

    handle_comment = handle_decl = handle_pi = unknown_decl = _ignore

    def _line_break(self) -> None:
        """One `<br>` is white space; two or more, with nothing between them, end a block."""
        self._tags += 1
        self._breaks += 1
        if self._breaks == 2:
            self.end_block()
        elif self._parts:
            self._parts.append("\n")

    def end_block(self) -> None:
        """What has gathered since the last boundary is a block, unless nothing of it can be seen."""
        parts = self._parts
        text = _clean("".join(parts)) if parts else ""
        if text:
            words = text.count(" ") + 1 if text.isascii() else count_words(text)
            link_words = sum(map(count_words, self._link_parts)) if self._link_parts else 0
            line, column = self._start
            start = self._lines[line - 1] + line - 1 + column + len(parts[0]) - len(parts[0].lstrip())
            line, column = self._position()
            end = self._lines[line - 1] + line - 1 + column
            stack = self._stack
            path = "/".join(stack if len(stack) < _DEEPEST_PATH else stack[-_DEEPEST_PATH:])
            kind = _KINDS.get(stack[-1]) or _kind(stack)
            self.result.blocks.append(Block(text, kind, path, start, end, words, link_words, self._links, self._tags))
        if parts:
            self._parts = []
            self._link_parts = []
        self._links = self._tags = self._breaks = 0


def _kind(stack: list[str]) -> Kind:
    """What a block in a mere `div` is, the innermost other element says."""
    for tag in reversed(stack[-_DEEPEST_PATH:]):
        if tag in _KINDS:
            return _KINDS[tag]
    return "p"


def _close_implied(stack: list[str], tag: str) -> None:
    """Take off the stack what a start tag closes without an end tag."""
    if stack[-1] == "p":
        stack.pop()
    closed, barrier = IMPLIED_ENDS.get(tag, (_NOTHING, _NOTHING))
    for at in range(len(stack) - 1, max(0, len(stack) - _LOOK_BACK) if closed else len(stack), -1):
        if stack[at] in barrier:
            break
        if stack[at] in closed:
            del stack[at:]
            break


def _close(stack: list[str], tag: str) -> None:
    """Take an element off the stack, and what stands open inside it; a cell's end can't be crossed from inside."""
    for at in range(len(stack) - 1, max(0, len(stack) - _LOOK_BACK), -1):
        if stack[at] == tag or (tag in HEADINGS and stack[at] in HEADINGS):
            del stack[at:]
            return
        if stack[at] in CELLS and tag not in TABLE_PARTS:
            return


def _is_hidden(attrs: list[tuple[str, str | None]]) -> bool:
    for name, value in attrs:
        if name == "hidden" or (name == "style" and value and _DISPLAY_NONE.search(value)):
            return True
    return False


def _clean(text: str) -> str:
    """White space folded; character references may have brought in control characters and decomposed letters."""
    text = " ".join(text.split())
    if text.isascii():
        return text if text.isprintable() else " ".join(_CONTROLS.sub("", text).split())
    if not text.isprintable():
        text = " ".join(_CONTROLS.sub("", text).split())
    return unicodedata.normalize("NFC", text)
