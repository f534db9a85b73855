"""`gristmill COMMAND ...`: the commands, and how errors end them."""

from __future__ import annotations

import os
import sys

import typer

from gristmill.cli import commands
from gristmill.cli.console import complain
from gristmill.cli.dedup import dedup
from gristmill.cli.duplicates import duplicates
from gristmill.cli.evaluate import evaluate
from gristmill.cli.evaluate_dedup import EvaluateCommand
from gristmill.cli.train import train
from gristmill.errors import GristmillError, UsageError

FAILED, WRONG_USAGE = 1, 2

app = typer.Typer(
    help="From web pages to a clean, de-duplicated text corpus, with a score and a reason for everything.",
    epilog="\b\nExamples:\n  gristmill build sample -o corpus\n  gristmill clean page.html\n\nEvery command has --help with examples.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.callback()(commands.gristmill)
for command in (commands.build, commands.clean, commands.export, commands.stats, dedup, duplicates, evaluate, train):
    app.command(cls=EvaluateCommand if command is evaluate else None)(command)


def main() -> None:
    """Run a command; whatever goes wrong is one message and an exit code."""
    try:
        app()
    except UsageError as error:
        sys.exit(complain(str(error), WRONG_USAGE))
    except GristmillError as error:
        sys.exit(complain(str(error), FAILED))
    except BrokenPipeError:  # the reader of our output has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        sys.exit(FAILED)
    except MemoryError:
        sys.exit(complain("out of memory; try fewer --workers", FAILED))
    except OSError as error:
        sys.exit(complain(f"{error.filename}: {error.strerror}" if error.filename else str(error), FAILED))
