"""A concordance in a notebook: key words in context, one below the other."""

from __future__ import annotations

import unicodedata
from html import escape
from typing import TYPE_CHECKING

from gristmill.notebook import SOFT, excerpt, link, paragraph
from gristmill.search.concordance.lines import AlignedText, Context, Line, cut_end, cut_start

if TYPE_CHECKING:
    from gristmill.search.concordance.concordance import Concordance

_MAX_LINES = 25
_CONTEXT_CHARACTERS = 50
_WIDE_CONTEXT_CHARACTERS = 25
"""Context in scripts whose characters take twice the room."""
_TITLE_CHARACTERS = 30
_BLOCK_END = " ¶ "
_CELL = "padding:.1em .3em;white-space:pre;"


def concordance_html(concordance: Concordance) -> str:
    """Show how many hits there are, and the first lines of them.

    A line has the document, what is to the left, the hit in bold, what is to the right, and the title; below it is what
    it is aligned with, in a parallel corpus of which that was asked.
    """
    lines = list(concordance.lines(0, _MAX_LINES, Context(characters=_CONTEXT_CHARACTERS)))
    rows = "".join(map(_row, lines))
    more = f"lines 1–{len(lines):,} of {len(concordance):,}" if len(lines) < len(concordance) else ""
    table = f"<table><tbody>{rows}</tbody></table>" if rows else ""
    return f"{paragraph(summary_of(concordance))}{table}{paragraph(more)}"


def summary_of(concordance: Concordance) -> str:
    """Say in a line how many hits there are, and in how much text."""
    hits = f"{concordance.total:,} hit{'' if concordance.total == 1 else 's'}"
    sample = "" if concordance.sampled_from is None else f"; a sample of {len(concordance):,}"
    return f"{hits} in {concordance.size:,} tokens, {concordance.per_million:,.2f} per million{sample}"


def _row(line: Line) -> str:
    # Who reads from the right looks there for what comes before the hit.
    left, right = cut_start(line.left, _room(line.left)), cut_end(line.right, _room(line.right))
    before, after = (right, left) if line.from_right else (left, right)
    title = line.title
    about = " · ".join(filter(None, (title, line.url)))
    cells = [
        f'<td style="{_CELL}text-align:left">{link(line.url, line.doc, about)}</td>',
        _cell(before, "right"),
        _cell(line.node, "center", "b"),
        _cell(after, "left"),
        f'<td dir="auto" style="{_CELL}text-align:left;{SOFT}">{escape(excerpt(title, _TITLE_CHARACTERS))}</td>',
    ]
    return f"<tr>{''.join(cells)}</tr>{_aligned_row(line.aligned) if line.aligned else ''}"


def _aligned_row(aligned: AlignedText) -> str:
    """Show what a line is aligned with, over the width of the line."""
    pieces = [(escape(text.replace("\n", _BLOCK_END)), marked) for text, marked in aligned.pieces]
    shown = "".join(f"<b>{text}</b>" if marked else text for text, marked in pieces) or "–"
    name = f'<td style="{_CELL}text-align:right;{SOFT}">{escape(aligned.lang)}</td>'
    return f'<tr>{name}<td colspan="4" dir="auto" style="text-align:left;white-space:normal">{shown}</td></tr>'


def _cell(text: str, side: str, element: str = "span") -> str:
    shown = escape(text.strip().replace("\n", _BLOCK_END))
    return f'<td style="{_CELL}text-align:{side}"><{element} dir="auto">{shown}</{element}></td>'


def _room(text: str) -> int:
    """Characters of context that there is room for, by the width of the script."""
    wide = sum(unicodedata.east_asian_width(character) in "WF" for character in text)
    return _WIDE_CONTEXT_CHARACTERS if wide * 2 > len(text) else _CONTEXT_CHARACTERS
