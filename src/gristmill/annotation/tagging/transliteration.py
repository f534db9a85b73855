"""Serbian in both alphabets: treebanks and dictionaries have the Latin one, so Cyrillic words are read as Latin ones.

Књиге  ->  Knjige, whose lemma is knjiga  ->  књига
"""

from __future__ import annotations

import re

LANGUAGES = frozenset(("hr", "sr"))
"""Languages of models whose words are read so."""
_PAIRS = dict(
    zip(
        "а б в г д ђ е ж з и ј к л љ м н њ о п р с т ћ у ф х ц ч џ ш".split(),
        "a b v g d đ e ž z i j k l lj m n nj o p r s t ć u f h c č dž š".split(),
        strict=True,
    )
)
_TO_LATIN = str.maketrans(_PAIRS | {letter.upper(): latin.capitalize() for letter, latin in _PAIRS.items()})
_TO_CYRILLIC = {latin: letter for letter, latin in _PAIRS.items()}
_LATIN = re.compile("lj|nj|dž|.", re.IGNORECASE | re.DOTALL)
_CYRILLIC = re.compile("[\u0400-\u04ff]")


def is_cyrillic(word: str) -> bool:
    """Tell whether a word has a Cyrillic letter."""
    return not word.isascii() and _CYRILLIC.search(word) is not None


def to_latin(word: str) -> str:
    """Write a word with Latin letters."""
    return word.translate(_TO_LATIN)


def to_cyrillic(word: str) -> str:
    """Write a word with Cyrillic letters; other letters, such as w, stay as they are."""
    return _LATIN.sub(lambda found: _letter(found.group()), word)


def _letter(latin: str) -> str:
    letter = _TO_CYRILLIC.get(latin.lower(), latin)
    return letter.upper() if latin[0].isupper() else letter
