"""Words that sketches are asked for: lemmas with a part of speech, found in a sketch base."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches

from gristmill.errors import UsageError
from gristmill.search.sketches.store import Sketches

_MAX_NAMED = 5


@dataclass(frozen=True, slots=True)
class Word:
    """A lemma with its part of speech, its number among the units, and how often it occurs."""

    lemma: str
    tag: str
    unit: int
    frequency: int


def find_word(sketches: Sketches, lemma: str, tag: str | None = None) -> Word:
    """Find a lemma; without a tag, with that which has the most grammatical relations. Raises if it has none.

    What is not there as it is written is looked for in lower case, and with a capital.
    """
    lemma = lemma.strip()
    if not lemma:
        raise UsageError("which word? Write a lemma, such as bread")
    base = sketches.base
    for form in dict.fromkeys((lemma, lemma.lower(), lemma.capitalize())):
        tags = base.tags_of(form)
        if tag is not None:
            tags = {name: count for name, count in tags.items() if name == tag}
        if tags:
            chosen = max(tags, key=lambda name: (base.totals[base.find(form, name)], name))
            return Word(form, chosen, base.find(form, chosen), tags[chosen])
    raise UsageError(_why_not(sketches, lemma, tag))


def _why_not(sketches: Sketches, lemma: str, tag: str | None) -> str:
    """Say why a word has no sketch, and what is there instead."""
    others = sketches.base.tags_of(lemma)
    where = f"in {sketches.base.size:,} tokens ({sketches.lang}, by {sketches.source})"
    if tag is not None and others:
        return f"{lemma!r} does not stand in a grammatical relation as {tag} {where}, but as {', '.join(others)}"
    near = _near(sketches, lemma)
    hint = f"; is it one of {', '.join(near)}?" if near else "; sketches are of lemmas: go, not goes"
    return f"the lemma {lemma!r} stands in no grammatical relation {where}{hint}"


def _near(sketches: Sketches, lemma: str) -> list[str]:
    """Lemmas that are written similarly, among those that begin in the same way."""
    starts = sketches.base.beginning_with(lemma[: max(2, len(lemma) - 3)])
    return get_close_matches(lemma, starts, _MAX_NAMED, 0.75)
