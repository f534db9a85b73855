"""Errors that are the user's to mend: they are shown as one message, without a traceback."""

from __future__ import annotations


class GristmillError(Exception):
    """Something could not be done; the message says what and how to go on (exit code 1)."""


class UsageError(GristmillError):
    """The call itself was wrong: a name, an option, a file that is not there (exit code 2)."""
