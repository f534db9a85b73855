"""Cut a page into the blocks that a reader sees, in one pass over the tokens.

No tree is built: open block elements are kept on a stack, which is all that blocks, their paths and their kinds need. Nothing here is
recursive, and every step is constant work for a token, so that time is linear in the size of the page whatever the page is.

The pass does as little as it can for a token. What can be done for all blocks of a page at once (white space, counts, positions) is done
after it, column by column, where a C loop stands for a Python one.
"""

from __future__ import annotations

import functools
import operator
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import repeat

from turbohtml import Tokenizer

from gristmill.clean.elements import BLOCKS, CELLS, HEADINGS, HIDDEN, IMPLIED_ENDS, LIST_ITEMS, TABLE_PARTS, VOID
from gristmill.clean.words import are_unspaced, count_words
from gristmill.decode.tidy import compose, needs_care, utf16
from gristmill.document import Block, Kind

_DEEPEST_PATH = 64  # elements of a path that are kept; a path without limit would make deep pages quadratic
_LOOK_BACK = 256  # how far up the stack an end tag looks for its start tag, for the same reason
_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f\xad\ufeff]")
_DISPLAY_NONE = re.compile(r"display\s{0,9}:\s{0,9}none", re.IGNORECASE)
_PART = " \x1f "  # between texts of links: white space, even the unit separator, so that words are counted right with and without it
_HIDING_WORDS = ("none", "hidden", "None", "Hidden", "NONE", "HIDDEN")  # without one of them attributes need not be read
_KINDS: dict[str, Kind] = {}
_KINDS.update(dict.fromkeys(BLOCKS - {"div"}, "p"))
_KINDS.update(dict.fromkeys(HEADINGS, "h"))
_KINDS.update(dict.fromkeys(LIST_ITEMS, "l"))

# What a tag does. Tags that are not here stand inside a block and are only counted.
_BLOCK = 1  # ends a block and begins another
_EDGE = 2  # the same, but nothing stands in the element, or everything does
_HIDDEN = 3
_BREAK = 4
_LINK = 5
_EFFECTS = (
    dict.fromkeys(BLOCKS, _BLOCK)
    | dict.fromkeys([*(BLOCKS & VOID), "html", "body"], _EDGE)
    | dict.fromkeys([*HIDDEN, "title"], _HIDDEN)
    | {"br": _BREAK, "a": _LINK}
)


@dataclass(slots=True)
class Segmented:
    """The blocks of a page and its title."""

    blocks: list[Block] = field(default_factory=list)
    title: str = ""


_Raw = tuple[str, str, str, int, int, int, int]
"""Text, text in links, path, start, end, links, tags."""


def segment(source: str) -> Segmented:
    """The visible text of a page of HTML as blocks, in the order of the page.

    Positions are those in the page with Unix line ends, as `decode` gives it.
    """
    if "\r" in source:
        source = source.replace("\r\n", "\n").replace("\r", "\n")
    raw, title = _read(source)
    return Segmented(_blocks(raw) if raw else [], title)


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


def _read(source: str) -> tuple[list[_Raw], str]:  # noqa: C901, PLR0915 - closures: their variables are faster than attributes
    """One pass over the tokens: the raw blocks, and the title."""
    tokenizer = Tokenizer(capture_attributes=any(word in source for word in _HIDING_WORDS))
    position, effect_of, display_none = tokenizer.position, _EFFECTS.get, _DISPLAY_NONE.search
    raw: list[_Raw] = []
    title = ""
    stack = ["html/body"]  # what every page has, with or without tags; no end tag takes it off
    hidden = ""  # the element we are in that is not shown
    hidden_depth = 0  # how often it is open
    in_link = False
    parts: list[str] = []
    link_parts: list[str] = []
    start = 0
    links = tags = breaks = 0

    def end_block() -> None:
        """What has gathered since the last boundary is a block."""
        nonlocal links, tags, breaks
        if parts:
            path = "/".join(stack if len(stack) < _DEEPEST_PATH else stack[-_DEEPEST_PATH:])
            raw.append(("".join(parts), _PART.join(link_parts), path, start, position()[1], links, tags))
            parts.clear()
            link_parts.clear()
        links = tags = breaks = 0

    def start_tag(tag: str, attributes: list[tuple[str, str | None]]) -> None:  # noqa: C901, PLR0912 - see above
        nonlocal hidden, hidden_depth, in_link, links, tags, breaks
        effect = effect_of(tag)
        if hidden:
            if hidden != "p" or effect != _BLOCK:
                hidden_depth += tag == hidden
                return
            hidden = ""  # a paragraph needs no end tag: any block ends it
        for name, value in attributes:
            if (name == "style" and value and display_none(value)) or name == "hidden":
                if effect == _EDGE:
                    break
                if effect == _BLOCK:
                    end_block()
                if tag not in VOID:
                    hidden, hidden_depth = tag, 1
                return
        if effect is None:
            tags += 1
        elif effect == _BLOCK:
            if parts:
                end_block()
            elif tags or breaks:
                links = tags = breaks = 0
            if stack[-1] == "p":
                stack.pop()
            if tag in IMPLIED_ENDS and stack[-1] not in IMPLIED_ENDS[tag][1]:
                _close_implied(stack, tag)
            stack.append(tag)
        elif effect == _LINK:
            in_link = True
            links += 1
            tags += 1
        elif effect == _HIDDEN:
            hidden, hidden_depth = tag, 1
        elif effect == _EDGE:
            end_block()
        else:  # one `<br>` is white space; two or more, with nothing between them, end a block
            tags += 1
            breaks += 1
            if breaks == 2:
                end_block()
            elif parts:
                parts.append("\n")

    def end_tag(tag: str) -> None:
        nonlocal hidden, hidden_depth, in_link, links, tags, breaks
        if hidden:
            if tag == hidden:
                hidden_depth -= 1
                if not hidden_depth:
                    hidden = ""
            return
        if tag == stack[-1]:
            if parts:
                end_block()
            elif tags or breaks:
                links = tags = breaks = 0
            stack.pop()
            return
        effect = effect_of(tag)
        if effect == _BLOCK:
            end_block()
            _close(stack, tag)
        elif effect == _EDGE:
            end_block()
        else:
            tags += 1
            if effect == _LINK:
                in_link = False

    def text(data: str) -> None:
        nonlocal title, start, breaks
        if hidden:
            if hidden == "title" and not title:
                title = _clean(data)
        elif parts:
            parts.append(data)
            if in_link:
                link_parts.append(data)
            if breaks and not data.isspace():
                breaks = 0
        elif not data.isspace():
            start = position()[1]
            parts.append(data)
            if in_link:
                link_parts.append(data)
            breaks = 0

    def end_of_page() -> tuple[int, int]:
        return 1, len(source)  # the tokenizer stays at the start of its last token

    handler = _Handler(start_tag, end_tag, text)
    # To a reader a line end is a space like any other. Without line ends, the column is the place in the source.
    tokenizer.feed(source.replace("\n", " "))
    tokenizer.dispatch(handler)
    tokenizer.close()
    tokenizer.dispatch(handler)
    position = end_of_page
    end_block()
    return raw, title


class _Handler:
    """Functions in the shape that `html.parser` has given to handlers of tokens."""

    __slots__ = (
        "handle_comment",
        "handle_data",
        "handle_decl",
        "handle_endtag",
        "handle_pi",
        "handle_startendtag",
        "handle_starttag",
        "unknown_decl",
    )

    def __init__(
        self, start_tag: Callable[[str, list[tuple[str, str | None]]], None], end_tag: Callable[[str], None], text: Callable[[str], None]
    ) -> None:
        self.handle_starttag = self.handle_startendtag = start_tag
        self.handle_endtag, self.handle_data = end_tag, text
        # Comments, doctypes and processing instructions are nothing to a reader.
        self.handle_comment = self.handle_decl = self.handle_pi = self.unknown_decl = str


def _blocks(raw: list[_Raw]) -> list[Block]:
    """Blocks from raw blocks, a column at a time."""
    texts, link_texts, paths, starts, ends, links, tags = zip(*raw, strict=True)
    clean = list(map(" ".join, map(str.split, texts)))
    if _is_unusual(" ".join(clean)):
        clean = list(map(_clean, clean))
        words = list(map(count_words, clean))
        link_words = [sum(map(count_words, text.split(_PART))) for text in link_texts]
    else:
        words = [spaces + 1 for spaces in map(str.count, clean, repeat(" "))]
        link_words = list(map(len, map(str.split, link_texts)))
    indents = map(operator.sub, map(len, texts), map(len, map(str.lstrip, texts)))
    begin = map(operator.add, starts, indents)
    blocks = list(map(Block, clean, map(_kind, paths), paths, begin, ends, words, link_words, links, tags))
    return blocks if all(clean) else [block for block in blocks if block.text]


def _is_unusual(page: str) -> bool:
    """Whether blocks must be looked at one by one: controls or decomposed letters (from character references), a script without spaces."""
    if page.isascii():
        return not page.isprintable()
    codes = utf16(page)
    codes = codes[codes - 32 > 94]  # ASCII controls come round to large numbers
    return needs_care(codes) or are_unspaced(codes)


@functools.lru_cache(maxsize=4096)
def _kind(path: str) -> Kind:
    """What a block in a mere `div` is, the innermost other element says."""
    for tag in reversed(path.split("/")):
        if tag in _KINDS:
            return _KINDS[tag]
    return "p"


def _close_implied(stack: list[str], tag: str) -> None:
    """Take off the stack what a start tag closes without an end tag."""
    closed, barrier = IMPLIED_ENDS[tag]
    for at in range(len(stack) - 1, max(0, len(stack) - _LOOK_BACK), -1):
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


def _clean(text: str) -> str:
    """White space folded; character references may have brought in control characters and decomposed letters."""
    text = " ".join(text.split())
    if text.isascii():
        return text if text.isprintable() else " ".join(_CONTROLS.sub("", text).split())
    if not text.isprintable():
        text = " ".join(_CONTROLS.sub("", text).split())
    return compose(text)
