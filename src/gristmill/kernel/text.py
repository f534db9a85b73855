"""Write the text of blocks: references resolved, white space folded, words counted; and measure it.

The page `<p>Two  <a>mills</a>&nbsp;<br>grind<p>flour` has five pieces of text in two blocks. `write` makes of them

    folded     b"Two mills grindflour", with the offsets 0, 15, 20
    shown      b"Two mills\\ngrindflour", where `<br>` is the end of a line
    counts     3 and 1 words, 1 and 0 of them in links

and `measure` counts the characters of each text by kind: `Two mills grind` has a capital, 12 other letters, 2 spaces.

Text is read byte by byte, and only once. Control characters and decomposed letters come from references alone: blocks
that have them are noted, and `clean_text` brings them into order at the end. Of preformatted blocks, whose white space
counts, `written_between` returns the text as it is written.
"""

from __future__ import annotations

import unicodedata
import zlib
from array import array
from itertools import pairwise
from pkgutil import get_data

import numpy as np
import numpy.typing as npt

from gristmill.kernel.references import reference_at, resolve
from gristmill.kernel.rows import (
    BLOCK_END,
    CLOSING,
    CODE,
    COUNT_ROWS,
    ENDS_WITH_COLON,
    FIRST_KIND,
    HAS_AT,
    HAS_COPYRIGHT,
    HOLDS_RAW,
    IN_LINK,
    IS_ALPHANUMERIC,
    IS_CAREFUL,
    IS_LINE_BREAK,
    IS_LINK,
    IS_RAW,
    IS_SPACED,
    IS_WHITE,
    KIND_BITS,
    LAST_KIND,
    LENGTH,
    LETTERS,
    LINE_END,
    LINK_WORDS,
    MEASURE_ROWS,
    NOTHING,
    PIECE_END,
    PIECE_START,
    SCRIPT_BITS,
    SCRIPT_SHIFT,
    SEPARATOR,
    SPACE,
    SPACES,
    START,
    TEXT,
    WHAT,
    WORDS,
)
from gristmill.text.composition import clean_text
from gristmill.text.words import count_words

_Int32 = npt.NDArray[np.int32]
Written = tuple[bytes, bytes, _Int32, _Int32, bool]
"""What `write` returns: folded, shown, offsets, counts, and whether the page is unusual."""

CHARACTERS = zlib.decompress(get_data("gristmill.kernel", "characters.bin") or b"")
"""A byte for each character of the basic plane: see `rows`."""
_BASIC_PLANE = 65536
_PER_WORD = bytes((1, 2, 5, 6))  # characters, by number of script
_MAX_MARKS = 30  # in a row; `clean_text` removes what is more
_LONGEST = 16  # bytes of what a reference stands for; the longest of the standard has six
_AMPERSAND = ord("&")
_COLON = ord(":")
_TAB = ord("\t")
_LINE_FEED = ord("\n")
_CARRIAGE_RETURN = ord("\r")
_SPACE = ord(" ")
_SOFT_HYPHEN = 0xAD
_BYTE_ORDER_MARK = 0xFEFF
_PRINTABLE = 0xA0  # the first character beyond ASCII that is no control
_COUNTED_AT_ONCE = 240  # bytes; a character counts at most as often as it has bytes, and no count may reach 256

# What a byte is by itself: in a word of ASCII (`IS_ALPHANUMERIC` is added for letters and digits), or white space.
_PLAIN = 1
_BLANK = 2


def _bytes() -> bytes:
    """Make the table of what each byte is; 0 for `&`, controls, and what is not of ASCII."""
    kinds = bytearray(256)
    for byte in range(128):
        if CHARACTERS[byte] & IS_WHITE:
            kinds[byte] = _BLANK
        elif byte != _AMPERSAND and not CHARACTERS[byte] & IS_CAREFUL:
            kinds[byte] = _PLAIN | CHARACTERS[byte] & IS_ALPHANUMERIC
    return bytes(kinds)


_BYTES = _bytes()
_ONES = array("Q", map(pow, [256] * 8, range(8)))
"""For each kind of characters, a number with a 1 in the byte of that kind."""
_STEPS = array("Q", [_ONES[CHARACTERS[byte] & KIND_BITS] for byte in range(128)])
"""The same for each character of ASCII."""


class _Folding:
    """Texts that are written character by character, and what is known of the one that is being written."""

    def __init__(self, room: int, blocks: int) -> None:
        self.buffer = bytearray(room)
        self.out = self.buffer
        self.scratch = bytearray(_LONGEST)
        self.size = 0
        self.offsets = np.zeros(blocks + 1, np.int32)
        self.ends = self.offsets
        self.counts = np.zeros((COUNT_ROWS, blocks), np.int32)
        self.numbers = self.counts
        self.block = 0
        self.breaks: list[int] = []  # places of spaces that are line ends
        self.careful: list[int] = []  # blocks with characters that may combine
        self.controlled: list[int] = []  # blocks that are certain to change when they are cleaned
        self.unusual = False
        self.reset()

    def reset(self) -> None:
        """Begin a block."""
        self.gap = NOTHING
        self.in_word = False
        self.items = 0
        self.script = 0
        self.run = 0
        self.has_alphanumeric = False
        self.unspaced_words = 0
        self.is_unspaced = False
        self.is_careful = False
        self.is_controlled = False
        self.marks = 0

    def end_block(self) -> None:
        """End a block."""
        self.end_item()
        block = self.block
        self.ends[block + 1] = self.size
        self.numbers[WORDS, block] = self.unspaced_words if self.is_unspaced else self.items
        if self.is_controlled:
            self.controlled.append(block)
        elif self.is_careful:
            self.careful.append(block)
        if self.is_careful or self.is_unspaced:
            self.unusual = True
        self.block += 1
        self.reset()

    def white(self, separator: int) -> None:
        """Note white space; it is written when a word follows."""
        if self.in_word:
            self.end_item()
            self.in_word = False
        self.gap = max(self.gap, separator)

    def begin_word(self) -> None:
        """Write the space before a word, unless it is the first."""
        if self.items:
            if self.gap == LINE_END:
                self.breaks.append(self.size)
            self.out[self.size] = _SPACE
            self.size += 1
        self.gap = NOTHING
        self.items += 1
        self.in_word = True
        self.marks = 0

    def end_item(self) -> None:
        """Count what goes up to here: a run of a script without spaces by its length, else an item with a letter."""
        if self.run:
            per_word = _PER_WORD[self.script]
            self.unspaced_words += (self.run + per_word - 1) // per_word
            self.run = 0
        elif self.has_alphanumeric:
            self.unspaced_words += 1
        self.has_alphanumeric = False

    def write(self, data: bytes | bytearray, at: int, end: int, resolve: bool) -> int:
        """Write characters up to a place, or to a reference that is to be resolved; return where that is."""
        out = self.out
        kinds = _BYTES
        while at < end:
            byte = data[at]
            kind = kinds[byte]
            if kind & _PLAIN:
                self.begin_plain()
                size = self.size
                seen = 0
                while kind & _PLAIN:
                    seen |= kind
                    out[size] = byte
                    size += 1
                    at += 1
                    if at == end:
                        break
                    byte = data[at]
                    kind = kinds[byte]
                self.size = size
                if seen & IS_ALPHANUMERIC:
                    self.has_alphanumeric = True
            elif kind == _BLANK:
                self.white(SPACE)
                at += 1
                while at < end and kinds[data[at]] == _BLANK:
                    at += 1
            elif resolve and byte == _AMPERSAND:
                return at
            else:
                at = self.others(data, at, end)
        return at

    def begin_plain(self) -> None:
        """Begin or go on with a word, where characters of ASCII follow."""
        if not self.in_word:
            self.begin_word()
        elif self.run:
            self.end_item()
        self.marks = 0

    def resolved(self, text: bytes) -> None:
        """Write what a reference stands for, which is never as long as the scratch."""
        for place in range(len(text)):
            self.scratch[place] = text[place]
        self.write(self.scratch, 0, len(text), False)

    def others(self, data: bytes | bytearray, at: int, end: int) -> int:
        """Write a character, whatever it is, and those behind it that are not of ASCII; return the place behind."""
        out = self.out
        while True:
            width = _width(data[at])
            stop = min(at + width, end)
            code = data[at] & 0xFF >> width  # without the bits that tell the width
            for place in range(at + 1, stop):
                code = code << 6 | data[place] & 0x3F
            if self.take(code):
                for place in range(at, stop):
                    out[self.size] = data[place]
                    self.size += 1
            at = stop
            if at >= end or data[at] < 0x80:
                return at

    def take(self, code: int) -> bool:
        """Count a character; tell whether it is to be written, as all are but white space."""
        properties = CHARACTERS[code] if code < _BASIC_PLANE else _beyond(code)
        if properties & IS_WHITE:
            self.white(SPACE)
            return False
        if not self.in_word:
            self.begin_word()
        if properties & IS_CAREFUL:
            self.note(code)
        else:
            self.marks = 0
        self.count(properties)
        return True

    def count(self, properties: int) -> None:
        """Count a character that is not white space."""
        script = properties >> SCRIPT_SHIFT & SCRIPT_BITS
        if script:
            if self.run == 0 or script != self.script:
                self.end_item()
                self.script = script
                self.is_unspaced = True
            self.run += 1
        else:
            if self.run:
                self.end_item()
            if properties & IS_ALPHANUMERIC:
                self.has_alphanumeric = True

    def note(self, code: int) -> None:
        """Note that the block has a character that needs care."""
        self.is_careful = True
        self.marks += 1
        if self.marks > _MAX_MARKS or code < _PRINTABLE or code in (_SOFT_HYPHEN, _BYTE_ORDER_MARK):
            self.is_controlled = True


def _width(byte: int) -> int:
    """Give the number of bytes of a character, by its first."""
    return 1 + (byte >= 0xC0) + (byte >= 0xE0) + (byte >= 0xF0)


def _beyond(code: int) -> int:
    """Tell what a character beyond the basic plane is, as `CHARACTERS` does for others: all but emoji need care."""
    if 0x1F110 <= code < 0x1FBF0:
        return LETTERS
    properties = LETTERS
    if chr(min(code, 0x10FFFF)).isalnum():
        properties |= IS_ALPHANUMERIC
    if 0x20000 <= code < 0x40000:
        properties |= 1 << SCRIPT_SHIFT
    if code < 0x1F000 or code >= 0x1FC00:
        properties |= IS_CAREFUL
    return properties


def _fold(data: bytes, pieces: _Int32) -> _Folding:
    """Write pieces of text to one buffer; link words are counted in the source, as what stands between spaces."""
    rows = pieces
    view = data
    number = rows.shape[1]
    room = 1
    blocks = 1 if number else 0
    for piece in range(number):
        room += rows[PIECE_END, piece] - rows[PIECE_START, piece] + 1
        if piece and rows[SEPARATOR, piece] == BLOCK_END:
            blocks += 1
    folding = _Folding(room + room // 5, blocks)  # of all references `&nGt;` grows most, from five bytes to six
    for piece in range(number):
        separator = rows[SEPARATOR, piece]
        if piece and separator == BLOCK_END:
            folding.end_block()
        elif separator:
            folding.white(separator)
        at = rows[PIECE_START, piece]
        end = rows[PIECE_END, piece]
        if rows[IN_LINK, piece]:
            folding.numbers[LINK_WORDS, folding.block] += _items(view, at, end)
        while True:
            at = folding.write(view, at, end, rows[IS_RAW, piece] == 0)
            if at >= end:
                break
            text, at = reference_at(data, at, end)
            folding.resolved(text)
    if number:
        folding.end_block()
    return folding


def _items(data: bytes, at: int, end: int) -> int:
    """Count what stands between white space of ASCII, as `bytes.split` has it."""
    items = 0
    in_item = False
    while at < end:
        byte = data[at]
        if byte == _SPACE or _TAB <= byte <= _CARRIAGE_RETURN:
            in_item = False
        elif not in_item:
            in_item = True
            items += 1
        at += 1
    return items


def write(data: bytes, pieces: _Int32) -> Written:
    """Write the text of blocks, given a page in UTF-8 and its pieces of visible text (see `rows`).

    Returns the texts with white space folded, in one buffer; the same with line ends where `<br>` was, which is the
    same object if there are none; the offsets of both; a row of words and a row of words in links; and whether the page
    is unusual: has characters that are not in normal form C for certain, or of scripts without spaces.
    A text can be empty: when there are only white space and controls in its block, given by references.
    """
    folding = _fold(data, pieces)
    folded = bytes(memoryview(folding.buffer)[: folding.size])
    shown = folded
    if folding.breaks:
        for place in folding.breaks:
            folding.out[place] = _LINE_FEED
        shown = bytes(memoryview(folding.buffer)[: folding.size])
    offsets, counts = folding.offsets, folding.counts
    if folding.unusual:
        _count_links(data, pieces, counts)
        changed = folding.controlled + _decomposed(folded, offsets, folding.careful)
        if changed:
            folded, shown, offsets = _cleaned(shown, offsets, counts, changed)
    return folded, shown, offsets, counts, folding.unusual


def _count_links(data: bytes, pieces: _Int32, counts: _Int32) -> None:
    """Count the words in links by their script: each piece is written as a block, for its count alone."""
    linked = np.flatnonzero(pieces[IN_LINK])
    links = pieces[:, linked]
    links[SEPARATOR] = BLOCK_END
    separators = pieces[SEPARATOR].copy()
    separators[:1] = NOTHING
    block = np.cumsum(separators == BLOCK_END)[linked]
    words = _fold(data, links).counts[WORDS]
    counts[LINK_WORDS] = np.bincount(block, words, counts.shape[1])


def _decomposed(folded: bytes, offsets: _Int32, careful: list[int]) -> list[int]:
    """Give the blocks that are not in normal form C; mostly, as in Thai, there is none."""
    places = offsets.tolist()
    texts = [folded[places[block] : places[block + 1]] for block in careful]
    if unicodedata.is_normalized("NFC", b"\n".join(texts).decode()):
        return []
    return [
        block for block, text in zip(careful, texts, strict=True) if not unicodedata.is_normalized("NFC", text.decode())
    ]


def _cleaned(shown: bytes, offsets: _Int32, counts: _Int32, changed: list[int]) -> tuple[bytes, bytes, _Int32]:
    """Clean the texts of some blocks, line by line, and count their words anew; return all texts, and their offsets."""
    texts = [shown[at:end] for at, end in pairwise(offsets.tolist())]
    for block in changed:
        lines = list(filter(None, map(clean_text, texts[block].decode().split("\n"))))
        texts[block] = "\n".join(lines).encode()
        counts[WORDS, block] = count_words(" ".join(lines))
    moved = np.zeros_like(offsets)
    np.cumsum(np.fromiter(map(len, texts), np.int32, len(texts)), out=moved[1:])
    shown = b"".join(texts)
    folded = shown.replace(b"\n", b" ")
    return folded, shown if shown != folded else folded, moved


def written_between(
    data: bytes, tags: _Int32, rules: _Int32, hidden: npt.NDArray[np.uint8], before: int, behind: int
) -> bytes:
    """Return the visible text between two tags of a page with all its white space, references resolved."""
    parts = []
    end = -1  # where the text before a tag began
    ends_link = 0  # whether it stands behind the end of a link
    for tag in range(before, behind):
        code = tags[CODE, tag]
        what = rules[WHAT, code] if code >= 0 else 0
        start = tags[START, tag]
        touches = ends_link and what & IS_LINK and start == end
        if tag > before and (what & IS_SPACED or touches):  # the tag before the block separates nothing within it
            parts.append(b"\n" if what & IS_LINE_BREAK and not hidden[tag] else b" ")
        end = tags[TEXT, tag]
        if not hidden[tag]:
            stop = tags[START, tag + 1] if tag + 1 < tags.shape[1] else len(data)
            written = data[end:stop]
            parts.append(written if what & HOLDS_RAW and not tags[CLOSING, tag] else resolve(written))
        ends_link = what & IS_LINK and tags[CLOSING, tag]
    return b"".join(parts)


def measure(data: bytes, offsets: _Int32) -> _Int32:
    """Measure texts whose white space is folded, given one buffer and their offsets: the rows are named in `rows`.

    An empty text begins and ends with a space.
    """
    number = len(offsets) - 1
    measures = np.zeros((MEASURE_ROWS, number), np.int32)
    measuring = _Measuring(data, measures)
    places = offsets
    for text in range(number):
        measuring.count(text, places[text], places[text + 1])
        measuring.look_at_ends(text, places[text], places[text + 1])
    _mark(data, b"@", offsets, measures[HAS_AT])
    _mark(data, b"\xc2\xa9", offsets, measures[HAS_COPYRIGHT])
    return measures


class _Measuring:
    """Texts, and the rows of their measures."""

    def __init__(self, data: bytes, rows: _Int32) -> None:
        self.data = data
        self.rows = rows

    def count(self, text: int, at: int, end: int) -> None:
        """Count the characters of a text.

        The eight counts are the eight bytes of one number, so that adding up is the same for all kinds: a processor
        that need not guess what a character is goes faster. They are taken out before one can be more than 255.
        """
        data = self.data
        steps = _STEPS
        length = end - at
        while at < end:
            stop = min(end, at + _COUNTED_AT_ONCE)
            counts = 0
            while at < stop:
                byte = data[at]
                if byte < 0x80:
                    counts += steps[byte]
                    at += 1
                else:
                    width = _width(byte)
                    counts += _ONES[self.kind_at(at)]
                    if width == 4:
                        counts += 1  # the second half of a surrogate pair, also a letter
                    length -= width - 1
                    at += width
            for kind in range(8):
                self.rows[kind, text] += counts >> 8 * kind & 0xFF
        self.rows[LENGTH, text] = length

    def look_at_ends(self, text: int, at: int, end: int) -> None:
        """Note the kinds of the first and the last character of a text."""
        first = last = SPACES
        if at < end:
            first = self.kind_at(at)
            end -= 1
            self.rows[ENDS_WITH_COLON, text] = self.data[end] == _COLON
            while end > at and self.data[end] & 0xC0 == 0x80:
                end -= 1
            last = self.kind_at(end)
        self.rows[FIRST_KIND, text] = first
        self.rows[LAST_KIND, text] = last

    def kind_at(self, at: int) -> int:
        """Give the kind of the character that begins here."""
        width = _width(self.data[at])
        code = self.data[at] & 0xFF >> width
        for place in range(at + 1, at + width):
            code = code << 6 | self.data[place] & 0x3F
        return CHARACTERS[code] & KIND_BITS if code < _BASIC_PLANE else LETTERS


def _mark(data: bytes, sign: bytes, offsets: _Int32, marks: _Int32) -> None:
    """Set the marks of the texts that have a sign."""
    at = data.find(sign)
    while at >= 0:
        text = int(offsets.searchsorted(at, "right")) - 1
        marks[text] = 1
        at = data.find(sign, int(offsets[text + 1]))
