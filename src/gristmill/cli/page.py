"""Output formats of `gristmill clean`, by name."""

from __future__ import annotations

import json
from collections.abc import Callable

from gristmill.cleaning.cleaneval import marked
from gristmill.document import Document
from gristmill.html.judged import judged_page
from gristmill.registry import Registry

PAGE_FORMATS: Registry[Callable[[Document], str]] = Registry("output format")


@PAGE_FORMATS.register("text")
def text(document: Document) -> str:
    """Show the clean text."""
    return document.text + "\n" if document.text else ""


@PAGE_FORMATS.register("markup")
def markup(document: Document) -> str:
    """Show CleanEval's markup: `<h>`, `<p>` or `<l>` before each block."""
    return marked(document.kept())


@PAGE_FORMATS.register("json")
def as_json(document: Document) -> str:
    """Show everything that is known of the page and its blocks."""
    return json.dumps(document.to_json(derived=True), ensure_ascii=False, indent=1) + "\n"


PAGE_FORMATS.register("html")(judged_page)
