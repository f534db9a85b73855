"""Collect the names of elements, class and id, each name once.

The page `<p class=a id=x>...<p class=b>...<p id=x class=a>...<p class=b>` has five elements with the page itself, and
four names:

    names    "", "a x", "b", "x a"
    codes    0, 1, 2, 3, 2

Class and id are taken as written, in the order in which they stand in the tag. Names are found again by their hashes.
`words_of_name` splits one of them into words.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import numpy.typing as npt

from gristmill.kernel.rows import CLASS_END, CLASS_START, HASH_BITS, HASH_PRIME, ID_END, ID_START, OPENED

_Int32 = npt.NDArray[np.int32]

_TAB = ord("\t")
_CARRIAGE_RETURN = ord("\r")
_SPACE = ord(" ")
MAX_TRIES = 16
"""Places of the table in which a name is looked for; without limit, equal hashes would make time quadratic."""


def find_names(data: bytes, tags: _Int32, elements: _Int32) -> tuple[list[str], _Int32]:
    """Return the names of elements, and for each element the number of its name."""
    size = elements.shape[1]
    codes = np.zeros(size, np.int32)
    written = bytearray(_most_bytes(tags, elements))
    offsets = np.zeros(size + 1, np.int32)
    count = _collect(data, tags, elements, codes, written, offsets)
    is_complete = count > 0
    count = abs(count)
    ends = offsets[: count + 1].tolist()
    whole = written[: ends[count]]
    if whole.isascii():
        text = whole.decode("ascii")
        names = [text[at:end] for at, end in pairwise(ends)]
    else:
        names = [whole[at:end].decode("utf-8", "replace") for at, end in pairwise(ends)]
    return (names, codes) if is_complete else _once(names, codes)


def _once(names: list[str], codes: _Int32) -> tuple[list[str], _Int32]:
    """Return names and their numbers without names that are there twice."""
    numbers: dict[str, int] = {}
    changed = [numbers.setdefault(name, len(numbers)) for name in names]
    return list(numbers), np.array(changed, np.int32)[codes]


def _most_bytes(tags: _Int32, elements: _Int32) -> int:
    """Return how many bytes all names may have, with a space between class and id."""
    opened = elements[OPENED]
    length = 0
    for element in range(1, opened.shape[0]):
        tag = opened[element]
        length += tags[CLASS_END, tag] - tags[CLASS_START, tag] + tags[ID_END, tag] - tags[ID_START, tag] + 1
    return length


def _collect(data: bytes, tags: _Int32, elements: _Int32, codes: _Int32, written: bytearray, offsets: _Int32) -> int:
    """Write each name once, fill in the numbers of names and where they end, and return how many there are.

    Name 0 is the empty one. The table has the numbers of names, at places that follow from their hashes. If the place
    for a name is not found in `MAX_TRIES`, it may be there twice: then the result is negative.
    """
    opened = elements[OPENED]
    size = 64
    while size < 2 * opened.shape[0]:
        size *= 2
    table = np.zeros(size, np.int32)
    count = sign = 1
    for element in range(1, opened.shape[0]):
        tag = opened[element]
        begin = offsets[count]
        end = _write(data, tags, tag, written, begin)
        if end == begin:
            continue
        place = _hash(written, begin, end) & (size - 1)
        tries = 0
        while tries < MAX_TRIES and table[place]:
            if _are_equal(written, offsets[table[place]], offsets[table[place] + 1], begin, end):
                break
            place = (place + 1) & (size - 1)
            tries += 1
        if tries < MAX_TRIES and table[place]:
            codes[element] = table[place]
        else:
            if tries < MAX_TRIES:
                table[place] = count
            else:
                sign = -1
            codes[element] = count
            count += 1
            offsets[count] = end
    return sign * count


def _write(data: bytes, tags: _Int32, tag: int, written: bytearray, end: int) -> int:
    """Write class and id of a tag behind the names that are there already, and return where they end."""
    first, first_end, second, second_end = (
        tags[CLASS_START, tag],
        tags[CLASS_END, tag],
        tags[ID_START, tag],
        tags[ID_END, tag],
    )
    if first > second:
        first, first_end, second, second_end = second, second_end, first, first_end
    end = _copy(data, first, first_end, written, end)
    if first_end > first:
        written[end] = _SPACE
        end += 1
    return _copy(data, second, second_end, written, end)


def _copy(data: bytes, begin: int, stop: int, written: bytearray, end: int) -> int:
    """Copy bytes, with spaces for other white space."""
    for at in range(begin, stop):
        byte = data[at]
        written[end] = _SPACE if _TAB <= byte <= _CARRIAGE_RETURN else byte
        end += 1
    return end


def _hash(written: bytearray, begin: int, end: int) -> int:
    """Return a hash of some bytes, of 31 bits.

    It is made of two, of every other byte each, at which a processor can work at the same time.
    """
    number = other = 0
    at = begin
    while at + 1 < end:
        number = (number ^ written[at]) * HASH_PRIME & HASH_BITS
        other = (other ^ written[at + 1]) * HASH_PRIME & HASH_BITS
        at += 2
    if at < end:
        number = (number ^ written[at]) * HASH_PRIME & HASH_BITS
    number = (number ^ other) * HASH_PRIME & HASH_BITS
    number = (number ^ other >> 15) * HASH_PRIME & HASH_BITS
    return number ^ number >> 15


def _are_equal(written: bytearray, begin: int, stop: int, other: int, end: int) -> bool:
    """Tell whether two spans of bytes are equal."""
    if stop - begin != end - other:
        return False
    while begin < stop and written[begin] == written[other]:
        begin += 1
        other += 1
    return begin == stop


def words_of_name(name: str) -> list[str]:
    """Split a name into words, in lower case, each once: `post-navLinks` has post, nav and links.

    A word is two letters of ASCII or more: all small but for the first, which may be a capital, or all capitals.
    """
    words: dict[str, None] = {}
    size = len(name)
    at = 0
    while at < size:
        begin = at
        if _is_capital(name[at]):
            at += 1
            if at < size and _is_capital(name[at]):
                at = _end_of_capitals(name, at, size)
            else:
                at = _end_of_small(name, at, size)
                if at - begin < 3:  # a capital needs two small letters
                    continue
        else:
            at = _end_of_small(name, at, size)
            if at - begin < 2:
                at = begin + 1
                continue
        words[name[begin:at].lower()] = None
    return list(words)


def _is_capital(letter: str) -> bool:
    """Tell whether a character is a capital letter of ASCII."""
    return "A" <= letter <= "Z"


def _end_of_capitals(name: str, at: int, size: int) -> int:
    """Find the end of the capitals that stand here."""
    while at < size and _is_capital(name[at]):
        at += 1
    return at


def _end_of_small(name: str, at: int, size: int) -> int:
    """Find the end of the small letters that stand here."""
    while at < size and "a" <= name[at] <= "z":
        at += 1
    return at
