"""De-duplication methods compared on documents of which it is known which belong together."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from gristmill.dedup.evaluation import THRESHOLD, Quality, measure
from gristmill.engine import Report, silent
from gristmill.evaluation.near_duplicates import Made, Tally, measures, read_verdicts, total, write_shards

_DOCUMENTS_PER_SHARD = 1000


@dataclass(frozen=True, slots=True)
class Compared:
    """How good each method is, the best first by the F1 of B-cubed."""

    documents: int
    clusters: int
    qualities: list[Quality]
    promises: dict[str, Tally]
    """For each method what became of copies and of texts that are there once; empty if that is not known."""

    def to_json(self) -> dict[str, Any]:
        """All figures, for programs."""
        methods = [quality.as_json() for quality in self.qualities]
        for figures in methods:
            if figures["method"] in self.promises:
                figures["texts"] = self.promises[figures["method"]].figures()
        return {"documents": self.documents, "clusters": self.clusters, "methods": methods}


def compare_methods(
    documents: Sequence[Made],
    methods: Sequence[str],
    threshold: float = THRESHOLD,
    *,
    blocks_known: bool = False,
    report: Report = silent,
) -> Compared:
    """Run methods on documents in a temporary folder, and measure what they find of the true clusters.

    `blocks_known` says that it is known which blocks are copies of which. `report` is told of each method that is done.
    """
    labels = [document.cluster for document in documents]
    found, promises = [], {}
    with tempfile.TemporaryDirectory(prefix="gristmill-") as folder:
        shards = write_shards(documents, Path(folder), _DOCUMENTS_PER_SHARD)
        for number, spec in enumerate(methods):
            found.append(measure(spec, shards, np.array(labels), Path(folder) / f"work-{number}", threshold))
            if blocks_known:
                promises[spec] = total(measures(documents, read_verdicts(shards)))
            report(1)
    found.sort(key=lambda quality: -quality.b_cubed.f1)
    return Compared(len(documents), len(set(labels)), found, promises)
