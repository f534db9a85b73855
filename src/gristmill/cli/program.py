"""`gristmill COMMAND ...`: the list of commands, and how errors end them."""

from __future__ import annotations

import importlib
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from gristmill.catalogue import entries
from gristmill.cli.casting import cast_quickly
from gristmill.cli.console import Interrupted, complain
from gristmill.cli.logs import add_log_options, begin_log, clear_log, log_end, log_options
from gristmill.errors import GristmillError, UsageError
from gristmill.version import __version__

FAILED, WRONG_USAGE, INTERRUPTED, TERMINATED = 1, 2, 130, 143
"""Exit codes."""
_EXAMPLES = """\b
Examples:
  gristmill build sample -o corpus
  gristmill search corpus bread
  gristmill clean page.html
"""
_EXIT_CODES = """\b
Exit codes:
  0    done
  1    it failed, or nothing was kept; the message says why
  2    the command was not understood, or a file or folder is not there
  130  interrupted with Ctrl-C
"""

# NumPy starts as many threads for linear algebra as there are cores, which takes longer than most searches. Work on
# many cores is done by worker processes.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# What a command needs takes up to a second to import, so its module in this folder, where it is a function of the same
# name, is imported when the command is called and not to list it. A class `Command` there takes the place of Typer's, a
# `group` has commands of its own. Commands made of declared operations are added to the groups that these name.
GROUPS = {
    "make": {
        "build": ("commands", "Build a corpus: read, clean, filter, de-duplicate."),
        "add": ("add", "Add pages to a corpus, built as the others were."),
        "clean": ("clean", "Show one page's text, without its boilerplate."),
        "export": ("export", "Write a corpus to a file, with any thresholds."),
    },
    "get": {
        "crawl": ("crawl", "Crawl the web for text, and go on where most of it is."),
        "bootstrap": ("bootstrap", "Make a corpus of a few words, with a search engine."),
        "feeds": ("feeds", "Follow feeds: a corpus that grows with every run."),
        "commoncrawl": ("commoncrawl", "Fetch pages from Common Crawl or the Wayback Machine."),
        "sort-archives": ("sort_archives", "Sort the records of archives by site."),
    },
    "look": {
        "report": ("report", "Write what was kept and dropped, and why, as a web page."),
        "parts": ("kinds", "List methods, filters, formats, taggers and other parts."),
    },
    "search": {
        "ask-provider": ("ask_provider", "Ask a search provider a question."),
        "watch": ("watch", "Standing queries: search all pages that are added later."),
    },
    "translate": {
        "parallel": ("parallel", "Find pages and sentences that translate each other."),
        "align": ("align", "Align the sentences of two texts that are translations."),
    },
    "judge": {
        "experiment": ("experiment", "Repeat an experiment of the literature on a corpus."),
        "evaluate": ("evaluate", "Compare cleaning methods on gold standards."),
        "train": ("train", "Train methods, languages, taggers, parsers by examples."),
        "judgements": ("judgements", "Show how annotators agree, and export a gold standard."),
        "stoplist": ("stoplist", "Make a stop list: the most frequent words of a sample."),
    },
    "run": {
        "serve": ("serve", "Open a corpus in the browser: look, correct, search."),
        "mcp": ("mcp", "Let an assistant search corpora."),
        "push": ("push", "Put a corpus, or what has changed of it, into a store."),
        "pull": ("pull", "Bring a corpus, or some of it, back from a store."),
        "trust": ("trust", "Allow what a corpus from elsewhere names."),
    },
}
for entry in entries().values():
    if entry.group in GROUPS:
        GROUPS[entry.group][entry.name] = ("", entry.summary)
GROUPS = {group: dict(sorted(commands.items())) for group, commands in GROUPS.items()}
COMMANDS = {name: about for commands in GROUPS.values() for name, about in commands.items()}
"""The module of each command (empty if it is made of a declared operation), and the first line of its help."""
HEADINGS = {
    "make": "Make a corpus",
    "get": "Get pages",
    "look": "Look",
    "search": "Search",
    "translate": "Translate",
    "judge": "Judge and train",
    "run": "Run",
}
EVERYDAY = ("build", "crawl", "add", "clean", "status", "search", "wordlist", "keywords", "export", "serve")
"""The commands that help shows before all others."""


class _Group(TyperGroup):
    """A group that knows its commands by name and summary, and imports the one that is called."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Import the command that the first argument names; return it with the other arguments."""
        name, _, rest = super().resolve_command(ctx, args)
        return name, load(str(name)), rest

    def make_context(self, info_name: str | None, args: list[str], *more: Any, **extra: Any) -> Any:
        """Parse the arguments of the call; `help build` is `build --help`."""
        if args[:1] == ["help"]:
            args = [*args[1:], "--help"]
        with _told_of_interrupts():
            return super().make_context(info_name, args, *more, **extra)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write those of every day, then the others in groups."""
        del ctx
        groups = {"Every day": EVERYDAY} | {HEADINGS[group]: GROUPS[group] for group in HEADINGS}
        width = max(map(len, COMMANDS))
        for place, (heading, names) in enumerate(groups.items()):
            with formatter.section(heading):
                shown = [name for name in names if not place or name not in EVERYDAY]
                formatter.write_dl([(name.ljust(width), COMMANDS[name][1]) for name in shown])

    def invoke(self, ctx: Any) -> Any:
        """Run the command that was called."""
        with _told_of_interrupts():
            return super().invoke(ctx)


@contextmanager
def _told_of_interrupts() -> Iterator[None]:
    """Turn Ctrl-C into `Interrupted`, before Typer handles it, which differs from version to version."""
    try:
        yield
    except KeyboardInterrupt:
        raise Interrupted from None


def load(name: str) -> Any:
    """Import a command from its module."""
    if not COMMANDS[name][0]:
        from gristmill.cli.declared import command_of

        return _ready(typer.main.get_command(command_of(entries()[name])))
    module = importlib.import_module(f"gristmill.cli.{COMMANDS[name][0]}")
    alone = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)
    if not hasattr(module, "group"):
        alone.command(name, cls=getattr(module, "Command", None))(getattr(module, name.replace("-", "_")))
    return _ready(typer.main.get_command(getattr(module, "group", alone)))


def _ready(command: Any) -> Any:
    cast_quickly(command)
    add_log_options(command)
    return command


app = typer.Typer(
    cls=_Group,
    epilog=f"{_EXAMPLES}\n{_EXIT_CODES}\nEvery command has --help with examples.",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for command, (_, summary) in COMMANDS.items():
    app.command(command, help=summary)(lambda: None)


def _say_version(asked: bool) -> None:
    if asked:
        from gristmill.config import identifier_and_version
        from gristmill.kernel import COMPILED

        kernel = "compiled" if COMPILED else "not compiled"
        print(f"gristmill {__version__} (kernel {kernel}, languages by {identifier_and_version()})")
        raise typer.Exit


@app.callback()
def gristmill(
    *,
    version: Annotated[
        bool, typer.Option("--version", "-V", help="Show the version.", callback=_say_version, is_eager=True)
    ] = False,
) -> None:
    """From web pages to a clean, de-duplicated text corpus, with a score and a reason for everything."""
    del version


def main() -> None:
    """Run a command; whatever goes wrong is one message and an exit code."""
    signal.signal(signal.SIGTERM, _terminate)
    begin_log()
    try:
        command = typer.main.get_command(app)
        cast_quickly(command)
        for option in log_options(hidden=False):
            command.params.append(option)
        command(prog_name="gristmill")
    except (Interrupted, KeyboardInterrupt) as end:  # the second, where no command runs yet or any more
        _end(end, INTERRUPTED, str(end) or "interrupted")
    except UsageError as error:
        _end(error, WRONG_USAGE)
    except GristmillError as error:
        _end(error, FAILED)
    except BrokenPipeError:  # the reader of our output has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        sys.exit(FAILED)
    except MemoryError as error:
        _end(error, FAILED, "out of memory; try fewer --workers")
    except OSError as error:
        _end(error, FAILED, f"{error.filename}: {error.strerror}" if error.filename else str(error))
    except Exception as error:
        log_end(error)
        raise
    finally:
        clear_log()


def _terminate(*_: object) -> None:
    """End normally on SIGTERM, so that temporary files and worker processes go away."""
    sys.exit(TERMINATED)


def _end(error: BaseException, code: int, message: str = "") -> None:
    log_end(error)
    sys.exit(complain(message or str(error), code))
