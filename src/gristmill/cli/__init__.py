"""The command line."""

from gristmill.cli.program import main

__all__ = ["main"]
