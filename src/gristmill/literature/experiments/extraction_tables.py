"""The tables and curves of CEDAR, beside its own figures: duplicates with and without content extraction.

Gibson, Wellner and Lubar, Identification of duplicate news stories in web pages (WAC4, 2008), section 6: Tables 1 to 3
and Figures 3 to 5. `gristmill evaluate` shows them with `--show extraction`. The paper draws its curves for one way to
reduce a page; here each way has one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from gristmill.curves import Axis, Curve, Panel
from gristmill.engine import Report, silent
from gristmill.evaluation.gold import GoldPage
from gristmill.evaluation.resemblance import Filters
from gristmill.experiment import SHARE, Section
from gristmill.experiment import Experiment as Result
from gristmill.literature.experiments.extraction import (
    BEST,
    ENTIRE,
    FITTINGS,
    HEURISTIC,
    REFERENCE,
    SIMPLE,
    Experiment,
    prepare,
)
from gristmill.notebook import Value
from gristmill.table import Column

_AREA = "{:.5f}".format
_SCORE = "{:.3f}".format
_EXTRACTORS = {SIMPLE: (0.58, 0.960, 0.981), BEST: (0.80, 0.979, 0.995)}
"""Pages without error, precision and recall of blocks in the paper (6.2)."""
_AREAS = (
    (ENTIRE, Filters(), 0.94275),
    (ENTIRE, Filters(min_block=5), 0.95883),
    (ENTIRE, Filters(drop_frequent=0.075), 0.99751),
    (HEURISTIC, Filters(), 0.91076),
    (HEURISTIC, Filters(drop_frequent=0.075), 0.99500),
    (HEURISTIC, Filters(drop_frequent=0.05, min_block=12), 0.99994),
    (SIMPLE, Filters(), 0.9999922),
    (BEST, Filters(), 0.9999933),
    (REFERENCE, Filters(), 0.9999935),
)
"""The rows of Tables 1 and 2, with the paper's area."""
_TUNED = (
    (HEURISTIC, Filters(drop_frequent=0.05), 0.890, 0.869),
    (HEURISTIC, Filters(min_block=8), 0.889, 0.889),
    (HEURISTIC, Filters(drop_frequent=0.05, min_block=9), 0.917, 0.917),
    (BEST, Filters(), 0.985, 0.985),
    (SIMPLE, Filters(), 0.985, 0.985),
    (REFERENCE, Filters(), 0.985, 0.985),
    (REFERENCE, None, 0.890, 0.854),
)
"""The rows of Table 3, with the paper's F by B-cubed and by pairs; the last is the comparison of strings."""
_CURVES: tuple[tuple[str, str, Sequence[float], Callable[[float], Filters]], ...] = (
    ("min_block", "least words of a block", range(1, 21), lambda at: Filters(6, min_block=int(at))),
    ("drop_frequent", "% of the shingles left out", range(11), lambda at: Filters(6, drop_frequent=at / 100)),
    ("shingle", "words of a shingle", range(1, 11), lambda at: Filters(int(at))),
)
"""Figures 3, 4 and 5: the filter, what is across, its values; shingles of 6 words in the first two."""
_WAYS = (ENTIRE, HEURISTIC, SIMPLE, BEST, REFERENCE)
STEPS = FITTINGS + len(_AREAS) + len(_TUNED) + len(_WAYS) * sum(len(values) for _, _, values, _ in _CURVES)
"""How much is reported in all."""


def extraction(pages: Sequence[GoldPage], seed: int = 0, report: Report = silent) -> Result:
    """Repeat CEDAR's experiment on news pages of several sites, whose stories are told anew by some of them.

    Resemblance is computed for all pairs of pages that tell a story, with and without content extraction.
    """
    experiment = prepare(pages, seed, report)
    told, stories = len(experiment.stories), len(set(experiment.stories.tolist()))
    curves, panels = _curves(experiment, report)
    sections = [
        _extractors(experiment),
        _areas(experiment, report),
        _tuned(experiment, report),
        Section("curves", "Areas by filter", _CURVE_COLUMNS, curves, 0),
    ]
    return Result(
        "extraction",
        "Duplicates with and without content extraction: AU-ROC by filter",
        sections,
        {"pages": told, "stories": stories, "seed": seed},
        panels,
        f"{told:,} pages tell {stories:,} stories. Columns with CEDAR in their heading are figures of the paper, "
        "on other pages.",
    )


_CURVE_COLUMNS = (Column("filter"), Column("value"), Column("pages"), Column("area"), Column("deviation"))


def _extractors(experiment: Experiment) -> Section:
    """Say how well the extractors find the story (6.2)."""
    columns = (
        *(Column("extractor"), Column("pages", "pages without error", SHARE), Column("pages_cedar", "CEDAR", SHARE)),
        *(Column("precision", "blocks P", SHARE), Column("recall", "R", SHARE)),
        *(Column("precision_cedar", "CEDAR: P", SHARE), Column("recall_cedar", "R", SHARE)),
    )
    rows: list[list[Value]] = []
    for way, found in experiment.extractions.items():
        whole, *blocks = _EXTRACTORS[way]
        rows.append([way, found.pages, whole, found.blocks.precision, found.blocks.recall, *blocks])
    return Section("extractors", "How well the story is found", columns, rows)


def _areas(experiment: Experiment, report: Report) -> Section:
    """Measure the areas of Tables 1 and 2."""
    columns = (
        *(Column("pages"), Column("area", "AU-ROC", _AREA), Column("deviation", "±", _AREA)),
        Column("cedar", "CEDAR", "{:.7g}".format),
    )
    rows: list[list[Value]] = []
    for way, filters, paper in _AREAS:
        rows.append([_named(way, filters), *experiment.area(way, filters), paper])
        report(1)
    return Section("areas", "AU-ROC over all pairs, shingles of 2 words (Tables 1 and 2)", columns, rows)


def _tuned(experiment: Experiment, report: Report) -> Section:
    """Measure the scores of Table 3."""
    measures = ("clusters", "B-cubed"), ("pairs", "pairwise")
    columns = (
        *(Column("pages"), Column("threshold")),
        *(
            Column(f"{name}_{figure}", f"{heading} {figure[0].upper()}", _SCORE)
            for name, heading in measures
            for figure in ("precision", "recall", "f1")
        ),
        *(Column(f"{name}_cedar", f"CEDAR: {heading} F", _SCORE) for name, heading in measures),
    )
    rows: list[list[Value]] = []
    for way, filters, *paper in _TUNED:
        found = experiment.tuned(way, filters) if filters else experiment.identical(way)
        scores = [figure for item in (found.clusters, found.pairs) for figure in (item.precision, item.recall, item.f1)]
        rows.append([_named(way, filters) if filters else f"{way}, same words", found.threshold, *scores, *paper])
        report(1)
    return Section("tuned", "Threshold tuned on half of the stories (Table 3)", columns, rows)


def _curves(experiment: Experiment, report: Report) -> tuple[list[list[Value]], list[Panel]]:
    """Measure the area for each value of a filter and each way; draw Figures 3 to 5, with standard deviations."""
    rows: list[list[Value]] = []
    panels = []
    for number, (name, across, values, filters) in enumerate(_CURVES, 3):
        curves = []
        for way in _WAYS:
            found = []
            for value in values:
                found.append(experiment.area(way, filters(value)))
                rows.append([name, value, way, *found[-1]])
                report(1)
            points = [(value, area) for value, (area, _) in zip(values, found, strict=True)]
            curves.append(Curve(way, points, deviations=[deviation for _, deviation in found]))
        panels.append(Panel(f"Figure {number}: {across}", Axis(across), Axis("AU-ROC", high=1.0), curves))
    return rows, panels


def _named(way: str, filters: Filters) -> str:
    """Name a row: the way, and the filters that are not as usual."""
    parts = [way]
    if filters.drop_frequent:
        parts.append(f"without {100 * filters.drop_frequent:g}% of shingles")
    if filters.min_block > 1:
        parts.append(f"blocks of {filters.min_block} words")
    return ", ".join(parts)
