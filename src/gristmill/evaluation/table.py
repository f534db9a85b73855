"""Format figures as a table of text, and register the metrics that choose its columns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, cast

from gristmill.evaluation.summary import Figures, Summary
from gristmill.registry import Registry, part, parts_of


@dataclass(frozen=True, slots=True)
class Metric:
    """The columns of a table, and the figure by which its rows are sorted; figures are named by a path of names."""

    columns: dict[str, str]
    key: str
    numbers: Callable[[float], str] = "{:.3f}".format


METRICS: Registry[Metric] = parts_of("metric")

_UNKNOWN = "-"

_PRF = {"P": "precision", "R": "recall", "F1": "f1", "F0.5": "f05"}
_LAST = {"multiset F1": "multiset.f1", "95% interval": "multiset.f1_interval", "ms/page": "ms"}

part("metric", "words")(Metric({name: f"words.{path}" for name, path in _PRF.items()} | _LAST, "words.f1"))
part("metric", "macro")(Metric({name: f"macro.{path}" for name, path in _PRF.items()} | _LAST, "macro.f1"))
part("metric", "multiset")(
    Metric(
        {"P": "multiset.precision", "R": "multiset.recall", "F1": "multiset.f1", **dict(list(_LAST.items())[1:])},
        "multiset.f1",
    )
)
part("metric", "cleaneval")(
    Metric(
        {
            "text only": "cleaneval.text_only",
            "text and markup": "cleaneval.text_and_markup",
            "final": "cleaneval.final",
            **{f"tag {name}": f"cleaneval.tags.{path}" for name, path in list(_PRF.items())[:3]},
        },
        "cleaneval.text_only",
    )
)
part("metric", "nodes")(
    Metric(
        {f"{name} {least}": f"nodes.reliability_{least}.{path}" for least in (100, 0) for name, path in _PRF.items()},
        "nodes.reliability_0.f1",
    )
)
part("metric", "undecided")(
    Metric({name: f"nodes.words_with_undecided.{path}" for name, path in _PRF.items()}, "nodes.words_with_undecided.f1")
)
part("metric", "fragments")(
    Metric(
        {
            "mean length": "fragments.mean_length",
            "median length": "fragments.median_length",
            "per page": "fragments.per_page",
            "perfect: mean": "nodes.perfect_fragments.mean_length",
            "median": "nodes.perfect_fragments.median_length",
            "per page ": "nodes.perfect_fragments.per_page",
        },
        "fragments.mean_length",
        "{:.1f}".format,
    )
)


def look_up(figures: Figures, path: str) -> float | tuple[float, float] | None:
    """Look up the figure at a path of names such as `words.f1`; None if there is none."""
    found: Any = figures
    for name in path.split("."):
        found = found.get(name) if isinstance(found, dict) else None
    return cast("float | tuple[float, float] | None", found)


def rows(summaries: Sequence[Summary], metric: Metric) -> list[tuple[bool, list[str]]]:
    """Make a row for each method, and below it a row for each gold standard if there are several.

    A row comes as whether it is that of a gold standard, and its cells. Gold standards without figures for the metric
    are left out.
    """
    found = []
    for summary in by_figure(summaries, metric.key):
        found.append((False, [summary.method, *cells(summary.overall, metric)]))
        if len(summary.sets) > 1:
            of_sets = [[name, *cells(figures, metric)] for name, figures in summary.sets.items()]
            found += [(True, row) for row in of_sets if set(row[1:]) != {_UNKNOWN}]
    return found


def by_figure(summaries: Sequence[Summary], path: str) -> list[Summary]:
    """Sort the methods by a figure, the best first."""
    return sorted(summaries, key=lambda summary: -_number(summary, path))


def _number(summary: Summary, path: str) -> float:
    value = look_up(summary.overall, path)
    return value if isinstance(value, float) else 0.0


def cells(figures: Figures, metric: Metric) -> list[str]:
    """Format the figures of one row."""
    return [_cell(look_up(figures, path), path, metric) for path in metric.columns.values()]


def _cell(value: float | tuple[float, float] | None, path: str, metric: Metric) -> str:
    if value is None:
        return _UNKNOWN
    if isinstance(value, tuple):
        return f"{value[0]:.3f}-{value[1]:.3f}"
    return f"{value:.2f}" if path == "ms" else metric.numbers(value)


def text_table(summaries: Sequence[Summary], metric: Metric) -> str:
    """Format a table of text, with names aligned left and figures aligned right."""
    lines = [
        ["method", *metric.columns],
        *(["  " + row[0], *row[1:]] if inner else row for inner, row in rows(summaries, metric)),
    ]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join(
        "  ".join(
            [f"{line[0]:{widths[0]}}", *(f"{cell:>{width}}" for cell, width in zip(line[1:], widths[1:], strict=True))]
        ).rstrip()
        for line in lines
    )
