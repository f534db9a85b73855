"""Maps from taggers' own tags to the universal parts of speech (https://universaldependencies.org/u/pos/)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence


def _map(table: Mapping[str, str]) -> dict[str, str]:
    """Invert a table of tags by part of speech."""
    return {tag: upos for upos, tags in table.items() for tag in tags.split()}


def _words(table: Mapping[tuple[str, str], str]) -> dict[tuple[str, str], str]:
    """Invert a table of exceptions: from words by tag and part of speech to the part of speech by tag and word."""
    return {(tag, word): upos for (tag, upos), words in table.items() for word in words.split()}


STTS = _map(
    {
        "ADJ": "ADJ(A) ADJ(D) ADJA ADJD",
        "ADP": "APPR APPRART APPO APZR PTKVZ",
        "ADV": "ADV PROAV PAV PWAV",
        "AUX": "VA(FIN) VA(INF) VA(PP) VA(IMP) VM(FIN) VM(INF) VM(PP) VAFIN VAINF VAPP VAIMP VMFIN VMINF VMPP",
        "CCONJ": "KON",
        "DET": "ART PPOSAT PDAT PIAT PIDAT PWAT PRELAT",
        "INTJ": "ITJ PTKANT",
        "NOUN": "NN NNA NNI TRUNC",
        "NUM": "CARD",
        "PART": "PTKZU PTKNEG PTKA",
        "PRON": "PIS PRF PPER PDS PRELS PWS PPOSS",
        "PROPN": "NE",
        "PUNCT": "$( $. $,",
        "SCONJ": "KOUS KOUI KOKOM",
        "VERB": "VV(FIN) VV(INF) VV(IZU) VV(PP) VV(IMP) VVFIN VVINF VVIZU VVPP VVIMP",
        "X": "XY FM",
    }
)
"""The Stuttgart-Tübingen tag set of German, as HanTa writes it and as TreeTagger does."""

PENN = _map(
    {
        "ADJ": "JJ JJR JJS",
        "ADP": "IN RP",
        "ADV": "RB RBR RBS WRB",
        "AUX": "MD VB VBD VBG VBN VBP VBZ VH VHD VHG VHN VHP VHZ",
        "CCONJ": "CC",
        "DET": "DT PDT WDT",
        "INTJ": "UH",
        "NOUN": "NN NNS",
        "NUM": "CD",
        "PART": "POS TO",
        "PRON": "EX PP PP$ PRP PRP$ WP WP$",
        "PROPN": "NP NPS NNP NNPS",
        "PUNCT": "SENT , : ( ) `` ''",
        "SCONJ": "IN/that",
        "SYM": "SYM $ #",
        "VERB": "VV VVD VVG VVN VVP VVZ VD VDD VDG VDN VDP VDZ",
        "X": "FW LS",
    }
)
"""The tag set of the Penn Treebank as TreeTagger has it, where be is VB, have is VH and all other verbs are VV."""

TREETAGGER_FRENCH = _map(
    {
        "ADJ": "ADJ",
        "ADP": "PRP PRP:det",
        "ADV": "ADV",
        "CCONJ": "KON",
        "DET": "DET:ART DET:POS",
        "INTJ": "INT",
        "NOUN": "NOM",
        "NUM": "NUM",
        "PRON": "PRO PRO:DEM PRO:IND PRO:PER PRO:POS PRO:REL",
        "PROPN": "NAM",
        "PUNCT": "PUN PUN:cit SENT",
        "SYM": "SYM",
        "VERB": "VER:cond VER:futu VER:impe VER:impf VER:infi VER:pper VER:ppre VER:pres VER:simp VER:subi VER:subp",
        "X": "ABR",
    }
)
"""Stein's tag set of French."""

TREETAGGER_ITALIAN = _map(
    {
        "ADJ": "ADJ",
        "ADP": "PRE PRE:det",
        "ADV": "ADV",
        "CCONJ": "CON",
        "DET": "DET:def DET:indef",
        "INTJ": "INT",
        "NOUN": "NOM",
        "NUM": "NUM",
        "PRON": "PRO PRO:demo PRO:indef PRO:inter PRO:pers PRO:poss PRO:refl PRO:rela",
        "PROPN": "NPR",
        "PUNCT": "PON SENT",
        "SYM": "SYM",
        "VERB": (
            "VER:cimp VER:cond VER:cpre VER:futu VER:geru VER:impe VER:impf VER:infi VER:pper VER:ppre VER:pres"
            " VER:refl:infi VER:remo"
        ),
        "X": "ABR FW LS",
    }
)
"""Stein's tag set of Italian."""

TREETAGGER_SPANISH = _map(
    {
        "ADJ": "ADJ ORD",
        "ADP": "PREP PREP/DEL PAL PDEL PE",
        "ADV": "ADV NEG",
        "AUX": "VHadj VHfin VHger VHinf VMadj VMfin VMger VMinf VSadj VSfin VSger VSinf VEadj VEfin VEger VEinf",
        "CCONJ": "CC CCAD CCNEG",
        "DET": "ART DM QU",
        "INTJ": "ITJN",
        "NOUN": "NC NMEA NMON UMMX ALFS ALFP",
        "NUM": "CARD",
        "PRON": "INT PPC PPO PPX REL SE",
        "PROPN": "NP ACRNM",
        "PUNCT": "BACKSLASH CM COLON DASH DOTS FS LP QT RP SEMICOLON SLASH",
        "SCONJ": "CQUE CSUBF CSUBI CSUBX",
        "SYM": "PERCT SYM",
        "VERB": "VCLIger VCLIinf VCLIfin VLadj VLfin VLger VLinf",
        "X": "CODE FO PE PNC",
    }
)
"""The tag set of TreeTagger's Spanish parameter file."""

_GERMAN_WORDS = _words(
    {
        ("ADJ(A)", "DET"): "andere anderem anderen anderer anderes selbe selben",
        ("ADJ(D)", "ADV"): "offenbar tatsächlich wahrscheinlich wirklich",
        ("PTKVZ", "ADV"): "da ein empor fest fort frei heim her herein hin los weg weiter wieder zurück zusammen",
    }
)


def stts(tag: str, word: str, lemma: str) -> str:  # noqa: ARG001 (all tag sets are asked in one way)
    """Return the part of speech of a German word with a tag of HanTa."""
    return _GERMAN_WORDS.get((tag, word)) or STTS.get(tag, "X")


_UNIDIC = {
    "名詞-固有名詞": "PROPN",
    "名詞-数詞": "NUM",
    "名詞-助動詞語幹": "AUX",
    "名詞": "NOUN",
    "代名詞": "PRON",
    "形状詞-助動詞語幹": "AUX",
    "形状詞": "ADJ",
    "連体詞": "ADJ",
    "副詞": "ADV",
    "接続詞": "CCONJ",
    "感動詞": "INTJ",
    "動詞": "VERB",
    "形容詞": "ADJ",
    "助動詞": "AUX",
    "助詞-接続助詞": "SCONJ",
    "助詞-準体助詞": "SCONJ",
    "助詞-終助詞": "PART",
    "助詞": "ADP",
    "接頭辞": "NOUN",
    "接尾辞-形状詞的": "PART",
    "接尾辞-形容詞的": "AUX",
    "接尾辞-動詞的": "VERB",
    "接尾辞": "NOUN",
    "記号-文字": "NOUN",
    "記号": "SYM",
    "補助記号-一般": "SYM",
    "補助記号-ＡＡ": "SYM",
    "補助記号": "PUNCT",
}
_JAPANESE_WORDS = _words(
    {
        ("連体詞", "DET"): "此の 其の 彼の 何の 或る 有らゆる 所謂 当該 我が",
        ("連体詞", "PRON"): "こんな そんな あんな どんな",
    }
)
_LIGHT_VERBS = frozenset("為る 出来る 致す 頂く 下さる".split())
"""Japanese verbs that make a verb of the noun before them."""


def unidic(tag: str) -> str:
    """Return the part of speech of a tag of UniDic, such as `動詞-一般-五段-ワア行`, without regard to its context."""
    return next((upos for start, upos in _UNIDIC.items() if tag.startswith(start)), "X")


def unidic_in_context(lemmas: Sequence[str], tags: Sequence[str], at: int) -> str:
    """Return the part of speech of a word of a Japanese sentence, which has these lemmas and tags of UniDic.

    UniDic says what a word can be: `名詞-普通名詞-サ変可能` is a noun that is a verb before `する`, which is an
    auxiliary then.
    """
    tag, lemma = tags[at], lemmas[at]
    before = tags[at - 1] if at else ""
    after, next_lemma = (tags[at + 1], lemmas[at + 1]) if at + 1 < len(tags) else ("", "")
    if "サ変" in tag and after.startswith("動詞") and next_lemma in _LIGHT_VERBS:
        return "VERB"
    if "形状詞可能" in tag and after == "助動詞-助動詞-ダ":
        return "ADJ"
    if tag.startswith("動詞-非自立可能") and lemma in _LIGHT_VERBS:
        return "AUX" if _is_auxiliary(lemma, before, lemmas[at - 1] if at else "", next_lemma) else "VERB"
    if tag.startswith("形容詞-非自立可能") and before == "助詞-接続助詞":
        return "AUX"
    if tag == "形状詞-助動詞語幹" and before in {"連体詞", "助詞-格助詞"}:
        return "NOUN"
    return _JAPANESE_WORDS.get((tag, lemma)) or unidic(tag)


def _is_auxiliary(lemma: str, before: str, last_lemma: str, next_lemma: str) -> bool:
    """Tell whether a light verb of Japanese is an auxiliary, by what is before and after it."""
    if before.startswith(("名詞", "接尾辞", "動詞")):
        return True
    if lemma == "為る":  # `として`, which is a particle by its meaning
        return (last_lemma, next_lemma) == ("と", "て")
    return lemma != "出来る" and before == "助詞-接続助詞"
