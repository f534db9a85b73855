"""The tasks that match the sketches of a large corpus, in the order in which `plan.py` lists what they write."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from gristmill.arrays.dtypes import Array, Flags, Ints
from gristmill.arrays.ragged import chunks, is_new, starts_of
from gristmill.arrays.storing import load_arrays
from gristmill.dedup.documents.digest import digests
from gristmill.dedup.documents.neighbours import distinct_pairs, neighbours
from gristmill.dedup.documents.plan import Plan, Step, divided, joined
from gristmill.dedup.documents.reducing import reduced
from gristmill.dedup.documents.settled import head_rows
from gristmill.dedup.documents.sketches import Pairs, Sketches, join, join_pairs, taken


@dataclass(frozen=True, slots=True)
class StoreSpan(Step):
    """Puts the sketches of the shards of a span together."""

    kind: ClassVar[str] = "store"
    files: tuple[Path, ...]
    rows: tuple[int, ...]
    """The sketches of each shard, and the rows of the corpus at which the shards begin."""

    def arrays(self) -> dict[str, Array]:
        """Sketches, and for each document its row and that of the settled document which it is a copy of."""
        return put_together(self.files, self.rows, self.plan.folder / "settled")


def put_together(files: Sequence[Path], starts: Sequence[int], settled: Path) -> dict[str, Array]:
    """The sketches of shards, of which the files are given and the rows of the corpus at which they begin.

    `settled` is the file of what is known of settled shards.
    """
    found = [load_arrays(file) for file in files]
    sketches = join([Sketches(part["features"], part["starts"], part["sizes"]) for part in found])
    rows = [part["rows"] + start for part, start in zip(found, starts, strict=True)]
    heads = [head_rows(part, numbers, settled) for part, numbers in zip(found, rows, strict=True)]
    return {
        "features": sketches.features,
        "starts": sketches.starts,
        "sizes": sketches.sizes,
        "rows": np.concatenate([np.empty(0, np.int64), *rows]),
        "heads": np.concatenate([np.empty(0, np.int64), *heads]),
    }


@dataclass(frozen=True, slots=True)
class KeepRare(Step):
    """Leaves the most frequent features out of the sketches of a span."""

    kind: ClassVar[str] = "kept"
    limit: int
    """In how many documents a feature may be."""

    def arrays(self) -> dict[str, Array]:
        """The same as before, with fewer features."""
        plan, stored = self.plan, self.plan.load("store", self.number)
        counted = joined(list(plan.parts("frequent", self.number, of_spans=False)), "frequencies", np.int64)
        flags = np.empty(len(counted), np.bool_)
        flags[plan.load("all", self.number)["places"]] = counted <= self.limit
        kept = Sketches(stored["features"], stored["starts"], stored["sizes"]).only(flags)
        return {**stored, "features": kept.features, "starts": kept.starts}


@dataclass(frozen=True, slots=True)
class DigestSpan(Step):
    """Digests the sketches of a span."""

    kind: ClassVar[str] = "digests"

    def arrays(self) -> dict[str, Array]:
        """Digests and documents, by bucket; documents without features have no twins."""
        keys = self.method.keys(self.plan.sketches(self.number))
        filled = np.flatnonzero(keys.counts)
        values = digests(keys.features, keys.starts)[filled]
        order, bounds = divided(values, self.plan.buckets)
        return {
            "digests": values[order],
            "documents": filled[order] + self.plan.bounds[self.number],
            "bounds": bounds,
        }


@dataclass(frozen=True, slots=True)
class FindTwins(Step):
    """Finds documents with the same sketch among those of a bucket."""

    kind: ClassVar[str] = "twins"

    def arrays(self) -> dict[str, Array]:
        """The twins of earlier documents in rising order; and all pairs by the first document, as numbers."""
        parts = list(self.plan.parts("digests", self.number, of_spans=True))
        values, documents = joined(parts, "digests", np.uint64), joined(parts, "documents", np.int64)
        order = np.lexsort((documents, values))
        values, documents = values[order], documents[order]
        new = is_new(values)
        first = documents[np.flatnonzero(new)[np.cumsum(new) - 1]] if len(new) else documents
        pairs = np.sort(first[~new] * self.plan.documents + documents[~new])
        edges = np.array(self.plan.bounds)
        return {
            "twins": np.sort(documents[~new]),
            "pairs": pairs,
            "bounds": np.searchsorted(pairs // max(self.plan.documents, 1), edges),
            "twin_bounds": np.searchsorted(np.sort(documents[~new]), edges),
        }


def _are_first(plan: Plan, span: int, count: int) -> Flags:
    """Tell which of the documents of a span are no twins of earlier ones."""
    flags = np.ones(count, np.bool_)
    for bucket in range(plan.buckets):
        arrays = plan.load("twins", bucket)
        start, end = arrays["twin_bounds"][span : span + 2]
        flags[arrays["twins"][start:end] - plan.bounds[span]] = False
    return flags


@dataclass(frozen=True, slots=True)
class SpreadFeatures(Step):
    """Divides the features of a span: of all its documents, or of those that are no twins."""

    kind: ClassVar[str] = "features"

    def arrays(self) -> dict[str, Array]:
        """Features and documents, by bucket, and how many features each document has."""
        keys = self.method.keys(self.plan.sketches(self.number))
        places = np.flatnonzero(np.repeat(self._flags(len(keys.sizes)), keys.counts))
        order, bounds = divided(keys.features[places], self.plan.buckets)
        places = places[order]
        documents = np.searchsorted(keys.starts, places, side="right") - 1
        return {
            "features": keys.features[places],
            "documents": documents + self.plan.bounds[self.number],
            "places": places,
            "bounds": bounds,
            "counts": keys.counts,
        }

    def _flags(self, count: int) -> Flags:
        """Which documents count."""
        return _are_first(self.plan, self.number, count)


@dataclass(frozen=True, slots=True)
class SpreadAllFeatures(SpreadFeatures):
    """Divides the features of all documents of a span."""

    kind: ClassVar[str] = "all"

    def _flags(self, count: int) -> Flags:
        return np.ones(count, np.bool_)


@dataclass(frozen=True, slots=True)
class CountFeatures(Step):
    """Counts in how many documents each feature of a bucket is."""

    kind: ClassVar[str] = "counted"
    source: ClassVar[str] = "features"

    def arrays(self) -> dict[str, Array]:
        """The frequency of each feature, as the spans have them, and how many features have each frequency."""
        parts = list(self.plan.parts(self.source, self.number, of_spans=True))
        features = joined(parts, "features", np.uint64)
        order = np.argsort(features, kind="stable")
        starts = np.flatnonzero(is_new(features[order]))
        sizes = np.diff(np.append(starts, len(features)))
        frequencies = np.empty(len(features), np.int64)
        frequencies[order] = np.repeat(sizes, sizes)
        bounds = starts_of(np.array([len(part["features"]) for part in parts]))
        return {
            "frequencies": frequencies,
            "bounds": bounds,
            "histogram": np.stack(np.unique(sizes, return_counts=True)),
        }


@dataclass(frozen=True, slots=True)
class CountAllFeatures(CountFeatures):
    """Counts in how many documents each feature of a bucket is, twins included."""

    kind: ClassVar[str] = "frequent"
    source: ClassVar[str] = "all"


@dataclass(frozen=True, slots=True)
class ChooseProbes(Step):
    """Chooses the rarest features of each document of a span, as many as it needs to find its partners."""

    kind: ClassVar[str] = "probes"

    def arrays(self) -> dict[str, Array]:
        """Features that several documents have, by bucket, with their documents, and how many features these have."""
        plan, spread_out = self.plan, self.plan.load("features", self.number)
        frequencies = joined(list(plan.parts("counted", self.number, of_spans=False)), "frequencies", np.int64)
        counts = spread_out["counts"]
        repeated = frequencies > 1
        features, documents = spread_out["features"][repeated], spread_out["documents"][repeated]
        own = documents - plan.bounds[self.number]
        order = np.lexsort((features, frequencies[repeated], own))
        sizes = np.bincount(own, minlength=len(counts))
        last = sizes - np.maximum(self.method.need(counts), 1)
        is_probe = np.empty(len(own), np.bool_)
        is_probe[order] = np.arange(len(own)) - starts_of(sizes)[own[order]] <= last[own[order]]
        used = is_probe if self.method.both else np.ones(len(own), np.bool_)
        kept = np.flatnonzero(repeated)[used]
        return {
            "features": features[used],
            "documents": documents[used],
            "is_probe": is_probe[used],
            "sizes": counts[own[used]],
            "bounds": np.searchsorted(kept, spread_out["bounds"]),
        }


@dataclass(frozen=True, slots=True)
class PairDocuments(Step):
    """Pairs the documents that look for each other by a feature of a bucket."""

    kind: ClassVar[str] = "pairs"

    def arrays(self) -> dict[str, Array]:
        """Pairs in rising order, as first * number of documents + second."""
        parts = list(self.plan.parts("probes", self.number, of_spans=True))
        features, documents = joined(parts, "features", np.uint64), joined(parts, "documents", np.int64)
        is_probe, sizes = joined(parts, "is_probe", np.bool_), joined(parts, "sizes", np.int64)
        order = np.lexsort((documents, -sizes, features))
        if not self.method.both:  # others may have the feature that one looks for
            starts = np.flatnonzero(is_new(features[order]))
            groups = np.diff(np.append(starts, len(order)))
            if len(starts):
                order = order[np.repeat(np.logical_or.reduceat(is_probe[order], starts), groups)]
        pairs = distinct_pairs(self._pairs(features[order], documents[order], is_probe[order], sizes[order]))
        return pairs_by_span(self.plan, pairs)

    def _pairs(self, features: Any, documents: Ints, is_probe: Flags, sizes: Ints) -> Iterator[Ints]:
        need = np.maximum(self.method.need(sizes), 1)
        bounds = np.append(np.flatnonzero(is_new(features)), len(features))
        for left, right in neighbours(bounds, self.method.reach):
            fits = (
                (sizes[left] >= need[right]) & (sizes[right] >= need[left])
                if self.method.both
                else is_probe[left] | is_probe[right]
            )
            one, other = documents[left[fits]], documents[right[fits]]
            yield np.minimum(one, other) * self.plan.documents + np.maximum(one, other)


@dataclass(frozen=True, slots=True)
class GatherHashes(Step):
    """Puts the sketches of all documents together that are no twins, if a sketch is one hash."""

    kind: ClassVar[str] = "hashes"

    def arrays(self) -> dict[str, Array]:
        """Hashes and documents."""
        hashes, documents = [np.empty(0, np.uint64)], [np.empty(0, np.int64)]
        for span, begin in enumerate(self.plan.bounds[:-1]):
            sketches = self.plan.sketches(span)
            chosen = np.flatnonzero(_are_first(self.plan, span, len(sketches.sizes)) & (sketches.counts > 0))
            hashes.append(sketches.features[sketches.starts[:-1][chosen]])
            documents.append(chosen + begin)
        return {"hashes": np.concatenate(hashes), "documents": np.concatenate(documents)}


@dataclass(frozen=True, slots=True)
class PairByTable(Step):
    """Pairs the documents whose hashes are near each other, by one of the tables in which they are looked for."""

    kind: ClassVar[str] = "pairs"

    def arrays(self) -> dict[str, Array]:
        """Pairs in rising order, as first * number of documents + second."""
        found = self.plan.load("hashes", 0)
        hashes, documents = np.array(found["hashes"]), found["documents"]
        near = (
            documents[one] * self.plan.documents + documents[other]
            for one, other in self.method.near(hashes, self.number)
        )
        return pairs_by_span(self.plan, distinct_pairs(near))


def pairs_by_span(plan: Plan, pairs: Ints) -> dict[str, Array]:
    """Pairs in rising order, and where those of each span begin, by their first documents."""
    edges = np.array(plan.bounds) * plan.documents
    return {"pairs": pairs, "bounds": np.searchsorted(pairs, edges)}


@dataclass(frozen=True, slots=True)
class JudgePairs(Step):
    """Compares the sketches of pairs whose first document is in a span, and keeps what clusters are made of."""

    kind: ClassVar[str] = "found"
    sources: int
    """How many files of pairs there are."""

    def arrays(self) -> dict[str, Array]:
        """What is left of the pairs that are alike, as `reduced` gives it."""
        plan = self.plan
        candidates = []
        for kind, files in (("pairs", self.sources), ("twins", plan.buckets)):
            for number in range(files):
                arrays = plan.load(kind, number)
                start, end = arrays["bounds"][self.number : self.number + 2]
                candidates.append(arrays["pairs"][start:end])
        first, second = np.divmod(distinct_pairs(candidates), max(plan.documents, 1))
        pairs = join_pairs(list(self._alike(first, second)), self.method.first_goes(first[:0], second[:0]))
        return reduced(pairs, plan.load(plan.store, self.number)["heads"], plan.bounds[self.number], plan.settled)

    def _alike(self, first: Ints, second: Ints) -> Iterator[Pairs]:
        """The pairs that are alike, by the spans of their second documents."""
        own, begin = self.plan.sketches(self.number), self.plan.bounds[self.number]
        span_of = np.searchsorted(np.array(self.plan.bounds), second, side="right") - 1
        for span in np.unique(span_of).tolist():
            others, others_begin = self.plan.sketches(span), self.plan.bounds[span]
            chosen = np.flatnonzero(span_of == span)
            sizes = own.counts[first[chosen] - begin] + others.counts[second[chosen] - others_begin]
            for part in chunks(sizes):
                one, other = first[chosen[part]], second[chosen[part]]
                pair = taken(own, one - begin), taken(others, other - others_begin)
                flags, scores = self.method.judge(*pair)
                goes = self.method.first_goes(pair[0].counts, pair[1].counts)
                yield Pairs(one, other, scores, goes).only(flags)


def shared_features(one: Sketches, other: Sketches) -> Ints:
    """How many features the documents of each pair have in common; no document has a feature twice.

    features 1 2 | 7, and 2 3 | 7   ->  rows and features 0 1, 0 2, 0 2, 0 3, 1 7, 1 7  ->  1 1
    """
    rows = np.concatenate([np.repeat(np.arange(len(part.sizes)), part.counts) for part in (one, other)])
    features = np.concatenate([one.features, other.features])
    order = np.lexsort((features, rows))
    rows, features = rows[order], features[order]
    same = (rows[1:] == rows[:-1]) & (features[1:] == features[:-1])
    return np.bincount(rows[1:][same], minlength=len(one.sizes))
