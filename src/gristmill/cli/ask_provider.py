"""`gristmill ask-provider`: ask a search provider a question."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Annotated

import typer

from gristmill.cli.access import AllowNetwork, Contact, Hosts, access_of
from gristmill.cli.choices import one_of
from gristmill.cli.declared import write_answer
from gristmill.cli.table import AsCsv, AsJson, chosen_format

_LEVELS = ("words", "heads", "relations")


def ask_provider(
    provider: Annotated[
        str, typer.Argument(metavar="PROVIDER", help="Such as searxng:http://localhost:8888.", show_default=False)
    ],
    question: Annotated[
        list[str], typer.Argument(metavar="QUESTION", help='Such as "Who invented the telephone?".', show_default=False)
    ],
    *,
    lang: Annotated[
        str | None, typer.Option(metavar="LANG", help="Language of the question [told by its words].")
    ] = None,
    level: Annotated[
        str, typer.Option(metavar="NAME", help=f"{', '.join(_LEVELS)}.", autocompletion=one_of(_LEVELS))
    ] = _LEVELS[-1],
    rules: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Rules for questions of your own, in TOML.", dir_okay=False)
    ] = None,
    rewriting: Annotated[bool, typer.Option(help="Also ask for forms that an answer would have.")] = True,
    explain: Annotated[bool, typer.Option("--explain", help="Show queries, and the parts of each score.")] = False,
    limit: Annotated[int, typer.Option("--limit", "-l", metavar="N", help="Answers; 0 for all.", min=0)] = 10,
    contact: Contact = "",
    allow_network: AllowNetwork = None,
    hosts: Hosts = None,
    as_json: AsJson = False,
    as_csv: AsCsv = False,
) -> None:
    """Ask a search provider a question.

    Its snippets are the passages that may answer it, ranked as `gristmill ask` ranks the sentences of a corpus.

    \b
    Examples:
      gristmill ask-provider searxng:http://localhost:8888 "Who invented the telephone?"
      gristmill ask-provider file:results.tsv "Who repairs tractors?" --no-rewriting --explain
    """
    from gristmill.answers import Asking, read_rules
    from gristmill.answers.from_provider import ask_provider as ask
    from gristmill.answers.from_provider import check_provider

    form, text = chosen_format(as_json, as_csv), " ".join(question)
    check_provider(provider)
    asking = Asking(lang=lang or _likely(text), rules=read_rules(rules) if rules else None, level=level)
    access = access_of(contact, allow_network, hosts)
    found = ask(asking, provider, text, access=access, limit=limit or None, rewriting=rewriting)
    write_answer(dataclasses.replace(found, explained=explain), form, {"q": text, "provider": provider})


def _likely(question: str) -> str:
    """The language of a question that is not asked of a corpus: one that has rules, or that is identified."""
    from gristmill.answers.languages import language_of_question
    from gristmill.answers.rules_file import bundled_rules
    from gristmill.language import UNKNOWN, identify

    known = {identify(question).lang, *(lang for rules in bundled_rules().values() for lang in rules.languages)}
    return language_of_question(question, {lang: int(lang == "en") for lang in sorted(known - {UNKNOWN})})
