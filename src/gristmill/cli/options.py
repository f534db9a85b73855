"""Arguments and options that several commands have."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from gristmill.cli.choices import ENGINES, one_of, roles_so_far
from gristmill.plugins import load_plugin
from gristmill.presets import PRESETS
from gristmill.scratch import choose, scratch_folder


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
Langs = Annotated[str | None, typer.Option("--lang", metavar="CODES", help="Only these languages: en or en,de,cs.")]
Filters = Annotated[
    list[str] | None,
    typer.Option(
        "--filter",
        metavar="NAME[:SETTINGS]",
        help="Add a filter, or change its settings; no-NAME removes one. Can be repeated. `gristmill parts filter` "
        "lists all.",
    ),
]
Taggers = Annotated[
    list[str] | None,
    typer.Option(
        "--tagger",
        metavar="[LANG=]NAME[:SETTINGS]",
        help="Use another tagger for a language or for all, such as de=spacy; `gristmill parts tagger` lists them. "
        "Can be repeated.",
    ),
]
Parsers = Annotated[
    list[str] | None,
    typer.Option(
        "--parser",
        metavar="LANG=FILE",
        help="Use another parser for a language, by gristmill train parser, or LANG=none, or LANG=default for the one "
        "that comes with Gristmill; none or default alone is for all. Can be repeated.",
    ),
]
NoParse = Annotated[bool, typer.Option("--no-parse", help="Find no heads and relations: no language is parsed.")]
Query = Annotated[
    list[str],
    typer.Argument(
        metavar="QUERY",
        help="Words (* and ? are wildcards), or CQL; in quotes, or the shell changes it.",
        show_default=False,
    ),
]
Where = Annotated[
    str | None,
    typer.Option(
        metavar="CONDITION",
        help="Only documents for which this holds: 'host=\".*\\.uk\" & year>=2007', or @name of a subcorpus.",
    ),
]
MaxBoilerplate = Annotated[
    float | None, typer.Option(help="Leave out blocks with a higher score [as built].", min=0, max=1)
]
Roles = Annotated[
    str | None,
    typer.Option(
        "--roles",
        metavar="ROLES",
        help="Only blocks of these roles are text: text,heading,list, or all [as built].",
        autocompletion=roles_so_far,
    ),
]
Without = Annotated[
    str | None,
    typer.Option(
        "--without",
        metavar="ROLES",
        help="Leave out blocks of these roles: comment,caption.",
        autocompletion=roles_so_far,
    ),
]
MaxDuplicate = Annotated[
    float | None,
    typer.Option(help="Leave out blocks with a higher duplicate share [as de-duplication decided].", min=0, max=1),
]
Preset = Annotated[
    str | None, typer.Option(help=f"Filters: {PRESETS.everyday} [as built].", autocompletion=one_of(PRESETS))
]
MinLength = Annotated[int | None, typer.Option(help="Leave out documents with fewer characters [as built].", min=0)]
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
EngineName = Annotated[
    str | None,
    typer.Option(
        "--engine",
        metavar="NAME[:SETTINGS]",
        help="What does the work: local, inline, or ray:address=auto,cpus=1,memory=2G for a Ray cluster [local].",
        autocompletion=one_of(ENGINES),
        show_default=False,
    ),
]
Mirror = Annotated[
    str | None,
    typer.Option(
        "--mirror",
        metavar="ADDRESS",
        help="Put finished shards into a store meanwhile, and all of the corpus in the end: s3://bucket/corpus.",
        show_default=False,
    ),
]
OnePart = Annotated[
    str | None,
    typer.Option(
        "--part",
        metavar="K/N",
        help="Do one part of the shards, as one of several commands at the same time: 3/16.",
        show_default=False,
    ),
]
Merge = Annotated[
    bool,
    typer.Option("--merge", help="After all parts: do the rest, on this machine; says which parts are missing."),
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
Workers = Annotated[int | None, typer.Option("--workers", "-j", help="Worker processes [one a core].", min=1)]


def codes(value: str | None) -> tuple[str, ...] | None:
    """Split the value of `--lang` into language codes."""
    return tuple(code.strip().lower() for code in value.split(",") if code.strip()) if value is not None else None
