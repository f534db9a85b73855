"""Names that help texts and completion show.

They are repeated here since importing the modules that own them takes long; a test compares both.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from gristmill.registry import parts_of
from gristmill.roles import ALL, ROLES

CLEANING_METHODS = parts_of("cleaning method")
DEFAULT_METHOD = CLEANING_METHODS.default
DEDUP_METHODS = parts_of("de-duplication method")
EXPORT_FORMATS = parts_of("export format")
PAIR_FORMATS = parts_of("format of sentence pairs")
CORPUS_MANAGERS = parts_of("corpus manager")
PAGE_FORMATS = parts_of("output format")
METRICS = parts_of("metric")
TRAINED_METHODS = parts_of("trained method")
READABLE = (
    "WARC, ARC, WET and WACZ archives, HTML, MHTML, text, PDF, DOCX, ODT and EPUB files, JSON lines, Parquet, "
    "ZIP files of these"
)
"""Kinds of files that can be read, as help texts list them."""
ENGINES = ("local", "inline", "ray")
ITEM_WAYS = ("crf", "rules")
HOST_ORDERS = ("words", "yield", "waste", "bytes", "pages", "queued", "host")
STOP_LIST_SHARE = 0.6
"""Share of a text that the words of a stop list make up together, by default."""
SAME_CLUSTER = 0.5
"""Share of text in common above which two documents count as near-duplicates, by default."""


def one_of(names: Iterable[str]) -> Callable[[str], list[str]]:
    """Make the completion of an option: the names that begin with what was typed."""

    def completions(incomplete: str) -> list[str]:
        return [name for name in names if name.startswith(incomplete)]

    return completions


def roles_so_far(incomplete: str) -> list[str]:
    """Complete the last of some roles with commas between them."""
    before, comma, last = incomplete.rpartition(",")
    return [f"{before}{comma}{role}" for role in (*ROLES, ALL) if role.startswith(last)]
