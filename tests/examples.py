"""The examples of a Markdown page, run as a reader would run them; what they show must be what they print.

A page has examples of four kinds, by the language of their fence:

- `sh`: commands. Those of gristmill are run, and must end well; others are left alone (`pip install`).
- `console`: commands behind `$ `, all of which are run, each followed by what it prints. Of a line that begins with
  `pip install ... &&` the rest is run: what the tests run in is installed.
- `python`: a script.
- `output`: what the script before it prints.

Other languages are not run: `bash` is for commands that need the web.

A fence of any language with the name of a file behind it is written to that file.

In shown output `...` stands for what is left out: for any number of lines where it has a line of its own, else for a
part of a line.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

from command import run

_FENCE = re.compile(r"^```(\w+)(?: (\S+))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_SHELL = re.compile(r"[|<>&;$*]")
_INSTALL = re.compile(r"^pip install \S+ && ")
_COLUMNS = "200"


class Example(NamedTuple):
    """Something to run, and what it prints, or None if the page does not say; or a file's name and text."""

    language: str
    code: str
    shown: str | None


def examples(text: str) -> list[Example]:
    """All examples of a page, in their order."""
    found: list[Example] = []
    for language, file, code in _FENCE.findall(text):
        if file:
            found.append(Example("file", file, code))
        elif language == "console":
            found += _commands(code)
        elif language == "sh":
            found += [
                Example("sh", line, None)
                for line in code.replace("\\\n", "").splitlines()
                if line.startswith("gristmill ")
            ]
        elif language == "output":
            assert found, "output of nothing"
            assert found[-1].language == "python", f"output of no script: {code}"
            found[-1] = found[-1]._replace(shown=code)
        elif language == "python":
            found.append(Example("python", code, None))
    return found


def _commands(code: str) -> list[Example]:
    first, *commands = re.split(r"^\$ ", code, flags=re.MULTILINE)
    assert not first, f"a console begins with `$ `: {code}"
    parts = (re.match(r"((?:[^\n]*\\\n)*[^\n]*\n)(.*)", command, re.DOTALL) for command in commands)
    return [Example("sh", _INSTALL.sub("", part[1].replace("\\\n", "").strip()), part[2]) for part in parts if part]


def check(example: Example, folder: Path) -> None:
    """Run it in a folder; fail if it fails, or prints something else than the page shows."""
    if example.language == "file":
        _write(folder / example.code, example.shown or "")
        return
    code, printed = (
        run_script(example.code, folder) if example.language == "python" else run_command(example.code, folder)
    )
    # A page may show an error on purpose.
    assert code == 0 or (example.shown or "").startswith("gristmill: "), f"{example.code}\n{printed}"
    if example.shown is not None:
        assert matches(example.shown, printed), (
            f"{example.code}\nprints\n{printed}\nand not, as shown,\n{example.shown}"
        )


def _write(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, "utf-8")


def matches(shown: str, printed: str) -> bool:
    """Is this what is shown, but for what `...` stands for?

    Spaces at the ends of lines don't count, nor do empty lines at the end.
    """
    pattern = ""
    for line in _lines(shown):
        pattern += "(?:.*\n)*?" if line == "..." else ".*?".join(map(re.escape, line.split("..."))) + "\n"
    return re.fullmatch(pattern, "".join(line + "\n" for line in _lines(printed))) is not None


def _lines(text: str) -> list[str]:
    return [line.rstrip() for line in text.rstrip().splitlines()]


def run_script(code: str, folder: Path) -> tuple[int, str]:
    """In this process, but for what registers a part under a name, which other tests should not find there."""
    if re.search("^@|load_plugin", code, re.MULTILINE):
        return _run_process([sys.executable, "-c", code], folder)
    printed = io.StringIO()
    with contextlib.chdir(folder), contextlib.redirect_stdout(printed):
        exec(compile(code, "example", "exec"), {"__name__": "__main__"})  # noqa: S102
    return 0, printed.getvalue()


def run_command(line: str, folder: Path) -> tuple[int | str | None, str]:
    """In this process, but for what needs a shell or registers a part."""
    words = shlex.split(line, comments=True)
    if words[0] == "gristmill" and "--plugin" not in words and not _SHELL.search(re.sub(r"'[^']*'|#.*", "", line)):
        result = run(*words[1:], cwd=folder, together=True)
        return result.returncode, result.stdout.decode()
    return _run_process(["bash", "-c", f'gristmill() {{ {sys.executable} -m gristmill "$@"; }}; {line}'], folder)


def _run_process(command: list[str], folder: Path) -> tuple[int, str]:
    environment = {**os.environ, "COLUMNS": _COLUMNS, "NO_COLOR": "1"}
    result = subprocess.run(
        command, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False
    )
    return result.returncode, result.stdout.decode()
