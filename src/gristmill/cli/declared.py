"""Commands made of the declarations of operations: options into parameters, answers into text."""

from __future__ import annotations

import dataclasses
import importlib
import inspect
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from gristmill.arguments import check_local
from gristmill.catalogue import Entry
from gristmill.cli.console import note, progress_bars
from gristmill.cli.opened import open_corpus
from gristmill.cli.options import JOINED, Plugins, Scratch, Trust, flag_of, option_of, signed, with_options
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
from gristmill.operations.work import Unfinished
from gristmill.parameters import parameters, read, to_record
from gristmill.progress import Progress
from gristmill.table import Table
from gristmill.wording import plural

_SHOWN_BY = {"search": "kwic", "duplicates": "sidebyside"}
"""Modules of this folder that `write` an answer in another way than as a table or lines."""
_WITH_PAGE = frozenset({"duplicates"})
"""Those that make a page of HTML of it, too."""
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
        about = about.replace(f"`{parameter.name}`", flag_of(parameter))
    examples = "\n".join(f"  {example}" for example in operation.examples)
    return f"{about}\n\n\b\nExamples:\n{examples}\n" if examples else about


def _function(operation: Operation[..., Any]) -> Any:
    """Make the function that Typer takes the options from."""
    kinds: dict[str, Any] = {
        "corpus": Annotated[Path, typer.Argument(metavar="CORPUS", help="Folder of a corpus.", show_default=False)]
    }
    defaults: dict[str, Any] = {"corpus": inspect.Parameter.empty}
    for parameter in sorted(operation.parameters, key=lambda item: not item.declared.argument):
        kinds[parameter.name], defaults[parameter.name] = option_of(parameter)
    forms: dict[str, Any] = {"as_json": AsJson} | ({"as_csv": AsCsv} if operation.is_table else {})
    forms |= {"html": _Html} if operation.name in _WITH_PAGE else {}
    kinds |= ({"trust": Trust} if operation.needs_complete or operation.is_work else {}) | forms
    defaults |= dict.fromkeys(kinds.keys() - defaults.keys(), False) | ({"html": None} if "html" in forms else {})
    if operation.is_work:  # plugins are loaded, and scratch space is chosen, when they are read
        kinds, defaults = (
            kinds | {"plugins": Plugins, "scratch": Scratch},
            defaults | {"plugins": None, "scratch": None},
        )

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

    return signed(run, kinds, defaults)


def with_asked(argument: str, asks: Any) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command the options of a class of parameters, which are put together as this argument."""
    options = {parameter.name: option_of(parameter) for parameter in parameters(asks)}
    return with_options(argument, options, lambda values: _asked(asks, values)[0])


def _run(
    operation: Operation[..., Any], folder: Path, values: dict[str, Any], *, form: str, trust: bool, html: str | None
) -> None:
    """Ask, and write the answer; what is wrong with what was asked is told before the corpus is opened."""
    asked, record = _asked(operation.asks, values)
    shown: Any = None
    if operation.name in _SHOWN_BY:
        shown = importlib.import_module(f"gristmill.cli.{_SHOWN_BY[operation.name]}")
    if form == "table" and hasattr(shown, "fitted"):
        asked = shown.fitted(asked)
    if html:
        check_output(html)
    if operation.is_work:
        from gristmill.engine.memory import keep_memory

        keep_memory()
    with progress_bars() as progress:
        if operation.needs_complete:
            corpus = _opened(operation, folder, trust=trust)
            corpus.progress = progress
        elif operation.is_work:
            corpus = _unfinished(folder, progress, trust=trust)
        else:
            corpus = folder
        others = [item.name for item in operation.parameters if item.kind == "corpus"]
        opened = {name: _opened_all(operation, getattr(asked, name), trust=trust) for name in others}
        answer = operation.ask(corpus, asked, **opened)
        if operation.needs_index and not corpus.index.size:
            note("The corpus has no text.")
    if html:
        write_output(shown.page(answer), html)
    if not html or form != "table":
        write_answer(answer, form, record, shown.write if shown else None)


def _asked(asks: Any, values: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
    """Make what is asked of the values of options, and a record of it; raises if something is wrong."""
    objects: dict[str, Any] = {}
    given: dict[str, Any] = {}
    for parameter in parameters(asks):
        value = values[parameter.name]
        if value is None or (parameter.many and not value):
            continue
        if parameter.kind == "lists":
            from gristmill.search.wordlists import parse_lists

            objects[parameter.name] = parse_lists(value)
        elif parameter.kind in {"corpus", "file"}:
            for one in value if parameter.many else [value]:
                check_local(str(one), flag_of(parameter))
            objects[parameter.name] = value
        elif parameter.kind == "machine":
            objects[parameter.name] = parameter.named(flag_of(parameter)).read(value)
        elif parameter.is_local:
            objects[parameter.name] = parameter.check(value)
        else:
            joined = parameter.kind in JOINED and isinstance(value, Sequence) and not isinstance(value, str)
            given[parameter.called] = " ".join(value) if joined else value
    needed = {item.name: objects[item.name] for item in parameters(asks) if item.required and item.is_local}
    asked = read(asks, given, **needed)
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
    from gristmill.pipeline import Corpus

    return open_corpus(folder, trust=trust) if operation.needs_index else Corpus(folder, trust=trust, say=note)


def _unfinished(folder: Path, progress: Progress, *, trust: bool) -> Unfinished:
    """Take a corpus that may have been interrupted, so that it can't be opened."""
    if trust:
        from gristmill.corpus.named import trust_corpus

        trust_corpus(folder, remember=False)
    return Unfinished(folder, progress)


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
