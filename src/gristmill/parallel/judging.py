"""Cleaning of sentence pairs: what speaks against a bead, as columns; nothing is left out.

    length_ratio    characters of the target for each of the source; 0 if a side is empty
    source_lang     language of the text of each side, if it is long enough to tell; else empty
    target_lang
    copied          share of the words that are the same on both sides, without names and numbers
    numbers         share of the numbers that agree
    boilerplate     the highest score of the blocks that a bead is of

`judge` fills all that the texts tell, `highest_scores` the last; `repeats.py` counts what was there before.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from gristmill.arrays.dtypes import Array, Flags, Floats, Ints
from gristmill.language import UNKNOWN, Models
from gristmill.parallel.numbers import agreement
from gristmill.parallel.records import SIDES

_MIN_IDENTIFIED_BYTES = 40
"""Bytes of a text whose language is identified: of shorter ones too many are taken for another language."""
_MIN_CONFIDENCE = 0.5
"""What the identifier says with less is a guess."""
_DIGIT = r"\p{Nd}"
_MAX_WORD_CHARACTERS = 16
"""Characters of distinct words with their spaces, on average: where they have more, there are no spaces."""


def judge(
    source: pa.Array | Sequence[str],
    target: pa.Array | Sequence[str],
    languages: tuple[str, str],
    models: Models | None = None,
) -> dict[str, pa.Array]:
    """Judge sentence pairs by their texts, and return the columns `length_ratio` to `numbers` of `BEADS_SCHEMA`.

    `languages` are those that the sides should be in. `models` identify languages; by default those that are shipped.
    """
    texts = [as_strings(side) for side in (source, target)]
    lists = [side.to_pylist() for side in texts]
    models = models or Models.load()
    found = {"length_ratio": pa.array(_length_ratios(*texts), pa.float32())}
    for side, column, own, lang in zip(SIDES, texts, lists, languages, strict=True):
        found[f"{side}_lang"] = _languages(column, own, lang, models)
    found["copied"] = pa.array(list(map(copied, *lists)), pa.float32())
    found["numbers"] = pa.array(_numbers(texts, lists), pa.float32())
    return found


def as_strings(texts: pa.Array | pa.ChunkedArray | Sequence[str]) -> pa.Array:
    """Make an array of strings; what is no valid text, such as one half of a surrogate pair, becomes `?`."""
    if isinstance(texts, pa.ChunkedArray):
        return texts.combine_chunks()
    if isinstance(texts, pa.Array):
        return texts
    try:
        return pa.array(texts, pa.string())
    except UnicodeEncodeError:
        return pa.array([text.encode("utf-8", "replace").decode() for text in texts], pa.string())


def highest_scores(scores: Floats, first: Ints, last: Ints) -> Floats:
    """Find the highest of the scores from the place `first` to the place `last` of each bead; 0 where both are -1.

    scores [.1, .9, .2], first [0, 2, -1], last [1, 2, -1]: [.9, .2, 0]
    """
    found = np.zeros(len(first))
    there = np.flatnonzero(first >= 0)
    if not len(there):
        return found
    # `reduceat` takes pairs of edges; what lies between two beads is computed, too, and left out.
    edges = np.column_stack([first[there], last[there] + 1]).ravel()
    found[there] = np.maximum.reduceat(np.append(scores, 0.0), edges)[::2]
    return found


def _length_ratios(source: pa.Array, target: pa.Array) -> Floats:
    lengths = [pc.utf8_length(side).to_numpy(zero_copy_only=False).astype(np.float64) for side in (source, target)]
    both = (lengths[0] > 0) & (lengths[1] > 0)
    ratios: Floats = np.divide(lengths[1], lengths[0], out=np.zeros(len(both)), where=both)
    return ratios


def _languages(texts: pa.Array, own: Sequence[str], lang: str, models: Models) -> pa.Array:
    """Identify the language of each text.

    Most texts are in the language that is expected, and their letters tell so at a tenth of what the identifier takes:
    it is asked only for the others.
    """
    long_enough = pc.binary_length(texts).to_numpy(zero_copy_only=False) >= _MIN_IDENTIFIED_BYTES
    plainly = _plainly(texts, lang, models) & long_enough
    asked = np.flatnonzero(long_enough & ~plainly)
    found = np.where(plainly, lang, "").astype(object)
    answers = models.identify_all([own[place] for place in asked.tolist()], guess=False)
    for place, (identified, confidence) in zip(asked.tolist(), answers, strict=True):
        if identified != UNKNOWN and confidence >= _MIN_CONFIDENCE:
            found[place] = identified
    return pa.array(found, pa.string())


def _plainly(texts: pa.Array, lang: str, models: Models) -> Flags:
    """Tell which texts are plainly in a language, by their letters."""
    plain = models.plain(lang)
    if plain is None or not len(texts):
        return np.zeros(len(texts), np.bool_)
    _, offsets, data = texts.buffers()
    edges: Array = np.frombuffer(offsets, np.int32)[texts.offset : texts.offset + len(texts) + 1]
    body = bytes(memoryview(data)[edges[0] : edges[-1]]) if data is not None else b""
    edges = edges - edges[0]
    return plain.tell(body, np.ascontiguousarray(edges[:-1]), np.ascontiguousarray(edges[1:]))


def copied(source: str, target: str) -> float:
    """Measure the share of words, in characters, that both sides have: 1 for a text that was not translated.

    It is Dice's coefficient over distinct words. Common words that begin with a capital may be names, and are left out;
    so are numbers and signs: of `Visit Anna Meier in Graz` and `Besuchen Sie Anna Meier in Graz`, `in` is common to
    `Visit in` and `Besuchen Sie in`. Texts without spaces are compared by pairs of characters.
    """
    ours, theirs = set(source.split()), set(target.split())
    if _is_unspaced(source, ours) or _is_unspaced(target, theirs):
        ours, theirs = _bigrams(source), _bigrams(target)
    common = ours & theirs
    if not common:
        return 0.0
    shared = sum(len(word) for word in common if (first := word[0]).isalpha() and not first.isupper())
    if not shared:
        return 0.0
    own = sum(len(word) for word in ours ^ theirs if word[0].isalpha())
    return 2 * shared / (2 * shared + own)


def _is_unspaced(text: str, words: set[str]) -> bool:
    """Tell whether a text has no spaces between its words: these are very long, then."""
    return len(text) > _MAX_WORD_CHARACTERS * max(len(words), 1)


def _bigrams(text: str) -> set[str]:
    return set(map(str.__add__, text, text[1:]))


def _numbers(texts: Sequence[pa.Array], lists: Sequence[Sequence[str]]) -> Floats:
    """Measure how far the numbers of both sides agree; most pairs have none, which is found out for all together."""
    either = pc.or_(*(pc.match_substring_regex(side, _DIGIT) for side in texts)).to_numpy(zero_copy_only=False)
    found = np.ones(len(either))
    for place in np.flatnonzero(either).tolist():
        found[place] = agreement(lists[0][place], lists[1][place])
    return found
