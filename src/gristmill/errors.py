"""Errors that the user can mend: the command shows them as one message, without a traceback."""

from __future__ import annotations


class GristmillError(Exception):
    """An error that says what could not be done and how to go on (exit code 1)."""


class UsageError(GristmillError):
    """An error in the call itself: a wrong name or option, a file that is not there (exit code 2)."""
