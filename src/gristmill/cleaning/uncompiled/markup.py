"""Tokenisation of HTML on arrays: `scan` finds all tags of a page, where the kernel is not compiled.

A tokenizer goes from character to character, or in Python from tag to tag, and that is where most of the time for a
page goes. Here there are two steps. First, comments, scripts and other raw text are removed: they are few, but often
more than half of the page. Then all angle brackets, quotes and equals signs of the rest are found at once, and all
names are looked up at once. Only tags with odd quotes are parsed one by one: those whose quotes are not simply pairs
that follow an equals sign, so that a `>` may stand in an attribute.

It finds the same tags as the kernel, which says how it departs from the standard.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from gristmill.arrays.dtypes import Bytes, Flags, Ints
from gristmill.arrays.ragged import starts_of
from gristmill.cleaning.uncompiled.tag import attributes
from gristmill.kernel import are_nested, closes_itself, end_of_script
from gristmill.kernel.elements import CODES, HIDDEN, LITERAL_TEXT, NAMES, RAW_TEXT, VOID

_Words = npt.NDArray[np.uint64]

NO_TAG = -1
"""The code of comments, doctypes and processing instructions, and of an incomplete tag at the end of the page."""

_PADDING = b" " * 18  # names are read as two words of eight bytes, which may reach beyond the end of the page
_LESS, _EQUALS, _GREATER, _DOUBLE_QUOTE, _SINGLE_QUOTE, _SLASH = b"<=>\"'/"
_LETTERS = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
SPACE = rb"\t\n\f\r "
"""White space in HTML, for regular expressions. In the patterns below, `~` stands for it."""

# A whole tag with odd quotes. Possessive, so that the time for a tag without an end is linear in its length.
_VALUE = rb"(?:\"[^\"]*+(?:\"|\Z)|'[^']*+(?:'|\Z)|(?=>)|[^~>\"'][^~>]*+)"
_ATTRIBUTES = (rb"(?:[~/]++|(?:=[^~/>=]*+|[^~/>=]++)(?:[~]*+=[~]*+" + _VALUE + rb")?+)*+>").replace(b"~", SPACE)
_TAG = re.compile(rb"</?[a-zA-Z][^~/>]*+".replace(b"~", SPACE) + _ATTRIBUTES)
_MAY_TELL = re.compile(rb"itemprop|datetime|rel", re.IGNORECASE)
_RELATIONS = frozenset({b"tag", b"author", b"license", b"canonical"})
"""Values of `rel` that tell something of the page, as in `gristmill.kernel.tokens`."""
_RAW_TAG = re.compile(rb"<((?i:%s))(?=[%s/>])" % ("|".join(sorted(RAW_TEXT | LITERAL_TEXT)).encode(), SPACE))
_LITERAL = frozenset(name.encode() for name in LITERAL_TEXT)
_COMMENT_END = re.compile(rb"--!?>")
_TAG_BEGINS = re.compile(rb"</?[a-zA-Z]")
_NO_NAME = np.zeros(256, np.bool_)  # the bytes before an equals sign that are no part of the name of an attribute
_NO_NAME[list(b"\t\n\f\r /=\"'")] = True
_HAVE_NO_END = np.zeros(len(CODES) + 2, np.bool_)  # elements without content, or with raw text, by code; `NO_TAG` is -1
_HAVE_NO_END[[*(CODES[name] for name in (*VOID, *RAW_TEXT, "title")), NO_TAG]] = True
_IS_VOID = np.zeros(len(CODES) + 2, np.bool_)
_IS_VOID[[CODES[name] for name in VOID]] = True
_NOT_SHOWN = frozenset(CODES[name] for name in HIDDEN - RAW_TEXT)
_SVG = CODES["svg"]
_ENDS_OF_NAME = frozenset({b">", b"/", b" ", b"\n", b"\t", b"\f", b"\r"})


# What an angle bracket begins, by the two bytes behind it.
_TEXT, _OTHER_MARKUP, _START_TAG, _END_TAG, _MAY_BE_RAW = range(5)


def _kinds_of_markup() -> Bytes:
    """Make the table from the two bytes behind a `<` to what it begins; `_MAY_BE_RAW` is a comment or raw text, maybe.

    The index is the two bytes as one little-endian number. For `</p>` it is `ord("p") * 256 + ord("/")`, and the item
    is `_END_TAG`; so the second byte is the first dimension while the table is made.
    """
    kinds = np.full((256, 256), _TEXT, np.uint8)
    kinds[:, list(b"!?/")] = _OTHER_MARKUP
    kinds[:, list(_LETTERS)] = _START_TAG
    kinds[list(_LETTERS), ord("/")] = _END_TAG
    kinds[ord("-"), ord("!")] = _MAY_BE_RAW
    for name in RAW_TEXT | LITERAL_TEXT:
        first, second = ([ord(letter), ord(letter.upper())] for letter in name[:2])
        kinds[np.ix_(second, first)] = _MAY_BE_RAW
    return kinds.ravel()


_KINDS = _kinds_of_markup()
_IS_TAG = np.array([False, False, True, True, True])  # by kind of markup


def _kinds(data: bytes, starts: Ints) -> Bytes:
    """Tell what the angle brackets at these places begin."""
    pairs: npt.NDArray[np.uint16] = np.ndarray(max(0, len(data) - 1), "<u2", data, strides=(1,))  # bytes n and n + 1
    return _KINDS[pairs[starts + 1]]


def eight_bytes_at(data: bytes, places: Ints) -> _Words:
    """Read the eight bytes that begin at each of these places as one number, the first byte the lowest.

    A view with strides of one byte overlaps itself: item n is bytes n to n + 7, and nothing is copied.
    """
    words: _Words = np.ndarray(len(data) - 7, np.uint64, data, strides=(1,))
    return words[places]


@dataclass(slots=True)
class _Page:
    """A page without comments and raw text: what is left of a comment is `<!>`, of a script its start tag.

    The page `<!--ab-->x` has the data `<!>x`. Six characters were removed at place 2, so `cuts` is [2] and `missing`
    is [0, 6]: what stands at place 3 of the data, behind the first cut, is at 3 + 6 of the source.
    """

    data: bytes = b""
    cuts: list[int] = field(default_factory=list)
    """Where something was removed, as places in `data`."""
    missing: list[int] = field(default_factory=lambda: [0])
    """Prefix sums: how many characters of the source are missing in `data` up to each cut."""
    missing_bytes: list[int] = field(default_factory=lambda: [0])
    """The same in bytes."""
    openings: list[int] = field(default_factory=list)
    """Where comments and the tags of raw and literal text begin."""
    literal: list[tuple[int, int]] = field(default_factory=list)
    """The spans of literal text, in which what looks like markup is text."""
    titles: list[tuple[int, bytes]] = field(default_factory=list)
    """The content of `title` elements, and where their start tags end."""
    titles_end: bool = True
    """Whether all titles so far have had an end tag."""
    scripts: list[bytes] = field(default_factory=list)
    """The content of `script` elements."""
    script_tags: list[bytes] = field(default_factory=list)
    """The start tags of these."""
    is_xml: bool = False
    """Whether it is read as XML, in which a slash at the end of a start tag means that the element is empty."""
    is_ended: bool = True
    """Whether all raw text has an end tag."""
    gone: list[int] = field(default_factory=lambda: [0])
    """As `missing`, in bytes."""
    empty: list[int] = field(default_factory=list)
    """Where the tags of empty elements with literal text begin."""
    next_ends: dict[bytes, int] = field(default_factory=dict)
    """Where in the source an element ends next, by its name; looked up once."""


@dataclass(slots=True)
class Markup:
    """The markup of a page as columns: an item for each tag, comment or doctype, in order; places are in bytes.

    For `a<b>c</b>` they are starts [1, 5], ends [4, 9], codes [CODES["b"]] * 2, closing [False, True].
    """

    page: _Page
    starts: Ints
    """Where the `<` stands."""
    ends: Ints
    """The first byte behind the `>`, where text goes on."""
    codes: npt.NDArray[np.int16]
    """The code of the name, as in `CODES`; 0 for other names, `NO_TAG` for what is not a tag."""
    closing: Flags
    """Whether it is an end tag."""
    equals: Ints
    """Where equals signs stand, in tags and elsewhere."""
    quotes: Ints
    """Where quotes stand, in tags and elsewhere."""
    is_misread: bool = False
    """Whether something in an attribute was taken for a comment or raw text."""

    @property
    def data(self) -> bytes:
        """The bytes in which the tags stand: the page without comments and raw text."""
        return self.page.data

    @property
    def titles(self) -> list[tuple[int, bytes]]:
        """The content of `title` elements, each with the number of its tag."""
        return [(int(self.starts.searchsorted(place)) - 1, title) for place, title in self.page.titles]

    @property
    def scripts(self) -> list[bytes]:
        """The content of `script` elements."""
        return self.page.scripts

    def scripts_of_type(self, word: bytes) -> list[bytes]:
        """Return the content of those `script` elements in whose start tag this word stands."""
        tags = self.page.script_tags
        return [script for tag, script in zip(tags, self.page.scripts, strict=True) if word in tag]

    def start_tags(self, wanted: Flags) -> list[tuple[int, int, int]]:
        """Return the start tags whose codes are wanted: code, start and end."""
        found = np.flatnonzero(wanted[self.codes] & ~self.closing)
        columns = (self.codes[found].tolist(), self.starts[found].tolist(), self.ends[found].tolist())
        return list(zip(*columns, strict=True))

    def telling_tags(self, wanted: Flags) -> list[tuple[int, int, int, int]]:
        """Return the start tags whose codes are wanted, or that may tell something: number, code, start and end."""
        chosen = wanted[self.codes] & ~self.closing
        places = np.array([match.start() for match in _MAY_TELL.finditer(self.data)], np.int64)
        for tag in np.unique(self.starts.searchsorted(places, "right") - 1).tolist():
            if tag >= 0 and self.codes[tag] != NO_TAG and not self.closing[tag]:
                chosen[tag] |= _tells(self.data[self.starts[tag] : self.ends[tag]])
        found = np.flatnonzero(chosen)
        columns = (self.codes[found].tolist(), self.starts[found].tolist(), self.ends[found].tolist())
        return list(zip(found.tolist(), *columns, strict=True))

    @property
    def text_starts(self) -> Ints:
        """Where text goes on behind each tag: what a script holds is not in `data`."""
        return self.ends

    def places_in_source(self) -> tuple[Ints, Ints, Ints]:
        """Return where tags start and end in the source and where text goes on behind them, in bytes."""
        last, text = self._in_source_bytes(np.stack((self.ends - 1, self.ends)))
        return self._in_source_bytes(self.starts), last + 1, text

    def _in_source_bytes(self, places: Ints) -> Ints:
        shifts: Ints = np.array(self.page.missing_bytes)[np.searchsorted(self.page.cuts, places, "right")]
        return places + shifts

    def in_source(self, places: Ints) -> Ints:
        """Convert places in `data`, in bytes, to places in the source, in characters."""
        shifts: Ints = np.array(self.page.missing)[np.searchsorted(self.page.cuts, places, "right")]
        if not self.data.isascii():
            # In UTF-8 the bytes 128 to 191 (as signed numbers -128 to -65) continue a character.
            continuations = np.flatnonzero(np.frombuffer(self.data, np.int8) < -64)
            shifts -= continuations.searchsorted(places)
        return places + shifts


def _tells(tag: bytes) -> bool:
    """Tell whether a tag has an attribute that may tell something of the page."""
    given = attributes(tag)
    return (
        b"itemprop" in given or b"datetime" in given or bool(_RELATIONS & set(given.get(b"rel", b"").lower().split()))
    )


def scan(data: bytes) -> Markup:
    """Find the markup of a page in UTF-8."""
    markup = _scan_as(data, is_xml=False)
    codes = markup.codes[_closing_themselves(markup)]
    if (~_IS_VOID[codes] & (codes > 0) & (codes != _SVG)).any():
        found = _scan_as(data, is_xml=True)
        if _is_xml(found):
            return found
    return markup


def _scan_as(data: bytes, *, is_xml: bool) -> Markup:
    """Find the markup of a page as HTML or as XML."""
    markup = _find_tags(_without_raw_text(data, is_xml=is_xml))
    if markup.is_misread:
        markup = _find_tags(_without_raw_text(data, is_xml=is_xml, one_by_one=True))
    empty = _empty_elements(data, markup)
    if not len(empty):
        return markup
    places, ends = empty + 1, markup.ends[empty]
    return replace(
        markup,
        starts=np.insert(markup.starts, places, ends),
        ends=np.insert(markup.ends, places, ends),
        codes=np.insert(markup.codes, places, markup.codes[empty]),
        closing=np.insert(markup.closing, places, values=True),
    )


def _closing_themselves(markup: Markup) -> Ints:
    """Find the start tags that end with a slash which is no part of an attribute."""
    data = np.frombuffer(markup.data, np.uint8)
    may = np.flatnonzero(~markup.closing & (markup.codes != NO_TAG))
    may = may[data[markup.ends[may] - 2] == _SLASH]
    spans = zip(markup.starts[may].tolist(), markup.ends[may].tolist(), strict=True)
    closing: Ints = may[[closes_itself(markup.data[start:end]) for start, end in spans]] if len(may) else may
    return closing


def _empty_elements(data: bytes, markup: Markup) -> Ints:
    """Find the start tags behind which an end tag is missing: of elements that are empty, as in XML."""
    tags = _closing_themselves(markup)
    tags = tags[~_HAVE_NO_END[markup.codes[tags]]]
    page = markup.page
    if page.is_xml or not len(tags):
        return tags
    shifts = np.array(page.gone)[np.searchsorted(page.cuts, markup.ends[tags], "right")]
    lower = b""
    found = markup.starts.searchsorted(page.empty).tolist()
    for tag, end in zip(tags.tolist(), (markup.ends[tags] + shifts).tolist(), strict=True):
        code = int(markup.codes[tag])
        if code in _NOT_SHOWN:
            lower = lower or data.lower()
            if code == _SVG or not _has_end(page, lower, end, NAMES[code].encode()):
                found.append(tag)
    return np.array(sorted(found), np.int64)


def _has_end(page: _Page, lower: bytes, at: int, name: bytes) -> bool:
    """Tell whether there is an end tag for an element somewhere behind its start tag; must be asked in order."""
    if page.next_ends.get(name, -1) < at:
        page.next_ends[name] = _find_end_tag(lower, at, name)
    return page.next_ends[name] < len(lower)


def _is_xml(markup: Markup) -> bool:
    """Tell whether a page that was read as XML is a document in XML."""
    voids = np.flatnonzero(_IS_VOID[markup.codes] & ~markup.closing)
    if not markup.page.is_ended or len(np.setdiff1d(voids, _closing_themselves(markup), assume_unique=True)):
        return False
    return are_nested(markup.codes.astype(np.int32), markup.closing.astype(np.int32))


def _without_raw_text(data: bytes, *, is_xml: bool, one_by_one: bool = False) -> _Page:
    """Remove comments and raw text.

    A `<script>` in an attribute is not a tag. It is recognised here if its tag has no `>` before it. Otherwise
    `_find_tags` notices it later (`is_misread`), and the page is scanned again with all tags parsed one by one.
    """
    page = _Page(is_xml=is_xml)
    lower = data.lower()
    parts = []
    covered = 0  # what begins before this place is inside something that was dealt with
    copied = 0  # up to here the page is in `parts`, or was removed
    gone = 0  # how many bytes were removed
    for start, previous in zip(*_openings(data, any_markup=one_by_one), strict=True):
        if start < covered or (previous >= covered and data.find(b">", previous, start) < 0):
            continue
        if data.startswith(b"<!--", start):
            begin = start + 2
            end, covered = _end_of_comment(data, start)
        elif name := _RAW_TAG.match(data, start):
            tag = _TAG.match(data, start)
            if not tag:  # all of the rest is a tag without an end
                page.openings.append(start - gone)
                break
            begin = tag.end()
            if name[1].lower() == b"script":
                page.script_tags.append(tag[0])
            if _is_empty(page, lower, tag, name[1].lower()):
                end = covered = begin
                _note_empty(page, start - gone, begin - gone, name[1].lower())
            else:
                end, covered = _end_of_raw_text(data, lower, begin, name[1].lower(), page, gone)
        else:
            covered = _end_of_markup(data, start) if one_by_one else covered
            continue
        page.openings.append(start - gone)
        if end > begin:
            missing = data[begin:end]
            page.cuts.append(begin - gone)
            page.missing.append(page.missing[-1] + (len(missing) if missing.isascii() else len(missing.decode())))
            page.missing_bytes.append(page.missing_bytes[-1] + len(missing))
            parts.append(data[copied:begin])
            gone += end - begin
            page.gone.append(gone)
            copied = end
    page.data = b"".join([*parts, data[copied:]])
    return page


def _openings(data: bytes, *, any_markup: bool) -> tuple[list[int], list[int]]:
    """Find where comments and raw text may begin, or any markup, and for each where the markup before it begins."""
    starts = np.flatnonzero(np.frombuffer(data, np.uint8)[:-2] == _LESS)  # `_kinds` reads two bytes behind it
    kinds = _kinds(data, starts)
    opens = np.flatnonzero(kinds)
    starts = starts[opens]
    wanted = np.flatnonzero(kinds[opens] >= (_OTHER_MARKUP if any_markup else _MAY_BE_RAW))
    return starts[wanted].tolist(), np.concatenate(([-1], starts))[wanted].tolist()


def _is_empty(page: _Page, lower: bytes, tag: re.Match[bytes], name: bytes) -> bool:
    """Tell whether an element with raw or literal text is empty: its tag closes itself, and it is never ended."""
    if not tag[0].endswith(b"/>") or not closes_itself(tag[0]):
        return False
    return page.is_xml or (name != b"plaintext" and not _has_end(page, lower, tag.end(), name))


def _note_empty(page: _Page, start: int, end: int, name: bytes) -> None:
    """Note an empty element with raw or literal text in `page`."""
    if name == b"title":
        page.titles.append((end, b""))
    elif name == b"script":
        page.scripts.append(b"")
    elif name in _LITERAL:
        page.empty.append(start)


def _end_of_raw_text(data: bytes, lower: bytes, begin: int, name: bytes, page: _Page, gone: int) -> tuple[int, int]:
    """Find the end of raw or literal text, given where it begins: up to where to remove it, and where markup goes on.

    Notes titles, scripts and spans of literal text in `page`.
    """
    if name == b"title":
        stop = _find_end_tag(lower, begin, name) if page.titles_end else len(data)
        behind = _end_of_markup(data, stop)
        if stop == len(data):  # damaged: not all of the page is its title
            page.titles_end = page.is_ended = False
            stop = behind = data.find(b"<", begin) % (len(data) + 1)
        page.titles.append((begin - gone, data[begin:stop]))
        return behind, behind
    stop = _find_end_tag(lower, begin, name)
    if name in _LITERAL:
        page.literal.append((begin - gone, stop - gone))
        return begin, stop
    if name == b"script":
        opening = data.find(b"<!--", begin, stop)
        if opening >= 0 and lower.find(b"<script", opening, stop) >= 0:  # it may be the end tag of a script in a script
            stop = end_of_script(data, begin)
        page.scripts.append(data[begin:stop])
    page.is_ended &= stop < len(data)
    behind = stop + 9 if data.startswith(b"</script>", stop) else _end_of_markup(data, stop)
    return behind, behind


def _find_end_tag(lower: bytes, at: int, name: bytes) -> int:
    """Find the end tag of an element; the end of the page if there is none."""
    tag = b"</" + name
    while name != b"plaintext" and (at := lower.find(tag, at)) >= 0:
        at += len(tag)
        if lower[at : at + 1] in _ENDS_OF_NAME:
            return at - len(tag)
    return len(lower)


def _end_of_comment(data: bytes, start: int) -> tuple[int, int]:
    """Find the last character of a comment, and the place behind it."""
    end = _COMMENT_END.search(data, start + 2)  # `<!-->` is a whole comment
    if end and end.start() < start + 4 and end[0] != b"-->":  # but `<!--!>` only begins one
        end = _COMMENT_END.search(data, start + 4)
    return (end.end() - 1, end.end()) if end else (len(data), len(data))


def _end_of_markup(data: bytes, start: int) -> int:
    """Find the place behind a tag, a doctype or the like that begins here; comments have a function of their own."""
    if _TAG_BEGINS.match(data, start):
        tag = _TAG.match(data, start)
        return tag.end() if tag else len(data)
    return data.find(b">", start) + 1 or len(data)


def _find_tags(page: _Page) -> Markup:
    """Find the markup of a page without raw text.

    All is done on the special characters of the page: `<`, `=`, `>` and quotes. `first` and `last` are numbers of
    special characters; `special` has their places.
    """
    padded = page.data + _PADDING
    codes = np.frombuffer(padded, np.uint8)
    # `<`, `=` and `>` are neighbours in ASCII; what is smaller comes round to a large number.
    special = np.flatnonzero((codes - _LESS < 3) | (codes == _DOUBLE_QUOTE) | (codes == _SINGLE_QUOTE))
    characters = codes[special]
    first, last, kinds = _match_brackets(page, padded, special, characters)
    starts, ends = special[first], np.concatenate((special, [len(page.data) - 1]))[last] + 1
    closing = kinds == _END_TAG
    is_tag = _IS_TAG[kinds] & (last < len(special))
    is_tag &= codes[starts + 1] != ord("!")
    names = _codes_of_names(padded, starts + closing + 1)
    np.copyto(names, NO_TAG, where=~is_tag)
    is_quote = characters < _LESS
    at_quotes = np.flatnonzero(is_quote)
    quotes = special[at_quotes]
    before = starts_of(is_quote)
    may_precede = is_quote.copy()
    may_precede[first] = True
    opens = may_precede[np.maximum(at_quotes - 2, 0)]
    odd = np.flatnonzero(_are_odd(codes, quotes, opens, names, before[first], before[last]) & is_tag)
    markup = Markup(page, starts, ends, names, closing, special[np.flatnonzero(characters == _EQUALS)], quotes)
    return _repair_odd_tags(markup, odd) if len(odd) else markup


def _match_brackets(page: _Page, padded: bytes, special: Ints, characters: Bytes) -> tuple[Ints, Ints, Bytes]:
    """Find which special characters begin markup, which end it if no quotes hold a `>`, and the kinds of markup.

    An end of `len(special)` stands for the end of the page. In `<p a="<b">`, both `<` have the same `>` behind them:
    the second stands inside the first tag, and is left out.
    """
    first = np.flatnonzero(characters == _LESS)
    kinds = _kinds(padded, special[first])
    if page.literal:
        for begin, stop in special[first].searchsorted(page.literal).tolist():
            kinds[begin:stop] = _TEXT
    if page.data.endswith(b"</"):
        kinds[-1] = _TEXT
    is_end = characters == _GREATER
    last = is_end.cumsum()[first]  # how many `>` stand before, which is the number of the next one
    if not kinds.all():
        wanted = np.flatnonzero(kinds)
        first, last, kinds = first[wanted], last[wanted], kinds[wanted]
    outer = np.flatnonzero(np.concatenate(([True], last[1:] != last[:-1]))[: len(last)])
    return first[outer], np.concatenate((np.flatnonzero(is_end), [len(special)]))[last[outer]], kinds[outer]


def _are_odd(codes: Bytes, quotes: Ints, opens: Flags, names: npt.NDArray[np.int16], begin: Ints, end: Ints) -> Flags:
    """Tell which tags have quotes that are not simply pairs after the equals sign of an attribute.

    Tag t has the name names[t] and quotes begin[t] to end[t]. `opens` tells whether the special character before the
    equals sign of a quote is another quote or begins the tag: in `<p a=b="c">` it does not, so that these quotes may be
    part of a value. So they are if there is no name before the equals sign; and an unknown name may have quotes in it.

    `<a href="x" id='y'>` has the quotes 0 to 3. Two of them, 0 and 2, follow an equals sign and have the next as their
    partner: `pairs` is [1, 0, 1, 0]. `counts` are prefix sums over every other item: counts[4] is the number of pairs
    that begin at quote 2 or 0. All quotes of the tag are in pairs, as 4 - 0 == 2 * (counts[4] - counts[0]).
    """
    pairs = np.zeros(len(quotes) + 3 & ~1, np.bool_)  # an even number of items, for the reshaping below
    kinds = codes[quotes]
    opens = opens & (codes[quotes - 1] == _EQUALS) & ~_NO_NAME[codes[quotes - 2]]
    pairs[: len(quotes[1:])] = opens[:-1] & (kinds[1:] == kinds[:-1])
    counts = np.zeros(len(pairs) + 2, np.intp)
    np.cumsum(pairs.reshape(-1, 2), axis=0, out=counts[2:].reshape(-1, 2))
    odd: Flags = end - begin != 2 * (counts[end] - counts[begin])
    odd |= (names == 0) & (begin < end)
    return odd


def _repair_odd_tags(markup: Markup, odd: Ints) -> Markup:
    """Correct the ends of tags with odd quotes, and remove the markup that stands in them."""
    ends, data = markup.ends, markup.data
    repaired = False
    covered = 0
    for at, start, end in zip(odd.tolist(), markup.starts[odd].tolist(), ends[odd].tolist(), strict=True):
        if start >= covered:
            tag = _TAG.match(data, start)
            covered = tag.end() if tag else len(data)
            if covered > end or not tag:
                repaired = True
                ends[at] = covered
                markup.codes[at] = markup.codes[at] if tag else NO_TAG
    if not repaired:
        return markup
    inside = np.zeros(len(ends), np.bool_)
    inside[1:] = markup.starts[1:] < np.maximum.accumulate(ends)[:-1]
    misread = bool(np.isin(markup.page.openings, markup.starts[inside]).any())
    kept = ~inside
    starts, ends, codes, closing = markup.starts[kept], ends[kept], markup.codes[kept], markup.closing[kept]
    return Markup(markup.page, starts, ends, codes, closing, markup.equals, markup.quotes, misread)


def _codes_of_names(padded: bytes, names: Ints) -> npt.NDArray[np.int16]:
    """Look up the codes of the names that begin at these places; 0 for names that are not in `CODES`.

    A name of up to eight letters is its own hash. Of a longer one the next eight are mixed in; no known name is longer
    than 16. Any control character ends what is hashed, but only some end a name: so what stands behind it is looked at.
    """
    hashes, long = _name_hashes(eight_bytes_at(padded, names))
    if len(long):
        hashes[long] ^= _name_hashes(eight_bytes_at(padded, names[long] + 8))[0] * _FACTOR
    at = _KNOWN.searchsorted(hashes)
    codes: npt.NDArray[np.int16] = _CODES[at] * (_KNOWN[at] == hashes)
    codes *= _ENDS_NAME[np.frombuffer(padded, np.uint8)[names + _LENGTHS[codes]]]
    return codes


def _name_hashes(words: _Words) -> tuple[_Words, Ints]:
    """Cut words of eight bytes at the end of a name and lower-case them; also return the words in which no name ends.

    Done as `strlen` is done in C, on all bytes of a word at once. For `DIV>text`, `ends` gets the highest bit of the
    bytes that are `>`, `/` or up to a space; the lowest of them, in byte 3, makes a mask of the three bytes below it,
    and the result is `div`. `searchsorted` finds it in the table of known names.
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
    """Make the sorted hashes of all known names, and their codes.

    A last item that no name has stands behind them, so that a place found by `searchsorted` is always valid.
    """
    names = np.frombuffer(b"".join(name.encode().ljust(16) for name in CODES), np.uint64)
    hashes, long = _name_hashes(names[::2])
    hashes[long] ^= _name_hashes(names[1::2][long])[0] * _FACTOR
    order = np.argsort(hashes)
    codes = np.array(list(CODES.values()), np.int16)[order]
    return np.append(hashes[order], np.uint64(2**64 - 1)), np.append(codes, np.int16(0))


_KNOWN, _CODES = _table()
_LENGTHS = np.array(list(map(len, NAMES)))
_ENDS_NAME = np.zeros(256, np.bool_)
_ENDS_NAME[list(b"\t\n\f\r />")] = True
