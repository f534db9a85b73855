"""From tokens of classes to nouns: grouped by lemma, each with its places, or with its compound if that is better."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np

from gristmill.arrays.dtypes import Ids
from gristmill.corpus.attributes import lower_cased_texts
from gristmill.search.classes.finding import Collocations
from gristmill.search.classes.pattern_files import ClassPatterns
from gristmill.search.classes.wordnet import Synset, WordNet
from gristmill.search.cql.matching import find
from gristmill.search.index.index import Index
from gristmill.search.statistics.queries import quoted

NOT_COMMON = "proper nouns"
NOT_CLASSES = "words that say nothing"
"""Why nouns are left out, beside the hypernyms by which they are filtered."""
_COMPOUND_TAGS = ("NOUN", "ADJ", "PROPN")
_MIN_COMPOUND = 3
_MIN_DICE = 2.0**-4
"""How often a compound must occur, and how often its parts together, to be one without a WordNet: logDice is 10."""


@dataclass(frozen=True, slots=True)
class Noun:
    """A noun that is said of a name: its lemma in lower case, how it is shown, and where it stands."""

    key: str
    text: str
    """The lemma, or the compound of which it is the head in most places: prime minister."""
    places: Ids
    patterns: dict[str, int]
    """How often each pattern found it."""

    @property
    def count(self) -> int:
        """How often it is said."""
        return len(self.places)


@dataclass(frozen=True, slots=True)
class Nouns:
    """What patterns found, and what of it can't be a class, with the reason and how often."""

    kept: list[Noun]
    left_out: dict[str, dict[str, int]]


def nouns_of(index: Index, found: Collocations, patterns: ClassPatterns, wordnet: WordNet | None) -> Nouns:
    """Group the tokens that patterns found by lemma, ignoring case."""
    places = found.all()
    lemmas = index.attribute("lemma")
    keys = np.array(lower_cased_texts(lemmas.lexicon.strings(lemmas.ids[places])), object)
    titles = set(lower_cased_texts(patterns.titles))
    kept: list[Noun] = []
    left_out: dict[str, dict[str, int]] = {}
    for key in dict.fromkeys(keys.tolist()):
        own = places[keys == key]
        reason = ""
        if key in patterns.not_classes:
            reason = NOT_CLASSES
        elif key not in titles and not _is_common(index, key, own, wordnet):
            reason = NOT_COMMON
        if reason:
            left_out.setdefault(reason, {})[_shown(index, key, own)] = len(own)
        else:
            counts = {name: int(np.isin(own, some).sum()) for name, some in found.places.items()}
            text = _compound(index, own, wordnet) or _shown(index, key, own)
            kept.append(Noun(key, text, own, {name: count for name, count in counts.items() if count}))
    return Nouns(kept, left_out)


def classes_in(wordnet: WordNet, noun: str) -> list[Synset]:
    """The senses of a noun, and of its last word if it is none itself, without those that are single things."""
    senses = wordnet.senses(noun) or wordnet.senses(noun.rpartition(" ")[2])
    return [sense for sense in senses if not sense.classes]


def _is_common(index: Index, key: str, places: Ids, wordnet: WordNet | None) -> bool:
    """Whether a word is a common noun: it is tagged so here or elsewhere in the corpus, or WordNet has it."""
    tags = index.attribute("tag")
    noun = tags.lexicon.find("NOUN")
    if (tags.ids[places] == noun).any():
        return True
    if wordnet is not None:
        return bool(classes_in(wordnet, key))
    lemmas = index.attribute("lemma")
    number = lemmas.lexicon.find(key)
    return number >= 0 and bool((tags.ids[lemmas.positions(number).astype(np.int64)] == noun).any())


def _shown(index: Index, key: str, places: Ids) -> str:
    """How a noun is written: as its commonest lemma where it is a common noun, otherwise in lower case."""
    tags, lemmas = index.attribute("tag"), index.attribute("lemma")
    common = places[tags.ids[places] == tags.lexicon.find("NOUN")]
    counted = Counter(lemmas.lexicon.strings(lemmas.ids[common]))
    return counted.most_common(1)[0][0] if counted else key


def _compound(index: Index, places: Ids, wordnet: WordNet | None) -> str:
    """The compound that a noun is part of in more than half of its places, if it is one; otherwise nothing.

    It is one if WordNet has it; without a WordNet, if its two words are typical of each other in the corpus.
    """
    tags, lemmas = index.attribute("tag"), index.attribute("lemma")
    wanted = [number for tag in _COMPOUND_TAGS if (number := tags.lexicon.find(tag)) >= 0]
    sentences = index.structure("s")
    starts = sentences.bounds[sentences.number_at(places)].astype(np.int64)
    for length in (3, 2) if wordnet is not None else (2,):
        fits = places - starts >= length - 1
        for back in range(1, length):
            fits &= np.isin(tags.ids[np.maximum(places - back, 0)], wanted)
        spans = [lemmas.lexicon.strings(lemmas.ids[end - length + 1 : end + 1]) for end in places[fits].tolist()]
        counted = Counter(tuple(lower_cased_texts(span)) for span in spans)
        best, count = counted.most_common(1)[0] if counted else ((), 0)
        if 2 * count > len(places) and _is_compound(index, best, wordnet):
            return " ".join(best)
    return ""


def _is_compound(index: Index, words: tuple[str, ...], wordnet: WordNet | None) -> bool:
    if wordnet is not None:
        return any(not sense.classes for sense in wordnet.senses(" ".join(words)))
    tokens = [f"[lemma_lc=={quoted(word)}]" for word in words]
    together = len(find(index, " ".join(tokens)))
    alone = sum(len(find(index, token)) for token in tokens)
    return together >= _MIN_COMPOUND and len(words) * together / alone >= _MIN_DICE
