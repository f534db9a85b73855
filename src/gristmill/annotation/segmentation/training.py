"""Training of word segmenters, for `gristmill train segmenter`: from sentences with their words, and word lists.

Text is cut at white space, and each stretch is a sequence of characters. What a model does with sentences that it has
not seen is measured with every tenth sentence left out; the model itself learns from all.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from gristmill.annotation.segmentation.character_types import stretches, type_table
from gristmill.annotation.segmentation.field import TAGS, Examples, Floats, fit
from gristmill.annotation.segmentation.lexicon import (
    MAX_LISTS,
    WordList,
    make_lexicon,
    read_words,
    simplified,
    words_of,
)
from gristmill.annotation.segmentation.model import SegmenterModel, with_lexicon
from gristmill.annotation.segmentation.treebanks import Sentence, read_sentences
from gristmill.errors import UsageError
from gristmill.version import __version__

_STRETCH = re.compile(r"\S+")
_BEGIN, _MIDDLE, _END, _SINGLE = range(TAGS)
_LISTS, _ROWS, _SLOTS = 2, 474, 19  # of `kernel.segments`
_PENALTY = 0.5
_ITERATIONS = 80
_LEAST_COUNT = 2
_MOST_WORDS = 150_000
_LARGEST_WEIGHT = 127
_LEAST_WEIGHT = 2  # n-grams all of whose weights are smaller are left out
_FOLDED = frozenset({"zh", "yue"})
_TENTH, _LAST_OF_TEN = 10, 9

LEFT_OUT = "F1 of words, every tenth sentence left out"
"""The name of the figure among the facts about a model."""

_Arrays = dict[str, npt.NDArray[Any]]


class _Reach(NamedTuple):
    """How far a model looks: n-grams by length and first place, groups of lengths of words."""

    grams: tuple[tuple[int, range], ...]
    groups: tuple[int, ...]


_NARROW = _Reach(((1, range(-2, 3)), (2, range(-2, 2)), (3, range(-2, 1))), (0, 1, 2, 3, 4, 4, 4, 4))
_WIDE = _Reach(
    ((1, range(-4, 4)), (2, range(-3, 3)), (3, range(-4, 3)), (4, range(-4, 2))),
    (0, 1, 2, 3, 3, 3, *(4,) * 10),
)
"""For scripts that write sounds, such as Thai, where words have more characters."""
_LONG_WORDS = 2.6  # characters of an average word
_TYPES = ((2, range(-2, 2)), (3, range(-1, 0)), (4, range(-2, -1)))


def train_from_files(
    treebanks: Sequence[Path], lang: str, words: Sequence[Path] = (), about: str | None = None
) -> SegmenterModel:
    """Train a model on treebanks; wordfreq is the first word list where it has the language."""
    sentences = [sentence for path in treebanks for sentence in read_sentences(path, lang)]
    known = words_of(lang)
    lists = [*([known] if known else []), *map(read_words, words)]
    if len(lists) > MAX_LISTS:
        raise UsageError(f"a segmenter has up to {MAX_LISTS} word lists, and these are {len(lists)}")
    files = [{"file": path.name, "sha256": sha256(path.read_bytes()).hexdigest()} for path in (*treebanks, *words)]
    return train(sentences, lang, lists, {"about": about or "", "wordfreq": bool(known), "files": files})


def train(
    sentences: Sequence[Sentence], lang: str, lists: Sequence[WordList], facts: Mapping[str, Any] | None = None
) -> SegmenterModel:
    """Train a model; the same sentences and lists give the same model."""
    if not sentences:
        raise UsageError("a segmenter is learned from sentences, and there are none")
    arrays = _tables(sentences, lang, lists)
    kept, left_out = split(sentences)
    scores = f1(SegmenterModel(_learn(arrays, kept)), left_out) if kept and left_out else None
    about = {
        "lang": lang,
        "gristmill": __version__,
        "sentences": len(sentences),
        "words": sum(len(sentence.starts) for sentence in sentences),
        "words of the lexicon": len(arrays["words"]),
        LEFT_OUT: None if scores is None else round(scores, 2),
        **(facts or {}),
    }
    return SegmenterModel(_learn(arrays, sentences), about)


def split(sentences: Sequence[Sentence]) -> tuple[list[Sentence], list[Sentence]]:
    """Sentences to learn from, and every tenth; those with the same id, as one in two scripts, stay together."""
    numbers: dict[str, int] = {}
    kept: list[Sentence] = []
    left_out: list[Sentence] = []
    for sentence in sentences:
        number = numbers.setdefault(sentence.id, len(numbers))
        (left_out if number % _TENTH == _LAST_OF_TEN else kept).append(sentence)
    return kept, left_out


def f1(model: SegmenterModel, sentences: Sequence[Sentence]) -> float:
    """F1 of words in per cent."""
    cut = model.cutter().cut
    right = total = 0
    for sentence in sentences:
        found = set()
        for stretch in _STRETCH.finditer(sentence.text):
            starts = [at for at, flag in enumerate(cut(stretch.group()), stretch.start()) if flag]
            found |= set(zip(starts, [*starts[1:], stretch.end()], strict=True))
        words = set(zip(sentence.starts, sentence.ends, strict=True))
        right += len(found & words)
        total += len(found) + len(words)
    return 200 * right / max(1, total)


def _tables(sentences: Sequence[Sentence], lang: str, lists: Sequence[WordList]) -> _Arrays:
    """Make what does not depend on weights: tables of characters, templates, the lexicon."""
    characters = sum(sum(sentence.ends) - sum(sentence.starts) for sentence in sentences)
    reach = _WIDE if characters > _LONG_WORDS * sum(len(sentence.starts) for sentence in sentences) else _NARROW
    folds = simplified() if lang in _FOLDED else {}
    type_starts, types = stretches(type_table())
    templates = [
        (sequence, length, first)
        for sequence, grams in ((0, reach.grams), (1, _TYPES))
        for length, firsts in grams
        for first in firsts
    ]
    words, classes = make_lexicon(lists, folds, len(reach.groups), _MOST_WORDS)
    return {
        "folded": np.array(list(folds.items()), np.uint16).reshape(-1, 2),
        "type_starts": type_starts,
        "types": types,
        "templates": np.array(templates, np.int8),
        "groups": np.array(reach.groups, np.uint8),
        "words": words,
        "classes": classes,
    }


def _learn(arrays: _Arrays, sentences: Sequence[Sentence]) -> _Arrays:
    """Learn weights from sentences; return all arrays of a model."""
    cutter = with_lexicon(arrays)
    sequences = [sequence for sentence in sentences for sequence in _sequences(sentence)]
    described = [cutter.describe(text) for text, _ in sequences]
    grams = np.concatenate([found for found, _ in described])
    rows = np.concatenate([found for _, found in described]) - np.repeat(np.arange(_LISTS) * _ROWS, _SLOTS)
    columns = [np.unique(column, return_inverse=True, return_counts=True) for column in grams.T]
    known = [hashes[counts >= _LEAST_COUNT] for hashes, _, counts in columns]
    numbered = [_numbered(places, counts >= _LEAST_COUNT) for _, places, counts in columns]
    used = _SLOTS * (_LISTS if (arrays["classes"] > 15).any() else 1)
    examples = Examples(
        np.array([*numbered, *rows.T[:used]], np.int32),
        [*(len(hashes) + 1 for hashes in known), *[_ROWS] * used],
        np.concatenate([tags for _, tags in sequences]),
        np.array([len(text) for text, _ in sequences], np.int32),
    )
    weights, transitions = fit(examples, _PENALTY, _ITERATIONS)
    by_rows = np.zeros((_LISTS * _ROWS, TAGS))
    for slot, column in enumerate(weights[len(known) :]):
        by_rows[slot // _SLOTS * _ROWS :][:_ROWS] += column
    return arrays | _rounded(
        np.concatenate(known), np.concatenate([column[1:] for column in weights[: len(known)]]), by_rows, transitions
    )


def _numbered(places: npt.NDArray[np.intp], kept: npt.NDArray[np.bool_]) -> npt.NDArray[np.int32]:
    """Number the features of a column that are kept, from 1 on; all others are 0."""
    numbers: npt.NDArray[np.int32] = np.where(kept, np.cumsum(kept), 0).astype(np.int32)[places]
    return numbers


def _rounded(hashes: npt.NDArray[np.uint32], weights: Floats, rows: Floats, transitions: Floats) -> _Arrays:
    """Make integers of weights, in order of hashes; two n-grams with the same hash get the weights of both."""
    grams, places = np.unique(hashes, return_inverse=True)
    sums = np.zeros((len(grams), TAGS))
    np.add.at(sums, places, weights)
    scale = _LARGEST_WEIGHT / max(1.0, float(np.abs(sums).max(initial=0)), float(np.abs(rows).max(initial=0)))
    whole = np.rint(sums * scale).astype(np.int8)
    kept = np.abs(whole).max(1, initial=0) >= _LEAST_WEIGHT
    return {
        "grams": grams[kept],
        "weights": whole[kept],
        "rows": np.rint(rows * scale).astype(np.int8),
        "transitions": np.rint(transitions * scale).astype(np.int32),
    }


def _sequences(sentence: Sentence) -> Iterator[tuple[str, npt.NDArray[np.int32]]]:
    """Yield the stretches between white space with the tags of their characters."""
    begins = set(sentence.starts)
    for stretch in _STRETCH.finditer(sentence.text):
        first, end = stretch.span()
        is_begin = [at == first or at in begins for at in range(first, end)] + [True]
        tags = [
            (_SINGLE if is_begin[at + 1] else _BEGIN) if is_begin[at] else _END if is_begin[at + 1] else _MIDDLE
            for at in range(end - first)
        ]
        yield stretch.group(), np.array(tags, np.int32)
