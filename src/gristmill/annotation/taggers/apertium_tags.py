"""The tags of Apertium (wiki.apertium.org/wiki/List_of_symbols), `<n><pl><acc>`, as universal tags and features."""

from __future__ import annotations

from collections.abc import Sequence

from gristmill.annotation.features import gathered, written

_CLASSES = {
    **dict.fromkeys(("n", "ger"), "NOUN"),
    **dict.fromkeys(("np", "top"), "PROPN"),
    **dict.fromkeys(("v", "vblex", "vbl", "vbtr"), "VERB"),
    **dict.fromkeys(("vbser", "vbhaver", "vbmod", "vbdo", "vaux", "vbaux", "aux", "cop"), "AUX"),
    **dict.fromkeys(("adj", "a"), "ADJ"),
    **dict.fromkeys(("adv", "preadv", "postadv", "cnjadv", "detadv"), "ADV"),
    **dict.fromkeys(("prn", "rel", "itg"), "PRON"),
    **dict.fromkeys(("det", "predet"), "DET"),
    **dict.fromkeys(("pr", "post", "prep"), "ADP"),
    "num": "NUM",
    "cnjcoo": "CCONJ",
    "cnjsub": "SCONJ",
    "ij": "INTJ",
    **dict.fromkeys(("part", "qst", "mod", "emph", "neg"), "PART"),
    **dict.fromkeys(("mon", "percent", "sym", "web", "email", "file"), "SYM"),
    **dict.fromkeys(
        "sent cm lpar rpar lquot rquot quot lquest apos guio punct clb pun".split(),
        "PUNCT",
    ),
}
"""Universal tags by the first tag of a reading."""
_VALUES = {
    "sg": "Number=Sing",
    "pl": "Number=Plur",
    "du": "Number=Dual",
    "m": "Gender=Masc",
    "ma": "Animacy=Anim|Gender=Masc",
    "mi": "Animacy=Inan|Gender=Masc",
    "f": "Gender=Fem",
    "nt": "Gender=Neut",
    "ut": "Gender=Com",
    "p1": "Person=1",
    "p2": "Person=2",
    "p3": "Person=3",
    "nom": "Case=Nom",
    "acc": "Case=Acc",
    "gen": "Case=Gen",
    "dat": "Case=Dat",
    "loc": "Case=Loc",
    "abl": "Case=Abl",
    "ins": "Case=Ins",
    "voc": "Case=Voc",
    "prp": "Case=Loc",
    "ess": "Case=Ess",
    "ill": "Case=Ill",
    "ine": "Case=Ine",
    "ela": "Case=Ela",
    "all": "Case=All",
    "ade": "Case=Ade",
    "par": "Case=Par",
    "tra": "Case=Tra",
    "com": "Case=Com",
    "abe": "Case=Abe",
    "pri": "Mood=Ind|Tense=Pres|VerbForm=Fin",
    "pii": "Mood=Ind|Tense=Imp|VerbForm=Fin",
    "ifi": "Mood=Ind|Tense=Past|VerbForm=Fin",
    "fti": "Mood=Ind|Tense=Fut|VerbForm=Fin",
    "cni": "Mood=Cnd|VerbForm=Fin",
    "prs": "Mood=Sub|Tense=Pres|VerbForm=Fin",
    "pis": "Mood=Sub|Tense=Imp|VerbForm=Fin",
    "imp": "Mood=Imp|VerbForm=Fin",
    "pres": "Tense=Pres",
    "past": "Tense=Past",
    "pret": "Tense=Past",
    "fut": "Tense=Fut",
    "aor": "Tense=Aor",
    "inf": "VerbForm=Inf",
    "ger": "VerbForm=Ger",
    "pp": "Tense=Past|VerbForm=Part",
    "pprs": "Tense=Pres|VerbForm=Part",
    "perf": "Aspect=Perf",
    "imperf": "Aspect=Imp",
    "actv": "Voice=Act",
    "pasv": "Voice=Pass",
    "pass": "Voice=Pass",
    "caus": "Voice=Cau",
    "neg": "Polarity=Neg",
    "comp": "Degree=Cmp",
    "sup": "Degree=Sup",
    "def": "Definite=Def",
    "ind": "Definite=Ind",
    "dem": "PronType=Dem",
    "pers": "PronType=Prs",
    "pos": "Poss=Yes",
    "ref": "Reflex=Yes",
    "rel": "PronType=Rel",
    "itg": "PronType=Int",
    "ord": "NumType=Ord",
    "px1sg": "Number[psor]=Sing|Person[psor]=1",
    "px2sg": "Number[psor]=Sing|Person[psor]=2",
    "px3sg": "Number[psor]=Sing|Person[psor]=3",
    "px1pl": "Number[psor]=Plur|Person[psor]=1",
    "px2pl": "Number[psor]=Plur|Person[psor]=2",
    "px3pl": "Number[psor]=Plur|Person[psor]=3",
    "px3sp": "Person[psor]=3",
}


def universal(tags: Sequence[str]) -> tuple[str, str]:
    """Return the universal tag and the features of a reading with these tags."""
    upos = _CLASSES.get(tags[0] if tags else "", "X")
    if upos == "NUM" and "ord" in tags:
        upos = "ADJ"
    return upos, "" if upos in ("PUNCT", "SYM", "X") else written(gathered(tags, _VALUES))
