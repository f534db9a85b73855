"""Attributes of start tags, as far as cleaning needs them: hidden elements, classes and ids.

The attributes of all tags of a page are found at once, by their equals signs.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import compress

import numpy as np

from gristmill.arrays.dtypes import Flags, Ints
from gristmill.cleaning.attributes import attributes
from gristmill.cleaning.uncompiled.markup import NO_TAG, SPACE, Markup, eight_bytes_at
from gristmill.kernel.elements import CODES, RAW_TEXT

_BARE_VALUE = re.compile(rb"[^~>]*+".replace(b"~", SPACE))
_DISPLAY_NONE = re.compile(rb"display\s{0,9}:\s{0,9}none", re.IGNORECASE)
_QUOTES = frozenset({b'"', b"'"})
_ONE_SPACE = bytes.maketrans(b"\t\n\x0b\x0c\r", b"     ")
_LOWER_CASE_BITS = np.uint64(0x2020202020202020)  # in each of eight bytes the bit that makes a letter lower-case
_HOLDS_RAW_TEXT = np.zeros(len(CODES) + 2, np.bool_)
_HOLDS_RAW_TEXT[[CODES[name] for name in (*RAW_TEXT, "title")]] = True
_HOLDS_RAW_TEXT[NO_TAG] = True
_MAX_ATTRIBUTES_OF_TAG = 16  # of class, id and style; browsers ignore all but the first of each name
_CLASS, _ID, _STYLE = (np.uint64(int.from_bytes(name, "little")) for name in (b"class", b"id", b"style"))

_IS_ID, _IS_STYLE = 1, 2  # a class is 0
_NAMES = frozenset({b"class", b"id"})


# The bytes that may stand before the name of an attribute. HTML allows a slash too, but that is mostly part of a URL.
_SEPARATES = np.zeros(256, np.bool_)
_SEPARATES[list(b"\t\n\x0b\x0c\r \"'")] = True


@dataclass(slots=True)
class Attributes:
    """What the start tags of a page say that matters for blocks; tags are given by their numbers in `Markup`."""

    hidden: list[int]
    """Tags of elements that are not shown, in order."""
    named: Ints
    """Tags with a class or an id; a tag with both is there twice."""
    names: list[str]
    """The class or id of each of these."""


def find_attributes(markup: Markup, elements: Ints) -> Attributes:
    """Find which start tags hide their element, and the classes and ids of `elements`, given by their start tags."""
    equals, kinds = _find_class_id_style(markup)
    tags = markup.starts.searchsorted(equals) - 1  # the tag that stands before each equals sign, or around it
    before = int(tags.searchsorted(0))  # equals signs in the text before the first tag
    equals, tags, kinds = equals[before:], tags[before:], kinds[before:]
    inside = (equals < markup.ends[tags]) & ~(markup.closing | _HOLDS_RAW_TEXT[markup.codes])[tags]
    is_element = np.zeros(len(markup.codes) + 1, np.bool_)
    is_element[elements] = True
    wanted = np.flatnonzero(inside & ((kinds == _IS_STYLE) | is_element[tags]))
    doubtful = np.union1d(_doubtful(markup, equals[wanted], tags[wanted], kinds[wanted]), _spaced(markup))
    wanted = wanted[~np.isin(tags[wanted], doubtful)] if len(doubtful) else wanted
    wanted = wanted[_are_first_of_tag(tags[wanted])]
    equals, tags, is_style = equals[wanted], tags[wanted], kinds[wanted] == _IS_STYLE
    values = _values(markup, equals + 1)
    styles = list(compress(zip(tags.tolist(), values, strict=True), is_style.tolist()))
    named = ~is_style
    names, tags = list(compress(values, named.tolist())), tags[named]
    if len(doubtful):
        parsed = [(tag, *pair) for tag in doubtful.tolist() for pair in _parsed(markup, tag).items()]
        styles += [(tag, value) for tag, name, value in parsed if name == b"style"]
        more = [(tag, value) for tag, name, value in parsed if name in _NAMES and is_element[tag]]
        names += [value for _, value in more]
        tags = np.concatenate((tags, np.array([tag for tag, _ in more], np.intp)))
    hidden = [tag for tag, value in styles if b"one" in value.lower() and _DISPLAY_NONE.search(value)]
    hidden += _tags_with_hidden(markup)
    # All values are decoded together, which is faster than one by one; no page has a zero byte.
    texts = b"\0".join(names).translate(_ONE_SPACE).decode("utf-8", "replace").split("\0")
    return Attributes(sorted(hidden), tags, texts[: len(tags)])


def _doubtful(markup: Markup, equals: Ints, tags: Ints, kinds: Ints) -> Ints:
    """Return the tags that must be parsed one by one: an attribute is there twice, or stands in the value of another.

    An attribute with an odd number of quotes before it in its tag is in a value, or behind one with an apostrophe.
    """
    quotes = markup.quotes.searchsorted(equals) - markup.quotes.searchsorted(markup.starts)[tags]
    keys = np.sort(3 * tags + kinds)
    return np.unique(np.concatenate((tags[quotes % 2 == 1], keys[1:][keys[1:] == keys[:-1]] // 3)))


def _spaced(markup: Markup) -> Ints:
    """Return the start tags in which white space stands around an equals sign, which are parsed one by one too."""
    codes = np.frombuffer(b" %b " % markup.data, np.uint8)
    equals = markup.equals[(codes[markup.equals] <= ord(" ")) | (codes[markup.equals + 2] <= ord(" "))]
    tags = markup.starts.searchsorted(equals) - 1
    equals, tags = equals[tags >= 0], tags[tags >= 0]
    return tags[(equals < markup.ends[tags]) & ~(markup.closing | _HOLDS_RAW_TEXT[markup.codes])[tags]]


def _parsed(markup: Markup, tag: int) -> dict[bytes, bytes]:
    """Parse the attributes of a tag."""
    return attributes(markup.data[int(markup.starts[tag]) : int(markup.ends[tag])])


def _are_first_of_tag(tags: Ints) -> Flags:
    """Tell for each attribute, given by its tag, whether it is among the first `_MAX_ATTRIBUTES_OF_TAG` of its tag.

    A value without an end may be as long as its tag, so a limit is needed for time to be linear. An attribute is beyond
    it if the attribute so many places before is of the same tag.
    """
    first = np.ones(len(tags), np.bool_)
    first[_MAX_ATTRIBUTES_OF_TAG:] = tags[_MAX_ATTRIBUTES_OF_TAG:] != tags[:-_MAX_ATTRIBUTES_OF_TAG]
    return first


def _find_class_id_style(markup: Markup) -> tuple[Ints, Ints]:
    """Find the equals signs of `class`, `id` and `style`, and which of these each is.

    The eight bytes before an equals sign are read as one number, the first byte the lowest. For `<p CLASS=x>` they are
    `<p CLASS`; with the bits for lower case set and shifted by 24 bits, the number of `class` is left. Shifted by 48
    bits, it would be `ss`, to be compared with `id`. Byte 2 of the eight, a space, shows that the name begins there.
    """
    padded = b" " * 8 + markup.data  # so the bytes before place n of the page begin at place n
    words = eight_bytes_at(padded, markup.equals) | _LOWER_CASE_BITS
    last_five, last_two = words >> np.uint64(24), words >> np.uint64(48)
    is_style, is_id = last_five == _STYLE, last_two == _ID
    found = np.flatnonzero(is_style | is_id | (last_five == _CLASS))
    equals, is_style, is_id = markup.equals[found], is_style[found], is_id[found]
    whole_name = _SEPARATES[np.frombuffer(padded, np.uint8)[equals + np.where(is_id, 5, 2)]]
    return equals[whole_name], (_IS_STYLE * is_style + _IS_ID * is_id)[whole_name]


def _values(markup: Markup, places: Ints) -> list[bytes]:
    """Return the values of attributes that begin at these places.

    Most are in quotes: then the next quote in the page stands at that place, and the quote after it ends the value.
    """
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
    """Return the value of one attribute that is not in quotes, or has quotes of the other kind in it."""
    quote = data[at : at + 1]
    if quote in _QUOTES:
        return data[at + 1 : data.find(quote, at + 1)]
    bare = _BARE_VALUE.match(data, at)
    return bare[0] if bare else b""


def _tags_with_hidden(markup: Markup) -> list[int]:
    """Find the start tags with the attribute `hidden`, which mostly has no equals sign."""
    data, tags = markup.data, []
    at = data.find(b"hidden")
    while at >= 0:
        behind = at + 6
        if _SEPARATES[data[at - 1]] and data[behind : behind + 1] not in _QUOTES:  # before a quote it ends a value
            tag = int(markup.starts.searchsorted(at)) - 1
            if tag >= 0 and at < markup.ends[tag]:
                behind = int(markup.ends[tag])
                if not (markup.closing[tag] or _HOLDS_RAW_TEXT[markup.codes[tag]]) and b"hidden" in attributes(
                    data[int(markup.starts[tag]) : behind]
                ):
                    tags.append(tag)
        at = data.find(b"hidden", behind)
    return tags
