# ruff: noqa: S608 (all statements are of our own making)
"""The peer of `search.py`: DuckDB on a table of tokens, in its own file, on one thread.

The table has a row a token: position, document, paragraph, sentence, word, lemma, tag, and whether word and lemma have
a letter or digit; it is in the order of positions, so that DuckDB's statistics of row groups find a stretch of text at
once. Questions have several statements where more than one way seemed good: the fastest counts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from gristmill.corpus.attributes import host_of
from gristmill.shards import Shard, open_parquet, read_columns

MEMORY = "4GB"
PAGE = 20
"""Lines of the first page."""
_CONTEXT = 10
_ATTRIBUTES = ("word", "lemma", "tag")
_NO_PUNCTUATION = r"[\pL\pN]"


def connect(file: Path, *, read_only: bool = True) -> Any:
    """Open a database with one thread."""
    import duckdb  # noqa: PLC0415 (without it, we can still be measured alone)

    return duckdb.connect(str(file), read_only=read_only, config={"threads": 1, "memory_limit": MEMORY})


def write_database(corpus: Path, file: Path) -> None:
    """Put the tokens of a corpus into a table, and its documents into another."""
    shards = Shard.all_in(corpus)
    with connect(file, read_only=False) as database:
        database.execute(
            "CREATE TABLE tokens (position INTEGER, doc INTEGER, paragraph INTEGER, sentence INTEGER, word VARCHAR, "
            "lemma VARCHAR, tag VARCHAR, is_word BOOLEAN, is_lemma BOOLEAN)"
        )
        for rows in _tokens(shards):
            tests = ", ".join(f"regexp_matches({name}, '{_NO_PUNCTUATION}')" for name in ("word", "lemma"))
            database.execute(f"INSERT INTO tokens SELECT *, {tests} FROM rows").fetchall()
            del rows
        documents = _documents(shards)
        database.execute("CREATE TABLE docs AS SELECT * FROM documents").fetchall()
        del documents
        database.execute("CHECKPOINT")


def _tokens(shards: list[Shard]) -> Iterator[pa.Table]:
    """Rows of tokens, by row groups of the corpus; all of its blocks are kept, so they are those of the index."""
    position = doc = paragraph = sentence = 0
    for shard in shards:
        with open_parquet(shard.tokens) as file:
            for group in range(file.num_row_groups):
                table = file.read_row_group(group, columns=[*_ATTRIBUTES, "tokens", "sentences"])
                lists = {name: table[name].combine_chunks() for name in table.column_names}
                sizes = lists["word"].value_lengths().to_numpy()
                blocks, sentences = (lists[name].flatten().to_numpy() for name in ("tokens", "sentences"))
                tokens = int(sizes.sum())
                numbers = {
                    "position": np.arange(position, position + tokens, dtype=np.int32),
                    "doc": np.repeat(np.arange(doc, doc + len(sizes), dtype=np.int32), sizes),
                    "paragraph": np.repeat(np.arange(paragraph, paragraph + len(blocks), dtype=np.int32), blocks),
                    "sentence": np.repeat(np.arange(sentence, sentence + len(sentences), dtype=np.int32), sentences),
                }
                yield pa.table(numbers | {name: lists[name].flatten() for name in _ATTRIBUTES})
                position, doc, paragraph = position + tokens, doc + len(sizes), paragraph + len(blocks)
                sentence += len(sentences)


def _documents(shards: list[Shard]) -> pa.Table:
    table = pa.concat_tables([read_columns(shard.documents, ["id", "url", "lang", "date"]) for shard in shards])
    hosts = pa.array([host_of(url) for url in table["url"].to_pylist()])
    years = pa.array([date[:4] for date in table["date"].to_pylist()])
    return (
        table.append_column("host", hosts)
        .append_column("year", years)
        .append_column("doc", pa.array(np.arange(table.num_rows), pa.int32()))
    )


@dataclass(frozen=True, slots=True)
class Page:
    """The number of hits, and the first of them: where each begins, its words, and those to its left and right."""

    count: int
    lines: list[tuple[int, str, str, str]]


@dataclass(frozen=True, slots=True)
class Hits:
    """A statement that gives hits as `start` and `stop` (after the last token), and whether in text order."""

    sql: str
    in_order: bool = False


def ways_to_page(hits: Hits) -> list[Callable[[Any], Page]]:
    """Count the hits of a statement and show the first ones: in one go; if they come in order, also in two."""

    def at_once(database: Any) -> Page:
        count, first = database.execute(
            f"SELECT count(*), min({{'start': start, 'stop': stop}}, {PAGE}) FROM ({hits.sql})"
        ).fetchone()
        return _page(database, count, [(hit["start"], hit["stop"]) for hit in first or []])

    def one_by_one(database: Any) -> Page:
        count = database.execute(f"SELECT count(*) FROM ({hits.sql})").fetchone()[0]
        return _page(database, count, database.execute(f"{hits.sql} LIMIT {PAGE}").fetchall())

    return [at_once, one_by_one] if hits.in_order else [at_once]


def sorted_page(database: Any, hits: str, order: str) -> Page:
    """Count the hits of a statement, and show the first ones in another order than that of the corpus."""
    found = database.execute(
        f"SELECT start, stop, count(*) OVER () FROM ({hits}) ORDER BY {order} LIMIT {PAGE}"
    ).fetchall()
    return _page(database, found[0][2] if found else 0, [(start, stop) for start, stop, _ in found])


def _page(database: Any, count: int, spans: list[tuple[int, int]]) -> Page:
    """Look up the words around hits. The bounds of all together let DuckDB leave out most of the table."""
    if not spans:
        return Page(count, [])
    ranges = [(start - _CONTEXT, stop + _CONTEXT - 1) for start, stop in spans]
    first, last = min(low for low, _ in ranges), max(high for _, high in ranges)
    wanted = " OR ".join(f"position BETWEEN {low} AND {high}" for low, high in ranges)
    rows = database.execute(
        f"SELECT position, doc, word FROM tokens WHERE position BETWEEN {first} AND {last} AND ({wanted})"
    ).fetchall()
    words = {position: (doc, word) for position, doc, word in rows}
    lines = []
    for (start, stop), (low, high) in zip(spans, ranges, strict=True):
        own, _ = words[start]
        parts = [
            " ".join(words[place][1] for place in places if place in words and words[place][0] == own)
            for places in (range(low, start), range(start, stop), range(stop, high + 1))
        ]
        lines.append((start, parts[0], parts[1], parts[2]))
    return Page(count, lines)


def one_token(condition: str) -> Hits:
    """The hits of one token."""
    return Hits(f"SELECT position AS start, position + 1 AS stop FROM tokens WHERE {condition}", in_order=True)


def two_tokens(first: str, second: str) -> list[Hits]:
    """The hits of two tokens in a row: by a join, by a window, and by putting the table beside itself."""
    hits = "SELECT a.position AS start, a.position + 2 AS stop FROM tokens a"
    pairs = (
        f"SELECT position, {first} AS one, lead({second}) OVER () AS two, doc = lead(doc) OVER () AS near FROM tokens"
    )
    beside = (
        f"{hits} POSITIONAL JOIN (SELECT * FROM tokens WHERE position > 0) b WHERE a.doc = b.doc AND a.{first} "
        f"AND b.{second}"
    )
    return [
        Hits(f"{hits} JOIN tokens b ON b.position = a.position + 1 AND b.doc = a.doc WHERE a.{first} AND b.{second}"),
        Hits(f"SELECT position AS start, position + 2 AS stop FROM ({pairs}) WHERE one AND two AND near", True),
        Hits(beside, True),
    ]


def with_gap(first: str, most: int, second: str) -> list[Hits]:
    """Find two tokens in a sentence with at most `most` between them, in two ways: by places, and over sentences."""
    places = (
        f"SELECT position, sentence, position + distance AS place FROM tokens, range(1, {most + 2}) far (distance) "
        f"WHERE {first}"
    )
    hits = "SELECT a.position AS start, b.position + 1 AS stop FROM"
    near = f"b.sentence = a.sentence AND b.position - a.position BETWEEN 1 AND {most + 1}"
    return [
        Hits(f"{hits} tokens b JOIN ({places}) a ON b.position = a.place AND b.sentence = a.sentence WHERE b.{second}"),
        Hits(f"{hits} tokens a JOIN tokens b ON {near} WHERE a.{first} AND b.{second}"),
    ]


_BEGINS = "doc <> lag(doc, 1, -1) OVER () OR position <> lag(position) OVER () + 1"
"""Whether a token, among chosen ones, is not next to the one before it."""


def praise(modifier: str, head: str) -> list[Hits]:
    """Spans of two words that end in the head: each run of them is looked at from each head back to its beginning."""
    return [
        Hits(f"""
        WITH chosen AS (SELECT position, doc, word FROM tokens WHERE word IN ('{modifier}', '{head}')),
        marked AS (SELECT position, word, {_BEGINS} AS begins FROM chosen),
        firsts AS (SELECT position, word, max(CASE WHEN begins THEN position END) OVER (ROWS UNBOUNDED PRECEDING) AS one
                   FROM marked)
        SELECT unnest(range(one, position + 1)) AS start, position + 1 AS stop FROM firsts WHERE word = '{head}'
        """)
    ]


def noun_phrases() -> list[Hits]:
    """Spans of a determiner or none, adjectives and nouns: from each noun back to where its phrase begins.

    A run of adjectives is led by the determiner before it (`leader`), a run of nouns by the leader of its adjectives.
    """
    over = "OVER (ROWS UNBOUNDED PRECEDING)"
    return [
        Hits(f"""
        WITH chosen AS (SELECT position, doc, tag FROM tokens WHERE tag IN ('DET', 'ADJ', 'NOUN')),
        marked AS (SELECT position, tag, lag(tag) OVER () AS before, {_BEGINS} AS begins FROM chosen),
        led AS (SELECT position, tag, before <> 'NOUN' OR begins AS opens, max(
                    CASE WHEN before <> 'ADJ' OR begins THEN position - (before = 'DET' AND NOT begins)::INTEGER END
                ) {over} AS leader FROM marked),
        firsts AS (SELECT position, tag, max(CASE WHEN opens THEN leader END) {over} AS one FROM led)
        SELECT unnest(range(one, position + 1)) AS start, position + 1 AS stop FROM firsts WHERE tag = 'NOUN'
        """)
    ]


def collocations(node: str, window: int, limit: int) -> list[str]:
    """Find lemmas near the hits of a token by logDice, each once for a hit, made distinct before or in counting."""
    ways = [("DISTINCT", "count(*)"), ("", "count(DISTINCT position)")]
    return [
        f"""
        WITH hits AS MATERIALIZED (SELECT position, doc FROM tokens WHERE {node}),
        places AS MATERIALIZED (SELECT position, doc, position + distance AS place
                                FROM hits, range(-{window}, {window + 1}) far (distance) WHERE distance <> 0),
        pairs AS (SELECT {distinct} p.position, t.lemma
                  FROM tokens t JOIN places p ON t.position = p.place AND t.doc = p.doc),
        near AS MATERIALIZED (SELECT lemma, {count} AS together FROM pairs GROUP BY lemma HAVING {count} >= 3),
        frequencies AS (SELECT lemma, count(*) AS frequency
                        FROM tokens WHERE lemma IN (SELECT lemma FROM near) GROUP BY lemma)
        SELECT lemma, together, frequency FROM near JOIN frequencies USING (lemma)
        WHERE frequency >= 5 AND regexp_matches(lemma, '{_NO_PUNCTUATION}')
        ORDER BY 14 + log2(2 * together / ((SELECT count(*) FROM hits) + frequency)) DESC, lemma LIMIT {limit}
        """
        for distinct, count in ways
    ]


def word_list(limit: int) -> list[str]:
    """The most frequent lemmas."""
    counted = "SELECT lemma, count(*) AS n FROM tokens"
    order = f"ORDER BY n DESC, lemma LIMIT {limit}"
    return [
        f"{counted} WHERE is_lemma GROUP BY lemma {order}",
        f"SELECT * FROM ({counted} GROUP BY lemma) WHERE regexp_matches(lemma, '{_NO_PUNCTUATION}') {order}",
    ]


def bigrams(limit: int) -> list[str]:
    """The most frequent pairs of words within a sentence: by a window, and by putting the table beside itself."""
    beside = "tokens a POSITIONAL JOIN (SELECT * FROM tokens WHERE position > 0) b"
    pairs = [
        (
            "SELECT word AS one, lead(word) OVER () AS two, sentence = lead(sentence) OVER () AND is_word "
            "AND lead(is_word) OVER () AS near FROM tokens"
        ),
        (
            "SELECT a.word AS one, b.word AS two, a.sentence = b.sentence AND a.is_word AND b.is_word AS near "
            f"FROM {beside}"
        ),
    ]
    return [
        f"""
        SELECT one || ' ' || two, count(*) AS n FROM ({pair}) WHERE near GROUP BY one, two HAVING count(*) >= 2
        ORDER BY n DESC, one, two LIMIT {limit}
        """
        for pair in pairs
    ]


def keywords(year: int, limit: int) -> list[str]:
    """Lemmas with a letter that are typical of the documents from a year on, by simple maths.

    Tokens are joined with documents, or looked up among the documents of these years.
    """
    ways = [
        (f"year >= '{year}'", "tokens JOIN docs USING (doc)"),
        ("chosen", f"(SELECT lemma, doc IN (SELECT doc FROM docs WHERE year >= '{year}') AS chosen FROM tokens)"),
    ]
    return [
        f"""
        WITH counts AS MATERIALIZED (
            SELECT lemma, count(*) FILTER ({chosen}) AS f, count(*) - f AS r FROM {source} GROUP BY lemma),
        sizes AS (SELECT sum(f) AS focus, sum(r) AS rest FROM counts)
        SELECT lemma, f, r FROM counts, sizes WHERE regexp_matches(lemma, '\\pL')
        ORDER BY (f * 1000000 / focus + 1) / (r * 1000000 / rest + 1) DESC, lemma LIMIT {limit}
        """
        for chosen, source in ways
    ]


def sorted_right(condition: str) -> str:
    """The hits of one token with the three words after each, to be sorted by these; nothing comes before all words."""
    joins = " ".join(
        f"LEFT JOIN tokens t{number} ON t{number}.position = h.position + {number} AND t{number}.doc = h.doc"
        for number in (1, 2, 3)
    )
    columns = ", ".join(f"coalesce(t{number}.word, '') AS word{number}" for number in (1, 2, 3))
    hits = f"SELECT position, doc FROM tokens WHERE {condition}"
    return f"SELECT h.position AS start, h.position + 1 AS stop, {columns} FROM ({hits}) h {joins}"


def by_host(condition: str, limit: int) -> list[str]:
    """How often one token is found on each host."""
    counted = f"SELECT doc, count(*) AS n FROM tokens WHERE {condition} GROUP BY doc"
    return [
        (
            f"SELECT host, sum(n)::BIGINT AS hits FROM ({counted}) JOIN docs USING (doc) GROUP BY host ORDER BY hits "
            f"DESC, host LIMIT {limit}"
        )
    ]
