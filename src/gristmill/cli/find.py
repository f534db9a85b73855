"""`gristmill find`: the best documents, paragraphs, sentences or windows for some words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from gristmill.cli.choices import one_of
from gristmill.cli.console import note, progress_bars
from gristmill.cli.opened import open_corpus
from gristmill.cli.options import CorpusFolder, Trust, Where
from gristmill.cli.table import AsCsv, AsJson, chosen_format, write_lines, write_result
from gristmill.cli.terminal import safe
from gristmill.errors import UsageError
from gristmill.wording import plural

if TYPE_CHECKING:
    from gristmill.search.ranked.found import FoundUnit, FoundUnits

_UNITS = ("document", "paragraph", "sentence", "window:100")
_KEYS = ("bm25", "date", "quality", "yield", "length")


def find(
    corpus: CorpusFolder,
    words: Annotated[
        str | None,
        typer.Argument(
            metavar="WORDS", help='Words and "phrases"; +word is required, -word excluded.', show_default=False
        ),
    ] = None,
    *,
    unit: Annotated[
        str, typer.Option(metavar="UNIT", help=f"{', '.join(_UNITS)} (tokens).", autocompletion=one_of(_UNITS))
    ] = "paragraph",
    by: Annotated[
        str,
        typer.Option(
            metavar="KEYS",
            help=f"{', '.join(_KEYS)}, or a numeric attribute of documents; date,quality; lowest first: -length.",
            autocompletion=one_of(_KEYS),
        ),
    ] = "bm25",
    limit: Annotated[int, typer.Option("--limit", "-l", metavar="N", help="How many; 0 for all.", min=0)] = 10,
    offset: Annotated[int, typer.Option(metavar="N", help="Leave out the first ones.", min=0)] = 0,
    attribute: Annotated[
        str, typer.Option("--attribute", "-a", metavar="NAME", help="What the words are: word, lemma, or another one.")
    ] = "word",
    match_all: Annotated[
        bool | None,
        typer.Option(
            "--all/--any", help="Units with all words, or any [any if ranked by bm25 alone].", show_default=False
        ),
    ] = None,
    where: Where = None,
    lang: Annotated[str | None, typer.Option(metavar="CODE", help="Only texts in this language.")] = None,
    k1: Annotated[float, typer.Option(help="Of BM25: how much repetition counts.", min=0)] = 1.2,
    b: Annotated[float, typer.Option(help="Of BM25: how much length counts.", min=0, max=1)] = 0.75,
    whole: Annotated[bool, typer.Option("--whole", help="Show the whole text of each unit.")] = False,
    build: Annotated[bool, typer.Option("--build", help="Only make what is needed, for the web app.")] = False,
    trust: Trust = False,
    as_json: AsJson = False,
    as_csv: AsCsv = False,
) -> None:
    """Find the best paragraphs or sentences for some words.

    The best come first: by BM25, or by dimensions of which each has 15 levels, such as the date and then the quality.
    What is needed for a unit is stored in the corpus at the first time; that takes a second for some million tokens.

    \b
    Examples:
      gristmill find corpus 'bread flour'
      gristmill find corpus 'bread -cake "corn mill"' --unit sentence --limit 20
      gristmill find corpus bread --by date,quality
      gristmill find corpus bake --attribute lemma --unit document --by quality,bm25 --json
    """
    from gristmill.search.ranked.finding import FindRequest, open_lists

    form = chosen_format(as_json, as_csv)
    if build == (words is not None):
        raise UsageError("give words, or --build without any")
    match = None if match_all is None else "all" if match_all else "any"
    asked = FindRequest(
        query="any" if words is None else words,  # which does not matter if there is only something to be made
        unit=unit,
        by=by,
        limit=limit or None,
        offset=offset,
        attribute=attribute,
        match=match,
        where=where,
        lang=lang,
        k1=k1,
        b=b,
        **({"tokens": None} if whole else {}),
    )
    asked.check()
    opened = open_corpus(corpus, trust=trust)
    with progress_bars() as progress:
        report = progress("indexing units", opened.index.size)
        lists = open_lists(opened.index, opened.folder, asked, report=report)
    if build:
        made = plural(len(lists.ranked), "unit")
        note(f"{made} ({lists.ranked.unit}) of {plural(opened.index.size, 'token')} are indexed")
        return
    _write(opened.find_as(asked), form)


def _write(found: FoundUnits, form: str) -> None:
    """Write units as JSON or CSV; or, on a terminal, one below the other."""
    if form != "table":
        write_result(found, form)
        return
    counts = ", ".join(f"{safe(term)} {count:,}" for term, count in found.terms.items())
    note(f"{plural(found.units, 'unit')} ({found.unit}) by {found.by}, with {found.match} of: {counts}")
    for row in found.rows:
        write_lines(["", _heading(row), f"   {safe(' '.join(row.text.split()))}"])
    if not found.rows:
        note("none was found")


def _heading(row: FoundUnit) -> str:
    values = [f"{name} {value}" for name, value in row.values.items() if value is not None]
    about = "  ".join([f"BM25 {row.score:.2f}", *values, row.url or row.id])
    return f"{row.rank:>2} {safe(about)}"
