"""All filters that are asked of pages and documents, in their order: pages first, then blocks, then documents."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from gristmill.cleaning.languages import Languages
from gristmill.config import FilterConfig
from gristmill.document import Document, Page
from gristmill.errors import UsageError
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
    """Filters by name, in the order in which they are asked; made by `chain_of`."""

    filters: tuple[tuple[str, Filter], ...]

    @property
    def limit(self) -> int:
        """How many bytes of a page need to be read: no more than the size filter lets pass, or would if it were asked."""
        return next((part.max for _, part in self.filters if isinstance(part, Size)), Size().max)

    def fault_of_page(self, page: Page | Document) -> Fault | None:
        """The first fault that a page filter finds, in a page from an archive or in what is stored of one."""
        fetched = Fetched.of_page(page) if isinstance(page, Page) else Fetched.of_document(page)
        for name, part in self.filters:
            if isinstance(part, PageFilter):
                passed, detail = part.judge(fetched)
                if not passed:
                    return Fault(name, detail)
        return Fault(_SIZE, f"more than {self.limit:,} bytes") if fetched.size > self.limit else None

    def drop_blocks(self, document: Document, languages: Languages) -> dict[str, tuple[int, str]]:
        """Mark the blocks that block filters drop, and measure what is left; how many each has dropped, and what it found.

        The document's language is told anew by what is left, as cleaning does, if a filter drops something.
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
        """The first fault that a document filter finds in a document whose blocks have been looked at."""
        for name, part in self.filters:
            if isinstance(part, DocumentFilter):
                passed, detail = part.judge(document)
                if not passed:
                    return Fault(name, detail)
        return None if document.text_blocks else Fault(EMPTY, _why_empty(document))

    def settle(self, document: Document, languages: Languages) -> None:
        """Ask all filters for blocks and for documents, and write down what they decide."""
        self.drop_blocks(document, languages)
        document.dropped, document.detail = self.fault_of_document(document) or ("", "")

    def verdicts(self, document: Document, languages: Languages) -> Iterator[Verdict]:
        """What every filter finds in a stored document, not only the first that drops it; those for text only if it was cleaned.

        A filter whose files are not there any more says so.
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
    try:
        return judge(what)
    except UsageError as error:
        return Finding(True, f"not judged: {error}")


def _why_empty(document: Document) -> str:
    names = sorted({block.dropped for block in document.blocks if block.dropped})
    return f"no text is left after {' and '.join(names)}" if names else "no text"


_STAGES: tuple[Stage, ...] = ("page", "block", "document")


def forget_blocks(document: Document, languages: Languages, max_boilerplate: float | None = None) -> None:
    """Bring a stored document to where it was before block filters, by its own or another boilerplate threshold."""
    for block in document.blocks:
        block.dropped = ""
    document.max_boilerplate = document.max_boilerplate if max_boilerplate is None else max_boilerplate
    _measure(document, languages)


def _mark(document: Document, places: list[int], name: str) -> None:
    """Drop some of the kept blocks."""
    kept = document.kept()
    for place in places:
        kept[place].dropped = name


def _measure(document: Document, languages: Languages) -> None:
    document.measure(document.max_boilerplate)
    languages.tell_kept(document)


@functools.lru_cache(8)
def chain_of(config: FilterConfig) -> Chain:
    """The same filters for the same settings, to ask page after page; files that they need are read once."""
    return make_chain(config)


def make_chain(config: FilterConfig) -> Chain:
    """The filters that settings name, and what they read from files.

    Raises `UsageError` if a name, a parameter or a value is wrong, or a file is not there.
    """
    made = unchecked_chain(config)
    for _, part in made.filters:
        part.check()
    return made


def unchecked_chain(config: FilterConfig) -> Chain:
    """The same, for settings that were right once: files are read when they are needed."""
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
    """The same settings with all thresholds written out, so that nothing is left to defaults, nor files to the folder one is in."""
    plain = make_chain(dataclasses.replace(config, languages=()))
    return dataclasses.replace(
        config, filters=tuple(explicit_spec(name, _with_whole_paths(part)) for name, part in plain.filters)
    )


def files_of(config: FilterConfig) -> list[str]:
    """The files and folders that filters of these settings read."""
    parts = (part for _, part in unchecked_chain(config).filters)
    return [path for part in parts for key in part.paths if (path := getattr(part, key))]


def _with_whole_paths(part: Any) -> Any:
    given = {key: path for key in part.paths if (path := getattr(part, key))}
    return (
        dataclasses.replace(part, **{key: str(Path(path).absolute()) for key, path in given.items()}) if given else part
    )


def explicit_spec(name: str, part: Filter) -> str:
    """A filter as a line of text with all its parameters but those that are empty."""
    return format_spec(name, {key: value for key, value in parameters_of(part).items() if value not in {"", ()}})
