"""Attributes of start tags, as far as cleaning needs them: hidden elements, classes and ids.

The tags that may have one of them are found all at once, by the letters before equals signs. Only these are parsed, and
those that are written alike only once.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from gristmill.arrays.dtypes import Flags, Ints
from gristmill.cleaning.uncompiled.markup import NO_TAG, Markup, eight_bytes_at
from gristmill.cleaning.uncompiled.tag import attributes
from gristmill.kernel.elements import CODES, RAW_TEXT

_DISPLAY_NONE = re.compile(rb"display\s{0,9}:\s{0,9}none", re.IGNORECASE)
_ONE_SPACE = bytes.maketrans(b"\t\n\x0b\x0c\r", b"     ")
_LOWER_CASE_BITS = np.uint64(0x2020202020202020)  # in each of eight bytes the bit that makes a letter lower-case
_HOLDS_RAW_TEXT = np.zeros(len(CODES) + 2, np.bool_)
_HOLDS_RAW_TEXT[[CODES[name] for name in (*RAW_TEXT, "title")]] = True
_HOLDS_RAW_TEXT[NO_TAG] = True
_CLASS, _ID, _STYLE = (np.uint64(int.from_bytes(name, "little")) for name in (b"class", b"id", b"style"))
_HIDDEN = re.compile(rb"hidden")


@dataclass(slots=True)
class Attributes:
    """What the start tags of a page say that matters for blocks; tags are given by their numbers in `Markup`."""

    hidden: list[int]
    """Tags of elements that are not shown, in order."""
    named: Ints
    """Tags with a class or an id; a tag with both is there twice."""
    names: list[str]
    """The class or id of each of these."""


class _Tag(NamedTuple):
    """What one tag says."""

    hides: bool
    names: list[bytes]
    """Its class and id, in the order of the tag."""


def find_attributes(markup: Markup, elements: Ints) -> Attributes:
    """Find which start tags hide their element, and the classes and ids of `elements`, given by their start tags."""
    is_element = np.zeros(len(markup.codes) + 1, np.bool_)
    is_element[elements] = True
    tags = _may_matter(markup, is_element)
    known: dict[bytes, _Tag] = {}
    hidden, named, values = [], [], []
    for tag, start, end, wanted in zip(
        tags.tolist(), markup.starts[tags].tolist(), markup.ends[tags].tolist(), is_element[tags].tolist(), strict=True
    ):
        written = markup.data[start:end]
        found = known.get(written)
        if found is None:
            found = known[written] = _read(written)
        if found.hides:
            hidden.append(tag)
        if wanted:
            named += [tag] * len(found.names)
            values += found.names
    # All values are decoded together, which is faster than one by one; no page has a zero byte.
    names = b"\0".join(values).translate(_ONE_SPACE).decode("utf-8", "replace").split("\0")
    return Attributes(hidden, np.array(named, np.int64), names[: len(named)])


def _read(tag: bytes) -> _Tag:
    """Read the attributes of one tag."""
    given = attributes(tag)
    hides = b"hidden" in given or bool(_DISPLAY_NONE.search(given.get(b"style", b"")))
    return _Tag(hides, [value for name, value in given.items() if name in {b"class", b"id"}])


def _may_matter(markup: Markup, is_element: Flags) -> Ints:
    """Find the start tags that may have an attribute that matters: class and id of elements, else what hides."""
    equals, is_style = _find_class_id_style(markup)
    tags = markup.starts.searchsorted(equals) - 1  # the tag that stands before each equals sign, or around it
    before = int(tags.searchsorted(0))  # equals signs in the text before the first tag
    equals, tags, is_style = equals[before:], tags[before:], is_style[before:]
    inside = (equals < markup.ends[tags]) & (is_style | is_element[tags])
    may = np.zeros(len(markup.codes), np.bool_)
    may[tags[inside]] = True
    may[_tags_with_hidden(markup)] = True
    return np.flatnonzero(may & ~markup.closing & ~_HOLDS_RAW_TEXT[markup.codes])


def _find_class_id_style(markup: Markup) -> tuple[Ints, Flags]:
    """Find the equals signs behind `class`, `id` and `style`, and for each whether it may be that of `style`.

    The eight bytes before an equals sign are read as one number, the first byte the lowest. For `<p CLASS=x>` they are
    `<p CLASS`; with the bits for lower case set and shifted by 24 bits, the number of `class` is left. Shifted by 48
    bits, it would be `ss`, to be compared with `id`. White space before the equals sign may hide any name.
    """
    padded = b" " * 8 + markup.data  # so the bytes before place n of the page begin at place n
    words = eight_bytes_at(padded, markup.equals)
    is_spaced = words >> np.uint64(56) <= np.uint64(ord(" "))
    words |= _LOWER_CASE_BITS
    last_five, last_two = words >> np.uint64(24), words >> np.uint64(48)
    is_style = (last_five == _STYLE) | is_spaced
    found = np.flatnonzero(is_style | (last_two == _ID) | (last_five == _CLASS))
    return markup.equals[found], is_style[found]


def _tags_with_hidden(markup: Markup) -> Ints:
    """Find the tags that have the word `hidden` somewhere: the attribute mostly has no equals sign."""
    places = np.array([match.start() for match in _HIDDEN.finditer(markup.data.lower())], np.int64)
    tags = markup.starts.searchsorted(places) - 1
    places, tags = places[tags >= 0], tags[tags >= 0]
    found: Ints = tags[places < markup.ends[tags]]
    return found
