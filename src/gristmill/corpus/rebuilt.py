"""A page made of the blocks that are stored of it, for when its original is gone.

It has the elements that the blocks stood in and their texts, so that one can look at it, and that methods can judge it
anew. What was between the blocks (pictures, names of classes, scripts) is lost, and links are known by number only.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape

from gristmill.document import Block

_ELEMENT = re.compile(r"[a-z][a-z0-9]{0,19}")
_MAX_DEPTH = 60
_UNFIT = frozenset(
    "script style template iframe noframes noembed svg object title textarea xmp plaintext select".split()
)
"""Elements whose content would be read by other rules, or not be shown."""


def rebuilt_page(blocks: Sequence[Block]) -> tuple[str, list[tuple[int, int]]]:
    """Return a page of HTML with these blocks, and where the text of each stands in it, in characters.

    Blocks of the paths `body/ul/li` and `body/ul/li` are two items of one list.
    """
    parts: list[str] = []
    places = []
    length = 0
    opened: list[str] = []
    for block in blocks:
        path = _elements(block)
        same = 0
        while same < min(len(opened), len(path) - 1) and opened[same] == path[same]:
            same += 1
        tags = [f"</{name}>" for name in reversed(opened[same:])] + [f"<{name}>" for name in path[same:]]
        before, text, after = "".join([*tags, "\n" if tags else ""]), _text(block), ""
        if block.links and block.link_words * 2 > block.words:
            before, after = f'{before}<a href="#">', "</a>"
        start = length + len(before)
        places.append((start, start + len(text)))
        parts += [before, text, after]
        length = start + len(text) + len(after)
        opened = path
    return "".join(parts), places


def _elements(block: Block) -> list[str]:
    """The elements around a block, outermost first; at least one, which is its own."""
    names = block.path.split("/")[:_MAX_DEPTH]
    found = [name if _ELEMENT.fullmatch(name) and name not in _UNFIT else "div" for name in names]
    return found or ["p"]


def _text(block: Block) -> str:
    return escape(block.text, quote=False).replace("\n", "<br>")
