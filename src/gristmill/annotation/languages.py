"""The rules of tokenisation that differ by language: clitics, hyphens, ordinals. Used by `words` and `sentences`.

There is one table; languages that are not in it have the defaults of `Language`. The rules follow the treebanks of
Universal Dependencies, and where two of a language differ, the larger one or the one nearer to web text. But
contractions that UD splits without a seam in the text (`du`, `zum`, `dámelo`, Georgian `სახლ|ში`) stay whole.
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
    """Whether the semicolon is a question mark, or ends sentences like one."""
    splits_digits: bool = False
    """Whether digits and letters next to each other are two tokens."""
    splits_initials: bool = False
    """Whether initials without spaces between them are tokens of their own."""
    parts: re.Pattern[str] | None = None
    """Words that are split into the groups of this pattern."""
    letters: str = ""
    """Further characters that words are made of, as in the brackets of a regular expression."""
    joiners: str = ""
    """Further characters that may stand inside a word."""
    splitters: str = ""
    """Characters that never stand inside a word, though they may in other languages."""
    elided: re.Pattern[str] | None = None
    """Words that keep an apostrophe after them: `ta'` in Maltese."""
    clipped: str = ""
    """Words that keep an apostrophe before them, as a pattern without it: `'di` in Welsh."""
    dangling: bool = False
    """Whether hyphens before and after a word are part of it."""
    emoji_runs: bool = False
    """Whether a run of emoji is one token."""
    mark_runs: bool = True
    """Whether a run of marks, as in `!!!`, is one token."""
    dot_runs: bool = True
    """Whether a run of dots is one token."""
    mixed_runs: bool = False
    """Whether a mark and dots after it, as in `!..`, are one token."""
    percentages: bool = False
    """Whether a number and the sign of per cent after it are one token."""
    enumerators: bool = False
    """Whether a number or letter in brackets, as in `(a)` and `a)`, is one token."""
    smiles: bool = False
    """Whether brackets without a partner, as in `)))`, are smiles."""
    lower_begins: bool = True
    """Whether a sentence may begin with a lower-case letter after a full stop."""
    abbreviates: bool = True
    """Whether short words before a full stop may be abbreviations that are not in the list."""
    weak_stops: str = ""
    """Marks that end a sentence before a capital."""
    spaces_end: bool = False
    """Whether a space may end a sentence, as there is no mark for it."""
    colon_stops: bool = False
    """Whether the colon is a full stop, and the dot is none."""
    unspaced: bool = False
    """Whether no space follows the mark at the end of a sentence."""
    dotted_runs: bool = False
    """Whether dots may be part of words in a script without spaces, which are abbreviations: the segmenter decides."""


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
        rf"(?:{'|'.join(_PREFIXES.split())})-(?:[^\W\d]++|\d0s)$",
        r"\d++(?:-\d++){2,}+$",
        r"\d{1,3}+-\d{4}$|\d{5}-\d{4}$",
        r"uh-|mm-|x-ray|t-shirt|[\w-]{1,60}+\.(?:docx?|xlsx?|pdf|html?|jpe?g|png|txt)$",
    ),
    parts=_any(r"(\d{1,2}(?::\d\d)?)([ap]m)"),
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
    weak_stops=";",
)
_ITALIAN = Language(
    proclitics=_any(rf"[^\W\d]++{_APOSTROPHE}(?=[aeiouàèéìíòóùúh])"),
    whole=frozenset("po' mo' be' va' fa' da' di' sta' to' ca' pie' de' ne' co' a' que'".split()),
    weak_stops=";",
)
_CATALAN = Language(
    percentages=True,
    clipped="ls|l|ns|hi|ho",
    proclitics=_any(rf"[dlmnst]{_APOSTROPHE}"),
    enclitics=_any(rf"{_APOSTROPHE}(?:n|l|ls|m|ns|s|t|hi|ho|en)$"),
)
# The hyphen belongs to the shorter form: `s-` in `s-a`, but `-l` in `să-l`.
_ROMANIAN = Language(
    percentages=True,
    parts=re.compile(r"(\d+)(/)(\d+)"),
    proclitics=_any(r"(?:[slmnvicdpșş]|ne|le|te|mi|ți|ţi|și|şi|de|într|dintr|printr|dac)-(?=\w)(?!(?:și|şi)$)"),
    enclitics=_any(
        r"-(?:l|o|i|le|mi|ți|ţi|și|şi|se|ne|vă|te|mă|lui|ul|uri|urile)$",
        r"(?<=\b(?:să|nu|ce|ca|la))-\w{1,30}$",
        r"(?<=[IVXLC\d])-(?:lea|a)$",
    ),
)
_MALTESE = Language(
    splits_dots=True,
    dangling=True,
    elided=_any(r"[^\W\d]*+(?<=[aeiouħ])"),
    clipped="l|il|i",
    proclitics=_any(
        rf"(?:(?:i?|[bf]i?|ta|ma|sa|da|di|għal?|bħal?|mil?|lil?)[ldnrstxzżċ]-|[bfmtxħ]{_APOSTROPHE})(?=\w)"
    ),
)
_WEST_SLAVIC = Language(splits_hyphens=True, ordinals=True, splits_dots=True)
_NUMBERS_ONLY = re.compile(r"[\d.,-]*+[^\W\d]")  # all with a letter is kept: `5-10` is split, `7-letni` is not
_RUSSIAN = Language(
    splits_hyphens=True,
    keeps_hyphens=_NUMBERS_ONLY,
    splits_initials=True,
    emoji_runs=True,
    smiles=True,
    mixed_runs=True,
)
# Compounds are coordinated with a hyphen at the end or the start of a part: `land- en tuinbouw`.
_NORTH_GERMANIC = Language(splits_hyphens=True, keeps_hyphens=_NUMBERS_ONLY, dangling=True, ordinals=True)
_GREEK_ELIDED = re.compile(r"[^\W\d]*+(?<=[βγδζθκλμνξπρστφχψ])", re.IGNORECASE)
_ARMENIAN = Language(
    letters="՛՜՞՟",
    splits_hyphens=True,
    keeps_hyphens=re.compile(r"[\d.]++-(?:րդ|ամյա|ական|ամսյա|օրյա)|1-ին$|[A-Za-z]++-"),
    parts=re.compile(r"(\d\d?)(\.)(\d\d)(\.)(\d{4})"),
    splits_dots=True,
    colon_stops=True,
)
_HEBREW = Language(
    splits_hyphens=True,
    percentages=True,
    elided=re.compile("[א-ת][א-ת'’]*"),
    # Prefixes before a quote; in acronyms, few letters follow (`מנכ"ל`).
    parts=re.compile(r"([משהוכלב]{1,3})([\"״])([א-ת]{3,}.*)|([משהוכלב])([\"״])([א-ת]{2,}.*)"),
)
_TABLE: dict[str, Language] = {
    "en": _ENGLISH,
    "fr": _FRENCH,
    "it": _ITALIAN,
    "ca": _CATALAN,
    "oc": Language(proclitics=_any(rf"(?:[cdlmnst]|qu){_APOSTROPHE}")),
    "ro": _ROMANIAN,
    "mt": _MALTESE,
    "ga": Language(
        percentages=True,
        enumerators=True,
        proclitics=_any(rf"[bdms]{_APOSTROPHE}"),
        enclitics=_any(rf"(?<=[eé]){_APOSTROPHE}n$"),
        elided=_any("a"),
        clipped="na|sé|sí|un|ur",
    ),
    "gd": Language(proclitics=_any(rf"[bdm]{_APOSTROPHE}|a{_APOSTROPHE}(?=\w)")),
    "cy": Language(
        mark_runs=False,
        enclitics=_any(rf"{_APOSTROPHE}(?:r|n|u|i|ch|w|m|th)$"),
        clipped="di|na|r|i|u|w|ch|th|dw|dwi|dydyn|dyw|dyn|roedd|rwan|nafu|sa|se|te|ta|ma|ny|to|dach|dan|de",
    ),
    "sq": Language(elided=_any("t|s|m")),
    "es": Language(parts=re.compile(r"([^\W\d]+)([²³])"), weak_stops=";"),
    "gl": Language(weak_stops=";"),
    "de": Language(splits_hyphens=True, ordinals=True, mark_runs=False),
    "cs": replace(_WEST_SLAVIC, enumerators=True),
    "sk": _WEST_SLAVIC,
    "pl": replace(_WEST_SLAVIC, mark_runs=False, dot_runs=False),
    "sl": Language(
        splits_hyphens=True,
        keeps_hyphens=re.compile(r"[A-ZČŠŽ]{2,}+-[a-zčšž]{1,4}$|[^\W\d_]++-$"),
        dangling=True,
        ordinals=True,
        dot_runs=False,
    ),
    "tr": Language(joiners='"”', splits_hyphens=True, ordinals=True, splits_dots=True),
    "fi": Language(joiners=":–", dangling=True, ordinals=True, mark_runs=False),
    "et": Language(joiners=":", dangling=True, ordinals=True),
    "hu": Language(ordinals=True, percentages=True, dangling=True),
    "lt": Language(splits_dots=True, mixed_runs=True),
    "lv": Language(ordinals=True, splits_initials=True, parts=re.compile(r"(\d{1,4}\.)([^\W\d_]{3,})")),
    "ja": Language(splits_hyphens=True, splits_digits=True, unspaced=True),
    "ko": Language(letters="\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff", splitters="'’"),
    "el": Language(semicolon_asks=True, elided=_GREEK_ELIDED, clipped=r"[χρπστνδκμ]\w{0,12}"),
    "grc": Language(weak_stops=";", elided=re.compile(r"[^\W\d]+"), abbreviates=False),
    "la": Language(semicolon_asks=True, abbreviates=False),
    "kk": Language(mark_runs=False),
    "hy": _ARMENIAN,
    "he": _HEBREW,
    "ka": Language(mark_runs=False),
    "ky": Language(parts=re.compile(r"(\d{1,4}-)([^\W\d_]+)")),
    "id": Language(parts=re.compile(r"(Rp)(\d[\d.,]*)")),
    "yue": Language(unspaced=True),
    "zh": Language(unspaced=True),
    "ru": _RUSSIAN,
    "uk": Language(splits_initials=True, smiles=True, mixed_runs=True, joiners="`"),
    "be": Language(
        splits_hyphens=True,
        keeps_hyphens=re.compile(r"(?![^\W\d]++-\d)[\d-]*+[^\W\d]"),
        splits_initials=True,
        smiles=True,
        mixed_runs=True,
    ),
    "da": Language(dangling=True, ordinals=True),
    "sv": Language(joiners=":", dangling=True),
    "nl": Language(dangling=True, percentages=True, joiners="/"),
    "af": Language(dangling=True, percentages=True),
    "vi": Language(percentages=True),
    "th": Language(spaces_end=True, dotted_runs=True),
}
_SAME: dict[str, Language] = {
    "no nb nn": replace(_NORTH_GERMANIC, weak_stops=":"),
    "is fo": replace(_NORTH_GERMANIC, lower_begins=False),
    "hr bs": Language(ordinals=True, percentages=True),
    "sr lb gsw nds hsb dsb eu": Language(ordinals=True),
    "hi mr ne": Language(splits_hyphens=True, letters="॰"),  # the sign of abbreviations
}
"""Languages that have the same rules."""
_TABLE |= {code: rules for codes, rules in _SAME.items() for code in codes.split()}


@cache
def language(code: str) -> Language:
    """Return the rules of a language; the defaults if it is not known."""
    return replace(_TABLE.get(code, Language()), abbreviations=abbreviations(code))
