"""The rules of tokenisation that differ by language: clitics, hyphens, ordinals. Used by `words` and `sentences`.

There is one table; languages that are not in it have the defaults of `Language`. The rules follow the treebanks of
Universal Dependencies: hyphens are tokens in English, German, Turkish and the West Slavic languages, and parts of words
in others. But contractions that UD splits without a seam in the text (`du`, `zum`, `dámelo`) stay whole.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from functools import cache

from gristmill.annotation.abbreviations import abbreviations

_APOSTROPHE = "['’ʼ]"


@dataclass(frozen=True, slots=True)
class Language:
    """The rules of tokenisation of one language."""

    abbreviations: frozenset[str] = frozenset()
    """Words in lower case, without the dot that is part of them."""
    splits_hyphens: bool = False
    """Whether hyphens are tokens."""
    keeps_hyphens: re.Pattern[str] | None = None
    """Words with hyphens that stay whole where others are split."""
    proclitics: re.Pattern[str] | None = None
    """Tokens at the start of a word, with their apostrophe: `l'` in `l'eau`."""
    enclitics: re.Pattern[str] | None = None
    """Tokens at the end of a word: `n't` in `don't`."""
    whole: frozenset[str] = frozenset()
    """Words with an apostrophe or a hyphen, in lower case, that are not split."""
    pieces: dict[str, int] = field(default_factory=dict)
    """Words in lower case that are two tokens, with the length of the first: `can|not`."""
    ordinals: bool = False
    """Whether a number with a dot is an ordinal."""
    splits_dots: bool = False
    """Whether the dot of an abbreviation or ordinal is a token."""
    numbered: frozenset[str] = frozenset("no nos nr fig figs art vol p pp pp kap cap ch sec núm pág n s bd str".split())
    """Abbreviations, in lower case without their dot, that are abbreviations only before a number."""
    semicolon_asks: bool = False
    """Whether the semicolon is a question mark."""
    splits_digits: bool = False
    """Whether digits and letters next to each other are two tokens."""
    splits_initials: bool = False
    """Whether initials without spaces between them are tokens of their own."""
    parts: re.Pattern[str] | None = None
    """Words that are split into the groups of this pattern."""
    joiners: str = ""
    """Further characters that may stand inside a word."""
    dangling: bool = False
    """Whether hyphens before and after a word are part of it."""
    emoji_runs: bool = False
    """Whether a run of emoji is one token."""
    mark_runs: bool = True
    """Whether a run of marks, as in `!!!`, is one token."""
    smiles: bool = False
    """Whether brackets without a partner, as in `)))`, are smiles."""
    unspaced: bool = False
    """Whether no space follows the mark at the end of a sentence."""


def _any(*forms: str) -> re.Pattern[str]:
    """Compile a pattern of alternatives, in any case."""
    return re.compile("|".join(forms), re.IGNORECASE)


_PREFIXES = (
    "a anti bi bio co contra counter cross de di e ex extra hyper in inter intra macro mega micro mid mini mis mono"
    " multi neo non o over pan para post pre pro proto pseudo quasi re semi sub super supra trans tri ultra un under"
    " uni vice"
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
    proclitics=_any(rf"d{_APOSTROPHE}(?=ya|you)|y{_APOSTROPHE}(?=all)"),
    enclitics=_any(rf"(?:n{_APOSTROPHE}t|{_APOSTROPHE}(?:s|m|d|re|ve|ll))$"),
    pieces={f"{verb}nt": len(verb) for verb in _NEGATED.split()}
    | {first + second: len(first) for first, second in (pair.split() for pair in _PIECES.split(","))},
)
_PRONOUNS = "-t[-'’](?:il|elle|on|ils|elles)|-(?:je|tu|il|elle|on|nous|vous|ils|elles|moi|toi|lui|leur|les?|la|y|en)"
_FRENCH = Language(
    proclitics=_any(rf"(?:[cçdjlmnst]|qu|jusqu|lorsqu|puisqu|quoiqu){_APOSTROPHE}(?=\w|$)"),
    enclitics=_any(rf"(?:{_PRONOUNS}|(?<=est)-ce|(?<=sont)-ce|(?<=était)-ce|(?<=fut)-ce|(?<=serait)-ce)$"),
    parts=re.compile(r"(\d{1,2})([hH])(\d\d)?"),
    whole=frozenset("c'est-à-dire rendez-vous l'on".split()),
)
_ITALIAN = Language(
    proclitics=_any(rf"[^\W\d]++{_APOSTROPHE}(?=[aeiouàèéìíòóùúh])"),
    whole=frozenset("po' mo' be' va' fa' da' di' sta' to' ca' pie' de' ne' co' a' que'".split()),
)
_CATALAN = Language(
    proclitics=_any(rf"[dlmnst]{_APOSTROPHE}"),
    enclitics=_any(rf"(?:{_APOSTROPHE}(?:n|l|ls|m|ns|s|t|hi|ho|en)|-(?:se|ne|hi|ho|lo|la|los|les|li|me|te|nos|vos))$"),
)
_ROMANIAN = Language(
    proclitics=_any(r"(?:[slmnvicdpșş]|ne|le|te|mi|ți|ţi|și|şi|ce|de|într|dintr|printr|să|nu)-(?=\w)"),
    enclitics=_any(r"-(?:l|o|i|le|mi|ți|ţi|și|şi|se|ne|vă|te|mă|lui|ul|uri|urile)$"),
)
_MALTESE = Language(
    proclitics=_any(rf"(?:(?:i?[ldnrstxzżċ]|(?:ta|ma|bi|fi|sa|għa|bħa|mi|li)[ldnrstxzżċ])-|[bfmtx]{_APOSTROPHE})(?=\w)")
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
    "oc": Language(proclitics=_any(rf"(?:[cdlmnst]|qu){_APOSTROPHE}")),
    "ro": _ROMANIAN,
    "mt": _MALTESE,
    "ga": Language(proclitics=_any(rf"[bdm]{_APOSTROPHE}")),
    "gd": Language(proclitics=_any(rf"[bdm]{_APOSTROPHE}|a{_APOSTROPHE}(?=\w)")),
    "cy": Language(enclitics=_any(rf"{_APOSTROPHE}(?:r|n|u|i|ch|w|m|th)$")),
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
    "ja": Language(splits_hyphens=True, splits_digits=True, unspaced=True),
    "el": Language(semicolon_asks=True),
    "yue": Language(unspaced=True),
    "zh": Language(unspaced=True),
    "ru": _RUSSIAN,
    "uk": Language(splits_initials=True, smiles=True),
    "be": Language(splits_initials=True, smiles=True),
} | dict.fromkeys("da no nb nn is fo hr sr bs hu lv lb gsw nds hsb dsb eu".split(), Language(ordinals=True))


@cache
def language(code: str) -> Language:
    """Return the rules of a language; the defaults if it is not known."""
    return replace(_TABLE.get(code, Language()), abbreviations=abbreviations(code))
