"""Ignore diacritics: fold values and expressions to letters without marks, as `%d` of CQP does.

A character is decomposed, its diacritics are dropped, and what is left is composed again: `é` is `e`, `ñ` is `n`, `й`
is `и`, `ά` is `α`, `أ` is `ا`. Vowel points of Hebrew and Arabic and the nukta of Indic scripts are dropped too. Marks
that are letters of their own writing stay: vowel signs and viramas of Indic scripts, vowels and tones of Thai and Lao,
the voicing of kana. Letters with a stroke, which Unicode does not decompose, lose it: `ø` is `o`, `ł` is `l`, `đ` is
`d`. Each character becomes one or none, so `.` stands for one letter before and after.
"""

from __future__ import annotations

import unicodedata
from functools import lru_cache

import numpy as np
import pyarrow as pa

from gristmill.arrays.dtypes import Array
from gristmill.condition.regex.syntax import (
    EMPTY,
    NOTHING,
    Characters,
    Choice,
    Node,
    Repeat,
    Sequence,
    single,
)
from gristmill.lazy import LazyModule

pc = LazyModule("pyarrow.compute")

_STROKES = dict(zip("ØøŁłĐđĦħŦŧƵƶǤǥƗɨɃƀ", "OoLlDdHhTtZzGgIiBb", strict=True))
_OVERLAY, _NUKTA, _POINTS, _LATIN = 1, 7, range(10, 37), range(200, 256)
"""Canonical combining classes of diacritics: those between are parts of a letter, such as viramas and Thai vowels."""
_MAX_FOLDED_RANGE = 4096
_SURROGATES = range(0xD800, 0xE000)


@lru_cache(1 << 14)
def fold_character(character: str) -> str:
    """Fold one character, to one or to nothing."""
    if character in _STROKES:
        return _STROKES[character]
    bare = "".join(one for one in unicodedata.normalize("NFD", character) if not _is_diacritic(one))
    folded = "".join(_STROKES.get(one, one) for one in unicodedata.normalize("NFC", bare))
    return folded if len(folded) <= 1 else character  # some of Tibetan are always written as two


def _is_diacritic(character: str) -> bool:
    place = unicodedata.combining(character)
    return unicodedata.category(character) == "Me" or place in {_OVERLAY, _NUKTA} or place in _POINTS or place in _LATIN


def fold_text(text: str) -> str:
    """Fold a text, character by character after it is composed."""
    return text if text.isascii() else "".join(map(fold_character, unicodedata.normalize("NFC", text)))


def fold_values(values: pa.Array) -> pa.LargeStringArray:
    """Fold many values at once; those of ASCII stay as they are."""
    values = values.cast(pa.large_string())
    plain = pc.string_is_ascii(values)
    if pc.all(plain).as_py() is not False:  # without values it is null
        return values
    others = pc.invert(plain)
    return pc.replace_with_mask(values, others, _fold_characters(values.filter(others)))


def _fold_characters(values: pa.LargeStringArray) -> pa.LargeStringArray:
    """Fold values by a table: each character that occurs is folded once.

    Values `é`, `ab` have the code points 233 97 98 and the ends 1, 3. The folded ones are 101 97 98; had the first one
    been a mark that is dropped, all later ends would be less by one.
    """
    joined = _joined(values)
    if not unicodedata.is_normalized("NFC", joined):
        values = pc.utf8_normalize(values, "NFC")
        joined = _joined(values)
    codes = np.frombuffer(joined.encode("utf-32-le", "surrogatepass"), "<u4")
    occurring = np.flatnonzero(np.bincount(codes))
    table = np.zeros(int(occurring[-1]) + 1, "<u4")
    table[occurring] = [ord(fold_character(chr(code)) or "\0") for code in occurring.tolist()]
    folded = table[codes]
    kept = (folded != 0) | (codes == 0)
    lengths = pc.utf8_length(values).to_numpy()
    ends = np.concatenate([[0], np.cumsum(kept)])[np.concatenate([[0], np.cumsum(lengths)])]
    return _from_codes(folded[kept], ends)


def _joined(values: pa.LargeStringArray) -> str:
    """All values end to end."""
    _, offsets, data = values.buffers()
    if data is None or not len(values):
        return ""
    bounds = np.frombuffer(offsets, np.int64)[values.offset : values.offset + len(values) + 1]
    return bytes(data[int(bounds[0]) : int(bounds[-1])]).decode()


def _from_codes(codes: Array, ends: Array) -> pa.LargeStringArray:
    """Make an array of values of their code points, end to end, and where each begins and ends."""
    sizes = 1 + (codes >= 0x80).astype(np.int64) + (codes >= 0x800) + (codes >= 0x10000)
    offsets = np.concatenate([[0], np.cumsum(sizes)])[ends]
    text = codes.astype("<u4").tobytes().decode("utf-32-le").encode()
    return pa.LargeStringArray.from_buffers(len(ends) - 1, pa.py_buffer(offsets), pa.py_buffer(text))


def fold_expression(node: Node) -> Node:
    """Fold the characters that an expression names; classes such as `\\w` stay, and are matched with folded values."""
    match node:
        case Sequence(parts):
            return Sequence(tuple(map(fold_expression, parts)))
        case Choice(options):
            return Choice(tuple(map(fold_expression, options)))
        case Repeat(part, least, most):
            return Repeat(fold_expression(part), least, most)
        case Characters():
            return _fold_set(node)
        case _:
            return node


def _fold_set(given: Characters) -> Node:
    if not given.names and not given.negated and len(given.ranges) == 1 and given.ranges[0][0] == given.ranges[0][1]:
        folded = fold_character(chr(given.ranges[0][0]))
        return single(folded, given.ignore_case) if folded else EMPTY
    ranges: list[tuple[int, int]] = []
    for first, last in given.ranges:
        if last - first >= _MAX_FOLDED_RANGE:
            ranges.append((first, last))
            continue
        codes = (code for code in range(first, last + 1) if code not in _SURROGATES)
        ranges += sorted({(ord(folded), ord(folded)) for code in codes if (folded := fold_character(chr(code)))})
    if not ranges and not given.names:
        return NOTHING if not given.negated else Characters(((0, 0x10FFFF),))
    return Characters(tuple(ranges), given.names, given.negated, given.ignore_case)
