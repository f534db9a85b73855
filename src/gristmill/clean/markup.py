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

_LONGEST = 16  # bytes of a name that are looked at; no known name is longer
_PADDING = b" " * (_LONGEST + 2)
_SPACES = np.uint64(0x2020202020202020)
_ENDS_NAME = np.zeros(256, np.bool_)
_ENDS_NAME[list(b"\t\n\x0c\r />")] = True
_IS_LETTER = np.zeros(256, np.bool_)
_IS_LETTER[list(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")] = True
_MASKS = np.array([(1 << 8 * length) - 1 for length in range(9)], np.uint64)
_FACTOR = np.uint64(0x9E3779B97F4A7C15)

# A whole tag, for those whose end is not plain. Possessive, so that a tag without an end costs no more than its length.
_TAG = re.compile(
    rb"""</?[a-zA-Z][^\s/>]*+(?:[\s/]++|(?:=[^\s/>=]*+|[^\s/>=]++)(?:\s*+=\s*+(?:"[^"]*+(?:"|\Z)|'[^']*+(?:'|\Z)|(?=>)|[^\s>"'][^\s>]*+))?+)*+>"""
)
_ATTRIBUTE = re.compile(rb"""([^\s/>][^\s/>=]*+)(?:\s*+=\s*+(?:"([^"]*+)"|'([^']*+)'|([^\s>"'][^\s>]*+)|(?=>)))?+""")
_NAME = re.compile(rb"[^\s/>]*+")
_BARE_VALUE = re.compile(rb"[^\s>]*+")
_DISPLAY_NONE = re.compile(rb"display\s{0,9}:\s{0,9}none", re.IGNORECASE)
_QUOTES = (b'"', b"'")
_COMMENT_END = re.compile(rb"--!?>")
_RAW_ENDS = {
    CODES[name]: re.compile(rb"</%s(?=[\s/>])" % name.encode(), re.IGNORECASE) for name in (RAW_TEXT | LITERAL_TEXT) - {"plaintext"}
}
_LITERAL = frozenset(CODES[name] for name in LITERAL_TEXT)


def _hashes(names: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint64]:
    """A number for each name, given as rows of bytes that go on beyond its end. Letters are made small."""
    ends = _ENDS_NAME[names]
    lengths = np.where(ends.any(1), ends.argmax(1), _LONGEST)
    words = names.view(np.uint64) | _SPACES
    first, rest = words[:, 0] & _MASKS[np.minimum(lengths, 8)], words[:, 1] & _MASKS[np.maximum(lengths - 8, 0)]
    return first ^ rest * _FACTOR


def _table() -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.int16]]:
    """The hashes of all known names in order, and the codes of the names."""
    names = np.frombuffer(b"".join(name.encode().ljust(_LONGEST) for name in CODES), np.uint8).reshape(-1, _LONGEST)
    hashes = _hashes(names)
    order = np.argsort(hashes)
    return hashes[order], np.array(list(CODES.values()), np.int16)[order]


_KNOWN, _CODES = _table()
_NEEDS_CLOSER_LOOK = np.zeros(len(CODES) + 2, np.bool_)
_NEEDS_CLOSER_LOOK[[*_RAW_ENDS, CODES["plaintext"]]] = True
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


def find_attributes(data: bytes, markup: Markup) -> Attributes:
    """Classes and ids of all start tags, and which say that their element is not shown."""
    padded = np.frombuffer(b" " * 8 + data, np.uint8)
    equals = np.flatnonzero(padded[8:] == ord("="))
    is_start = np.append(~markup.closing & (markup.codes >= 0) & ~_HOLDS_RAW_TEXT[markup.codes], False)  # noqa: FBT003
    tags = np.searchsorted(markup.starts, equals, "right") - 1
    inside = is_start[tags]
    inside &= equals < np.append(markup.ends, 0)[tags]
    equals, tags = equals[inside], tags[inside]
    words = np.ascontiguousarray(np.lib.stride_tricks.sliding_window_view(padded, 8)[equals]).view(np.uint64).ravel() | _SPACES
    is_name = (words >> np.uint64(16) == _CLASS) | (words >> np.uint64(40) == _ID)
    named = tags[is_name]
    values = [_value(data, at) for at in (equals[is_name] + 1).tolist()]
    styled = words >> np.uint64(16) == _STYLE
    hidden = [
        tag
        for tag, at in zip(tags[styled].tolist(), (equals[styled] + 1).tolist(), strict=True)
        if _DISPLAY_NONE.search(_value(data, at))
    ]
    hidden += _with_hidden(data, markup)
    return Attributes(sorted(hidden), named, [value.decode("utf-8", "replace") for value in values])


def _value(data: bytes, at: int) -> bytes:
    """The value of an attribute that begins there."""
    quote = data[at : at + 1]
    if quote in _QUOTES:
        return data[at + 1 : data.find(quote, at + 1)]
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
    for match in _ATTRIBUTE.finditer(tag, _NAME.match(tag).end()):  # type: ignore[union-attr] - it matches anything
        found.setdefault(match[1].lower(), match[2] or match[3] or match[4] or b"")
    return found


def scan(data: bytes) -> Markup:
    """The markup of a page, in UTF-8 and with nothing but spaces for white space."""
    padded = np.frombuffer(data + _PADDING, np.uint8)
    starts, kinds = _brackets(padded, len(data))
    closings = np.flatnonzero(padded == ord(">"))
    ends = np.append(closings, len(data) - 1)[np.searchsorted(closings, starts)] + 1
    first = np.ones(len(starts), np.bool_)  # of all that have the same end: the others stand inside it
    np.not_equal(ends[1:], ends[:-1], out=first[1:])
    starts, ends, kinds = starts[first], ends[first], kinds[first]
    closing = kinds == ord("/")
    is_tag = closing & _IS_LETTER[padded[starts + 2]]
    is_tag |= _IS_LETTER[kinds]
    codes = _codes(padded, starts + closing + 1)
    codes[~is_tag] = NO_TAG
    return _resolve(data, padded, Markup(starts, ends, codes, closing, []))


def _brackets(padded: npt.NDArray[np.uint8], length: int) -> tuple[Ints, npt.NDArray[np.uint8]]:
    """Where markup may begin, and the bytes behind the brackets there."""
    starts = np.flatnonzero(padded[:length] == ord("<"))
    kinds = padded[starts + 1]
    opens = _IS_LETTER[kinds] | (kinds == ord("!")) | (kinds == ord("?")) | ((kinds == ord("/")) & (starts + 2 < length))
    return starts[opens], kinds[opens]


def _codes(padded: npt.NDArray[np.uint8], names: Ints) -> npt.NDArray[np.int16]:
    """The codes of the names that begin at these places."""
    windows = np.lib.stride_tricks.sliding_window_view(padded, _LONGEST)
    hashes = _hashes(np.ascontiguousarray(windows[names]))
    at = np.searchsorted(_KNOWN, hashes)
    at[at == len(_KNOWN)] = 0
    return np.where(_KNOWN[at] == hashes, _CODES[at], np.int16(0))


def _odd_quotes(padded: npt.NDArray[np.uint8], markup: Markup, quote: str) -> tuple[Flags, Flags]:
    """Which tags have such quotes at all, and in which they are not plainly pairs that begin after an equals sign."""
    quotes = np.flatnonzero(padded == ord(quote))
    before = np.searchsorted(quotes, markup.starts)
    number = np.searchsorted(quotes, markup.ends) - before
    odd = (number & 1).astype(np.bool_)
    tags = np.repeat(np.arange(len(before)), number)
    inside = quotes[np.repeat(before - np.cumsum(number) + number, number) + np.arange(len(tags))]
    opening = (np.arange(len(tags)) - np.repeat(np.cumsum(number) - number, number)) & 1 == 0
    odd[tags[opening & (padded[inside - 1] != ord("="))]] = True
    return number > 0, odd


def _resolve(data: bytes, padded: npt.NDArray[np.uint8], markup: Markup) -> Markup:
    """Look closer where that is needed: set right where markup ends, and take out what stands inside other markup."""
    double, odd_double = _odd_quotes(padded, markup, '"')
    single, odd_single = _odd_quotes(padded, markup, "'")
    odd = odd_double | odd_single | (double & single)
    comment = padded[markup.starts + 1] == ord("!")
    closer = odd | comment | (_NEEDS_CLOSER_LOOK[markup.codes] & ~markup.closing)
    wrong = np.zeros(len(odd), np.bool_)
    ends = markup.ends
    covered = 0
    at_list = np.flatnonzero(closer)
    for at, start, code in zip(at_list.tolist(), markup.starts[at_list].tolist(), markup.codes[at_list].tolist(), strict=True):
        if start < covered:
            continue
        end, covered = _closer(data, start, int(ends[at]), code, is_odd=bool(odd[at]), titles=markup.titles)
        ends[at] = end
        if covered > end:  # literal text: what looks like markup in it is none
            last = int(np.searchsorted(markup.starts, covered)) - 1
            wrong[at + 1 : last + 1] = True
            if last > at and ends[last] > covered:  # the end tag stands in what looked like a tag
                wrong[last], markup.starts[last], markup.codes[last], markup.closing[last] = False, covered, code, True
    farthest = np.maximum.accumulate(np.where(wrong, 0, ends)) if len(ends) else ends
    wrong[1:] |= markup.starts[1:] < farthest[:-1]
    if not wrong.any():
        return markup
    right = ~wrong
    return Markup(markup.starts[right], ends[right], markup.codes[right], markup.closing[right], markup.titles)


def _closer(data: bytes, start: int, end: int, code: int, *, is_odd: bool, titles: list[tuple[int, bytes]]) -> tuple[int, int]:
    """Where this markup ends, and up to where there is no other markup."""
    if code == NO_TAG:
        if data.startswith(b"<!--", start):
            end = _end_of_comment(data, start)
        return end, end
    if is_odd:
        whole = _TAG.match(data, start)
        end = whole.end() if whole else len(data)
    if data[start + 1] == ord("/") or not _NEEDS_CLOSER_LOOK[code]:
        return end, end
    close = _RAW_ENDS[code].search(data, end) if code in _RAW_ENDS else None
    stop = close.start() if close else len(data)
    if code == CODES["title"]:
        if close is None:  # damaged: not all of the page is its title
            stop = data.find(b"<", end) % (len(data) + 1)
            titles.append((start, data[end:stop]))
            return stop, stop
        titles.append((start, data[end:stop]))
    elif code in _LITERAL:
        return end, stop
    if close is None:
        return len(data), len(data)
    behind = data.find(b">", stop) + 1 or len(data)
    return behind, behind


def _end_of_comment(data: bytes, start: int) -> int:
    for abrupt in (b"<!-->", b"<!--->"):
        if data.startswith(abrupt, start):
            return start + len(abrupt)
    end = _COMMENT_END.search(data, start + 4)
    return end.end() if end else len(data)
