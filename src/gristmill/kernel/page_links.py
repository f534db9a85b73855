"""Find where a page links to, and which links it says to be translations of it. See `cleaning.metadata.links`.

    <base href="/a/"><a href="b.html#top">On</a> <a href="/de/"><img alt="Deutsch"></a> <link rel=alternate hreflang=fr href=c>

links to `b.html` and `/de/`, and has the base `/a/`; two of its links tell a language: `/de/` by the name `deutsch`, and
`c` by the code `fr`. Addresses are as written, without what stands behind a `#`.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from gristmill.kernel.elements import CODES
from gristmill.kernel.references import resolve
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
_DELETE = 127
_LOWER = 32
"""The bit that makes a letter lower-case."""
MAX_ADDRESS_BYTES = 1000
"""Bytes of an address as written; a longer one is left out."""
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
_BOUNDS = 65_536
_MAX_CODE_BYTES = 40
"""Bytes of `hreflang`."""


def find_links(
    data: bytes, codes: _Int32, closing: _Int32, starts: _Int32, ends: _Int32, names: frozenset[bytes], bounds: bytes
) -> tuple[dict[bytes, bool], list[tuple[bytes, bytes, bytes]], bytes, int]:
    """Return the addresses that a page links to; links that tell a language; the base; and how many were left out.

    Of each address it is told whether it is a plain one, without white space and dot segments.

    A link that tells a language has its address, its `hreflang`, and its label if that is one of the `names`, in lower
    case as far as it is ASCII. `bounds` is 1 at `first * 256 + last` for the bytes that a name may begin and end with.
    """
    found: dict[bytes, bool] = {}
    telling: list[tuple[bytes, bytes, bytes]] = []
    base = b""
    left = total = 0
    if not codes.shape[0] == closing.shape[0] == starts.shape[0] == ends.shape[0]:
        raise ValueError("the rows of the tags do not fit together")
    if len(bounds) != _BOUNDS:
        raise ValueError(f"a table of {len(bounds):,} first and last bytes, not of {_BOUNDS:,}")
    links, pictures = Links(data), Links(data)
    for tag in range(codes.shape[0]):
        code = codes[tag]
        if closing[tag] or code not in (_A, _AREA, _LINK, _BASE):
            continue
        links.read(starts[tag], ends[tag])
        if code == _BASE:
            base = base or data[links.href : links.href_end]
            continue
        if (code == _LINK and not links.is_alternate()) or not links.trim():
            continue
        if links.href_end - links.href > MAX_ADDRESS_BYTES:
            left += 1
            continue
        address = data[links.href : links.href_end]
        if code != _LINK and address not in found:
            if len(found) < MAX_LINKS and total + len(address) <= MAX_LINK_BYTES:
                found[address] = links.is_plain
                total += len(address)
            else:
                left += 1
        label = _label(data, codes, starts, ends, tag, pictures, bounds) if code == _A else b""
        if not label or label not in names:
            label = _name(data, links.title, links.title_end, bounds)
            if label not in names:
                label = b""
        if label or links.lang_end > links.lang:
            if len(telling) < MAX_TELLING:
                telling.append((address, data[links.lang : links.lang_end], label))
            else:
                left += 1
    return found, telling, base, left


class Links(Reader):
    """Reads the attributes of one tag after the other."""

    def __init__(self, data: bytes) -> None:
        """Begin before the first tag."""
        Reader.__init__(self, data)
        self.href = self.href_end = self.lang = self.lang_end = self.title = self.title_end = 0
        self.rel = self.rel_end = self.alt = self.alt_end = 0
        self.is_plain = True

    def read(self, start: int, end: int) -> None:
        """Note where the attributes of a tag stand that matters for links; of equal names the first counts."""
        data = self.data
        self.href = self.href_end = self.lang = self.lang_end = self.title = self.title_end = 0
        self.rel = self.rel_end = self.alt = self.alt_end = 0
        self.at = max(start, 0) + 1
        self.skip_name()
        while self.at < end and self.next_attribute():
            at, length = self.name_start, self.name_end - self.name_start
            if length == 4:
                if not self.href and is_word(data, at, b"href"):
                    self.href, self.href_end = self.value_start, self.value_end
            elif length == 5:
                if not self.title and is_word(data, at, b"title"):
                    self.title, self.title_end = self.value_start, min(self.value_end, self.value_start + _MAX_LABEL_BYTES)
            elif length == 8:
                if not self.lang and is_word(data, at, b"hreflang"):
                    self.lang, self.lang_end = self.value_start, min(self.value_end, self.value_start + _MAX_CODE_BYTES)
            elif length == 3:
                if not self.rel and is_word(data, at, b"rel"):
                    self.rel, self.rel_end = self.value_start, min(self.value_end, self.value_start + _MAX_LABEL_BYTES)
                elif not self.alt and is_word(data, at, b"alt"):
                    self.alt, self.alt_end = self.value_start, min(self.value_end, self.value_start + _MAX_LABEL_BYTES)

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
        place = at
        is_first = True  # no byte so far that can't be in the name of a scheme
        is_plain = data[at] != _QUESTION
        last = _SLASH
        while place < end:
            byte = data[place]
            if byte == _NUMBER_SIGN:
                break
            if byte <= _SPACE or byte == _DELETE or (byte == _DOT and last == _SLASH):
                is_plain = False
            elif is_first:
                if byte == _COLON:
                    if not _is_web(data, at, place):
                        return False
                    is_first = False
                elif byte in (_SLASH, _QUESTION):
                    is_first = False
            last = byte
            place += 1
        self.href, self.href_end, self.is_plain = at, place, is_plain
        return True


def _is_web(data: bytes, at: int, end: int) -> bool:
    """Tell whether a scheme is that of addresses of the web."""
    if end - at == 4:
        return is_word(data, at, b"http")
    return end - at == 5 and is_word(data, at, b"https")


def _label(
    data: bytes, codes: _Int32, starts: _Int32, ends: _Int32, tag: int, pictures: Links, bounds: bytes
) -> bytes:
    """Return the text of a link, or that of the picture in it, if it may be the name of a language; else nothing."""
    size = codes.shape[0]
    for place in range(tag, min(tag + _MAX_INNER_TAGS, size)):
        is_last = place + 1 >= size
        begin, end = ends[place], len(data) if is_last else starts[place + 1]
        while begin < end and data[begin] <= _SPACE:
            begin += 1
        if begin < end:
            return _name(data, begin, end, bounds)
        if is_last or codes[place + 1] == _A:
            return b""
        if codes[place + 1] == _IMG:
            pictures.read(starts[place + 1], ends[place + 1])
            if pictures.alt_end > pictures.alt:
                return _name(data, pictures.alt, pictures.alt_end, bounds)
    return b""


def _name(data: bytes, begin: int, end: int, bounds: bytes) -> bytes:
    """Return a text that may be the name of a language in lower case, without white space around it; else nothing."""
    while begin < end and data[begin] <= _SPACE:
        begin += 1
    while end > begin and data[end - 1] <= _SPACE:
        end -= 1
    if not 1 < end - begin <= _MAX_LABEL_BYTES or not bounds[data[begin] * 256 + data[end - 1]]:
        return b""
    text = data[begin:end]
    if b"&" in text:
        text = resolve(text)
    return text.lower()
