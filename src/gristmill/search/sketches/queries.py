"""Queries in CQL that find exactly the pairs which a sketch counts."""

from __future__ import annotations

from gristmill.errors import UsageError
from gristmill.registry import did_you_mean
from gristmill.search.sketches.pattern import COLLOCATE, HEAD, NAME, joined
from gristmill.search.sketches.store import Sketches
from gristmill.search.statistics.queries import quoted


def query_of(sketches: Sketches, relation: str, word: tuple[str, str], collocate: tuple[str, str] | None = None) -> str:
    """Write the query for the pairs of a word (a lemma and a tag) in a relation, or for those with one collocate."""
    kinds = {kind.name: kind for kind in sketches.base.kinds.values()}
    if relation not in kinds:
        raise UsageError(f"there is no relation {relation!r}{did_you_mean(relation, kinds)}")
    kind = kinds[relation]
    found = sketches.grammar.relations[kind.relation]
    name = {NAME: f"lemma=={quoted(kind.word)}"} if kind.word else {}
    other = _condition(collocate) if collocate else ""
    sides = [(COLLOCATE, HEAD) if kind.dual else (HEAD, COLLOCATE)]
    if kind.symmetric:
        sides.append((COLLOCATE, HEAD))
    conditions = [{own: _condition(word), others: other, **name} for own, others in sides]
    patterns = dict.fromkeys(pattern.restricted(one) for one in conditions for pattern in found.compact)
    return joined(patterns, sketches.within)


def _condition(word: tuple[str, str]) -> str:
    lemma, tag = word
    return f"lemma=={quoted(lemma)}" + (f" & tag=={quoted(tag)}" if tag else "")
