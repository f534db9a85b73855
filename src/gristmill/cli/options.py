"""Arguments and options that several commands have."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Any, get_args, get_type_hints

import typer

from gristmill.cli.choices import one_of, roles_so_far
from gristmill.operations.selected import Selected, Tagged
from gristmill.operations.work import Work
from gristmill.parameters import Parameter, parameters
from gristmill.plugins import load_plugin
from gristmill.scratch import choose, scratch_folder

_WORD = {str: "TEXT", int: "N", float: "NUMBER"}
_METAVARS = {"query": "QUERY", "condition": "CONDITION", "regex": "REGEX", "attribute": "NAME", "lang": "LANG"}
_METAVARS |= {"words": "WORDS", "file": "FILE", "lists": "NAME=FILE", "corpus": "CORPUS", "roles": "ROLES"}
JOINED = frozenset({"query", "words"})
"""Kinds of texts of several words, which a command takes without quotes around them all."""


def option_of(parameter: Parameter) -> tuple[Any, Any]:
    """The type of a parameter as Typer wants it, and its default."""
    declared = parameter.declared
    metavar = declared.metavar or _METAVARS.get(parameter.kind, _WORD.get(parameter.type))
    default: Any = inspect.Parameter.empty if parameter.required else parameter.default
    about, kind = parameter.about, Path if parameter.kind == "corpus" else parameter.type
    many = parameter.many or parameter.kind == "lists" or (declared.argument and parameter.kind in JOINED)
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
    names = flag_of(parameter)
    if parameter.type is bool and default:
        names = f"{names}/--no-{names.removeprefix('--')}"
    names_given = dict.fromkeys([names, *([declared.short] if declared.short else [])])
    shows = not (default is None or isinstance(default, bool) or default == 0)
    metavar = None if parameter.type is bool else metavar
    offered = parameter.choices or declared.suggested
    complete = roles_so_far if parameter.kind == "roles" else one_of(offered) if offered else None
    option = typer.Option(*names_given, metavar=metavar, help=about, show_default=shows, autocompletion=complete)
    return Annotated[annotation if parameter.type is not bool else bool, option], default


def flag_of(parameter: Parameter) -> str:
    """The name of the option of a parameter, or of the argument."""
    if parameter.declared.argument:
        return parameter.name.upper()
    if parameter.kind == "lists":
        return "--list"
    single = f"-{parameter.name}"
    option = parameter.declared.option or parameter.name.replace("_", "-")
    return single if parameter.declared.short == single else f"--{option}"


def signed(run: Callable[..., None], kinds: Mapping[str, Any], defaults: Mapping[str, Any]) -> Callable[..., None]:
    """Let Typer take the options of a function from these types and defaults."""
    run.__annotations__ = dict(kinds)
    run.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [
            inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=defaults[name], annotation=kind)
            for name, kind in kinds.items()
        ]
    )
    return run


def with_options(
    argument: str, options: Mapping[str, tuple[Any, Any]], put_together: Callable[[dict[str, Any]], Any]
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command options, with their types and defaults; its `argument` is put together of their values."""

    def made(command: Callable[..., None]) -> Callable[..., None]:
        hints = get_type_hints(command, include_extras=True)
        all_options: dict[str, tuple[Any, Any]] = {}
        for item in inspect.signature(command).parameters.values():
            all_options |= options if item.name == argument else {item.name: (hints[item.name], item.default)}

        @functools.wraps(command)
        def run(**values: Any) -> None:
            given = {name: values.pop(name) for name in options}
            command(**values, **{argument: put_together(given)})

        kinds, defaults = ({name: option[place] for name, option in all_options.items()} for place in (0, 1))
        return signed(run, kinds, defaults)

    return made


def _of(asks: Any, name: str) -> Any:
    """What Typer has to know of one parameter of a class, if that is an option of a command of its own."""
    parameter = next(parameter for parameter in parameters(asks) if parameter.name == name)
    option = get_args(option_of(parameter)[0])[1]
    option.min = parameter.declared.minimum
    return option


def _load_plugins(given: list[str] | None) -> list[str] | None:
    """Load plugins while options are read: other options may name what is in them."""
    for plugin in given or []:
        load_plugin(plugin)
    return given


def _use_scratch(given: str | None) -> str | None:
    """Choose the scratch space while options are read; raises if nothing can be written there."""
    choose(given or "")
    scratch_folder()
    return given


CorpusFolder = Annotated[Path, typer.Argument(metavar="CORPUS", help="Folder of a corpus.", show_default=False)]
Json = Annotated[bool, typer.Option("--json", help="Machine-readable output.")]
Langs = Annotated[str | None, _of(Selected, "lang")]
Filters = Annotated[list[str] | None, _of(Selected, "filters")]
Taggers = Annotated[list[str] | None, _of(Tagged, "taggers")]
Query = Annotated[
    list[str],
    typer.Argument(
        metavar="QUERY",
        help="Words (* and ? are wildcards), or CQL; in quotes, or the shell changes it.",
        show_default=False,
    ),
]
Preset = Annotated[str | None, _of(Selected, "preset")]
Trust = Annotated[
    bool,
    typer.Option(
        "--trust",
        help="Use what only the files of the corpus name, this once: programs, models, plugins, files elsewhere, mail.",
    ),
]
Plugins = Annotated[
    list[str] | None,
    typer.Option(
        "--plugin",
        metavar="FILE",
        help="Python code with parts of your own, such as filters.",
        callback=_load_plugins,
        is_eager=True,
    ),
]
Scratch = Annotated[
    str | None,
    typer.Option(
        "--scratch",
        metavar="FOLDER",
        help="A disk of each machine for what need not be shared [GRISTMILL_SCRATCH, or beside the corpus].",
        callback=_use_scratch,
        show_default=False,
    ),
]
Workers = Annotated[int | None, _of(Work, "workers")]
EngineName = Annotated[str | None, _of(Work, "engine")]
