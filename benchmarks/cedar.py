"""Does content extraction help to detect duplicates? The experiment of CEDAR (Gibson, Wellner and Lubar 2008).

News pages of a gold standard tell each other's stories (`gristmill.evaluation.story_pages`), so that it is known which
pages belong together. Prints the tables and curves of section 6, beside the figures of the paper.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from harness import command_line, find_gold_sets, print_table, tell

from gristmill.evaluation.extraction import BEST, ENTIRE, HEURISTIC, REFERENCE, SIMPLE, Experiment, prepare
from gristmill.evaluation.gold import read_gold
from gristmill.evaluation.resemblance import Filters

Row = dict[str, Any]
_EXTRACTORS = {SIMPLE: ("58", "96.0 / 98.1"), BEST: ("80", "97.9 / 99.5")}
_AREAS = (
    (ENTIRE, Filters(), "0.94275"),
    (ENTIRE, Filters(min_block=5), "0.95883"),
    (ENTIRE, Filters(drop_frequent=0.075), "0.99751"),
    (HEURISTIC, Filters(), "0.91076"),
    (HEURISTIC, Filters(drop_frequent=0.075), "0.99500"),
    (HEURISTIC, Filters(drop_frequent=0.05, min_block=12), "0.99994"),
    (SIMPLE, Filters(), "0.9999922"),
    (BEST, Filters(), "0.9999933"),
    (REFERENCE, Filters(), "0.9999935"),
)
_TUNED = (
    (HEURISTIC, Filters(drop_frequent=0.05), "0.35: 0.890, 0.869"),
    (HEURISTIC, Filters(min_block=8), "0.40: 0.889, 0.889"),
    (HEURISTIC, Filters(drop_frequent=0.05, min_block=9), "0.35: 0.917, 0.917"),
    (BEST, Filters(), "0.40: 0.985, 0.985"),
    (SIMPLE, Filters(), "0.40: 0.985, 0.985"),
    (REFERENCE, Filters(), "0.40: 0.985, 0.985"),
)


def main() -> None:
    """Print the tables."""
    parser = command_line(__doc__ or "")
    parser.add_argument("--set", default="l3s-gn1", help="gold standard of news pages (default: l3s-gn1)")
    parser.add_argument("--limit", type=int, default=0, help="so many pages of it (default: all)")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    path = find_gold_sets(options.gold, [options.set])[0]
    pages = read_gold([path])[0].pages
    experiment = prepare(pages[: options.limit or len(pages)], options.seed)
    stories = len(set(experiment.stories.tolist()))
    tell(f"{len(experiment.stories)} pages tell {stories} stories")
    tables = {
        "content extraction": list(extractors(experiment)),
        "AU-ROC, shingles of 2 words (Tables 1 and 2)": list(areas(experiment)),
        "threshold tuned on half of the stories (Table 3)": list(tuned(experiment)),
        "blocks of at least so many words (Figure 3)": list(curve(experiment, "min_block", range(1, 21))),
        "without the most frequent shingles (Figure 4)": list(
            curve(experiment, "drop_frequent", [at / 100 for at in range(11)])
        ),
        "words of a shingle (Figure 5)": list(curve(experiment, "shingle", range(1, 11))),
    }
    if options.json:
        print(json.dumps(tables, indent=1))
        return
    for title, rows in tables.items():
        print(f"\n{title}\n")
        print_table(list(rows[0]), [[str(value) for value in row.values()] for row in rows])


def extractors(experiment: Experiment) -> Iterator[Row]:
    """How well the extractors find the story."""
    for way, found in experiment.extractions.items():
        pages, blocks = _EXTRACTORS[way]
        ours = f"{100 * found.blocks.precision:.1f} / {100 * found.blocks.recall:.1f}"
        yield {
            "extractor": way,
            "pages without error": f"{100 * found.pages:.0f}",
            "paper": pages,
            "blocks P / R": ours,
            "paper's": blocks,
        }


def areas(experiment: Experiment) -> Iterator[Row]:
    """The areas of Tables 1 and 2."""
    for way, filters, paper in _AREAS:
        yield {"pages": _named(way, filters), "AU-ROC": str(experiment.area(way, filters)), "paper": paper}


def tuned(experiment: Experiment) -> Iterator[Row]:
    """The scores of Table 3."""
    for way, filters, paper in _TUNED:
        found = experiment.tuned(way, filters)
        yield {
            "pages": _named(way, filters),
            "threshold": f"{found.threshold:.2f}",
            "B-cubed P / R / F": _figures(found.clusters),
            "pairwise P / R / F": _figures(found.pairs),
            "paper: threshold, F, F": paper,
        }


def curve(experiment: Experiment, parameter: str, values: Any) -> Iterator[Row]:
    """The area for each value of a parameter, on entire pages; shingles of 6 words, as in the paper."""
    for value in values:
        filters = Filters(**{"shingle": 6, parameter: value})
        yield {parameter: value, "AU-ROC": str(experiment.area(ENTIRE, filters))}


def _named(way: str, filters: Filters) -> str:
    parts = [way]
    if filters.drop_frequent:
        parts.append(f"frequent {100 * filters.drop_frequent:g}%")
    if filters.min_block > 1:
        parts.append(f"blocks of {filters.min_block}")
    return ", ".join(parts)


def _figures(found: Any) -> str:
    return f"{found.precision:.3f} / {found.recall:.3f} / {found.f1:.3f}"


if __name__ == "__main__":
    main()
