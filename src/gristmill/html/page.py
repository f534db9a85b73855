"""The frame of a page of HTML: its head, its style sheet, its title, and a list of what is known."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape

_STYLE = """
:root{color-scheme:light dark;--page:#fff;--ink:#1c1c1c;--soft:#666;--line:#ddd}
@media(prefers-color-scheme:dark){:root{--page:#16181a;--ink:#e8e8e6;--soft:#9a9a98;--line:#3a3d40}}
body{font:16px/1.5 system-ui,sans-serif;max-width:64rem;margin:2rem auto;padding:0 1rem;background:var(--page);\
color:var(--ink)}
h1{font-size:1.5rem;line-height:1.25;margin:0 0 .8rem;overflow-wrap:anywhere}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.1rem 1rem;margin:0 0 2.4rem;font-size:.9rem}
dt{color:var(--soft)}dd{margin:0;overflow-wrap:anywhere}
.note{color:var(--soft);font-size:.85rem;margin:0 0 1.6rem}
.b{display:grid;gap:.8rem;margin:.2rem 0;padding:.15rem .6rem;
border-left:.4rem solid hsl(var(--hue) 60% 45%);background:hsl(var(--hue) 60% 45%/.1)}
.b p{margin:0;overflow-wrap:anywhere;min-width:0;white-space:pre-wrap}
@media print{.b{break-inside:avoid}}
"""


def html_page(title: str, lang: str, style: str, body: str) -> str:
    """Make a whole page under its title; `body` is HTML, title and language are text."""
    title = escape(title)
    return (
        f'<!DOCTYPE html>\n<html lang="{escape(lang)}"><head><meta charset="utf-8">'
        f'<meta name="viewport" content="width=device-width,initial-scale=1"><title>{title}</title>'
        f"<style>{_STYLE}{style}</style></head>\n<body>\n"
        f'<h1 dir="auto">{title}</h1>\n{body}\n</body></html>\n'
    )


def html_facts(facts: Mapping[str, str]) -> str:
    """Make a list of names and values; what is empty is left out."""
    items = "".join(
        f'<dt>{escape(name)}</dt><dd dir="auto">{escape(value)}</dd>' for name, value in facts.items() if value
    )
    return f'<dl lang="en">{items}</dl>'
