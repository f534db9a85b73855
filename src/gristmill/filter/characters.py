"""The filter `invalid-characters`: text that was damaged, by lost characters or by decoding with a wrong encoding."""

from __future__ import annotations

import functools
from dataclasses import dataclass

import numpy as np

from gristmill.arrays.dtypes import Bytes
from gristmill.document import Document
from gristmill.filter.registry import DocumentFilter, Finding, check_shares, finding, share_above
from gristmill.registry import part
from gristmill.text.characters import unit_table
from gristmill.text.units import utf16

# What a code unit may be, a bit each: it may be several things.
_INVALID, _LEAD, _LONG_LEAD, _FOLLOWS, _CYRILLIC_LEAD, _CYRILLIC_FOLLOWS = (1 << bit for bit in range(6))


@part("filter", "invalid-characters")
@dataclass(frozen=True)
class InvalidCharacters(DocumentFilter):
    """Drops documents with many characters that are not text, as a share of all characters.

    These are replacement characters, private use, controls, and UTF-8 that was decoded as another encoding.
    """

    max: float = 0.01

    def check(self) -> None:
        """Check that the threshold is a share."""
        check_shares("invalid-characters", max=self.max)

    def judge(self, document: Document) -> Finding:
        """Compute the share of invalid characters and of mojibake."""
        text = document.folded
        invalid = mojibake = 0
        length = len(text)
        if not text.isascii():  # decoding has removed control characters
            kinds = _kinds().take(utf16(text))
            invalid = int(np.count_nonzero(kinds & _INVALID))
            mojibake = _mojibake(kinds)
            length = len(kinds)
        share = (invalid + mojibake) / max(length, 1)
        what = f"of its characters are invalid ({invalid:,}) or of a wrong encoding ({mojibake:,})"
        return finding(f"{share:.1%} {what}", share_above(share, self.max, what))


def _mojibake(kinds: Bytes) -> int:
    """Count the characters that are in typical sequences of mojibake: `Ã©`, `â€œ`, `Ð°`; `Р°`, `СЃ`."""
    count = 0
    leads = np.flatnonzero(kinds & (_LEAD | _LONG_LEAD | _CYRILLIC_LEAD))
    for lead, follows, length in (
        (_LEAD, _FOLLOWS, 2),
        (_LONG_LEAD, _FOLLOWS, 3),
        (_CYRILLIC_LEAD, _CYRILLIC_FOLLOWS, 2),
    ):
        places = leads[((kinds[leads] & lead) != 0) & (leads <= len(kinds) - length)]
        for step in range(1, length):
            places = places[(kinds[places + step] & follows) != 0]
        count += length * len(places)
    return count


@functools.cache
def _kinds() -> Bytes:
    """Make the table of what each UTF-16 code unit may be.

    The leads are only those letters that rarely stand before such marks in a text: `Spaß“` and `café»` are correct.
    """
    kinds = unit_table(0, {"Co": _INVALID, "Cc": _INVALID}, {"\ufffd": _INVALID})
    high = bytes(range(0x80, 0xC0))
    for codec, flag in (("cp1252", _FOLLOWS), ("latin-1", _FOLLOWS), ("cp1251", _CYRILLIC_FOLLOWS)):
        for character in high.decode(codec, "ignore"):
            kinds[ord(character)] |= flag
    for characters, flag in (("ÂÃÄÅÐÑ", _LEAD), ("âãäå", _LONG_LEAD), ("РС", _CYRILLIC_LEAD)):
        kinds[list(map(ord, characters))] |= flag
    return kinds
