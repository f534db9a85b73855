"""Parameters that several operations have."""

from __future__ import annotations

from gristmill.parameters import asked, param


@asked
class NoParameters:
    """For operations that need none."""


@asked
class OfPart:
    """Of which documents an answer is."""

    where: str | None = param(
        "Only documents for which this holds: 'host=\".*\\.uk\" & year>=2007', or @name of a subcorpus.",
        default=None,
        kind="condition",
        example='lang="en"',
    )


@asked
class Rows:
    """Which rows of a table are wanted."""

    limit: int = param("How many rows; 0 for all.", default=50, minimum=0, short="-l")
    offset: int = param("How many rows to leave out before them.", default=0, minimum=0)

    @property
    def end(self) -> int | None:
        """The number of the row after the last one; None for all."""
        return self.offset + self.limit if self.limit else None


@asked
class NameAsked:
    """A name."""

    name: str = param("Its name.", kw_only=False, max_characters=64)
