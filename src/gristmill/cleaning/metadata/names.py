"""Names of authors: what stands around them is taken away, and what is no name is refused."""

from __future__ import annotations

import re

_MAX_CHARACTERS = 200
_MOST_WORDS = 6
"""Words of a name in running text."""
_PREFIX = re.compile(
    r"(?:(?:written|posted|published|story|words|text|article|reported|reviewed)\s+by|by|von|par|por|door|autori?|"
    r"author|auteur|autore|автор|συγγραφέας|作者|撰文|記者|记者|文)\s*[:：/／]\s*"
    r"|(?:(?:written|posted|published|story|words|text|article|reported|reviewed)\s+by|by|von|par|por|door)\s+",
    re.IGNORECASE,
)
_NO_NAME = re.compile(
    r"(?:https?:)?//|www\.|\S+@\S+$|[\W\d_]*$|@|\S+\.(?:com|org|net|html?|php|co\.uk)\b|[\w-]{2,40}\.[a-z]{2,3}(?!\w)"
    r"|(?:admin|administrator|root|unknown|undefined|null|none|n/?a|author|authors|by|editor|editors|staff|user|guest|"
    r"anonymous|webmaster|super user|redaktion|redakcja|redakce|redacción|rédaction|default|test)$"
    r"|[{\[<%$].*[}\]>%]$",
    re.IGNORECASE,
)
_BYLINE = re.compile(
    r"(?:(?:^|[|•·–—,.:/)\d]\s*|(?:[Ww]ritten|[Pp]osted|[Pp]ublished|[Rr]eported|[Ss]ubmitted|am|pm|AM|PM)\s)"
    r"(?:by|von|par|por|door)|(?:^|[\s|•·–—,.:/)\d])(?:By|BY|Von|Par|Por|Door|"
    r"(?:[Aa]uthor|[Aa]utor|[Aa]utore|[Aa]uteur|Автор|Autorin|Συγγραφέας|作者|記者|记者|撰文)\s?[:：]))\s*"
)
_IN_BYLINES = (
    *("by", "By", "BY", "von", "Von", "par", "Par", "por", "Por", "door", "Door", "utor", "uthor", "uteur"),
    *("Автор", "Συγγραφέας", "作者", "記者", "记者", "撰文"),
)
"""What `_BYLINE` asks for: one of these is in each text that it matches."""
_CAPITAL = re.compile(r"[^\W\d_a-zà-öø-ÿа-яα-ω]")
_WORD = re.compile(r"[^\W\d_](?:[\w.'’-]*)")
_PARTICLES = frozenset(
    "de del della der den di da do dos du la le van von ten ter bin ibn al el y e zu zur und and & et".split()
)
_JOINING = frozenset({"and", "&", "und", "et", "y", "e"})
_NO_PART = frozenset(
    "on in at for from the a an this updated published posted last contributor contributors staff writer reporter "
    "editor correspondent senior associate january february march april may june july august september october "
    "november december jan feb mar apr jun jul aug sep sept oct nov dec monday tuesday wednesday thursday friday "
    "saturday sunday mon tue wed thu fri sat sun share print email tweet comments follow read link marketing director "
    "manager health science business political politics sports medical technology environment education data datum "
    "contributing opinion fot foto photo photos photograph min mins updated:".split()
)
_LONG_WORD = 4
"""A shorter one may be an abbreviation, such as `Jr.`"""
_FIRST_EAST_ASIAN = "\u3040"


def author_name(text: str) -> str:
    """Return a declared author without `by` and the like; empty if it is an address or a word such as `admin`."""
    text = text.strip(" \t,;|-–—:·•")
    if match := _PREFIX.match(text):
        text = text[match.end() :].strip()
    return "" if not text or len(text) > _MAX_CHARACTERS or _NO_NAME.match(text) else text


def authors(names: list[str]) -> str:
    """Join the names of several authors, without those that are no names or there twice."""
    return "; ".join(dict.fromkeys(filter(None, map(author_name, names))))


def may_have_byline(text: str) -> bool:
    """Tell, fast, whether a text has a word that stands before names: without it no name is found in a byline."""
    return any(word in text for word in _IN_BYLINES)


def name_in_byline(text: str, *, marked: bool = False) -> str:
    """Find the names behind `By` in a byline, or in all of it if the markup says that it is an author; or nothing."""
    match = _BYLINE.search(text)
    if match:
        text = text[match.end() :]
    elif not marked:
        return ""
    return "; ".join(_names(text))


def _names(text: str) -> list[str]:
    """Return the names at the beginning of a text: words with capitals, and what stands between them."""
    names: list[str] = []
    words: list[str] = []
    for word in text.replace(",", " , ").replace(";", " , ").split()[: 4 * _MOST_WORDS]:
        low = word.lower()
        if low in _JOINING or word == ",":
            names, words = [*names, *_name(words)], []
            if not names:
                break
            continue
        is_capital = _WORD.fullmatch(word) and (_CAPITAL.match(word) or word[0] >= _FIRST_EAST_ASIAN)
        if low in _NO_PART or not (is_capital or (words and low in _PARTICLES)):
            break
        words.append(word)
    return [*names, *_name(words)]


def _name(words: list[str]) -> list[str]:
    """Return the name that words make; nothing if they are too many, or one that is no name in East Asia."""
    while words and words[-1].lower() in _PARTICLES:
        words = words[:-1]
    if not words or len(words) > _MOST_WORDS or words[-1].endswith(("'s", "’s")):
        return []
    if len(words) == 1 and (words[0] < _FIRST_EAST_ASIAN or len(words[0]) > 4):
        return []
    name = author_name(" ".join([*words[:-1], words[-1] if len(words[-1]) < _LONG_WORD else words[-1].rstrip(".")]))
    return [name] if name else []
