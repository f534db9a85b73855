"""The command line, called in this process: what a new one would say, without the time that it takes to start."""

from __future__ import annotations

import contextlib
import io
import os
import sys
from pathlib import Path
from typing import NamedTuple
from unittest import mock

from gristmill.cli import main


class Ran(NamedTuple):
    """How a command ended, by the names that `subprocess` has for it."""

    returncode: int | str | None
    stdout: bytes
    stderr: bytes


def run(
    *arguments: str | Path, stdin: bytes = b"", cwd: Path | None = None, encoding: str = "utf-8", together: bool = False
) -> Ran:
    """`gristmill ARGUMENTS`; an exception that a user would see as a traceback is the test's.

    With `together` the standard output has errors and notes in it, in the order in which a terminal would show them.
    """
    given = io.TextIOWrapper(io.BytesIO(stdin), encoding)
    output, errors = (io.TextIOWrapper(io.BytesIO(), encoding, write_through=True) for _ in range(2))
    with (
        mock.patch.object(sys, "argv", ["gristmill", *map(str, arguments)]),
        mock.patch.object(sys, "stdin", given),
        mock.patch.dict(os.environ, {"COLUMNS": "200", "NO_COLOR": "1"}),
        contextlib.redirect_stdout(output),
        contextlib.redirect_stderr(output if together else errors),
        contextlib.chdir(cwd or Path.cwd()),
    ):
        code = _exit_code()
    return Ran(code, *(stream.detach().getvalue() for stream in (output, errors)))


def _exit_code() -> int | str | None:
    try:
        main()
    except SystemExit as end:
        return end.code
    return 0
