"""The pattern of tokens: one regular expression that splits text between spaces into tokens. Used by `words`.

In the spirit of unitok (Michelfeit, Pomikálek and Suchomel 2014). Everything is matched without backtracking
(possessive quantifiers) or within a bounded length, so that time is linear in any text. What may stand inside a word
differs by language; all else is the same for all, so that there are few patterns to compile.
"""

from __future__ import annotations

import re
from functools import cache

from gristmill.annotation.characters import EMOJI, lower_class, mark_class, upper_class, word_class
from gristmill.annotation.languages import Language
from gristmill.text.scripts import SEGMENTED

_ADDRESS_END = r"\s()<>\[\]{}\"«»“”„.,;:!?'’…"  # never at the end of an address; the marks may stand inside
_ADDRESS = rf"(?:[.,;:!?'’\[\]]*+(?:[^{_ADDRESS_END}]|\([^\s()<>]{{0,200}}+\)))*+"
_LABEL = r"[^\W_](?:[\w-]{0,62})"
_URL = rf"(?i:(?:https?|ftps?)://|www\.(?=\w)){_ADDRESS}|(?:{_LABEL}\.){{1,6}}[^\W\d_]{{2,18}}/(?=\w){_ADDRESS}"
_EMAIL = rf"(?:mailto:)?[\w.+%-]{{1,64}}+@(?:{_LABEL}\.){{1,6}}[^\W\d_]{{2,18}}"
_NAME = r"@\w(?:[\w.-]{0,80}\w)?"
_EMOTICON = (
    r"[<>]?[:;=][-o*'^~]?(?:[)(\]\[|\\/*$@}{><]{1,40}+|[DdPpOoSsXxЗз](?!\w))|\(-?[:;](?![\w)])|</?3+(?!\w)"
    r"|[-^]_+[-^]|\^\^|\\o/|¯\\_\(ツ\)_/¯"
)
_EMOJI = rf"(?:[\U0001f1e6-\U0001f1ff]{{2}}|[{EMOJI}][\ufe0e\ufe0f]?[\U0001f3fb-\U0001f3ff]?[\U000e0020-\U000e007f]*+)"
_EMOJI_SEQUENCE = rf"[0-9\#*]\ufe0f?\u20e3|{_EMOJI}(?:\u200d{_EMOJI})*+"
_SAME = r"\.{2,}+|…++|``|''|,,|(?P<same>[-–—=*~+<>$/\\^|•·#_‚])(?P=same)++"
_ENTITY = r"&(?:\#\d{1,7}|[A-Za-z]{2,8});"  # of HTML, where it was not decoded
_LIKE_WORDS = (
    r"(?:US|NZ|HK|[ACR])\$(?=\d|$)|[Cc]\+\+(?!\w)|[CF]\#(?!\w)|[Nn][°º]|[όΌ],τι\w{0,20}+"
    rf"|\[-{{2,4}}\]|(?:{_ENTITY})++|</?[A-Za-z]\w{{0,15}}+/?>"
)
_CLIPPED = r"\d\ds?|s|t|n|m|d|ll|re|ve|em|til|cause|bout"  # words after an apostrophe: `'90s`, `'em`
_THAI_ABBREVIATION = r"(?:(?:[ก-ฮ]{1,4}|เม|มี|มิ)\.){1,6}+"
_RUN = f"(?P<run>[{SEGMENTED}]++)"
_DOTTED_RUN = rf"(?P<run>[{SEGMENTED}]++(?:\.(?!\.)[{SEGMENTED}]*+)*+)"
_PERCENTAGE = r"\d++(?:[.,]\d++)*+%(?:-[^\W\d_]{1,20}+)?+"
_ENUMERATOR = r"\((?:\d{1,2}|[^\W\d_]|[ivx]{2,5})\)|\A[^\W\d_]\)"


def _inside(word: str, joiners: str, splitters: str) -> str:
    """Return the pattern of what joins two pieces of one word, which is made of the characters of a class.

    These are apostrophes, hyphens, and marks between digits, initials, and names of hosts and files.
    """
    lower, upper = lower_class(), upper_class()
    plain = "".join(mark for mark in rf"-‐‑'’ʼ՚׳·&@{joiners}" if mark not in splitters)
    return (
        rf"(?=[{plain}\"״.,:/٫٬])(?!{_ENTITY})(?:[{plain}](?=[{word}])"
        rf"|\.(?=[{word}])(?:(?<![{lower}]{{2}}\.)|(?![{upper}]))|\.-(?<=\b[{upper}]\.-)(?=[{upper}])"
        rf"|[,:/٫٬](?<=\d.)(?=\d)|/(?<=\d/)(?=[{upper}]{{2}})|/(?:(?<=\b[^\W\d]/)(?=[^\W\d]\b)|(?<=\bkm/)(?=h\b))"
        rf"|[\"״](?<=[א-ת].)(?=[א-ת]))"
    )


def token_pattern(language: Language, *, addresses: bool = False) -> re.Pattern[str]:
    """Return the compiled pattern for a language.

    In a match, the group `word` is a word from which clitics and hyphens may be split; the group `run` is a run of
    characters of scripts without spaces. URLs, e-mail addresses and names of users are only matched with `addresses`,
    since most chunks have none.
    """
    characters = word_class() + language.letters
    word = f"[{characters}]++"
    ending = rf"(?:\([{lower_class()}]{{1,3}}\)(?!\w))?+"  # as in `word(s)`
    pieces = f"{word}(?:{_inside(characters, language.joiners, language.splitters)}{word})*+{ending}"
    edge, tail = (rf"(?:[-–](?![{upper_class()}]))?+", f"(?:-(?:/{pieces})?+)?+") if language.dangling else ("", "")
    clipped = f"{_CLIPPED}|{language.clipped}" if language.clipped else _CLIPPED
    run = _DOTTED_RUN if language.dotted_runs else f"{_THAI_ABBREVIATION}|{_RUN}"
    emoji = f"(?:{_EMOJI_SEQUENCE})" + ("++" if language.emoji_runs else "")
    parts = [
        *([_URL, _EMAIL, _NAME] if addresses else []),
        _LIKE_WORDS,
        *([_PERCENTAGE] if language.percentages else []),
        *([_ENUMERATOR] if language.enumerators else []),
        f"(?P<word>{edge}{pieces}{tail})",
        run,
        *([] if "'" in language.splitters else [f"['’](?i:{clipped})(?!\\w)"]),
        rf"\#(?=\w{{0,40}}[^\W\d_])[{word_class()}]{{1,140}}+",
        _EMOTICON,
        emoji,
        *([] if language.dot_runs else [r"\."]),
        *([r"[!?]{1,3}+\.{2,3}+"] if language.mixed_runs else []),
        _SAME,
        *([r"[!?]{2,}+"] if language.mark_runs else []),
        *([r"\){2,}+|\({2,}+"] if language.smiles else []),
        f".[{mark_class()}]*+",
    ]
    return _compile("|".join(parts))


@cache
def _compile(pattern: str) -> re.Pattern[str]:
    """Compile a pattern, which several languages may share, only once."""
    return re.compile(pattern, re.DOTALL)
