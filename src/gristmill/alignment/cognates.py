"""Cognates: words of two languages that look alike, such as names, numbers and words that both have borrowed.

Words are compared as Latin letters without accents: Ελλάδα is `ellada`, Москва `moskva`.
"""

from __future__ import annotations

import functools
import unicodedata

_GREEK = dict(
    zip("αβγδεζηθικλμνξοπρσςτυφχψω", "a v g d e z i th i k l m n x o p r s s t y f ch ps o".split(), strict=True)
)
_CYRILLIC = dict(
    zip(
        "абвгдежзийклмнопрстуфхцчшщъыьэюяіїєґјљњћђџў",
        "a b v g d e zh z i i k l m n o p r s t u f kh ts ch sh sch - y - e iu ia i i e g j l n c d dz u".split(),
        strict=True,
    )
)
_OTHERS = {"ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "đ": "d", "ð": "d", "þ": "th", "ł": "l", "ı": "i"}
_LETTERS = {ord(key): "" if value == "-" else value for key, value in (_GREEK | _CYRILLIC | _OTHERS).items()}
KEY_LETTERS = 3
"""Letters with which cognates begin in common."""
MIN_LETTERS = 4
MAX_BUCKET = 256
"""Words that begin alike on one side; if there are more, they are not compared."""
MIN_LIKENESS = 0.6


@functools.lru_cache(1 << 16)
def plain(word: str) -> str:
    """Write a word in Latin letters without accents; empty if it has other letters, or is too short to compare."""
    if not word.isascii():
        letters = unicodedata.normalize("NFD", word.translate(_LETTERS))
        word = "".join(c for c in letters if not unicodedata.combining(c)).translate(_LETTERS)
    return word if len(word) >= MIN_LETTERS and word.isascii() and word.isalpha() else ""


@functools.lru_cache(1 << 16)
def likeness(first: str, second: str) -> float:
    """How alike two words are, 0 to 1: letters of the longest common beginning and of the rest in common pairs."""
    common = 0
    for one, other in zip(first, second, strict=False):
        if one != other:
            break
        common += 1
    rest, others = first[common:], second[common:]
    pairs = {rest[at : at + 2] for at in range(len(rest) - 1)} & {others[at : at + 2] for at in range(len(others) - 1)}
    return min(1.0, 2 * (common + len(pairs)) / (len(first) + len(second)))


def find_cognates(source: list[str], target: list[str]) -> list[tuple[int, int, float]]:
    """Find pairs of words, by their numbers, that look alike but are not the same, and how alike they are."""
    buckets: dict[str, list[tuple[int, str]]] = {}
    for number, word in enumerate(target):
        letters = plain(word)
        if letters:
            buckets.setdefault(letters[:KEY_LETTERS], []).append((number, letters))
    found = []
    sizes: dict[str, int] = {}
    for number, word in enumerate(source):
        letters = plain(word)
        if not letters:
            continue
        key = letters[:KEY_LETTERS]
        bucket = buckets.get(key, ())
        sizes[key] = sizes.get(key, 0) + 1
        if not bucket or len(bucket) > MAX_BUCKET or sizes[key] > MAX_BUCKET:
            continue
        for other, its_letters in bucket:
            if target[other] != word:
                alike = likeness(letters, its_letters)
                if alike >= MIN_LIKENESS:
                    found.append((number, other, alike))
    return found
