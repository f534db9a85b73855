"""Sentence ends inside chunks of Chinese and Japanese, which mostly have no space after a mark. Used by `chunk_rules`.

Wide marks end a sentence (`本当？はい。`). Half-width ones do by what stands on both sides, since they are also part of
names, addresses and file names: `本当?はい。`, but `Yahoo!ニュース` and `a?b=c`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from gristmill.annotation.characters import EMOJI
from gristmill.annotation.sentences import CONTINUING, INNER_CLOSERS, STOPS
from gristmill.text.scripts import SEGMENTED

_HALF_STRONG = frozenset("!?‽‼⁇⁈⁉")
_WIDE_STRONG = frozenset("！？")
_ELLIPSES = frozenset("…⋯")
_WEAK = _ELLIPSES | {"．"}
_MARKS = STOPS | _HALF_STRONG | _ELLIPSES | {"."}
_ROUND_CLOSERS = frozenset(")）")
_MAX_TITLE_WORDS = 20
_TITLE_OPENERS, _TITLE_CLOSERS = frozenset("《〈"), frozenset("》〉")
_NATIVE_CONTINUING = CONTINUING | frozenset("-、，；：／＝・~～〜—―")
_DECORATION = re.compile(rf"(?:[♪♫♬☆★♡♥{EMOJI}]\ufe0f?)+")
_NATIVE = re.compile(f"[{SEGMENTED}]")
_NATIVE_OPENERS = frozenset("「『（【《〈“")
_HIRAGANA = re.compile("[ぁ-ゟ]")
# Japanese particles with which hardly a sentence begins; で and より are not among them (`でも`, `より良い`).
_PARTICLES = frozenset("は が の を に へ と も や って から まで など とか なんて".split())
_FINAL_FORMS = frozenset("た です ます ね よ".split())


def unspaced_ends(words: Sequence[str], lang: str) -> tuple[int, ...]:
    """Return after how many words of a chunk of Chinese or Japanese sentences end inside it.

    The words 本当 か ? ! 」 はい 。 have one such end, after 」, where the run `?!` is followed by another word. What
    ends the chunk is left to others.
    """
    return tuple(_Ends(words, lang).find()) if not _MARKS.isdisjoint("".join(words)) else ()


class _Ends:
    """Finds the sentence ends inside one chunk, reading it once from left to right."""

    def __init__(self, words: Sequence[str], lang: str) -> None:
        self._words = words
        # Particles go on with a Japanese sentence. Without a segmenter each character is a word, so that は may begin
        # はい; such text has no word of two characters.
        segmented = lang == "ja" and any(len(word) > 1 and _is_native(word) for word in words)
        self._particles = _PARTICLES if segmented else frozenset[str]()
        self._final_forms = _FINAL_FORMS if lang == "ja" else frozenset[str]()
        self._dots = lang == "ja"

    def find(self) -> Iterator[int]:
        """Yield after how many words sentences end."""
        start = 0  # the first word of a run of marks
        after = 0  # the word after the run, if there was one; closing quotes and brackets may follow it
        quoted = False  # whether a straight quote is open
        title = 0  # up to which word a title may go
        for at, word in enumerate(self._words):
            if word[0] in _MARKS and _MARKS.issuperset(word):
                start, after = start if after == at and at else at, 0 if at < title else at + 1
            elif after and not (word in INNER_CLOSERS or (quoted and word == '"') or _DECORATION.fullmatch(word)):
                if self._ends(start, after, at):
                    yield at
                after = 0
            quoted ^= word == '"'
            title = at + _MAX_TITLE_WORDS if word in _TITLE_OPENERS else 0 if word in _TITLE_CLOSERS else title

    def _ends(self, start: int, after: int, at: int) -> bool:
        """Tell whether a sentence ends before word `at`, which follows the marks from `start` and what closes them."""
        words = self._words
        marks = set("".join(words[start:after]))
        closer = next((word for word in reversed(words[after:at]) if not _DECORATION.fullmatch(word)), "")
        strong = marks & (_HALF_STRONG | _WIDE_STRONG)
        if (strong or closer) and words[at] in self._particles and words[at + 1 : at + 2] != ("、",):
            return False  # `「はい。」と答えた`, `けいおん!の歌`
        if marks & STOPS - {"．"}:
            return True
        if strong:
            return closer not in _ROUND_CLOSERS and self._ends_strongly(start, after, at)
        if closer:
            return closer not in _ROUND_CLOSERS and bool(marks & _WEAK)
        return self._ends_weakly(words[start - 1] if start else "", marks, words[at])

    def _ends_weakly(self, before: str, marks: set[str], word: str) -> bool:
        """Tell whether a full stop that is not 。 or an ellipsis ends a sentence between two words."""
        if "．" in marks:
            return not (_is_plain(before[-1:]) and _is_plain(word[0]))  # `３．１４`
        if not _is_native(word):
            return False
        if marks & _ELLIPSES:
            return before in self._final_forms
        return self._dots and _HIRAGANA.match(before[-1:]) is not None

    def _ends_strongly(self, start: int, after: int, at: int) -> bool:
        """Tell whether half-width question and exclamation marks end a sentence."""
        words = self._words
        before = words[start - 1][-1] if start else "、"
        if _NATIVE_CONTINUING & {before, words[at][0]} or words[at + 1 : at + 2] == ("=",):
            return False
        if not _is_plain(before):
            return True
        if not _is_native(words[at]):
            return False  # `a?b=c`
        return before.isdecimal() or tuple(words[start:after]) != ("!",)  # `Yahoo!ニュース`


def _is_plain(character: str) -> bool:
    """Tell whether a character is a digit or a letter of a script with spaces."""
    return character.isalnum() and not _is_native(character)


def _is_native(word: str) -> bool:
    """Tell whether a word begins with a letter of a script without spaces, or with an opening mark of theirs."""
    return _NATIVE.match(word) is not None or word[0] in _NATIVE_OPENERS
