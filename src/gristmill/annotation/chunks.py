"""Chunks of words by their tags: noun chunks, verb chunks and prepositional chunks, none with one of its kind within.

They are those of TreeTagger's chunkers (NC, VC, PC), found by rules. Two neighbours are in one chunk if their parts of
speech may stand beside each other in one, and a run of such neighbours is a chunk if it has a head:

    the   old   mill   had   been   grinding   for   the   whole   valley
    DET   ADJ   NOUN   AUX   AUX    VERB       ADP   DET   ADJ     NOUN
    <nc------------>   <vc---------------->   <pc  <nc---------------->>

What may stand beside each other differs by language: whether adjectives and determiners follow their noun, whether two
nouns make a compound, whether auxiliaries follow their verb, whether adpositions follow theirs. `_TRAITS` has that.

All is done on arrays for many tokens at a time, and depends on nothing but the tags, features and words of a sentence.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import product

import numpy as np
import numpy.typing as npt

from gristmill.arrays.dtypes import Mask

KINDS = {"nc": "noun chunks", "vc": "verb chunks", "pc": "prepositional chunks"}
"""The structures, with what they are."""
MARKS = 3
"""How many things `marks_of` tells."""
RULES = 1
"""To be raised when rules change, so that what was stored is found anew."""
_TAGS = tuple("ADJ ADP ADV AUX CCONJ DET INTJ NOUN NUM PART PRON PROPN PUNCT SCONJ SYM VERB X".split())
_CODE = {tag: number for number, tag in enumerate(_TAGS)}
_ADJ, _ADP, _ADV, _AUX, _CCONJ, _DET, _NOUN, _NUM, _PRON, _PROPN, _VERB = (
    _CODE[tag] for tag in "ADJ ADP ADV AUX CCONJ DET NOUN NUM PRON PROPN VERB".split()
)
_NOMINAL = (
    "DET>DET DET>ADJ DET>NUM DET>NOUN DET>PROPN DET>ADV ADV>ADJ ADV>NUM ADJ>ADJ ADJ>NOUN NUM>ADJ NUM>NUM NUM>NOUN"
)
_VERBAL = "AUX>AUX AUX>VERB AUX>PART PART>VERB PART>AUX PART>PART AUX>ADV ADV>ADV ADV>VERB ADV>AUX"
_PAIRS = {
    "names": "PROPN>PROPN",
    "adj-name": "ADJ>PROPN",
    "compounds": "NOUN>NOUN",
    "name-noun": "PROPN>NOUN",
    "noun-name": "NOUN>PROPN",
    "noun-adj": "NOUN>ADJ PROPN>ADJ NOUN>ADV",
    "noun-det": "NOUN>DET ADJ>DET",
    "noun-num": "NOUN>NUM",
    "pron-noun": "PRON>NOUN PRON>ADJ",
    "det-pron": "DET>PRON",
    "verb-aux": "VERB>AUX",
}
"""What languages have beside the rules of all: pairs of parts of speech that stand beside each other in a chunk."""
_WITHOUT = {"no-adj-noun": "ADJ>NOUN ADJ>PROPN", "no-det-noun": "DET>NOUN DET>PROPN DET>ADJ"}
"""What languages lack of the rules of all."""
_ROMANCE = "names noun-adj noun-num det-pron"
_SLAVIC = "names adj-name verb-aux"
_TRAITS = {
    "af": "names adj-name pron-noun verb-aux",
    "be": "names adj-name",
    "bg": _SLAVIC,
    "ca": _ROMANCE,
    "cs": "adj-name noun-num verb-aux",
    "cy": "names noun-adj no-adj-noun",
    "da": "names adj-name",
    "de": "names adj-name compounds verb-aux",
    "el": "names adj-name",
    "en": "names adj-name compounds name-noun noun-num pron-noun",
    "es": _ROMANCE,
    "fa": "names noun-adj no-adj-noun verb-aux",
    "fi": "names adj-name",
    "fr": "names noun-adj det-pron",
    "ga": "names noun-adj no-adj-noun",
    "gl": _ROMANCE,
    "grc": "noun-num",
    "he": "names noun-adj noun-num noun-det compounds noun-name det-pron no-adj-noun",
    "hr": "names adj-name name-noun verb-aux",
    "hy": "names adj-name verb-aux",
    "id": "names noun-adj noun-num noun-det no-adj-noun",
    "is": "names adj-name",
    "it": _ROMANCE,
    "ja": "names compounds name-noun noun-name noun-num verb-aux",
    "ka": "names",
    "kk": "verb-aux",
    "ko": "names verb-aux",
    "ky": "verb-aux",
    "la": "noun-num noun-det verb-aux",
    "lt": "verb-aux",
    "lv": "names",
    "mr": "verb-aux",
    "mt": "names noun-adj noun-num det-pron",
    "nb": "names adj-name pron-noun",
    "nl": "names adj-name pron-noun verb-aux",
    "nn": "names adj-name",
    "no": "names adj-name pron-noun",
    "pl": "names noun-adj verb-aux",
    "pt": "names noun-adj det-pron",
    "ro": "names noun-adj noun-num",
    "ru": "names adj-name",
    "sk": "adj-name noun-num verb-aux",
    "sl": "names adj-name noun-num verb-aux",
    "sq": "names noun-adj pron-noun",
    "sr": "names adj-name verb-aux",
    "sv": "names adj-name pron-noun",
    "te": "verb-aux",
    "th": "names noun-adj noun-num noun-det no-det-noun",
    "tr": "names verb-aux",
    "uk": "names adj-name",
    "vi": "names noun-adj noun-name compounds no-adj-noun",
    "zh": "names",
}
"""What is special about languages; others are like Latvian."""
_POSTPOSITIONS = frozenset("hi hu ja ka kk ko ky mr te tr".split())
"""Languages whose adpositions follow their noun."""
_BOTH = frozenset(("et", "fi", "hy"))
"""Languages in which some adpositions follow their noun."""


@dataclass(frozen=True, slots=True)
class _Rules:
    """What may stand beside each other, as tables by the codes of two tags."""

    nominal: Mask
    verbal: Mask


@cache
def _rules(lang: str) -> _Rules:
    """Make the tables of a language."""
    traits = _TRAITS.get(lang, "names").split()
    pairs = " ".join([_NOMINAL, *(_PAIRS[trait] for trait in traits if trait in _PAIRS)]).split()
    lacking = " ".join(_WITHOUT.get(trait, "") for trait in traits).split()
    nominal = [pair for pair in pairs if pair not in lacking and pair != "VERB>AUX"]
    verbal = [*_VERBAL.split(), *(pair for pair in pairs if pair == "VERB>AUX")]
    return _Rules(_table(nominal), _table(verbal))


def _table(pairs: list[str]) -> Mask:
    names = set(pairs)
    cells = [f"{one}>{other}" in names for one, other in product(_TAGS, _TAGS)]
    return np.array(cells).reshape(len(_TAGS), len(_TAGS))


@dataclass(frozen=True, slots=True)
class Words:
    """Tokens of one language, sentence after sentence, as columns."""

    tags: npt.NDArray[np.uint8]
    """Codes of their tags, by `code`."""
    begins: Mask
    """Whether each is the first of its sentence."""
    possessive: Mask
    """Whether a word is known to be possessive: `my`."""
    participle: Mask
    """Whether it is known to be a participle: `flying`."""
    described: Mask
    """Whether it has features: without `Poss=Yes`, a pronoun that has some is not possessive."""

    @classmethod
    def of(cls, tags: list[str], feats: list[str], lengths: list[int]) -> Words:
        """Take the tags and features of tokens, and how many tokens each sentence has."""
        begins = np.zeros(len(tags) + 1, np.bool_)
        begins[np.cumsum([0, *lengths])] = True
        marks = np.array(list(map(marks_of, feats)), np.bool_).reshape(-1, MARKS)
        return cls(np.array(list(map(code, tags)), np.uint8), begins[:-1], *marks.T)


Spans = tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]
"""Where chunks begin, ascending, and where each ends."""


def code(tag: str) -> int:
    """Give the number of a tag; that of X if it is not known."""
    return _CODE.get(tag, _CODE["X"])


def marks_of(feats: str) -> tuple[bool, bool, bool]:
    """Tell of features whether they are those of a possessive word, of a participle, and whether there are any."""
    return "Poss=Yes" in feats, "VerbForm=Part" in feats, bool(feats)


def find_chunks(words: Words, lang: str) -> dict[str, Spans]:
    """Find the chunks of each kind."""
    if not len(words.tags):
        nothing = np.empty(0, np.int64)
        return dict.fromkeys(KINDS, (nothing, nothing))
    lang = lang.lower().replace("_", "-").partition("-")[0]
    rules = _rules(lang)
    nouns = _noun_chunks(words, rules)
    return {
        "nc": nouns,
        "vc": _verb_chunks(words, rules),
        "pc": _with_adpositions(words, nouns, lang not in _POSTPOSITIONS, lang in _POSTPOSITIONS | _BOTH),
    }


def _noun_chunks(words: Words, rules: _Rules) -> Spans:
    """Find runs with a noun, a name or a pronoun."""
    tags = _with_participles(words)
    left, right = tags[:-1], tags[1:]
    beside = rules.nominal[left, right]
    owns = words.possessive[:-1] & _among(left, _PRON, _DET) & _among(right, _NOUN, _PROPN, _ADJ, _NUM)
    beside = beside & ~((left == _PRON) & words.described[:-1]) | owns
    beside &= ~words.begins[1:]
    joined = (left[:-1] == _ADJ) & (left[1:] == _CCONJ) & (right[1:] == _ADJ)  # "an old and dark mill"
    joined &= ~words.begins[1:-1] & ~words.begins[2:]
    beside[:-1] |= joined
    beside[1:] |= joined
    beside[:-1] &= (right[:-1] != _ADV) | beside[1:]  # an adverb needs what it modifies: "a very old mill"
    beside[-1:] &= right[-1:] != _ADV
    beside &= ~(_follows_noun(tags, beside)[:-1] & _among(right, _NOUN, _PROPN, _NUM))
    starts, ends = _runs(beside)
    has_head = np.logical_or.reduceat(_among(tags, _NOUN, _PROPN, _PRON), starts)
    return starts[has_head], ends[has_head]


def _with_participles(words: Words) -> npt.NDArray[np.uint8]:
    """Take participles between a determiner, an adjective or a numeral and a noun for adjectives: `the flying bird`."""
    tags = words.tags.copy()
    inside = _among(tags[:-2], _DET, _ADJ, _NUM) & (tags[1:-1] == _VERB) & _among(tags[2:], _NOUN, _PROPN, _ADJ)
    tags[1:-1][inside & words.participle[1:-1] & ~words.begins[1:-1] & ~words.begins[2:]] = _ADJ
    return tags


def _follows_noun(tags: npt.NDArray[np.uint8], beside: Mask) -> Mask:
    """Tell which adjectives follow a noun in their run, so that no noun can follow them: `maison blanche`."""
    places = np.arange(len(tags))
    last = np.maximum.accumulate(np.where(_among(tags, _ADJ, _ADV), 0, places))
    breaks = np.append(0, np.cumsum(~beside))
    found: Mask = (tags == _ADJ) & _among(tags[last], _NOUN, _PROPN) & (breaks[last] == breaks)
    return found


def _verb_chunks(words: Words, rules: _Rules) -> Spans:
    """Find runs with a verb or an auxiliary; adverbs are within them: `has never been`."""
    tags = words.tags
    starts, _ = _runs(rules.verbal[tags[:-1], tags[1:]] & ~words.begins[1:])
    has_head = np.logical_or.reduceat(_among(tags, _VERB, _AUX), starts)
    places = np.arange(len(tags))
    first = np.minimum.reduceat(np.where(tags == _ADV, len(tags), places), starts)
    last = np.maximum.reduceat(np.where(tags == _ADV, -1, places), starts)
    return first[has_head], last[has_head] + 1


def _with_adpositions(words: Words, nouns: Spans, before: bool, after: bool) -> Spans:
    """Find the noun chunks with adpositions before or after them, together with these.

    In languages that have both, what may follow one noun or precede the next is taken to follow.
    """
    starts, ends = nouns
    places = np.arange(len(words.tags))
    is_other = words.tags != _ADP
    previous = np.maximum.accumulate(np.where(is_other, places + 1, np.where(words.begins, places, 0)))
    low = np.where(words.begins[starts] | (not before), starts, previous[starts - 1])
    if after:
        stop = is_other | words.begins
        following = np.minimum.accumulate(np.where(stop, places, len(places))[::-1])[::-1]
        high = np.append(following, len(places))[ends]
        low = np.where(high > ends, starts, low)
        low[1:] = np.maximum(low[1:], high[:-1])  # what follows one noun does not go with the next, too
    else:
        high = ends
    found = (low < starts) | (high > ends)
    return low[found], high[found]


def _among(tags: npt.NDArray[np.uint8], *wanted: int) -> Mask:
    """Tell which tags are among some."""
    table = np.zeros(len(_TAGS), np.bool_)
    table[list(wanted)] = True
    return table[tags]


def _runs(beside: Mask) -> Spans:
    """Find runs of tokens: `beside` tells of each but the last whether the next one belongs to it."""
    edges = np.flatnonzero(~beside) + 1
    return np.append(0, edges), np.append(edges, len(beside) + 1)
