"""`gristmill collocations`: show what stands near a word more often than by chance."""

from __future__ import annotations

from typing import Annotated

import typer

from gristmill.cli.choices import ASSOCIATION_MEASURES, one_of
from gristmill.cli.console import note, note_figures
from gristmill.cli.opened import open_corpus
from gristmill.cli.options import CorpusFolder, Lists, Query, Trust, Where
from gristmill.cli.statistics import Attribute, IgnoreCase, Limit, Matching, Punctuation, has_text, write_ranked
from gristmill.cli.table import AsCsv, AsJson, chosen_format
from gristmill.errors import UsageError
from gristmill.wording import plural


def collocations(
    corpus: CorpusFolder,
    words: Query,
    *,
    attribute: Attribute = "lemma",
    window: Annotated[
        str | None,
        typer.Option(
            "--window", "-w", metavar="TOKENS", help="How far to look: 5, or 3,0 (left, right), or s, p, doc [5]."
        ),
    ] = None,
    within: Annotated[
        str | None,
        typer.Option(
            metavar="s|p|doc",
            help="Windows stay within a sentence, paragraph, document [doc]; without --window they are all of it.",
        ),
    ] = None,
    relation: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="In a parsed corpus: words in this relation to the token, obj; its heads, <obj."
        ),
    ] = None,
    of: Annotated[
        str | None,
        typer.Option("--of", metavar="LABEL", help="The query is a tree: words at this label of it."),
    ] = None,
    order: Annotated[
        str, typer.Option(help=f"{', '.join(ASSOCIATION_MEASURES)}.", autocompletion=one_of(ASSOCIATION_MEASURES))
    ] = "logdice",
    where: Where = None,
    word_lists: Lists = None,
    ignore_case: IgnoreCase = False,
    matching: Matching = None,
    punctuation: Punctuation = False,
    min_frequency: Annotated[
        int, typer.Option(metavar="N", help="Only words that occur at least so often in the corpus.", min=1)
    ] = 5,
    min_together: Annotated[
        int, typer.Option(metavar="N", help="Only words that are near at least so many hits.", min=1)
    ] = 3,
    limit: Limit = 50,
    trust: Trust = False,
    as_json: AsJson = False,
    as_csv: AsCsv = False,
) -> None:
    """Find words that occur near a word more often than by chance.

    Near means within five tokens on each side. A collocate counts once for each hit that has it near. Punctuation is
    left out unless you ask for it. All five measures are shown. LogDice is 14 if the two words always occur together.
    MI favours rare words and T-score frequent ones; MI3 and log-likelihood are between them. In a parsed corpus,
    --relation and --of count words in a relation instead, compared with all words in that relation.

    \b
    Examples:
      gristmill collocations corpus bread
      gristmill collocations corpus '[lemma="bake" & tag="VERB"]' --window 0,3 --attribute lemma+tag --order mi3
      gristmill collocations corpus eat --relation obj
      gristmill collocations corpus '[lemma="drink"] >nsubj [lemma="child"] >obj 1:[]' --of 1 --order mi
      gristmill collocations corpus '[lemma="mill"]' --within s --min-together 2 --where 'lang="en"' --csv
    """
    from gristmill.search.wordlists import parse_lists

    query, lists = " ".join(words), parse_lists(word_lists or ())
    form = chosen_format(as_json, as_csv)
    opened = open_corpus(corpus, trust=trust)
    by_relation = relation is not None or of is not None
    if by_relation and (window or within):
        raise UsageError("words in a relation stand wherever they stand: leave --window and --within out")
    near = {"relation": relation, "of": of} if by_relation else {"window": window, "within": within}
    found = opened.collocations(
        query,
        attribute,
        where=where,
        lists=lists,
        **near,
        ignore_case=ignore_case,
        matching=matching,
        punctuation=punctuation,
        min_frequency=min_frequency,
        min_together=min_together,
        order=order,
        limit=limit or None,
    )
    if form == "table" and has_text(opened):
        left_out = f"; {found.left_out:,} of punctuation left out" if found.left_out else ""
        hits = plural(found.hits, "hit")
        tokens = f"{plural(found.size, 'pair')} of the relation" if by_relation else plural(found.size, "token")
        note(f"{hits} in {tokens}; {plural(found.types, 'collocate')}{left_out}")
    note_figures(found.notes(), form)
    if form == "table" and has_text(opened):
        if not found.hits:
            from gristmill.search.concordance.hints import why_nothing

            note("\n".join(why_nothing(opened.search(query, where=where, lists=lists), query)))
        elif not found.types:
            rare = (
                f"No word stands there {plural(min_together, 'time')} and in the relation"
                if by_relation
                else f"Nothing is near {plural(min_together, 'hit')} and occurs"
            )
            note(f"{rare} {plural(min_frequency, 'time')}: try --min-together and --min-frequency.")
    write_ranked(found, form, {"query": query, **({"where": where} if where else {}), "order": order})
