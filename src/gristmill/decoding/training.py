"""Train models of encodings: convert a sample of text to all encodings of its language, and count the byte triples.

As in chared (PRESEMT D3.1.3, section 4), one text serves for all encodings of a language, so that the models differ
only where the encodings do. Used by `gristmill train encoding`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from gristmill.decoding import labels
from gristmill.decoding.model import ASCII, Model
from gristmill.decoding.triples import Keys, all_ascii, triples
from gristmill.decoding.usual import usual_encodings
from gristmill.errors import UsageError

_MAX_TRIPLES = 3000  # of a model: the others are no more frequent than by chance
_MAX_TRIPLES_IN_WIDE = 12_000  # of a model where characters take several bytes, as there are thousands of them
_MIN_NON_ASCII_CHARACTERS = 50  # of a sample
_VARIED_EVERY_LINES = 20  # one line in so many counts again, varied
_LOOKALIKES = str.maketrans("аеосрхујАЕОСРХУЈ", "aeocpxyjAEOCPXYJ")  # Serbian pages above all mix them
# What people write where an encoding lacks the character.
_SUBSTITUTES = dict.fromkeys("“”„‟«»″", '"') | dict.fromkeys("‘’‚‛‹›′ʼ", "'") | dict.fromkeys("–—‒−‐‑", "-")
_SUBSTITUTES |= {
    "…": "...",
    "\xa0": " ",
    "•": "*",
    "·": "*",
    "€": "EUR",
    "ș": "ş",
    "Ș": "Ş",
    "ț": "ţ",
    "Ț": "Ţ",
    "ə": "ä",
    "Ə": "Ä",
}
_CONTROLS = re.compile(r"[\x7f-\x9f\ufffd]")  # an encoding must not gain by having them
# Circumflex, breve, horn: windows-1258 has Vietnamese letters with these, and their tones apart.
_PART_OF_THE_LETTER = "\u0302\u0306\u031b"


def train(lang: str, text: str, encodings: Sequence[str] | None = None) -> Model:
    """Learn the encodings of a language from a sample of its text; by default those that are usual for it."""
    text = unicodedata.normalize("NFC", _CONTROLS.sub("", text))
    names = list(dict.fromkeys(map(_canonical, encodings))) if encodings else usual_encodings(lang)
    found = sum(not character.isascii() for character in text)
    if found < _MIN_NON_ASCII_CHARACTERS:
        raise UsageError(
            f"the sample for {lang!r} has {found} characters beyond ASCII; encodings can't be told apart by fewer than "
            f"{_MIN_NON_ASCII_CHARACTERS}, and some thousand are better"
        )
    varied = _varied(text)
    counted = [_count(triples(convert(varied, name))[0]) for name in names]
    # One total for all, as it is the same text: the models differ only where the encodings do.
    total = max(int(counts.sum()) for _, counts in counted)
    models = [_model(lang, name, keys, counts, total) for name, (keys, counts) in zip(names, counted, strict=True)]
    if found < len(text) / 3:  # written in Latin letters, most of them ASCII
        keys, counts = _count(all_ascii(text.encode("ascii", "replace")))
        models.append(_model(lang, ASCII, keys, counts, int(counts.sum())))
    return Model.join(models)


def _canonical(name: str) -> str:
    known = labels.canonical(name)
    if known is None or known.startswith("UTF-"):
        raise UsageError(
            f"{name!r} is no encoding that a model can be of; such are windows-1250, ISO-8859-2, KOI8-R, cp852"
        )
    return known


def _varied(text: str) -> str:
    """Repeat some of the text in capitals, as headings are, and some with Latin letters for Cyrillic lookalikes."""
    some = "\n".join(text.split("\n")[::_VARIED_EVERY_LINES])
    return "\n".join([text, some.upper(), some.translate(_LOOKALIKES)] if "а" in some else [text, some.upper()])


def _count(found: Keys) -> tuple[Keys, npt.NDArray[np.int64]]:
    keys, counts = np.unique(found, return_counts=True)
    return keys, counts


def _model(lang: str, encoding: str, keys: Keys, counts: npt.NDArray[np.int64], total: int) -> Model:
    most = np.lexsort((keys, -counts))[: _MAX_TRIPLES_IN_WIDE if labels.is_wide(encoding) else _MAX_TRIPLES]
    most = np.sort(most[counts[most] > 1])
    return Model.of(lang, encoding, keys[most], counts[most] / max(1, total))


def convert(text: str, encoding: str) -> bytes:
    """Encode a text; characters that the encoding lacks are substituted as people do, or left out."""
    codec = labels.python_codec(encoding)
    changes = {ord(character): _nearest(character, codec) for character in set(text) if not _fits(character, codec)}
    return text.translate(changes).encode(codec, "ignore")


def _nearest(character: str, codec: str) -> str:
    if character in _SUBSTITUTES:
        instead = _SUBSTITUTES[character]
        return instead if _fits(instead, codec) else unicodedata.normalize("NFD", instead)[0]
    base, *marks = list(unicodedata.normalize("NFD", character))
    letter = unicodedata.normalize("NFC", base + "".join(mark for mark in marks if mark in _PART_OF_THE_LETTER))
    tones = "".join(mark for mark in marks if mark not in _PART_OF_THE_LETTER)
    return letter + tones if _fits(letter + tones, codec) else base


def _fits(text: str, codec: str) -> bool:
    try:
        text.encode(codec)
    except UnicodeEncodeError:
        return False
    return True
