"""What start tags say of their elements: whether they are shown, and what they are called.

The attributes of all tags of a page are found at once, by the equals signs in them; a tag is only taken apart where
that is needed.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import compress

import numpy as np

from gristmill.arrays.dtypes import Flags, Ints
from gristmill.cleaning.elements import CODES, RAW_TEXT
from gristmill.cleaning.markup import NO_TAG, SPACE, Markup

_ATTRIBUTE = re.compile(
    rb"([^~/>][^~/>=]*+)(?:[~]*+=[~]*+(?:\"([^\"]*+)\"|'([^']*+)'|([^~>\"'][^~>]*+)|(?=>)))?+".replace(b"~", SPACE),
)
_NAME = re.compile(rb"[^~/>]*+".replace(b"~", SPACE))
_BARE_VALUE = re.compile(rb"[^~>]*+".replace(b"~", SPACE))
_DISPLAY_NONE = re.compile(rb"display\s{0,9}:\s{0,9}none", re.IGNORECASE)
_QUOTES = frozenset({b'"', b"'"})
_ONE_SPACE = bytes.maketrans(b"\t\n\x0b\x0c\r", b"     ")
_SPACES = np.uint64(0x2020202020202020)  # makes letters small
_HOLDS_RAW_TEXT = np.zeros(len(CODES) + 2, np.bool_)
_HOLDS_RAW_TEXT[[CODES[name] for name in (*RAW_TEXT, "title")]] = True
_HOLDS_RAW_TEXT[NO_TAG] = True
_MOST_OF_TAG = 16  # attributes of a tag that are looked at; a class, an id and a style are all that count in browsers
_CLASS, _ID, _STYLE = (np.uint64(int.from_bytes(name, "little")) for name in (b"class", b"id", b"style"))


def _bytes(members: bytes) -> Flags:
    """For each byte whether it is one of these."""
    flags = np.zeros(256, np.bool_)
    flags[list(members)] = True
    return flags


_SEPARATES = _bytes(
    b"\t\n\x0b\x0c\r \"'"
)  # what stands before the name of an attribute; a slash may, but is mostly that of an address


@dataclass(slots=True)
class Attributes:
    """What start tags say of their elements, as far as it matters for the blocks in them."""

    hidden: list[int]
    """Tags of elements that are not shown, in order."""
    named: Ints
    names: list[str]
    """Tags with a class or an id, and its value; a tag with both is there twice."""


def find_attributes(markup: Markup, elements: Ints) -> Attributes:
    """Which start tags say that their element is not shown, and the classes and ids of these elements, given by their start tags."""
    equals, is_style = _telling_attributes(markup)
    tags = markup.starts.searchsorted(equals) - 1
    before = int(tags.searchsorted(0))  # text before the first tag, or a page without tags, may have equals signs too
    equals, tags, is_style = equals[before:], tags[before:], is_style[before:]
    inside = (equals < markup.ends[tags]) & ~(markup.closing | _HOLDS_RAW_TEXT[markup.codes])[tags]
    is_element = np.zeros(len(markup.codes) + 1, np.bool_)
    is_element[elements] = True
    wanted = np.flatnonzero(inside & (is_style | is_element[tags]))
    wanted = wanted[_are_few(tags[wanted])]
    equals, tags, is_style = equals[wanted], tags[wanted], is_style[wanted]
    values = _values(markup, equals + 1)
    styles = compress(zip(tags.tolist(), values, strict=True), is_style.tolist())
    hidden = [tag for tag, value in styles if b"one" in value.lower() and _DISPLAY_NONE.search(value)]
    hidden += _with_hidden(markup)
    named = ~is_style
    names = b"\0".join(compress(values, named.tolist())).translate(_ONE_SPACE).decode("utf-8", "replace").split("\0")
    tags = tags[named]
    return Attributes(sorted(hidden), tags, names[: len(tags)])


def _are_few(tags: Ints) -> Flags:
    """For each attribute, given by its tag, whether it is among the first of its tag: each may be as long as the tag."""
    few = np.ones(len(tags), np.bool_)
    few[_MOST_OF_TAG:] = tags[_MOST_OF_TAG:] != tags[:-_MOST_OF_TAG]
    return few


def _telling_attributes(markup: Markup) -> tuple[Ints, Flags]:
    """Where the equals signs of `class`, `id` and `style` stand, and for each whether it is that of `style`."""
    padded = b" " * 8 + markup.data
    words = np.ndarray(len(markup.data) + 1, np.uint64, padded, strides=(1,))[markup.equals] | _SPACES
    long, short = words >> np.uint64(24), words >> np.uint64(48)
    is_style, is_id = long == _STYLE, short == _ID
    found = np.flatnonzero(is_style | is_id | (long == _CLASS))
    equals, is_style, is_id = markup.equals[found], is_style[found], is_id[found]
    alone = _SEPARATES[np.frombuffer(padded, np.uint8)[equals + np.where(is_id, 5, 2)]]
    return equals[alone], is_style[alone]


def _values(markup: Markup, places: Ints) -> list[bytes]:
    """The values of attributes that begin at these places."""
    data, quotes = markup.data, np.concatenate((markup.quotes, [-1, -1]))
    at = markup.quotes.searchsorted(places)
    ends = quotes[at + 1]
    codes = np.frombuffer(data, np.uint8)
    ends[(quotes[at] != places) | (codes[ends] != codes[places])] = -1
    return [
        data[at + 1 : end] if end > 0 else _value(data, at)
        for at, end in zip(places.tolist(), ends.tolist(), strict=True)
    ]


def _value(data: bytes, at: int) -> bytes:
    """The value of an attribute that is not in quotes, or has quotes of the other kind in it."""
    quote = data[at : at + 1]
    if quote in _QUOTES:
        return data[at + 1 : data.find(quote, at + 1)]
    bare = _BARE_VALUE.match(data, at)
    return bare[0] if bare else b""


def _with_hidden(markup: Markup) -> list[int]:
    """Start tags with the attribute `hidden`."""
    data, tags = markup.data, []
    at = data.find(b"hidden")
    while at >= 0:
        behind = at + 6
        if _SEPARATES[data[at - 1]] and data[behind : behind + 1] not in _QUOTES:  # at the end of a value it is none
            tag = int(markup.starts.searchsorted(at)) - 1
            if tag >= 0 and at < markup.ends[tag]:
                behind = int(markup.ends[tag])
                if not (markup.closing[tag] or _HOLDS_RAW_TEXT[markup.codes[tag]]) and b"hidden" in attributes(
                    data[int(markup.starts[tag]) : behind]
                ):
                    tags.append(tag)
        at = data.find(b"hidden", behind)
    return tags


def attributes(tag: bytes) -> dict[bytes, bytes]:
    """The attributes of a start tag, given as written; names in small letters, the first of equal names."""
    name = _NAME.match(tag)
    found = _ATTRIBUTE.findall(tag, name.end() if name else 0)
    return {name.lower(): double or single or bare for name, double, single, bare in reversed(found)}
