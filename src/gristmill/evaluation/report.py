"""Write an evaluation as one HTML page that needs no other files: a picture, tables, and the worst pages."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from gristmill.evaluation.inspect import Inspection, SeenBlock
from gristmill.evaluation.picture import Point, precision_recall_svg
from gristmill.evaluation.run import Evaluation
from gristmill.evaluation.summary import Summary
from gristmill.evaluation.table import METRICS, by_figure, cells, rows
from gristmill.version import __version__

_STYLE = """
body{font:15px/1.5 system-ui,sans-serif;color:#222;max-width:62rem;margin:2rem auto;padding:0 1.2rem;background:#fff}
h1{font-size:1.7rem}h2{font-size:1.25rem;margin-top:2.4rem}h3{font-size:1.05rem;margin:1.6rem 0 .4rem}
small,.note{color:#666}svg{width:100%;max-width:760px;height:auto;display:block}
.wide{overflow-x:auto}table{border-collapse:collapse;font-variant-numeric:tabular-nums;margin:.6rem 0}
th,td{padding:.25rem .8rem;text-align:right;border-bottom:1px solid #e6e6e0;white-space:nowrap}
th:first-child,td:first-child{text-align:left}thead th{border-bottom:2px solid #999;font-weight:600}
tr.method td:first-child{font-weight:600}tr.set td{color:#555}tr.set td:first-child{padding-left:1.8rem}
details{border:1px solid #e0e0da;border-radius:6px;margin:.4rem 0;padding:.4rem .8rem}summary{cursor:pointer}
.block{border-left:4px solid;margin:.25rem 0;padding:.1rem .6rem;overflow-wrap:anywhere}
.block small{float:right;margin-left:1rem}
.right{border-color:#3a7d44;background:#f0f7f0}.extra{border-color:#c8553d;background:#fdf1ee}
.lost{border-color:#d9a400;background:#fff9e3}.out{border-color:#ccc;color:#888}
.missed{color:#8a5a00;overflow-wrap:anywhere}.error{color:#a8321a}
.key span{padding:.1rem .6rem;margin-right:.6rem;display:inline-block}
"""
_KEY = (
    '<p class="key"><span class="block right">kept, in the gold</span>'
    '<span class="block extra">kept, not in the gold</span>'
    '<span class="block lost">dropped, in the gold</span><span class="block out">dropped, not in the gold</span></p>'
)
_EXPLAINED = {
    "words": (
        "Words aligned in their order, summed over the pages (micro). "
        "Multiset F1: words in no order, mean over the pages."
    ),
    "macro": "The same as a mean over the pages.",
    "multiset": "Words in no order, mean over the pages.",
    "cleaneval": "CleanEval's scores, and its segment markers.",
    "nodes": "Characters of text nodes that all annotators agree on (100), and of all (0).",
    "undecided": "Aligned words, with undecided text nodes as part of the gold text.",
    "fragments": "Unbroken stretches of kept text, in characters; and those of a perfect cleaning where it is known.",
}


def html_report(evaluation: Evaluation, summaries: Sequence[Summary]) -> str:
    """Write the whole report."""
    points = [
        Point(summary.method, summary.overall["words"]["precision"], summary.overall["words"]["recall"])
        for summary in summaries
    ]
    parts = [
        "<h1>Cleaning methods on gold standards</h1>",
        _sets(evaluation),
        "<h2>Precision against recall</h2>",
        precision_recall_svg(points),
        *_tables(summaries),
        *_errors(summaries),
        *_worst(evaluation, summaries),
    ]
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width">'
        f"<title>Cleaning methods on gold standards</title><style>{_STYLE}</style></head>\n<body>\n"
        + "\n".join(parts)
        + f'\n<p class="note">gristmill {escape(__version__)}</p>\n</body></html>\n'
    )


def _sets(evaluation: Evaluation) -> str:
    items = []
    for gold_set in evaluation.sets:
        left_out = ", ".join(f"{count} {reason}" for reason, count in sorted(gold_set.left_out.items()))
        items.append(f"{gold_set.name} ({len(gold_set.pages):,} pages{f'; left out: {left_out}' if left_out else ''})")
    mean = " A method's own row is the mean over the sets, each counting the same." if len(items) > 1 else ""
    return f'<p class="note">{escape("; ".join(items))}.{mean}</p>'


def _tables(summaries: Sequence[Summary]) -> list[str]:
    """Write a table of the methods, one of methods by gold standards, and all others to unfold."""
    words = METRICS["words"]
    overall = [(False, [summary.method, *cells(summary.overall, words)]) for summary in summaries]
    parts = [
        "<h2>Methods</h2>",
        f'<p class="note">{escape(_EXPLAINED["words"])}</p>',
        _table(overall, list(words.columns)),
    ]
    if len(summaries[0].sets) > 1:
        parts += ["<h2>Multiset F1 by gold standard</h2>", _by_set(summaries)]
    parts.append("<h2>All figures</h2>")
    for name, metric in METRICS.items():
        body = rows(summaries, metric)
        if any(cell != "-" for _, row in body for cell in row[1:]):
            about = (
                f'<summary><b>{escape(name)}</b> <span class="note">{escape(_EXPLAINED.get(name, ""))}</span></summary>'
            )
            parts.append(f"<details>{about}{_table(body, list(metric.columns))}</details>")
    return parts


def _by_set(summaries: Sequence[Summary]) -> str:
    """Write the table of methods by gold standards, the best of each column in bold."""
    figures = {
        summary.method: [of_set["multiset"]["f1"] or 0.0 for of_set in summary.sets.values()] for summary in summaries
    }
    best = [max(column) for column in zip(*figures.values(), strict=True)]
    head = "".join(f"<th>{escape(name)}</th>" for name in ("method", *summaries[0].sets))
    lines = []
    for summary in by_figure(summaries, "multiset.f1"):
        row = zip(figures[summary.method], best, strict=True)
        marked = "".join(f"<td>{f'<b>{value:.3f}</b>' if value == top else f'{value:.3f}'}</td>" for value, top in row)
        lines.append(f"<tr><td>{escape(summary.method)}</td>{marked}</tr>")
    return _framed(head, lines)


def _table(body: Sequence[tuple[bool, list[str]]], columns: Sequence[str]) -> str:
    head = "".join(f"<th>{escape(name)}</th>" for name in ("method", *columns))
    return _framed(
        head, [f'<tr class="{"set" if inner else "method"}">{_table_cells(row)}</tr>' for inner, row in body]
    )


def _framed(head: str, lines: Sequence[str]) -> str:
    body = "\n".join(lines)
    return f'<div class="wide"><table><thead><tr>{head}</tr></thead><tbody>\n{body}\n</tbody></table></div>'


def _table_cells(row: Sequence[str]) -> str:
    return "".join(f"<td>{escape(cell)}</td>" for cell in row)


def _errors(summaries: Sequence[Summary]) -> list[str]:
    items = [
        f"<li>{escape(summary.method)}: {count} &times; {escape(message[:300])}</li>"
        for summary in summaries
        for message, count in summary.overall["raised"].items()
    ]
    return ['<h2>Exceptions</h2><ul class="error">', *items, "</ul>"] if items else []


def _worst(evaluation: Evaluation, summaries: Sequence[Summary]) -> list[str]:
    parts = []
    for summary in summaries:
        pages = sorted(
            (page for result in evaluation.of(summary.method) for page in result.worst), key=lambda page: page.score.f1
        )
        if pages:
            parts += [f"<h3>{escape(summary.method)}</h3>", *map(_inspection, pages)]
    return ["<h2>The worst pages</h2>", _KEY, *parts] if parts else []


def _inspection(page: Inspection) -> str:
    counts = page.score.words
    figures = f"multiset F1 {page.score.f1:.3f}, P {counts.precision:.3f}, R {counts.recall:.3f}"
    facts = f"{page.gold_set} {page.score.id}: {figures}"
    parts = [f"<summary>{escape(facts)} <small>{escape(page.url)}</small></summary>"]
    if page.score.error:
        parts.append(f'<p class="error">{escape(page.score.error)}</p>')
    parts += map(_block, page.blocks)
    if page.more_blocks:
        parts.append(f'<p class="note">… and {page.more_blocks:,} more blocks</p>')
    if page.missed:
        parts.append(f"<p><b>{page.missed_words:,} gold words missed</b></p>")
        parts += [f'<p class="missed">{escape(passage)}</p>' for passage in page.missed]
    return "<details>" + "\n".join(parts) + "</details>"


def _block(block: SeenBlock) -> str:
    kind = ("right" if block.in_gold else "extra") if block.kept else ("lost" if block.in_gold else "out")
    return f'<div class="block {kind}"><small>{escape(block.label)} {block.score:.2f}</small>{escape(block.text)}</div>'
