"""The funnel as a table: what each stage was given, what it dropped and why, and what is left."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from gristmill.corpus import Corpus
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
    "word-list": "words of the word list",
    "topic": "off the topic",
    "foreign": "in another language",
    "empty": "no text",
    "failed": "failed (see failures.log in shards)",
}


def funnel_table(corpus: Corpus) -> str:
    """Two columns of text, the numbers set flush right; behind those of filters their part of all pages or blocks of text."""
    counts, size = corpus.counts, corpus.size
    names = [parse_spec(spec)[0] for spec in corpus.config.filter.filters]
    for_blocks = [name for name in names if _stage(name) == "block"]
    rows: list[tuple[str, str, str]] = [("records read", f"{counts['records']:,}", "")]
    skipped = [*_SKIPPED.items(), *([_UNREADABLE] if _UNREADABLE[0] in counts["skipped"] else [])]
    rows += [(f"  - {words}", f"{counts['skipped'].get(reason, 0):,}", "") for reason, words in skipped]
    rows.append(("pages read", f"{counts['pages']:,}", ""))
    asked = sorted((name for name in names if name not in for_blocks), key=lambda name: _stage(name) == "document")
    rows += [_dropped(name, counts["dropped"], counts["pages"]) for name in _in_order(asked, counts["dropped"])]
    rows.append(_dropped("duplicates", counts, counts["pages"]))
    rows.append(("kept", f"{counts['kept']:,}", ""))
    if for_blocks:
        rows += [("", "", ""), ("blocks of text", f"{counts['text_blocks']:,}", "")]
        blocks = counts["dropped_blocks"]
        rows += [_dropped(name, blocks, counts["text_blocks"]) for name in _in_order(for_blocks, blocks)]
    filtered = size.get("filtered_words", 0)
    all_words = size["words"] + size["boilerplate_words"] + filtered
    rows += [
        ("", "", ""),
        ("documents", f"{size['documents']:,}", ""),
        ("blocks", f"{size['blocks']:,}", ""),
        ("words", f"{size['words']:,}", ""),
        ("bytes", f"{size['bytes']:,}", ""),
        ("boilerplate", f"{size['boilerplate_words'] / all_words:.1%} of words" if all_words else "-", ""),
        *([("dropped blocks", f"{filtered / all_words:.1%} of words", "")] if filtered else []),
        ("languages", ", ".join(f"{lang} {count:,}" for lang, count in size["languages"].items()) or "-", ""),
    ]
    left = max(len(label) for label, _, _ in rows)
    right = max(len(value) for label, value, _ in rows if label not in {"languages", "boilerplate", "dropped blocks"})
    return "\n".join(f"{label:{left}}  {value:>{right}}  {share:>6}".rstrip() for label, value, share in rows)


def _stage(name: str) -> str:
    """When a filter is asked; one of a plugin that is not loaded is taken for one of documents."""
    return FILTERS[name].stage if name in FILTERS else "document"


def _dropped(name: str, counts: Mapping[str, Any], total: int) -> tuple[str, str, str]:
    count = counts.get(name, 0)
    return f"  - {_DROPPED.get(name, name)}", f"{count:,}", f"{count / total:.1%}" if total else ""


def _in_order(asked: Iterable[str], dropped: Mapping[str, int]) -> list[str]:
    """All filters that were asked, in their order, then any other reasons."""
    return [*(known := dict.fromkeys(asked)), *(name for name in dropped if name not in known)]
