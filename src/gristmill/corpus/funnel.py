"""The funnel: what each stage of a build was given, what it dropped and why, and what is left."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from gristmill.corpus.reader import CorpusReader
from gristmill.filter import FILTERS
from gristmill.registry import parse_spec

_SKIPPED = {
    "broken": "broken records",
    "revisit": "revisits of stored pages",
    "other": "no pages (requests, metadata...)",
}
_UNREADABLE = "unreadable", "files that can't be read"
_DROPPED = {
    "status": "redirects and errors",
    "content-type": "not HTML",
    "size": "too small or too large",
    "language": "wrong language",
    "length": "too short or too long",
    "invalid-characters": "damaged characters",
    "repeated-lines": "repeated lines",
    "repeated-ngrams": "repeated n-grams",
    "function-words": "few function words",
    "badness": "frequent words are too rare",
    "country": "server in another country",
    "word-list": "words of the word list",
    "topic": "off the topic",
    "foreign": "in another language",
    "empty": "no text",
    "replaced": "replaced by later versions",
    "items": "rest of pages cut into items",
    "blocks": "too many blocks",
    "failed": "failed (see failures.log in shards)",
}

_WORDED = frozenset({"languages", "boilerplate", "dropped blocks"})
"""Lines whose values are words, which may be wider than the column of numbers."""


def reason_words(name: str) -> str:
    """Say in words why a record or a page was left out; a reason of a plugin says it by its name."""
    return _DROPPED.get(name) or dict([_UNREADABLE, *_SKIPPED.items()]).get(name, name)


@dataclass(frozen=True, slots=True)
class Step:
    """One line of the funnel: how many records, pages or blocks there are, or why so many were left out."""

    label: str
    count: int
    left_out: bool = False
    """Whether these were left out here."""
    share: float | None = None
    """Their share of all pages, or of all blocks of text, if a filter left them out."""


@dataclass(frozen=True, slots=True)
class Funnel:
    """What became of the pages and of the blocks of a corpus, and the sizes of what is left."""

    counts: Mapping[str, Any]
    size: Mapping[str, Any]
    pages: list[Step]
    """Steps from the records that were read to the documents that are kept."""
    blocks: list[Step]
    """Steps from the blocks of text to those that filters dropped; empty if no filter is one of blocks."""

    @property
    def boilerplate(self) -> float | None:
        """The share of boilerplate in the words of kept documents, without repeated text; None if there are none."""
        return self.size["boilerplate_words"] / self._words if self._words else None

    @property
    def filtered(self) -> float:
        """The share of words in blocks that filters dropped."""
        return self.size["filtered_words"] / self._words if self._words else 0.0

    @property
    def _words(self) -> int:
        words: int = self.size["words"] + self.size["boilerplate_words"] + self.size["filtered_words"]
        return words

    def to_json(self) -> dict[str, Any]:
        """All counts and sizes, for programs."""
        return {"counts": self.counts, "size": self.size}

    def lines(self) -> list[str]:
        """Lay it out: numbers flush right; behind those of filters their share of all pages or blocks of text."""
        size, boilerplate = self.size, self.boilerplate
        rows = [
            *map(_row, self.pages),
            *([("", "", ""), *map(_row, self.blocks)] if self.blocks else []),
            ("", "", ""),
            *((name, f"{size[name]:,}", "") for name in ("documents", "blocks", "words", "bytes")),
            ("boilerplate", "-" if boilerplate is None else f"{boilerplate:.1%} of words, without repeated text", ""),
            *([("dropped blocks", f"{self.filtered:.1%} of words", "")] if size.get("filtered_words") else []),
            ("languages", ", ".join(f"{lang} {count:,}" for lang, count in size["languages"].items()) or "-", ""),
        ]
        left = max(len(label) for label, _, _ in rows)
        right = max(len(value) for label, value, _ in rows if label not in _WORDED)
        return [f"{label:{left}}  {value:>{right}}  {share:>6}".rstrip() for label, value, share in rows]


def _row(step: Step) -> tuple[str, str, str]:
    label = f"  - {step.label}" if step.left_out else step.label
    return label, f"{step.count:,}", "" if step.share is None else f"{step.share:.1%}"


def funnel(corpus: CorpusReader) -> Funnel:
    """Put the counts of a corpus in the order in which its stages and filters were asked."""
    counts = corpus.counts
    replaced, items = counts["replaced"], counts.get("items", 0)
    names = [parse_spec(spec)[0] for spec in corpus.config.filter.filters]
    for_blocks = [name for name in names if _stage(name) == "block"]
    for_pages = sorted((name for name in names if name not in for_blocks), key=lambda name: _stage(name) == "document")
    skipped = [*_SKIPPED.items(), *([_UNREADABLE] if _UNREADABLE[0] in counts["skipped"] else [])]
    pages = [
        Step("records read", counts["records"]),
        *(Step(words, counts["skipped"].get(reason, 0), left_out=True) for reason, words in skipped),
        Step("pages read", counts["pages"] - items),
        *([Step("items cut out of pages", items)] if items else []),
        *_dropped(for_pages, counts["dropped"], counts["pages"]),
        *([_left_out("replaced", replaced, counts["pages"])] if replaced else []),
        _left_out("duplicates", counts["duplicates"], counts["pages"]),
        Step("kept", counts["kept"]),
    ]
    blocks = []
    if for_blocks:
        total = counts["text_blocks"]
        blocks = [Step("blocks of text", total), *_dropped(for_blocks, counts["dropped_blocks"], total)]
    return Funnel(counts, corpus.size, pages, blocks)


def _stage(name: str) -> str:
    """When a filter is asked; one of a plugin that is not loaded is taken for one of documents."""
    return FILTERS[name].stage if name in FILTERS else "document"


def _dropped(asked: Iterable[str], dropped: Mapping[str, int], total: int) -> Iterator[Step]:
    """What was dropped by all filters that were asked, in their order, then for any other reasons."""
    known = dict.fromkeys(asked)
    for name in [*known, *(name for name in dropped if name not in known)]:
        yield _left_out(name, dropped.get(name, 0), total)


def _left_out(name: str, count: int, total: int) -> Step:
    return Step(_DROPPED.get(name, name), count, left_out=True, share=count / total if total else None)
