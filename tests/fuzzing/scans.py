"""Queries of every form on small corpora: each answer is that of a scan over the tokens."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from random import Random

from scanning import PlainCorpus, to_docs, to_index
from scanning_queries import Maker, Query, at_limits, check_answer, make_corpus

from fuzzing.target import Target


@dataclass
class Case:
    """A corpus and queries on it; `seed` says which limits search has."""

    corpus: PlainCorpus
    queries: list[Query]
    seed: int

    def __repr__(self) -> str:
        return f"{[query.text for query in self.queries]} on {self.corpus}"


class Scan(Target):
    """Queries by the grammar, with the answers of a scan."""

    name = "scan"

    def make(self, random: Random) -> Case:
        """A corpus and some queries."""
        makers = (Maker(random.choice, most=random.choice([1, 2, 3])) for _ in range(20))
        return Case(make_corpus(random.choice), [maker.query() for maker in makers], random.randrange(1000))

    def attempt(self, case: Case) -> None:
        """Compare each answer; the error says which query is wrong."""
        docs, random = to_docs(case.corpus), Random(case.seed)
        with tempfile.TemporaryDirectory(dir=self.folder) as folder:
            index = to_index(folder, case.corpus)
            for query in case.queries:
                with at_limits(random.choice):
                    check_answer(index, docs, query)
