# ruff: noqa: S608 (all statements are of our own making)
"""Questions about sentences, paragraphs and documents for DuckDB, by the columns of the table of tokens.

A structure is a run of tokens with the same number; the ways to find where these begin and end are to group tokens by
the number, and to look where it changes, by a window or with the table beside itself.
"""

from __future__ import annotations

from search_duckdb import Hits

UNBOUNDED = 100
"""How often `*` repeats at most."""


def bounds(structure: str) -> list[str]:
    """Where each structure begins and ends, and its document, in text order but for the first way."""
    changes = (
        f"SELECT position, doc, {structure} <> lag({structure}, 1, -1) OVER () AS begins FROM tokens",
        (
            f"SELECT b.position, b.doc, a.{structure} <> b.{structure} AS begins "
            f"FROM tokens a POSITIONAL JOIN (SELECT * FROM tokens WHERE position > 0) b"
        ),
    )
    size = "(SELECT count(*)::INTEGER FROM tokens)"
    starts = (
        f"SELECT position, doc FROM ({changes[0]}) WHERE begins",
        f"SELECT 0 AS position, 0 AS doc UNION ALL SELECT position, doc FROM ({changes[1]}) WHERE begins",
    )
    return [
        f"SELECT min(position) AS start, max(position) + 1 AS stop, first(doc) AS doc FROM tokens GROUP BY {structure}",
        *(
            f"SELECT position AS start, coalesce(lead(position) OVER (), {size}) AS stop, doc FROM ({some})"
            for some in starts
        ),
    ]


def edge_to_edge(structure: str, most: int) -> list[Hits]:
    """Spans of up to so many tokens that begin where a structure does and end where one does, in a document.

    Starts are joined with ends by buckets of that many tokens: an end is in the bucket of the start, or in the next.
    """
    ends = f"SELECT stop, doc, unnest([stop // {most}, stop // {most} - 1]) AS bucket FROM bounds"
    return [
        Hits(f"""
        WITH bounds AS MATERIALIZED ({way})
        SELECT a.start, b.stop FROM bounds a JOIN ({ends}) b ON b.bucket = a.start // {most} AND b.doc = a.doc
        WHERE b.stop - a.start BETWEEN 1 AND {most}
        """)
        for way in bounds(structure)
    ]


def short(structure: str, most: int) -> list[Hits]:
    """Structures of up to so many tokens."""
    by_group, *in_order = (f"SELECT start, stop FROM ({way}) WHERE stop - start <= {most}" for way in bounds(structure))
    return [Hits(by_group), *(Hits(way, in_order=True) for way in in_order)]


def beginnings_of_documents(condition: str, most: int) -> list[Hits]:
    """Spans of up to so many tokens at the beginning of documents that meet a condition."""
    chosen = f"SELECT doc FROM docs WHERE {condition}"
    edges = "SELECT min(position) AS start, max(position) + 1 AS stop FROM tokens"
    firsts = [
        f"{edges} WHERE doc IN ({chosen}) GROUP BY doc",
        f"{edges} JOIN ({chosen}) USING (doc) GROUP BY doc",
        *(f"SELECT start, stop FROM ({way}) WHERE doc IN ({chosen})" for way in bounds("doc")),
    ]
    return [
        Hits(
            f"SELECT start, start + length AS stop FROM ({first}), range(1, {most + 1}) lengths (length) "
            f"WHERE start + length <= stop"
        )
        for first in firsts
    ]


def containing(structure: str, condition: str) -> list[Hits]:
    """Structures with a token that meets a condition."""
    chosen = f"SELECT DISTINCT {structure} FROM tokens WHERE {condition}"
    edges = "SELECT min(position) AS start, max(position) + 1 AS stop FROM"
    return [
        Hits(f"{edges} tokens WHERE {structure} IN ({chosen}) GROUP BY {structure}"),
        Hits(f"{edges} tokens JOIN ({chosen}) USING ({structure}) GROUP BY {structure}"),
    ]
