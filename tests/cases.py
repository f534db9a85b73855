"""Name the case that fails where one test tries many: a test a case would take longer to start than to run."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def case(name: object) -> Iterator[None]:
    """Try one case: if it fails, the report of the test says which it was."""
    try:
        yield
    except Exception as error:
        error.add_note(f"in the case {name!r}")
        raise
