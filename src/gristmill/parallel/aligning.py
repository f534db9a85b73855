"""The rounds that align the sentences of pairs of pages: first to learn a dictionary, then for the parallel corpus."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from gristmill.alignment import Beads, Cooccurrences, Dictionary, Embedder, align_many, read_dictionary
from gristmill.alignment.many import joined, joined_beads
from gristmill.arrays.storing import save_arrays
from gristmill.document import document_id
from gristmill.engine import Report
from gristmill.parallel.bead_rows import bead_rows
from gristmill.parallel.gathering import tokens_in
from gristmill.parallel.paired_pages import PagePairText, PairedPages
from gristmill.parallel.plan import BucketTask, Plan
from gristmill.parallel.records import BEADS_SCHEMA, DICTIONARY, ORIGIN, PAIRS_SCHEMA, SIDES, pairs_of
from gristmill.parallel.repeats import pair_hashes
from gristmill.parallel.writing import TokenCounts, opened_shard, write_tokens
from gristmill.shards import Shard, ShardWriter


@dataclass(frozen=True, slots=True)
class CountWords(BucketTask):
    """Aligns the sentences of the first pairs, and counts the words that stand in the same beads."""

    @property
    def result(self) -> Path:
        """The file of counts."""
        return self.plan.path("counts", self.bucket)

    def run(self, report: Report) -> None:
        """Write the counts."""
        counts = Cooccurrences()
        for pairs in PairedPages.read(self.plan, self.bucket, "first", "texts").groups():
            source, target = (joined([pair.texts[side].sentences for pair in pairs]) for side in (0, 1))
            counts.add(source, target, joined_beads(_aligned(pairs, self.plan)))
        self.result.parent.mkdir(parents=True, exist_ok=True)
        counts.write(self.result)
        report(self.cost)


@dataclass(frozen=True, slots=True)
class LearnDictionary:
    """Makes the dictionary of all counts, and of what the user has given."""

    plan: Plan
    name = "dictionary"
    cost = 1

    @property
    def result(self) -> Path:
        """The file of the dictionary."""
        return self.plan.folder / DICTIONARY

    def run(self, report: Report) -> None:
        """Write the dictionary."""
        counts = Cooccurrences()
        for path in self.plan.of_buckets("counts"):
            counts.merge(Cooccurrences.read(path))
        given = [read_dictionary(Path(path)) for path in self.plan.given]
        Dictionary.joined(Dictionary.learned(counts), *given).write(self.result)
        report(self.cost)


@dataclass(frozen=True, slots=True)
class AlignPages(BucketTask):
    """Aligns the sentences of the pairs of a bucket, and makes them a shard of the parallel corpus."""

    number: int
    """The number of the shard."""

    @property
    def shard(self) -> Shard:
        """The shard that is written."""
        return Shard.of(self.plan.folder, f"{self.number:05d}")

    @property
    def result(self) -> Path:
        """The documents of the shard, which come last into place."""
        return self.shard.documents

    def run(self, report: Report) -> None:
        """Write the shard but for its beads, which are put aside."""
        paired = PairedPages.read(self.plan, self.bucket, "second", "pages")
        dictionary = Dictionary.read(self.plan.folder / DICTIONARY)
        rows, tokens = [BEADS_SCHEMA.empty_table()], TokenCounts()
        sizes: list[int] = []
        with opened_shard(self.shard) as documents:
            for pairs in paired.groups():
                beads = _aligned(pairs, self.plan, dictionary)
                rows.append(bead_rows(len(sizes), pairs, beads, self.plan.languages))
                sizes += map(len, beads)
                for pair in pairs:
                    for document, annotated in zip(pair.documents, pair.annotations, strict=True):
                        tokens.add(document, annotated)
                        document.attributes = {**document.attributes, ORIGIN: document.id}
                        document.id = document_id(self.shard.name, documents.counts["pages"])
                        documents.write(document)
            self._put_aside(pa.concat_tables(rows))
            _write_pairs(self.shard, paired, sizes)
            write_tokens(self.shard, tokens_in(paired.pages), paired.rows(), tokens, self.plan.annotated_by)
        report(self.cost)

    def _put_aside(self, beads: pa.Table) -> None:
        """Write beads for the round that finds out which of them are repeated, and their hashes."""
        with ShardWriter(self.plan.path("aligned", self.bucket), BEADS_SCHEMA) as writer:
            writer.write(beads)
            writer.finish({})
        hashes = pair_hashes(beads["source_text"], beads["target_text"])
        save_arrays(self.plan.path("hashes", self.bucket), {"hashes": hashes})


def _aligned(pairs: list[PagePairText], plan: Plan, dictionary: Dictionary | None = None) -> list[Beads]:
    """Align the sentences of the two pages of each pair."""
    texts = [(pair.texts[0].sentences, pair.texts[1].sentences) for pair in pairs]
    source, target = plan.languages
    return align_many(
        texts, source_lang=source, target_lang=target, dictionary=dictionary, embedder=_embedder(plan.embedder)
    )


def _embedder(name: str) -> Embedder | None:
    """Find the embedder of that name; None if there is no name."""
    if not name:
        return None
    from gristmill.alignment.embeddings import load_embedder  # noqa: PLC0415 (most align without)

    return load_embedder(name)


def _write_pairs(shard: Shard, paired: PairedPages, beads: list[int]) -> None:
    """Write the pairs of a shard: those that count first, in the order of documents, then those that don't."""
    counting = paired.counting
    place = {
        pair[f"{side}_id"]: 2 * number + at for number, pair in enumerate(counting) for at, side in enumerate(SIDES)
    }
    rows = [
        {**pair, **{side: place.get(pair[f"{side}_id"], -1) for side in SIDES}, "beads": count}
        for pair, count in zip([*counting, *paired.others], [*beads, *[0] * len(paired.others)], strict=True)
    ]
    with ShardWriter(pairs_of(shard), PAIRS_SCHEMA) as writer:
        writer.write(pa.Table.from_pylist(rows, PAIRS_SCHEMA))
        writer.finish({"pairs": len(counting), "candidates": len(paired.others), "beads": sum(beads)})
