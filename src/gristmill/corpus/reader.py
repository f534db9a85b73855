"""Read a corpus: its documents, chosen by thresholds that can be others each time, and what was dropped."""

from __future__ import annotations

import dataclasses
import functools
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from gristmill.arguments import as_path, check_type
from gristmill.condition import Condition
from gristmill.config import AnnotateConfig, Config
from gristmill.corpus.manifest import NAME, Manifest
from gristmill.corpus.selection import Selection
from gristmill.corpus.tally import Counts, Size
from gristmill.document import Document
from gristmill.errors import GristmillError
from gristmill.kept import replaced_by
from gristmill.notebook import facts_table
from gristmill.shards import Shard, read_rows

if TYPE_CHECKING:  # who only searches a corpus need not wait for the import of what selects and filters its documents
    from gristmill.cleaning.languages import Languages
    from gristmill.corpus.selecting import SelectedDocument, Selector
    from gristmill.filter import Chain

_MAX_LANGUAGES_SHOWN = 5
REPLACED = "replaced"
"""The reason of documents that are left out since a later version is shown."""


class CorpusReader:
    """Reads a corpus on disk: its manifest and its documents, by any selection.

    While pages are added, or if that was interrupted, it reads what was there before: the settled shards.

    `gristmill.Corpus`, which users have, is made of this and of an index. Stages and exports need only this.
    """

    def __init__(self, folder: str | os.PathLike[str], *, trust: bool = False) -> None:
        """Open a corpus; raises if it was never complete.

        With `trust`, what its files name is allowed from here on: programs, models, plugins, files outside its folder.
        """
        self.folder = folder_of(folder)
        self.manifest = Manifest.read(self.folder)
        if trust:
            from gristmill.corpus.named import trust_corpus  # noqa: PLC0415 (most corpora are opened without it)

            trust_corpus(self.folder, remember=False)
        if self.manifest.counts is None:
            raise GristmillError(
                f"the corpus in {self.folder} is not complete: "
                "run the same `gristmill build` (or `add`, or `dedup`) again to finish it"
            )

    @staticmethod
    def shared(folder: str | os.PathLike[str]) -> CorpusReader:
        """Open a corpus once for all tasks that a process does on it: to read 100,000 shards takes some seconds.

        It is opened again if the manifest has changed since.
        """
        place = Path(folder).resolve()
        try:
            stamp = (place / NAME).stat()
        except OSError:
            return CorpusReader(folder)  # which says what is wrong
        return _opened(place, stamp.st_ino, stamp.st_size, stamp.st_mtime_ns)

    def __repr__(self) -> str:
        languages = ", ".join(list(self.size["languages"])[:_MAX_LANGUAGES_SHOWN])
        more = ", ..." if len(self.size["languages"]) > _MAX_LANGUAGES_SHOWN else ""
        amount = f"{self.size['documents']:,} documents, {self.size['words']:,} words"
        return f"<Corpus {self.folder}: {amount}; {languages}{more}>"

    def _repr_html_(self) -> str:
        languages = [f"{lang} {count:,}" for lang, count in self.size["languages"].items()]
        dropped = [f"{reason} {count:,}" for reason, count in self.counts["dropped"].items()]
        replaced = self.counts["replaced"]
        dropped += [f"replaced {replaced:,}"] if replaced else []
        return facts_table(
            [
                ("corpus", str(self.folder)),
                ("documents", f"{self.size['documents']:,} of {self.counts['pages']:,} pages"),
                ("text", ", ".join(f"{self.size[unit]:,} {unit}" for unit in ("words", "characters", "blocks"))),
                ("languages", ", ".join(languages)),
                ("dropped", ", ".join([*dropped, f"duplicates {self.counts['duplicates']:,}"])),
            ]
        )

    def __fspath__(self) -> str:
        """Return the folder: a corpus can stand wherever the folder of one can."""
        return str(self.folder)

    @property
    def config(self) -> Config:
        """The settings that the corpus was built with."""
        return self.manifest.config

    @property
    def languages(self) -> Languages:
        """What identifies the languages of its documents, as when it was built."""
        from gristmill.cleaning.languages import Languages  # noqa: PLC0415 (as above)
        from gristmill.language import Models  # noqa: PLC0415 (as above)

        config = self.config
        if config.clean.lang:  # nothing is identified, so what the settings name need not be there, or be allowed
            return Languages(Models.load(), config.clean.lang)
        _admit(config, "language")
        return Languages.of_config(config)

    @property
    def counts(self) -> Counts:
        """What each stage was given, kept and dropped."""
        counts = self.manifest.counts
        assert counts is not None  # of a complete corpus, which this is
        return counts

    @property
    def size(self) -> Size:
        """Documents, words, bytes of what was kept."""
        size = self.manifest.size
        assert size is not None  # of a complete corpus, which this is
        return size

    @property
    def shards(self) -> list[Shard]:
        """The settled shards, in the order of the sources."""
        return self.manifest.shards[: self.manifest.adding]

    def replaced(self, shard: Shard) -> dict[int, str]:
        """Say which documents of a shard are replaced by later versions: the row of each, and the id of that version.

        Versions that are being added don't count yet.
        """
        found, adding = replaced_by(shard), self.manifest.adding
        if not found or adding is None:
            return found
        new = {entry.name for entry in self.manifest.entries[adding:]}
        return {row: by for row, by in found.items() if by.partition("-")[0] not in new}

    def check_complete(self) -> None:
        """Raise if pages are being added: what is made of all shards has to wait for that."""
        if not self.manifest.finished:
            raise GristmillError(
                f"the corpus in {self.folder} is not complete: an addition was interrupted, "
                "so run the same `gristmill add` again to finish it"
            )

    def pages(self) -> Iterator[Document]:
        """Yield every page that was read, kept or not, with all its blocks."""
        for shard in self.shards:
            yield from shard.read_documents()

    def dropped(self) -> Iterator[tuple[str, str, str, str]]:
        """Yield what was not kept: reason, what was found, address, and the id of the page or place of the record."""
        for shard in self.shards:
            for skip in read_rows(shard.skipped):
                yield skip["reason"], skip["detail"], skip["url"], f"{skip['source']}:{skip['offset']}"
            rows = read_rows(shard.duplicates, ["copy_of", "text_blocks"])
            documents, replaced = shard.read_documents(["id", "url", "dropped", "detail"]), self.replaced(shard)
            for number, (document, row) in enumerate(zip(documents, rows, strict=True)):
                if document.dropped:
                    yield document.dropped, document.detail, document.url, document.id
                elif number in replaced:
                    yield REPLACED, f"by {replaced[number]}", document.url, document.id
                elif not row["text_blocks"]:
                    found = f"copy of {row['copy_of']}" if row["copy_of"] else "block by block"
                    yield "duplicate", found, document.url, document.id

    def documents(self, selection: Selection | None = None) -> Iterator[Document]:
        """Yield the documents that a selection keeps, with the blocks that it keeps; by default, as it was built.

        All filters are asked anew, so documents and blocks that were dropped come back if they pass now, but for pages
        that were dropped before they were cleaned: there is no text of these.
        """
        selected = self.select(selection)
        return (chosen.document for chosen in selected)

    def select(
        self, selection: Selection | None = None, shard: Shard | None = None, *, with_text: bool = True
    ) -> Iterator[SelectedDocument]:
        """Yield the documents that a selection keeps of one shard or of all, with where their blocks stood.

        Without text it is cheaper if the selection keeps the filters: only what `DOC_ATTRIBUTES` and `P_ATTRIBUTES`
        tell is read.
        """
        check_type(selection, Selection, "selection", "a gristmill.Selection")
        selector = self._selector(selection or Selection())
        shards = self.shards if shard is None else [shard]
        return (
            chosen for place in shards for chosen in selector.select(place, self.replaced(place), with_text=with_text)
        )

    def _selector(self, selection: Selection) -> Selector:
        from gristmill.corpus.selecting import Selector  # noqa: PLC0415 (as above)

        config = self.config
        max_boilerplate = (
            config.clean.max_boilerplate if selection.max_boilerplate is None else selection.max_boilerplate
        )
        filters = None if selection.keeps_filters else self._filters(selection)
        where = None if selection.where is None else Condition.parse(selection.where)
        return Selector(
            max_boilerplate,
            selection.max_duplicate,
            filters,
            self.languages if filters else None,
            where,
            selection.roles_for,
            selection.min_length or 0,
        )

    def _filters(self, selection: Selection) -> Chain:
        """Return the filters of a selection; raises if they, or the plugins that they are of, may not be used."""
        config = self.config
        changed = config.with_filters(*selection.filters, preset=selection.preset, languages=selection.languages)
        _admit(dataclasses.replace(changed, given=None) if selection.stored else changed, "filter")
        return selection.filters_for(config.filter)

    def check_taggers(self, choices: Sequence[str]) -> None:
        """Raise if taggers that a file of the corpus names may not be used; the plugins that they are of are loaded."""
        _admit(dataclasses.replace(self.config, annotate=AnnotateConfig(tuple(choices))), "annotate")

    def out_of_reach(self, selection: Selection) -> int:
        """Count the pages that a selection would keep, but that have no text, as they were dropped before cleaning."""
        if selection.keeps_filters:
            return 0
        filters = self._filters(selection)
        columns = ["url", "status", "content_type", "size", "method", "dropped"]
        return sum(
            not page.method and filters.fault_of_page(page) is None and row not in replaced
            for shard in self.shards
            for replaced in [self.replaced(shard)]
            for row, page in enumerate(shard.read_documents(columns))
        )


def folder_of(corpus: str | os.PathLike[str]) -> Path:
    """Return the folder of a corpus, which may be given as a `Corpus`."""
    return as_path(corpus, "corpus", "a gristmill.Corpus, or its folder as text or a pathlib.Path")


def opened(corpus: str | os.PathLike[str]) -> CorpusReader:
    """Return a reader of a corpus that is given as a reader, as a `Corpus` or by its folder."""
    reader = getattr(corpus, "reader", corpus)
    return reader if isinstance(reader, CorpusReader) else CorpusReader(corpus)


def _admit(config: Config, section: str) -> None:
    """Allow or refuse what a section of settings names."""
    # The import brings in every kind of part that settings can name; a search needs none of them.
    from gristmill.corpus.named import admit  # noqa: PLC0415

    admit(config, section)


@functools.lru_cache(1)
def _opened(folder: Path, *stamp: int) -> CorpusReader:
    """Open a corpus whose manifest is as the stamp says."""
    del stamp
    return CorpusReader(folder)
