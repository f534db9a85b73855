"""The parts of a report as HTML: what they share, stages, and groups. Text from the web is escaped.

They are made of the JSON that the figures in `gristmill.report` give, for the file that `gristmill report` writes and
for the pages of the web app alike. Only the links differ: the file has none to the pages of the corpus.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from gristmill.html.pictures import funnel_chart, share_bar
from gristmill.wording import duration, plural

Json = Mapping[str, Any]


def _nowhere(*_: object) -> str:
    return ""


@dataclass(frozen=True, slots=True)
class Links:
    """Where a report leads to; an empty address is no link."""

    page: Callable[[str, int | None], str] = _nowhere
    """The page of an id, at a block."""
    pages: Callable[[str, str], str] = _nowhere
    """The list of pages that have a value of `host`, `lang`, `year`, `kind` or `reason`."""


BAR_HEAD = '<th scope="col"><span class="visually-hidden">share as a bar</span></th>'
"""The head of a column of small bars."""


def number(value: float | None) -> str:
    """Write a number with commas; nothing as a dash."""
    return "–" if value is None else f"{value:,}"


def percent(value: float | None) -> str:
    """Write a share as percents."""
    return "–" if value is None else f"{value:.1%}"


def linked(text: str, address: str) -> str:
    """Make a link of text, or the text alone if there is no address; it may be in any script."""
    shown = f'<bdi dir="auto">{escape(text)}</bdi>'
    return f'<a href="{escape(address)}">{shown}</a>' if address else shown


def tiles(figures: Sequence[tuple[str, str]]) -> str:
    """Show the most important numbers."""
    items = "".join(f"<li><b>{escape(value)}</b><span>{escape(label)}</span></li>" for value, label in figures)
    return f'<ul class="figures">{items}</ul>'


def table(headings: Sequence[str], rows: Sequence[str], caption: str, name: str = "") -> str:
    """Lay out rows of HTML; a heading that is HTML begins with `<th`, and one with a colon at its end is of text."""
    cells = "".join(
        heading
        if heading.startswith("<th")
        else f'<th scope="col">{escape(heading[:-1])}</th>'
        if heading.endswith(":")
        else f'<th scope="col" class="n">{escape(heading)}</th>'
        for heading in headings
    )
    return (
        f'<div class="table" tabindex="0" role="region" aria-label="{escape(name or caption)}"><table>'
        f"<caption>{escape(caption)}</caption><thead><tr>{cells}</tr></thead>"
        f"<tbody>{''.join(rows)}</tbody></table></div>"
    )


def numbers(*values: str) -> str:
    """Make cells of numbers."""
    return "".join(f'<td class="n">{value}</td>' for value in values)


def summary(stages: Sequence[Json]) -> str:
    """Show what a corpus is in a few numbers."""
    by_name = {stage["name"]: stage for stage in stages}
    kept, text, cleaned = by_name["kept"], by_name["text"], by_name["cleaned"]
    return tiles(
        [
            (number(kept["pages"]), f"pages kept of {by_name['pages']['pages']:,}"),
            (number(kept["words"]), "words of kept text"),
            (number(kept["blocks"]), f"blocks kept of {cleaned['blocks']:,}"),
            (percent(_lost(text, "boilerplate", cleaned["words"])), "of words are boilerplate"),
            (percent(_lost(kept, "duplicate", by_name["filters"]["words"])), "of words of text are repeated"),
        ]
    )


def _lost(stage: Json, reason: str, whole: int) -> float | None:
    words = sum(loss["words"] for loss in stage["losses"] if loss["reason"] == reason)
    return words / whole if whole else None


def funnels(stages: Sequence[Json]) -> str:
    """Draw the funnels of pages and of words."""
    pages = [(stage["label"], stage["pages"]) for stage in stages if stage["name"] != "text"]
    words = [
        ("in all blocks" if stage["name"] == "cleaned" else stage["label"], stage["words"])
        for stage in stages
        if stage["words"] is not None
    ]
    pictures = [
        f"<figure><figcaption>{title}</figcaption>{funnel_chart(title, steps)}</figure>"
        for title, steps in (("Pages", pages), ("Words", words))
    ]
    return f'<div class="funnels">{"".join(pictures)}</div>'


def stage_table(stages: Sequence[Json], links: Links) -> str:
    """List all stages with what each left out and why; a share is of what the stage before it had left."""
    rows, before = [], None
    for stage in stages:
        rows += [_loss_row(loss, before, links) for loss in stage["losses"]]
        rows.append(
            f'<tr class="stage"><th scope="row">{escape(stage["label"])}</th>'
            f"{numbers(*(number(stage[unit]) for unit in ('pages', 'blocks', 'words')), '')}</tr>"
        )
        before = stage
    return table(
        ["stage, and what it left out:", "pages", "blocks", "words", "share"],
        rows,
        "What is left after each stage, and what was left out on the way there, and why.",
        "Stages",
    )


def _loss_row(loss: Json, before: Json | None, links: Links) -> str:
    unit = "words" if before and before["words"] is not None and loss["words"] is not None else "pages"
    whole, part = (before or {}).get(unit), loss[unit]
    address = links.pages("reason", loss["reason"]) if loss["is_page"] and loss["pages"] else ""
    none = "" if any(loss[name] for name in ("pages", "blocks", "words")) else " none"
    amounts = [f"−{loss[name]:,}" if loss[name] else "" for name in ("pages", "blocks", "words")]
    return (
        f'<tr class="loss{none}"><td>{linked(loss["label"], address)}</td>'
        f"{numbers(*amounts, percent(part / whole) if whole and part else '')}</tr>"
    )


def time_table(times: Sequence[Json]) -> str:
    """List how long stages took."""
    if not times:
        return (
            '<p class="soft">How long the stages took is not known on this machine. It is written down there when '
            "they run.</p>"
        )
    rows = [
        f'<tr><th scope="row">{escape(time["stage"])}</th>'
        + numbers(_seconds(time["seconds"]), f"{time['done']:,} of {time['units']:,}")
        + f"<td>{escape(time['ended'][:16].replace('T', ' '))}</td></tr>"
        for time in times
    ]
    return table(["stage:", "time", "shards done", "ended (UTC):"], rows, "How long the last run of each stage took.")


def _seconds(seconds: float) -> str:
    return f"{seconds:.1f} s" if seconds < 60 else duration(seconds)


_NAMES = {"lang": "language", "kind": "kind of page"}


def group_table(found: Json, links: Links, headings: Mapping[str, str], caption: str) -> str:
    """List the rows of a breakdown; `headings` has HTML for the heads of columns by name, such as links that sort."""
    by = found["by"]
    columns = ["value", *([] if by == "role" else ["pages", "kept"]), "words", "kept_words", "share"]
    titles = {"value": f"{_NAMES.get(by, by)}:", "kept_words": "kept words"}
    heads = [headings.get(name) or titles.get(name, name) for name in columns]
    rows = [_group_row(row, by, columns, links) for row in (found["sums"] | {"value": None}, *found["rows"])]
    return table([*heads, BAR_HEAD], rows, caption) + _more(found)


def _more(found: Json) -> str:
    more = found["total"] - len(found["rows"])
    return f'<p class="soft small">{plural(more, "more value")} not shown here.</p>' if more > 0 else ""


def _group_row(row: Json, by: str, columns: Sequence[str], links: Links) -> str:
    value = row["value"]
    if value is None:
        name, kind = "all", ' class="stage"'
    else:
        shown = str(value) if value else "(kept)" if by == "reason" else "(unknown)"
        name, kind = linked(shown, links.pages(by, value) if value else ""), ""
    amounts = [percent(row[name]) if name == "share" else number(row[name]) for name in columns[1:]]
    return (
        f'<tr{kind}><th scope="row">{name}</th>{numbers(*amounts)}<td class="bar">{share_bar(row["share"])}</td></tr>'
    )
