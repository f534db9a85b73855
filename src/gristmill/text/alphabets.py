"""The rules of `alphabets.txt`: which letters a language has, and in which order."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from unicodedata import normalize

EVERY_LANGUAGE = "und"
"""The name of the rules that hold for every language."""
_RULE = re.compile(r"&(?:\[before (?P<before>\S+)\]|(?P<after>\S+))(?P<letters>(?:\s+<<?\s+[^\s<&]+)+)")
_LETTER = re.compile(r"(<<?)\s+(\S+)")
_APOSTROPHES = "'’‘ʼʻ"
"""Characters that are typed for one another in letters such as oʻ and c’h."""


@dataclass(slots=True)
class Alphabet:
    """The order of the letters of a language, where it is not that of code points.

    With `&c < č`, `&d < dž < đ` and `&th << þ`, `following` is {"c": ["č"], "d": ["dž", "đ"]} and `variants` is
    {"þ": "th"}.
    """

    following: dict[str, list[str]] = field(default_factory=dict)
    """The letters after each letter that is where its code point is."""
    variants: dict[str, str] = field(default_factory=dict)
    """Letters that count as others, unless all else is the same."""
    marks: str = ""
    """Accents in their order, before all others."""
    first_script: str = ""
    upper_first: bool = False
    dotless: bool = False
    """Whether ı and I are one letter, and i and İ another."""

    def place(self, letter: str) -> tuple[str, int]:
        """Say after which letter one stands that is not where its code point is, and as which of those there, from 0.

        One that is where its code point is stands there as number -1.
        """
        for base, letters in self.following.items():
            if letter in letters:
                return base, letters.index(letter)
        return letter, -1

    def read(self, rules: str) -> None:
        """Add the rules of a line; later ones win."""
        for rule in _RULE.finditer(rules):
            self._read_rule(rule)
        words = rules.partition("&")[0].split()
        if "marks" in words:
            self.marks = "".join(words[words.index("marks") + 1 :])
        self.first_script = words[1] if words[:1] == ["first"] else self.first_script
        self.upper_first |= words[:2] == ["upper", "first"]
        self.dotless |= "dotless" in words

    def _read_rule(self, rule: re.Match[str]) -> None:
        anchor = normalize("NFC", rule["before"] or rule["after"])
        if rule["before"]:
            base, place = self.place(anchor)
            base, place = (base, place) if place >= 0 else self._end_of(chr(ord(anchor) - 1))
        else:
            base, place = self.place(anchor)
            place += 1
        for sign, written in _LETTER.findall(rule["letters"]):
            letter = normalize("NFC", written)
            if sign == "<<":
                place -= self._forget(letter, base, place)
                for form in _forms(letter):
                    self.variants[form] = anchor
                continue
            place -= self._forget(letter, base, place)
            self.following.setdefault(base, []).insert(place, letter)
            self.variants.update(dict.fromkeys(_forms(letter)[1:], letter))
            anchor, place = letter, place + 1

    def _end_of(self, base: str) -> tuple[str, int]:
        """The place after all letters that follow one."""
        return base, len(self.following.get(base, ()))

    def _forget(self, letter: str, base: str = "", place: int = 0) -> int:
        """Take a letter from where it was; return 1 if that was before a place, which moves by it."""
        self.variants.pop(letter, None)
        for other, letters in self.following.items():
            if letter in letters:
                moves = other == base and letters.index(letter) < place
                letters.remove(letter)
                return int(moves)
        return 0


def _forms(letter: str) -> list[str]:
    """A letter, and how it is typed with other apostrophes."""
    found = [sign for sign in _APOSTROPHES if sign in letter and len(letter) > 1]
    others = [sign for sign in _APOSTROPHES if found and sign != found[0]]
    return [letter, *(letter.replace(found[0], sign) for sign in others)]


@cache
def _lines() -> dict[str, list[str]]:
    """The rules of each language, by its name."""
    found: dict[str, list[str]] = {}
    text = files("gristmill.text").joinpath("alphabets.txt").read_text("utf-8")
    for line in text.splitlines():
        name, colon, rules = line.partition(":")
        if colon and not line.startswith("#"):
            found.setdefault(name, []).append(rules.strip())
    return found


def languages() -> list[str]:
    """The languages that have rules of their own."""
    return [name for name in _lines() if name != EVERY_LANGUAGE]


def alphabet_of(language: str) -> Alphabet:
    """Make the alphabet of a language: the rules for every language, and its own."""
    found = Alphabet()
    for rules in _lines()[EVERY_LANGUAGE]:
        found.read(rules)
    if language != EVERY_LANGUAGE:
        _read_own(found, language)
    return found


def _read_own(found: Alphabet, language: str) -> None:
    for rules in _lines()[language]:
        if rules.startswith("like "):
            _read_own(found, rules.split()[1])
        found.read(rules)
