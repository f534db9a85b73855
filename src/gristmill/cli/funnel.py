"""The funnel as a table: what each stage was given, what it dropped and why, and what is left."""

from __future__ import annotations

from gristmill.corpus import Corpus

_SKIPPED = {"broken": "broken records", "revisit": "revisits of stored pages", "other": "no pages (requests, metadata...)"}
_DROPPED = {
    "status": "redirects and errors",
    "content-type": "not HTML",
    "size": "too small or too large",
    "language": "wrong language",
    "length": "too short or too long",
}


def funnel_table(corpus: Corpus) -> str:
    """Two columns of text, the numbers set flush right."""
    counts, size = corpus.counts, corpus.size
    rows: list[tuple[str, str]] = [("records read", f"{counts['records']:,}")]
    rows += [(f"  - {words}", f"{counts['skipped'].get(reason, 0):,}") for reason, words in _SKIPPED.items()]
    rows.append(("pages read", f"{counts['pages']:,}"))
    rows += [(f"  - {_DROPPED.get(reason, reason)}", f"{count:,}") for reason, count in _in_order(counts["dropped"])]
    rows.append(("  - duplicates", f"{counts['duplicates']:,}"))
    rows.append(("kept", f"{counts['kept']:,}"))
    rows.append(("", ""))
    all_words = size["words"] + size["boilerplate_words"]
    rows += [
        ("documents", f"{size['documents']:,}"),
        ("blocks", f"{size['blocks']:,}"),
        ("words", f"{size['words']:,}"),
        ("bytes", f"{size['bytes']:,}"),
        ("boilerplate", f"{size['boilerplate_words'] / all_words:.1%} of words" if all_words else "-"),
        ("languages", ", ".join(f"{lang} {count:,}" for lang, count in size["languages"].items()) or "-"),
    ]
    left = max(len(label) for label, _ in rows)
    right = max(len(value) for label, value in rows if label not in {"languages", "boilerplate"})
    return "\n".join(f"{label:{left}}  {value:>{right}}".rstrip() for label, value in rows)


def _in_order(dropped: dict[str, int]) -> list[tuple[str, int]]:
    """All known reasons, in the order of the filters, then any others."""
    return [(reason, dropped.get(reason, 0)) for reason in [*_DROPPED, *(name for name in dropped if name not in _DROPPED)]]
