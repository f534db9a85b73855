"""Open a corpus and go through its documents, cut by thresholds that can be chosen anew each time."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gristmill.config import Config, FilterConfig, check_share, list_of_strings
from gristmill.corpus.manifest import Manifest
from gristmill.dedup.stubs import without_repeats
from gristmill.document import Document
from gristmill.errors import GristmillError, UsageError
from gristmill.filter import Chain, forget_blocks, make_chain
from gristmill.language import Models, check_languages
from gristmill.presets import with_thresholds
from gristmill.shards import DUPLICATES, SKIPPED, read_documents, read_rows


@dataclass(frozen=True, slots=True)
class Selection:
    """Thresholds for reading a corpus; None means as it was built."""

    max_boilerplate: float | None = None
    max_duplicate: float | None = None
    languages: tuple[str, ...] | None = None
    min_length: int | None = None
    preset: str | None = None
    """The filters of this preset instead of those that it was built with; with `none` not even its languages are asked for."""
    filters: tuple[str, ...] = ()
    """Filters that take the place of those of the same name, or are added; `-name` takes one out, `-language` all that it asks for."""

    def __post_init__(self) -> None:
        check_share(self.max_duplicate or 0, "max_duplicate")
        check_share(self.max_boilerplate or 0, "max_boilerplate")
        if self.min_length is not None and self.min_length < 0:
            raise UsageError(f"min_length must not be negative, but it is {self.min_length}")
        check_languages(list_of_strings(self.languages or (), "languages"))
        list_of_strings(self.filters, "filters")

    @property
    def keeps_filters(self) -> bool:
        """Whether the filters would find what they found when the corpus was built."""
        asked = (self.max_boilerplate, self.languages, self.min_length, self.preset)
        return all(value is None for value in asked) and not self.filters

    def filters_for(self, built: FilterConfig) -> Chain:
        """The filters to ask, given those that the corpus was built with."""
        changed = built.replace(self.preset, self.filters, self.languages)
        filters = with_thresholds(changed.filters, "length", {"min": self.min_length})
        return make_chain(FilterConfig(filters, changed.languages))


class Corpus:
    """A corpus on disk. Everything that was read is still in it; what one gets to see is a matter of thresholds."""

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.folder = Path(folder)
        self.manifest = Manifest.read(self.folder)
        if not self.manifest.finished:
            raise GristmillError(
                f"the corpus in {self.folder} is not complete: run the same `gristmill build` (or `gristmill dedup`) again to finish it"
            )

    @property
    def config(self) -> Config:
        """The settings it was built with."""
        return Config.from_table(self.manifest.table["settings"])

    @property
    def models(self) -> Models | None:
        """What its documents' languages were told by; None if their language was given."""
        config = self.config
        return None if config.clean.lang else Models.load(config.language.models, config.language.identifier)

    @property
    def counts(self) -> dict[str, Any]:
        """What each stage was given, kept and dropped."""
        counts: dict[str, Any] = self.manifest.table["counts"]
        return counts

    @property
    def size(self) -> dict[str, Any]:
        """Documents, words, bytes of what was kept."""
        size: dict[str, Any] = self.manifest.table["size"]
        return size

    @property
    def shards(self) -> list[Path]:
        """The folders of its shards, in source order."""
        return [self.folder / "shards" / shard["name"] for shard in self.manifest.table["shards"]]

    def pages(self) -> Iterator[Document]:
        """Every page that was read, kept or not, with all its blocks."""
        for shard in self.shards:
            yield from read_documents(shard)

    def dropped(self) -> Iterator[tuple[str, str, str, str]]:
        """What was not kept: reason, what was found, the address, and the page's id or the record's place in its archive."""
        for shard in self.shards:
            for skip in read_rows(shard / SKIPPED):
                yield skip["reason"], skip["detail"], skip["url"], f"{skip['source']}:{skip['offset']}"
            rows = read_rows(shard / DUPLICATES, ["copy_of", "text_blocks"])
            for document, row in zip(read_documents(shard, ["id", "url", "dropped", "detail"]), rows, strict=True):
                if document.dropped:
                    yield document.dropped, document.detail, document.url, document.id
                elif not row["text_blocks"]:
                    found = f"copy of {row['copy_of']}" if row["copy_of"] else "block by block"
                    yield "duplicate", found, document.url, document.id

    def documents(self, selection: Selection | None = None) -> Iterator[Document]:
        """The documents that a selection keeps, with the blocks that it keeps; by default as the corpus was built.

        All filters are asked anew, so documents and blocks that were dropped come back if they pass now, but for pages that were dropped
        before they were cleaned: there is no text of these.
        """
        selection = selection or Selection()
        config = self.config
        max_boilerplate = config.clean.max_boilerplate if selection.max_boilerplate is None else selection.max_boilerplate
        filters = None if selection.keeps_filters else selection.filters_for(config.filter)
        return self._documents(filters, max_boilerplate, selection.max_duplicate)

    def out_of_reach(self, selection: Selection) -> int:
        """How many pages a selection's page filters would keep of which there is no text, as they were dropped before they were cleaned."""
        if selection.keeps_filters:
            return 0
        filters = selection.filters_for(self.config.filter)
        columns = ["status", "content_type", "size", "method", "dropped"]
        pages = (document for shard in self.shards for document in read_documents(shard, columns))
        return sum(not page.method and filters.fault_of_page(page) is None for page in pages)

    def _documents(self, filters: Chain | None, max_boilerplate: float, max_duplicate: float | None) -> Iterator[Document]:
        models = self.models if filters else None
        for shard in self.shards:
            for document, row in zip(read_documents(shard), read_rows(shard / DUPLICATES, ["blocks"]), strict=True):
                if filters and document.method:
                    forget_blocks(document, models, max_boilerplate)
                    document.dropped, document.detail = filters.fault_of_page(document) or ("", "")
                    if not document.dropped:
                        filters.settle(document, models)
                if not document.dropped and _cut(document, row["blocks"], max_duplicate):
                    yield document


def _cut(document: Document, judged: Sequence[Mapping[str, Any]], max_duplicate: float | None) -> bool:
    """Leave in a document the blocks that cleaning and de-duplication keep, and say whether there are any."""
    boilerplate_words, filtered_words = document.boilerplate_words, document.filtered_words
    kept = [place for place, block in enumerate(document.blocks) if block.score <= document.max_boilerplate and not block.dropped]
    words = [document.blocks[place].words for place in kept]
    left = without_repeats(words, [judged[place] for place in kept], max_duplicate, document.id)
    document.blocks = [document.blocks[kept[place]] for place in left]
    document.measure(document.max_boilerplate)
    document.boilerplate_words, document.filtered_words = boilerplate_words, filtered_words
    return bool(document.blocks)
