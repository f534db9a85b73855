"""Commands made of the declarations of operations: options into parameters, answers into text."""

from __future__ import annotations

import dataclasses
import importlib
import inspect
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from gristmill.catalogue import Entry
from gristmill.cli.choices import one_of
from gristmill.cli.console import note, progress_bars
from gristmill.cli.opened import open_corpus
from gristmill.cli.options import Trust
from gristmill.cli.output import check_output, write_output
from gristmill.cli.table import (
    AsCsv,
    AsJson,
    chosen_format,
    write_account,
    write_json,
    write_lines,
    write_tables,
    write_text,
)
from gristmill.cli.terminal import safe
from gristmill.operations.declaration import Operation
from gristmill.parameters import Parameter, read, to_record
from gristmill.table import Table
from gristmill.wording import plural

_SHOWN_BY = {"search": "kwic", "duplicates": "sidebyside"}
"""Modules of this folder that `write` an answer in another way than as a table or lines."""
_WITH_PAGE = frozenset({"duplicates"})
"""Those that make a page of HTML of it, too."""
_WORD = {str: "TEXT", int: "N", float: "NUMBER"}
_METAVARS = {"query": "QUERY", "condition": "CONDITION", "regex": "REGEX", "attribute": "NAME", "lang": "LANG"}
_METAVARS |= {"words": "WORDS", "file": "FILE", "lists": "NAME=FILE", "corpus": "CORPUS"}
_JOINED = frozenset({"query", "words"})
"""Kinds of texts of several words, which a command takes without quotes around them all."""
_Html = Annotated[
    str | None, typer.Option("--html", metavar="FILE", help="Write it as a page of HTML; - is standard output.")
]


def command_of(entry: Entry) -> typer.Typer:
    """Make the command of an operation."""
    alone = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)
    add_command(alone, entry.load())
    return alone


def add_command(group: typer.Typer, operation: Operation[..., Any]) -> None:
    """Make the command of an operation one of a group."""
    group.command(operation.command.split()[-1], help=_help(operation))(_function(operation))


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
    forms |= {"html": _Html} if operation.name in _WITH_PAGE else {}
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
    many = parameter.many or parameter.kind == "lists" or (declared.argument and parameter.kind in _JOINED)
    if parameter.choices:
        about = f"{about} {', '.join(parameter.choices)}."
        metavar = "NAME"
    if many:
        kind, default = list[kind], default or None  # type: ignore[valid-type]
    annotation = kind if parameter.required else kind | None
    if declared.argument:
        shown = parameter.name.upper() if parameter.kind in {"corpus", "lang", "words", ""} else metavar
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
    offered = parameter.choices or declared.suggested
    complete = one_of(offered) if offered else None
    option = typer.Option(*names_given, metavar=metavar, help=about, show_default=shows, autocompletion=complete)
    return Annotated[annotation if parameter.type is not bool else bool, option], default


def _flag(parameter: Parameter) -> str:
    """The name of the option of a parameter, or of the argument."""
    if parameter.declared.argument:
        return parameter.name.upper()
    if parameter.kind == "lists":
        return "--list"
    single = f"-{parameter.name}"
    return single if parameter.declared.short == single else f"--{parameter.name.replace('_', '-')}"


def _run(
    operation: Operation[..., Any], folder: Path, values: dict[str, Any], *, form: str, trust: bool, html: str | None
) -> None:
    """Ask, and write the answer; what is wrong with what was asked is told before the corpus is opened."""
    asked, record = _asked(operation, values)
    shown: Any = None
    if operation.name in _SHOWN_BY:
        shown = importlib.import_module(f"gristmill.cli.{_SHOWN_BY[operation.name]}")
    if form == "table" and hasattr(shown, "fitted"):
        asked = shown.fitted(asked)
    if html:
        check_output(html)
    with progress_bars() as progress:
        corpus = _opened(operation, folder, trust=trust)
        if operation.needs_complete:
            corpus.progress = progress
        others = [item.name for item in operation.parameters if item.kind == "corpus"]
        opened = {name: _opened_all(operation, getattr(asked, name), trust=trust) for name in others}
        answer = operation.ask(corpus, asked, **opened)
        if operation.needs_index and not corpus.index.size:
            note("The corpus has no text.")
    if html:
        write_output(shown.page(answer), html)
    if not html or form != "table":
        write_answer(answer, form, record, shown.write if shown else None)


def _asked(operation: Operation[..., Any], values: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
    """Make what is asked of the values of options, and a record of it; raises if something is wrong."""
    objects: dict[str, Any] = {}
    given: dict[str, Any] = {}
    for parameter in operation.parameters:
        value = values[parameter.name]
        if value is None or (parameter.many and not value):
            continue
        if parameter.kind == "lists":
            from gristmill.search.wordlists import parse_lists

            objects[parameter.name] = parse_lists(value)
        elif parameter.kind == "corpus" or parameter.is_local:
            objects[parameter.name] = parameter.check(value)
        else:
            joined = parameter.kind in _JOINED and isinstance(value, Sequence) and not isinstance(value, str)
            given[parameter.called] = " ".join(value) if joined else value
    needed = {item.name: objects[item.name] for item in operation.parameters if item.required and item.is_local}
    asked = read(operation.asks, given, **needed)
    record = to_record(asked)
    asked = dataclasses.replace(asked, **objects)
    if hasattr(asked, "check_together"):
        asked.check_together()
    return asked, record


def _opened_all(operation: Operation[..., Any], given: Any, *, trust: bool) -> Any:
    """Open another corpus, or several, if any is given."""
    if isinstance(given, list | tuple):
        return tuple(_opened(operation, each, trust=trust) for each in given)
    return given and _opened(operation, given, trust=trust)


def _opened(operation: Operation[..., Any], folder: Path, *, trust: bool) -> Any:
    """Open a corpus, with an index that is up to date if the operation looks into it."""
    if not operation.needs_complete:
        return folder
    from gristmill.pipeline import Corpus

    return open_corpus(folder, trust=trust) if operation.needs_index else Corpus(folder, trust=trust, say=note)


def write_answer(answer: Any, form: str, asked: dict[str, Any], write: Callable[[Any], int] | None = None) -> None:
    """Write an answer to standard output; on a terminal, what it says besides its rows goes to standard error.

    `write` writes its rows, or all of it if it is no table, in a way of its own, and returns how many it has written.
    """
    if not isinstance(answer, Table):
        if write and form != "json":
            write(answer)
        else:
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
        return
    count, total, first = (write or _write_rows)(answer), answer.all_rows, asked.get("offset", 0)
    if total and not count:
        note(f"there are {plural(total, 'row')} only: choose a lower --offset")
    elif total and count < total:
        note(f"rows {first + 1:,}-{first + count:,} of {total:,}; --limit 0 shows all")


def _write_rows(answer: Table) -> int:
    """Write the rows of a table, or its lines if it is read as such, by people and by other commands."""
    lines = getattr(answer, "lines", None)
    if lines is None:
        return write_tables(answer)
    write_lines(map(safe, lines()))
    return len(answer.cells())
