"""`gristmill compare`: the words most typical of each of two corpora, by part of speech, side by side."""

from __future__ import annotations

from dataclasses import asdict
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gristmill.cli.choices import WITH_LETTER
from gristmill.cli.console import note
from gristmill.cli.opened import open_corpus
from gristmill.cli.options import CorpusFolder, Trust, Where
from gristmill.cli.statistics import Limit, MatchingWords, MinFrequency
from gristmill.cli.table import AsCsv, AsJson, Column, Value, chosen_format, write_json, write_table
from gristmill.cli.terminal import terminal_width

if TYPE_CHECKING:
    from gristmill.search import Comparison, Keyword, Typical

_FIELDS = ("value", "frequency", "reference_frequency", "per_million", "reference_per_million", "ll")
_NAMES = {"reference_frequency": "other_frequency", "reference_per_million": "other_per_million"}
_SIDE_BY_SIDE = 130  # columns of a terminal that two lists need


def compare(
    corpus: CorpusFolder,
    other: Annotated[
        Path | None, typer.Argument(metavar="OTHER", help="Folder of another corpus.", show_default=False)
    ] = None,
    *,
    where: Where = None,
    other_where: Annotated[
        str | None, typer.Option(metavar="CONDITION", help="Only documents of the other for which this holds.")
    ] = None,
    tags: Annotated[
        str, typer.Option(metavar="TAGS", help="Which parts of speech, with commas between them: NOUN,VERB|AUX,ADJ.")
    ] = "NOUN,VERB,ADJ",
    attribute: Annotated[str, typer.Option("--attribute", "-a", metavar="NAME", help="word or lemma.")] = "word",
    ignore_case: Annotated[bool, typer.Option("--ignore-case/--case", help="Words and lemmas in lower case.")] = True,
    matching: MatchingWords = WITH_LETTER,
    min_frequency: MinFrequency = 1,
    limit: Limit = 20,
    trust: Trust = False,
    as_json: AsJson = False,
    as_csv: AsCsv = False,
) -> None:
    """Compare two corpora, by part of speech.

    As ukWaC was compared with the BNC: for nouns, verbs and adjectives there are two lists each, of the words most
    typical of the one corpus and of the other by log-likelihood. Without OTHER the documents that --where chooses are
    compared with all others of the corpus.

    \b
    Examples:
      gristmill compare new old
      gristmill compare corpus --where 'host=".*\\.example"' --other-where 'lang="de"' --tags NOUN,PROPN
      gristmill compare new old --attribute lemma --limit 50 --csv
    """
    form = chosen_format(as_json, as_csv)
    found = open_corpus(corpus, trust=trust).compare(
        open_corpus(other, trust=trust) if other else None,
        attribute,
        where=where,
        other_where=other_where,
        tags=[tag.strip() for tag in tags.split(",") if tag.strip()],
        ignore_case=ignore_case,
        matching=matching,
        min_frequency=min_frequency,
        limit=limit or None,
    )
    if form == "json":
        write_json(_as_json(found))
    elif form == "csv":
        columns = [Column("tag"), Column("typical_of"), *(Column(_NAMES.get(name, name)) for name in _FIELDS)]
        write_table(columns, [row for typical in found.typical for row in _flat(typical)], form)
    else:
        _show(found, *_titles(corpus, other))


def _titles(corpus: Path, other: Path | None) -> tuple[str, str]:
    """What to call the two: by their folders, if these have different names."""
    names = corpus.resolve().name, other.resolve().name if other else ""
    return names if other and names[0] != names[1] else ("corpus", "other")


def _flat(typical: Typical) -> list[list[Value]]:
    return [
        [typical.tag, side, *(getattr(row, name) for name in _FIELDS)]
        for side, rows in (("corpus", typical.corpus), ("other", typical.other))
        for row in rows
    ]


def _as_json(found: Comparison) -> dict[str, object]:
    typical = {
        part.tag: {
            side: [{_NAMES.get(name, name): getattr(row, name) for name in _FIELDS} for row in getattr(part, side)]
            for side in ("corpus", "other")
        }
        for part in found.typical
    }
    return {"attribute": found.attribute, **asdict(found.vocabulary), "typical": typical}


def _show(found: Comparison, name: str, other: str) -> None:
    _show_vocabulary(found, name, other)
    wide = (terminal_width() or _SIDE_BY_SIDE) >= _SIDE_BY_SIDE
    for typical in found.typical:
        print()
        if not typical.corpus and not typical.other:
            note(f"{typical.tag}: no words that are typical of either")
            continue
        one, two = ([Column(f"{typical.tag}: {side}"), *_columns(name, other)] for side in (name, other))
        if wide:
            rows = [[*_cells(first), *_cells(second)] for first, second in zip_longest(typical.corpus, typical.other)]
            write_table([*one, *two], rows)
        else:
            write_table(one, map(_cells, typical.corpus))
            print()
            write_table(two, map(_cells, typical.other))


def _columns(name: str, other: str) -> list[Column]:
    return [Column(name), Column(other), Column(f"{name}/M"), Column(f"{other}/M"), Column("LL")]


def _cells(row: Keyword | None) -> list[Value]:
    return [getattr(row, name) for name in _FIELDS] if row else [""] * len(_FIELDS)


def _show_vocabulary(found: Comparison, name: str, other: str) -> None:
    facts = found.vocabulary
    shared = facts.shared_types, facts.shared_types
    rows: list[list[Value]] = [
        ["documents", *facts.documents],
        ["tokens", *facts.tokens],
        ["types", *facts.types],
        ["types in both", *shared],
        [
            "share of types",
            *(f"{part / whole:.1%}" if whole else "-" for part, whole in zip(shared, facts.types, strict=True)),
        ],
        [
            "share of tokens",
            *(
                f"{part / whole:.1%}" if whole else "-"
                for part, whole in zip(facts.shared_tokens, facts.tokens, strict=True)
            ),
        ],
    ]
    write_table([Column(found.attribute), Column(name), Column(other)], rows)
