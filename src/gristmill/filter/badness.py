"""The filter `badness`: documents whose most frequent words are as frequent as they are in running text."""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass
from typing import ClassVar

from gristmill.document import UNKNOWN_BADNESS, Document
from gristmill.errors import UsageError
from gristmill.filter.badness_profile import Profile, shipped_profiles
from gristmill.filter.registry import DocumentFilter, Finding
from gristmill.filter.words import count_words
from gristmill.registry import part

_SAME = {"no": "nb"}
"""Languages that have the profile of another: Norwegian is mostly Bokmål."""


@part("filter", "badness")
@dataclass(frozen=True)
class Badness(DocumentFilter):
    """Notes how far the ten most frequent words are below their usual frequency, drops above `max` (texrex; 2013).

    The badness of a document (Schäfer, Barbaresi & Bildhauer 2013) is from 0 to 50, and is stored as its attribute
    `badness`. With max=50 nothing is dropped. There are profiles for 43 languages. A document in another
    language, or in a script without spaces, is not judged. A `file` with a profile replaces that of all languages, or
    that of the language `lang`; texrex's profiles can be used.
    """

    max: float = 35.0
    file: str = ""
    lang: str = ""

    paths: ClassVar[tuple[str, ...]] = ("file",)

    def check(self) -> None:
        """Check that the threshold is not below 0, and that the file is a profile."""
        if not self.max >= 0 or not math.isfinite(self.max):
            raise UsageError(f"badness: max must be 0 or more, not {self.max}")
        if self.lang and not self.file:
            raise UsageError("badness: lang is for a profile of your own: badness:file=FILE,lang=CODE")
        self._own  # noqa: B018 (reading it tells)

    def mark(self, document: Document) -> None:
        """Note the badness in the document."""
        document.badness = self._badness(document)

    def judge(self, document: Document) -> Finding:
        """Find the badness."""
        found = self._badness(document)
        if found < 0:
            return Finding(True, f"not judged: there is no profile of frequent words for {document.lang}")
        if found > self.max:
            return Finding(False, f"a badness of {found:.2f}, more than {self.max:g}")
        return Finding(True, f"a badness of {found:.2f}")

    def _badness(self, document: Document) -> float:
        """Compute the badness of a document, or -1 if there is no profile for it, or no text."""
        own = self._own if not self.lang or self.lang == document.lang else None
        profile = own or shipped_profiles().get(_SAME.get(document.lang, document.lang))
        counts = count_words(document.folded, document.lang) if profile else None
        return round(profile.badness(counts), 4) if profile and counts else UNKNOWN_BADNESS

    @functools.cached_property
    def _own(self) -> Profile | None:
        return Profile.load(self.file) if self.file else None
