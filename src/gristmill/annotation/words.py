"""Splitting of chunks, which stand between spaces, into words, by the rules of a language. Used by `chunk_rules`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cached_property

from gristmill.annotation.characters import is_georgian, is_lower
from gristmill.annotation.languages import Language
from gristmill.annotation.pattern import token_pattern
from gristmill.annotation.segmenters import Segmenter
from gristmill.text.scripts import FIRST_UNSPACED

_HYPHEN = re.compile(r"([-‐‑–־])")
_DOTTED = re.compile(r"[^\W\d_](?:\.-?[^\W\d_]){1,9}")
_DIGITS = re.compile(r"\d+(?:[.,]\d+)*|[^\W\d]+|\W")
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_APOSTROPHES = frozenset("'’᾿᾽")  # the last two are signs of elision in Ancient Greek
_INITIALS = re.compile(r"(?:[^\W\d_]\.)+(?=[^\W\d_])")

# Marks at the end of simple chunks, a word with a few marks around it, which are split without the pattern.
_ENDS = '.,;:!?)"”»'
SIMPLE_ENDS = {
    end: tuple(end) for end in ("", *'.,;:!?)"”»', '."', ',"', '!"', '?"', ".”", ",”", "!”", "?”", "),", ").")
}
OPENERS = '("“«[„'
_MAX_TRAILING_CLITICS = 3


class Words:
    """Splits chunks of one language.

    Patterns and segmenter are slow to make, so they are made when they are first needed: plain words, which most
    queries are, need none.
    """

    def __init__(self, language: Language, segmenter: Callable[[], Segmenter]) -> None:
        self.language = language
        self._segmenter = segmenter

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        return token_pattern(self.language)

    @cached_property
    def _pattern_with_addresses(self) -> re.Pattern[str]:
        return token_pattern(self.language, addresses=True)

    def is_plain(self, word: str) -> bool:
        """Tell whether a word has only letters, of a script with spaces, and is not split."""
        return word.isalpha() and max(word) < FIRST_UNSPACED and word.lower() not in self.language.pieces

    def split(self, chunk: str) -> list[str]:
        """Split a chunk into words, which together are the chunk; simple ones are split without the pattern."""
        opened = chunk.rstrip(_ENDS)
        body = opened[1:] if opened[:1] in OPENERS else opened
        ends = SIMPLE_ENDS.get(chunk[len(opened) :])
        if ends is None or not self.is_plain(body) or (self.language.enumerators and ")" in ends):
            return self._split_by_pattern(chunk)
        words = [opened[0], body] if opened is not body else [body]
        if ends[:1] == (".",) and not self.language.splits_dots and self.takes_dot(body, last=len(ends) == 1):
            words[-1] += "."
            ends = ends[1:]
        words += ends
        return words

    def _split_by_pattern(self, chunk: str) -> list[str]:
        """Split any chunk into words."""
        words: list[str] = []
        pattern = (
            self._pattern_with_addresses if "@" in chunk or "/" in chunk or "www." in chunk.lower() else self._pattern
        )
        found = [(match.lastgroup, *match.span()) for match in pattern.finditer(chunk)]
        runs = [(start, end) for kind, start, end in found if kind == "run"]
        cuts = self._segmenter().cut(chunk, runs) if runs else b""
        joins = False  # whether the token before is a run or a number, which may be one word with the next: `20万`
        for kind, start, end in found:
            token = chunk[start:end]
            joined = joins
            joins = kind == "run" or (kind == "word" and bool(runs) and _NUMBER.fullmatch(token) is not None)
            if kind == "run":
                pieces = _pieces(chunk, cuts, start, end)
            else:
                pieces = self._split_word(token) if kind == "word" else [token]
            if joined and joins and not cuts[start]:
                words[-1] += pieces.pop(0)
            words += pieces
        if not _APOSTROPHES.isdisjoint(words):
            words = self._join_elisions(words)
        return words if self.language.splits_dots or {".", ".."}.isdisjoint(words) else self._join_dots(words)

    def _split_word(self, word: str) -> list[str]:
        """Split what the pattern takes for a word, if the language has it as several."""
        language = self.language
        lower = word.lower().replace("’", "'")
        if lower in language.pieces:
            at = language.pieces[lower]
            return [word[:at], word[at:]]
        if language.splits_digits:
            return _DIGITS.findall(word)
        parts = language.parts.fullmatch(word) if language.parts is not None else None
        if parts is not None:
            return [part for part in parts.groups() if part]
        return [word] if word.isalnum() or lower in language.whole else self._split_clitics(word)

    def _split_clitics(self, word: str) -> list[str]:
        """Split initials and clitics from a word, and the word at its hyphens."""
        language = self.language
        before = self._leading_initials(word) if language.splits_initials and "." in word else []
        if language.proclitics is not None:
            before += _leading_clitics(word[sum(map(len, before)) :], language.proclitics)
        word = word[sum(map(len, before)) :]
        if not word:
            return before
        after = list(_trailing_clitics(word, language.enclitics)) if language.enclitics is not None else []
        word = word[: len(word) - sum(map(len, after))]
        if language.splits_hyphens and not (language.keeps_hyphens and language.keeps_hyphens.match(word)):
            return [*before, *filter(None, _HYPHEN.split(word)), *reversed(after)]
        return [*before, word, *reversed(after)]

    def _join_elisions(self, words: list[str]) -> list[str]:
        """Join apostrophes to clitics and elided words before them where no letter follows: `l'«`, `ta' Malta`."""
        joined: list[str] = []
        for word in words:
            if word in _APOSTROPHES and joined and self._is_elided(joined[-1]):
                joined[-1] += word
            else:
                joined.append(word)
        return joined

    def _is_elided(self, word: str) -> bool:
        """Tell whether a word keeps the apostrophe after it."""
        if f"{word.lower()}'" in self.language.whole or (self.language.elided and self.language.elided.fullmatch(word)):
            return True
        found = self.language.proclitics.match(f"{word}'a") if self.language.proclitics is not None else None
        return found is not None and found.end() == len(word) + 1

    @staticmethod
    def _leading_initials(word: str) -> list[str]:
        """Return the initials at the start of a word: `A.` and `S.` of `A.S.Puschkin`."""
        found = _INITIALS.match(word)
        return [f"{letter}." for letter in found.group()[:-1].split(".")] if found else []

    def _join_dots(self, words: list[str]) -> list[str]:
        """Join dots to the abbreviations before them.

        Whether a dot at the end of a chunk is part of a number or an initial depends on the next chunk: `tokeniser`
        decides that.
        """
        joined = words[:1]
        for at, word in enumerate(words[1:], 1):
            last = at == len(words) - 1
            if word == "." and joined[-1][-1] != "." and self.takes_dot(joined[-1], last=last):
                joined[-1] += "."
            elif word == ".." and last and self.takes_dot(joined[-1], last=last):
                joined[-1:] = [f"{joined[-1]}.", "."]  # that of the abbreviation, and that of the sentence
            else:
                joined.append(word)
        return joined

    def takes_dot(self, word: str, *, last: bool) -> bool:
        """Tell whether a dot after a word is part of it; `last` if it ends the chunk."""
        if word.lower() in self.language.abbreviations or _DOTTED.fullmatch(word):
            return True
        return not last and (is_initial(word) or (self.language.ordinals and word.isdecimal()))


def _pieces(chunk: str, cuts: bytes, start: int, end: int) -> list[str]:
    """Return the words between two places of a chunk, by where they begin."""
    pieces = []
    while (cut := cuts.find(1, start + 1, end)) > 0:
        pieces.append(chunk[start:cut])
        start = cut
    return [*pieces, chunk[start:end]]


def is_initial(word: str) -> bool:
    """Tell whether a word is one capital letter, or one letter of an alphabet without capitals."""
    if len(word) != 1 or not word.isalpha() or is_lower(word):
        return False
    return word < FIRST_UNSPACED or word.isupper() or is_georgian(word)


def _leading_clitics(word: str, clitics: re.Pattern[str]) -> Iterator[str]:
    """Yield the clitics at the start of a word."""
    at = 0
    while at < len(word) and (found := clitics.match(word, at)) and found.end() > at:
        yield found.group()
        at = found.end()


def _trailing_clitics(word: str, clitics: re.Pattern[str]) -> Iterator[str]:
    """Yield the clitics at the end of a word, the last first."""
    for _ in range(_MAX_TRAILING_CLITICS):
        found = clitics.search(word)
        if found is None or found.start() == 0:
            return
        yield found.group()
        word = word[: found.start()]
