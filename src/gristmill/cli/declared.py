"""Commands made of the declarations of operations: options into parameters, answers into text."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gristmill.catalogue import Entry
from gristmill.cli.choices import one_of
from gristmill.cli.console import note, progress_bars
from gristmill.cli.opened import open_corpus
from gristmill.cli.options import Trust
from gristmill.cli.table import AsCsv, AsJson, chosen_format, json_text, write_lines, write_tables, write_text
from gristmill.cli.terminal import safe
from gristmill.operations.declaration import Operation
from gristmill.parameters import Parameter, read, to_record
from gristmill.table import Table

if TYPE_CHECKING:
    from gristmill.pipeline import Corpus

_WORD = {str: "TEXT", int: "N", float: "NUMBER"}
_METAVARS = {"query": "QUERY", "condition": "CONDITION", "regex": "REGEX", "attribute": "NAME", "lang": "LANG"}
_METAVARS |= {"words": "WORDS", "file": "FILE", "lists": "NAME=FILE", "corpus": "CORPUS"}


_JOINED = frozenset({"query", "words"})
"""Kinds of texts of several words, which a command takes without quotes around them all."""


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
    kinds |= {"trust": Trust, "as_json": AsJson} | ({"as_csv": AsCsv} if operation.is_table else {})
    defaults |= {"trust": False, "as_json": False} | ({"as_csv": False} if operation.is_table else {})

    def run(corpus: Path, *, trust: bool, as_json: bool, as_csv: bool = False, **values: Any) -> None:
        _run(operation, corpus, values, form=chosen_format(as_json, as_csv), trust=trust)

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
        shown = parameter.name.upper() if parameter.kind in {"corpus", "words", ""} else metavar
        if parameter.required:
            default = inspect.Parameter.empty
        return Annotated[annotation, typer.Argument(metavar=shown, help=about, show_default=False)], default
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


def _run(operation: Operation[..., Any], folder: Path, values: dict[str, Any], *, form: str, trust: bool) -> None:
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
            joined = parameter.kind in _JOINED and isinstance(value, Sequence) and not isinstance(value, str)
            given[parameter.called] = " ".join(value) if joined else value
    asked = read(operation.asks, given)
    if hasattr(asked, "check_together"):
        asked.check_together()
    with progress_bars() as progress:
        corpus = _opened(operation, folder, trust=trust)
        corpus.progress = progress
        for parameter in operation.parameters:
            if parameter.kind == "corpus" and parameter.name in objects:
                given_here = objects[parameter.name]
                objects[parameter.name] = (
                    tuple(_opened(operation, other, trust=trust) for other in given_here)
                    if parameter.many
                    else _opened(operation, given_here, trust=trust)
                )
        answer = operation.ask(corpus, asked, **objects)
        if operation.needs_index and not corpus.index.size:
            note("The corpus has no text.")
    write_answer(answer, form, to_record(asked))


def _opened(operation: Operation[..., Any], folder: Path, *, trust: bool) -> Corpus:
    """Open a corpus, with an index that is up to date if the operation looks into it."""
    from gristmill.pipeline import Corpus

    return open_corpus(folder, trust=trust) if operation.needs_index else Corpus(folder, trust=trust, say=note)


def write_answer(answer: Any, form: str, asked: dict[str, Any]) -> None:
    """Write an answer to standard output; on a terminal, what it says besides its rows goes to standard error."""
    if form == "json":
        write_text(json_text(answer.to_json({"asked": asked}) if isinstance(answer, Table) else answer.to_json()))
        return
    if not isinstance(answer, Table):
        write_lines(map(safe, answer.lines()))
        return
    if form == "table":
        note(answer.heading)
    for line in answer.notes():
        note(line)
    if form == "csv":
        write_text(answer.to_csv())
    elif lines := getattr(answer, "lines", None):
        write_lines(map(safe, lines()))
    else:
        count = write_tables(answer)
        total = getattr(answer, "types", count)
        if count < total:
            first = asked.get("offset", 0)
            note(f"rows {first + 1:,}-{first + count:,} of {total:,}; --limit 0 shows all")
