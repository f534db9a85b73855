"""`gristmill filters`: which filters there are, with their thresholds and the papers they are from, and the presets."""

from __future__ import annotations

import inspect
import json
import textwrap
from collections.abc import Iterator
from typing import Annotated, Any

import typer

from gristmill.filter import FILTERS
from gristmill.presets import PRESETS
from gristmill.registry import format_spec, parameters_of

_WIDTH = 100
_STAGES = {"page": "of pages, before they are cleaned", "block": "of blocks that cleaning kept", "document": "of documents"}


def filters(
    *,
    as_json: Annotated[bool, typer.Option("--json", help="Machine-readable output.")] = False,
) -> None:
    """List all filters, with their thresholds as they are by default and the papers they are from, and the presets.

    \b
    Examples:
      gristmill filters --json
      gristmill build crawl/ -o corpus --preset ukwac --filter size:min=2000,max=500000 --filter word-list:file=bad.txt
      gristmill export corpus -o long.txt --filter length:min=5000 --filter no-language
    """
    print(json.dumps(_as_json(), indent=2) if as_json else "\n".join(_lines()))


def _lines() -> Iterator[str]:
    for stage, words in _STAGES.items():
        yield f"Filters {words}"
        for name, kind in FILTERS.items():
            if kind.stage == stage:
                yield f"  {format_spec(name, parameters_of(kind()))}"
                yield from textwrap.wrap(_summary(kind), _WIDTH, initial_indent="      ", subsequent_indent="      ")
        yield ""
    yield "Presets"
    for name, specs in PRESETS.items():
        yield f"  {name}"
        yield from (f"      {spec}" for spec in specs)


def _summary(kind: type) -> str:
    return " ".join((inspect.getdoc(kind) or "").partition("\n\n")[0].split())


def _as_json() -> dict[str, Any]:
    return {
        "filters": {
            name: {"stage": kind.stage, "thresholds": parameters_of(kind()), "about": " ".join((inspect.getdoc(kind) or "").split())}
            for name, kind in FILTERS.items()
        },
        "presets": {name: list(specs) for name, specs in PRESETS.items()},
    }
