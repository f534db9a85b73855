"""`python -m gristmill` is the command line."""

from gristmill.cli import main

main()
