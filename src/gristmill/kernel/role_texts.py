# cython: boundscheck=False
"""Read the first words of each text of a page for what they say about its role: a date, an author, an advertisement.

The texts `By A. Miller` and `12 June 2020`, with known words `by` and `june`, give

    SAYS       ABOUT_WRITER, ABOUT_DATE | HAS_YEAR | HAS_NUMBER
    FIRST      ABOUT_WRITER, 0                                    what the first word says
    TOKENS     3, 3                                               how many words and numbers there are
    KNOWN      1, 3                                               how many are numbers, or about author or date
    TITLED     0, 0                                               how many are in the title of the page

Words are found by their hashes: nothing is made into a string. Of two Chinese characters that stand beside each other,
and there are as many such pairs as characters, each is looked up as a word.

Each byte is read several times, so accesses are not checked one by one: `_check` makes sure beforehand that texts are
within the buffer, and that tables have a place for each hash.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from gristmill.kernel.role_rows import (
    ABOUT_COOKIE,
    ABOUT_DATE,
    ABOUT_PICTURE,
    ABOUT_READING,
    ABOUT_RIGHTS,
    ABOUT_SHARING,
    ABOUT_WRITER,
    ABOUT_WRITING,
    ENDS_SENTENCE,
    FIRST,
    HAS_AT,
    HAS_COLON,
    HAS_COPYRIGHT,
    HAS_CREDIT,
    HAS_NUMBER,
    HAS_RIGHTS,
    HAS_SEVERAL,
    HAS_YEAR,
    IS_OF_CODE,
    KNOWN,
    SAYS,
    TEXT_ROWS,
    TITLED,
    TOKENS,
)
from gristmill.kernel.rows import HASH_BITS, HASH_PRIME

_Int32 = npt.NDArray[np.int32]

_MAX_READ = 320  # bytes of each text
_MIN_TABLE = 64
_FIRST_DIGIT = ord("0")
_LAST_DIGIT = ord("9")
_FIRST_CAPITAL = ord("A")
_LAST_CAPITAL = ord("Z")
_FIRST_SMALL = ord("a")
_LAST_SMALL = ord("z")
_COLON = ord(":")
_BRACE = ord("{")
_AT = ord("@")
_TO_SMALL = 32
_END_SIGNS = bytes(1 if chr(byte) in ".!?" else 2 if chr(byte) in "\"')" else 0 for byte in range(256))
"""For the bytes that end sentences, 1; for those that may stand behind, 2."""
_SMALL = bytes(range(256)).lower()
"""Each byte, with small letters for the capitals of ASCII."""
_CODE_SIGNS = bytes(1 if chr(byte) in '{};="<\\' else 0 for byte in range(256))
_OF_BYLINES = ABOUT_DATE | ABOUT_WRITER | ABOUT_WRITING | ABOUT_READING


def word_table(words: Mapping[bytes, int]) -> tuple[_Int32, _Int32]:
    """Make the table in which words are found by their hashes; capitals of ASCII are the same as small letters.

    One array has the hashes, the other what the words say, at the same places; a hash is at its remainder or behind it.
    """
    size = _MIN_TABLE
    while size < 4 * len(words):
        size *= 2
    made = np.zeros((2, size), np.int32)
    keys, values = made[0], made[1]
    for word, says in words.items():
        place = _find(keys, _hash(word, 0, len(word)))
        keys[place] = _hash(word, 0, len(word))
        values[place] |= says
    return made[0], made[1]


def read_texts(data: bytes, offsets: _Int32, title: bytes, keys: _Int32, values: _Int32) -> _Int32:
    """Read texts, given as one buffer and their offsets: the rows of the array are named in `role_rows`.

    The two arrays of known words are those of `word_table`.
    """
    number = _check(len(data), offsets, keys, values)
    found = np.zeros((TEXT_ROWS, number), np.int32)
    reader = _Reader(data, _words_of(title), keys, values, found)
    for text in range(number):
        reader.read(text, offsets[text], offsets[text + 1])
    return found


def _check(size: int, offsets: _Int32, keys: _Int32, values: _Int32) -> int:
    """Return the number of texts; if they are not within a buffer of this size, or tables don't fit, raise."""
    number: int = offsets.shape[0] - 1
    if number < 0 or offsets[0] < 0 or offsets[number] > size:
        raise ValueError("the texts are not within the data")
    for text in range(number):
        if offsets[text] > offsets[text + 1]:
            raise ValueError("the texts are not one behind the other")
    if not 0 < keys.shape[0] <= values.shape[0]:
        raise ValueError("the table of words has another number of hashes than of values")
    return number


def _words_of(title: bytes) -> _Int32:
    """Make a table of the hashes of the words of a title."""
    size = _MIN_TABLE
    while size < 2 * len(title):
        size *= 2
    made = np.zeros(size, np.int32)
    keys = made
    at, end = 0, len(title)
    scanner = _Scanner(title)
    while at < end:
        stop = scanner.scan(at, end)
        if stop > at:
            keys[_find(keys, scanner.number)] = scanner.number
        at = max(stop, at + 1)
    return made


class _Scanner:
    """Texts, and the hash of the last token that was found in them."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.number = 0

    def scan(self, at: int, end: int) -> int:
        """Return where the word, number or Chinese character that begins here ends; the same place if none does.

        A word ends before a capital: `ByAnn Miller` is what is left of a byline where markup stood for a space. The
        hash is made in the same pass over the bytes.
        """
        data, begin, number, small = self.data, at, 0, False
        if _FIRST_DIGIT <= data[at] <= _LAST_DIGIT:
            while at < end and _FIRST_DIGIT <= data[at] <= _LAST_DIGIT:
                number = (number ^ data[at]) * HASH_PRIME & HASH_BITS
                at += 1
            self.number = _finished(number)
            return at
        while at < end:
            byte = data[at]
            if _FIRST_SMALL <= byte <= _LAST_SMALL:
                small = True
                number = (number ^ byte) * HASH_PRIME & HASH_BITS
                at += 1
            elif _FIRST_CAPITAL <= byte <= _LAST_CAPITAL and not small:
                number = (number ^ (byte + _TO_SMALL)) * HASH_PRIME & HASH_BITS
                at += 1
            elif byte < 0xC3 or _is_sign(data, at, end):
                break
            elif 0xE4 <= byte <= 0xE9:
                if at == begin:
                    return self.scan_pair(at, end)
                break
            else:
                stop = _end_of_character(data, at, end)
                while at < stop:
                    number = (number ^ data[at]) * HASH_PRIME & HASH_BITS
                    at += 1
        self.number = _finished(number)
        return at

    def scan_pair(self, at: int, end: int) -> int:
        """Return where a Chinese character ends; the next one is a part of the word whose hash is made."""
        stop = min(at + 3, end)
        is_pair = stop + 3 <= end and 0xE4 <= self.data[stop] <= 0xE9
        self.number = _hash(self.data, at, stop + 3 if is_pair else stop)
        return stop


class _Reader(_Scanner):
    """Texts, the words that are known, and the rows that are filled."""

    def __init__(self, data: bytes, title: _Int32, keys: _Int32, values: _Int32, found: _Int32) -> None:
        super().__init__(data)
        self.title = title
        self.keys = keys
        self.values = values
        self.found = found
        self.text = 0
        self.says = 0
        self.tokens = 0
        self.known = 0
        self.titled = 0

    def read(self, text: int, at: int, end: int) -> None:
        """Read one text."""
        data = self.data
        begin, signs, last = at, 0, 0
        self.text = text
        self.known = self.tokens = self.titled = 0
        self.says = self.look_at_end(at, end)
        end = min(end, at + _MAX_READ)
        while at < end:
            stop = self.scan(at, end)
            if stop == at:
                byte = data[at]
                signs += _CODE_SIGNS[byte]
                if byte == _COLON or (byte == 0xEF and at + 2 < end and data[at + 2] == 0x9A):
                    self.says |= HAS_COLON | (HAS_CREDIT if last & ABOUT_PICTURE else 0)
                elif byte == _AT:
                    self.says |= HAS_AT
                elif byte == 0xC2 and at + 1 < end and data[at + 1] == 0xA9:
                    self.says |= HAS_COPYRIGHT
                at += 1
            else:
                last = self.read_word(at, stop, last)
                at = stop
        if begin < end and self.is_code(signs, data[begin]):
            self.says |= IS_OF_CODE
        self.found[SAYS, text] = self.says
        self.found[TOKENS, text] = self.tokens
        self.found[KNOWN, text] = self.known
        self.found[TITLED, text] = self.titled

    def is_code(self, signs: int, first: int) -> bool:
        """Tell whether a text is code by how many signs of code it has, and whether it begins with a brace."""
        if first == _BRACE:
            return signs > 2
        return signs > 5 and 2 * signs > self.tokens and not self.says & ENDS_SENTENCE

    def look_at_end(self, at: int, end: int) -> int:
        """Tell whether a text ends as sentences do."""
        data = self.data
        if end > at and _END_SIGNS[data[end - 1]] == 2:
            end -= 1
        elif end > at + 2 and data[end - 3] == 0xE2 and data[end - 2] == 0x80 and data[end - 1] != 0xA6:
            end -= 3  # a quotation mark
        if end > at and _END_SIGNS[data[end - 1]] == 1:
            return ENDS_SENTENCE
        if end > at + 2:
            code = data[end - 3] << 16 | data[end - 2] << 8 | data[end - 1]
            if code in {0xE38082, 0xE280A6, 0xEFBC81, 0xEFBC9F}:
                return ENDS_SENTENCE
        return 0

    def read_word(self, at: int, stop: int, last: int) -> int:
        """Read the word or number that was scanned, given what the last word says; return what this one says."""
        number = self.number
        about = self.look_up(number)
        byte = self.data[at]
        if _FIRST_DIGIT <= byte <= _LAST_DIGIT:
            self.says |= HAS_NUMBER
            self.known += 1
            if stop - at == 4 and _is_century(byte, self.data[at + 1]):
                self.says |= HAS_YEAR
        elif about & _OF_BYLINES:
            self.known += 1
        if about & last & ABOUT_RIGHTS:
            self.says |= HAS_RIGHTS
        if about & self.says & (ABOUT_COOKIE | ABOUT_SHARING):
            self.says |= HAS_SEVERAL
        self.says |= about
        if not self.tokens:
            self.found[FIRST, self.text] = about
        self.tokens += 1
        self.titled += self.is_in_title(number)
        return int(about)

    def look_up(self, number: int) -> int:
        """Return what is known of the word with this hash: as `_find`, but arrays are not handed on, which is slow."""
        mask = self.keys.shape[0] - 1
        place = number & mask
        for _ in range(mask):
            if self.keys[place] in {0, number}:
                break
            place = (place + 1) & mask
        return int(self.values[place])

    def is_in_title(self, number: int) -> bool:
        """Tell whether the word with this hash is in the title."""
        mask = self.title.shape[0] - 1
        place = number & mask
        for _ in range(mask):
            if self.title[place] in {0, number}:
                break
            place = (place + 1) & mask
        return bool(self.title[place])


def _is_century(first: int, second: int) -> bool:
    """Tell whether a number of four digits that begins with these is a year from 1900 to 2099."""
    return first * 256 + second in {0x3139, 0x3230}


def _find(keys: _Int32, number: int) -> int:
    """Return the place of a hash in a table, or the free one where it would be; any place if the table is full."""
    mask = keys.shape[0] - 1
    place = number & mask
    for _ in range(mask):
        if keys[place] in {0, number}:
            break
        place = (place + 1) & mask
    return int(place)


def _hash(data: bytes, at: int, end: int) -> int:
    """Return a hash of some bytes that is not 0."""
    number = 0
    for place in range(at, end):
        number = (number ^ _SMALL[data[place]]) * HASH_PRIME & HASH_BITS
    return _finished(number)


def _finished(number: int) -> int:
    """Return the hash for what all bytes have given."""
    return int((number ^ number >> 15) | 1)


def _end_of_character(data: bytes, at: int, end: int) -> int:
    """Return where the character of several bytes that begins here ends."""
    at += 1
    while at < end and data[at] & 0xC0 == 0x80:
        at += 1
    return at


def _is_sign(data: bytes, at: int, end: int) -> bool:
    """Tell whether punctuation begins here: that of U+2000 to U+2BFF, of Chinese, or of full width."""
    if at + 1 >= end:
        return False
    byte, following = data[at], data[at + 1]
    if byte == 0xE2:
        return following < 0xB0
    return (byte == 0xE3 and following == 0x80) or (byte == 0xEF and 0xBC <= following <= 0xBD)
