"""What the commands for word lists, collocations and keywords share: their options, and how they end."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gristmill.cli.console import note
from gristmill.cli.table import write_result

if TYPE_CHECKING:
    from gristmill.pipeline import Corpus
    from gristmill.search import Collocations, Keywords, WordList

Attribute = Annotated[
    str,
    typer.Option(
        "--attribute",
        "-a",
        metavar="NAME",
        help="word, lemma, tag, xpos, feats, lc, lemma_lc, lempos; or several joined, such as lemma+tag.",
    ),
]
Dispersion = Annotated[
    bool,
    typer.Option(
        "--dispersion",
        help="Also show in how many documents, how unevenly (DP), and the average reduced frequency (ARF).",
    ),
]
IgnoreCase = Annotated[bool, typer.Option("--ignore-case", "-i", help="Count words and lemmas in lower case.")]
Limit = Annotated[int, typer.Option("--limit", "-l", metavar="N", help="How many rows; 0 for all.", min=0)]
MatchingWords = Annotated[
    str,
    typer.Option(
        "--matching",
        metavar="REGEX",
        help="Only values that this matches as a whole [those with a letter].",
        show_default=False,
    ),
]
Matching = Annotated[
    str | None, typer.Option(metavar="REGEX", help="Only values that this regular expression matches as a whole.")
]
MinFrequency = Annotated[int, typer.Option(metavar="N", help="Only values that occur at least so often.", min=1)]
Punctuation = Annotated[
    bool, typer.Option("--punctuation", help="Also what has no letter or digit: punctuation, symbols, emoji.")
]
Tag = Annotated[str | None, typer.Option(metavar="REGEX", help="Only tokens with such a tag: NOUN, or VERB|AUX.")]


def names(attribute: str) -> str:
    """Plural noun for the values of an attribute."""
    nouns = {
        "word": "words",
        "lc": "words",
        "lemma": "lemmas",
        "lemma_lc": "lemmas",
        "tag": "tags",
        "xpos": "tags",
        "feats": "features",
    }
    return nouns.get(attribute, "values")


def has_text(corpus: Corpus) -> bool:
    """Whether there is anything to count; if not, say so."""
    if not corpus.index.size:
        note("The corpus has no text.")
    return bool(corpus.index.size)


def write_ranked(result: WordList | Collocations | Keywords, form: str, asked: Mapping[str, Any] | None = None) -> None:
    """Write a result, and on a terminal say of how many rows these are the first."""
    count = write_result(result, form, asked)
    if form == "table" and count < result.types:
        note(f"rows 1-{count:,} of {result.types:,}; --limit 0 shows all")
