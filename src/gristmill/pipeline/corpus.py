"""`Corpus`, as users have it: a reader of its documents and an index in which it is searched, put together."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gristmill.catalogue import Entry, entries
from gristmill.config import Config
from gristmill.corpus import CorpusReader, Manifest, Selection
from gristmill.corpus.tally import Counts, Size
from gristmill.document import Document
from gristmill.engine import Report, silent
from gristmill.progress import Progress
from gristmill.shards import Shard

if TYPE_CHECKING:  # imported by the methods that need it: a build need not wait for search, nor a search for statistics
    from gristmill.operations.kept import KeptSearches
    from gristmill.operations.methods import Methods
    from gristmill.search.concordance.concordance import Concordance
    from gristmill.search.cql.query import Query
    from gristmill.search.index.index import Index
    from gristmill.search.subcorpus import Subcorpus
else:
    Methods = object


class Corpus(Methods):
    """A corpus on disk. Everything that was read is still in it; what one gets to see is a matter of thresholds.

    It is made of a `reader` of documents and an `index`, which is made when it is first needed: then the kept text is
    tokenised, tagged and lemmatised too. `where`, in all methods, is a condition on documents such as
    `lang="en" & year>=2005`; further options are those of the functions in `gristmill.search` that do the work.
    """

    def __init__(
        self,
        folder: str | os.PathLike[str],
        *,
        progress: bool | Progress = False,
        trust: bool = False,
        build: bool = True,
        say: Callable[[str], None] | None = None,
    ) -> None:
        """Open a corpus.

        With `progress`, bars show how far annotation and indexing are, if a search has to do them first. Without
        `build`, as a server wants it, a search makes nothing: it looks at the index that there is, even if pages were
        added since, and raises if there is none. With `trust`, what its files name is allowed from here on: programs,
        models, plugins, files outside its folder. `say` is told, in lines, what a search has to do first, and that the
        corpus was annotated by another version; without it, that goes to the log.
        """
        self.reader = CorpusReader(folder, trust=trust)
        self.progress = progress
        self.build = build
        self.kept: KeptSearches | None = None
        """Where operations find searches that were done before, if a server remembers them."""
        self.say = say

    def __repr__(self) -> str:
        return repr(self.reader)

    def _repr_html_(self) -> str:
        return self.reader._repr_html_()

    def __fspath__(self) -> str:
        """Return the folder: a corpus can stand wherever the folder of one can."""
        return str(self.folder)

    @property
    def folder(self) -> Path:
        """Where the corpus is."""
        return self.reader.folder

    @property
    def manifest(self) -> Manifest:
        """What `corpus.toml` says."""
        return self.reader.manifest

    @property
    def config(self) -> Config:
        """The settings that the corpus was built with."""
        return self.reader.config

    @property
    def counts(self) -> Counts:
        """What each stage was given, kept and dropped."""
        return self.reader.counts

    @property
    def size(self) -> Size:
        """Documents, words, bytes of what was kept."""
        return self.reader.size

    @property
    def shards(self) -> list[Shard]:
        """The folders of the shards, in the order of the sources."""
        return self.reader.shards

    def pages(self) -> Iterator[Document]:
        """Yield every page that was read, kept or not, with all its blocks."""
        return self.reader.pages()

    def documents(self, selection: Selection | None = None) -> Iterator[Document]:
        """Yield the documents that a selection keeps, with the blocks that it keeps; by default, as it was built.

        All filters are asked anew, so documents and blocks that were dropped come back if they pass now, but for pages
        that were dropped before they were cleaned: there is no text of these.
        """
        return self.reader.documents(selection)

    def out_of_reach(self, selection: Selection) -> int:
        """Count the pages that a selection would keep, but of which there is no text, as they were never cleaned."""
        return self.reader.out_of_reach(selection)

    def dropped(self) -> Iterator[tuple[str, str, str, str]]:
        """Yield what was not kept: reason, what was found, address, and the id of the page or place of the record."""
        return self.reader.dropped()

    def replaced(self, shard: Shard) -> dict[int, str]:
        """Say which documents of a shard are replaced: the row of each, and the id of the version that replaces it."""
        return self.reader.replaced(shard)

    @cached_property
    def index(self) -> Index:
        """The index of the corpus as it was when it was first asked for, or at the last `refresh`."""
        from gristmill.pipeline.indexing import open_committed, open_index  # noqa: PLC0415 (as above)
        from gristmill.pipeline.telling import logged  # noqa: PLC0415 (as above)

        if not self.build:
            return open_committed(self.reader)
        return open_index(self.reader, progress=self.progress, say=self.say or logged)

    def report(self, name: str, amount: int | None) -> Report:
        """Show how far some work is, if the corpus was opened to do so."""
        return self.progress(name, amount) if callable(self.progress) else silent

    def refresh(self) -> None:
        """See what other processes have done to the corpus since it was opened: the next search is of that."""
        self.reader = CorpusReader(self.folder)
        self.__dict__.pop("index", None)

    def search(
        self,
        query: str | Query,
        *,
        where: str | None = None,
        strategy: str | None = None,
        lists: Mapping[str, Sequence[str]] | None = None,
        aligned: str | None = None,
        progress: bool | Progress | None = None,
    ) -> Concordance:
        """Find the hits of a query in CQL, or of plain words, to be counted, sorted, sampled, filtered and shown.

        `strategy` says which of all matches count: `longest`, `shortest`, `standard` or `traditional`. `lists` are
        lists of words that the query names, such as `{"animals": ["cat", "dog"]}` for `[lemma = $animals]`; the files
        `lists/NAME.txt` of the corpus are others. `aligned` is a language of a parallel corpus: the other one is
        searched, and lines have the sentences that they are aligned with; `aligned_with` filters by these. For a
        table of some lines, as the command shows them, there is `concordance`.
        """
        from gristmill.search.concordance.concordance import Concordance  # noqa: PLC0415 (as above)
        from gristmill.search.cql.matching import parse_with  # noqa: PLC0415 (as above)
        from gristmill.search.wordlists import WordLists  # noqa: PLC0415 (as above)

        parsed = parse_with(query, strategy)  # so that nobody waits for an index to hear of a mistake
        WordLists(lists or {})
        if aligned is not None:
            from gristmill.parallel.reader import languages_of  # noqa: PLC0415 (as above)

            languages_of(self.folder)
        self.progress = self.progress if progress is None else progress
        return Concordance.of(self.index, parsed, where, lists=lists, aligned=aligned)

    @property
    def lists(self) -> dict[str, Path]:
        """The files of the lists of words that queries can name, by name: `$animals` is `lists/animals.txt`."""
        from gristmill.search.wordlists import FOLDER, saved_lists  # noqa: PLC0415 (as above)

        return saved_lists(self.folder / FOLDER)

    def subcorpus(self, where: str | None) -> Subcorpus | None:
        """Choose the documents for which a condition holds; raises if there are none. No condition gives None."""
        from gristmill.search.subcorpus import Subcorpus  # noqa: PLC0415 (as above)

        return Subcorpus(self.index, where).check() if where else None


class _Method:
    """Stands for an operation in the class until it is first used."""

    def __init__(self, entry: Entry) -> None:
        self._entry = entry

    def __get__(self, corpus: Corpus | None, owner: type[Corpus]) -> Callable[..., Any]:
        return self._entry.load().__get__(corpus, owner)


for _entry in entries().values():
    if _entry.group:
        setattr(Corpus, _entry.function, _Method(_entry))
