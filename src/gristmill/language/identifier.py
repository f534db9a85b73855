"""The interface of language identifiers, and the registry of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from gristmill.language.identified import Identified
from gristmill.language.profile import Profile
from gristmill.registry import Registry, parts_of


class Identifier(Protocol):
    """An identifier of the languages of texts."""

    @property
    def languages(self) -> frozenset[str]:
        """The codes of the languages that it can identify."""

    def identify_all(self, texts: Sequence[str], *, guess: bool = True) -> list[Identified]:
        """Identify the language of each text; without `guess` it is `und` where the identifier is not sure."""


class Library:
    """What identifiers of libraries have in common: they know many languages without a user's profiles."""


IDENTIFIERS: Registry[Callable[[Sequence[Profile]], Identifier]] = parts_of("language identifier")
"""The identifiers by name; each is made with the profiles of languages that a user has trained, to know these too."""
