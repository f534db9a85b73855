"""`gristmill watch`: standing queries, made of their operations; and their mail, which is sent from here only."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from gristmill.catalogue import entries
from gristmill.cli.console import note
from gristmill.cli.declared import add_command
from gristmill.cli.options import CorpusFolder, Trust
from gristmill.errors import GristmillError

if TYPE_CHECKING:
    from gristmill.pipeline.mailing import Mailing

group = typer.Typer(
    help="Standing queries: search all pages that are added later.",
    epilog="\b\nExamples:\n  gristmill watch add corpus '[lemma=\"mill\"]'\n  gristmill watch list corpus",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)
for _entry in entries().values():
    if _entry.group == "watch":
        add_command(group, _entry.load())


@group.command("send")
def send(corpus: CorpusFolder, *, trust: Trust = False) -> None:
    """Mail what is new, to those whose digest is due.

    Each recipient gets one mail with all queries, once a day or a week, if there is something new. The server is yours:
    GRISTMILL_SMTP=smtp://user@mail.example.org:587 (or smtps://), GRISTMILL_SMTP_PASSWORD, and the sender in
    GRISTMILL_MAIL_FROM. What can't be sent now is sent the next time. `gristmill feeds run` does this by itself.

    \b
    Example:
      gristmill watch send corpus
    """
    from gristmill.pipeline import mail_watches

    say_mailing(mail_watches(corpus, trust=trust))


def say_mailing(mailing: Mailing) -> None:
    """Say who was sent a digest; raise if somebody was not."""
    for recipient in mailing.sent:
        note(f"a digest was sent to {recipient}")
    if mailing.unsent:
        failures = "\n".join(f"  {recipient}: {reason}" for recipient, reason in mailing.unsent)
        raise GristmillError(f"not sent, and kept for the next time:\n{failures}")
    if not mailing.sent:
        note("no digest is due, or nothing is new")


def say_found(corpus: Path, found: Mapping[str, int]) -> None:
    """Say how many lines each query found."""
    from gristmill.search.watch.told import new_lines

    for line in new_lines(corpus, found):
        note(line)
