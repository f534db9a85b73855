"""Tell whether bytes are UTF-8, and which of its characters are not tidy; make line ends those of Unix.

    b"caf\\xc3\\xa9"       valid, 4 characters, 1 of them beyond ASCII, nothing to tidy
    b"cafe\\xcc\\x81 co\\xc2\\xadop"   two runs to tidy: `e` with the accent behind it, `o` with the soft hyphen
    b"\\xe9t\\xe9"         not UTF-8: -1 characters
    b"a\\r\\nb\\rc"         with line ends of Unix: b"a\\nb\\nc"

What is not tidy says a table with an item for each UTF-16 code unit, 1 for those that are not: see
`decoding.normalisation`. A character beyond the basic plane is looked up by the first half of its surrogate pair.
"""

from __future__ import annotations

import numpy as np

from gristmill.arrays.dtypes import Ints

_LINE_FEED = ord("\n")
_CARRIAGE_RETURN = ord("\r")


def survey(data: bytes, untidy: bytes) -> tuple[int, int, int, int]:
    """Count the characters, those beyond ASCII, and the runs that are not tidy; and tell whether there may be mojibake.

    -1 characters if the bytes are not valid UTF-8. Carriage returns count as tidy.
    """
    size = len(data)
    octets = memoryview(data)[: size // 8 * 8].cast("Q")
    place = characters = beyond = runs = mojibake = in_run = 0
    while place < size:
        if place & 7 == 0:
            plain = (_skip_plain(octets, place >> 3) << 3) - place
            if plain:
                place += plain
                characters += plain
                in_run = 0
                continue
        code = data[place]
        place += 1
        characters += 1
        if code >= 0x80:
            beyond += 1
            second = data[place] if place < size else 0
            third = data[place + 1] if code >= 0xE0 and place + 1 < size else 0
            code = _character(code, second, third, data[place + 2] if code >= 0xF0 and place + 2 < size else 0)
            if code < 0:
                return -1, 0, 0, 0
            place += 1 if code < 0x800 else 2 if code < 0x10000 else 3
            if 0xC2 <= code <= 0xEF and place < size:
                mojibake |= _may_go_on(data[place])
        if untidy[_unit(code)]:
            runs += 1 - in_run
            in_run = 1
        else:
            in_run = 0
    return characters, beyond, runs, mojibake


def _skip_plain(octets: memoryview, number: int) -> int:
    """Skip whole eights of bytes that are ASCII without controls, and return the number of the next eight.

    A byte of ASCII plus (128 - n) has its highest bit set if it is at least n. So eight are looked at together. Tabs,
    line feeds, form feeds and carriage returns (9, 10, 12, 13) are no controls here.
    """
    each = 0x0101010101010101
    highest = 128 * each
    count = len(octets)
    while number < count:
        eight = octets[number]
        bad = ~(eight + (128 - 9) * each) | eight | eight + (128 - 127) * each  # below 9, from 128 on, 127
        bad |= eight + (128 - 11) * each & ~(eight + (128 - 12) * each)  # 11
        bad |= eight + (128 - 14) * each & ~(eight + (128 - 32) * each)  # 14 to 31
        if bad & highest:
            break
        number += 1
    return number


def _character(first: int, second: int, third: int, fourth: int) -> int:
    """Put a character beyond ASCII together from its bytes, as many as it has; -1 if they are not valid UTF-8."""
    if first < 0xE0:
        return (first & 0x1F) << 6 | second & 0x3F if first >= 0xC2 and second & 0xC0 == 0x80 else -1
    if second & 0xC0 != 0x80 or third & 0xC0 != 0x80:
        return -1
    code = (first & 0x0F) << 12 | (second & 0x3F) << 6 | third & 0x3F
    if first < 0xF0:  # neither longer than it need be, nor half of a surrogate pair
        return code if code >= 0x800 and code >> 11 != 0xD800 >> 11 else -1
    code = code << 6 | fourth & 0x3F
    return code if fourth & 0xC0 == 0x80 and first <= 0xF4 and 0x10000 <= code <= 0x10FFFF else -1


def _unit(code: int) -> int:
    """Tell the UTF-16 code unit of a character, or the first one of two."""
    return code if code < 0x10000 else 0xD7C0 + (code >> 10)


def _may_go_on(byte: int) -> bool:
    """Tell whether mojibake may go on with a byte: see `decoding.mojibake`."""
    return byte in (0xC2, 0xC5, 0xC6, 0xCB, 0xE2)


def find_runs(data: bytes, untidy: bytes, count: int) -> Ints:
    """Find the runs of characters that are not tidy in valid UTF-8, as rows of starts and ends.

    A run begins with the character before, with which it may go together; but never with a line end. `count` is what
    `survey` says.
    """
    size = len(data)
    found = np.zeros((2, count), np.int64)
    runs = found
    octets = memoryview(data)[: size // 8 * 8].cast("Q")
    number = -1
    place = before = in_run = 0
    while place < size:
        if place & 7 == 0:
            plain = (_skip_plain(octets, place >> 3) << 3) - place
            if plain:
                place += plain
                before = place if data[place - 1] == _LINE_FEED else place - 1
                in_run = 0
                continue
        start = place
        code = data[place]
        place += 1
        if code >= 0x80:
            third = data[place + 1] if code >= 0xE0 else 0
            code = _character(code, data[place], third, data[place + 2] if code >= 0xF0 else 0)
            place += 1 if code < 0x800 else 2 if code < 0x10000 else 3
        if not untidy[_unit(code)]:
            before = place if code == _LINE_FEED else start
            in_run = 0
        else:
            if not in_run:
                number += 1
                runs[0, number] = before
                in_run = 1
            runs[1, number] = place
    return found


def gather(data: bytes, runs: Ints) -> bytes:
    """Write runs of bytes, given by rows of starts and ends, one after the other, with a line end behind each."""
    total = 0
    count = runs.shape[1]
    for number in range(count):
        total += runs[1, number] - runs[0, number] + 1
    written = bytearray(total)
    out = written
    at = 0
    for number in range(count):
        for place in range(runs[0, number], runs[1, number]):
            out[at] = data[place]
            at += 1
        out[at] = _LINE_FEED
        at += 1
    return bytes(written)


def splice(data: bytes, runs: Ints, pieces: bytes) -> bytes:
    """Put other bytes in place of runs; `pieces` has them as `gather` writes them."""
    size = len(data)
    written = bytearray(size + len(pieces))
    out = written
    at = end = piece = 0
    for number in range(runs.shape[1]):
        for place in range(end, runs[0, number]):
            out[at] = data[place]
            at += 1
        end = runs[1, number]
        while pieces[piece] != _LINE_FEED:
            out[at] = pieces[piece]
            at += 1
            piece += 1
        piece += 1
    for place in range(end, size):
        out[at] = data[place]
        at += 1
    return bytes(memoryview(written)[:at])


def unix_lines(data: bytes) -> bytes:
    """Replace the line ends of Windows and old Macintosh systems by line feeds."""
    size = len(data)
    written = bytearray(size)
    out = written
    at = 0
    for place in range(size):
        code = data[place]
        if code == _CARRIAGE_RETURN:
            if place + 1 < size and data[place + 1] == _LINE_FEED:
                continue
            code = _LINE_FEED
        out[at] = code
        at += 1
    return bytes(memoryview(written)[:at])
