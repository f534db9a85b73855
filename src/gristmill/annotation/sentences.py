"""Sentence boundaries. A sentence only ends after a chunk with a mark, mostly decided by the chunk that follows.

A chunk is what stands between two spaces; `words` has split it into words. `chunk_rules` calls the functions here.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import IntEnum
from functools import cached_property

from gristmill.annotation import thai
from gristmill.annotation.characters import EMOJI, is_lower
from gristmill.annotation.languages import Language, language
from gristmill.annotation.words import is_initial
from gristmill.language.stoplist import stop_list

_CLOSERS = frozenset("\" ' ) ] } » « › ” ’ “ '' 」 』 ） 】 》 〉 ］ ｣".split())
_OPENERS = frozenset("\"'([{«»„“”‘‹¿¡「『（【《")
INNER_CLOSERS = _CLOSERS - set("\"'“«")  # in scripts without spaces, the ones left out may open what follows
# These open in some texts and close in others, where what is named opens.
_OPENED_BY = {'"': "", "“": "„", "''": (",,", "``")}
_LONE_CLOSERS = frozenset("» ) ] } ” ’".split())
CONTINUING = frozenset(",;:/%=+&|")
# These need no space after them, or never stand inside a sentence.
STOPS = frozenset("。 ！ ？ ｡ ． । ॥ ۔ ؟ ։ ። ፧ ။ ។ ៕ ৷ ꓿ ᠃ ᠉ ⸮".split())
_STRONG = frozenset("!?‽")
_MARKS = frozenset(".!?…")
_SMILE = re.compile(rf"[:;=][-o*'^]?[)(D]|[{EMOJI}]|\){{2}}")
_FIRST = re.compile(r"[^\W_]")
_WORD = re.compile(r"[^\W\d_]+(?!\.)(?![^\W\d_])")
_NUMBER = re.compile(r"\d[\d.]*|[IVX]{2,6}|[A-Z](?:\.(?:[IVX]{1,6}|\d{1,3})){1,4}")
_CLIPPED = re.compile(r"['’][^\W\d_]")  # a small word, after which the capital comes: `'n Man`
# These stand between initials and surnames.
_PARTICLES = frozenset("Al Ben Da De Del Den Der Di Dos Du El La Le Los San Ter Van Von".split())
_TITLES = frozenset(
    (
        "mr mrs ms messrs dr drs prof rev hon gen gov sen rep capt col lt sgt maj adm pres st ste sta sto m mm mme mmes"
        " mlle mlles mgr pr hr fr frl sig dott avv dhr mevr mw ds ing dipl sr sra srta d dña lic inż ks bp abp dl dna"
        " mt av avda bd bros vs hv hæstv þm onor св им ул проф акад доц г-н г-жа д-р гр инж κ κκ δρ pt fot"
    ).split()
)
"""Abbreviations that a name follows, so that no sentence ends after them."""
_FINAL = frozenset(
    (
        "etc usw usf ecc itd ipd itp jne yms atd apod atď stb osv o.s.v enz e.d e.a m.m m.fl vb vd dll dsb v.v ktp srl"
        " utt srl ayyb ens ა.შ სხვ др т.д т.п д п итн κ.λπ κλπ κ.τ.λ κτλ"
    ).split()
)
"""Abbreviations that end lists, after which a capital begins a sentence."""
_LAST_DAY_OF_MONTH = 31
_MAX_UNLISTED_ABBREVIATION_LETTERS = 2


class Mark(IntEnum):
    """The mark with which a chunk ends; the numbers have four bits."""

    NONE = 0
    FULL = 1
    """A full stop."""
    STRONG = 2
    """A question or exclamation mark."""
    STOP = 3
    """A mark that always ends a sentence, such as the wide full stop."""
    ELLIPSIS = 4
    QUOTED = 5
    """A full stop, question or exclamation mark before a quote or bracket."""
    LAST_SURE = 5
    """Up to this number, a sentence ends if the next chunk begins plainly."""
    ABBREVIATION = 6
    INITIAL = 7
    NUMBER = 8
    """A dot after a number, which may be an ordinal."""
    COUNT = 9
    """A dot after a number in a language without such ordinals."""
    NUMBERED = 10
    """A dot after a word that is an abbreviation only before a number, such as `no.`"""
    SEMICOLON = 11
    SMILE = 12
    WEAK = 13
    """A mark that ends a sentence only before a capital, in some languages."""
    LONE = 14
    """A full stop with spaces around it."""
    SPACE = 15
    """No mark, in a language that has none for the end of sentences."""


# As in `1. First`, `P.S. I` and `Foto: Kari`.
_LEADING = frozenset({Mark.ABBREVIATION, Mark.INITIAL, Mark.NUMBER, Mark.COUNT, Mark.WEAK})
_DOUBTFUL = frozenset({Mark.ABBREVIATION, Mark.INITIAL, Mark.SEMICOLON, Mark.WEAK})


def begins_plainly(chunk: str) -> bool:
    """Tell whether a chunk begins with a digit or a letter that is not lower-case, after at most a quote or bracket."""
    first = chunk[1:2] if chunk[0] in _OPENERS else chunk[0]
    return first.isalnum() and not is_lower(first)


def _last(words: Sequence[str]) -> int:
    """Return the place of the last word that is not a closing quote or bracket."""
    at = len(words) - 1
    while at > 0 and words[at] in _CLOSERS:
        at -= 1
    return at


def mark_of(words: Sequence[str], language: Language) -> Mark:
    """Return the mark with which a chunk ends; quotes and brackets may follow it."""
    at = _last(words)
    last = words[at]
    if last == ".":
        return _mark_of_dot(words, at, language)
    if last in STOPS:
        return Mark.STOP
    if last[-1] in _STRONG:
        return Mark.QUOTED if at < len(words) - 1 else Mark.STRONG
    if last[-1] in ".…":
        return Mark.ABBREVIATION if last[0].isalnum() else Mark.ELLIPSIS
    return _mark_by_language(last, language)


def _mark_of_dot(words: Sequence[str], at: int, language: Language) -> Mark:
    """Return the mark of a chunk whose word `at`, before quotes and brackets, is a dot."""
    if language.colon_stops:
        return Mark.NONE
    if at == 0:
        return Mark.LONE
    if words[at - 1] == ".":
        return Mark.ELLIPSIS
    mark = dot_after(words[at - 1], language)
    return Mark.QUOTED if mark == Mark.FULL and at < len(words) - 1 else mark


def _mark_by_language(last: str, language: Language) -> Mark:
    """Return the mark that a word is in a language, if it is none in others."""
    if last == ":" and language.colon_stops:
        return Mark.FULL
    if last in language.weak_stops:
        return Mark.WEAK
    if last == ";":
        return Mark.STRONG if language.semicolon_asks else Mark.SEMICOLON
    if _SMILE.match(last):
        return Mark.SMILE
    return Mark.SPACE if language.spaces_end else Mark.NONE


def dot_after(word: str, language: Language) -> Mark:
    """Return what a dot is after a word."""
    if is_initial(word):
        return Mark.INITIAL
    if _NUMBER.fullmatch(word):
        return Mark.NUMBER if language.ordinals else Mark.COUNT
    if word.lower() in language.numbered:
        return Mark.NUMBERED
    return Mark.ABBREVIATION if language.splits_dots and word.lower() in language.abbreviations else Mark.FULL


def inner_ends(words: Sequence[str]) -> tuple[int, ...]:
    """Return after how many words of a chunk sentences end inside it.

    This is so in scripts without spaces, and where a space was left out.
    """
    if len(words) < 3 and words[0] not in STOPS:
        return ()
    ends = []
    ended = False  # whether there was a mark, and then only quotes and brackets
    for at in range(1, len(words)):
        last, word = words[at - 1], words[at]
        ended = last in STOPS or (ended and (last in INNER_CLOSERS or _MARKS.issuperset(last)))
        if word in INNER_CLOSERS or word in STOPS or _MARKS.issuperset(word):
            continue
        if ended or (last in ".!?" and at > 1 and word[0].isupper() and words[at - 2][-1].islower()):
            ends.append(at)
    return tuple(ends)


def ends_here(mark: Mark, chunks: Sequence[str], at: int, words: Sequence[str], lang: str, *, first: bool) -> bool:
    """Tell whether a sentence ends after chunk `at`, by its mark and what follows.

    `words` are those of the chunk; `first` tells whether the chunk is the first of its sentence.
    """
    following = chunks[at + 1]
    if mark in {Mark.STOP, Mark.SPACE}:
        return mark == Mark.STOP or thai.ends_between(chunks[at], following)
    if following[0] in "@#":
        return mark not in _DOUBTFUL
    if _goes_on(following) or (mark != Mark.SMILE and _SMILE.match(following)):
        return False  # the sentence may end after that chunk
    dashed = not following.strip('-–—―"»”’)') and at + 2 < len(chunks)
    if at + 2 < len(chunks) and (_FIRST.search(following) is None or _CLIPPED.fullmatch(following)):
        following = chunks[at + 2]
        if _goes_on(following):
            return False
    found = _FIRST.search(following)
    letter = found.group() if found else ""
    mark, before = _before(mark, chunks, at, words, lang)
    if is_lower(letter):
        return not (dashed and mark != Mark.FULL) and _ends_before_lower(mark, before, lang)
    return _ends_before(mark, before, following, letter, lang, first=first)


def _before(mark: Mark, chunks: Sequence[str], at: int, words: Sequence[str], lang: str) -> tuple[Mark, str]:
    """Return the mark of chunk `at`, and the word before it.

    A full stop with spaces around it is one of the chunk before: `Dr . Brown`, `1 . 000`. It is none of a short word.
    """
    if mark != Mark.LONE:
        place = _last(words)
        return mark, words[place - 1] if place and words[place] == "." else words[place].rstrip(".")
    before = chunks[at - 1] if at else ""
    if before.isdecimal():
        return Mark.NUMBERED, before
    if before == ".":
        return Mark.ELLIPSIS, before
    mark = dot_after(before, language(lang))
    return (mark, before) if mark in {Mark.ABBREVIATION, Mark.INITIAL} else (Mark.FULL, "")


def _goes_on(chunk: str) -> bool:
    """Tell whether a chunk goes on with what is before it: it begins with a comma or the like, or is only marks."""
    after_quote = chunk.lstrip('"”»’)')[:1] or chunk[0]
    return (after_quote in CONTINUING and chunk not in {"+", ",,"}) or _MARKS.issuperset(chunk)


def _ends_before_lower(mark: Mark, before: str, lang: str) -> bool:
    """Tell whether a sentence ends before a lower-case letter: many people write without capitals.

    But a short word before a dot that is not a frequent one may be an abbreviation that is not in the lists.
    """
    if mark != Mark.FULL:
        return mark == Mark.STRONG
    rules = language(lang)
    if not before or not rules.lower_begins:
        return not before
    short = len(before) <= _MAX_UNLISTED_ABBREVIATION_LETTERS and rules.abbreviates
    return not short or before.lower() in stop_list(lang)


def _ends_before(mark: Mark, before: str, following: str, letter: str, lang: str, *, first: bool) -> bool:
    """Tell whether a sentence ends before a chunk that does not begin with a lower-case letter."""
    lower = before.lower()
    named = (mark == Mark.ABBREVIATION and lower in _TITLES) or (mark == Mark.INITIAL and following in _PARTICLES)
    if named or (first and mark in _LEADING):
        return False
    if mark == Mark.NUMBERED:
        return not letter.isdecimal() and _NUMBER.match(following) is None
    if mark in {Mark.SMILE, Mark.WEAK}:
        return letter.isupper()
    if mark == Mark.ABBREVIATION and lower in _FINAL:
        return letter.isalpha()
    small = not before.isdecimal() or (len(before) < 3 and int(before) <= _LAST_DAY_OF_MONTH)
    if mark in _DOUBTFUL or (mark == Mark.NUMBER and small):
        return _starts_often(following, lang)
    return True


def _starts_often(chunk: str, lang: str) -> bool:
    """Tell whether a chunk begins with a capitalised stop word, which is rare but at the start of a sentence."""
    found = _WORD.search(chunk)
    return found is not None and found.group()[0].isupper() and found.group() in stop_list(lang)


class Closers:
    """Finds closing quotes and brackets that are chunks of their own; `closes` must be called from left to right."""

    def __init__(self, chunks: Sequence[str]) -> None:
        self._chunks = chunks
        self._counted = 0
        self._counts = dict.fromkeys(('"', "“", "„", "''", ",,", "``"), 0)

    def closes(self, at: int) -> bool:
        """Tell whether chunk `at` closes what is before it.

        A quote that may also open does after an odd number of them, or after quotes that it closes in other languages.
        """
        chunk = self._chunks[at]
        if chunk not in _OPENED_BY:
            return chunk in _LONE_CLOSERS
        if at + 1 == len(self._chunks) or self._chunks[at + 1] == chunk:
            return True  # nothing follows, or one that opens
        for earlier in self._chunks[self._counted : at]:
            for quote in self._counts:
                self._counts[quote] += earlier.count(quote)
        self._counted = at
        if chunk == "“" and self._closed_otherwise:
            return False
        return any(map(self._counts.__getitem__, _OPENED_BY[chunk])) or self._counts[chunk] % 2 == 1

    @cached_property
    def _closed_otherwise(self) -> bool:
        """Whether `“` only opens, as `”` closes."""
        return any("”" in chunk for chunk in self._chunks)
