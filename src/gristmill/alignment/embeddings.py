"""Alignment by sentence embeddings of the user's own model, as vecalign does it (Thompson and Koehn 2019).

An embedder is anything with one method, `embed`. It is registered under a name by a plugin, or named as `module:name`.

The cost of a bead is one minus the cosine of the embeddings of its two sides, each embedded as one text, relative to
what either side costs with random sentences of the other text, times the sentences of both sides. A
sentence without translation costs what a share of random pairs cost less than. The search goes from coarse to fine:
embeddings of neighbours are averaged until texts are short, and the path is refined within a window at each step.

Memory: the embeddings of all runs of up to `MOST_SENTENCES` sentences, 4 bytes a number.
"""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol, cast

import numpy as np
import numpy.typing as npt

from gristmill.alignment.bands import Band, tidied, whole
from gristmill.alignment.texts import Beads, Sentences
from gristmill.arrays.dtypes import Floats, Ints, Matrix
from gristmill.errors import UsageError
from gristmill.registry import Registry, parts_of

MOST_SENTENCES = 3
"""Sentences of a side of a bead."""
KINDS = ((1, 1), (1, 2), (2, 1), (2, 2), (1, 3), (3, 1))
"""Kinds of beads with both sides: those of up to four sentences, as vecalign's own setting is."""
SAMPLES = 100
"""Random sentences that each run is compared with."""
SAMPLED_PAIRS = 20_000
"""Random pairs from which the cost of a sentence without translation is found."""
GAP_SHARE = 0.2
"""The share of random pairs that cost less than a sentence without translation."""
WINDOW = 10
"""Cells on both sides of the coarser path that are searched."""
WHOLE_SENTENCES = 300
"""Texts that are not longer are searched as a whole."""
_FROM_SOURCE, _FROM_TARGET = 254, 255


class Embedder(Protocol):
    """A model of sentences: texts that mean the same have embeddings that point in the same direction."""

    def embed(self, texts: Sequence[str], lang: str) -> npt.ArrayLike:
        """Return a row of numbers for each text; all rows are of the same length."""


EMBEDDERS: Registry[Embedder] = parts_of("embedder")
"""The embedders that plugins have registered, by name."""


def load_embedder(name: str) -> Embedder:
    """Find an embedder by the name under which a plugin registered it, or as `module:name`; a class is called."""
    module, colon, attribute = name.partition(":")
    if not colon:
        found: Any = EMBEDDERS[name]
    else:
        try:
            found = getattr(importlib.import_module(module), attribute)
        except ImportError as error:
            raise UsageError(f"the embedder {name} can't be loaded: {error}") from error
        except AttributeError as error:
            raise UsageError(f"the module {module} has no embedder {attribute!r}") from error
    if isinstance(found, type):
        found = found()
    if not callable(getattr(found, "embed", None)):
        raise UsageError(f"{name} is no embedder: it has no method embed(texts, lang)")
    return cast("Embedder", found)


def align_by_embeddings(
    source: Sentences, target: Sentences, embedder: Embedder, source_lang: str = "", target_lang: str = ""
) -> Beads:
    """Align two texts by embeddings of their sentences and of runs of them."""
    if not len(source) or not len(target):
        empty = np.concatenate([np.ones(len(source), np.int64), np.zeros(len(target), np.int64)])
        return Beads.of_counts(empty, 1 - empty)
    left = _runs(source, embedder, source_lang)
    right = _runs(target, embedder, target_lang)
    levels = [(left[0], right[0])]
    while max(map(len, levels[-1])) > WHOLE_SENTENCES:
        levels.append((_halved(levels[-1][0]), _halved(levels[-1][1])))
    path: tuple[Ints, Ints] | None = None
    for one, other in reversed(levels[1:]):
        path = _search(_Costs.of([one], [other]), ((1, 1),), _window(path, len(one), len(other)))
    costs = _Costs.of(left, right)
    path = _search(costs, KINDS, _window(path, len(source), len(target)))
    sources, targets = np.diff(path[0]), np.diff(path[1])
    return Beads.of_counts(sources, targets, _scores(costs, path, sources, targets))


def _runs(text: Sentences, embedder: Embedder, lang: str) -> list[Matrix]:
    """Embed all runs of one sentence, of two, and so on; row i is for the run that begins with sentence i."""
    if text.texts is None:
        raise ValueError("embeddings need the texts of sentences")
    made = []
    for length in range(1, min(MOST_SENTENCES, len(text)) + 1):
        runs = [" ".join(text.texts[at : at + length]) for at in range(len(text) - length + 1)]
        rows = np.asarray(embedder.embed(runs, lang), np.float32)
        if rows.ndim != 2 or len(rows) != len(runs):
            raise UsageError(f"an embedder returns a row of numbers for each text, not an array of shape {rows.shape}")
        made.append(_directions(rows))
    return made


def _directions(rows: Matrix) -> Matrix:
    """Make all rows as long as one; what is no number is no direction."""
    rows = np.nan_to_num(rows, posinf=0.0, neginf=0.0)
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return cast("Matrix", rows / np.where(lengths > 0, lengths, 1))


def _halved(rows: Matrix) -> Matrix:
    """Average pairs of neighbours."""
    if len(rows) % 2:
        rows = np.concatenate([rows, rows[-1:]])
    return _directions(rows[0::2] + rows[1::2])


@dataclass(frozen=True, slots=True)
class _Costs:
    """What beads cost: embeddings of runs, what each costs with random sentences, and what a gap costs."""

    sources: list[Matrix]
    targets: list[Matrix]
    source_norms: list[Floats]
    target_norms: list[Floats]
    gap: float

    @classmethod
    def of(cls, sources: list[Matrix], targets: list[Matrix]) -> _Costs:
        random = np.random.default_rng(42)  # the same each time
        some_sources = sources[0][random.integers(0, len(sources[0]), SAMPLES)]
        some_targets = targets[0][random.integers(0, len(targets[0]), SAMPLES)]
        source_norms = [_means(rows, some_targets) for rows in sources]
        target_norms = [_means(rows, some_sources) for rows in targets]
        firsts = random.integers(0, len(sources[0]), SAMPLED_PAIRS)
        seconds = random.integers(0, len(targets[0]), SAMPLED_PAIRS)
        cosines = np.einsum("ij,ij->i", sources[0][firsts], targets[0][seconds])
        norms = source_norms[0][firsts] + target_norms[0][seconds]
        return cls(
            sources, targets, source_norms, target_norms, float(np.quantile(_relative(cosines, norms), GAP_SHARE))
        )

    def of_row(self, row: int, low: int, high: int, kind: tuple[int, int]) -> Floats:
        """What beads of a kind cost that begin with a source sentence, and with each target sentence of a range."""
        a, b = kind
        rows = self.targets[b - 1][low:high]
        cosines = rows @ self.sources[a - 1][row]
        norms = self.source_norms[a - 1][row] + self.target_norms[b - 1][low:high]
        return _relative(cosines, norms) * a * b


def _means(rows: Matrix, samples: Matrix) -> Floats:
    """What each row costs with samples of the other text, on average."""
    return cast("Floats", 1.0 - (rows @ np.mean(samples, axis=0)).astype(np.float64))


def _relative(cosines: Any, norms: Floats) -> Floats:
    """One minus the cosine, relative to what it costs with random sentences."""
    return cast("Floats", np.maximum(2.0 * (1.0 - cosines) / np.maximum(norms, 1e-6), 0.0))


def _window(path: tuple[Ints, Ints] | None, sources: int, targets: int) -> Band:
    """The cells that are searched: all, or those near a path through texts that are half as long."""
    if path is None:
        return whole(sources, targets)
    rows, columns = np.minimum(path[0] * 2, sources), np.minimum(path[1] * 2, targets)
    lows, highs = np.full(sources + 1, targets, np.int64), np.zeros(sources + 1, np.int64)
    for shift in (-1, 0, 1):
        at = np.clip(rows + shift, 0, sources)
        np.minimum.at(lows, at, columns - WINDOW)
        np.maximum.at(highs, at, columns + WINDOW)
    return tidied(lows, highs, targets)


def _search(costs: _Costs, kinds: Sequence[tuple[int, int]], band: Band) -> tuple[Ints, Ints]:
    """Find the cheapest path in a band: where its beads begin in both texts, and where the last one ends."""
    sources, targets = len(costs.sources[0]), len(costs.targets[0])
    kinds = [kind for kind in kinds if kind[0] <= len(costs.sources) and kind[1] <= len(costs.targets)]
    rows: list[Floats] = []
    steps: list[npt.NDArray[np.uint8]] = []
    for i in range(sources + 1):
        low, high = int(band.lows[i]), int(band.highs[i])
        best = np.full(high - low + 1, np.inf)
        step = np.full(high - low + 1, _FROM_SOURCE, np.uint8)
        if i == 0:
            best[0] = 0.0
        for number, (a, b) in enumerate([*kinds, (1, 0)]):
            if a > i:
                continue
            before, first = rows[i - a], int(band.lows[i - a])
            start, end = max(low, first + b), min(high, first + len(before) - 1 + b)
            if start > end:
                continue
            cost = before[start - b - first : end - b - first + 1] + (
                costs.of_row(i - a, start - b, end - b + 1, (a, b)) if b else costs.gap
            )
            here = slice(start - low, end - low + 1)
            better = cost < best[here]
            best[here] = np.where(better, cost, best[here])
            step[here] = np.where(better, np.uint8(number if b else _FROM_SOURCE), step[here])
        # A run of sentences of the target without translation: the cheapest cell before, and so many gaps.
        ramp = costs.gap * np.arange(len(best))
        lowest = np.minimum.accumulate(best - ramp)
        skipped = np.append(False, lowest[:-1] + ramp[1:] < best[1:])
        best = np.minimum(best, lowest + ramp)
        step[skipped] = _FROM_TARGET
        rows.append(best)
        steps.append(step)
        if i >= MOST_SENTENCES:
            rows[i - MOST_SENTENCES] = np.zeros(0)
    return _trace(steps, band, kinds, sources, targets)


def _trace(
    steps: list[npt.NDArray[np.uint8]], band: Band, kinds: Sequence[tuple[int, int]], i: int, j: int
) -> tuple[Ints, Ints]:
    """Go the way back from the end."""
    path = [(i, j)]
    while i or j:
        step = int(steps[i][j - int(band.lows[i])])
        a, b = (1, 0) if step == _FROM_SOURCE else (0, 1) if step == _FROM_TARGET else kinds[step]
        i, j = i - a, j - b
        path.append((i, j))
    ends = np.array(path[::-1], np.int64)
    return ends[:, 0], ends[:, 1]


def _scores(costs: _Costs, path: tuple[Ints, Ints], sources: Ints, targets: Ints) -> Matrix:
    """One minus the relative cost: 1 where both sides mean the same, 0 where random sentences are as near."""
    made = np.zeros(len(sources), np.float32)
    for bead in np.flatnonzero((sources > 0) & (targets > 0)).tolist():
        kind = int(sources[bead]), int(targets[bead])
        first = int(path[1][bead])
        cost = costs.of_row(int(path[0][bead]), first, first + 1, kind)[0] / (kind[0] * kind[1])
        made[bead] = min(max(1.0 - cost, 0.0), 1.0)
    return made
