"""The scores in a report as HTML: histograms, and a slider that shows what another threshold would keep.

`static/report.js` moves the slider, in the web app and in the file alike; the numbers that it needs are in the page.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from html import escape
from typing import Any

from gristmill.html.pictures import histogram
from gristmill.html.report_parts import Json, number, percent, table


def cut_table(cut: Json) -> str:
    """Show what a threshold would keep; `report.js` changes the numbers as the slider moves."""
    rows = [
        f'<tr><th scope="row">{unit}</th>'
        + "".join(_cell(when, unit, cut[when][unit], cut["of"][unit]) for when in ("before", "after"))
        + f'<td class="n" data-of="{unit}">{number(cut["of"][unit])}</td></tr>'
        for unit in ("pages", "blocks", "words")
    ]
    heads = ["what:", "before filters and de-duplication", "after them, as the build decided", "all"]
    return f'<div class="cut">{table(heads, rows, "What would be kept.")}</div>'


def _cell(when: str, unit: str, count: int, whole: int) -> str:
    share = percent(count / whole if whole else None)
    return (
        f'<td class="n"><span data-cut="{when} {unit}">{number(count)}</span> '
        f'<span class="soft small" data-share="{when} {unit}">{share}</span></td>'
    )


def score_pictures(scores: Json, cut: Json) -> str:
    """Draw the histograms of blocks and of words by score."""
    parts = []
    for place, unit in ((4, "blocks"), (5, "words")):
        everything, chosen = [0] * (scores["steps"] + 1), [0] * (scores["steps"] + 1)
        for row in scores["rows"]:
            everything[row[3]] += row[place]
            if _is_chosen(row, cut["roles"], scores["roles"]):
                chosen[row[3]] += row[place]
        title = f"{unit.capitalize()} by boilerplate score, from 0 (text) to 1 (boilerplate)"
        picture = histogram(title, unit, everything, chosen, cut["max_boilerplate"])
        parts.append(f"<figure><figcaption>{title}</figcaption>{picture}</figure>")
    return f'<div class="histograms">{"".join(parts)}</div>'


def _is_chosen(row: Sequence[int], roles: Sequence[str] | None, names: Sequence[str]) -> bool:
    if roles is None:
        return bool(row[1])
    return not names[row[0]] or names[row[0]] in roles


def threshold_form(cut: Json, scores: Json, action: str) -> str:
    """Make the slider and the choice of roles; without a script a button sends the form."""
    there = {row[0] for row in scores["rows"]}
    boxes = "".join(
        f'<label class="check"><input type="checkbox" name="roles" value="{escape(role)}"'
        f"{' checked' if cut['roles'] and role in cut['roles'] else ''}> {escape(role)}</label>"
        for place, role in enumerate(scores["roles"])
        if role and place in there
    )
    roles = (
        '<fieldset class="roles"><legend>Roles that count as text (none ticked: as built, page by page)</legend>'
        f"{boxes}</fieldset>"
        if boxes
        else ""
    )
    limit = f"{cut['max_boilerplate']:g}"
    return (
        f'<form class="threshold" action="{escape(action)}" data-threshold>'
        f'<label class="slider"><span>Threshold: blocks with a higher boilerplate score are dropped</span>'
        f'<input type="range" name="max_boilerplate" min="0" max="1" step="0.01" value="{limit}"></label>'
        f'<output class="limit" aria-live="polite">{limit}</output>'
        f'{roles}<button type="submit" class="primary">Count</button></form>'
    )


def data_block(name: str, value: Any) -> str:
    """Put JSON into a page for scripts; it can't end the element that it is in."""
    text = json.dumps(value, separators=(",", ":"))
    for sign in "<>&":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return f'<script type="application/json" id="{name}">{text}</script>'


_NOTE = (
    "Counted block by block. <em>Before</em> is of all cleaned pages, whatever filters and de-duplication decided. "
    "<em>After</em> takes what these decided in the build for granted; an export with another threshold asks the "
    "filters anew, so it may differ a little from that."
)


def threshold_part(cut: Json, scores: Json, action: str, *, offline: bool) -> str:
    """Show the slider, what would be kept, and the histograms."""
    note = " In this file pages are counted for the roles of the build only." if offline else ""
    return (
        threshold_form(cut, scores, action)
        + cut_table(cut)
        + f'<p class="soft small">{_NOTE}{note}</p>'
        + score_pictures(scores, cut)
        + '<p class="legend soft small"><span class="key kept"></span> kept <span class="key out"></span> dropped for '
        'the score <span class="key all"></span> dropped for the role; heights grow with the square root.</p>'
        + data_block("score-data", scores)
    )
