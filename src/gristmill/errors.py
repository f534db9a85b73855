"""Errors that the user can mend: the command shows them as one message, without a traceback."""

from __future__ import annotations


class GristmillError(Exception):
    """An error that says what could not be done and how to go on (exit code 1)."""


class UsageError(GristmillError):
    """An error in the call itself: a wrong name or option, a file that is not there (exit code 2)."""


class PlacedError(UsageError):
    """An error at a place of a text that somebody typed, such as a query.

    Its message shows the text with a mark under the place; `problem` is what is wrong, without that picture.
    """

    def __init__(self, message: str, problem: str = "", text: str = "", at: int = 0) -> None:
        """Take the message, and for pages what it is made of; `at` counts the characters before the place."""
        super().__init__(message)
        self.problem = problem
        self.text = text
        self.at = at
