"""`gristmill filters`: list filters with their thresholds and the papers they are from, and presets."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from gristmill.cli.options import Plugins
from gristmill.presets import PRESETS
from gristmill.registry import load_installed

if TYPE_CHECKING:
    from gristmill.filter import Filter

_LINE_COLUMNS = 100
_INDENT = " " * 6
_STAGES = {
    "page": "of pages, before they are cleaned",
    "block": "of blocks that cleaning kept",
    "document": "of documents",
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
    from gristmill.filter.catalogue import catalogue, describe

    del plugins  # they were loaded when they were read
    load_installed()
    if name is None:
        print(json.dumps(catalogue(), indent=2) if as_json else "\n".join(_lines()))
    elif as_json:
        print(json.dumps(describe(FILTERS[name]), indent=2))
    else:
        print("\n".join(_one(name, FILTERS[name])))


def _lines() -> Iterator[str]:
    from gristmill.filter import FILTERS
    from gristmill.filter.catalogue import default_spec, paragraphs

    for stage, words in _STAGES.items():
        yield f"Filters {words}"
        for name, kind in FILTERS.items():
            if kind.stage == stage:
                yield f"  {default_spec(name, kind)}"
                summary = paragraphs(kind)[0]
                yield from textwrap.wrap(summary, _LINE_COLUMNS, initial_indent=_INDENT, subsequent_indent=_INDENT)
        yield ""
    yield "Presets"
    for name, specs in PRESETS.items():
        yield f"  {name}"
        yield from (f"{_INDENT}{spec}" for spec in specs)


def _one(name: str, kind: type[Filter]) -> Iterator[str]:
    from gristmill.filter.catalogue import default_spec, paragraphs, presets_with

    yield f"{name}, a filter {_STAGES[kind.stage]}"
    for paragraph in paragraphs(kind):
        yield ""
        yield from textwrap.wrap(paragraph, _LINE_COLUMNS)
    yield ""
    yield f"  {default_spec(name, kind)}"
    yield f"  in the presets: {', '.join(presets_with(name)) or 'none'}"
