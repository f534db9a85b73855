"""`gristmill parts`: list parts of any kind, with their parameters and the papers they are from."""

from __future__ import annotations

import dataclasses
import inspect
import re
import sys
import textwrap
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gristmill.cli.choices import one_of
from gristmill.cli.console import note
from gristmill.cli.options import Json, Plugins
from gristmill.cli.table import write_json, write_lines
from gristmill.errors import UsageError
from gristmill.registry import (
    KINDS,
    Registered,
    did_you_mean,
    format_spec,
    is_literature,
    load_installed,
    parse_spec,
    parts_of,
)

if TYPE_CHECKING:
    from gristmill.filter import Filter

_FILTER, _PRESET = "filter", "preset"
_LINE_COLUMNS = 100
_INDENT = " " * 6
_STAGES = {
    "page": "of pages, before they are cleaned",
    "block": "of blocks that cleaning kept",
    "document": "of documents",
}
_LITERATURE = "of the literature"
_VALUES = {
    "languages": "CODES",
    "lang": "CODE",
    "categories": "NAMES",
    "lists": "FOLDER or FILE",
    "words": "FILE",
    "soft_words": "FILE",
    "parts": "FILE",
    "file": "FILE",
    "model": "FILE",
    "only": "CODES",
    "without": "CODES",
}
"""What stands for the value of a parameter of a filter that has none by default."""
_NAMES = [kind.replace(" ", "-") for kind in KINDS]


def parts(
    kind: Annotated[
        str | None,
        typer.Argument(
            metavar="KIND",
            help="A kind of parts, or a part of its name; or the name of one part, which is shown in detail.",
            show_default=False,
            autocompletion=one_of(_NAMES),
        ),
    ] = None,
    name: Annotated[
        str | None, typer.Argument(metavar="NAME", help="One part of this kind, in detail.", show_default=False)
    ] = None,
    *,
    plugins: Plugins = None,
    as_json: Json = False,
) -> None:
    """List methods, filters, formats, taggers and other parts.

    Parts are what can be chosen by name: in an option, in a file of settings, in Python. Without KIND, all are listed,
    each kind with an option that takes it. Of one kind you see the parameters of each part with their defaults, and the
    paper that it is from. Parts of a --plugin and of installed packages are listed, too.

    \b
    Examples:
      gristmill parts cleaning-methods
      gristmill parts gopher-quality
      gristmill parts cleaning-method filter
      gristmill parts filters --json
      gristmill build crawl/ -o corpus --preset ukwac --filter size:min=2000,max=500000 --filter word-list:file=bad.txt
    """
    del plugins  # they were loaded when they were read
    load_installed()
    chosen, in_detail = _chosen(kind, name)
    if as_json:
        write_json({of: {each: _described(of, each) for each in names} for of, names in chosen.items()})
    elif in_detail:
        write_lines(["\n\n".join("\n".join(_one(of, each)) for of, names in chosen.items() for each in names)])
    elif len(chosen) == 1:
        for of, names in chosen.items():
            write_lines(_listed(of, names))
    else:
        write_lines(_overview(chosen))
        note("\nMore of one kind or part: gristmill parts NAME")


def _chosen(given: str | None, name: str | None) -> tuple[dict[str, list[str]], bool]:
    """The names of the parts that are asked for, by kind, and whether in detail; raises if there are none."""
    if given is None:
        return {kind: list(parts_of(kind)) for kind in KINDS}, False
    letters = _letters(given)
    exact = [kind for kind in KINDS if _letters(kind) == letters]
    if name is not None:
        registry = parts_of(exact[0] if exact else given)
        registry.registered(name)
        return {registry.kind: [name]}, True
    named = {} if exact else {kind: [given] for kind in KINDS if given in parts_of(kind)}
    if named:
        return named, True
    kinds = exact or [kind for kind in KINDS if letters and letters in _letters(kind)]
    if not kinds:
        known = [*_NAMES, *(part for kind in KINDS for part in parts_of(kind))]
        raise UsageError(
            f"there is no part {given!r}{did_you_mean(given, known)} (there are the kinds {', '.join(_NAMES)})"
        )
    return {kind: list(parts_of(kind)) for kind in kinds}, False


def _letters(words: str) -> str:
    return "".join(word.rstrip("s") for word in re.findall("[a-z]+", words.lower()))


def _overview(chosen: dict[str, list[str]]) -> Iterator[str]:
    for kind, names in chosen.items():
        yield f"{kind.replace(' ', '-')}  ({KINDS[kind].use})"
        yield from _wrapped(", ".join(names) or "none but those of plugins", "  ")


def _listed(kind: str, names: Iterable[str]) -> Iterator[str]:
    """The parts of a kind, those of filters by stage, those of the literature last."""
    groups: dict[str, list[str]] = {}
    for name in names:
        groups.setdefault(_group(kind, name), []).append(name)
    default = KINDS[kind].default
    yield f"{kind.replace(' ', '-')}  ({KINDS[kind].use}{f'; the default is {default}' if default else ''})"
    for group in sorted(groups, key=[*_STAGES.values(), "", _LITERATURE].index):
        yield ""
        if group:
            yield group[0].upper() + group[1:]
        for name in groups[group]:
            yield f"  {_with_defaults(kind, name)}"
            yield from _wrapped(next(iter(_paragraphs(kind, name)), ""), _INDENT)
            yield from (f"{_INDENT}{spec}" for spec in _filters_of(kind, name))


def _one(kind: str, name: str) -> Iterator[str]:
    group = _group(kind, name)
    article = "an" if kind[0] in "aeiou" else "a"
    yield f"{name}, {article} {kind}" + (f" {group}" if group else "")
    for paragraph in _paragraphs(kind, name):
        yield ""
        yield from _wrapped(paragraph)
    yield ""
    yield f"  {_with_defaults(kind, name)}"
    if kind == _FILTER:
        yield f"  in the presets: {', '.join(_presets_with(name)) or 'none'}"
    yield from (f"  {spec}" for spec in _filters_of(kind, name))


def _described(kind: str, name: str) -> dict[str, Any]:
    """One part, for programs."""
    found: dict[str, Any] = {"about": "\n\n".join(_paragraphs(kind, name)), "parameters": _parameters(kind, name)}
    if kind == _FILTER:
        part = parts_of(kind)[name]
        found |= {"stage": part.stage, "needed": list(part.needed), "presets": _presets_with(name)}
    if kind == _PRESET:
        found["filters"] = list(_filters_of(kind, name))
    return found


def _group(kind: str, name: str) -> str:
    if kind == _FILTER:
        return _STAGES[parts_of(kind)[name].stage]
    return _LITERATURE if is_literature(parts_of(kind).registered(name).module) else ""


def _filters_of(kind: str, name: str) -> tuple[str, ...]:
    """The filters of a part, if it is a preset."""
    return parts_of(kind)[name] if kind == _PRESET else ()


def _presets_with(name: str) -> list[str]:
    """The presets that a filter is in."""
    presets = parts_of(_PRESET)
    return [preset for preset, specs in presets.items() if name in {parse_spec(spec)[0] for spec in specs}]


def _with_defaults(kind: str, name: str) -> str:
    """The part with its parameters; one without a value says what it takes, and whether it is needed."""
    what = parts_of(kind).registered(name).what
    needed = what.needed if kind == _FILTER else ()
    values = {
        key: value
        if value not in {"", (), None}
        else f"{_value(key, what) if kind == _FILTER else 'TEXT'} ({'needed' if key in needed else 'optional'})"
        for key, value in _parameters(kind, name).items()
    }
    return format_spec(name, values)


def _value(key: str, what: type[Filter]) -> str:
    return _VALUES.get(key, "FOLDER" if key in what.paths else "TEXT")


def _parameters(kind: str, name: str) -> dict[str, Any]:
    """The parameters of a part, which are the fields of a dataclass, and their defaults."""
    found = parts_of(kind).registered(name)
    declared = found.options.get("parameters", found.what)
    if not dataclasses.is_dataclass(declared) or not (isinstance(declared, type) or "parameters" in found.options):
        return {}
    fields = [field for field in dataclasses.fields(declared) if field.init]
    if not isinstance(declared, type):
        return {field.name: getattr(declared, field.name) for field in fields}
    return {field.name: "" if field.default is dataclasses.MISSING else field.default for field in fields}


def _paragraphs(kind: str, name: str) -> list[str]:
    """What a part does and the paper that it is from, by paragraphs; the first is its summary.

    Where a module has one part alone, its docstring says most, but for filters.
    """
    registry = parts_of(kind)
    found: Registered = registry.registered(name)
    about = inspect.getdoc(found.what) if callable(found.what) else ""
    if kind != _FILTER and list(registry.homes.values()).count(found.module) == 1:
        about = sys.modules[found.module].__doc__
    return (about or "").strip().split("\n\n") if about else []


def _wrapped(paragraph: str, indent: str = "") -> list[str]:
    """The lines of a paragraph; lists and formulas are left as they are."""
    if re.search(r"^( |- |\d+\. )", paragraph, re.MULTILINE):
        return [indent + line for line in paragraph.splitlines()]
    return textwrap.wrap(
        paragraph, _LINE_COLUMNS, initial_indent=indent, subsequent_indent=indent, break_on_hyphens=False
    )
