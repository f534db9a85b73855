"""What a bootstrap has done so far, on disk: rounds, their words and queries, results, and what was taken of these.

It is one SQLite file in the folder of the corpus. The answer to a query is stored as soon as it is there, and what is
stored is never asked again.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from gristmill.bootstrapping.providers.provider import Result
from gristmill.bootstrapping.query import Query
from gristmill.database import Database

NAME = "bootstrap.sqlite"
FORMAT = 1
"""The version of the tables; a file of another one is not opened."""
ASK, FETCH, BUILD, DONE = "ask", "fetch", "build", "done"
"""What is to be done next in a round."""
TO_ASK, ASKED, REFUSED, GIVEN_UP = "to ask", "asked", "refused", "given up"
"""States of a query. One that was given up comes again in the next round."""
CHOSEN = "chosen"
"""The outcome of a result whose address is fetched."""
_MAX_URL_CHARACTERS = 4_096
_MAX_TITLE_CHARACTERS = 500
_MAX_WHY_CHARACTERS = 500


class Asked(NamedTuple):
    """A query of a round, with its number in the file."""

    id: int
    query: Query


class Found(NamedTuple):
    """A result that is to be decided on."""

    query: int
    """The number of the query in the file."""
    rank: int
    url: str
    is_given: bool = False
    """Whether the user gave the address."""


class Choice(NamedTuple):
    """What became of a result: `chosen`, or why it was left out."""

    query: int
    rank: int
    address: str
    outcome: str


class Chosen(NamedTuple):
    """An address that is fetched, and what found it."""

    address: str
    query: str
    """The text of the query; empty if the address was given by the user."""
    rank: int


@dataclass(frozen=True, slots=True)
class Round:
    """A round, as far as it has come."""

    number: int
    stage: str
    pages: int
    """Pages that were stored when its addresses were fetched."""
    documents: int
    """Documents that the corpus had at its end."""
    words: int
    """Words of these."""


class Store(Database):
    """The tables of a bootstrap; each method that changes something is one transaction."""

    def __init__(self, folder: Path) -> None:
        """Open the tables in the folder of a corpus."""
        advice = f"when this is mended, `gristmill bootstrap {folder}` goes on; what was built is there"
        super().__init__(folder / NAME, "gristmill.bootstrapping", FORMAT, advice)

    # Rounds

    def rounds(self) -> list[Round]:
        """All rounds, in their order."""
        return [Round(*row) for row in self._db.execute("SELECT * FROM round ORDER BY number")]

    def begin(
        self,
        number: int,
        words: Sequence[str] = (),
        queries: Iterable[Query] = (),
        urls: Sequence[str] = (),
        *,
        local: Sequence[str] = (),
    ) -> None:
        """Begin a round with its words and queries; queries that an earlier one gave up come first.

        `urls` are addresses that the user gave: the results of a query without words. `local` are files that are built
        before it, in the round 0; that has no words.
        """
        with self._transaction():
            left = [_from_json(words) for (words,) in self._db.execute(_GIVEN_UP, (GIVEN_UP, GIVEN_UP))]
            if local:
                self._db.execute("INSERT INTO round (number, stage) VALUES (0, ?)", (BUILD,))
                self._set_state("local", json.dumps(local))
            if number:
                self._db.execute("INSERT INTO round (number, stage) VALUES (?, ?)", (number, ASK))
            self._db.executemany(
                "INSERT INTO word VALUES (?, ?, ?)", ((number, place, word) for place, word in enumerate(words))
            )
            self._db.executemany(
                "INSERT INTO query (round, text, words, state) VALUES (?, ?, ?, ?)",
                ((number, query.text, _to_json(query), TO_ASK) for query in dict.fromkeys([*left, *queries])),
            )
            if urls:
                row = (number, "", _to_json(Query(())), ASKED)
                added = self._db.execute("INSERT INTO query (round, text, words, state) VALUES (?, ?, ?, ?)", row)
                self._put(added.lastrowid or 0, (Result(url, rank) for rank, url in enumerate(urls, 1)))

    @property
    def local(self) -> list[str]:
        """The files that the round 0 is made of."""
        return list(map(str, json.loads(self.state("local") or "[]")))

    def state(self, name: str) -> str:
        """Return a text that was stored under a name; empty if there is none."""
        row = self._db.execute("SELECT value FROM state WHERE name = ?", (name,)).fetchone()
        return str(row[0]) if row else ""

    def set_state(self, name: str, value: str) -> None:
        """Store a text under a name."""
        with self._transaction():
            self._set_state(name, value)

    def _set_state(self, name: str, value: str) -> None:
        self._db.execute("INSERT OR REPLACE INTO state VALUES (?, ?)", (name, value))

    def words(self, number: int) -> list[str]:
        """The seed words of a round."""
        return [word for (word,) in self._db.execute("SELECT word FROM word WHERE round = ? ORDER BY place", (number,))]

    def advance(self, number: int, stage: str, *, pages: int = 0, documents: int = 0, words: int = 0) -> None:
        """Note what is to be done next in a round, and its figures as far as they are known."""
        with self._transaction():
            self._db.execute(
                "UPDATE round SET stage = ?, pages = max(pages, ?), documents = ?, words = ? WHERE number = ?",
                (stage, pages, documents, words, number),
            )

    # Queries

    def queries(self) -> list[Query]:
        """All queries of all rounds, asked or not."""
        return [_from_json(words) for (words,) in self._db.execute("SELECT words FROM query ORDER BY id")]

    def to_ask(self, number: int) -> list[Asked]:
        """The queries of a round that were not asked yet, in their order."""
        rows = self._db.execute(
            "SELECT id, words FROM query WHERE round = ? AND state = ? ORDER BY id", (number, TO_ASK)
        )
        return [Asked(identity, _from_json(words)) for identity, words in rows]

    def answer(self, query: int, results: Iterable[Result]) -> None:
        """Store the answer to a query."""
        with self._transaction():
            self._db.execute("UPDATE query SET state = ?, why = '' WHERE id = ?", (ASKED, query))
            self._put(query, results)

    def _put(self, query: int, results: Iterable[Result]) -> None:
        """Store results under ranks that are their own, whatever the provider says of these."""
        rows: dict[int, tuple[int, int, str, str]] = {}
        for place, result in enumerate(results, 1):
            rank = result.rank if result.rank > 0 and result.rank not in rows else max([place, *rows]) + 1
            url = _storable(result.url, _MAX_URL_CHARACTERS + 1)
            rows[rank] = (query, rank, url, _storable(result.title, _MAX_TITLE_CHARACTERS))
        self._db.executemany("INSERT INTO result (query, rank, url, title) VALUES (?, ?, ?, ?)", rows.values())

    def refuse(self, query: int, why: str) -> None:
        """Note that a provider won't answer a query, however often it is asked."""
        with self._transaction():
            self._end(query, REFUSED, why)

    def give_up(self, queries: Iterable[int], why: str) -> None:
        """Note that queries were not asked in this round; they come again in the next."""
        with self._transaction():
            for query in queries:
                self._end(query, GIVEN_UP, why)

    def _end(self, query: int, state: str, why: str) -> None:
        text = _storable(why, _MAX_WHY_CHARACTERS)
        self._db.execute("UPDATE query SET state = ?, why = ? WHERE id = ?", (state, text, query))

    def states(self, number: int) -> Counter[str]:
        """Count the queries of a round by their state."""
        rows = self._db.execute(
            "SELECT state, count(*) FROM query WHERE round = ? AND text != '' GROUP BY state", (number,)
        )
        return Counter(dict(rows))

    def not_asked(self) -> list[tuple[str, str]]:
        """Texts of the queries that no provider has answered, each once, and why."""
        rows = self._db.execute(
            "SELECT text, why, max(id) FROM query WHERE state != ? "
            "AND text NOT IN (SELECT text FROM query WHERE state = ?) GROUP BY text ORDER BY max(id)",
            (ASKED, ASKED),
        )
        return [(text, why) for text, why, _ in rows]

    # Addresses

    def undecided(self, number: int) -> list[Found]:
        """The results of a round, query by query and by rank."""
        rows = self._db.execute(
            "SELECT query, rank, url, text = '' FROM result JOIN query ON query.id = result.query "
            "WHERE round = ? AND outcome = '' ORDER BY query, rank",
            (number,),
        )
        return [Found(query, rank, url, bool(is_given)) for query, rank, url, is_given in rows]

    def decide(self, number: int, choices: Iterable[Choice]) -> None:
        """Store what became of each result of a round, which is fetched next."""
        with self._transaction():
            self._db.executemany(
                "UPDATE result SET address = ?, outcome = ? WHERE query = ? AND rank = ?",
                ((choice.address, choice.outcome, choice.query, choice.rank) for choice in choices),
            )
            self._db.execute("UPDATE round SET stage = ? WHERE number = ?", (FETCH, number))

    def addresses(self) -> Iterator[str]:
        """All addresses that were ever chosen."""
        return (url for (url,) in self._db.execute("SELECT address FROM result WHERE outcome = ?", (CHOSEN,)))

    def chosen(self, number: int) -> list[Chosen]:
        """The addresses of a round that are fetched, query by query and by rank."""
        rows = self._db.execute(
            "SELECT address, text, rank FROM result JOIN query ON query.id = result.query "
            "WHERE round = ? AND outcome = ? ORDER BY query, rank",
            (number, CHOSEN),
        )
        return [Chosen(*row) for row in rows]

    def outcomes(self, number: int) -> Counter[str]:
        """Count the results of a round by what became of them."""
        rows = self._db.execute(
            "SELECT outcome, count(*) FROM result JOIN query ON query.id = result.query "
            "WHERE round = ? GROUP BY outcome",
            (number,),
        )
        return Counter(dict(rows))


_GIVEN_UP = """
SELECT words FROM query WHERE state = ? AND text NOT IN (SELECT text FROM query WHERE state != ?)
GROUP BY text ORDER BY min(id)
"""


def _to_json(query: Query) -> str:
    return json.dumps([query.words, query.filters], ensure_ascii=False)


def _from_json(text: str) -> Query:
    words, filters = json.loads(text)
    return Query(tuple(tuple(map(str, forms)) for forms in words), tuple(map(str, filters)))


def _storable(text: str, most: int) -> str:
    """Make text that SQLite can store of what a stranger sent: no lone surrogates, no zeros, not too long."""
    return text[:most].encode("utf-8", "replace").decode().replace("\0", "")
