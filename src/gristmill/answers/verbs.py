"""The verbal complex: whether a predicate is negated, and whether it is said to hold at all (GReG, section 3.3)."""

from __future__ import annotations

from gristmill.answers.analysis import Analysis

_WINDOW = 3
"""Words before a predicate among which its negation is looked for where nothing links them."""
_VERBAL = frozenset(("VERB", "AUX"))


def is_negated(text: Analysis, at: int) -> bool:
    """Tell whether a predicate is negated: by a word that it governs, or one shortly before it in the same clause."""
    return _has(text, at, text.rules.negations)


def is_modal(text: Analysis, at: int) -> bool:
    """Tell whether it is left open if a predicate holds: by a modal word, or an opaque predicate that governs it."""
    if _has(text, at, text.rules.modals):
        return True
    return any(link.dependent == at and text.roots[link.head] in text.rules.opaque for link in text.structure.links)


def _has(text: Analysis, at: int, words: frozenset[str]) -> bool:
    """Tell whether one of some words belongs to a predicate."""
    heads, relations = text.annotation.heads, text.annotation.deprels
    if relations and relations[at]:
        governed = [place for place, offset in enumerate(heads) if offset and place + offset == at]
        return any(text.roots[place] in words or text.folded[place] in words for place in governed)
    if text.tags[at] not in _VERBAL:
        return False
    start, end = next(span for span in text.sentences if span[0] <= at < span[1])
    near = range(max(start, at - _WINDOW), min(at + 2, end))
    return any(text.roots[place] in words or text.folded[place] in words for place in near if place != at)
