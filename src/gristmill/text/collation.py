"""Collation: in which order words stand in a dictionary of a language, the same on every machine.

It follows the Unicode Collation Algorithm (UTS 10) with the orders of CLDR: words are compared by their letters; if
these are the same, by their accents; then by case. Punctuation comes before symbols, these before digits, and digits
before letters. The key of a word is a text by whose code points words are sorted:

    word      letters, a zero, accents (one sign for each letter, and its marks; nothing if there are none)
    cote      cote
    côté      cote␀·̂·… the marks after the letters that have them: so it comes after cote, and before coter
    čas       c⁺as, with c⁺ = c and a character behind all letters, in languages that have č after c

Chinese is in the order of code points, which is that of radicals and strokes only by and large. So is Kanji; kana are
in the order of syllables.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from typing import NamedTuple

from gristmill.errors import UsageError
from gristmill.registry import did_you_mean
from gristmill.text.alphabets import EVERY_LANGUAGE, alphabet_of, languages

CODE_POINTS = "codepoints"
"""The collation that is none."""
_LANGUAGE = re.compile(r"[a-z]{2,3}(-[a-z0-9]+)*")
_END, _SAME, _UPPER = "\0", "\1", "\2"
_SPACE, _PUNCTUATION, _SYMBOL, _DIGIT = "\3", "\4", "\5", "\6"
_OTHER_SCRIPT = "\U0010e000"
"""Stands before letters of other scripts than the one that comes first."""
_BEHIND = 0x10F000
"""A character behind all letters."""
_VARIANT = 0xE000
"""Signs for letters that count as others."""
_CONTRACTED = 0xF0000
"""Characters that stand for letters of several characters."""
_MARK_RANKS = 0x0E80
"""Signs for the accents that have an order."""
_VOWEL_CLASSES = frozenset({0, 9, 84, 91, 103, 118, 129, 130, 132})
"""Combining classes of what is not accents: vowel signs of scripts of South and South-East Asia, and their viramas."""
_SCRIPTS: dict[str, str | tuple[str, ...]] = {
    "Arab": "ARABIC ",
    "Armn": "ARMENIAN ",
    "Cyrl": "CYRILLIC ",
    "Deva": "DEVANAGARI ",
    "Geor": "GEORGIAN ",
    "Grek": "GREEK ",
    "Hani": "CJK ",
    "Hebr": "HEBREW ",
    "Kore": ("HANGUL ", "CJK "),
    "Thai": "THAI ",
}
"""How the names of the letters of scripts begin."""
_PREPOSED = re.compile("([เ-ไເ-ໄ])([ก-ฮກ-ຮ])")
"""Vowels of Thai and Lao that are written before the consonant that they follow."""
_REWRITTEN = re.compile("[เ-ไເ-ໄー]")
"""Signs of words that are not compared as they are written."""
_LONG = re.compile("([ぁ-ゖァ-ヶ])ー")
_KATAKANA, _KATAKANA_TO_HIRAGANA = range(0x30A1, 0x30F7), 0x60
_SMALL = str.maketrans("ぁぃぅぇぉっゃゅょゎゕゖ", "あいうえおつやゆよわかけ")
_HANGUL = range(0xAC00, 0xD7A4)


class _Weights(NamedTuple):
    """What a character is compared by."""

    letters: str
    accents: str


class _Column(dict[int, str]):
    """A table for `str.translate` of what characters are compared by, which are looked up when they first come."""

    def __init__(self, collator: Collator, number: int) -> None:
        self._collator, self._number = collator, number

    def __missing__(self, code: int) -> str:
        found: str = self._collator.weights(chr(code))[self._number]
        self[code] = found
        return found


class Collator:
    """Makes the keys by which words of a language are sorted."""

    def __init__(self, language: str = EVERY_LANGUAGE) -> None:
        """Take the name of a language that has rules, or `und` for the order of all others."""
        self.language = language
        self._alphabet = alphabet_of(language)
        self._own: dict[str, tuple[str, int]] = {
            letter: (base, place)
            for base, letters in self._alphabet.following.items()
            for place, letter in enumerate(letters)
        }
        several = [item for item in (*self._own, *self._alphabet.variants) if len(item) > 1]
        self._contracted = {item: chr(_CONTRACTED + number) for number, item in enumerate(several)}
        self._expanded = {sign: item for item, sign in self._contracted.items()}
        longest_first = sorted(several, key=len, reverse=True)
        self._contractions = re.compile("|".join(map(re.escape, longest_first))) if several else None
        self._letters, self._accents = _Column(self, 0), _Column(self, 1)
        self._bare: set[str] = set()
        """Characters that were looked up and have no accents, as most: words of these alone need not be looked at."""
        self._script = _SCRIPTS.get(self._alphabet.first_script, "")
        self._plain_ascii = self._contractions is None and not self._script and self._has_plain_ascii()

    def _has_plain_ascii(self) -> bool:
        """Whether a to z are compared by themselves, so that most words of many languages are their own keys."""
        return not self._alphabet.dotless and all(
            self.weights(letter) == (letter, _SAME) for letter in map(chr, range(ord("a"), ord("z") + 1))
        )

    def key(self, word: str) -> str:
        """What a word is compared by, whatever its case."""
        if self._plain_ascii and word.isascii() and word.isalpha():
            return word.lower()
        return self._key(self._folded(word))

    def _key(self, folded: str) -> str:
        letters = folded.translate(self._letters)
        if self._bare.issuperset(folded):
            return letters
        accents = folded.translate(self._accents).rstrip(_SAME)
        if not accents:
            self._bare.update(folded)
        return f"{letters}{_END}{accents}" if accents else letters

    def key_with_case(self, word: str) -> str:
        """What a word is compared by, so that no two are the same: letters, accents, case, and then code points."""
        return self._key_with_case(self._folded(word), word)

    def _key_with_case(self, folded: str, word: str) -> str:
        letters, accents = folded.translate(self._letters), folded.translate(self._accents).rstrip(_SAME)
        lower, upper = (_UPPER, _SAME) if self._alphabet.upper_first else (_SAME, _UPPER)
        case = "".join(upper if sign.isupper() or sign.istitle() else lower for sign in word)
        return _END.join((letters, accents, case, word))

    def key_backwards(self, word: str) -> str:
        """What a word is compared by from its end, whatever its case; letters of several characters stay whole."""
        return self._key(self._folded(word)[::-1])

    def key_backwards_with_case(self, word: str) -> str:
        """What a word is compared by from its end, so that no two are the same."""
        return self._key_with_case(self._folded(word)[::-1], word[::-1])

    def _folded(self, word: str) -> str:
        """A word in one case, with one character for each letter."""
        word = unicodedata.normalize("NFC", word)
        if self._alphabet.dotless:
            word = word.replace("I", "ı").replace("İ", "i")
        folded = unicodedata.normalize("NFC", word.casefold())
        if _REWRITTEN.search(folded):
            folded = _LONG.sub(_lengthened, _PREPOSED.sub(r"\2\1", folded))
        return self._contracted_in(folded)

    def _contracted_in(self, folded: str) -> str:
        if self._contractions is None:
            return folded
        return self._contractions.sub(lambda found: self._contracted[found[0]], folded)

    def weights(self, character: str) -> _Weights:
        """What one character of a folded word is compared by."""
        item = self._expanded.get(character, character)
        if item in self._own:
            return _Weights(self._own_letter(item), _SAME)
        if item in self._alphabet.variants:
            return self._variant(item)
        if ord(character) in _HANGUL:
            return _Weights(self._placed(character), _SAME)
        parts = unicodedata.normalize("NFD", character)
        if len(parts) > 1:
            return self._accented(parts)
        return self._single(character)

    def _own_letter(self, item: str) -> str:
        """The letters of one that follows another: these, and a character behind all letters."""
        base, place = self._own[item]
        return self._placed(base) + chr(_BEHIND + place)

    def _variant(self, item: str) -> _Weights:
        same = self._alphabet.variants[item]
        number = list(self._alphabet.variants).index(item)
        inner = self._contracted_in(same) if same != item else same
        letters = "".join(self.weights(sign).letters for sign in inner)
        return _Weights(letters, _SAME * len(inner) + chr(_VARIANT + number))

    def _accented(self, parts: str) -> _Weights:
        """A letter with accents, of which one may make it a letter of its own: ậ is â with a dot where that is one."""
        for mark in parts[1:]:
            whole = unicodedata.normalize("NFC", parts[0] + mark)
            if len(whole) == 1 and (whole in self._own or whole in self._alphabet.variants):
                letters, accents = self.weights(whole)
                rest = parts[1:].replace(mark, "", 1)
                return _Weights(letters, accents + "".join(self._single(sign).accents for sign in rest))
        found = [self.weights(parts[0]), *map(self._single, parts[1:])]
        return _Weights("".join(one.letters for one in found), "".join(one.accents for one in found))

    def _single(self, character: str) -> _Weights:
        """A character that has no parts, and no place of its own in the alphabet."""
        category = unicodedata.category(character)
        if unicodedata.combining(character) not in _VOWEL_CLASSES:
            rank = self._alphabet.marks.find(character)
            return _Weights("", chr(_MARK_RANKS + rank) if rank >= 0 else _after_marks(character))
        if category[0] == "N":
            value = unicodedata.digit(character, -1)
            same = _SAME if character.isascii() else _SAME + character
            return _Weights(_DIGIT + (str(value) if value >= 0 else character), same)
        if category[0] in "LM":
            plain = _hiragana(character).translate(_SMALL)
            return _Weights(self._placed(plain), _SAME if plain == character else _SAME + character)
        if category == "Cf":
            return _Weights("", "")
        before = {"P": _PUNCTUATION, "S": _SYMBOL}.get(category[0])
        return _Weights(_SPACE if before is None else before + character, _SAME)

    def _placed(self, letter: str) -> str:
        """A letter, behind those of the script that comes first."""
        if self._script and not unicodedata.name(letter, "").startswith(self._script):
            return _OTHER_SCRIPT + letter
        return letter


def _after_marks(mark: str) -> str:
    """An accent that has no place in an order: behind those that have one, and before signs of other kinds."""
    return chr(_MARK_RANKS + 0x80 + min(ord(mark) - 0x300, 0x6FF)) if ord(mark) >= 0x300 else mark


def _hiragana(character: str) -> str:
    """Hiragana for katakana."""
    return chr(ord(character) - _KATAKANA_TO_HIRAGANA) if ord(character) in _KATAKANA else character


def _lengthened(found: re.Match[str]) -> str:
    """Kana and the sign for a long vowel as kana and that vowel: カー as カア."""
    vowel = unicodedata.name(found[1], "")[-1:]
    return found[1] + {"A": "あ", "I": "い", "U": "う", "E": "え", "O": "お"}.get(vowel, "ー")


def collation_name(text: str) -> str:
    """Check the name of a collation, and return it as it is known: a language, or `codepoints`."""
    return CODE_POINTS if text.strip().lower() == CODE_POINTS else collator_of(text).language


@cache
def collator_of(language: str) -> Collator:
    """Give the collator of a language by its code, such as `sv`, `sr-Latn` or `de-phonebook`; raise if it is none.

    A language without rules of its own has the order of all others.
    """
    name = language.strip().replace("_", "-").lower()
    known = {other.lower(): other for other in languages()}
    if not _LANGUAGE.fullmatch(name):
        raise UsageError(
            f"{language!r:.100} is no language to sort by{did_you_mean(name, [*known, CODE_POINTS])}: "
            f"write its code, such as sv or cs, {EVERY_LANGUAGE} for none, or {CODE_POINTS}"
        )
    while name not in known and "-" in name:
        name = name.rpartition("-")[0]
    return Collator(known.get(name, EVERY_LANGUAGE))
