"""Chains: the filters that the settings name, applied in order to pages, then blocks, then documents.

The pipeline applies a chain to what it builds, a cut of a corpus applies another to what is stored, and `gristmill why`
shows the verdicts of all its filters.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from gristmill.cleaning.languages import Languages
from gristmill.columns import Coded
from gristmill.config import FilterConfig
from gristmill.document import Document, Page
from gristmill.errors import GristmillError, UsageError
from gristmill.filter.page import Size
from gristmill.filter.registry import FILTERS, BlockFilter, DocumentFilter, Fetched, Filter, Finding, PageFilter, Stage
from gristmill.registry import format_spec, parameters_of, parse_spec, with_parameters

T = TypeVar("T")
EMPTY = "empty"
"""The reason of documents that pass all filters and have no text."""
_LANGUAGE, _SIZE = "language", "size"


class Fault(NamedTuple):
    """The filter that drops something, and what it found."""

    reason: str
    detail: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """What one filter found and decided."""

    name: str
    stage: Stage
    spec: str
    """The filter with all its thresholds."""
    passed: bool
    detail: str
    dropped_blocks: int = 0


@dataclass(frozen=True, slots=True)
class Chain:
    """Filters by name, in the order in which they are applied; made by `chain_of`."""

    filters: tuple[tuple[str, Filter], ...]

    @property
    def limit(self) -> int:
        """The largest number of bytes of a page that the filter `size` lets pass; by its default if it is not named.

        No more of a page needs to be read.
        """
        return next((part.max for _, part in self.filters if isinstance(part, Size)), Size().max)

    def fault_of_page(self, page: Page | Document) -> Fault | None:
        """Return the first fault that a page filter finds, in a page of an archive or in what is stored of one."""
        fetched = Fetched.of_page(page) if isinstance(page, Page) else Fetched.of_document(page)
        for name, part in self.filters:
            if isinstance(part, PageFilter):
                passed, detail = part.judge(fetched)
                if not passed:
                    return Fault(name, detail)
        return Fault(_SIZE, f"more than {self.limit:,} bytes") if fetched.size > self.limit else None

    def drop_blocks(self, document: Document, languages: Languages) -> dict[str, tuple[int, str]]:
        """Mark the blocks that block filters drop; return for each filter how many it dropped and what it found.

        The figures of the document are computed again from what is left, and so is its language, as after cleaning.
        A language that was given stays.
        """
        found = {}
        for name, part in self.filters:
            if isinstance(part, BlockFilter):
                dropped, detail = part.judge(document)
                if dropped:
                    _mark(document, dropped, name)
                    _measure(document, languages)
                found[name] = len(dropped), detail
        return found

    def fault_of_document(self, document: Document) -> Fault | None:
        """Return the first fault that a document filter finds in a document, after block filters were applied.

        What filters note in a document is noted by all of them first.
        """
        for _, part in self.filters:
            if isinstance(part, DocumentFilter):
                part.mark(document)
        for name, part in self.filters:
            if isinstance(part, DocumentFilter):
                passed, detail = part.judge(document)
                if not passed:
                    return Fault(name, detail)
        return None if document.text_blocks else Fault(EMPTY, _why_empty(document))

    def apply(self, document: Document, languages: Languages) -> None:
        """Apply all filters of blocks and of documents, and note their decision in the document."""
        self.drop_blocks(document, languages)
        document.dropped, document.detail = self.fault_of_document(document) or ("", "")

    def verdicts(self, document: Document, languages: Languages) -> Iterator[Verdict]:
        """Yield what every filter finds in a stored document, not only the first that drops it.

        Filters of blocks and documents are left out if the document was not cleaned. A filter whose files are missing
        says so.
        """
        fetched = Fetched.of_document(document)
        if document.method:
            forget_blocks(document, languages)
            dropped = self.drop_blocks(document, languages)
        for name, part in sorted(self.filters, key=lambda item: _STAGES.index(item[1].stage)):
            spec = explicit_spec(name, part)
            if isinstance(part, PageFilter):
                yield Verdict(name, part.stage, spec, *_judged(part.judge, fetched))
            elif not document.method:
                continue
            elif isinstance(part, DocumentFilter):
                yield Verdict(name, part.stage, spec, *_judged(part.judge, document))
            else:
                count, detail = dropped[name]
                yield Verdict(name, part.stage, spec, True, detail, count)


def _judged(judge: Callable[[T], Finding], what: T) -> Finding:
    """Judge, and make a finding of the error of a filter that can't: its files may be missing."""
    try:
        return judge(what)
    except GristmillError as error:
        return Finding(True, f"not judged: {error}")


def _why_empty(document: Document) -> str:
    """Word the reason of a document without text: block filters may have dropped all of it."""
    names = sorted(document.as_columns().dropped.counts())
    return f"no text is left after {' and '.join(names)}" if names else "no text"


_STAGES: tuple[Stage, ...] = ("page", "block", "document")


def forget_blocks(
    document: Document, languages: Languages, max_boilerplate: float | None = None, roles: str | None = None
) -> None:
    """Undo the block filters of a stored document, with its own or another boilerplate threshold, or other roles."""
    if document.columns is None:
        for block in document.blocks:
            block.dropped = ""
    else:
        document.columns.dropped = Coded.same("", len(document.columns))
    document.max_boilerplate = document.max_boilerplate if max_boilerplate is None else max_boilerplate
    document.roles = document.roles if roles is None else roles
    _measure(document, languages)


def _mark(document: Document, places: list[int], name: str) -> None:
    """Mark some of the kept blocks as dropped by a filter."""
    columns = document.columns
    if columns is None:
        kept = document.kept()
        for place in places:
            kept[place].dropped = name
    else:
        columns.dropped = columns.dropped.put(document.kept_columns()[1][places], name)


def _measure(document: Document, languages: Languages) -> None:
    """Compute the figures of a document and its language from the blocks that are kept."""
    document.measure(document.max_boilerplate)
    languages.label_kept(document)


@functools.lru_cache(8)
def chain_of(config: FilterConfig) -> Chain:
    """Make the chain of settings, once for the same settings, so that the files of filters are read once."""
    return make_chain(config)


def make_chain(config: FilterConfig) -> Chain:
    """Make the filters that settings name, and read their files.

    Raises `UsageError` if a name, a parameter or a value is wrong, or a file is missing.
    """
    made = unchecked_chain(config)
    for _, part in made.filters:
        part.check()
    return made


def unchecked_chain(config: FilterConfig) -> Chain:
    """Make the filters that settings name without a check, for settings that were checked before.

    Files are read when they are needed.
    """
    filters: dict[str, Filter] = {}
    for spec in config.filters:
        name, parameters = parse_spec(spec)
        part: Any = with_parameters(FILTERS[name](), f"the filter {name!r}", parameters)
        if name in filters:
            raise UsageError(f"the filter {name!r} is asked for twice")
        filters[name] = part.asked_for(config.languages)
    if config.languages and _LANGUAGE not in filters:
        filters[_LANGUAGE] = FILTERS[_LANGUAGE]().asked_for(config.languages)
    return Chain(tuple(filters.items()))


def explicit(config: FilterConfig) -> FilterConfig:
    """Return settings with all thresholds written out and paths made absolute.

    So they mean the same after a change of defaults, and in another working directory.
    """
    plain = make_chain(dataclasses.replace(config, languages=()))
    return dataclasses.replace(
        config, filters=tuple(explicit_spec(name, _with_absolute_paths(part)) for name, part in plain.filters)
    )


def files_of(config: FilterConfig) -> list[str]:
    """List the files and folders that the filters of settings read."""
    parts = (part for _, part in unchecked_chain(config).filters)
    return [path for part in parts for key in part.paths if (path := getattr(part, key))]


def _with_absolute_paths(part: Any) -> Any:
    """Return a filter whose paths are absolute."""
    paths = {key: str(Path(path).absolute()) for key in part.paths if (path := getattr(part, key))}
    return dataclasses.replace(part, **paths) if paths else part


def explicit_spec(name: str, part: Filter) -> str:
    """Format a filter as a line of text with all its parameters but those that are empty."""
    return format_spec(name, {key: value for key, value in parameters_of(part).items() if value not in {"", ()}})
