"""Find where a page links to, and which links it says to be translations of it; make addresses absolute.

See `cleaning.metadata.links`. The page

    <base href="/a/"><link rel=alternate hreflang=fr href=c><a href="b.html#top">On</a> <a href="/de/">Deutsch</a>

links to `b.html` and `/de/`, and has the base `/a/`. Two of its links tell a language: `c` by the code `fr`, and `/de/`
by the name `deutsch`. `find_links` tells where these stand, without what is behind a `#`. When the address of the page
is known, `join_links` writes them, each once, one behind the other.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from gristmill.kernel.elements import CODES
from gristmill.kernel.references import resolve
from gristmill.kernel.rows import (
    COMPLETE,
    HASH_BITS,
    HASH_PRIME,
    LINK_END,
    LINK_KIND,
    LINK_ROWS,
    LINK_START,
    OF_FOLDER,
    OF_ORIGIN,
    OF_PROTOCOL,
    UNUSUAL,
)
from gristmill.kernel.tokens import Reader, is_word

_Int32 = npt.NDArray[np.int32]

_A = CODES["a"]
_AREA = CODES["area"]
_LINK = CODES["link"]
_BASE = CODES["base"]
_IMG = CODES["img"]
_SPACE = ord(" ")
_NUMBER_SIGN = ord("#")
_COLON = ord(":")
_SLASH = ord("/")
_QUESTION = ord("?")
_DOT = ord(".")
_LETTER_H = ord("h")
_LOWER = 32
"""The bit that makes a letter lower-case."""
_AMPERSAND = ord("&")
_SEMICOLON = ord(";")
IS_NAME = bytes(chr(byte).isalnum() and byte < 128 for byte in range(256))
"""Whether a byte may be in the name of a character reference."""
_DELETE = 127
MAX_ADDRESS_BYTES = 1000
"""Bytes of an address as written; a longer one is left out."""
MAX_FOUND = 5000
"""Links of a page that are looked at, also those that are there again and again."""
MAX_LINKS = 1000
"""Different addresses of a page that are kept, the first ones."""
MAX_LINK_BYTES = 100_000
"""Bytes that all of them have together, at most."""
MAX_TELLING = 1000
"""Links of a page that tell a language and are kept, the first ones."""
_MAX_LABEL_BYTES = 60
"""Bytes of the text of a link that may be the name of a language."""
_MAX_INNER_TAGS = 4
"""Tags within a link in which its text may stand."""
_MAX_JOINED_BYTES = 2000
"""Bytes of an address with what is put before it."""
_MAX_REFERENCE_BYTES = 34
"""Bytes of a character reference, and more."""
_MAX_TRIES = 16
"""Places of the table in which one is looked for; without limit, equal hashes would make time quadratic."""
_AMP_LENGTH = 5
"""Of `&amp;`."""
_BOUNDS = 65_536
"""Entries of a table of pairs of bytes."""


def find_links(
    data: bytes, codes: _Int32, closing: _Int32, starts: _Int32, ends: _Int32, names: frozenset[bytes], bounds: bytes
) -> tuple[_Int32, list[tuple[bytes, bytes, bytes]], bytes, int]:
    """Return the addresses that a page links to; links that tell a language; the base; and how many were left out.

    Addresses are columns: where each begins and ends, and what is to be put before it. A link that tells a language
    has its address, its `hreflang`, and its label if that is one of the `names`, in lower case as far as it is ASCII.
    `bounds` is 1 at `first * 256 + last` for the bytes that a name may begin and end with.
    """
    if not codes.shape[0] == closing.shape[0] == starts.shape[0] == ends.shape[0]:
        raise ValueError("the rows of the tags do not fit together")
    if len(bounds) != _BOUNDS:
        raise ValueError(f"a table of {len(bounds):,} first and last bytes, not of {_BOUNDS:,}")
    count = 0
    for code in codes:
        count += code in (_A, _AREA)
    links, pictures = Links(data, bounds, min(count, MAX_FOUND)), Links(data, bounds, 0)
    base = b""
    for tag in range(codes.shape[0]):
        code = codes[tag]
        if closing[tag] or code not in (_A, _AREA, _LINK, _BASE):
            continue
        links.read(starts[tag], ends[tag])
        if code == _BASE:
            base = base or data[links.href : links.href_end]
        elif (code != _LINK or links.is_alternate()) and links.trim():
            if code == _A:
                links.label = _label(data, codes, starts, ends, tag, pictures)
            if links.href_end - links.href > MAX_ADDRESS_BYTES:
                links.left += 1
            else:
                links.note(names, code != _LINK)
    return links.spans_array[:, : links.count].copy(), links.telling, base, links.left


class Links(Reader):
    """Reads the attributes of one tag after the other, and notes what they say."""

    def __init__(self, data: bytes, bounds: bytes, most: int) -> None:
        """Begin before the first tag; at most so many addresses will be noted."""
        Reader.__init__(self, data)
        self.bounds = bounds
        self.href = self.href_end = self.lang = self.lang_end = self.title = self.title_end = 0
        self.rel = self.rel_end = self.alt = self.alt_end = 0
        self.kind = UNUSUAL
        self.label = b""
        self.spans_array = np.zeros((LINK_ROWS, most), np.int32)
        self.spans = self.spans_array
        self.telling: list[tuple[bytes, bytes, bytes]] = []
        self.count = self.left = 0

    def read(self, start: int, end: int) -> None:
        """Note where the attributes of a tag stand that matter for links; of equal names the first counts."""
        self.href = self.href_end = self.lang = self.lang_end = self.title = self.title_end = 0
        self.rel = self.rel_end = self.alt = self.alt_end = 0
        self.label = b""
        self.at = max(start, 0) + 1
        self.skip_name()
        while self.at < end and self.next_attribute():
            length = self.name_end - self.name_start
            if length == 4:
                if not self.href and is_word(self.data, self.name_start, b"href"):
                    self.href, self.href_end = self.value_start, self.value_end
            elif length in (3, 5, 8):
                self.read_other(length)

    def read_other(self, length: int) -> None:
        """Note where an attribute stands that may tell a language; its name is so long."""
        data, at, start = self.data, self.name_start, self.value_start
        end = min(self.value_end, start + _MAX_LABEL_BYTES)
        if length == 5:
            if not self.title and is_word(data, at, b"title"):
                self.title, self.title_end = start, end
        elif length == 8:
            if not self.lang and is_word(data, at, b"hreflang"):
                self.lang, self.lang_end = start, end
        elif not self.rel and is_word(data, at, b"rel"):
            self.rel, self.rel_end = start, end
        elif not self.alt and is_word(data, at, b"alt"):
            self.alt, self.alt_end = start, end

    def is_alternate(self) -> bool:
        """Tell whether the tag that was read last names the page in another language, as `<link>` does."""
        return self.lang_end > self.lang and b"alternate" in self.data[self.rel : self.rel_end].lower()

    def trim(self) -> bool:
        """Leave out white space around the address and what is behind a `#`; tell whether it may be one of the web."""
        data, at, end = self.data, self.href, self.href_end
        while at < end and data[at] <= _SPACE:
            at += 1
        while end > at and data[end - 1] <= _SPACE:
            end -= 1
        if at == end or data[at] == _NUMBER_SIGN:
            return False
        end = min(end, at + MAX_ADDRESS_BYTES + 1)
        if not _may_be_web(data, at, end):
            return False
        self.href = at
        kind = _kind(data, at, end)
        last = _SLASH
        while at < end and data[at] != _NUMBER_SIGN:
            byte = data[at]
            if (
                byte <= _SPACE
                or byte == _DELETE
                or (byte == _DOT and last == _SLASH)
                or (byte == _AMPERSAND and _is_reference(data, at, end))
            ):
                kind = UNUSUAL
            last = byte
            at += 1
        self.href_end = at
        self.kind = kind
        return True

    def note(self, names: frozenset[bytes], is_anchor: bool) -> None:
        """Note the link that was read last: its address, and the language that it tells."""
        if is_anchor:
            if self.count < self.spans.shape[1]:
                self.spans[LINK_START, self.count] = self.href
                self.spans[LINK_END, self.count] = self.href_end
                self.spans[LINK_KIND, self.count] = self.kind
                self.count += 1
            else:
                self.left += 1
        label = self.label
        if not label or label not in names:
            label = self.name(self.title, self.title_end)
            if label and label not in names:
                label = b""
        if label or self.lang_end > self.lang:
            if len(self.telling) < MAX_TELLING:
                address = self.data[self.href : self.href_end]
                self.telling.append((address, self.data[self.lang : self.lang_end], label))
            else:
                self.left += 1

    def name(self, begin: int, end: int) -> bytes:
        """Return a text that may be the name of a language, in lower case, without white space around; else nothing."""
        data = self.data
        while begin < end and data[begin] <= _SPACE:
            begin += 1
        while end > begin and data[end - 1] <= _SPACE:
            end -= 1
        if not 1 < end - begin <= _MAX_LABEL_BYTES or not self.bounds[data[begin] * 256 + data[end - 1]]:
            return b""
        text = data[begin:end]
        if b"&" in text:
            text = resolve(text)
        return text.lower()


def _label(data: bytes, codes: _Int32, starts: _Int32, ends: _Int32, tag: int, pictures: Links) -> bytes:
    """Return the text of a link, or that of the picture in it, if it may be the name of a language; else nothing."""
    size = codes.shape[0]
    for place in range(tag, min(tag + _MAX_INNER_TAGS, size)):
        is_last = place + 1 >= size
        begin, end = ends[place], len(data) if is_last else starts[place + 1]
        while begin < end and data[begin] <= _SPACE:
            begin += 1
        if begin < end:
            return pictures.name(begin, end)
        if is_last or codes[place + 1] == _A:
            return b""
        if codes[place + 1] == _IMG:
            pictures.read(starts[place + 1], ends[place + 1])
            if pictures.alt_end > pictures.alt:
                return pictures.name(pictures.alt, pictures.alt_end)
    return b""


def _is_amp(data: bytes, at: int, end: int) -> bool:
    """Tell whether an ampersand begins `&amp;`."""
    return at + 4 < end and is_word(data, at + 1, b"amp") == 1 and data[at + 4] == _SEMICOLON


def _is_reference(data: bytes, at: int, end: int) -> bool:
    """Tell whether an ampersand begins a character reference, but `&amp;`, which is written as it is meant."""
    if _is_amp(data, at, end):
        return False
    end = min(end, at + _MAX_REFERENCE_BYTES)
    at += 1
    while at < end and (data[at] == _NUMBER_SIGN or IS_NAME[data[at]]):
        at += 1
    return at < end and data[at] == _SEMICOLON


def _kind(data: bytes, at: int, end: int) -> int:
    """Tell what must be put before an address without white space and dot segments."""
    if data[at] == _QUESTION:
        return UNUSUAL
    if data[at] == _SLASH:
        return OF_PROTOCOL if at + 1 < end and data[at + 1] == _SLASH else OF_ORIGIN
    if data[at] | _LOWER == _LETTER_H and (is_word(data, at, b"http:") or is_word(data, at, b"https:")):
        is_usual = data[at] == _LETTER_H and (is_word(data, at, b"http://") or is_word(data, at, b"https://"))
        return COMPLETE if is_usual else UNUSUAL
    return OF_FOLDER


def _may_be_web(data: bytes, at: int, end: int) -> bool:
    """Tell whether an address has no scheme, or that of the web."""
    place = at
    while place < end and data[place] not in (_COLON, _SLASH, _QUESTION, _NUMBER_SIGN):
        place += 1
    if place == end or data[place] != _COLON:
        return True
    if place - at == 4:
        return is_word(data, at, b"http")
    return place - at == 5 and is_word(data, at, b"https")


def join_links(
    data: bytes, spans: _Int32, before: tuple[bytes, bytes, bytes, bytes, bytes], unusual: list[bytes], own: bytes
) -> tuple[bytes, _Int32]:
    """Write addresses that stand in a page, with what is put before each kind; return them, and where each begins.

    `unusual` are those of that kind in their order, ready; empty ones are left out, and so is the page's `own`. Each
    is written once; there are not more than `MAX_LINKS`, and these have not more than `MAX_LINK_BYTES`.
    """
    if spans.shape[0] != LINK_ROWS:
        raise ValueError(f"{spans.shape[0]} rows of links, not {LINK_ROWS}")
    size = 0
    for number in range(spans.shape[1]):
        size += spans[LINK_END, number] - spans[LINK_START, number]
    longest = 0
    for text in [*before, *unusual]:
        longest = max(longest, len(text))
    size = min(max(size, 0) + longest * spans.shape[1], MAX_LINK_BYTES)
    writer = Writer(spans.shape[1], size)
    place = 0
    for number in range(spans.shape[1]):
        start, end, kind = spans[LINK_START, number], spans[LINK_END, number], spans[LINK_KIND, number]
        if kind == UNUSUAL:
            if place < len(unusual):
                writer.write(unusual[place], b"", 0, 0)
            place += 1
        elif 0 < kind < len(before):
            writer.write(before[kind], data, start, min(end, len(data)))
        writer.finish(own)
    return bytes(writer.kept[: writer.size]), writer.offsets_array[: writer.count + 1].copy()


class Writer:
    """Writes texts one behind the other, each once."""

    def __init__(self, count: int, size: int) -> None:
        """Begin with nothing, and room for so many texts that have so many bytes together."""
        self.mask = 64
        while self.mask < 2 * min(count, MAX_LINKS):
            self.mask *= 2
        self.mask -= 1
        self.kept = bytearray(size + _MAX_JOINED_BYTES)
        self.written = self.kept
        self.offsets_array = np.zeros(min(count, MAX_LINKS) + 1, np.int32)
        self.offsets = self.offsets_array
        self.table = np.zeros(self.mask + 1, np.int32)
        self.count = self.size = self.end = self.hash = 0

    def write(self, before: bytes, data: bytes, start: int, end: int) -> None:
        """Write a text behind the others: something before it, and a part of the page, with `&` for `&amp;`."""
        written, at = self.written, self.size
        if len(before) + end - start > _MAX_JOINED_BYTES or start < 0:
            before, end = b"", start
        number = 0
        for byte in before:
            written[at] = byte
            at += 1
            number = ((number ^ byte) * HASH_PRIME) & HASH_BITS
        while start < end:
            byte = data[start]
            written[at] = byte
            at += 1
            number = ((number ^ byte) * HASH_PRIME) & HASH_BITS
            start += _AMP_LENGTH if byte == _AMPERSAND and _is_amp(data, start, end) else 1
        self.end = at
        self.hash = number

    def finish(self, own: bytes) -> None:
        """Keep the text that was written last, if there is one, it is new and not this one."""
        length = self.end - self.size
        if not length or self.count == MAX_LINKS or self.end > MAX_LINK_BYTES or self.is_own(own):
            self.end = self.size
        elif self.is_new():
            self.count += 1
            self.offsets[self.count] = self.size = self.end
        else:
            self.end = self.size

    def is_own(self, own: bytes) -> bool:
        """Tell whether the text that was written last is this one."""
        at = 0
        if len(own) != self.end - self.size:
            return False
        while at < len(own) and own[at] == self.written[self.size + at]:
            at += 1
        return at == len(own)

    def is_new(self) -> bool:
        """Tell whether the text that was written last was not there before, as far as the table has room."""
        place = self.hash & self.mask
        tries = 0
        while tries < _MAX_TRIES and self.table[place]:
            if self.equals(self.table[place] - 1):
                return False
            place = (place + 1) & self.mask
            tries += 1
        if tries < _MAX_TRIES:
            self.table[place] = self.count + 1
        return True

    def equals(self, number: int) -> bool:
        """Tell whether the text that was written last is the same as one before."""
        written = self.written
        at, end, start = self.offsets[number], self.offsets[number + 1], self.size
        if end - at != self.end - start:
            return False
        while at < end and written[at] == written[start]:
            at += 1
            start += 1
        return bool(at == end)
