"""`gristmill bootstrap`: make a corpus of a handful of words, and go on with one that was stopped."""

from __future__ import annotations

import os
import shlex
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from gristmill.bootstrapping.config import BEGIN, NAME, BootstrapConfig
from gristmill.cli.access import AllowNetwork, Contact, Hosts, access_of
from gristmill.cli.console import Interrupted, note, progress_bars
from gristmill.cli.faults import end_build
from gristmill.cli.grouped import GroupedCommand
from gristmill.cli.options import Filters, Preset, Workers
from gristmill.cli.settings import Tables, refuse_fixed, with_settings
from gristmill.cli.table import AsCsv, AsJson, chosen_format, write_table
from gristmill.cli.terminal import safe
from gristmill.errors import UsageError
from gristmill.table import Column

Command = GroupedCommand
_MAX_NOT_ASKED_SHOWN = 5
_LIST_SUFFIXES = frozenset([".txt", ".csv", ".tsv", ".list", ".lst"])
_COLUMNS = (
    Column("round"),
    Column("seeds", "words"),
    Column("queries"),
    Column("asked"),
    Column("results"),
    Column("addresses"),
    Column("pages"),
    Column("kept"),
    Column("words", "words of text"),
)


@with_settings(BootstrapConfig)
def bootstrap(
    words: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="WORD",
            help="Words, or files with a word or phrase on each line. Or the folder of a corpus, to go on with it.",
            show_default=False,
        ),
    ] = None,
    *,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", metavar="FOLDER", help="Where the corpus goes: a new folder.", rich_help_panel=BEGIN
        ),
    ] = None,
    tables: Tables,
    yes: Annotated[
        bool, typer.Option("--yes", "-y", help="Take all keywords of the sample unseen.", rich_help_panel=BEGIN)
    ] = False,
    tuples: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Words to ask for together, a line a query.", rich_help_panel=BEGIN),
    ] = None,
    urls: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Addresses to fetch first.", rich_help_panel=BEGIN)
    ] = None,
    local: Annotated[
        list[Path] | None,
        typer.Option(metavar="PATH", help="Files to build in first. Can be repeated.", rich_help_panel=BEGIN),
    ] = None,
    results: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Addresses for each query, instead of a provider.", rich_help_panel=BEGIN),
    ] = None,
    preset: Preset = None,
    filters: Filters = None,
    contact: Contact = "",
    allow_network: AllowNetwork = None,
    hosts: Hosts = None,
    workers: Workers = None,
    as_json: AsJson = False,
    as_csv: AsCsv = False,
) -> None:
    """Make a corpus of a few words, with a search engine.

    Random combinations of the words are queries; the pages that are found become the corpus, and their keywords the
    words of the next round. Without words, those of a sample are taken, or words of the language for a general corpus.
    Ctrl-C stops, and `gristmill bootstrap CORPUS` goes on.

    \b
    Examples:
      gristmill bootstrap words.txt -o corpus --lang cs --provider searxng:http://localhost:8888 --rounds 3
      gristmill bootstrap --sample my-texts/ -o corpus --lang eu
      gristmill bootstrap --lang is -o corpus            no words: mid-frequency words of the language
      gristmill bootstrap corpus                         go on with one that was stopped
      gristmill bootstrap corpus --rounds 5
    """
    form = chosen_format(as_json, as_csv)
    if results:
        if tables.get("queries", {}).get("provider"):
            raise UsageError("--results takes the place of a provider: leave --provider out")
        tables.setdefault("queries", {})["provider"] = f"file:{results.absolute()}"
    access = access_of(contact, allow_network, hosts)
    given: dict[str, Any] = {"tuples": tuples or (), "urls": urls or (), "local": local or ()}
    old = _old_corpus(words or [], output)
    if old is not None:
        if preset or filters or any(given.values()):
            raise UsageError(f"{old} goes on with what it began with: begin a new corpus with -o")
        refuse_fixed(BootstrapConfig, tables, old, "corpus")
    elif output is None:
        raise UsageError("say where the corpus goes, with -o FOLDER; or give the folder of one, to go on with it")
    else:
        given |= {"words": _words(words or []), "build_config": _build_config(preset, filters)}
        given["revise"] = None if yes else _revision(output)
    folder = old or output or Path()
    _run(folder, tables, {**given, "access": access, "workers": workers}, is_new=old is None)
    _tell_end(folder, form)


def _old_corpus(words: Sequence[str], output: Path | None) -> Path | None:
    """Find the folder of the corpus that is to go on, if a folder is given instead of words."""
    folders = [word for word in words if Path(word).is_dir()]
    if not folders:
        return None
    if output is not None:
        raise UsageError(f"{folders[0]!r} is a folder: give it without -o to go on with it, or texts as --sample")
    if len(words) > 1:
        raise UsageError(f"give the folder alone to go on with it: gristmill bootstrap {folders[0]}")
    return Path(folders[0])


def _words(given: Sequence[str]) -> list[str]:
    """Replace the names of files by the words in them."""
    from gristmill.bootstrapping.words import read_words

    found: list[str] = []
    for item in given:
        if Path(item).is_file() or Path(item).suffix.lower() in _LIST_SUFFIXES:
            found += read_words(item)
        else:
            found.append(item)
    return found


def _build_config(preset: str | None, filters: Sequence[str] | None) -> Any:
    from gristmill.config import Config
    from gristmill.pipeline.bootstrap_filters import PRESET

    return Config().with_filters(*(filters or ()), preset=preset or PRESET) if preset or filters else None


def _revision(output: Path) -> Any:
    """Return what lets the user strike out keywords, in a file beside the corpus."""
    from gristmill.bootstrapping.revision import revise

    return lambda keywords: revise(output.with_name(f"{output.name}-keywords.txt"), keywords)


def _run(folder: Path, tables: Mapping[str, Mapping[str, Any]], given: Mapping[str, Any], *, is_new: bool) -> None:
    from gristmill.pipeline.bootstrapping import DEFAULT_PROVIDER, PROVIDER, forget_failed, is_begun
    from gristmill.pipeline.bootstrapping import bootstrap as make

    if not is_new and not (folder / NAME).is_file():
        raise UsageError(f"{folder} has no bootstrap to go on with: gristmill bootstrap WORD... -o FOLDER begins one")
    if is_new and is_begun(folder) and not forget_failed(folder):
        raise UsageError(
            f"{folder} has begun already. To go on: gristmill bootstrap {shlex.quote(str(folder))} (with --provider if "
            "another one is to be asked); to begin with something else, give a new folder"
        )
    provider = tables.get("queries", {}).get("provider")
    is_asking = given.get("words") or given["tuples"] or not (given["urls"] or given["local"])
    if is_new and is_asking and not provider and not os.environ.get(PROVIDER):
        note(
            f"no --provider is given, so {DEFAULT_PROVIDER} is asked: parts of its index are downloaded first, which "
            "may be gigabytes, and pages are found by words in their addresses; a search engine finds more for less"
        )
    before = BootstrapConfig() if is_new else BootstrapConfig.from_file(folder / NAME)
    config = before.replace(tables, "the settings of the bootstrap") if is_new or tables else None
    try:
        with progress_bars() as progress:
            make(corpus=folder, config=config, provider=provider, progress=progress, **given)
    except Interrupted as end:
        name = shlex.quote(str(folder))
        kept = f"what was found is kept, and this goes on: gristmill bootstrap {name}" if is_begun(folder) else ""
        raise Interrupted(f"interrupted; {kept}" if kept else "interrupted") from end


def _tell_end(folder: Path, form: str) -> None:
    """Show what each round gave, what was not asked, and how to go on."""
    from gristmill.bootstrapping.addresses import REASONS
    from gristmill.bootstrapping.rounds import ENDINGS, ending, figures
    from gristmill.bootstrapping.store import Store
    from gristmill.pipeline.bootstrapping import has_no_topic
    from gristmill.pipeline.corpus import Corpus

    config = BootstrapConfig.from_file(folder / NAME)
    with Store(folder) as store:
        rounds, not_asked = figures(store), store.not_asked()
        ended = ending(store, config.stop) or "nothing new"
    facts = {"ended": ended, "not_asked": [{"query": query, "why": why} for query, why in not_asked]}
    rows = [[getattr(item, column.name) for column in _COLUMNS] for item in rounds]
    write_table(_COLUMNS, rows, form, facts)
    left_out = sum((Counter(item.left_out) for item in rounds), Counter())
    if left_out:
        reasons = ", ".join(f"{count:,} {REASONS.get(reason, reason)}" for reason, count in left_out.most_common())
        note(f"left out of the results: {reasons}")
    if not_asked:
        note("1 query was not answered:" if len(not_asked) == 1 else f"{len(not_asked):,} queries were not answered:")
        for query, why in not_asked[:_MAX_NOT_ASKED_SHOWN]:
            note(f"  {safe(query)}: {safe(why)}")
    if has_no_topic(Corpus(folder), config):
        note(
            "what was found is not filtered by topic: too few short pages were found at first, or it is not known how "
            "frequent words are in the language (a corpus of general texts as --reference tells)"
        )
    name = shlex.quote(str(folder))
    more = f"--words {2 * config.stop.words}" if ended == "words" else f"--rounds {rounds[-1].round + 1}"
    note(f"{ENDINGS[ended]}. To go on: gristmill bootstrap {name} {more}")
    if sum(item.kept for item in rounds):
        note(f"Next: gristmill search {name} 'some words'")
    end_build(Corpus(folder).reader)
