"""Tokens that stand in a grammatical relation, for `ws("mill-n", "modifier", "old-j")` in queries.

They are found by the patterns that sketches are counted by, so a sketch needs not be made before.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import numpy as np
import pyarrow as pa

from gristmill.arrays.dtypes import Ids, Mask
from gristmill.condition.values import matching
from gristmill.errors import UsageError
from gristmill.registry import did_you_mean
from gristmill.search.hits import check_size
from gristmill.search.sketches.extract import Extract
from gristmill.search.sketches.grammar import BY_NAME, Grammar, Relation
from gristmill.search.sketches.lempos import Words
from gristmill.search.sketches.pairs import GrammarPairs, Slot
from gristmill.search.sketches.places import Places, joined
from gristmill.search.sketches.store import chosen_grammar

_META = re.compile(r"[\\.^$*+?{}\[\]|()]")
_WORD = ('"%w"', "%w")
"""What stands for the word in the title of a relation: `modifiers of "%w"`, as Sketch Engine writes it."""


def related_tokens(places: Places, head: str, relation: str, collocate: str) -> tuple[Ids, Ids]:
    """Find all pairs of a head and its collocate in a relation, by regular expressions: positions of both.

    Raises if no relation has such a name.
    """
    languages = places.languages()
    whole = {lang: chosen_grammar(places.texts, lang) for lang in languages}
    grammars = {lang: _narrowed(grammar, relation) for lang, grammar in whole.items()}
    if not any(grammar.relations for grammar in grammars.values()):
        raise UsageError(_no_relation(relation, list(whole.values())))
    heads, collocates = Words(places.index, head), Words(places.index, collocate)
    rare = [words.positions() for words in (heads, collocates) if places.are_few(words.count())]
    sentences = places.sentences(rare)
    found, total = [], 0
    for lang, grammar in grammars.items():
        if grammar.relations:
            source = _Named(GrammarPairs(grammar), relation)
            for extract in places.extracts(lang, sentences):
                for side in source.sides(extract):
                    found.append(side.named(heads, collocates))
                    total += len(found[-1]["at"])
                    check_size(total)
    return joined(found)


@dataclass(frozen=True, slots=True)
class _Side:
    """Pairs of an extract, of which one token is the head as the relation is named; both as positions in it."""

    extract: Extract
    at: Ids
    others: Ids

    def named(self, heads: Words, collocates: Words) -> dict[str, Ids]:
        """Those whose head and collocate are wanted, as positions in the whole index."""
        lemmas, tags = (self.extract.attributes[name].ids for name in ("lemma", "tag"))
        kept = np.flatnonzero(heads.at(lemmas[self.at], tags[self.at]))
        kept = kept[collocates.at(lemmas[self.others[kept]], tags[self.others[kept]])]
        return {"at": self.extract.places[self.at[kept]], "other": self.extract.places[self.others[kept]]}


@dataclass
class _Named:
    """Finds pairs in the relations that a regular expression names."""

    source: GrammarPairs
    regex: str
    _wanted: dict[bool, list[bool]] = field(default_factory=lambda: {False: [], True: []})
    """For each relation that was met, whether it is named: as it is, and its dual."""

    def sides(self, extract: Extract) -> Iterator[_Side]:
        """Pairs in an extract, seen from the head or from the collocate, whichever is named."""
        for pairs in self.source.pairs(extract):
            for dual, known in self._wanted.items():
                new = self.source.slots[len(known) :]
                known.extend(_is_named(_names(slot, dual), self.regex) for slot in new)
                chosen: Mask = np.array(known or [False], np.bool_)[pairs.slots]
                at, others = pairs.heads[chosen], pairs.collocates[chosen]
                yield _Side(extract, others, at) if dual else _Side(extract, at, others)


def _narrowed(grammar: Grammar, regex: str) -> Grammar:
    """Leave out the relations whose names can't match."""
    return replace(grammar, relations=tuple(one for one in grammar.relations if _may_be_named(one, regex)))


def _may_be_named(relation: Relation, regex: str) -> bool:
    names = [name for dual in (False, True) for name in _names(Slot(relation, BY_NAME), dual)]
    if not relation.by_name:
        return _is_named(names, regex)
    meta = _META.search(regex)
    if meta is None:
        return any(_pattern(name).fullmatch(regex) for name in names)
    start = "" if "|" in regex else regex[: meta.start()]
    start = start[:-1] if meta[0] in "*+?{" else start  # the last letter may be missing
    return any(one.startswith(start[: len(one)]) for one in (name.partition(BY_NAME)[0] for name in names))


def _pattern(name: str) -> re.Pattern[str]:
    return re.compile(".+".join(map(re.escape, name.split(BY_NAME))))


def _names(slot: Slot, dual: bool) -> list[str]:
    """What a relation is called, seen from one side: its name, its title, and further titles."""
    further = slot.relation.dual_also if dual else slot.relation.also
    titles = [title.replace("{}", word) for title in (slot.titles()[dual], *further) for word in _WORD]
    return [slot.names()[dual], *titles, *(title.replace("…", "...") for title in titles if "…" in title)]


def _is_named(names: list[str], regex: str) -> bool:
    return bool(matching(pa.array(names, pa.large_string()), "=", regex, ignore_case=False).any())


def _no_relation(regex: str, grammars: list[Grammar]) -> str:
    """Say that there is no such relation, and which there are."""
    known = dict.fromkeys(name for grammar in grammars for one in grammar.relations for name in (one.name, one.dual))
    names = [name.replace(BY_NAME, "…") for name in known]
    return f"there is no relation {regex!r}{did_you_mean(regex, names)} (there are: {', '.join(names)})"
