"""Hints for who finds nothing.

They say which value of the query does not occur, what is similar, and what there is to be found.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass, replace

import numpy as np

from gristmill.condition import AllOf, AnyOf, Comparison, Condition, literal_regex, matching
from gristmill.registry import did_you_mean
from gristmill.search.concordance.concordance import Concordance
from gristmill.search.cql.listed import listed_ids
from gristmill.search.cql.matching import find
from gristmill.search.cql.query import (
    Ahead,
    Alternatives,
    Boundary,
    Constrained,
    Length,
    Meet,
    Node,
    Query,
    Relation,
    Repeat,
    Sequence,
    Token,
    Tree,
    Whole,
    Words,
)
from gristmill.search.cql.quotes import in_other_quotes
from gristmill.search.cql.simple import simple_query
from gristmill.search.cql.terms import CURRENT, Listed, Of
from gristmill.search.cql.tree_parsing import WITH_SUBTYPES
from gristmill.search.index.attribute import Attribute
from gristmill.search.index.index import Index
from gristmill.search.subcorpus import holds_of
from gristmill.search.wordlists import WordLists

_MAX_LISTED_VALUES = 30
"""If an attribute has no more values, all of them are listed."""
_EMPTY = '""'
_MAX_CANDIDATES = 5000
"""Values that a misspelt one is compared with; the most frequent ones."""
_MAX_SHOWN_CHARACTERS = 80
"""Characters of a value that are shown."""
_NO_TAG = "X"
"""The tag of tokens in languages that have no tagger."""
_ASKS_FOR_TAGS = re.compile(r"\b(tag|xpos|feats|lempos)\b")
_WILDCARD = re.compile(r"(?<!\\)[*?]")
_LIST = re.compile(r"\$[^\W\d]\w*")
_LIKE_A_PATTERN = re.compile(r"[+|.“”„]")


def why_nothing(found: Concordance) -> list[str]:
    """Say why there are no hits, in sentences."""
    index, query = found.spans.index, found.query
    if query is None or found.unfiltered:
        return ["No hit passes the filters."]
    if not index.size:
        return ["The corpus has no text to be searched."]
    if not found.size:
        return ["No document meets the condition."]
    elsewhere = len(find(index, query, lists=found.lists)) if found.part else 0
    if elsewhere:
        return [
            *_untagged(found, query.text),
            f"In the rest of the corpus there {'is 1 hit' if elsewhere == 1 else f'are {elsewhere:,} hits'}.",
        ]
    missing = dict.fromkeys(
        _said(one, index, found.spelt) for one in _missing(query.node, index, found.lists) if not _is_spelt(one, found)
    )
    hints = list(missing) or ["Every value of the query occurs in the corpus, but not as the query puts them together."]
    return [*hints, *_taken_literally(query), *_untagged(found, query.text), f"There is text in: {_languages(found)}."]


def _is_spelt(missing: _Missing, found: Concordance) -> bool:
    """Whether a word that no token is was looked for by its characters, and these stand in a row somewhere."""
    if not (isinstance(missing, Comparison) and missing.value in found.spelt):
        return False
    return bool(len(find(found.spans.index, f'[word=="{missing.value}"]')))


def _taken_literally(words: Query) -> list[str]:
    """Say how a query of words is read, if it looks as if a pattern was meant."""
    if not isinstance(words.node, Words):
        return []
    query = words.text
    if quoted := in_other_quotes(query):
        return [f"In CQL a token stands in straight double quotes: {quoted}. In other quotes it is read as words."]
    if _WILDCARD.search(query):
        return ["* stands for any number of characters and ? for one: write \\* and \\? for the characters themselves."]
    if listed := _LIST.search(query):
        return [f"In a query of words $ is a character like others; a list of words is [lemma = {listed[0]}]."]
    if not _LIKE_A_PATTERN.search(query):
        return []
    expressions = 'regular expressions are written in double quotes: "go.*|went".'
    return [f"In a query of words only * and ? stand for other characters; {expressions}"]


def _untagged(found: Concordance, query: str) -> list[str]:
    """Say that most of what was searched has no tags, if the query asks for them: some languages have no tagger."""
    tags = found.spans.index.attributes.get("tag")
    untagged = -1 if tags is None else tags.lexicon.find(_NO_TAG)
    if tags is None or untagged < 0 or not _ASKS_FOR_TAGS.search(query):
        return []
    positions = tags.positions(untagged)
    count = len(positions) if found.part is None else int(found.part.holds(positions).sum())
    if count * 2 <= found.size:
        return []
    return [
        f"Most tokens of what was searched have no tag ({_NO_TAG}): see `gristmill annotate --help` for other taggers."
    ]


@dataclass(frozen=True, slots=True)
class _OfStructure:
    """A comparison that no structure of a kind meets."""

    structure: str
    comparison: Comparison


_Missing = Comparison | Listed | _OfStructure


def _said(missing: _Missing, index: Index, spelt: Collection[str]) -> str:
    """Say what does not occur."""
    match missing:
        case Listed():
            return f"No token has a {missing.name} that is in the list ${missing.words}."
        case _OfStructure():
            return f"No <{missing.structure}> has {_shown(missing.comparison)}."
        case Comparison():
            return _hint(index.attributes[missing.name], missing, spelt)


def _shown(comparison: Comparison) -> str:
    return f'{comparison.name}{comparison.sign}"{comparison.value:.{_MAX_SHOWN_CHARACTERS}}"'


def _missing(node: Node, index: Index, lists: WordLists) -> list[_Missing]:
    """What a query asks for and no token has, nor a structure.

    Of alternatives, those of the first, and only if each alternative has some.
    """
    found: list[_Missing] = []
    match node:
        case Token() | Ahead():
            found = _unmet(node.condition, index, lists)
        case Whole() | Boundary():
            found = _missing_in_structures(node, index)
        case Words():
            found = _missing(_as_few_tokens(simple_query(node.text, index)), index, lists)
        case Tree():
            found = [*_missing(node.token, index, lists), *_missing_in_branches(node, index, lists)]
        case Sequence():
            found = [one for part in node.parts for one in _missing(part, index, lists)]
        case Alternatives():
            found = min((_missing(part, index, lists) for part in node.parts), key=bool)
        case Repeat() if node.least == 0:
            found = []
        case Relation(negated=False) | Meet():
            found = [*_missing(node.part, index, lists), *_missing(node.other, index, lists)]
        case Relation() | Length() | Constrained() | Repeat():
            found = _missing(node.part, index, lists)
    return found


def _missing_in_branches(tree: Tree, index: Index, lists: WordLists) -> list[_Missing]:
    """What is missing of the relations of a token, and of the tokens that it has them to."""
    found: list[_Missing] = []
    for branch in tree.branches:
        if branch.negated:
            continue
        found += [_as_written(one) for one in _unmet(branch.relation, index, lists)]
        found += _missing(branch.node, index, lists)
    return found


def _as_written(missing: _Missing) -> _Missing:
    """The name of a relation as it stands in the query: obj, which stands for obj, obj:agent..."""
    if isinstance(missing, Comparison) and missing.value.endswith(WITH_SUBTYPES):
        return replace(missing, sign="==", value=missing.value.removesuffix(WITH_SUBTYPES))
    return missing


def _unmet(node: Condition, index: Index, lists: WordLists) -> list[_Missing]:
    """What a condition on a token asks for and no token has; of alternatives as above."""
    found: list[_Missing] = []
    match node:
        case Comparison():
            values = index.attributes[node.name].lexicon.array
            flags = node.ignore_case, node.ignore_diacritics
            found = [] if matching(values, node.sign, node.value, *flags).any() else [node]
        case Of() if node.label == CURRENT:
            own = all(comparison.name in index.attributes for comparison in node.comparison.comparisons())
            found = _unmet(node.comparison, index, lists) if own else []
        case Listed():
            ids = listed_ids(index.attributes[node.name].lexicon, lists.words(node.words), node)
            found = [] if len(ids) else [node]
        case AllOf():
            found = [one for part in node.parts for one in _unmet(part, index, lists)]
        case AnyOf():
            found = min((_unmet(part, index, lists) for part in node.parts), key=bool)
    return found


def _missing_in_structures(node: Whole | Boundary, index: Index) -> list[_Missing]:
    """Comparisons that no structure meets, if all of them must be met."""
    parts = node.condition.parts if isinstance(node.condition, AllOf) else (node.condition,)
    structure = index.structures[node.structure]
    return [
        _OfStructure(node.structure, part)
        for part in parts
        if isinstance(part, Comparison) and not holds_of(part, structure).any()
    ]


def _as_few_tokens(node: Node) -> Node:
    """Of the ways in which languages divide a text, the one with the fewest tokens."""
    return min(node.parts, key=lambda part: part.longest) if isinstance(node, Alternatives) else node


def _hint(attribute: Attribute, comparison: Comparison, spelt: Collection[str]) -> str:
    """Say that a value does not occur, and what is like it; words that were looked for by characters are `spelt`."""
    shown = (
        comparison.value
        if len(comparison.value) <= _MAX_SHOWN_CHARACTERS
        else f"{comparison.value[:_MAX_SHOWN_CHARACTERS]}…"
    )
    asked = f'No token has the {attribute.name} "{shown}"'
    if comparison.value in spelt:
        return f"{asked}, nor do its characters stand in a row in a sentence."
    lexicon = attribute.lexicon
    other_case = np.flatnonzero(matching(lexicon.array, comparison.sign, comparison.value, ignore_case=True))
    if len(other_case):
        value = lexicon[_most_frequent(attribute, other_case)[0]]
        return f'{asked}, but there is "{value}": write {attribute.name}="{comparison.value}"%c to ignore case.'
    if len(lexicon) <= _MAX_LISTED_VALUES:
        return (
            f"{asked} (there are: {', '.join(value or _EMPTY for value in lexicon.strings(np.arange(len(lexicon))))})."
        )
    begins = np.flatnonzero(matching(lexicon.array, "=", f"{literal_regex(comparison.value[:1])}.*", ignore_case=True))
    candidates = lexicon.strings(_most_frequent(attribute, begins)[:_MAX_CANDIDATES])
    return f"{asked}{did_you_mean(comparison.value, candidates) or '.'}"


def _most_frequent(attribute: Attribute, ids: np.ndarray) -> list[int]:
    found: list[int] = ids[np.argsort(-attribute.counts[ids], kind="stable")].tolist()
    return found


def _languages(found: Concordance) -> str:
    """The languages of what was searched, with their tokens."""
    index = found.spans.index
    lang = index.structures["doc"].attributes.get("lang")
    if lang is None:
        return f"{found.size:,} tokens"
    docs = index.structures["doc"]
    lengths = np.diff(docs.bounds.astype(np.int64)) * (1 if found.part is None else found.part.chosen)
    tokens = np.bincount(lang.ids, weights=lengths)
    order = [number for number in np.argsort(-tokens, kind="stable").tolist() if tokens[number]][:_MAX_LISTED_VALUES]
    return (
        ", ".join(
            f"{name} {int(tokens[number]):,}" for name, number in zip(lang.lexicon.strings(order), order, strict=True)
        )
        + " tokens"
    )
