"""`gristmill keywords`: show what is typical of a corpus or of a part of it, compared with another."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from gristmill.cli.choices import KEYNESS_MEASURES, WITH_LETTER, one_of
from gristmill.cli.console import note, note_figures
from gristmill.cli.opened import open_corpus
from gristmill.cli.options import CorpusFolder, Trust, Where
from gristmill.cli.statistics import (
    Attribute,
    Dispersion,
    IgnoreCase,
    Limit,
    MatchingWords,
    MinFrequency,
    Punctuation,
    Tag,
    write_ranked,
)
from gristmill.cli.table import AsCsv, AsJson, chosen_format
from gristmill.wording import plural


def keywords(
    corpus: CorpusFolder,
    reference: Annotated[
        Path | None, typer.Argument(metavar="REFERENCE", help="Folder of another corpus.", show_default=False)
    ] = None,
    *,
    where: Where = None,
    reference_where: Annotated[
        str | None, typer.Option(metavar="CONDITION", help="Only documents of the reference for which this holds.")
    ] = None,
    attribute: Attribute = "lemma",
    order: Annotated[
        str, typer.Option(help=f"{', '.join(KEYNESS_MEASURES)}.", autocompletion=one_of(KEYNESS_MEASURES))
    ] = "simple_maths",
    smoothing: Annotated[
        float, typer.Option(metavar="N", help="Constant of simple maths: 1 for rare words, 100 for common ones.")
    ] = 1.0,
    ignore_case: IgnoreCase = False,
    matching: MatchingWords = WITH_LETTER,
    tag: Tag = None,
    punctuation: Punctuation = False,
    min_frequency: MinFrequency = 1,
    dispersion: Dispersion = False,
    limit: Limit = 50,
    trust: Trust = False,
    as_json: AsJson = False,
    as_csv: AsCsv = False,
) -> None:
    """Find the words that are typical of a corpus.

    The corpus is compared with REFERENCE, another corpus. Without REFERENCE the documents that --where chooses are
    compared with all others of the corpus, or with those that --reference-where chooses. Simple maths is the ratio of
    the two frequencies per million, with a constant added to both. Log-likelihood says how sure the difference is:
    above 6.63 it is by chance in one of a hundred cases only, and it is negative if the word is rarer here. Punctuation
    and numbers are left out unless you ask for them.

    \b
    Examples:
      gristmill keywords corpus --where 'lang="en"'
      gristmill keywords new old --order ll --tag 'NOUN|PROPN'
      gristmill keywords corpus --where 'year>=2015' --reference-where 'year<2015' --smoothing 100 --csv
    """
    form = chosen_format(as_json, as_csv)
    found = open_corpus(corpus, trust=trust).keywords(
        open_corpus(reference, trust=trust) if reference else None,
        attribute,
        where=where,
        reference_where=reference_where,
        ignore_case=ignore_case,
        matching=matching,
        tag=tag,
        punctuation=punctuation,
        min_frequency=min_frequency,
        smoothing=smoothing,
        order=order,
        dispersion=dispersion,
        limit=limit or None,
    )
    if form == "table":
        note(f"{plural(found.size, 'token')}, compared with {plural(found.reference_size, 'token')}")
    note_figures(found.notes(), form)
    write_ranked(found, form, {"order": order, "smoothing": smoothing})
