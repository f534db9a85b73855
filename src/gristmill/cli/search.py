"""`gristmill search`: show a concordance of a query, or count its hits by their values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from gristmill.cli.choices import MATCHING_STRATEGIES, VIEWS, one_of
from gristmill.cli.console import note, note_figures
from gristmill.cli.opened import open_corpus
from gristmill.cli.options import Collation, CorpusFolder, Lists, Query, Trust, Where
from gristmill.cli.table import AsCsv, AsJson, chosen_format, write_json, write_lines, write_styled, write_text
from gristmill.cli.terminal import terminal_width
from gristmill.errors import UsageError

if TYPE_CHECKING:
    from gristmill.search import Concordance, Context, Line
    from gristmill.search.concordance.counts import Counts

_ID_COLUMNS = 14
"""Columns of a document's id and the gap after it."""
_CONTEXT_CHARACTERS = 40
"""Context to each side of a hit where there is no terminal to be filled."""


def search(
    corpus: CorpusFolder,
    words: Query,
    *,
    where: Where = None,
    having: Annotated[
        list[str] | None, typer.Option("--with", metavar="QUERY", help="Only hits with this near them.")
    ] = None,
    lacking: Annotated[
        list[str] | None, typer.Option("--without", metavar="QUERY", help="Only hits without this near them.")
    ] = None,
    window: Annotated[
        str | None,
        typer.Option(
            metavar="TOKENS", help="How near, for --with and --without: 5, or 3,0 (left, right), or s, p, doc [5]."
        ),
    ] = None,
    word_lists: Lists = None,
    strategy: Annotated[
        str | None,
        typer.Option(
            help=f"Which matches count: {', '.join(MATCHING_STRATEGIES)} [all].",
            metavar="STRATEGY",
            autocompletion=one_of(MATCHING_STRATEGIES),
        ),
    ] = None,
    aligned: Annotated[
        str | None,
        typer.Option(
            metavar="LANG", help="Of a parallel corpus: search its other language, with this one beside the hits."
        ),
    ] = None,
    aligned_with: Annotated[
        list[str] | None,
        typer.Option("--aligned-with", metavar="QUERY", help="Only hits with this in the other language."),
    ] = None,
    aligned_without: Annotated[
        list[str] | None,
        typer.Option("--aligned-without", metavar="QUERY", help="Only hits without this in the other language."),
    ] = None,
    first_in: Annotated[
        str | None, typer.Option(metavar="doc|p|s", help="Only the first hit of each of these.")
    ] = None,
    sample: Annotated[int | None, typer.Option(metavar="N", help="A random sample of so many hits.", min=1)] = None,
    shuffle: Annotated[bool, typer.Option("--shuffle", help="In random order.")] = False,
    seed: Annotated[
        int | None, typer.Option(metavar="N", help="Another number, another sample or order [0].", min=0)
    ] = None,
    sort: Annotated[
        str | None, typer.Option(metavar="KEYS", help="left, right, node, or keys such as 1:lemma,host.")
    ] = None,
    collation: Collation = None,
    view: Annotated[str, typer.Option(help=f"{', '.join(VIEWS)}.", autocompletion=one_of(VIEWS))] = "kwic",
    context: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            help=f"Characters to each side [as many as the terminal has room for; {_CONTEXT_CHARACTERS}].",
            min=0,
        ),
    ] = None,
    tokens: Annotated[
        int | None, typer.Option(metavar="N", help="Tokens to each side, instead of characters.", min=0)
    ] = None,
    page: Annotated[int, typer.Option(metavar="N", help="Which page of the lines.", min=1)] = 1,
    lines: Annotated[
        int, typer.Option("--lines", "--limit", "-l", metavar="N", help="Lines on a page; 0 for all.", min=0)
    ] = 20,
    trust: Trust = False,
    as_json: AsJson = False,
    as_csv: AsCsv = False,
) -> None:
    """Search a corpus: a concordance.

    QUERY is one or more words: each finds a word or a lemma, in upper or lower case. In words, * stands for any number
    of characters and ? for one character (\\* and \\? for the characters themselves); such words find words, not
    lemmas. Or QUERY is in CQL, over the attributes word, lemma, tag, xpos, feats, lc, lemma_lc and lempos. Put QUERY in
    single quotes, so that the shell does not change it. Each line begins with the id of its document, which
    `gristmill why` takes.

    KEYS, for --sort, have commas between them: an attribute of the hit (lemma), of its first or last
    token (node.1:tag, node.-1:tag), of a labelled token of the query (2.lemma), of the token before or after the hit
    (-1:lemma, 1:lemma, 2:word), of its document (host, lang, year, title) or paragraph (p.kind). What follows
    a slash changes how: word/retrograde (from the ends of words), /descending, /case, /nocase.

    \b
    Examples:
      gristmill search corpus 'go to'
      gristmill search corpus 'health*'
      gristmill search corpus '[lemma="go"] [tag="ADP"]' --sort right
      gristmill search corpus '[lemma="bread"]' --with '[tag="ADJ"]' --window 3,0 --view sentence
      gristmill search corpus '"mill.*"%c' --where 'lang="en" & year>=2010' --sample 50 --seed 1
      gristmill search corpus '[lemma = $animals]' --list animals=animals.txt
      gristmill search pairs '[lemma="mill"]' --aligned de --aligned-with '[lemma="Mühle"]'
    """
    from gristmill.operations.searched import Ordered, counted
    from gristmill.search import Context
    from gristmill.search.wordlists import parse_lists

    form, query = chosen_format(as_json, as_csv), " ".join(words)
    _refuse_pairs({"--context": context is not None, "--tokens": tokens is not None})
    if window is not None and not (having or lacking):
        raise UsageError("--window says how near --with and --without look: give one of these, too")
    if collation and not sort:
        raise UsageError("--collation says how lines are sorted: give --sort, too")
    if seed is not None and not (sample or shuffle):
        raise UsageError("--seed is for --sample and --shuffle: give one of these, too")
    if (aligned_with or aligned_without) and not aligned:
        given = "--aligned-with" if aligned_with else "--aligned-without"
        raise UsageError(f"{given} is asked of the other language: say which that is, with --aligned")
    shown = Context(view, _characters(context), tokens)
    request = Ordered(
        query,
        where=where,
        having=tuple(having or ()),
        lacking=tuple(lacking or ()),
        window=window,
        first_in=first_in,  # type: ignore[arg-type]  # as well
        sample=sample,
        sort=sort,
        collation=collation,
        shuffle=shuffle,
        seed=seed,
        strategy=strategy,  # type: ignore[arg-type]  # read below
        aligned=aligned,
        aligned_with=tuple(aligned_with or ()),
        aligned_without=tuple(aligned_without or ()),
        lists=parse_lists(word_lists or ()),
    )
    request.check_together()
    found = request.find(open_corpus(corpus, trust=trust).index)
    told = {"where": where, "strategy": strategy, "aligned": aligned}
    facts = {"query": query, **{name: value for name, value in told.items() if value}}
    _write_concordance(found, shown, page, lines, counted(found), facts, form)


def _refuse_pairs(options: dict[str, Any]) -> None:
    """Raise if two of these options are given, as each would make the other do nothing."""
    given = [name for name, value in options.items() if value]
    if len(given) > 1:
        raise UsageError(f"{given[0]} and {given[1]} can't be used together: give one of them")


def _characters(context: int | None) -> int:
    if context is not None:
        return context
    width = terminal_width()
    if width is None:
        return _CONTEXT_CHARACTERS
    from gristmill.cli.kwic import side_width

    return side_width(width, _ID_COLUMNS) + _ID_COLUMNS


def _write_concordance(
    found: Concordance, shown: Context, page: int, size: int, counts: Counts, facts: dict[str, Any], form: str
) -> None:
    first, size = (page - 1) * size, size or max(len(found), 1)
    lines = list(found.lines(first, size, shown))
    if form == "json":
        lengths = found.chosen(first, size).lengths.tolist()
        records = [
            {**line.to_json(), "length": length, "from_right": line.from_right}
            for line, length in zip(lines, lengths, strict=True)
        ]
        write_json({**counts.to_json(facts), "first": first, "lines": records})
        return
    if form == "csv":
        from gristmill.search.concordance.lines import lines_csv

        note_figures(counts.notes(), form)
        write_text(lines_csv(lines))
        return
    note(counts.heading)
    note_figures(counts.notes(), form)
    _write_lines(lines, shown.view)
    if len(lines) < len(found):
        _note_page("lines", first, len(lines), len(found), page)


def _write_lines(lines: list[Line], view: str) -> None:
    from gristmill.cli.kwic import plain_lines, plain_sentences, sentence_table, terminal_lines
    from gristmill.search.concordance.labelled import with_labels_written

    lines = list(map(with_labels_written, lines))
    width = terminal_width()
    if width is None:
        write_lines(plain_sentences(lines) if view == "sentence" else plain_lines(lines))
    elif view == "sentence":
        write_styled([sentence_table(lines)])
    else:
        write_styled(terminal_lines(lines, width))


def _note_page(what: str, first: int, count: int, total: int, page: int) -> None:
    if not count:
        note(f"There is no page {page}: there are {total:,} {what}.")
    elif first + count < total:
        note(f"{what} {first + 1:,}-{first + count:,} of {total:,}; go on with --page {page + 1}, or --lines 0 for all")
    else:
        note(f"{what} {first + 1:,}-{first + count:,} of {total:,}")
