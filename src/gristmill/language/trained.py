"""A library and the languages that a user has trained: the library first, but a trained language wins where it fits better."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence

import numpy as np

from gristmill.language.beesley import Beesley
from gristmill.language.identified import UNKNOWN, Identified
from gristmill.language.identifier import Identifier
from gristmill.language.profile import Profile, padded_words, profile_of_library

_ENOUGH = 2000  # characters
_SURE = 40  # bytes of letters, as for CLD2
_USUAL = (
    2.5  # deviations below the mean, within which text is that of the trained language if the library does not know it
)
_USUAL_IF_SHORT = 1.0  # for texts that are so short that the library often does not know what it should
_SHORT = 30  # characters
_EVEN = 100  # characters; longer texts do not vary less, since what they are about and how they are written varies
_CERTAIN = 0.5  # the same if the library knows it as another, of which nothing can be learned to compare with


class WithTrained:
    """The answer of a library, unless the text fits a trained language as well as other text of that language does.

    That is only looked at if the library does not know the language of the text, or takes it for one for which it took
    the sample as well (Upper Sorbian is Czech or Polish to a library that does not know it); then it must also fit
    better than that one.
    """

    def __init__(self, library: Identifier, profiles: Sequence[Profile]) -> None:
        self.library = library
        self._own = Beesley(profiles)
        self._rivals = frozenset(rival for profile in profiles for rival in profile.rivals.tolist())

    @property
    def languages(self) -> frozenset[str]:
        """Those of the library, and those that were trained."""
        return self.library.languages | self._own.languages

    def identify_all(self, texts: Sequence[str], *, guess: bool = True) -> list[Identified]:
        """What the library says, or the trained language that fits better."""
        answers = self.library.identify_all(texts, guess=False)
        found = [self._trained(text, known) or known for text, known in zip(texts, answers, strict=True)]
        if guess:
            open_texts = [at for at, answer in enumerate(found) if answer.lang == UNKNOWN]
            for at, answer in zip(open_texts, self.library.identify_all([texts[at] for at in open_texts]), strict=True):
                found[at] = answer
        return found

    def _trained(self, text: str, known: Identified) -> Identified | None:
        if known.lang != UNKNOWN and known.lang not in self._rivals:
            return None
        text = text[:_ENOUGH]
        size = len(padded_words(text).replace(" ", "").encode("utf-8", "replace"))
        if size < _SURE / 4:
            return None
        fit = self._own.fit(text)
        best = int(np.argmax(fit))
        chosen = self._own.profiles[best]
        if known.lang == chosen.lang or self._fits(float(fit[best]), text, chosen, known.lang):
            return Identified(chosen.lang, min(1.0, size / _SURE))
        return None

    def _fits(self, fit: float, text: str, chosen: Profile, known: str) -> bool:
        mean, deviation = map(float, chosen.fits)
        below = (mean - fit) / max(deviation, 1e-9) * math.sqrt(min(len(text), _EVEN))
        if known == UNKNOWN:
            return below <= (_USUAL if len(text) >= _SHORT else _USUAL_IF_SHORT)
        if known not in chosen.rivals.tolist():
            return False
        rival = _of_library(known)
        if rival is None:
            return below <= _CERTAIN
        return below <= _USUAL and fit > float(rival.fit(text)[0])


@functools.cache
def _of_library(lang: str) -> Beesley | None:
    profile = profile_of_library(lang)
    return Beesley([profile]) if profile else None
