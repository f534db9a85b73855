"""What differs from language to language in cutting words: clitics, hyphens, ordinals. One table; what is not in it is cut by default.

Where a treebank of Universal Dependencies shows how it is done, it is done so (hyphens are tokens in English, German,
Turkish and the West Slavic languages, and parts of words in others), but forms that UD takes apart without a seam in
the text (`du`, `zum`, `dámelo`) stay whole.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from functools import cache

from gristmill.annotation.abbreviations import abbreviations

_A = "['’ʼ]"


@dataclass(frozen=True, slots=True)
class Language:
    """How a language is cut."""

    abbreviations: frozenset[str] = frozenset()
    splits_hyphens: bool = False
    keeps_hyphens: re.Pattern[str] | None = None
    """Words with hyphens that stay whole where others are split."""
    proclitics: re.Pattern[str] | None = None
    """What is cut off at the start of a word, with its apostrophe."""
    enclitics: re.Pattern[str] | None = None
    """What is cut off at the end."""
    whole: frozenset[str] = frozenset()
    """Words with an apostrophe or a hyphen, in lower case, from which nothing is cut."""
    pieces: dict[str, int] = field(default_factory=dict)
    """Words in lower case that are two, and the length of the first."""
    ordinals: bool = False
    """A number with a dot is an ordinal."""
    splits_dots: bool = False
    """The dot of an abbreviation or ordinal is a token."""
    numbered: frozenset[str] = frozenset("no nos nr fig figs art vol p pp pp kap cap ch sec núm pág n s bd str".split())
    """Abbreviations, in lower case without their dot, that are such only before a number."""
    semicolon_asks: bool = False
    """The semicolon is a question mark."""
    splits_digits: bool = False
    """Digits and letters next to each other are two tokens."""
    splits_initials: bool = False
    """Initials without spaces between them are tokens."""
    parts: re.Pattern[str] | None = None
    """Words that are cut as the groups of this say."""
    joiners: str = ""
    dangling: bool = False
    emoji_runs: bool = False
    mark_runs: bool = True
    smiles: bool = False
    """See `token_pattern`."""


def _any(*forms: str) -> re.Pattern[str]:
    return re.compile("|".join(forms), re.IGNORECASE)


_PREFIXES = (
    "a anti bi bio co contra counter cross de di e ex extra hyper in inter intra macro mega micro mid mini mis mono multi neo non o over "
    "pan para post pre pro proto pseudo quasi re semi sub super supra trans tri ultra un under uni vice"
)
_NEGATED = "ai are ca could did do does had has have is must need should was were would"
_PIECES = "can not, gon na, got ta, wan na, gim me, lem me, i m, i ve, you re, they re, that s, what s, there s"
_ENGLISH = Language(
    splits_hyphens=True,
    keeps_hyphens=_any(
        rf"(?:{'|'.join(_PREFIXES.split())})-[^\W\d]++$",
        r"\d++(?:-\d++){2,}+$",
        r"\d{1,3}+-\d{4}$",
        r"uh-|mm-|x-ray|t-shirt",
    ),
    proclitics=_any(rf"d{_A}(?=ya|you)|y{_A}(?=all)"),
    enclitics=_any(rf"(?:n{_A}t|{_A}(?:s|m|d|re|ve|ll))$"),
    pieces={f"{verb}nt": len(verb) for verb in _NEGATED.split()}
    | {first + second: len(first) for first, second in (pair.split() for pair in _PIECES.split(","))},
)
_PRONOUNS = "-t[-'’](?:il|elle|on|ils|elles)|-(?:je|tu|il|elle|on|nous|vous|ils|elles|moi|toi|lui|leur|les?|la|y|en)"
_FRENCH = Language(
    proclitics=_any(rf"(?:[cçdjlmnst]|qu|jusqu|lorsqu|puisqu|quoiqu){_A}(?=\w|$)"),
    enclitics=_any(rf"(?:{_PRONOUNS}|(?<=est)-ce|(?<=sont)-ce|(?<=était)-ce|(?<=fut)-ce|(?<=serait)-ce)$"),
    parts=re.compile(r"(\d{1,2})([hH])(\d\d)?"),
    whole=frozenset("c'est-à-dire rendez-vous l'on".split()),
)
_ITALIAN = Language(
    proclitics=_any(rf"[^\W\d]++{_A}(?=[aeiouàèéìíòóùúh])"),
    whole=frozenset("po' mo' be' va' fa' da' di' sta' to' ca' pie' de' ne' co' a' que'".split()),
)
_CATALAN = Language(
    proclitics=_any(rf"[dlmnst]{_A}"),
    enclitics=_any(rf"(?:{_A}(?:n|l|ls|m|ns|s|t|hi|ho|en)|-(?:se|ne|hi|ho|lo|la|los|les|li|me|te|nos|vos))$"),
)
_ROMANIAN = Language(
    proclitics=_any(r"(?:[slmnvicdpșş]|ne|le|te|mi|ți|ţi|și|şi|ce|de|într|dintr|printr|să|nu)-(?=\w)"),
    enclitics=_any(r"-(?:l|o|i|le|mi|ți|ţi|și|şi|se|ne|vă|te|mă|lui|ul|uri|urile)$"),
)
_MALTESE = Language(
    proclitics=_any(rf"(?:(?:i?[ldnrstxzżċ]|(?:ta|ma|bi|fi|sa|għa|bħa|mi|li)[ldnrstxzżċ])-|[bfmtx]{_A})(?=\w)")
)
_WEST_SLAVIC = Language(splits_hyphens=True, ordinals=True, splits_dots=True)
_RUSSIAN = Language(
    splits_hyphens=True, keeps_hyphens=re.compile(r"[\d-]*+[^\W\d]"), splits_initials=True, emoji_runs=True, smiles=True
)
_TABLE: dict[str, Language] = {
    "en": _ENGLISH,
    "fr": _FRENCH,
    "it": _ITALIAN,
    "ca": _CATALAN,
    "oc": Language(proclitics=_any(rf"(?:[cdlmnst]|qu){_A}")),
    "ro": _ROMANIAN,
    "mt": _MALTESE,
    "ga": Language(proclitics=_any(rf"[bdm]{_A}")),
    "gd": Language(proclitics=_any(rf"[bdm]{_A}|a{_A}(?=\w)")),
    "cy": Language(enclitics=_any(rf"{_A}(?:r|n|u|i|ch|w|m|th)$")),
    "es": Language(parts=re.compile(r"([^\W\d]+)([²³])")),
    "de": Language(splits_hyphens=True, ordinals=True, mark_runs=False),
    "cs": _WEST_SLAVIC,
    "sk": _WEST_SLAVIC,
    "pl": _WEST_SLAVIC,
    "sl": Language(splits_hyphens=True, keeps_hyphens=re.compile(r"[A-ZČŠŽ]{2,}+-\w{1,4}$"), ordinals=True),
    "tr": Language(joiners='"”', splits_hyphens=True, ordinals=True, splits_dots=True),
    "fi": Language(joiners=":–", dangling=True, ordinals=True, mark_runs=False),
    "et": Language(joiners=":", dangling=True, ordinals=True),
    "sv": Language(joiners=":", dangling=True),
    "ja": Language(splits_hyphens=True, splits_digits=True),
    "el": Language(semicolon_asks=True),
    "ru": _RUSSIAN,
    "uk": Language(splits_initials=True, smiles=True),
    "be": Language(splits_initials=True, smiles=True),
} | dict.fromkeys("da no nb nn is fo hr sr bs hu lv lb gsw nds hsb dsb eu".split(), Language(ordinals=True))


@cache
def language(code: str) -> Language:
    """How a language is cut; by default if it is not known."""
    return replace(_TABLE.get(code, Language()), abbreviations=abbreviations(code))
