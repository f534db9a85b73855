"""Make the scores of letter triples, for `lettertriples.py`: `python -m gristmill.language.triplescores`.

The score of a triple is the logarithm of how much more frequent it is in the language than in the others on average.
What texts score on average in each language follows from the same frequencies, and so does the limit that a text must
be above: it lies between the language and the one that comes nearest to it, and higher for short texts, as their
scores vary more. Frequencies are those in the models of encodings (`decoding.model`).

They are in a file since all these models would have to be read for the scores of one language.
"""

from __future__ import annotations

import io
import json
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from gristmill.arrays.dtypes import Floats, Ints
from gristmill.decoding.model import shipped
from gristmill.language.codes import NAMES
from gristmill.language.lettertriples import ALPHABETS, STORED, Alphabet, Numbers, is_counted

_MAX_TRIPLES = 400  # of a text
# Scores are whole numbers, 16 for a factor of e, so that their sums are the same in whatever order.
_STEPS, _MAX_SCORE = 16, 127
_UNSEEN = 2e-5  # the share that a triple has at least
# What is asked of texts, strictly and less so: a number of triples; and how far above other languages they must score
# on average, as part of the way up to their own language, and in standard errors. Chosen on windows of declarations.
_STRICT, _MILD = (12, 0.4, 2.0), (8, 0.3, 1.0)
_NEVER = np.iinfo(np.int32).max
_CODES = {"nb": "no", "sr-latn": "sr"}  # of languages in the models of encodings, and here


def make() -> dict[str, npt.NDArray[np.generic]]:
    """Make all that is stored: for each alphabet its languages, and their scores and limits."""
    stored: dict[str, npt.NDArray[np.generic]] = {}
    for name, alphabet in ALPHABETS.items():
        frequencies = _frequencies(alphabet)
        made = [_scores(frequencies, number) for number in range(len(frequencies.languages))]
        stored[f"{name}_languages"] = np.frombuffer(json.dumps(frequencies.languages).encode(), np.uint8)
        stored[f"{name}_triples"] = frequencies.triples.astype(np.int32)
        # The scores of a triple stand together: so they compress best.
        stored[f"{name}_scores"] = np.ascontiguousarray(np.array([scores for scores, _ in made], np.int8).T)
        stored[f"{name}_limits"] = np.array([limits for _, limits in made], np.int32)
    return stored


@dataclass(frozen=True, slots=True)
class _Frequencies:
    languages: list[str]
    triples: Ints
    """The triples that any of the languages has."""
    shares: Floats
    """A row for each language: the share of each of these triples."""


def _scores(frequencies: _Frequencies, own: int) -> tuple[Floats, list[Numbers]]:
    """Make the scores of all triples for a language, given by its number, and its limits."""
    others = np.delete(frequencies.shares, own, axis=0)
    ratio = (frequencies.shares[own] + _UNSEEN) / (others.mean(axis=0) + _UNSEEN)
    scores = np.clip(np.rint(_STEPS * np.log(ratio)), -_MAX_SCORE, _MAX_SCORE)
    return scores, [_limits(scores, frequencies.shares[own], others, *asked) for asked in (_STRICT, _MILD)]


def _limits(scores: Floats, own: Floats, others: Floats, fewest: int, part: float, errors: float) -> Numbers:
    """Find limits from the mean scores of texts in the language and in others, and from how much these vary."""
    # By `einsum`, as libraries for matrices add up in an order that depends on the machine, and start threads.
    means = np.einsum("ij,j", others, scores)
    deviations = np.sqrt(np.maximum(np.einsum("ij,j", others, scores**2) - means**2, 0))
    counts = np.arange(fewest, _MAX_TRIPLES + 1)[:, None]
    varying = (means + errors * deviations / np.sqrt(counts)).max(axis=1)
    least = means.max() + part * (np.einsum("i,i", own, scores) - means.max())
    limits = np.full(_MAX_TRIPLES + 1, _NEVER, np.int32)
    limits[fewest:] = counts[:, 0] * np.maximum(varying, least)
    return limits


def _frequencies(alphabet: Alphabet) -> _Frequencies:
    """Read frequencies, of languages that can be identified: no text will be taken for one in another language."""
    model, known = shipped(), frozenset(NAMES.values())
    rows, languages = [], []
    for row, (code, encoding) in enumerate(model.pairs):
        lang = _CODES.get(code, code)
        if encoding == alphabet.encoding and lang in known:
            rows.append(row)
            languages.append(lang)
    counts = is_counted(alphabet)
    parts = [slice(model.starts[row], model.starts[row + 1]) for row in rows]
    triples = [_numbered(alphabet, model.keys[part]) for part in parts]
    is_used = np.zeros(len(counts), np.bool_)
    is_used[np.concatenate(triples)] = True
    used = np.flatnonzero(is_used & counts)
    places = np.full(len(counts), len(used))  # those that don't count come last, and are left out
    places[used] = np.arange(len(used))
    shares = np.zeros((len(rows), len(used)))
    for row, (part, found) in enumerate(zip(parts, triples, strict=True)):
        shares[row] = np.bincount(places[found], model.frequencies_of(part), len(used) + 1)[:-1]
    return _Frequencies(languages, used, shares / shares.sum(axis=1, keepdims=True))


def _numbered(alphabet: Alphabet, keys: npt.NDArray[np.uint32]) -> Ints:
    """Convert byte triples of an encoding to triples of numbers of letters."""
    first, second, third = (alphabet.model_numbers[keys >> shift & 0xFF].astype(np.int64) for shift in (16, 8, 0))
    return np.asarray(first << 2 * alphabet.bits | second << alphabet.bits | third, np.int64)


if __name__ == "__main__":
    buffer = io.BytesIO()
    np.savez_compressed(buffer, **make())  # type: ignore[arg-type]
    STORED.write_bytes(buffer.getvalue())
