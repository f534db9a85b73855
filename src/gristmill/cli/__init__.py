"""The command line: `gristmill COMMAND ...`. Commands parse options, call the library, and lay out results as text."""

from gristmill.cli.program import main

__all__ = ["main"]
