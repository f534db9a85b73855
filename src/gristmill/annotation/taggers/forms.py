"""The tagger `forms`, for languages without another: only punctuation, symbols and numbers get a tag."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from gristmill.annotation.character_tags import tag_by_characters
from gristmill.annotation.tagger import Tagged
from gristmill.registry import part

TYPES = 1 << 16
"""How many different words a tagger caches the results of, at most; some 12 MB."""

_WITHOUT_CASE = frozenset("ja km ko lo my th yue zh".split())
"""Languages whose script has no capitals: Latin words in them are mostly names, which keep theirs."""


@dataclass(frozen=True, slots=True)
class FormTagger:
    """Gives words in lower case as lemmas, or as they are if `keeps_case`, and tags by characters."""

    keeps_case: bool = False

    def tag(self, sentences: Sequence[Sequence[str]]) -> Tagged:
        """Return lemmas and tags of all words."""
        words = [word for sentence in sentences for word in sentence]
        return Tagged(
            words if self.keeps_case else list(map(str.lower, words)), list(map(_remembered, words)), [""] * len(words)
        )


_remembered = lru_cache(maxsize=TYPES)(tag_by_characters)


@part("tagger", "forms")
@dataclass(frozen=True, slots=True)
class Forms:
    """The registered kind of tagger, for languages that there is no other for."""

    def serves(self, lang: str) -> bool:  # noqa: ARG002 (all languages are treated alike)
        """Tell that it serves any language."""
        return True

    def load(self, lang: str) -> FormTagger:
        """Make the tagger for a language."""
        return FormTagger(keeps_case=lang in _WITHOUT_CASE)
