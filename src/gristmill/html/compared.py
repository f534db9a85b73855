"""A page of HTML that shows a document beside the first copies of its blocks, with what differs marked.

Text from the web is escaped. `gristmill duplicates` writes it.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from gristmill.corpus.copies import Relative, TracedBlock, TracedDocument
from gristmill.corpus.differences import Comparison, Cut, Side
from gristmill.corpus.side_by_side import (
    COMMON_PARTS,
    MAX_RELATIVES,
    common_parts,
    compared,
    facts,
    more_relatives,
    origin,
    relation,
    relations,
)
from gristmill.html.page import html_facts, html_page
from gristmill.wording import plural

_TAGS: dict[Side, str] = {"both": "", "here": "ins", "there": "del"}
_STYLE = """
body{max-width:84rem}h2{font-size:1rem;font-weight:600;margin:0 0 .3rem}dl{margin-bottom:1.6rem}
table{border-collapse:collapse;font-size:.9rem;margin:0 0 1.6rem;font-variant-numeric:tabular-nums}
td{padding:.1rem 1.4rem .1rem 0;vertical-align:top;overflow-wrap:anywhere}\
td:first-child,td:nth-child(2){white-space:nowrap}
.b{grid-template-columns:5.4rem minmax(0,1fr) minmax(0,1fr);gap:1.2rem;padding:.3rem .6rem}
.b>div:first-child,.b small{color:var(--soft);font-size:.8rem;font-variant-numeric:tabular-nums}
.b>div:first-child b{color:var(--ink)}.b small{display:block;overflow-wrap:anywhere}
.unique{--hue:165}.stub{--hue:45;border-left-style:dotted}.duplicate{--hue:8;border-left-style:dashed}.other{--hue:0}
ins,del{border-radius:.2rem;padding:0 .1rem;color:inherit}
ins{background:hsl(150 60% 45%/.3);text-decoration:underline;text-underline-offset:.2em}
del{background:hsl(8 70% 50%/.28);text-decoration:line-through;text-decoration-thickness:1px}
.top{--hue:0;border-left-color:transparent;position:sticky;top:0;background:var(--page);color:var(--soft);font-size:.85rem}
@media(max-width:40rem){.b{grid-template-columns:minmax(0,1fr);gap:.2rem}.top{display:none}}
"""
_NOTE = (
    "Left the blocks of this document that cleaning kept, right where each stands first. "
    "<ins>Only here</ins>, <del>only there</del>. "
    "Solid: unique. Dashed: duplicate. Dotted: a stub between duplicates. "
    "The percentage is the share of the block that is repeated."
)
_TOP = '<div class="b top" lang="en"><div>block</div><div>this document</div><div>first copy</div></div>'


def compared_page(document: TracedDocument, copies: Sequence[Relative] | None) -> str:
    """Make a page of what is known, the documents that share text with it, and its blocks in two columns."""
    blocks = "\n".join(_block(block, document) for block in document.blocks)
    body = [
        html_facts({**facts(document), "title": ""}),
        *(_relatives(title.capitalize(), found, document) for title, found in relations(document, copies)),
        _table(COMMON_PARTS.capitalize(), list(common_parts(document))) if document.passages else "",
        f'<p class="note" lang="en">{_NOTE}</p>',
        f"{_TOP}\n{blocks}" if blocks else '<p lang="en">Cleaning kept no block of this document.</p>',
    ]
    title = document.title or document.url or f"document {document.id}"
    return html_page(title, document.lang, _STYLE, "\n".join(filter(None, body)))


def _relatives(title: str, relatives: Sequence[Relative], document: TracedDocument) -> str:
    rows = [relation(relative, document) for relative in relatives[:MAX_RELATIVES]]
    return _table(title, rows, more_relatives(relatives))


def _table(title: str, rows: Sequence[Sequence[str]], more: str = "") -> str:
    """Make a table of three columns under a title, and below it what is not shown."""
    cells = ["".join(f'<td dir="auto">{escape(cell)}</td>' for cell in row) for row in rows]
    if more:
        cells.append(f'<td colspan="3">{more}</td>')
    table = f'<table lang="en">{"".join(f"<tr>{row}</tr>" for row in cells)}</table>' if cells else ""
    return f'<h2 lang="en">{title}</h2>{table}'


def _block(block: TracedBlock, document: TracedDocument) -> str:
    comparison = compared(block)
    share = f"<br>{block.share:.0%}" if block.copy else ""
    there = ""
    if block.copy:
        lines = origin(block.copy, document)
        there = "".join(f'<small lang="en" dir="auto">{escape(line)}</small>' for line in lines)
        there += _side(comparison, "there", comparison.there) if block.copy.text is not None else ""
    verdict = escape(block.verdict)
    return (
        f'<div class="b {verdict or "other"}">'
        f'<div lang="en">{block.number}<br><b>{verdict or "not compared"}</b>{share}</div>'
        f"<div>{_side(comparison, 'here', comparison.here)}</div><div>{there}</div></div>"
    )


def _side(comparison: Comparison, side: Side, cut: Cut) -> str:
    """Write one of the two texts, with marks on what the other does not have."""
    parts = []
    for piece in comparison.of(side):
        tag = _TAGS[piece.side]
        parts.append(f"<{tag}>{escape(piece.text)}</{tag}>" if tag else escape(piece.text))
    before, after = (
        f'<small lang="en">… {plural(count, "word")} {where} not shown</small>' if count else ""
        for count, where in ((cut.before, "before"), (cut.after, "after"))
    )
    return f'{before}<p dir="auto">{"".join(parts)}</p>{after}'
