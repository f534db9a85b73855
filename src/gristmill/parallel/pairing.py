"""The round that pairs the pages of the sites of a bucket: first without a dictionary, then with one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from gristmill.alignment import Dictionary
from gristmill.engine import Report
from gristmill.parallel.buckets import read_bucket
from gristmill.parallel.outline import OUTLINE_SCHEMA, Outline, from_batch
from gristmill.parallel.pages import PagePair, pair_pages
from gristmill.parallel.plan import BucketTask
from gristmill.parallel.records import DICTIONARY, PAIRS_SCHEMA, SIDES, UNPAIRED_SCHEMA
from gristmill.shards import ShardWriter

FIRST, SECOND = "first", "second"
"""The rounds that pair pages: without a dictionary, and with the one that was learned from the first pairs."""
FOUND_SCHEMA: pa.Schema = pa.schema([item for item in PAIRS_SCHEMA if item.name not in {*SIDES, "beads"}])
"""Pairs as they are found, before the rows of their documents are known."""
_NO_PAGES = "no other page"
_NO_CANDIDATES = "no candidate"
_OTHERS = "candidates lost"


@dataclass(frozen=True, slots=True)
class PairPages(BucketTask):
    """Pairs the pages of all sites of a bucket."""

    kind: str
    """Which round it is."""

    @property
    def result(self) -> Path:
        """The file of pairs."""
        return self.plan.path(self.kind, self.bucket)

    def run(self, report: Report) -> None:
        """Write the pairs and the candidates that lost, and before that the pages without a pair."""
        dictionary = Dictionary.read(self.plan.folder / DICTIONARY) if self.kind == SECOND else None
        outlines = from_batch(read_bucket(self.plan.of_shards("outlines"), self.bucket, OUTLINE_SCHEMA))
        pairs: list[PagePair] = []
        unpaired: list[dict[str, str]] = []
        for pages in _sites(outlines, self.plan.languages):
            found = pair_pages(*pages, dictionary, min_score=self.plan.min_score)
            pairs += found
            unpaired += _unpaired(pages, found)
        if self.kind == SECOND:
            _write(self.plan.path("unpaired", self.bucket), UNPAIRED_SCHEMA, unpaired, {})
        rows = [
            {
                "source_id": pair.source,
                "target_id": pair.target,
                "score": pair.score,
                "features": sorted(pair.features.items()),
                "reasons": pair.reasons,
                "dropped": pair.dropped,
            }
            for pair in pairs
        ]
        _write(self.result, FOUND_SCHEMA, rows, {"pairs": sum(not pair.dropped for pair in pairs)})
        report(self.cost)


def _write(path: Path, schema: pa.Schema, rows: Sequence[dict[str, Any]], facts: dict[str, int]) -> None:
    with ShardWriter(path, schema) as writer:
        writer.write(pa.Table.from_pylist(rows, schema))
        writer.finish(facts)


def _sites(outlines: Sequence[Outline], languages: tuple[str, str]) -> Iterator[tuple[list[Outline], list[Outline]]]:
    """Yield the pages of each site in both languages, sites in the order of their names."""
    found: dict[str, tuple[list[Outline], list[Outline]]] = defaultdict(lambda: ([], []))
    for outline in outlines:
        found[outline.site][languages.index(outline.lang)].append(outline)
    for site in sorted(found):
        yield found[site]


def _unpaired(pages: tuple[list[Outline], list[Outline]], pairs: Sequence[PagePair]) -> Iterator[dict[str, str]]:
    """Yield the pages of a site that are in no pair, with the reason, in the order of their ids."""
    paired = {name for pair in pairs if not pair.dropped for name in (pair.source, pair.target)}
    told = {name for pair in pairs if pair.dropped for name in (pair.source, pair.target)}
    for outlines, others in (pages, pages[::-1]):
        for outline in sorted(outlines, key=lambda outline: outline.id):
            if outline.id not in paired:
                reason = _OTHERS if outline.id in told else _NO_CANDIDATES if others else _NO_PAGES
                yield {"id": outline.id, "url": outline.url, "lang": outline.lang, "reason": reason}
