"""Open a corpus and go through its documents, cut by thresholds that can be chosen anew each time."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gristmill.arguments import as_path, check_type
from gristmill.condition import Condition
from gristmill.config import AnnotateConfig, Config, FilterConfig, check_share, list_of_strings
from gristmill.corpus.attributes import DOC_ATTRIBUTES
from gristmill.corpus.manifest import Manifest
from gristmill.corpus.tally import Counts, Size
from gristmill.document import Document
from gristmill.errors import GristmillError, UsageError
from gristmill.notebook import facts_table
from gristmill.presets import with_thresholds
from gristmill.shards import DUPLICATES, SKIPPED, read_documents, read_rows

if TYPE_CHECKING:  # who only searches a corpus need not wait for the import of what cuts and filters its documents
    from gristmill.cleaning.languages import Languages
    from gristmill.corpus.cut import Cut, Knife
    from gristmill.filter import Chain

_LANGUAGES = 5


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
    where: str | None = None
    """A condition on attributes of documents, such as `host=".*\\.uk" & year>=2007`."""
    stored: bool = field(default=False, compare=False, repr=False)
    """It was read from a file of the corpus: what its filters name is not used unless the user allows it."""

    def __post_init__(self) -> None:
        check_share(0 if self.max_duplicate is None else self.max_duplicate, "max_duplicate")
        check_share(0 if self.max_boilerplate is None else self.max_boilerplate, "max_boilerplate")
        check_type(self.min_length, int, "min_length", "a number of characters")
        check_type(self.preset, str, "preset", "the name of a preset")
        if self.min_length is not None and self.min_length < 0:
            raise UsageError(f"min_length must not be negative, but it is {self.min_length}")
        if list_of_strings(self.languages or (), "languages"):
            from gristmill.language import check_languages  # noqa: PLC0415 (as above)

            check_languages(self.languages or ())
        list_of_strings(self.filters, "filters")
        if self.where is not None:
            Condition.parse(self.where).check(DOC_ATTRIBUTES, "doc")

    @classmethod
    def from_table(cls, table: Mapping[str, Any]) -> Selection:
        """A selection as `to_table` wrote it."""
        given: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value for name, value in table.items()
        }
        return cls(**{**given, "stored": True})

    def to_table(self) -> dict[str, Any]:
        """As it is written into files: what differs from as the corpus was built."""
        given = dataclasses.asdict(self)
        del given["stored"]
        return {
            name: list(value) if isinstance(value, tuple) else value
            for name, value in given.items()
            if value not in {None, ()}
        }

    @property
    def keeps_filters(self) -> bool:
        """Whether the filters would find what they found when the corpus was built."""
        asked = (self.max_boilerplate, self.languages, self.min_length, self.preset)
        return all(value is None for value in asked) and not self.filters

    def filters_for(self, built: FilterConfig) -> Chain:
        """The filters to ask, given those that the corpus was built with."""
        from gristmill.filter import make_chain  # noqa: PLC0415 (as above)

        changed = built.replace(self.preset, self.filters, self.languages)
        filters = with_thresholds(changed.filters, "length", {"min": self.min_length})
        return make_chain(FilterConfig(filters, changed.languages))


class Corpus:
    """A corpus on disk. Everything that was read is still in it; what one gets to see is a matter of thresholds."""

    def __init__(self, folder: str | os.PathLike[str], *, trust: bool = False) -> None:
        """With `trust`, what its files name is allowed from here on: programs, models, plugins, files outside its folder."""
        self.folder = folder_of(folder)
        self.manifest = Manifest.read(self.folder)
        if trust:
            from gristmill.corpus.named import trust_corpus  # noqa: PLC0415 (most corpora are opened without it)

            trust_corpus(self.folder, remember=False)
        if not self.manifest.finished:
            raise GristmillError(
                f"the corpus in {self.folder} is not complete: run the same `gristmill build` (or `add`, or `dedup`) again to finish it"
            )

    def __repr__(self) -> str:
        languages = ", ".join(list(self.size["languages"])[:_LANGUAGES])
        more = ", ..." if len(self.size["languages"]) > _LANGUAGES else ""
        return f"<Corpus {self.folder}: {self.size['documents']:,} documents, {self.size['words']:,} words; {languages}{more}>"

    def _repr_html_(self) -> str:
        languages = [f"{lang} {count:,}" for lang, count in self.size["languages"].items()]
        dropped = [f"{reason} {count:,}" for reason, count in self.counts["dropped"].items()]
        return facts_table(
            [
                ("corpus", str(self.folder)),
                ("documents", f"{self.size['documents']:,} of {self.counts['pages']:,} pages"),
                (
                    "text",
                    f"{self.size['words']:,} words, {self.size['characters']:,} characters, {self.size['blocks']:,} blocks",
                ),
                ("languages", ", ".join(languages)),
                ("dropped", ", ".join([*dropped, f"duplicates {self.counts['duplicates']:,}"])),
            ]
        )

    def __fspath__(self) -> str:
        """Its folder: a corpus can stand wherever the folder of one can."""
        return str(self.folder)

    @property
    def config(self) -> Config:
        """The settings it was built with."""
        return self.manifest.config

    @property
    def languages(self) -> Languages:
        """How its documents' languages were told."""
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
    def shards(self) -> list[Path]:
        """The folders of its shards, in source order."""
        return self.manifest.shards

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

        All filters are asked anew, so documents and blocks that were dropped come back if they pass now, but for pages
        that were dropped before they were cleaned: there is no text of these.
        """
        cuts = self.cuts(selection)
        return (cut.document for cut in cuts)

    def cuts(
        self, selection: Selection | None = None, shard: Path | None = None, *, with_text: bool = True
    ) -> Iterator[Cut]:
        """The same, with where the blocks stood and how much of them is repeated; of one shard or of all.

        Without text it is cheaper if the selection keeps the filters: only what `DOC_ATTRIBUTES` and `P_ATTRIBUTES`
        tell is read.
        """
        check_type(selection, Selection, "selection", "a gristmill.Selection")
        knife = self._knife(selection or Selection())
        shards = self.shards if shard is None else [shard]
        return (cut for place in shards for cut in knife.cuts(place, with_text=with_text))

    def _knife(self, selection: Selection) -> Knife:
        from gristmill.corpus.cut import Knife  # noqa: PLC0415 (as above)

        config = self.config
        max_boilerplate = (
            config.clean.max_boilerplate if selection.max_boilerplate is None else selection.max_boilerplate
        )
        filters = None if selection.keeps_filters else self._filters(selection)
        where = None if selection.where is None else Condition.parse(selection.where)
        return Knife(
            max_boilerplate,
            selection.max_duplicate,
            filters,
            self.languages if filters else None,
            where,
            selection.min_length or 0,
        )

    def _filters(self, selection: Selection) -> Chain:
        """The filters that a selection asks, if they and the plugins that they are of may be used."""
        config = self.config
        origin = config.origin and config.origin.with_texts(selection.filters if selection.stored else ())
        changed = config.filter.replace(selection.preset, selection.filters, selection.languages)
        _admit(dataclasses.replace(config, filter=changed, origin=origin), "filter")
        return selection.filters_for(config.filter)

    def check_taggers(self, choices: Sequence[str]) -> None:
        """Raise if taggers that a file of the corpus names may not be used; the plugins that they are of are loaded."""
        config = self.config
        origin = config.origin and config.origin.with_texts(choices)
        _admit(dataclasses.replace(config, annotate=AnnotateConfig(tuple(choices)), origin=origin), "annotate")

    def out_of_reach(self, selection: Selection) -> int:
        """How many pages a selection's page filters would keep of which there is no text, as they were dropped before they were cleaned."""
        if selection.keeps_filters:
            return 0
        filters = self._filters(selection)
        columns = ["url", "status", "content_type", "size", "method", "dropped"]
        pages = (document for shard in self.shards for document in read_documents(shard, columns))
        return sum(not page.method and filters.fault_of_page(page) is None for page in pages)


def folder_of(corpus: str | os.PathLike[str]) -> Path:
    """The folder of a corpus, which may be given by a `Corpus`."""
    return as_path(corpus, "corpus", "a gristmill.Corpus, or its folder as text or a pathlib.Path")


def opened(corpus: str | os.PathLike[str]) -> Corpus:
    """A corpus that may be given by its folder."""
    return corpus if isinstance(corpus, Corpus) else Corpus(corpus)


def _admit(config: Config, section: str) -> None:
    from gristmill.corpus.named import admit  # noqa: PLC0415 (it needs all that settings can name, and a search none of it)

    admit(config, section)
