"""The funnel as two columns of text: what each stage was given, what it dropped and why, and what is left."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from gristmill.cli.terminal import safe_lines

if TYPE_CHECKING:
    from gristmill.corpus import CorpusReader
    from gristmill.corpus.funnel import Funnel, Step

_WORDED = frozenset({"languages", "boilerplate", "dropped blocks"})
"""Lines whose values are words, which may be wider than the column of numbers."""


def show_funnel(corpus: CorpusReader, as_json: bool) -> None:
    """Print the funnel of a corpus."""
    from gristmill.corpus.funnel import funnel

    found = funnel(corpus)
    print(json.dumps(found.to_json(), indent=2) if as_json else safe_lines(funnel_table(found)))


def funnel_table(funnel: Funnel) -> str:
    """Lay out a funnel: numbers flush right; behind those of filters their share of all pages or blocks of text."""
    size, boilerplate = funnel.size, funnel.boilerplate
    rows = [
        *map(_row, funnel.pages),
        *([("", "", ""), *map(_row, funnel.blocks)] if funnel.blocks else []),
        ("", "", ""),
        *((name, f"{size[name]:,}", "") for name in ("documents", "blocks", "words", "bytes")),
        ("boilerplate", "-" if boilerplate is None else f"{boilerplate:.1%} of words, without repeated text", ""),
        *([("dropped blocks", f"{funnel.filtered:.1%} of words", "")] if size.get("filtered_words") else []),
        ("languages", ", ".join(f"{lang} {count:,}" for lang, count in size["languages"].items()) or "-", ""),
    ]
    left = max(len(label) for label, _, _ in rows)
    right = max(len(value) for label, value, _ in rows if label not in _WORDED)
    return "\n".join(f"{label:{left}}  {value:>{right}}  {share:>6}".rstrip() for label, value, share in rows)


def _row(step: Step) -> tuple[str, str, str]:
    label = f"  - {step.label}" if step.left_out else step.label
    return label, f"{step.count:,}", "" if step.share is None else f"{step.share:.1%}"
