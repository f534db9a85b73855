"""Combine a library with languages that a user has trained: the library is asked first, but what fits better wins."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence

import numpy as np

from gristmill.language.beesley import Beesley
from gristmill.language.identified import UNKNOWN, Identified
from gristmill.language.identifier import Identifier
from gristmill.language.profile import Profile, padded_words, profile_of_library

_MAX_CHARACTERS = 2000
_MIN_SURE_BYTES = 40  # of letters, as for CLD2
# How many standard deviations below the mean fit of the trained language a text may be: if the library does not know
# its language; if it is so short that the library often does not know what it should; if the library takes it for
# another language, of which there is no profile to compare with.
_MAX_DEVIATIONS = 2.5
_MAX_DEVIATIONS_IF_SHORT = 1.0
_MAX_DEVIATIONS_AGAINST_LIBRARY = 0.5
_SHORT_CHARACTERS = 30
# Fits vary less the longer texts are, but not beyond this length, as subject and style go on varying.
_MAX_AVERAGED_CHARACTERS = 100


class WithTrained:
    """An identifier that follows a library, unless a text fits a trained language as well as other text of it does.

    Trained languages are only tried if the library does not know the language of the text, or takes it for one for
    which it took the training sample as well (Upper Sorbian is Czech or Polish to a library that does not know it). In
    the second case the text must also fit the trained language better than that one.
    """

    def __init__(self, library: Identifier, profiles: Sequence[Profile]) -> None:
        self.library = library
        self._own = Beesley(profiles)
        self._rivals = frozenset(rival for profile in profiles for rival in profile.rivals.tolist())

    @property
    def languages(self) -> frozenset[str]:
        """The languages of the library, and those that were trained."""
        return self.library.languages | self._own.languages

    def identify_all(self, texts: Sequence[str], *, guess: bool = True) -> list[Identified]:
        """Identify the language of each text, as the library says or as the trained language that fits better."""
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
        text = text[:_MAX_CHARACTERS]
        size = len(padded_words(text).replace(" ", "").encode("utf-8", "replace"))
        if size < _MIN_SURE_BYTES / 4:
            return None
        fit = self._own.fit(text)
        best = int(np.argmax(fit))
        chosen = self._own.profiles[best]
        if known.lang == chosen.lang or self._fits(float(fit[best]), text, chosen, known.lang):
            return Identified(chosen.lang, min(1.0, size / _MIN_SURE_BYTES))
        return None

    def _fits(self, fit: float, text: str, chosen: Profile, known: str) -> bool:
        mean, deviation = map(float, chosen.fits)
        below = (mean - fit) / max(deviation, 1e-9) * math.sqrt(min(len(text), _MAX_AVERAGED_CHARACTERS))
        if known == UNKNOWN:
            return below <= (_MAX_DEVIATIONS if len(text) >= _SHORT_CHARACTERS else _MAX_DEVIATIONS_IF_SHORT)
        if known not in chosen.rivals.tolist():
            return False
        rival = _of_library(known)
        if rival is None:
            return below <= _MAX_DEVIATIONS_AGAINST_LIBRARY
        return below <= _MAX_DEVIATIONS and fit > float(rival.fit(text)[0])


@functools.cache
def _of_library(lang: str) -> Beesley | None:
    profile = profile_of_library(lang)
    return Beesley([profile]) if profile else None
