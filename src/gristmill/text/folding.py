"""Texts in a folded form, in which variants are the same: capitals, full-width letters, invisible signs, typography.

Each UTF-16 code unit has a folded form of none, one or several units, whatever stands beside it (`folded_form`):

- default ignorable and format characters are gone: zero-width spaces and joiners, soft hyphens, byte order marks,
  variation selectors, directional marks; so is the Arabic tatweel, which only makes words longer;
- others become what Unicode calls NFKC and case folding: `Straße` is `strasse`, `ﬁ` is `fi`, `Ａ` and `A` are `a`, `ｱ`
  is `ア`;
- apostrophes, quotation marks, hyphens, slashes and tildes become those of ASCII, and `…` a full stop;
- Greek letters lose accents and breathings, since capitals are written without; `İ` and `ı` are `i`.

Few characters outside the basic plane have variants (bold letters, tags), and some letters are written as several
characters (those with accents, half-width kana, Hangul): texts that have these are rewritten first, in NFKC
(`spelled_out`).
"""

from __future__ import annotations

import functools
import itertools
import re
import unicodedata
from dataclasses import dataclass

import numpy as np

from gristmill.arrays.dtypes import Codes, Flags, Ints
from gristmill.arrays.ragged import concatenated_ranges, starts_of
from gristmill.text.units import UNITS, first_halves, utf16

_TATWEEL = 0x640
_IGNORABLE = frozenset(  # beside format characters
    map(
        chr,
        (
            _TATWEEL,
            0x34F,
            0x115F,
            0x1160,
            0x17B4,
            0x17B5,
            *range(0x180B, 0x1810),
            0x3164,
            *range(0xFE00, 0xFE10),
            0xFFA0,
        ),
    )
)
_TAGS = "\U000e0000", "\U000e0fff"
_ALIKE = {
    "'": "`´‘’‚‛ʹʻʼʽ′‵‹›",
    '"': "“”„‟″‶«»〝〞〟",
    "-": "‐‑‒–−⁃﹘",
    "—": "―",  # a long dash does not join words as a hyphen does, see `LONG_DASH`
    ".": "…‥",
    "/": "⁄∕",
    "~": "〜∼",
    "i": "İı",
}
_AS_IT_IS = (
    "™℠№\u0e33\u0eb3"  # signs that are no letters; vowels of Thai and Lao, which NFKC divides, and nobody else does
)
_SPECIAL = {other: plain for plain, others in _ALIKE.items() for other in others} | {sign: sign for sign in _AS_IT_IS}
_NOT_ONE = 0xFFFF  # no character: stands for a folded form that has none or several units
# What is not folded by the unit: characters outside the basic plane that have variants; and what is composed of several
# characters: letters with marks (never more than thirty, so that it takes linear time), kana with their marks,
# syllables of Hangul.
_MARKS, _JAMO = slice(0x300, 0x370), slice(0x1100, 0x1113)
_NO_MARKS = dict.fromkeys(set(range(_MARKS.start, _MARKS.stop)) - {0x345})  # that is an iota
_KANA_MARKS = "\u3099\u309a\uff9e\uff9f"
_BEYOND_BASIC_PLANE = (
    (0x10000, 0x1EFFF),
    (0x1F100, 0x1F2FF),
    (0x1FB00, 0x1FBFF),
    (0x2F800, 0x2FA1F),
    (0xE0000, 0xE0FFF),
)
_RARE = (
    f"[{''.join(f'{chr(first)}-{chr(last)}' for first, last in _BEYOND_BASIC_PLANE)}]+"
    "|[^\\W\u0300-\u036f][\u0300-\u036f]{1,30}"
    f"|[\u3040-\u30ff\uff66-\uff9d][{_KANA_MARKS}]"
    "|[\u1100-\u1112][\u1161-\u1175][\u11a8-\u11c2]?"
)
_SOME_FOLD = (  # in all other ranges (Han, Hangul, surrogates, private use) each unit is its own folded form
    range(0x3400),
    range(0xA000, 0xAC00),
    range(0xF900, _NOT_ONE),
)
LONG_DASH, HYPHEN = ord("—"), ord("-")


def folded_form(character: str) -> str:
    """Give what a character is compared as; each character of a folded form is its own folded form."""
    if _is_gone(character):
        return ""
    if special := _SPECIAL.get(character):
        return special
    form = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", character).casefold())
    if _is_greek(character):
        form = "".join(part for part in unicodedata.normalize("NFD", form) if not unicodedata.combining(part))
    # Accents alone, such as `¨`, are spaces with a mark in NFKC.
    if form == character or (form[:1].isspace() and not character.isspace()):
        return character
    return "".join(map(folded_form, form))


def _is_gone(character: str) -> bool:
    return character in _IGNORABLE or unicodedata.category(character) == "Cf" or _TAGS[0] <= character <= _TAGS[1]


def _is_greek(character: str) -> bool:
    return "\u0370" <= character <= "\u03ff" or "\u1f00" <= character <= "\u1fff"


def _is_special(character: str) -> bool:
    """Tell whether a character may have another folded form than case folding and NFKC give it."""
    return character in _SPECIAL or _is_gone(character) or _is_greek(character)


def rare_places(codes: Codes) -> Ints:
    """Find where characters may stand that can't be folded by the unit."""
    if not codes.size or codes.max() < _MARKS.start:
        return np.empty(0, np.int64)
    return np.flatnonzero(_rare_units().take(codes))


def spelled_out(text: str, starts: Ints, which: Ints) -> tuple[str, Ints]:
    """Rewrite some of several texts in a row, so that they have only characters that are folded by the unit.

    Gives the texts and where each begins.
    """
    ends = [*starts[1:].tolist(), len(text)]
    texts = [text[start:end] for start, end in zip(starts.tolist(), ends, strict=True)]
    for number in which.tolist():
        texts[number] = re.sub(_RARE, _spell, texts[number])
    return "".join(texts), np.cumsum([0, *map(len, texts[:-1])])


def fold_units(codes: Codes, starts: Ints) -> tuple[Codes, Ints]:
    """Fold texts in a row, given where each begins; gives where each begins in the folded form, too.

    Texts `Maß` and `No.` in a row, given as units of `MaßNo.` and [0, 3]: the table has `mas` and "not one" for `ß`.
    There (`at`, [2]) the folded form has 2 units (`counts`), so what stands behind is moved by 1 (`grown`, [0, 1]).
    The folded form is `massno.`, with texts at [0, 4].
    """
    table = _table()
    folded = table.units.take(codes)
    if not codes.size or folded.max() != _NOT_ONE:
        return folded, starts
    at = np.flatnonzero(folded == _NOT_ONE)
    counts = table.sizes[codes[at]]
    grown = starts_of(counts - 1)
    places = concatenated_ranges(at + grown[:-1], counts)
    is_other = np.ones(len(codes) + grown[-1], np.bool_)
    is_other[places] = False
    made = np.empty(len(is_other), np.uint16)
    made[is_other] = np.delete(folded, at)
    made[places] = table.forms[concatenated_ranges(table.places[codes[at]], counts)]
    return made, starts + grown[np.searchsorted(at, starts)]


@dataclass(frozen=True, slots=True)
class _Table:
    """The folded forms of all code units; those of several units stand one behind the other (a ragged array).

    `A` folds to `a`, `ß` to `ss`, and a soft hyphen to nothing:

        units   a, _NOT_ONE, _NOT_ONE
        sizes   1, 2, 0
        places  where `a`, `ss` and nothing begin in `forms`
    """

    units: Codes
    """The folded form of each unit if it is one unit, else `_NOT_ONE`."""
    sizes: Ints
    """How many units the folded form of each unit has."""
    places: Ints
    """Where the folded form of each unit begins in `forms`, if it has one other than itself."""
    forms: Codes
    """The folded forms that differ from their units, one behind the other."""


@functools.cache
def _table() -> _Table:
    units = np.arange(UNITS, dtype=np.uint16)
    sizes, places = np.ones(UNITS, np.int64), np.zeros(UNITS, np.int64)
    forms = [np.empty(0, np.uint16)]
    length = 0
    for code in itertools.chain(*_SOME_FOLD):
        character = chr(code)
        if (
            character.casefold() == character
            and unicodedata.is_normalized("NFKC", character)
            and not _is_special(character)
        ):
            continue
        form = folded_form(character)
        if form != character:
            found = utf16(form)
            units[code], sizes[code], places[code] = found[0] if len(found) == 1 else _NOT_ONE, len(found), length
            forms.append(found)
            length += len(found)
    sizes[_NOT_ONE] = 0
    return _Table(units, sizes, places, np.concatenate(forms))


@functools.cache
def _rare_units() -> Flags:
    """Flag the units of what is not folded by the unit; of surrogate pairs the first halves."""
    rare = np.zeros(UNITS, np.bool_)
    rare[_MARKS] = rare[_JAMO] = True
    rare[list(map(ord, _KANA_MARKS))] = True
    for first, last in _BEYOND_BASIC_PLANE:
        rare[first_halves(first, last)] = True
    return rare


def _spell(match: re.Match[str]) -> str:
    form = unicodedata.normalize("NFKC", match[0])
    if _is_greek(form[:1]):  # capitals with breathings may have no composed form
        form = form.translate(_NO_MARKS)
    return "".join(map(folded_form, form))
