"""Identify languages by py3langid (Lui and Baldwin 2012), the default where CLD2 can't be installed.

It is all Python, with its model inside its package, so that it is there on every platform. It takes a second and 80 MB
to load and is slower than CLD2. It calls no text unknown, so that little is believed that is not probable.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence

from py3langid.langid import MODEL_DIR, MODEL_FILE, LanguageIdentifier
from py3langid.modelio import load_model

from gristmill.language.identified import NOTHING, Identified
from gristmill.language.identifier import Identifier, Library
from gristmill.language.profile import Profile, padded_words
from gristmill.language.trained import WithTrained
from gristmill.registry import part

_MAX_CHARACTERS = 2000  # more text does not change the answer
_MIN_BYTES = 10  # of letters: in shorter texts there is nothing to go by
_MIN_SURE_BYTES = 40  # of letters: from here on the probability says how sure an answer is
_MAX_GUESSED_BYTES = 80  # of letters: longer texts that are not probably in a language are mostly in none that it knows
_MIN_PROBABILITY = 0.7  # of a language that is not just guessed
# Its codes in ISO 639-1, of macro-languages if need be, as CLD2 has them; `zxx` stands for no language.
_CODES = {
    code: standard
    for standard, codes in {
        "ar": "ary arz",
        "ff": "fuv",
        "gn": "gug",
        "he": "hbo",
        "ki": "kik",
        "ku": "sdh",
        "uz": "uzs",
        "zh": "wuu yue",
        "": "zxx",
    }.items()
    for code in codes.split()
}


@functools.cache
def _load() -> LanguageIdentifier:
    """Load the model; the probabilities of varieties of a language are added up."""
    of_grams, of_languages, codes, moves, rows, outputs = load_model(MODEL_DIR / MODEL_FILE)
    codes = [_CODES.get(code, code) for code in codes]
    return LanguageIdentifier(of_grams, of_languages, codes, moves, outputs, norm_probs=True, tk_row=rows)


class Langid(Library):
    """The identifier py3langid, whose model is loaded when it is first needed."""

    @property
    def languages(self) -> frozenset[str]:
        """The codes of the languages that it can identify."""
        return frozenset(_load().labels) - {""}

    def identify_all(self, texts: Sequence[str], *, guess: bool = True) -> list[Identified]:
        """Identify each text; the confidence is the probability, less below 40 bytes of letters, half if a guess."""
        return [_identify(text[:_MAX_CHARACTERS], guess=guess) for text in texts]


@part("language identifier", "py3langid")
def langid(profiles: Sequence[Profile]) -> Identifier:
    """Make an identifier of py3langid and, for languages that it does not know, a user's trained profiles."""
    return WithTrained(Langid(), profiles) if profiles else Langid()


def _identify(text: str, *, guess: bool) -> Identified:
    size = len(padded_words(text).replace(" ", "").encode("utf-8", "replace"))
    if size < _MIN_BYTES:
        return NOTHING
    lang, probability = _load().classify(text)
    # Rounded, as the last digits depend on the processor.
    confidence = round(probability * min(1.0, size / _MIN_SURE_BYTES), 2)
    if not lang or not confidence:
        return NOTHING
    if probability >= _MIN_PROBABILITY:
        return Identified(lang, confidence)
    return Identified(lang, confidence / 2) if guess and size <= _MAX_GUESSED_BYTES else NOTHING
