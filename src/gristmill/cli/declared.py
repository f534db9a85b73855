"""Commands made of the declarations of operations: options into parameters, answers into text."""

from __future__ import annotations

import importlib
import inspect
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from gristmill.catalogue import Entry
from gristmill.cli.choices import one_of
from gristmill.cli.console import note, progress_bars
from gristmill.cli.opened import open_corpus
from gristmill.cli.options import Trust
from gristmill.cli.output import check_output, write_output
from gristmill.cli.table import AsCsv, AsJson, chosen_format, write_account, write_json, write_tables, write_text
from gristmill.operations.declaration import Operation
from gristmill.parameters import Parameter, read, to_record
from gristmill.table import Table

_WORD = {str: "TEXT", int: "N", float: "NUMBER"}
_METAVARS = {"query": "QUERY", "condition": "CONDITION", "regex": "REGEX", "attribute": "NAME", "lang": "LANG"}
_METAVARS |= {"file": "FILE", "lists": "NAME=FILE", "corpus": "CORPUS"}
_OTHERWISE = {"duplicates": "sidebyside"}
"""Modules of this folder with `show` and `page`, for answers that on a terminal and in HTML are more than lines."""
_Html = Annotated[
    str | None, typer.Option("--html", metavar="FILE", help="Write it as a page of HTML; - is standard output.")
]


def command_of(entry: Entry) -> typer.Typer:
    """Make the command of an operation."""
    operation = entry.load()
    alone = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)
    alone.command(operation.name, help=_help(operation))(_function(operation))
    return alone


def _help(operation: Operation[..., Any]) -> str:
    """The help of the command: parameters are called as options there."""
    about = operation.about
    for parameter in operation.parameters:
        about = about.replace(f"`{parameter.name}`", _flag(parameter))
    examples = "\n".join(f"  {example}" for example in operation.examples)
    return f"{about}\n\n\b\nExamples:\n{examples}\n" if examples else about


def _function(operation: Operation[..., Any]) -> Any:
    """Make the function that Typer takes the options from."""
    kinds: dict[str, Any] = {
        "corpus": Annotated[Path, typer.Argument(metavar="CORPUS", help="Folder of a corpus.", show_default=False)]
    }
    defaults: dict[str, Any] = {"corpus": inspect.Parameter.empty}
    for parameter in sorted(operation.parameters, key=lambda item: not item.declared.argument):
        kinds[parameter.name], defaults[parameter.name] = _option(parameter)
    forms: dict[str, Any] = {"as_json": AsJson} | ({"as_csv": AsCsv} if operation.is_table else {})
    forms |= {"html": _Html} if operation.name in _OTHERWISE else {}
    kinds |= ({"trust": Trust} if operation.needs_complete else {}) | forms
    defaults |= dict.fromkeys(kinds.keys() - defaults.keys(), False) | ({"html": None} if "html" in forms else {})

    def run(
        corpus: Path,
        *,
        trust: bool = False,
        as_json: bool,
        as_csv: bool = False,
        html: str | None = None,
        **values: Any,
    ) -> None:
        _run(operation, corpus, values, form=chosen_format(as_json, as_csv), trust=trust, html=html)

    run.__annotations__ = kinds
    run.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [
            inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=defaults[name], annotation=kind)
            for name, kind in kinds.items()
        ]
    )
    return run


def _option(parameter: Parameter) -> tuple[Any, Any]:
    """The type of a parameter as Typer wants it, and its default."""
    declared = parameter.declared
    metavar = _METAVARS.get(parameter.kind, _WORD.get(parameter.type))
    default: Any = inspect.Parameter.empty if parameter.required else parameter.default
    about, kind = parameter.about, Path if parameter.kind == "corpus" else parameter.type
    many = parameter.many or parameter.kind == "lists" or (declared.argument and parameter.kind == "query")
    if parameter.choices:
        about = f"{about} {', '.join(parameter.choices)}."
        metavar = "NAME"
    if many:
        kind, default = list[kind], default or None  # type: ignore[valid-type]
    annotation = kind if parameter.required else kind | None
    if declared.argument:
        shown = parameter.name.upper() if parameter.kind in {"corpus", "lang", ""} else metavar
        if parameter.required:
            default = inspect.Parameter.empty
        return Annotated[annotation, typer.Argument(metavar=shown, help=about, show_default=False)], default
    if many:
        about = f"{about} Can be repeated."
    names = _flag(parameter)
    if parameter.type is bool and default:
        names = f"{names}/--no-{names.removeprefix('--')}"
    names_given = [names, *([declared.short] if declared.short else [])]
    shows = not (default is None or isinstance(default, bool) or default == 0)
    metavar = None if parameter.type is bool else metavar
    complete = one_of(parameter.choices) if parameter.choices else None
    option = typer.Option(*names_given, metavar=metavar, help=about, show_default=shows, autocompletion=complete)
    return Annotated[annotation if parameter.type is not bool else bool, option], default


def _flag(parameter: Parameter) -> str:
    """The name of the option of a parameter, or of the argument."""
    if parameter.declared.argument:
        return parameter.name.upper()
    if parameter.kind == "lists":
        return "--list"
    return f"-{parameter.name}" if len(parameter.name) == 1 else f"--{parameter.name.replace('_', '-')}"


def _run(
    operation: Operation[..., Any], folder: Path, values: dict[str, Any], *, form: str, trust: bool, html: str | None
) -> None:
    """Ask, and write the answer; what is wrong with what was asked is told before the corpus is opened."""
    objects: dict[str, Any] = {}
    given: dict[str, Any] = {}
    for parameter in operation.parameters:
        value = values[parameter.name]
        if value is None or (parameter.many and not value):
            continue
        if parameter.kind == "lists":
            from gristmill.search.wordlists import parse_lists

            objects[parameter.name] = parse_lists(value)
        elif parameter.kind in {"corpus", "file"}:
            objects[parameter.name] = value
        else:
            joined = parameter.kind == "query" and isinstance(value, Sequence) and not isinstance(value, str)
            given[parameter.called] = " ".join(value) if joined else value
    asked = read(operation.asks, given)
    if html:
        check_output(html)
    with progress_bars() as progress:
        corpus = _opened(operation, folder, trust=trust)
        if operation.needs_complete:
            corpus.progress = progress
        for name in {item.name for item in operation.parameters if item.kind == "corpus"} & objects.keys():
            other = objects[name]
            opened = [_opened(operation, each, trust=trust) for each in (other if isinstance(other, list) else [other])]
            objects[name] = tuple(opened) if isinstance(other, list) else opened[0]
        answer = operation.ask(corpus, asked, **objects)
        if operation.needs_index and not corpus.index.size:
            note("The corpus has no text.")
    if not _shown_otherwise(operation, answer, form, html):
        write_answer(answer, form, to_record(asked))


def _shown_otherwise(operation: Operation[..., Any], answer: Any, form: str, html: str | None) -> bool:
    """Show an answer in its own way, if it has one on a terminal or in HTML; tells whether nothing else is wanted."""
    if operation.name not in _OTHERWISE or not (html or (form == "table" and sys.stdout.isatty())):
        return False
    way = importlib.import_module(f"gristmill.cli.{_OTHERWISE[operation.name]}")
    if html:
        write_output(way.page(answer), html)
    else:
        way.show(answer)
    return form == "table"


def _opened(operation: Operation[..., Any], folder: Path, *, trust: bool) -> Any:
    """Open a corpus, with an index that is up to date if the operation looks into it."""
    if not operation.needs_complete:
        return folder
    from gristmill.pipeline import Corpus

    return open_corpus(folder, trust=trust) if operation.needs_index else Corpus(folder, trust=trust, say=note)


def write_answer(answer: Any, form: str, asked: dict[str, Any]) -> None:
    """Write an answer to standard output; on a terminal, what it says besides its rows goes to standard error."""
    if not isinstance(answer, Table):
        write_account(answer, form)
        return
    if form == "json":
        write_json(answer.to_json({"asked": asked}))
        return
    if form == "table":
        note(answer.heading)
    for line in answer.notes():
        note(line)
    if form == "csv":
        write_text(answer.to_csv())
    else:
        count = write_tables(answer)
        total = getattr(answer, "total", getattr(answer, "types", count))
        if count < total:
            first = asked.get("offset", 0)
            note(f"rows {first + 1:,}-{first + count:,} of {total:,}; --limit 0 shows all")
