"""Where the queries of a round come from: words, or keywords of texts, put together at random."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from functools import cached_property
from pathlib import Path

from gristmill.bootstrapping.config import BootstrapConfig
from gristmill.bootstrapping.filter_words import filter_words
from gristmill.bootstrapping.forms import Forms, forms_in_dictionary, forms_in_file, forms_in_index
from gristmill.bootstrapping.frequencies import Frequencies, mid_frequency_words, words_of_ranges
from gristmill.bootstrapping.keywords import Keyword, keywords
from gristmill.bootstrapping.queries import make_queries
from gristmill.bootstrapping.query import Query
from gristmill.bootstrapping.tuples import make_pairs, make_tuples
from gristmill.bootstrapping.words import unique
from gristmill.corpus.manifest import NAME as MANIFEST
from gristmill.search.index.index import Index

OpenIndex = Callable[[str], Index]
"""What opens the index of a corpus."""


class Seeds:
    """Makes words and queries by the settings of a bootstrap."""

    def __init__(self, config: BootstrapConfig, open_index: OpenIndex) -> None:
        """Take settings, and what opens the index of a corpus that they name."""
        self._seeds = config.seeds
        self._queries = config.queries
        self._open_index = open_index

    def keywords(self, texts: Sequence[str]) -> list[Keyword]:
        """Find the words that are typical of texts."""
        seeds = self._seeds
        return keywords(texts, seeds.lang, self._reference, measure=seeds.measure, count=seeds.count)

    def of_language(self, number: int, max_words: int = 0) -> tuple[list[str], list[Query]]:
        """Choose mid-frequency words of the language, and make queries of them; or of words of two ranges."""
        count, seed = self._queries.count, f"{self._queries.seed}-{number}"
        if self._seeds.ranges:
            tuples = make_pairs(words_of_ranges(self._seeds.lang, self._reference), count, seed)
        else:
            tuples = make_tuples(mid_frequency_words(self._seeds.lang, self._reference), count, seed, self._queries.n)
        return unique(word for words in tuples for word in words), self.of_tuples(tuples, max_words)

    def queries(
        self, words: Sequence[str], number: int, before: Iterable[Query] = (), max_words: int = 0
    ) -> list[Query]:
        """Put words together to the queries of a round; none that was made before, and no two forms of a word."""
        forms = self._forms(words)
        asked = {_key(form[0] for form in query.words) for query in before}
        count, n, seed = self._queries.count, self._queries.n, f"{self._queries.seed}-{number}"
        drawn = make_tuples(words, count + len(asked), seed, n, forms.lemma if forms else str.casefold)
        return self._made([item for item in drawn if _key(item) not in asked][:count], forms, max_words)

    def of_tuples(self, tuples: Sequence[Sequence[str]], max_words: int = 0) -> list[Query]:
        """Make queries of tuples, with the forms of their words and with words that show the language."""
        return self._made(tuples, self._forms(unique(word for words in tuples for word in words)), max_words)

    def _made(self, tuples: Sequence[Sequence[str]], forms: Forms | None, max_words: int) -> list[Query]:
        settings = self._queries
        filters = (
            filter_words(self._seeds.lang, settings.filter_words, self._reference) if settings.filter_words else ()
        )
        return make_queries(tuples, forms, filters, max_words=max_words, max_forms=settings.forms)

    @cached_property
    def _reference(self) -> Frequencies | None:
        """Return the frequencies of the corpus or list that is given; None if what is known of the language counts."""
        place = self._seeds.reference
        if not place:
            return None
        return Frequencies.of_index(self._open_index(place)) if _is_corpus(place) else Frequencies.of_file(place)

    def _forms(self, words: Collection[str]) -> Forms | None:
        """Find the forms of words; None if each is asked for alone."""
        place = self._queries.forms_from
        if self._queries.forms <= 1 or not words:
            return None
        if not place:
            return forms_in_dictionary(self._seeds.lang, words, self._reference)
        return forms_in_index(self._open_index(place), words) if _is_corpus(place) else forms_in_file(place)


def _key(words: Iterable[str]) -> frozenset[str]:
    return frozenset(word.casefold() for word in words)


def _is_corpus(place: str) -> bool:
    return (Path(place) / MANIFEST).is_file()
