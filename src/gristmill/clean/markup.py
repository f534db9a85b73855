"""Find the tags of a page: the tokenisation of the HTML standard, on arrays.

A tokenizer goes from character to character, or in Python from tag to tag, and that is where the time of a page goes. Here all angle
brackets and quotes are found at once, and all names are looked up at once. Only what needs a closer look is looked at one by one: comments,
scripts and other raw text, and tags whose quotes are not plainly pairs after an equals sign (a `>` may stand in an attribute).

What is not done as in the standard: scripts that hold `<!--<script>` end at the first `</script>`, and a title without an end tag at the next
tag.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from gristmill.clean.elements import CODES, LITERAL_TEXT, RAW_TEXT

Ints = npt.NDArray[np.intp]
Flags = npt.NDArray[np.bool_]

NO_TAG = -1
"""The code of comments, doctypes and processing instructions."""

_PADDING = b" " * 18  # what is looked at in words of eight bytes may go on behind the end of the page
_IS_LETTER = np.zeros(256, np.bool_)
_IS_LETTER[list(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")] = True
_OPENS = _IS_LETTER.copy()  # what makes markup of an angle bracket
_OPENS[list(b"!?/")] = True
_ENDS_NAME = b" />"
_FACTOR = np.uint64(0x9E3779B97F4A7C15)
_ONES, _HIGH = np.uint64(0x0101010101010101), np.uint64(0x8080808080808080)
_SPACES = np.uint64(0x2020202020202020)

# A whole tag, for those whose end is not plain. Possessive, so that a tag without an end costs no more than its length.
_TAG = re.compile(
    rb"""</?[a-zA-Z][^\s/>]*+(?:[\s/]++|(?:=[^\s/>=]*+|[^\s/>=]++)(?:\s*+=\s*+(?:"[^"]*+(?:"|\Z)|'[^']*+(?:'|\Z)|(?=>)|[^\s>"'][^\s>]*+))?+)*+>"""
)
_ATTRIBUTE = re.compile(rb"""([^\s/>][^\s/>=]*+)(?:\s*+=\s*+(?:"([^"]*+)"|'([^']*+)'|([^\s>"'][^\s>]*+)|(?=>)))?+""")
_NAME = re.compile(rb"[^\s/>]*+")
_BARE_VALUE = re.compile(rb"[^\s>]*+")
_DISPLAY_NONE = re.compile(rb"display\s{0,9}:\s{0,9}none", re.IGNORECASE)
_QUOTES = {ord('"'): b'"', ord("'"): b"'"}
_COMMENT_END = re.compile(rb"--!?>")
_END_TAGS = {CODES[name]: f"</{name}".encode() for name in (RAW_TEXT | LITERAL_TEXT) - {"plaintext"}}
_TITLE = CODES["title"]
_LITERAL = frozenset(CODES[name] for name in LITERAL_TEXT - {"title"})


Words = npt.NDArray[np.uint64]


def _name_bits(words: Words) -> Words:
    """For each word of eight bytes the bits of those before the first that ends a name, found as one finds the end of a string in C."""
    ends = np.zeros_like(words)
    for end in _ENDS_NAME:
        differs = words ^ (_ONES * np.uint64(end))
        ends |= (differs - _ONES) & ~differs
    ends &= _HIGH
    return ((ends & (~ends + np.uint64(1))) >> np.uint64(7)) - np.uint64(1)


def _hashes(first: Words, second: Words) -> Words:
    """A number for each name, given as two words that may go on beyond its end. Letters are made small."""
    bits = _name_bits(first)
    goes_on = ~bits == 0
    hashes = (first | _SPACES) & bits
    hashes[goes_on] ^= ((second | _SPACES) & _name_bits(second))[goes_on] * _FACTOR
    return hashes


def _table() -> tuple[Words, npt.NDArray[np.int16]]:
    """The hashes of all known names in order, and the codes of the names."""
    names = np.frombuffer(b"".join(name.encode().ljust(16) for name in CODES), np.uint64)
    hashes = _hashes(names[::2], names[1::2])
    order = np.argsort(hashes)
    return hashes[order], np.array(list(CODES.values()), np.int16)[order]


_KNOWN, _CODES = _table()
_NEEDS_CLOSER_LOOK = np.zeros(len(CODES) + 2, np.bool_)
_NEEDS_CLOSER_LOOK[[*_END_TAGS, CODES["plaintext"]]] = True
_HOLDS_RAW_TEXT = np.zeros(len(CODES) + 2, np.bool_)
_HOLDS_RAW_TEXT[[CODES[name] for name in (*RAW_TEXT, "title")]] = True
_CLASS, _ID, _STYLE = (np.uint64(int.from_bytes(name, "little")) for name in (b" class", b" id", b" style"))


@dataclass(slots=True)
class Markup:
    """The tags of a page, and whatever else is no text, in order: where each begins and ends, in bytes."""

    starts: Ints
    ends: Ints
    """Where text goes on: for a script that is behind its end tag."""
    codes: npt.NDArray[np.int16]
    """The place of the name in `NAMES`; 0 for others, `NO_TAG` for what is no tag."""
    closing: Flags
    """Whether it is an end tag."""
    titles: list[tuple[int, bytes]]
    """What stands in `title` elements, and where."""


@dataclass(slots=True)
class Attributes:
    """What start tags say of their elements, as far as it matters for the blocks in them."""

    hidden: list[int]
    """Tags of elements that are not shown, in order."""
    named: Ints
    names: list[str]
    """Tags with a class or an id, and its value; a tag with both is there twice."""


def find_attributes(data: bytes, markup: Markup, elements: Ints) -> Attributes:
    """Which start tags say that their element is not shown, and the classes and ids of these elements, given by their start tags."""
    padded = b" " * 8 + data
    equals = np.flatnonzero(np.frombuffer(data, np.uint8) == ord("="))
    tags = np.searchsorted(markup.starts, equals, "right") - 1
    is_start = np.append(~markup.closing & (markup.codes >= 0) & ~_HOLDS_RAW_TEXT[markup.codes], False)  # noqa: FBT003
    inside = is_start[tags] & (equals < np.append(markup.ends, 0)[tags])
    equals, tags = equals[inside], tags[inside]
    words = (np.ndarray(len(data) + 1, np.uint64, padded, strides=(1,))[equals] | _SPACES) >> np.uint64(16)
    is_element = np.zeros(len(markup.codes) + 1, np.bool_)
    is_element[elements] = True
    names = np.flatnonzero(((words == _CLASS) | (words >> np.uint64(24) == _ID)) & is_element[tags])
    styles = np.flatnonzero(words == _STYLE)
    styled = zip(tags[styles].tolist(), _values(data, equals[styles] + 1), strict=True)
    hidden = [tag for tag, value in styled if b"one" in value.lower() and _DISPLAY_NONE.search(value)]
    hidden += _with_hidden(data, markup)
    values = b"\0".join(_values(data, equals[names] + 1)).decode("utf-8", "replace").split("\0")
    return Attributes(sorted(hidden), tags[names], values[: len(names)])


def _values(data: bytes, places: Ints) -> list[bytes]:
    """The values of attributes that begin at these places."""
    return [_value(data, at) for at in places.tolist()]


def _value(data: bytes, at: int) -> bytes:
    quote = data[at]
    if quote in _QUOTES:
        return data[at + 1 : data.find(_QUOTES[quote], at + 1)]
    bare = _BARE_VALUE.match(data, at)
    return bare[0] if bare else b""


def _with_hidden(data: bytes, markup: Markup) -> list[int]:
    """Start tags with the attribute `hidden`."""
    tags = []
    at = data.find(b" hidden")
    while at >= 0:
        tag = int(np.searchsorted(markup.starts, at)) - 1
        behind = at + 7
        if tag >= 0 and at < markup.ends[tag] and markup.codes[tag] >= 0 and not _HOLDS_RAW_TEXT[markup.codes[tag]]:
            behind = int(markup.ends[tag])
            if b"hidden" in attributes(data[int(markup.starts[tag]) : behind]) and not markup.closing[tag]:
                tags.append(tag)
        elif tag >= 0:
            behind = max(behind, int(markup.ends[tag]))
        at = data.find(b" hidden", behind)
    return tags


def attributes(tag: bytes) -> dict[bytes, bytes]:
    """The attributes of a start tag, given as written; names in small letters, the first of equal names."""
    found: dict[bytes, bytes] = {}
    name = _NAME.match(tag)
    for match in _ATTRIBUTE.finditer(tag, name.end() if name else 0):
        found.setdefault(match[1].lower(), match[2] or match[3] or match[4] or b"")
    return found


def scan(data: bytes) -> Markup:
    """The markup of a page, in UTF-8 and with nothing but spaces for white space."""
    whole = data + _PADDING
    padded = np.frombuffer(whole, np.uint8)
    starts = np.flatnonzero(padded == ord("<"))
    kinds = padded[starts + 1]
    opens = _OPENS[kinds]
    if data.endswith(b"</"):
        opens[-1] = False
    starts, kinds = starts[opens], kinds[opens]
    closings = np.flatnonzero(padded == ord(">"))
    ends = np.append(closings, len(data) - 1)[np.searchsorted(closings, starts)] + 1
    first = np.ones(len(starts), np.bool_)  # of all that have the same end: the others stand inside it
    np.not_equal(ends[1:], ends[:-1], out=first[1:])
    starts, ends, kinds = starts[first], ends[first], kinds[first]
    closing = kinds == ord("/")
    is_tag = closing & _IS_LETTER[padded[starts + 2]]
    is_tag |= _IS_LETTER[kinds]
    codes = _codes(whole, starts + closing + 1)
    codes[~is_tag] = NO_TAG
    return _resolve(data, padded, Markup(starts, ends, codes, closing, []))


def _codes(whole: bytes, names: Ints) -> npt.NDArray[np.int16]:
    """The codes of the names that begin at these places."""
    words = np.ndarray(len(whole) - 7, np.uint64, whole, strides=(1,))
    hashes = _hashes(words[names], words[names + 8])
    at = np.searchsorted(_KNOWN, hashes)
    at[at == len(_KNOWN)] = 0
    return np.where(_KNOWN[at] == hashes, _CODES[at], np.int16(0))


def _odd_quotes(padded: npt.NDArray[np.uint8], markup: Markup, quote: str) -> tuple[Flags, Flags]:
    """Which tags have such quotes at all, and in which they are not plainly pairs that begin after an equals sign."""
    quotes = np.flatnonzero(padded == ord(quote))
    if not len(quotes):
        none = np.zeros(len(markup.starts), np.bool_)
        return none, none
    begins = padded[quotes - 1] == ord("=")
    # Among every other quote: how many begin a value, before each place.
    counts = np.zeros((2, len(quotes) + 1), np.intp)
    begins[1::2], odd_places = False, begins[1::2].copy()
    np.cumsum(begins, out=counts[0, 1:])
    begins[::2], begins[1::2] = False, odd_places
    np.cumsum(begins, out=counts[1, 1:])
    first, end = np.searchsorted(quotes, markup.starts), np.searchsorted(quotes, markup.ends)
    parity = first & 1
    return end > first, (end - first) != 2 * (counts[parity, end] - counts[parity, first])


def _resolve(data: bytes, padded: npt.NDArray[np.uint8], markup: Markup) -> Markup:
    """Look closer where that is needed: set right where markup ends, and take out what stands inside other markup."""
    double, odd_double = _odd_quotes(padded, markup, '"')
    single, odd_single = _odd_quotes(padded, markup, "'")
    odd = odd_double | odd_single | (double & single)
    closer = np.flatnonzero(odd | (padded[markup.starts + 1] == ord("!")) | (_NEEDS_CLOSER_LOOK[markup.codes] & ~markup.closing))
    if not len(closer):
        return markup
    wrong = np.zeros(len(odd), np.bool_)
    ends = markup.ends
    lower = data.lower()
    covered = 0
    columns = (closer, markup.starts[closer], ends[closer], markup.codes[closer], odd[closer])
    for at, start, plain_end, code, is_odd in zip(*(column.tolist() for column in columns), strict=True):
        if start < covered:
            continue
        if code == NO_TAG:
            end = covered = _end_of_comment(data, start) if data.startswith(b"<!--", start) else plain_end
        else:
            end = _end_of_tag(data, start) if is_odd else plain_end
            covered = end
            if _NEEDS_CLOSER_LOOK[code] and data[start + 1] != ord("/"):
                end, covered = _end_of_raw_text(lower, start, end, code)
                if code == _TITLE:
                    markup.titles.append((start, data[plain_end:end].rpartition(b"</")[0] or data[plain_end:end]))
        ends[at] = end
        if covered > end:  # literal text: what looks like markup in it is none
            last = int(np.searchsorted(markup.starts, covered)) - 1
            wrong[at + 1 : last + 1] = True
            if last > at and ends[last] > covered:  # the end tag stands in what looked like a tag
                wrong[last], markup.starts[last], markup.codes[last], markup.closing[last] = False, covered, code, True
    farthest = np.maximum.accumulate(np.where(wrong, 0, ends))
    wrong[1:] |= markup.starts[1:] < farthest[:-1]
    if not wrong.any():
        return markup
    right = ~wrong
    return Markup(markup.starts[right], ends[right], markup.codes[right], markup.closing[right], markup.titles)


def _end_of_tag(data: bytes, start: int) -> int:
    whole = _TAG.match(data, start)
    return whole.end() if whole else len(data)


def _end_of_raw_text(lower: bytes, start: int, end: int, code: int) -> tuple[int, int]:
    """Where text goes on after an element that holds no markup, and up to where there is no markup."""
    stop = _find_end_tag(lower, end, code)
    if code == _TITLE and stop == len(lower):  # damaged: not all of the page is its title
        stop = lower.find(b"<", end) % (len(lower) + 1)
        return stop, stop
    if code in _LITERAL:
        return end, stop
    behind = lower.find(b">", stop) + 1 or len(lower)
    return behind, behind


def _find_end_tag(lower: bytes, at: int, code: int) -> int:
    """Where the end tag of an element stands, or else the end of the page."""
    tag = _END_TAGS.get(code)
    while tag and (at := lower.find(tag, at)) >= 0:
        at += len(tag)
        if lower[at : at + 1] in (b" ", b"/", b">"):
            return at - len(tag)
    return len(lower)


def _end_of_comment(data: bytes, start: int) -> int:
    for abrupt in (b"<!-->", b"<!--->"):
        if data.startswith(abrupt, start):
            return start + len(abrupt)
    end = _COMMENT_END.search(data, start + 4)
    return end.end() if end else len(data)
