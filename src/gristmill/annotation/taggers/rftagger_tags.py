"""The German tags of RFTagger (Schmid and Laws 2008), `N.Reg.Nom.Sg.Fem`, as universal tags and features."""

from __future__ import annotations

from gristmill.annotation.features import gathered, written

_CLASSES = {
    "ADJA": "ADJ",
    "ADJD": "ADJ",
    "ADV": "ADV",
    "APPO": "ADP",
    "APPR": "ADP",
    "APPRART": "ADP",
    "APZR": "ADP",
    "ART": "DET",
    "CARD": "NUM",
    "CONJ.Comp": "CCONJ",
    "CONJ.Coord": "CCONJ",
    "CONJ": "SCONJ",
    "FM": "X",
    "ITJ": "INTJ",
    "N": "NOUN",
    "N.Name": "PROPN",
    "PART": "PART",
    "PART.Ans": "INTJ",
    "PART.Deg": "PART",
    "PART.Verb": "ADP",
    "PRO": "PRON",
    "PROADV": "ADV",
    "SYM": "SYM",
    "SYM.Paren": "PUNCT",
    "SYM.Pun": "PUNCT",
    "SYM.Quot": "PUNCT",
    "TRUNC": "X",
    "VFIN": "VERB",
    "VIMP": "VERB",
    "VINF": "VERB",
    "VPP": "VERB",
}
"""Universal tags by the first part of a tag, or the first two where these tell more."""
_VALUES = {
    "1": "Person=1",
    "2": "Person=2",
    "3": "Person=3",
    "Acc": "Case=Acc",
    "Comp": "Degree=Cmp",
    "Dat": "Case=Dat",
    "Def": "Definite=Def|PronType=Art",
    "Dem": "PronType=Dem",
    "Fem": "Gender=Fem",
    "Gen": "Case=Gen",
    "Ind": "Mood=Ind",
    "Indef": "Definite=Ind|PronType=Art",
    "Inter": "PronType=Int",
    "Masc": "Gender=Masc",
    "Neut": "Gender=Neut",
    "Nom": "Case=Nom",
    "Past": "Tense=Past",
    "Pers": "PronType=Prs",
    "Pl": "Number=Plur",
    "Pos": "Degree=Pos",
    "Poss": "Poss=Yes|PronType=Prs",
    "Pres": "Tense=Pres",
    "Psp": "Tense=Past",
    "Refl": "PronType=Prs|Reflex=Yes",
    "Rel": "PronType=Rel",
    "Sg": "Number=Sing",
    "Subj": "Mood=Sub",
    "Sup": "Degree=Sup",
}
_FORMS = {"VFIN": "VerbForm=Fin", "VIMP": "Mood=Imp|VerbForm=Fin", "VINF": "VerbForm=Inf", "VPP": "VerbForm=Part"}
_WITHOUT_FEATURES = frozenset(("CONJ", "FM", "PROADV", "SYM", "TRUNC"))
"""Classes whose further parts are no features, though some are written like these: CONJ.Comp."""


def universal(tag: str) -> tuple[str, str]:
    """Return the universal tag and the features of a tag."""
    first, *rest = tag.split(".")
    upos = _CLASSES.get(".".join([first, *rest[:1]])) or _CLASSES.get(first, "X")
    if upos == "VERB" and rest[:1] in (["Aux"], ["Haben"], ["Mod"], ["Sein"]):
        upos = "AUX"
    if upos == "PRON" and "Attr" in rest:
        upos = "DET"
    if tag.startswith("PART.Neg"):
        return upos, "Polarity=Neg"
    if first in _WITHOUT_FEATURES:
        return upos, ""
    values = {**_VALUES, "Indef": "PronType=Ind"} if first == "PRO" else _VALUES
    return upos, written(gathered([first, *rest], {**values, **_FORMS}))
