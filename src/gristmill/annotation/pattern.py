"""The pattern of tokens: one regular expression that splits text between spaces into tokens. Used by `words`.

In the spirit of unitok (Michelfeit, Pomikálek and Suchomel 2014). Everything is matched without backtracking
(possessive quantifiers) or within a bounded length, so that time is linear in any text. What may stand inside a word
differs by language; all else is the same for all, so that there are few patterns to compile.
"""

from __future__ import annotations

import re
from functools import cache

from gristmill.annotation.characters import EMOJI, lower_class, mark_class, upper_class, word_class
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
_LIKE_WORDS = r"(?:US|NZ|HK|[ACR])\$(?=\d|$)|[Cc]\+\+(?!\w)|[CF]\#(?!\w)|[Nn][°º]"
_CLIPPED = r"['’](?i:\d\ds?|s|t|n|m|d|ll|re|ve|em|til|cause|bout)(?!\w)"


def _inside(joiners: str) -> str:
    """Return the pattern of what joins two pieces of one word.

    These are apostrophes, hyphens, and marks between digits, initials, and names of hosts and files.
    """
    lower, upper = lower_class(), upper_class()
    word = word_class()
    plain = rf"-‐‑'’ʼ՚׳·&@{joiners}"
    return (
        rf"(?=[{plain}\"״.,:/])(?:[{plain}](?=[{word}])"
        rf"|\.(?=[{word}])(?:(?<![{lower}]{{2}}\.)|(?![{upper}]))|\.-(?<=\b[{upper}]\.-)(?=[{upper}])"
        rf"|[,:/](?<=\d.)(?=\d)|/(?<=\d/)(?=[{upper}]{{2}})|/(?:(?<=\b[^\W\d]/)(?=[^\W\d]\b)|(?<=\bkm/)(?=h\b))"
        rf"|[\"״](?<=[א-ת].)(?=[א-ת]))"
    )


@cache
def token_pattern(
    *,
    addresses: bool = False,
    joiners: str = "",
    dangling: bool = False,
    emoji_runs: bool = False,
    mark_runs: bool = True,
    smiles: bool = False,
) -> re.Pattern[str]:
    """Compile the pattern for languages with these rules, which `Language` describes.

    In a match, the group `word` is a word from which clitics and hyphens may be split; the group `run` is a run of
    characters of scripts without spaces. URLs, e-mail addresses and names of users are only matched with `addresses`,
    since most chunks have none.
    """
    word = f"[{word_class()}]++"
    pieces = f"{word}(?:{_inside(joiners)}{word})*+"
    edge, tail = ("[-–]?", f"(?:-(?:/{pieces})?+)?+") if dangling else ("", "")
    emoji = f"(?:{_EMOJI_SEQUENCE})" + ("++" if emoji_runs else "")
    parts = [
        *([_URL, _EMAIL, _NAME] if addresses else []),
        _LIKE_WORDS,
        f"(?P<word>{edge}{pieces}{tail})",
        f"(?P<run>[{SEGMENTED}]++)",
        _CLIPPED,
        rf"\#(?=\w{{0,40}}[^\W\d_])[{word_class()}]{{1,140}}+",
        _EMOTICON,
        emoji,
        _SAME,
        *([r"[!?]{2,}+"] if mark_runs else []),
        *([r"\){2,}+|\({2,}+"] if smiles else []),
        f".[{mark_class()}]*+",
    ]
    return re.compile("|".join(parts), re.DOTALL)
