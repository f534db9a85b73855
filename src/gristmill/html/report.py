"""The report of a corpus as one file of HTML that needs nothing else, with a slider that works in it.

It is the same for the same corpus, byte by byte: no times, and no name of a folder unless one is given.
"""

from __future__ import annotations

from html import escape
from importlib import resources

from gristmill.corpus.reader import CorpusReader
from gristmill.html.report_parts import Links, funnels, group_table, stage_table, summary
from gristmill.html.report_scores import threshold_part
from gristmill.html.report_texts import copies_part, samples_part
from gristmill.report.breakdown import breakdown
from gristmill.report.copies import copies
from gristmill.report.overview import overview
from gristmill.report.samples import draw_samples
from gristmill.report.threshold import Thresholds, scores
from gristmill.report.totals import CorpusFigures

NAME = "report.html"
"""The report in the folder of a corpus."""
GROUPS = {
    "host": "Hosts",
    "lang": "Languages",
    "year": "Years",
    "kind": "Kinds of pages",
    "role": "Roles of blocks",
}
_SHOWN_ROWS = 20
_NO_LINKS = Links()
_PARTS = {
    "stages": "Stages",
    "groups": "Breakdown",
    "scores": "Threshold",
    "copies": "Repeated text",
    "samples": "Samples",
}


def static_text(name: str) -> str:
    """Read a style sheet or a script of this package."""
    return resources.files("gristmill.html").joinpath("static", name).read_text("utf-8")


def report_file(figures: CorpusFigures, name: str = "") -> str:
    """Make the page; `name` is what the corpus is called in its title."""
    stages = overview(figures).to_json()["stages"]
    found = copies(figures).to_json()
    table = scores(figures)
    cut = Thresholds(figures).cut(figures.corpus.config.clean.max_boilerplate).to_json()
    groups = "".join(f"<h3>{title}</h3>{_group(figures, by, title)}" for by, title in GROUPS.items())
    samples = [reason.to_json() for reason in draw_samples(figures)]
    bodies = {
        "stages": summary(stages) + funnels(stages) + stage_table(stages, _NO_LINKS),
        "groups": groups,
        "scores": threshold_part(cut, table, "", offline=True),
        "copies": copies_part(found, _NO_LINKS, 3),
        "samples": samples_part(samples, _NO_LINKS, 3),
    }
    return _page(f"Report of {name}" if name else "Report of a corpus", bodies, figures.state)


def _group(figures: CorpusFigures, by: str, title: str) -> str:
    is_date = by == "year"
    found = breakdown(figures, by, "value" if is_date else "words", limit=_SHOWN_ROWS)
    order = "the last ones first" if is_date else "most words first"
    return group_table(found.to_json(), _NO_LINKS, {}, f"{title}, {order}.")


def is_report_of(head: str, state: str) -> bool:
    """Tell whether a page that begins so is the report of a corpus in this state."""
    return _state(state) in head


def _state(state: str) -> str:
    return f'<meta name="state" content="{state}">'


def _page(title: str, bodies: dict[str, str], state: str) -> str:
    sections = "\n".join(
        f'<section id="{part}" aria-labelledby="{part}-title"><h2 id="{part}-title">{_PARTS[part]}</h2>{body}</section>'
        for part, body in bodies.items()
    )
    menu = "".join(f'<a href="#{part}">{title}</a>' for part, title in _PARTS.items())
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f'{_state(state)}<meta name="color-scheme" content="light dark">'
        f"<title>{escape(title)}</title><style>{static_text('report-file.css')}{static_text('report.css')}</style>"
        f'</head>\n<body>\n<header class="top"><nav class="rooms" aria-label="Parts">{menu}</nav></header>\n'
        f'<main><h1 dir="auto">{escape(title)}</h1>\n{sections}\n</main>\n'
        f"<script>{static_text('report.js')}</script>\n</body></html>\n"
    )


def make_report(corpus: CorpusReader, name: str = "") -> bytes:
    """Make the page of a corpus, as the bytes of a file."""
    return report_file(CorpusFigures(corpus), name).encode("utf-8", "replace")
