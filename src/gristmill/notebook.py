"""Show results in notebooks: HTML without scripts and style sheets, for light and dark; text from pages is escaped."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gristmill.document import Document

MOST_ROWS = 50
"""The number of rows of a table that are shown; the result has them all."""
SOFT = "opacity:.65"
"""The style of what is less important, with any colour of the text."""
_CELL = "padding:.15em .7em;vertical-align:top;"
_EXCERPT_CHARACTERS = 60
_MAX_BLOCKS = 30
_MAX_BLOCK_CHARACTERS = 2000
_TEXT = "margin:.4em 0;max-width:50em;white-space:pre-wrap;"
_KINDS = {"p": _TEXT, "h": f"{_TEXT}font-weight:bold", "l": f"{_TEXT}display:list-item;margin-inline-start:1.5em"}

Value = str | int | float | None
_two_decimals = "{:,.2f}".format


def excerpt(text: str, length: int = _EXCERPT_CHARACTERS) -> str:
    """The beginning of a text, in one line."""
    line = " ".join(text[: length * 4].split())
    return line if len(line) <= length and len(text) <= length * 4 else line[: length - 1] + "…"


def link(url: str, text: str, title: str = "") -> str:
    """Make a link to a page of the web; for other addresses the text alone."""
    hint = f' title="{escape(title)}"' if title else ""
    if url.lower().startswith(("http://", "https://")):
        attributes = 'style="color:inherit" target="_blank" rel="noopener noreferrer"'
        return f'<a href="{escape(url)}" {attributes}{hint}>{escape(text)}</a>'
    return f"<span{hint}>{escape(text)}</span>"


def html_table(
    headings: Sequence[str],
    rows: Sequence[Sequence[Value]],
    summary: str = "",
    most: int = MOST_ROWS,
    shows: Sequence[Callable[[float], str]] = (),
) -> str:
    """A table under its summary: text to the left, numbers to the right.

    `shows` says for each column how its fractions are written; without it they have two decimals.
    """
    if not rows:
        return paragraph(summary)
    shown = rows[:most]
    sides = [
        "right" if any(isinstance(row[place], int | float) for row in shown) else "left"
        for place in range(len(headings))
    ]
    formats = shows or [_two_decimals] * len(headings)
    head = "".join(_cell("th", heading, side) for heading, side in zip(headings, sides, strict=True))
    body = "".join(_row(row, formats, sides) for row in shown)
    more = f"{len(shown):,} of {len(rows):,} rows" if len(shown) < len(rows) else ""
    return f"{paragraph(summary)}<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{paragraph(more)}"


def facts_table(facts: Sequence[tuple[str, str]]) -> str:
    """Make a table of names and values; empty values are left out."""
    rows = "".join(
        f"<tr>{_cell('th', name, 'left')}{_cell('td', value, 'left')}</tr>" for name, value in facts if value
    )
    return f"<table><tbody>{rows}</tbody></table>"


def paragraph(text: str) -> str:
    """Make a line in soft colour that says something about what is shown; nothing if it is empty."""
    return f'<p style="margin:.3em 0;{SOFT}">{escape(text)}</p>' if text else ""


def document_html(document: Document) -> str:
    """Show the title of a document, its metadata, and the beginning of its text."""
    kept = document.kept()
    facts = [
        ("address", document.url),
        ("language", document.lang),
        ("author", document.author),
        ("published", document.published),
        ("site", document.site_name),
        ("text", f"{document.words:,} words in {len(kept):,} of {len(document.blocks):,} blocks"),
        ("dropped", f"{document.dropped} {document.detail}".strip()),
    ]
    blocks = "".join(
        f'<p dir="auto" style="{_KINDS[block.kind]}">{escape(block.text[:_MAX_BLOCK_CHARACTERS])}</p>'
        for block in kept[:_MAX_BLOCKS]
    )
    more = paragraph(f"{_MAX_BLOCKS} of {len(kept):,} blocks" if len(kept) > _MAX_BLOCKS else "")
    return f'<p dir="auto"><b>{escape(document.title or document.id)}</b></p>{facts_table(facts)}{blocks}{more}'


def _row(row: Sequence[Value], shows: Sequence[Callable[[float], str]], sides: Sequence[str]) -> str:
    cells = (_cell("td", _text(value, show), side) for value, show, side in zip(row, shows, sides, strict=True))
    return f"<tr>{''.join(cells)}</tr>"


def _cell(element: str, text: str, side: str) -> str:
    return f'<{element} dir="auto" style="{_CELL}text-align:{side}">{escape(text)}</{element}>'


def _text(value: Value, show: Callable[[float], str]) -> str:
    if value is None:
        return "–"
    if isinstance(value, float):
        return show(value)
    return f"{value:,}" if isinstance(value, int) else value
