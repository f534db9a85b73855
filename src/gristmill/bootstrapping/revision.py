"""Keywords for revision: a text file that opens in an editor, in which the user strikes out what is not wanted."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from gristmill.bootstrapping.keywords import Keyword
from gristmill.bootstrapping.words import read_words
from gristmill.errors import GristmillError, UsageError
from gristmill.shards import write_atomically
from gristmill.wording import plural

_WORD_COLUMNS = 32
_HEADER = """\
# Keywords that will be searched for, the most typical first: one on each line.
#
# Strike out what is not wanted: delete its line, or put # before it. Best struck out are names that are too special,
# words that are too general, and words with another meaning elsewhere. You may add words and phrases of your own.
#
# Behind # is how typical a word is, how often it stands in the texts, and in how many of them.

"""


def write_keywords(path: Path, keywords: Sequence[Keyword]) -> None:
    """Write keywords to a file for revision."""
    lines = [
        f"{keyword.word:<{_WORD_COLUMNS}} # {keyword.score:,.1f}; {plural(keyword.frequency, 'time')} "
        f"in {plural(keyword.documents, 'text')}\n"
        for keyword in keywords
    ]
    write_atomically(path, (_HEADER + "".join(lines)).encode())


def read_revised(path: Path) -> list[str]:
    """Read the keywords that a revision has left; raises if there are none."""
    try:
        return read_words(path)
    except UsageError as error:
        if not path.exists():
            raise
        raise GristmillError(f"no keywords are left: {error}") from error


def revise(path: Path, keywords: Sequence[Keyword], environment: Mapping[str, str] | None = None) -> list[str]:
    """Write keywords to a file, let the user revise it in an editor, and return what is left.

    The editor is that of VISUAL or EDITOR, or a usual one. Without one, or without a terminal, the file is written all
    the same, and the error says how to go on. A file of an earlier revision is kept as `.old`.
    """
    if not keywords:
        raise GristmillError("no keywords were found: give more texts, or write words yourself (in a file)")
    if path.exists():
        path.replace(path.with_name(f"{path.name}.old"))  # somebody may have revised it
    write_keywords(path, keywords)
    command = editor(os.environ if environment is None else environment)
    if not command:
        raise GristmillError(f"{_what(path)}: revise it in an editor, and go on with {_how(path)}")
    try:
        code = subprocess.run([*command, str(path)], check=False).returncode  # noqa: S603 (the user's own editor)
    except OSError as error:
        why = error.strerror or error
        raise GristmillError(
            f"can't start the editor {command[0]!r} ({why}). {_what(path)}: go on with {_how(path)}"
        ) from error
    if code:
        raise GristmillError(
            f"the editor {command[0]!r} ended with code {code}. {_what(path)}: go on with {_how(path)}"
        )
    return read_revised(path)


def editor(environment: Mapping[str, str]) -> list[str]:
    """Return the command of the user's editor with its arguments; empty if there is none, or no terminal to edit on."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        return []
    for name in ("VISUAL", "EDITOR"):
        value = environment.get(name, "").strip()
        if not value:
            continue
        try:
            command = shlex.split(value, posix=os.name != "nt")
        except ValueError as error:
            raise UsageError(f"the environment variable {name} is no command: {error}") from error
        if command:
            return command
    usual = ["notepad"] if os.name == "nt" else ["editor", "nano", "vi"]
    return next(([found] for found in map(shutil.which, usual) if found), [])


def _what(path: Path) -> str:
    return f"the keywords are in {path}"


def _how(path: Path) -> str:
    return f"`gristmill bootstrap {shlex.quote(str(path))} ...`, or take them as they are with --yes"
