"""The command line."""

from gristmill.cli.main import main

__all__ = ["main"]
