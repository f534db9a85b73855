"""The regular expression of `hofmann:by=genetic`, and pages written in a way that it can read.

Baisa (2009), 1.2: regular expressions are trees of nodes that are relevant, nodes that are irrelevant (what they match
is removed), nodes that say "or", and literals such as `\\w*?` and `<.*?>`. `evaluation` breeds them.

Here a page is written with one character for each tag and one for each block of text, so that an expression looks at
tags and blocks and not at letters. Literals are one such character, or a run of up to eight; what a literal or an "or"
has matched is not tried again in another way. So the time is linear in the length of the page.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from gristmill.arrays.dtypes import Flags, Ints
from gristmill.cleaning.features import Features
from gristmill.cleaning.models import names_of
from gristmill.errors import UsageError
from gristmill.kernel.elements import CODES

KEEP, DROP, OR, END = "keep", "drop", "or", "end"
_TEXTS, _OPEN, _CLOSE = 0x4000, 0x4100, 0x4200  # characters of no meaning to `re`
_LENGTHS = (5, 15, 40)  # words from which a text is longer
_LINKED = len(_LENGTHS) + 1  # a text with links has a character by this higher than one without
_MAX_NODES, _RUN = 400, 8


def _texts(some: Sequence[int]) -> str:
    return "".join(chr(_TEXTS + at) for at in some)


def _literals() -> dict[str, str]:
    """Name the literals, each with the class of characters that it matches."""
    plain, linked = range(_LINKED), range(_LINKED, 2 * _LINKED)
    found = {"<.*?>": f"{chr(_OPEN)}-{chr(_CLOSE + 0xFF)}", r"\w*?": _texts((*plain, *linked))}
    found |= {"plain": _texts(plain), "linked": _texts(linked), ".": f"{_texts((0,))}-{chr(_CLOSE + 0xFF)}"}
    for at, length in enumerate(_LENGTHS):
        found[f"long{length}"] = _texts((*plain[at + 1 :], *linked[at + 1 :]))
        found[f"plain{length}"] = _texts(plain[at + 1 :])
        found[f"short{length}"] = _texts((*plain[: at + 1], *linked[: at + 1]))
    for tag in ("p", "div", "li", "ul", "td", "tr", "table", "h1", "h2", "h3", "h4", "form", "dd", "blockquote"):
        found |= {f"<{tag}>": chr(_OPEN + CODES[tag]), f"</{tag}>": chr(_CLOSE + CODES[tag])}
    return {name: f"[{signs}]" for name, signs in found.items()}


LITERALS = _literals()
"""Literals by their names: `<.*?>` is any tag, `<p>` a certain one, `\\w*?` any text, `long15` one of 15 words or more.

`plain15` is such a text without links, `short15` a text of less words, `linked` one with links, `.` anything.
"""
NAMES = (*LITERALS, *(f"{name}+" for name in LITERALS))
"""The names of literals, and of runs of them."""


@dataclass(frozen=True, slots=True)
class Expression:
    """A regular expression over written pages, and for each of its groups whether it keeps or drops what it matched."""

    pattern: re.Pattern[str]
    keeps: tuple[bool, ...]

    @classmethod
    def of(cls, words: Sequence[str]) -> Expression:
        """Read an expression: `keep <p> long15 end or <li> . end` keeps a text in a `p`, or else takes an item away.

        `keep`, `drop` and `or` begin a node, `end` ends it; the nodes in `or` are its alternatives, in this order.
        """
        if len(words) > _MAX_NODES:
            raise UsageError("the expression is too long")
        parts: list[str] = []
        open_nodes, keeps = [""], []
        for word in words:
            if word == END:
                parts.append(")")
                open_nodes.pop()
                if not open_nodes:
                    raise UsageError("the expression has an end too many")
                continue
            if open_nodes[-1] == OR and parts[-1] != "(?>":
                parts.append("|")
            if word in {KEEP, DROP}:
                keeps.append(word == KEEP)
                parts.append("(")
                open_nodes.append(word)
            elif word == OR:
                parts.append("(?>")
                open_nodes.append(word)
            else:
                parts.append(_literal(word))
        if len(open_nodes) != 1:
            raise UsageError("the expression lacks an end")
        return cls(re.compile("".join(parts)), tuple(keeps))

    def kept(self, page: str, number: int) -> Flags:
        """Tell which of so many blocks of a written page the expression keeps; inner nodes have the last word."""
        signs = np.frombuffer(page.encode("utf-16-le"), np.uint16)
        blocks = np.cumsum(signs < _OPEN) - 1  # the number of the last block at each place
        kept = np.zeros(number + 1, np.bool_)
        for match in self.pattern.finditer(page):
            for keeps, (start, end) in zip(self.keeps, match.regs[1:], strict=True):
                if end > start:
                    first = int(blocks[start]) + (page[start] >= chr(_OPEN))
                    kept[first : int(blocks[end - 1]) + 1] = keeps
        return kept[:number]


def _literal(word: str) -> str:
    name = word.removesuffix("+")
    if name not in LITERALS:
        raise UsageError(f"the expression has an unknown word, {word!r}")
    return LITERALS[name] + (f"{{1,{_RUN}}}+" if word.endswith("+") else "")


def expression_of(arrays: Mapping[str, npt.NDArray[Any]]) -> Expression:
    """Return the expression of a model."""
    return _read(arrays["genetic"].tobytes())


@functools.lru_cache(8)
def _read(words: bytes) -> Expression:
    return Expression.of(names_of(np.frombuffer(words, np.uint8)))


def written(page: Features) -> str:
    """Write the tags and blocks of a page in their order, a character each.

    Before each block stand the ends of the elements that end there, the inner ones first, and the beginnings of those
    that begin there, the outer ones first: `<div><p>a</p></div>b` is `<div>`, `<p>`, a, `</p>`, `</div>`, b.
    """
    elements, number = page.page.elements, len(page)
    filled = np.flatnonzero(elements.end > elements.first)
    filled = filled[filled > 0]
    long = np.searchsorted(_LENGTHS, page.words, "right") + np.where(page.links > 0, _LINKED, 0)
    signs = np.concatenate((_CLOSE + elements.codes[filled], _OPEN + elements.codes[filled], _TEXTS + long))
    places: Ints = np.concatenate((elements.end[filled], elements.first[filled], np.arange(number)))
    kinds = np.repeat(np.arange(3), (len(filled), len(filled), number))
    order = np.concatenate((-filled, filled, np.zeros(number, np.int64)))
    return signs[np.lexsort((order, kinds, places))].astype("<u2").tobytes().decode("utf-16-le")
