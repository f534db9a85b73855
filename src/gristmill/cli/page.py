"""How `gristmill clean` shows a page."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable

from gristmill.cleaning.cleaneval import marked
from gristmill.cli.judged import judged_page
from gristmill.document import Document
from gristmill.registry import Registry

PAGE_FORMATS: Registry[Callable[[Document], str]] = Registry("output format")


@PAGE_FORMATS.register("text")
def text(document: Document) -> str:
    """The clean text."""
    return document.text + "\n" if document.text else ""


@PAGE_FORMATS.register("markup")
def markup(document: Document) -> str:
    """CleanEval's markup: `<h>`, `<p>` or `<l>` before each block."""
    return marked(document.kept())


@PAGE_FORMATS.register("json")
def as_json(document: Document) -> str:
    """Everything that is known of the page and its blocks."""
    record = dataclasses.asdict(document)
    record["digest"] = document.digest.hex()
    record["text"] = document.text
    for item, block in zip(record["blocks"], document.blocks, strict=True):
        item["quantile"] = block.quantile
    return json.dumps(record, ensure_ascii=False, indent=1) + "\n"


PAGE_FORMATS.register("html")(judged_page)
