"""What an identifier is, and where identifiers are filed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from gristmill.language.identified import Identified
from gristmill.language.profile import Profile
from gristmill.registry import Registry


class Identifier(Protocol):
    """Tells which language each of some texts is in."""

    @property
    def languages(self) -> frozenset[str]:
        """The codes of the languages that it can tell."""

    def identify_all(self, texts: Sequence[str], *, guess: bool = True) -> list[Identified]:
        """The language of each text; without `guess` it is `und` where there is not enough to be sure, as often in short texts."""


IDENTIFIERS: Registry[Callable[[Sequence[Profile]], Identifier]] = Registry("language identifier")
"""Each is made with the profiles of the languages that a user has trained, which it then knows besides its own."""
