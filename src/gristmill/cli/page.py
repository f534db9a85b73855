"""How `gristmill clean` shows a page."""

from __future__ import annotations

import dataclasses
import html
import json
from collections.abc import Callable

from gristmill.document import Block, Document
from gristmill.registry import Registry

PAGE_FORMATS: Registry[Callable[[Document], str]] = Registry("output format")

_STYLE = (
    "body{font:16px/1.5 sans-serif;max-width:50em;margin:2em auto;padding:0 1em}"
    ".b{color:#999;border-left:3px solid #ddd;padding-left:.6em;font-size:85%}"
    ".t{border-left:3px solid #4a4;padding-left:.6em}small{color:#666;font-weight:normal}"
)
_TAGS = {"h": "h3", "l": "li", "p": "p"}


@PAGE_FORMATS.register("text")
def text(document: Document) -> str:
    """The clean text, a block a line."""
    return document.text + "\n" if document.text else ""


@PAGE_FORMATS.register("markup")
def markup(document: Document) -> str:
    """CleanEval's markup: `<h>`, `<p>` or `<l>` before each block."""
    return "".join(f"<{block.kind}>{block.text}\n" for block in document.kept())


@PAGE_FORMATS.register("json")
def as_json(document: Document) -> str:
    """Everything that is known of the page and its blocks."""
    record = dataclasses.asdict(document)
    record["digest"] = document.digest.hex()
    return json.dumps(record, ensure_ascii=False, indent=1) + "\n"


@PAGE_FORMATS.register("html")
def as_html(document: Document) -> str:
    """A page that shows all blocks, boilerplate in grey, each with its label and score."""
    kept = {id(block) for block in document.kept()}
    items = "\n".join(_item(block, id(block) in kept) for block in document.blocks)
    title = html.escape(document.title or document.url or "page")
    facts = html.escape(f"{document.lang} · {document.encoding} ({document.encoding_from}) · {document.method}")
    return (
        f'<!DOCTYPE html>\n<html lang="{html.escape(document.lang)}"><head><meta charset="utf-8"><title>{title}</title>'
        f"<style>{_STYLE}</style></head>\n<body>\n<h1>{title}</h1>\n<p><small>{facts}</small></p>\n{items}\n</body></html>\n"
    )


def _item(block: Block, is_text: bool) -> str:
    tag = _TAGS[block.kind]
    note = html.escape(f"{block.label} {block.score:.2f} {block.path}")
    return f'<{tag} class="{"t" if is_text else "b"}" title="{note}">{html.escape(block.text)} <small>{block.score:.1f}</small></{tag}>'
