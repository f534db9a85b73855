"""`gristmill trust`: show what a corpus from elsewhere names, and allow it if the user wants that."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from gristmill.cli.console import note
from gristmill.cli.terminal import safe
from gristmill.consent import FILE, Named, allow, forget, listed, not_allowed, remembered, settings_folder
from gristmill.errors import GristmillError


def trust(
    corpus: Annotated[
        Path | None,
        typer.Argument(metavar="[CORPUS]", help="Folder of a corpus, or a file of settings.", show_default=False),
    ] = None,
    *,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Allow it without asking.")] = False,
    revoke: Annotated[bool, typer.Option("--forget", help="Allow it no more.")] = False,
) -> None:
    """Allow what a corpus from elsewhere names.

    A corpus may name programs and models (taggers), plugins, and files outside its folder, which commands would run or
    read, and addresses that they would send mail to. What you give as an option yourself is allowed and remembered.
    What only the files of a corpus name is shown here; say yes, and commands use it from now on. Without CORPUS it
    lists all that is allowed.

    \b
    Examples:
      gristmill trust corpus
      gristmill trust corpus --yes
      gristmill trust corpus --forget
      gristmill trust
    """
    from gristmill.corpus.named import admit, config_of, named_by_corpus

    if corpus is None:
        _show(remembered())
    elif revoke:
        named = named_by_corpus(corpus)
        forget(named)
        note(f"nothing that {corpus} names is allowed any more" if named else f"{corpus} names nothing")
    elif not _ask(corpus, named_by_corpus(corpus), yes):
        note(f"{corpus} names nothing that is not allowed")
    else:
        admit(config_of(corpus), "plugins")
        _ask(corpus, named_by_corpus(corpus), yes)  # what is in plugins may name more


def _ask(corpus: Path, named: list[Named], yes: bool) -> bool:
    """Allow things if the user says so, and raise if not; return False if there is nothing to ask."""
    from gristmill.corpus.named import config_of

    new = not_allowed(named, config_of(corpus).origin)
    if not new:
        return False
    _show(new)
    if not yes and not sys.stdin.isatty():
        raise GristmillError("nothing was allowed: there is nobody to ask; say --yes if you want this")
    if not yes and not typer.confirm("Allow commands to run, read or write to this?", err=True):
        raise GristmillError("nothing was allowed")
    allow(new)
    note(f"allowed from now on, as {(settings_folder() or Path()) / FILE} says")
    return True


def _show(named: list[Named]) -> None:
    for line in listed(named).splitlines():
        sys.stdout.buffer.write(f"{safe(line)}\n".encode())
    sys.stdout.buffer.flush()
