"""A page of HTML that shows how a cleaning method judged a web page: all its blocks, coloured by score.

Text from the web page is escaped. `gristmill clean --format html` writes it.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from gristmill.corpus.explain import about_block
from gristmill.document import Block, Document
from gristmill.html.page import html_facts, html_page
from gristmill.roles import ROLES, is_chosen
from gristmill.wording import plural

LETTERS = "abcdefghij"
_NOTE = (
    "Solid and in full colour: kept. Dashed and grey: not kept, for its score or its role. Point at a block for more."
)
HUES = (165, 155, 140, 115, 75, 45, 32, 20, 8, 355)
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
.roles{display:flex;flex-wrap:wrap;gap:.3rem .4rem;font-size:.75rem;margin:0 0 .8rem;padding:0;list-style:none}
.roles li{border:1px solid var(--line);border-radius:.3rem;padding:.1rem .5rem}
.roles .no{border-style:dashed;color:var(--soft)}.roles .no b{text-decoration:line-through}
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
    blocks = "\n".join(_block(block, document, id(block) in kept) for block in document.blocks)
    body = (
        f"{_facts(document)}\n{_legend(document.blocks, document.max_boilerplate)}\n{_roles(document)}\n"
        f'<p class="note" lang="en">{_NOTE}</p>\n'
        f"{blocks or '<p>This page has no visible text.</p>'}"
    )
    return html_page(document.title or document.url or "page without a title", document.lang, _STYLE + _colours(), body)


def _colours() -> str:
    return "".join(f".q{letter}{{--hue:{hue}}}" for letter, hue in zip(LETTERS, HUES, strict=True))


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
        "kind of page": f"{document.page_kind} ({document.page_kind_confidence:.0%} sure)"
        if document.page_kind
        else "",
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
    for number, letter in enumerate(LETTERS):
        found = [block for block in blocks if block.quantile == letter]
        words = sum(block.words for block in found)
        cells.append(
            f'<div class="q{letter}" title="{plural(len(found), "block")}, {plural(words, "word")}">'
            f"<b>{letter}</b> {number / 10:.1f}–{(number + 1) / 10:.1f}<small>{plural(words, 'word')}</small></div>"
        )
    side = ' class="far"' if threshold > 0.8 else ""
    marker = f'<i{side} style="left:{threshold:.1%}"><span>threshold {threshold:g}</span></i>'
    return f'<div class="legend" lang="en">{"".join(cells)}{marker}</div>'


def _roles(document: Document) -> str:
    """Write the roles that the page has, which of them count as text, and how many blocks and words have each."""
    items = []
    for role in ROLES:
        found = [block for block in document.blocks if block.role == role]
        if found:
            counts = f"{plural(len(found), 'block')}, {plural(sum(block.words for block in found), 'word')}"
            is_text = is_chosen(role, document.roles)
            opened, says = ("<li>", "counts as text") if is_text else ('<li class="no">', "left out")
            items.append(f"{opened}<b>{role}</b> {says}: {counts}</li>")
    return f'<ul class="roles" lang="en">{"".join(items)}</ul>' if items else ""


def _block(block: Block, document: Document, kept: bool) -> str:
    has_role = is_chosen(block.role, document.roles)
    role = f"{_role(block.role, has_role)} " if block.role else ""
    about = about_block(block, document, kept=kept)
    classes = f"b q{block.quantile} {block.kind}{'' if kept else ' out'}"
    return (
        f'<div class="{classes}" title="{escape(about)}"><span>{block.score:.3f} {block.quantile}</span>'
        f'<p dir="auto">{escape(block.text)}</p><span>{role}{escape(block.label)} &middot; {block.kind}</span></div>'
    )


def _role(role: str, is_text: bool) -> str:
    """Write a role, crossed out if it does not count as text."""
    return f"<b>{escape(role)}</b>" if is_text else f"<s>{escape(role)}</s>"
