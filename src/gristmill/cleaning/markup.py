"""Find the tags of a page: the tokenisation of the HTML standard, on arrays.

A tokenizer goes from character to character, or in Python from tag to tag, and that is where the time of a page goes.
Here it is done in two steps. First comments, scripts and other raw text are cut out: they are few, but often more than
half of the page. In what is left all angle brackets, quotes and equals signs are found at once, and all names are
looked up at once. Only tags whose quotes are not plainly pairs after an equals sign (a `>` may stand in an attribute)
are looked at one by one.

What is not done as in the standard: scripts that hold `<!--<script>` end at the first `</script>`, a title without an
end tag ends at the next tag, any control character in the name of a tag ends the name, and quotes in the name of a tag
are taken for those of an attribute.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from gristmill.arrays.dtypes import Bytes, Flags, Ints
from gristmill.arrays.ragged import starts_of
from gristmill.cleaning.elements import CODES, LITERAL_TEXT, RAW_TEXT

_Words = npt.NDArray[np.uint64]

NO_TAG = -1
"""The code of comments, doctypes and processing instructions, and of a tag that the end of the page cuts off."""

_PADDING = b" " * 18  # what is looked at in words of eight bytes may go on behind the end of the page
_LESS, _EQUALS, _GREATER, _DOUBLE_QUOTE, _SINGLE_QUOTE = b"<=>\"'"
_LETTERS = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
SPACE = rb"\t\n\f\r "
"""White space in HTML, for regular expressions."""

# A whole tag, for those whose end is not plain. Possessive, so that a tag without an end costs no more than its length.
_ATTRIBUTES = (
    rb"(?:[~/]++|(?:=[^~/>=]*+|[^~/>=]++)(?:[~]*+=[~]*+(?:\"[^\"]*+(?:\"|\Z)|'[^']*+(?:'|\Z)|(?=>)|[^~>\"'][^~>]*+))?+)*+>"
).replace(b"~", SPACE)
_TAG = re.compile(rb"</?[a-zA-Z][^~/>]*+".replace(b"~", SPACE) + _ATTRIBUTES)
_RAW_TAG = re.compile(rb"<((?i:%s))(?=[%s/>])" % ("|".join(sorted(RAW_TEXT | LITERAL_TEXT)).encode(), SPACE))
_LITERAL = frozenset(name.encode() for name in LITERAL_TEXT)
_COMMENT_END = re.compile(rb"--!?>")
_TAG_BEGINS = re.compile(rb"</?[a-zA-Z]")
_END_NAME = frozenset({b">", b"/", b" ", b"\n", b"\t", b"\f", b"\r"})


_OTHER_MARKUP, _START_TAG, _END_TAG, _MAY_BE_RAW = 1, 2, 3, 4


def _kinds_of_markup() -> Bytes:
    """What the two bytes behind an angle bracket make of it: 0 if it is text, `_MAY_BE_RAW` if so a comment or raw text may begin."""
    kinds = np.zeros((256, 256), np.uint8)  # the second byte comes first: so the two are read as one number
    kinds[:, list(b"!?/")] = _OTHER_MARKUP
    kinds[:, list(_LETTERS)] = _START_TAG
    kinds[list(_LETTERS), ord("/")] = _END_TAG
    kinds[ord("-"), ord("!")] = _MAY_BE_RAW
    for name in RAW_TEXT | LITERAL_TEXT:
        first, second = ([ord(letter), ord(letter.upper())] for letter in name[:2])
        kinds[np.ix_(second, first)] = _MAY_BE_RAW
    return kinds.ravel()


_KINDS = _kinds_of_markup()
_IS_TAG = np.array([False, False, True, True, True])


def _kinds(whole: bytes, starts: Ints) -> Bytes:
    """What the angle brackets at these places begin."""
    pairs: npt.NDArray[np.uint16] = np.ndarray(max(0, len(whole) - 1), "<u2", whole, strides=(1,))
    return _KINDS[pairs[starts + 1]]


@dataclass(slots=True)
class _Page:
    """A page without comments and raw text: of a comment `<!>` is left, of a script its start tag."""

    data: bytes = b""
    cuts: list[int] = field(default_factory=list)
    """Where something is missing, as places in what is left."""
    missing: list[int] = field(default_factory=lambda: [0])
    """How many characters are missing before the first cut, before the second, and so on."""
    openings: list[int] = field(default_factory=list)
    """Where the tags of raw and literal text, and comments, begin."""
    literal: list[tuple[int, int]] = field(default_factory=list)
    """Where what looks like markup is text."""
    titles: list[tuple[int, bytes]] = field(default_factory=list)
    titles_end: bool = True
    """Whether no title was found yet that has no end tag."""
    scripts: list[bytes] = field(default_factory=list)


@dataclass(slots=True)
class Markup:
    """The tags of a page, and whatever else is no text, in order: where each begins and ends, in bytes."""

    page: _Page
    starts: Ints
    ends: Ints
    """Where text goes on."""
    codes: npt.NDArray[np.int16]
    """The place of the name in `NAMES`; 0 for others, `NO_TAG` for what is no tag."""
    closing: Flags
    """Whether it is an end tag."""
    equals: Ints
    quotes: Ints
    """Where equals signs and quotes stand, in tags and elsewhere."""
    is_misread: bool = False
    """Whether something in an attribute was taken for a comment or raw text."""

    @property
    def data(self) -> bytes:
        """The page in which the tags stand: that without comments and raw text."""
        return self.page.data

    @property
    def titles(self) -> list[tuple[int, bytes]]:
        """What stands in `title` elements, and where their start tags end."""
        return self.page.titles

    @property
    def scripts(self) -> list[bytes]:
        """What stands in `script` elements."""
        return self.page.scripts

    def in_source(self, places: Ints) -> Ints:
        """Places in bytes as places in characters of the whole page."""
        before: Ints = np.array(self.page.missing)[np.searchsorted(self.page.cuts, places, "right")]
        if not self.data.isascii():
            continued = np.flatnonzero(
                np.frombuffer(self.data, np.int8) < -64
            )  # bytes 128 to 191 go on with a character
            before -= continued.searchsorted(places)
        return places + before


def scan(data: bytes) -> Markup:
    """The markup of a page in UTF-8."""
    markup = _tags(_without_raw_text(data))
    return _tags(_without_raw_text(data, one_by_one=True)) if markup.is_misread else markup


def _without_raw_text(data: bytes, *, one_by_one: bool = False) -> _Page:
    """Cut out comments and raw text.

    A `<script>` in an attribute is none. That is seen here if the tag has no `>` before it; else `_tags` will see it,
    and then all tags must be looked at one by one.
    """
    page = _Page()
    lower = data.lower()
    parts = []
    covered = copied = gone = 0  # up to where all is seen, up to where all is copied, and how much was cut out
    for start, previous in zip(*_openings(data, any_markup=one_by_one), strict=True):
        if start < covered or (previous >= covered and data.find(b">", previous, start) < 0):
            continue
        if data.startswith(b"<!--", start):
            begin = start + 2
            end, covered = _end_of_comment(data, start)
        elif name := _RAW_TAG.match(data, start):
            begin = name.end() + 1 if data[name.end()] == _GREATER else _end_of_markup(data, start)
            end, covered = _end_of_raw_text(data, lower, begin, name[1].lower(), page, gone)
        else:
            covered = _end_of_markup(data, start) if one_by_one else covered
            continue
        page.openings.append(start - gone)
        if end > begin:
            missing = data[begin:end]
            page.cuts.append(begin - gone)
            page.missing.append(page.missing[-1] + (len(missing) if missing.isascii() else len(missing.decode())))
            parts.append(data[copied:begin])
            gone += end - begin
            copied = end
    page.data = b"".join([*parts, data[copied:]])
    return page


def _openings(data: bytes, *, any_markup: bool) -> tuple[list[int], list[int]]:
    """Where comments and raw text may begin, or any markup, and for each of these where the markup before it begins."""
    starts = np.flatnonzero(np.frombuffer(data, np.uint8)[:-2] == _LESS)  # behind it there are two bytes at least
    kinds = _kinds(data, starts)
    opens = np.flatnonzero(kinds)
    starts = starts[opens]
    wanted = np.flatnonzero(kinds[opens] >= (_OTHER_MARKUP if any_markup else _MAY_BE_RAW))
    return starts[wanted].tolist(), np.concatenate(([-1], starts))[wanted].tolist()


def _end_of_raw_text(data: bytes, lower: bytes, begin: int, name: bytes, page: _Page, gone: int) -> tuple[int, int]:
    """For what stands in an element: up to where to cut it out, and up to where there is no markup."""
    if name == b"title":
        stop = _find_end_tag(lower, begin, name) if page.titles_end else len(data)
        behind = _end_of_markup(data, stop)
        if stop == len(data):  # damaged: not all of the page is its title
            page.titles_end = False
            stop = behind = data.find(b"<", begin) % (len(data) + 1)
        page.titles.append((begin - gone, data[begin:stop]))
        return behind, behind
    stop = _find_end_tag(lower, begin, name)
    if name in _LITERAL:
        page.literal.append((begin - gone, stop - gone))
        return begin, stop
    if name == b"script":
        page.scripts.append(data[begin:stop])
    behind = stop + 9 if data.startswith(b"</script>", stop) else _end_of_markup(data, stop)
    return behind, behind


def _find_end_tag(lower: bytes, at: int, name: bytes) -> int:
    """Where the end tag of an element stands, or else the end of the page."""
    tag = b"</" + name
    while name != b"plaintext" and (at := lower.find(tag, at)) >= 0:
        at += len(tag)
        if lower[at : at + 1] in _END_NAME:
            return at - len(tag)
    return len(lower)


def _end_of_comment(data: bytes, start: int) -> tuple[int, int]:
    """Where the last character of a comment stands, and where the comment ends."""
    end = _COMMENT_END.search(data, start + 2)  # also that of `<!-->`
    if end and end.start() < start + 4 and end[0] != b"-->":  # but not that of `<!--!>`
        end = _COMMENT_END.search(data, start + 4)
    return (end.end() - 1, end.end()) if end else (len(data), len(data))


def _end_of_markup(data: bytes, start: int) -> int:
    """Where markup that is no comment ends."""
    if _TAG_BEGINS.match(data, start):
        tag = _TAG.match(data, start)
        return tag.end() if tag else len(data)
    return data.find(b">", start) + 1 or len(data)


def _tags(page: _Page) -> Markup:
    """The markup of a page without raw text."""
    whole = page.data + _PADDING
    codes = np.frombuffer(whole, np.uint8)
    special = np.flatnonzero(
        (codes - _LESS < 3) | (codes == _DOUBLE_QUOTE) | (codes == _SINGLE_QUOTE)
    )  # less, equals, greater
    kinds = codes[special]
    first, last, opened = _brackets(page, whole, special, kinds)
    starts, ends = special[first], np.concatenate((special, [len(page.data) - 1]))[last] + 1
    closing = opened == _END_TAG
    is_tag = _IS_TAG[opened] & (last < len(special))
    is_tag &= codes[starts + 1] != ord("!")
    names = _codes(whole, starts + closing + 1)
    np.copyto(names, NO_TAG, where=~is_tag)
    is_quote = kinds < _LESS
    quotes = special[np.flatnonzero(is_quote)]
    odd = np.flatnonzero(_are_odd(codes, quotes, starts_of(is_quote), first, last) & is_tag)
    markup = Markup(page, starts, ends, names, closing, special[np.flatnonzero(kinds == _EQUALS)], quotes)
    return _mend(markup, odd) if len(odd) else markup


def _brackets(page: _Page, whole: bytes, special: Ints, kinds: Bytes) -> tuple[Ints, Ints, Bytes]:
    """Which special characters begin markup, which end it if its quotes are plain (one more is the end of the page), and its kinds."""
    first = np.flatnonzero(kinds == _LESS)
    opened = _kinds(whole, special[first])
    if page.literal:
        for begin, stop in special[first].searchsorted(page.literal).tolist():
            opened[begin:stop] = 0
    if page.data.endswith(b"</"):
        opened[-1] = 0
    is_end = kinds == _GREATER
    last = is_end.cumsum()[first]
    if not opened.all():
        wanted = np.flatnonzero(opened)
        first, last, opened = first[wanted], last[wanted], opened[wanted]
    outer = np.flatnonzero(
        np.concatenate(([True], last[1:] != last[:-1]))[: len(last)]
    )  # of all with the same end: the others stand inside
    return first[outer], np.concatenate((np.flatnonzero(is_end), [len(special)]))[last[outer]], opened[outer]


def _are_odd(codes: Bytes, quotes: Ints, before: Ints, first: Ints, last: Ints) -> Flags:
    """In which tags the quotes are not plainly pairs after an equals sign; `before` counts quotes before each special character."""
    pairs = np.zeros(len(quotes) + 3 & ~1, np.bool_)  # whether each quote and the next are such a pair; even in number
    kinds = codes[quotes]
    pairs[: len(quotes[1:])] = (codes[quotes[:-1] - 1] == _EQUALS) & (kinds[1:] == kinds[:-1])
    counts = np.zeros(len(pairs) + 2, np.intp)  # such pairs before each quote, among every other quote
    np.cumsum(pairs.reshape(-1, 2), axis=0, out=counts[2:].reshape(-1, 2))
    begin, end = before[first], before[last]
    odd: Flags = end - begin != 2 * (counts[end] - counts[begin])
    return odd


def _mend(markup: Markup, odd: Ints) -> Markup:
    """Set right where tags with odd quotes end, and take out what stands in them."""
    ends, data = markup.ends, markup.data
    mended = False
    covered = 0
    for at, start, end in zip(odd.tolist(), markup.starts[odd].tolist(), ends[odd].tolist(), strict=True):
        if start >= covered:
            tag = _TAG.match(data, start)
            covered = tag.end() if tag else len(data)
            if covered > end or not tag:
                mended = True
                ends[at] = covered
                markup.codes[at] = markup.codes[at] if tag else NO_TAG
    if not mended:
        return markup
    inside = np.zeros(len(ends), np.bool_)
    inside[1:] = markup.starts[1:] < np.maximum.accumulate(ends)[:-1]
    misread = bool(np.isin(markup.page.openings, markup.starts[inside]).any())
    right = ~inside
    starts, ends, codes, closing = markup.starts[right], ends[right], markup.codes[right], markup.closing[right]
    return Markup(markup.page, starts, ends, codes, closing, markup.equals, markup.quotes, misread)


def _codes(whole: bytes, names: Ints) -> npt.NDArray[np.int16]:
    """The codes of the names that begin at these places."""
    words = np.ndarray(len(whole) - 7, np.uint64, whole, strides=(1,))
    hashes, long = _hashes(words[names])
    if len(long):
        hashes[long] ^= _hashes(words[names[long] + 8])[0] * _FACTOR
    at = _KNOWN.searchsorted(hashes)
    found: npt.NDArray[np.int16] = _CODES[at] * (_KNOWN[at] == hashes)
    return found


def _hashes(words: _Words) -> tuple[_Words, Ints]:
    """Words of eight bytes up to the first byte that ends a name, in small letters, and those of them in which none does.

    The end is found as one finds the end of a string in C.
    """
    ends = ~((words | _HIGH) - _UP_TO_SPACE | words)
    for end in _SLASHES, _GREATERS:
        differs = words ^ end
        ends |= (differs - _ONES) & ~differs
    ends &= _HIGH
    bits = ((ends & -ends) >> np.uint64(7)) - np.uint64(1)
    return (words | _SPACES) & bits, np.flatnonzero(ends == 0)


_FACTOR = np.uint64(0x9E3779B97F4A7C15)
_ONES, _HIGH, _SPACES = (np.uint64(0x0101010101010101 * byte) for byte in (1, 0x80, 0x20))
_UP_TO_SPACE, _SLASHES, _GREATERS = (np.uint64(0x0101010101010101 * byte) for byte in (0x21, ord("/"), ord(">")))


def _table() -> tuple[_Words, npt.NDArray[np.int16]]:
    """The hashes of all known names in order, and the codes of the names; one more, that no name has, for what would stand behind them."""
    names = np.frombuffer(b"".join(name.encode().ljust(16) for name in CODES), np.uint64)
    hashes, long = _hashes(names[::2])
    hashes[long] ^= _hashes(names[1::2][long])[0] * _FACTOR
    order = np.argsort(hashes)
    return np.append(hashes[order], np.uint64(2**64 - 1)), np.append(
        np.array(list(CODES.values()), np.int16)[order], np.int16(0)
    )


_KNOWN, _CODES = _table()
