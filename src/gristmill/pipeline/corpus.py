"""A corpus as users have it: to read, to cut anew, and to search."""

from __future__ import annotations

import os
from functools import cached_property
from typing import TYPE_CHECKING, Any

from gristmill.corpus import CorpusReader
from gristmill.pipeline.indexing import open_committed, open_index
from gristmill.progress import Progress
from gristmill.search.concordance.concordance import Concordance
from gristmill.search.cql.matching import find
from gristmill.search.cql.parsing import parse
from gristmill.search.index.index import Index
from gristmill.search.subcorpus import Subcorpus

if TYPE_CHECKING:  # each statistic is imported by the method that needs it: a search should not wait for all of them
    from gristmill.search import Collocations, Comparison, Keywords, WordList


class Corpus(CorpusReader):
    """A corpus on disk. Everything that was read is still in it; what one gets to see is a matter of thresholds.

    What is searched is its index, which is made when it is first needed: then the kept text is tokenised, tagged and
    lemmatised too. `where`, in all methods, is a condition on documents such as `lang="en" & year>=2005`; further
    options are those of the functions in `gristmill.search` that do the work.
    """

    def __init__(
        self,
        folder: str | os.PathLike[str],
        *,
        progress: bool | Progress = False,
        trust: bool = False,
        build: bool = True,
    ) -> None:
        """Open a corpus; with `progress`, bars show how far annotation and indexing are, if a search has to do them first.

        Without `build`, as a server wants it, a search makes nothing: it looks at the index that there is, even if
        pages were added since, and raises if there is none. With `trust`, what its files name is allowed from here on:
        programs, models, plugins, files outside its folder.
        """
        super().__init__(folder, trust=trust)
        self.progress = progress
        self.build = build

    @cached_property
    def index(self) -> Index:
        """The index of the corpus as it was when it was first asked for, or at the last `refresh`."""
        return open_index(self, progress=self.progress) if self.build else open_committed(self)

    def refresh(self) -> None:
        """See what other processes have done to the corpus since it was opened: the next search is of that."""
        self.manifest = CorpusReader(self.folder).manifest
        self.__dict__.pop("index", None)

    def search(self, query: str, *, where: str | None = None, progress: bool | Progress | None = None) -> Concordance:
        """The hits of a query in CQL, or of plain words, to be counted, sorted, sampled, filtered and shown."""
        parse(query)  # so that nobody waits for an index to hear of a mistake
        self.progress = self.progress if progress is None else progress
        return Concordance.of(self.index, query, where)

    def wordlist(self, attribute: str = "word", *, where: str | None = None, **options: Any) -> WordList:
        """The most frequent values of an attribute, or of several joined: `lemma+tag`."""
        from gristmill.search.statistics.wordlist import word_list  # noqa: PLC0415 (as above)

        return word_list(self.index, attribute, subcorpus=self.subcorpus(where), **options)

    def ngrams(self, n: int = 2, attribute: str = "word", *, where: str | None = None, **options: Any) -> WordList:
        """The most frequent sequences of `n` values of an attribute."""
        from gristmill.search.statistics.ngrams import ngrams  # noqa: PLC0415 (as above)

        return ngrams(self.index, n, attribute, subcorpus=self.subcorpus(where), **options)

    def collocations(
        self, query: str, attribute: str = "lemma", *, where: str | None = None, **options: Any
    ) -> Collocations:
        """What stands near the hits of a query more often than one would expect."""
        from gristmill.search.statistics.collocations import collocations  # noqa: PLC0415 (as above)

        part = self.subcorpus(where)
        return collocations(self.index, find(self.index, query, part), attribute, subcorpus=part, **options)

    def keywords(
        self,
        reference: Corpus | str | os.PathLike[str] | None = None,
        attribute: str = "lemma",
        *,
        where: str | None = None,
        reference_where: str | None = None,
        **options: Any,
    ) -> Keywords:
        """What is more frequent here than in another corpus; or in the documents that `where` chooses than in the others."""
        from gristmill.search.statistics.keywords import keywords  # noqa: PLC0415 (as above)

        there = _opened(reference)
        part, other = self.subcorpus(where), (there or self).subcorpus(reference_where)
        return keywords(
            self.index, there.index if there else None, attribute, subcorpus=part, reference_subcorpus=other, **options
        )

    def compare(
        self,
        other: Corpus | str | os.PathLike[str] | None = None,
        attribute: str = "word",
        *,
        where: str | None = None,
        other_where: str | None = None,
        **options: Any,
    ) -> Comparison:
        """The words most typical of this corpus and of another one, for each part of speech, as ukWaC was compared with the BNC."""
        from gristmill.search.statistics.compare import compare  # noqa: PLC0415 (as above)

        there = _opened(other)
        part, other_part = self.subcorpus(where), (there or self).subcorpus(other_where)
        return compare(
            self.index, there.index if there else None, attribute, subcorpus=part, other_subcorpus=other_part, **options
        )

    def subcorpus(self, where: str | None) -> Subcorpus | None:
        """The documents for which a condition holds; raises if there are none. None, of all, if there is no condition."""
        return Subcorpus(self.index, where).check() if where else None


def _opened(corpus: Corpus | str | os.PathLike[str] | None) -> Corpus | None:
    """A corpus that may be given by its folder."""
    return corpus if corpus is None or isinstance(corpus, Corpus) else Corpus(corpus)
