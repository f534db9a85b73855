"""The subclass of a tree: the same tree with parts of speech in place of words (RoDEO, section 3.3).

`[tag="NOUN"] <nsubj ([lemma="drive"] >obj [lemma="ball"])` becomes `[tag="NOUN"] <nsubj ([tag="VERB"] >obj
[tag="NOUN"])`: drive is a subclass of verb. Sentences that match it show how such a thing is usually said.
"""

from __future__ import annotations

import numpy as np

from gristmill.condition import AllOf, Comparison, Condition
from gristmill.corpus.attributes import DEPREL, FEATS
from gristmill.errors import UsageError
from gristmill.search.index.index import Index
from gristmill.search.phrases.graph import Graph, Place, relation_is

_NOUNS, _VERB = ("NOUN", "PROPN"), ("VERB",)
_OF_DEPENDENTS = {
    **dict.fromkeys(("nsubj", "obj", "iobj", "obl", "nmod", "appos", "compound", "flat"), _NOUNS),
    "amod": ("ADJ", "VERB"),
    "advmod": ("ADV",),
    "case": ("ADP",),
    "det": ("DET",),
    "mark": ("SCONJ", "PART", "ADP"),
    "cc": ("CCONJ",),
    "aux": ("AUX",),
    "cop": ("AUX",),
    "nummod": ("NUM",),
    **dict.fromkeys(("xcomp", "ccomp", "advcl", "acl"), ("VERB", "ADJ", "NOUN")),
}
"""Parts of speech that dependents in a relation have, the usual one first."""
_OF_HEADS = {
    **dict.fromkeys(("obj", "iobj", "xcomp", "ccomp", "aux"), _VERB),
    **dict.fromkeys(("amod", "nmod", "det", "acl", "appos", "case", "nummod", "compound", "flat"), _NOUNS),
    **dict.fromkeys(("nsubj", "obl", "advcl", "mark"), ("VERB", "ADJ", "NOUN")),
    "cop": ("NOUN", "ADJ", "PROPN"),
}
"""Parts of speech of what has such a dependent."""
_RELATIVE_CLAUSE = "acl:relcl"
_RELATIVE = r"(.*\|)?PronType=([A-Za-z]+,)*Rel(,[A-Za-z]+)*(\|.*)?"
_PRONOUN = Comparison("tag", "==", "PRON")


def subclasses(index: Index, graph: Graph) -> list[Graph]:
    """The subclass of a tree, and those with a subject or an object outside of its clause."""
    numbers = [number for number, place in enumerate(graph.places) if place.words and not _has_tag(place)]
    tags: dict[int, Condition] = {number: Comparison("tag", "==", _tag(index, graph, number)) for number in numbers}
    whole = graph.with_conditions(tags)
    return [whole, *whole.relative(_clause(index), _pronoun(index))]


def _has_tag(place: Place) -> bool:
    return any(comparison.name in {"tag", "xpos"} for comparison in place.condition.comparisons())


def _tag(index: Index, graph: Graph, number: int) -> str:
    """Choose the part of speech of a place with words: one that its relations allow, in which they are frequent."""
    allowed = _allowed(graph, number)
    counts = _counts(index, graph.places[number])
    if allowed:
        return max(allowed, key=lambda tag: (counts.get(tag, 0), -allowed.index(tag)))
    if counts:
        return max(counts, key=lambda tag: (counts[tag], tag))
    word = graph.places[number].words[0]
    raise UsageError(
        f"{word!r} is not in this corpus, so its part of speech is not known: write it, as in "
        f'[lemma="{word}" & tag="NOUN"]'
    )


def _allowed(graph: Graph, number: int) -> tuple[str, ...]:
    """Parts of speech that all relations of a place allow, the usual one first; none if they say nothing of it."""
    found: list[tuple[str, ...]] = []
    for edge in graph.edges:
        table = _OF_DEPENDENTS if edge.dependent == number else _OF_HEADS if edge.head == number else {}
        if edge.name in table:
            found.append(table[edge.name])
    return tuple(tag for tag in found[0] if all(tag in tags for tags in found)) or found[0] if found else ()


def _counts(index: Index, place: Place) -> dict[str, int]:
    """How often the words of a place stand in the corpus, by their parts of speech."""
    words, tags = index.attribute("lemma" if place.is_lemma else "lc"), index.attribute("tag")
    numbers = [number for number in map(words.lexicon.find, place.words) if number >= 0]
    positions = np.asarray(words.positions_of(np.array(numbers, np.int64)), np.int64)
    counts = np.bincount(tags.ids[positions], minlength=len(tags.lexicon))
    return {tags.lexicon[number]: int(counts[number]) for number in np.flatnonzero(counts).tolist()}


def _clause(index: Index) -> Condition:
    """By which relation a relative clause hangs on a noun."""
    is_known = index.attribute(DEPREL).lexicon.find(_RELATIVE_CLAUSE) >= 0
    return Comparison(DEPREL, "==", _RELATIVE_CLAUSE) if is_known else relation_is("acl")


def _pronoun(index: Index) -> Condition:
    """What a relative pronoun is: by its features, if these are known, so that `the man he sees` is none."""
    feats = index.attributes.get(FEATS)
    if feats is None or not len(feats.lexicon.matching(_RELATIVE)):
        return _PRONOUN
    return AllOf((_PRONOUN, Comparison(FEATS, "=", _RELATIVE)))
