"""`gristmill wordlist`: list the most frequent words, lemmas, tags or n-grams of a corpus."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from gristmill.cli.choices import MAX_N, MIN_N, WORD_LIST_ORDERS, one_of
from gristmill.cli.console import note, note_figures, progress_bars
from gristmill.cli.opened import open_corpus
from gristmill.cli.options import Collation, CorpusFolder, Trust, Where
from gristmill.cli.statistics import (
    Attribute,
    Dispersion,
    IgnoreCase,
    Limit,
    Matching,
    Punctuation,
    Tag,
    has_text,
    names,
    write_ranked,
)
from gristmill.cli.table import AsCsv, AsJson, chosen_format
from gristmill.errors import UsageError
from gristmill.wording import plural

if TYPE_CHECKING:
    from gristmill.pipeline import Corpus
    from gristmill.search import WordList
    from gristmill.search.statistics.listing import ListRequest


def wordlist(
    corpus: CorpusFolder,
    *,
    attribute: Attribute = "word",
    n: Annotated[
        int | None,
        typer.Option("-n", metavar="N", help="N-grams: sequences of N tokens, 2 to 6.", min=MIN_N, max=MAX_N),
    ] = None,
    where: Where = None,
    ignore_case: IgnoreCase = False,
    matching: Matching = None,
    tag: Tag = None,
    punctuation: Punctuation = False,
    min_frequency: Annotated[
        int | None, typer.Option(metavar="N", help="Only values that occur at least so often [1; n-grams: 2].", min=1)
    ] = None,
    stop_words: Annotated[
        bool,
        typer.Option("--stop-words/--no-stop-words", help="With or without the most frequent words of each language."),
    ] = True,
    order: Annotated[
        str, typer.Option(help=f"{', '.join(WORD_LIST_ORDERS)}.", autocompletion=one_of(WORD_LIST_ORDERS))
    ] = "frequency",
    collation: Collation = None,
    dispersion: Dispersion = False,
    within: Annotated[
        str | None, typer.Option(metavar="s|p|doc", help="N-grams stay within a sentence, paragraph, document [s].")
    ] = None,
    limit: Limit = 50,
    trust: Trust = False,
    as_json: AsJson = False,
    as_csv: AsCsv = False,
) -> None:
    """List the most frequent words, lemmas, tags or n-grams.

    Punctuation is left out, and so are n-grams with punctuation, unless you ask for it. Frequencies per million are of
    all tokens, punctuation included. Words of the same frequency are sorted by their characters. DP, the deviation of
    proportions, is near 0 for what is spread evenly over all documents and near 1 for what is in few of them. ARF,
    the average reduced frequency, is the frequency if that is spread evenly over the corpus, and near 1 if all stands
    in one place.

    \b
    Examples:
      gristmill wordlist corpus
      gristmill wordlist corpus --attribute lemma+tag --tag 'NOUN|ADJ' --dispersion
      gristmill wordlist corpus --ignore-case --matching '.*ing' --where 'lang="en"' --csv
      gristmill wordlist corpus -a lemma --order arf
      gristmill wordlist corpus -n 3 --min-frequency 5
      gristmill wordlist corpus -n 2 --attribute tag --limit 0 --json
    """
    from gristmill.search.statistics.listing import ListRequest

    form = chosen_format(as_json, as_csv)
    request = ListRequest(
        attribute,
        n or 1,
        ignore_case=ignore_case,
        matching=matching,
        tag=tag,
        punctuation=punctuation,
        min_frequency=min_frequency,
        stop_words=stop_words,
        order=order,
        collation=collation,
        dispersion=dispersion,
        within=within,
    )
    if collation is not None and n is None and order != "value":
        raise UsageError("--collation is for lists that are sorted by value: give --order value, too")
    misplaced = request.misplaced()
    if misplaced and n is None:
        raise UsageError("--within is for n-grams: give -n, too")
    if misplaced:
        name = {"stop_words": "--no-stop-words"}.get(misplaced[0], f"--{misplaced[0]}")
        raise UsageError(
            f"{name} is for lists of words, not for n-grams: leave it out, or choose n-grams with --matching"
        )
    opened = open_corpus(corpus, trust=trust)
    found = _listed(opened, request, where, limit or None)
    if form == "table" and has_text(opened):
        note(_summary(found))
    note_figures(found.notes(), form)
    write_ranked(found, form)


def _listed(corpus: Corpus, request: ListRequest, where: str | None, limit: int | None) -> WordList:
    if request.n == 1:
        return request.run(corpus.index, corpus.subcorpus(where), limit=limit)
    with progress_bars() as progress:
        report = progress("counting n-grams", corpus.index.size)
        return request.run(corpus.index, corpus.subcorpus(where), limit=limit, report=report)


def _summary(found: WordList) -> str:
    kind = f"{found.n}-grams" if found.n > 1 else names(found.attribute)
    left_out = ""
    if found.left_out:
        how = "" if found.types else " (--punctuation keeps them)"
        left_out = f"; {found.left_out:,} {'with' if found.n > 1 else 'tokens of'} punctuation left out{how}"
    different = f"{found.types:,} different {kind}, which occur {found.occurrences:,} times"
    return f"{plural(found.size, 'token')}; {different}{left_out}"
