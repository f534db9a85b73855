"""Match the sketches of a large corpus, round by round; what each round writes is in `plan.py`."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from gristmill.arrays.dtypes import Array
from gristmill.dedup.documents.plan import Divisible, Plan, Step
from gristmill.dedup.documents.rounds import (
    ChooseProbes,
    CountAllFeatures,
    CountFeatures,
    DigestSpan,
    FindTwins,
    GatherHashes,
    JudgePairs,
    KeepRare,
    PairByTable,
    PairDocuments,
    SpreadAllFeatures,
    SpreadFeatures,
    StoreSpan,
)
from gristmill.dedup.job import Job


def found_by_tasks(
    method: Divisible, job: Job, plan: Plan, parts: Sequence[tuple[tuple[Path, ...], tuple[int, ...]]], size: int
) -> list[dict[str, Array]]:
    """Find the pairs that are alike, and return what is left of those of each span.

    `parts` has for each span the sketches of its shards, and the rows at which these begin; `size` is that of all.
    """
    spans, buckets = range(plan.spans), range(plan.buckets)
    cost = size // plan.spans

    def run(steps: Sequence[Step]) -> None:
        job.run(steps, lambda number: steps[number].result)

    run([StoreSpan(plan, method, span, cost, *parts[span]) for span in spans])
    if method.left_out:
        run([SpreadAllFeatures(plan, method, span, cost) for span in spans])
        run([CountAllFeatures(plan, method, bucket, cost) for bucket in buckets])
        limit = _limit(plan, method.left_out)
        if limit is not None:
            run([KeepRare(plan, method, span, cost, limit) for span in spans])
            plan = dataclasses.replace(plan, store=KeepRare.kind)
    run([DigestSpan(plan, method, span, cost) for span in spans])
    run([FindTwins(plan, method, bucket, cost) for bucket in buckets])
    files = _pair(method, job, plan, cost)
    run([JudgePairs(plan, method, span, cost, files) for span in spans])
    return [plan.load(JudgePairs.kind, span) for span in spans]


def _pair(method: Divisible, job: Job, plan: Plan, cost: int) -> int:
    """Find the pairs that may be alike, and return how many files they are in."""
    spans, buckets = range(plan.spans), range(plan.buckets)

    def run(steps: Sequence[Step]) -> None:
        job.run(steps, lambda number: steps[number].result)

    if method.tables(1):
        run([GatherHashes(plan, method, 0, cost)])
        tables = method.tables(len(plan.load(GatherHashes.kind, 0)["hashes"]))
        run([PairByTable(plan, method, table, cost) for table in range(tables)])
        return tables
    run([SpreadFeatures(plan, method, span, cost) for span in spans])
    run([CountFeatures(plan, method, bucket, cost) for bucket in buckets])
    run([ChooseProbes(plan, method, span, cost) for span in spans])
    run([PairDocuments(plan, method, bucket, cost) for bucket in buckets])
    return plan.buckets


def _limit(plan: Plan, share: float) -> int | None:
    """In how many documents a feature may be, if a share of the distinct ones is left out; None if that is none.

    Of 10 features, of which 6 are in 1 document, 3 in 2 and 1 in 9, a share of 0.2 is 2: the 8th is in 2 documents, so
    only what is in more than 2 is left out.
    """
    histograms = [plan.load(CountAllFeatures.kind, bucket)["histogram"] for bucket in range(plan.buckets)]
    frequencies, counts = np.concatenate(histograms, axis=1)
    order = np.argsort(frequencies, kind="stable")
    before = np.cumsum(counts[order])
    distinct = int(before[-1]) if len(before) else 0
    dropped = int(share * distinct)
    if not dropped:
        return None
    if dropped == distinct:
        return 0
    return int(frequencies[order][np.searchsorted(before, distinct - dropped - 1, side="right")])
