"""`gristmill phrases`: make search phrases of a tree, which `gristmill bootstrap --tuples` asks a search engine for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from gristmill.cli.console import note
from gristmill.cli.opened import open_corpus
from gristmill.cli.options import CorpusFolder, Query, Trust, Where
from gristmill.cli.table import AsCsv, AsJson, chosen_format, write_lines, write_result
from gristmill.cli.terminal import safe
from gristmill.errors import UsageError
from gristmill.wording import plural

if TYPE_CHECKING:
    from gristmill.search.phrases.phrases import Phrases

_NO_WILDCARD = "none"


def phrases(
    corpus: CorpusFolder,
    tree: Query,
    *,
    limit: Annotated[int, typer.Option("--limit", "-l", metavar="N", help="How many; 0 for all.", min=0)] = 20,
    min_count: Annotated[
        int, typer.Option(metavar="N", help="Only phrases after so many sentences of the corpus.", min=1)
    ] = 1,
    max_words: Annotated[int, typer.Option(metavar="N", help="Most words of a phrase.", min=2, max=50)] = 10,
    wildcard: Annotated[
        str, typer.Option(metavar="SIGN", help="What the search engine takes for any word; none: it has no such sign.")
    ] = "*",
    query: Annotated[
        bool, typer.Option("--query", help="Write the query that finds the tree in the pages, in CQL.")
    ] = False,
    lang: Annotated[
        str | None, typer.Option(metavar="CODE", help="Which language [the largest one with relations].")
    ] = None,
    where: Where = None,
    trust: Trust = False,
    as_json: AsJson = False,
    as_csv: AsCsv = False,
) -> None:
    """Search phrases of a tree, for a search engine.

    Sentences of the corpus that match the tree with parts of speech in place of its words show how such a thing is
    said. The words of the tree are put in, and wildcards for all that may be anything. Phrases with many non-content
    words (a, that, of) come first: they find least beside. Each line is a query of `gristmill bootstrap --tuples`.

    \b
    Examples:
      gristmill phrases corpus '1:[tag="NOUN"] <nsubj ([lemma="drive"] >obj [lemma="ball"])'
      gristmill phrases corpus '[lemma="bake"] >obj [lemma="bread"]' --limit 100 > phrases.txt
      gristmill bootstrap --tuples phrases.txt --filter-words 0 -o new --lang en --provider searxng:http://localhost:8888
    """
    form = chosen_format(as_json, as_csv)
    if query and form != "table":
        raise UsageError("--query writes a query: leave --json and --csv out")
    found = open_corpus(corpus, trust=trust).phrases(
        " ".join(tree),
        lang=lang,
        where=where,
        limit=limit or None,
        min_count=min_count,
        max_words=max_words,
        wildcard="" if wildcard == _NO_WILDCARD else wildcard,
    )
    if query:
        write_lines([found.query])
    elif form != "table":
        write_result(found, form)
    else:
        _write(found)


def _write(found: Phrases) -> None:
    """Write a phrase a line, and behind # after how many sentences of which form it is made."""
    width = max((len(row.phrase) for row in found.rows), default=0)
    write_lines(f"{safe(row.phrase):{width}}  # {row.count:,} {safe(row.form)}" for row in found.rows)
    ways = f"{plural(found.ways, 'way')} to match the tree with parts of speech in place of words"
    note(f"{len(found.rows):,} of {plural(found.phrases, 'phrase')}; {ways} in {found.lang}")
    left_out = ", ".join(f"{count:,} {reason}" for reason, count in found.left_out.items() if count)
    if left_out:
        note(f"sentences left out: {left_out}")
    if found.too_long:
        note(f"left out, as too long or with signs between words: {found.too_long:,}")
    if found.unfit:
        note(f'left out, as no form of a word is known that fits there: {found.unfit:,}; give it: [word="drove"]')
    if not found.rows:
        note("No sentence of this corpus shows how to say it: try a larger corpus, --max-words, or a simpler tree.")
