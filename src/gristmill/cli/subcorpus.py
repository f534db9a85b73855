"""`gristmill subcorpus`: save conditions on documents under names, which stand as @name in every --where."""

from __future__ import annotations

from typing import Annotated

import typer

from gristmill.cli.console import note
from gristmill.cli.opened import open_corpus
from gristmill.cli.options import CorpusFolder, Trust
from gristmill.cli.table import AsCsv, AsJson, chosen_format, write_json, write_lines, write_table
from gristmill.cli.terminal import safe
from gristmill.table import Column
from gristmill.wording import plural

Name = Annotated[str, typer.Argument(metavar="NAME", help="Letters, digits, - and _.", show_default=False)]

group = typer.Typer(
    help="Subcorpora with names: save them, and use them as @name.",
    epilog=(
        "\b\nExamples:\n  gristmill subcorpus save corpus news 'host=\"news.*\" & year>=2015'\n"
        "  gristmill search corpus mill --where '@news & lang=\"en\"'"
    ),
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)


@group.command("save")
def save(
    corpus: CorpusFolder,
    name: Name,
    condition: Annotated[
        str, typer.Argument(metavar="CONDITION", help="As for --where; @name is another one.", show_default=False)
    ],
    *,
    replace: Annotated[bool, typer.Option("--replace", help="Replace the one of this name.")] = False,
    trust: Trust = False,
) -> None:
    """Save a condition on documents under a name.

    @NAME then stands for it in every --where, in Python and in the web app. Names of others in the condition are
    replaced by what they stand for now. What is added to the corpus later and meets the condition is in it, too.

    \b
    Examples:
      gristmill subcorpus save corpus news 'host="news.*" & year>=2015'
      gristmill subcorpus save corpus english-news '@news & lang="en"'
    """
    saved = open_corpus(corpus, trust=trust).subcorpora.save(name, condition, replace=replace)
    note(f"@{saved.name} has {plural(saved.documents or 0, 'document')}, {plural(saved.tokens or 0, 'token')}")


@group.command("list")
def list_subcorpora(
    corpus: CorpusFolder, *, trust: Trust = False, as_json: AsJson = False, as_csv: AsCsv = False
) -> None:
    """Show all subcorpora with their sizes.

    \b
    Example:
      gristmill subcorpus list corpus
    """
    form = chosen_format(as_json, as_csv)
    found = list(open_corpus(corpus, trust=trust).subcorpora)
    if form == "json":
        write_json({"subcorpora": [item.to_json() for item in found]})
    elif found or form == "csv":
        rows = [(item.name, item.documents, item.tokens, item.where) for item in found]
        write_table([*map(Column, ("name", "documents", "tokens", "where"))], rows, form)
    else:
        note(f"there are none: save one with gristmill subcorpus save {corpus} NAME CONDITION")
    for item in found if form == "table" else ():
        if item.problem:
            note(f"@{item.name} can't be used: {item.problem}")


@group.command("show")
def show(corpus: CorpusFolder, name: Name, *, trust: Trust = False, as_json: AsJson = False) -> None:
    """Describe a subcorpus: its condition, who saved it, its size.

    \b
    Example:
      gristmill subcorpus show corpus news
    """
    item = open_corpus(corpus, trust=trust).subcorpora[name]
    if as_json:
        write_json(item.to_json())
        return
    size = f"{item.documents:,}\ntokens     {item.tokens:,}" if item.documents is not None else "?"
    saved = f"{item.saved}{f' by {item.by}' if item.by else ''}"
    text = f"name       {item.name}\nwhere      {item.where}\nsaved      {saved}\ndocuments  {size}"
    write_lines(map(safe, text.split("\n")))
    if item.problem:
        note(f"it can't be used: {item.problem}")


@group.command("rename")
def rename(
    corpus: CorpusFolder,
    name: Name,
    new: Annotated[str, typer.Argument(metavar="NEW", help="The name that it gets.", show_default=False)],
) -> None:
    """Give a subcorpus another name.

    \b
    Example:
      gristmill subcorpus rename corpus news papers
    """
    from gristmill.corpus import Manifest
    from gristmill.search.subcorpora import rename_subcorpus

    Manifest.read(corpus)
    rename_subcorpus(corpus, name, new)
    note(f"@{name} is @{new} now")


@group.command("remove")
def remove(corpus: CorpusFolder, name: Name) -> None:
    """Remove a subcorpus: its name, and not its documents.

    \b
    Example:
      gristmill subcorpus remove corpus news
    """
    from gristmill.corpus import Manifest
    from gristmill.search.subcorpora import remove_subcorpus

    Manifest.read(corpus)
    remove_subcorpus(corpus, name)
    note(f"@{name} is removed; its documents are where they were")
