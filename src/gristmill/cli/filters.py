"""`gristmill filters`: which filters there are, with their thresholds and the papers they are from, and the presets."""

from __future__ import annotations

import inspect
import json
import textwrap
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gristmill.cli.options import Plugins
from gristmill.presets import PRESETS
from gristmill.registry import format_spec, load_installed, parameters_of, parse_spec

if TYPE_CHECKING:
    from gristmill.filter import Filter

_WIDTH = 100
_STAGES = {
    "page": "of pages, before they are cleaned",
    "block": "of blocks that cleaning kept",
    "document": "of documents",
}
_UNSET = {
    "languages": "CODES",
    "categories": "NAMES",
    "lists": "FOLDER or FILE",
    "words": "FILE",
    "soft_words": "FILE",
    "parts": "FILE",
}


def filters(
    name: Annotated[
        str | None, typer.Argument(metavar="NAME", help="One filter, in detail.", show_default=False)
    ] = None,
    *,
    plugins: Plugins = None,
    as_json: Annotated[bool, typer.Option("--json", help="Machine-readable output.")] = False,
) -> None:
    """List all filters and presets, or show one.

    Each filter is shown with its default thresholds and the paper it is from.

    \b
    Examples:
      gristmill filters gopher-quality
      gristmill filters --json
      gristmill build crawl/ -o corpus --preset ukwac --filter size:min=2000,max=500000 --filter word-list:file=bad.txt
      gristmill export corpus -o long.txt --filter length:min=5000 --filter no-language
    """
    from gristmill.filter import FILTERS

    del plugins  # they were loaded when they were read
    load_installed()
    if name is None:
        print(json.dumps(_as_json(), indent=2) if as_json else "\n".join(_lines()))
    elif as_json:
        print(json.dumps(_about(FILTERS[name]), indent=2))
    else:
        print("\n".join(_one(name, FILTERS[name])))


def _lines() -> Iterator[str]:
    from gristmill.filter import FILTERS

    for stage, words in _STAGES.items():
        yield f"Filters {words}"
        for name, kind in FILTERS.items():
            if kind.stage == stage:
                yield f"  {_spec(name, kind)}"
                yield from textwrap.wrap(_summary(kind), _WIDTH, initial_indent="      ", subsequent_indent="      ")
        yield ""
    yield "Presets"
    for name, specs in PRESETS.items():
        yield f"  {name}"
        yield from (f"      {spec}" for spec in specs)


def _one(name: str, kind: type[Filter]) -> Iterator[str]:
    yield f"{name}, a filter {_STAGES[kind.stage]}"
    for paragraph in (inspect.getdoc(kind) or "").split("\n\n"):
        yield ""
        yield from textwrap.wrap(paragraph, _WIDTH)
    yield ""
    yield f"  {_spec(name, kind)}"
    presets = [preset for preset, specs in PRESETS.items() if name in {parse_spec(spec)[0] for spec in specs}]
    yield f"  in the presets: {', '.join(presets) or 'none'}"


def _spec(name: str, kind: type[Filter]) -> str:
    """The filter with its thresholds; of what has none, what it is, and whether it has to be given."""
    shown = {key: value if value not in {"", ()} else _unset(key, kind) for key, value in parameters_of(kind()).items()}
    return format_spec(name, shown)


def _unset(key: str, kind: type[Filter]) -> str:
    what = "FILE" if key in {"file", "model"} else _UNSET.get(key, "FOLDER" if key in kind.paths else "CODE")
    return f"{what} ({'needed' if key in kind.needed else 'optional'})"


def _summary(kind: type) -> str:
    return " ".join((inspect.getdoc(kind) or "").partition("\n\n")[0].split())


def _about(kind: type[Filter]) -> dict[str, Any]:
    about = " ".join((inspect.getdoc(kind) or "").split())
    return {"stage": kind.stage, "thresholds": parameters_of(kind()), "needed": list(kind.needed), "about": about}


def _as_json() -> dict[str, Any]:
    from gristmill.filter import FILTERS

    return {
        "filters": {name: _about(kind) for name, kind in FILTERS.items()},
        "presets": {name: list(specs) for name, specs in PRESETS.items()},
    }
