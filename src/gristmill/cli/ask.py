"""`gristmill ask`: ask a corpus, or a search provider, a question."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gristmill.cli.access import AllowNetwork, Contact, Hosts, access_of
from gristmill.cli.choices import one_of
from gristmill.cli.console import note
from gristmill.cli.opened import open_corpus
from gristmill.cli.options import Trust, Where
from gristmill.cli.table import AsCsv, AsJson, chosen_format, write_json, write_lines, write_text
from gristmill.cli.terminal import safe
from gristmill.errors import UsageError
from gristmill.wording import plural

if TYPE_CHECKING:
    from gristmill.answers.asking import Answer, Answers

_LEVELS = ("words", "heads", "relations")
_MARKS = ("**", "**")


def ask(
    corpus: Annotated[
        Path | None,
        typer.Argument(metavar="CORPUS", help="The folder of a corpus; none with --provider.", show_default=False),
    ] = None,
    question: Annotated[
        str | None,
        typer.Argument(metavar="QUESTION", help='Such as "Who invented the telephone?".', show_default=False),
    ] = None,
    *,
    limit: Annotated[int, typer.Option("--limit", "-l", metavar="N", help="Answers; 0 for all.", min=0)] = 5,
    explain: Annotated[bool, typer.Option("--explain", help="Show queries, and the parts of each score.")] = False,
    lang: Annotated[
        str | None, typer.Option(metavar="CODE", help="Language of the question [told by its words].")
    ] = None,
    rules: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Rules for questions of your own, in TOML.", dir_okay=False)
    ] = None,
    level: Annotated[
        str,
        typer.Option(help=f"How deep passages are looked at: {', '.join(_LEVELS)}.", autocompletion=one_of(_LEVELS)),
    ] = _LEVELS[-1],
    candidates: Annotated[
        int, typer.Option(metavar="N", help="Passages of the plain ranking that are ranked again.", min=1, max=1000)
    ] = 50,
    as_it_is: Annotated[
        bool, typer.Option("--as-it-is", help="Do not rewrite the question: look for its words only.")
    ] = False,
    where: Where = None,
    provider: Annotated[
        str | None,
        typer.Option(
            metavar="NAME:PLACE", help="Ask a search provider for snippets, such as searxng:http://localhost:8888."
        ),
    ] = None,
    contact: Contact = "",
    allow_network: AllowNetwork = None,
    hosts: Hosts = None,
    trust: Trust = False,
    as_json: AsJson = False,
    as_csv: AsCsv = False,
) -> None:
    """Ask a question: passages that may answer it.

    The question is rewritten into forms that an answer would have ("* invented the telephone", "the telephone was
    invented by *"), which are looked for, as are its content words. What is found is ranked again by words, tags, heads
    of phrases, and predicates with their arguments. What may be the answer is marked, if the question asks for a
    person, a place, a number or a date.

    \b
    Examples:
      gristmill ask corpus "Who dug a tunnel under the bridge?"
      gristmill ask corpus "Wie viele Bände fasst der Bus?" --explain
      gristmill ask corpus "When was the gauge put up?" --json --limit 0
      gristmill ask --provider searxng:http://localhost:8888 "Who invented the telephone?"
    """
    form = chosen_format(as_json, as_csv)
    if provider is not None:
        asked = question if corpus is None else question or str(corpus)
        if asked is None or (corpus is not None and question is not None):
            raise UsageError("with --provider, give a question and no corpus")
        from gristmill.answers.asking import Asking
        from gristmill.answers.from_provider import ask_provider, check_provider
        from gristmill.answers.rules_file import read_rules

        check_provider(provider)
        if where is not None:
            raise UsageError("--where is for a corpus: a search provider knows no conditions")
        own = read_rules(rules) if rules else None
        asking = Asking(lang=lang or _likely(asked), rules=own, level=level)
        access = access_of(contact, allow_network, hosts)
        found = ask_provider(asking, provider, asked, access=access, limit=limit or None, rewriting=not as_it_is)
    else:
        if corpus is None or question is None:
            raise UsageError('give a corpus and a question: gristmill ask corpus "Who invented the telephone?"')
        found = open_corpus(corpus, trust=trust).ask(
            question,
            lang=lang,
            where=where,
            rules=rules,
            level=level,
            candidates=candidates,
            limit=limit or None,
            rewriting=not as_it_is,
        )
    for line in found.notes:
        note(line)
    if form == "json":
        write_json(found.to_json())
    elif form == "csv":
        write_text(found.to_csv())
    else:
        _write(found, explain=explain)


def _likely(question: str) -> str:
    """The language of a question that is not asked of a corpus: one that has rules, or that is identified."""
    from gristmill.answers.languages import language_of_question
    from gristmill.answers.rules_file import bundled_rules
    from gristmill.language import UNKNOWN, identify

    known = {identify(question).lang, *(lang for rules in bundled_rules().values() for lang in rules.languages)}
    return language_of_question(question, {lang: int(lang == "en") for lang in sorted(known - {UNKNOWN})})


def _write(found: Answers, *, explain: bool) -> None:
    if explain:
        kind = f"{found.question.rule.name} (asks for: {found.question.type})" if found.question.rule else "none"
        write_lines([f"rule: {kind}", f"content words: {', '.join(unit.text for unit in found.question.units)}"])
        write_lines(
            [f"{one.way}: {safe(one.form or one.query)}  {plural(one.found, 'passage')}" for one in found.asked]
        )
        write_lines([""])
    for row in found.rows:
        write_lines(_lines(row, explain=explain))
    if not found.rows:
        note("nothing was found that has a content word of the question")
    elif len(found.rows) < found.total:
        note(f"answers 1-{len(found.rows):,} of {plural(found.total, 'passage')}; --limit 0 shows all")


def _lines(row: Answer, *, explain: bool) -> list[str]:
    """Write an answer: the passage with what may be the answer between asterisks, and where it stands."""
    passage = row.passage
    text, end = "", 0
    for start, stop in row.marks:
        if start >= end:
            text += f"{passage.text[end:start]}{_MARKS[0]}{passage.text[start:stop]}{_MARKS[1]}"
            end = stop
    lines = [f"{row.rank}. {safe(' '.join((text + passage.text[end:]).split()))}"]
    lines.append(f"   {safe(passage.url or passage.doc)}  score {row.score.total:.1f}")
    if explain:
        score = row.score
        parts = {
            f"words {score.words:g}": score.matched,
            f"tags {score.tags:g}": score.same_tags,
            f"answer {score.answer:g}": score.items,
            f"heads {score.heads:.1f}": score.same_heads,
            f"relations {score.relations:.1f}": score.pairs,
        }
        lines += [f"   {name}: {safe(', '.join(values)) or '-'}" for name, values in parts.items()]
        lines += [f"   no relations, because of: {score.against}"] if score.against else []
        lines += [f"   missing: {', '.join(score.missing)}"] if score.missing else []
        place = f", place {passage.plain_rank} in the plain ranking" if passage.plain_rank else ""
        lines.append(f"   found by: {passage.found_by}{f' ({safe(passage.form)})' if passage.form else ''}{place}")
    return lines
