"""Forms of verbs: those that a corpus has of a lemma with some features, else those of the rules, else regular ones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from gristmill.answers.rules_file import Rules

Attested = Callable[[str], Mapping[tuple[str, str], int]]
"""Gives the forms of a verb in a corpus, with their features, and how often each stands there."""


def nothing_attested(lemma: str) -> Mapping[tuple[str, str], int]:
    """Know no corpus."""
    del lemma
    return {}


@dataclass(frozen=True, slots=True)
class Inflection:
    """Inflects verbs of a language."""

    rules: Rules
    lang: str
    attested: Attested = nothing_attested

    def inflect(self, lemma: str, features: Sequence[str]) -> str:
        """Return the form of a verb with some features; the lemma itself if none is known.

        The commonest form with these features in the corpus is taken. Where the corpus has none, the irregular verbs
        of the rules are looked up, and English verbs that are not among these are regular.
        """
        counts: Counter[str] = Counter()
        for (form, feats), count in self.attested(lemma).items():
            if set(features) <= set(feats.split("|")):
                counts[form.lower()] += count
        irregular = self.rules.irregular.get(lemma)
        is_part = "VerbForm=Part" in features
        is_past = "Tense=Past" in features
        if irregular and (is_part or is_past):
            return irregular[-1] if is_part else irregular[0]
        if counts:
            return min(counts, key=lambda form: (-counts[form], form))
        if self.lang.startswith("en"):
            return _regular(lemma, past=is_part or is_past, third="Person=3" in features)
        return lemma


def _regular(lemma: str, *, past: bool, third: bool) -> str:
    """Inflect an English verb by rule."""
    consonant_y = lemma.endswith("y") and lemma[-2:-1] not in "aeiou"
    if past:
        if lemma.endswith("e"):
            return f"{lemma}d"
        return f"{lemma[:-1]}ied" if consonant_y else f"{lemma}ed"
    if third:
        if lemma.endswith(("s", "x", "z", "ch", "sh", "o")):
            return f"{lemma}es"
        return f"{lemma[:-1]}ies" if consonant_y else f"{lemma}s"
    return lemma
