"""A page of HTML that shows how a cleaning method judged a web page: all its blocks, coloured by score.

Text from the web page is escaped. `gristmill clean --format html` writes it.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from gristmill.document import Block, Document
from gristmill.html.page import html_facts, html_page
from gristmill.wording import plural

_LETTERS = "abcdefghij"
_NOTE = "Solid and in full colour: kept. Dashed and grey: dropped as boilerplate. Point at a block for more."
_KINDS = {"p": "paragraph", "h": "heading", "l": "list item"}
_HUES = (165, 155, 140, 115, 75, 45, 32, 20, 8, 355)
"""Hues from green to red, one for each letter.

Who can't tell them apart sees the scores, and what is dropped is grey and dashed.
"""
_STYLE = """
.legend{position:relative;display:grid;grid-template-columns:repeat(10,1fr);font-size:.75rem;text-align:center;\
margin:0 0 .6rem}
.legend div{border-bottom:.4rem solid hsl(var(--hue) 60% 45%);background:hsl(var(--hue) 60% 45%/.14);padding:.2rem 0;\
overflow:hidden}
.legend small{display:block;color:var(--soft)}
.legend i{position:absolute;top:-1.4rem;bottom:-.2rem;width:0;border-left:2px solid var(--ink);font-style:normal;\
white-space:nowrap}
.legend i span{position:absolute;left:.3rem}.legend i.far span{left:auto;right:.3rem}
.b{grid-template-columns:4.2rem 1fr 9rem}
.b>:first-child,.b>:last-child{color:var(--soft);font-size:.8rem;line-height:1.9;font-variant-numeric:tabular-nums}
.b>:last-child{text-align:right;overflow-wrap:anywhere}
.h p{font-weight:650;font-size:1.1em}.l p::before{content:"•";margin-inline-end:.5em;color:var(--soft)}
.out{border-left-style:dashed}.out p{color:var(--soft);font-size:.88em}
@media(max-width:40rem){.b{grid-template-columns:4.2rem 1fr;gap:0 .8rem}
.b>:last-child{grid-column:2;text-align:left}.legend small{display:none}}
"""


def judged_page(document: Document) -> str:
    """Make a page of what is known, a legend, and the blocks in their order."""
    kept = {id(block) for block in document.kept()}
    blocks = "\n".join(_block(block, id(block) in kept) for block in document.blocks)
    body = (
        f"{_facts(document)}\n{_legend(document.blocks, document.max_boilerplate)}\n"
        f'<p class="note" lang="en">{_NOTE}</p>\n'
        f"{blocks or '<p>This page has no visible text.</p>'}"
    )
    return html_page(document.title or document.url or "page without a title", document.lang, _STYLE + _colours(), body)


def _colours() -> str:
    return "".join(f".q{letter}{{--hue:{hue}}}" for letter, hue in zip(_LETTERS, _HUES, strict=True))


def _facts(document: Document) -> str:
    words = document.words + document.boilerplate_words
    confidence = f" ({document.lang_confidence:.0%} sure)" if document.lang != "und" else " (not identified)"
    facts = {
        "address": document.url,
        "canonical": document.canonical,
        "author": _with_source(document, "author"),
        "published": _with_source(document, "published"),
        "site": _with_source(document, "site_name"),
        "categories": "; ".join(document.categories),
        "licence": _with_source(document, "licence"),
        "language": document.lang + confidence,
        "declared language": document.declared_lang,
        "encoding": f"{document.encoding} (by {document.encoding_from})" if document.encoding else "",
        "method": document.method,
        "threshold": f"blocks with a score of at most {document.max_boilerplate:g} are text",
        "kept": f"{document.text_blocks:,} of {plural(len(document.blocks), 'block')}, "
        f"{document.words:,} of {plural(words, 'word')}",
    }
    return html_facts(facts)


def _with_source(document: Document, name: str) -> str:
    """Return a field and where the page says so."""
    value, source = getattr(document, name), document.metadata_from.get(name, "")
    return f"{value} (by {source})" if value and source else value


def _legend(blocks: Sequence[Block], threshold: float) -> str:
    """Write the ten letters, how many blocks and words have each, and where the threshold lies."""
    cells = []
    for number, letter in enumerate(_LETTERS):
        found = [block for block in blocks if block.quantile == letter]
        words = sum(block.words for block in found)
        cells.append(
            f'<div class="q{letter}" title="{plural(len(found), "block")}, {plural(words, "word")}">'
            f"<b>{letter}</b> {number / 10:.1f}–{(number + 1) / 10:.1f}<small>{plural(words, 'word')}</small></div>"
        )
    side = ' class="far"' if threshold > 0.8 else ""
    marker = f'<i{side} style="left:{threshold:.1%}"><span>threshold {threshold:g}</span></i>'
    return f'<div class="legend" lang="en">{"".join(cells)}{marker}</div>'


def _block(block: Block, kept: bool) -> str:
    about = (
        f"{'kept' if kept else 'dropped'}: {block.label}, score {block.score:.4f} ({block.quantile})\n"
        f"{_KINDS[block.kind]}, {plural(block.words, 'word')}, {block.link_density:.0%} in links\n{block.path}"
    )
    classes = f"b q{block.quantile} {block.kind}{'' if kept else ' out'}"
    return (
        f'<div class="{classes}" title="{escape(about)}"><span>{block.score:.3f} {block.quantile}</span>'
        f'<p dir="auto">{escape(block.text)}</p><span>{escape(block.label)} &middot; {block.kind}</span></div>'
    )
