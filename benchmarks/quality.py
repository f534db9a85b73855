"""Whether cleaning is as good as it was: fails if a method's F1 on a gold standard is below its floor.

F1 is that of words in no order, as a mean over the pages, as `gristmill evaluate --metric multiset` shows it. Floors
are a little below what was measured on all pages of a set, so that they hold on another machine and break when
something got worse.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from harness import at_least_one, command_line, find_gold_sets, print_table, tell

from gristmill.evaluation import evaluate, read_gold, summarise

Floors = Mapping[tuple[str, str], float]

FLOORS: Floors = {
    # What `mill` has in cross-validation; on the pages that it was trained on it is better.
    ("mill", "canola"): 0.880,
    ("mill", "cleaneval"): 0.936,
    ("mill", "cleanportaleval"): 0.938,
    ("mill", "daniel-a"): 0.937,
    ("mill", "dragnet-a"): 0.927,
    ("mill", "l3s-gn1"): 0.955,
    ("mill", "wcxb-a"): 0.823,
    ("justext", "canola"): 0.903,
    ("justext", "cleaneval"): 0.879,
    ("justext", "cleanportaleval"): 0.837,
    ("justext", "daniel-a"): 0.846,
    ("justext", "dragnet-a"): 0.733,
    ("justext", "l3s-gn1"): 0.870,
    ("justext", "wcxb-a"): 0.660,
}


@dataclass(frozen=True, slots=True)
class Check:
    """What was measured, and what is the least that it must be."""

    method: str
    gold_set: str
    pages: int
    f1: float
    floor: float

    @property
    def holds(self) -> bool:
        """Whether it is good enough."""
        return self.f1 >= self.floor


def check(floors: Floors, paths: Sequence[Path], limit: int | None, workers: int) -> list[Check]:
    """Measure every method that has a floor on the sets that it has one for."""
    checks = []
    for gold_set in (found.select(limit=limit) for path in paths for found in read_gold([path])):
        methods = [method for method, name in floors if name == gold_set.name]
        if not methods:
            continue
        tell(f"{gold_set.name}: {len(gold_set.pages)} pages, {', '.join(methods)}")
        for summary in summarise(evaluate([gold_set], methods, workers=workers)):
            f1 = summary.overall["multiset"]["f1"]
            checks.append(
                Check(summary.method, gold_set.name, len(gold_set.pages), f1, floors[summary.method, gold_set.name])
            )
    return checks


def print_figures(checks: Sequence[Check]) -> None:
    """A row a method and set."""
    rows = [
        [f"{c.method} on {c.gold_set}", str(c.pages), f"{c.f1:.4f}", f"{c.floor:.4f}", "ok" if c.holds else "BELOW"]
        for c in checks
    ]
    print_table(["multiset F1", "pages", "F1", "floor", ""], rows)


def read_arguments() -> argparse.Namespace:
    """The options of this run."""
    parser = command_line(f"Quality floors of the cleaning methods. {__doc__}")
    parser.add_argument(
        "--sets", default="", metavar="A,B", help="gold standards, by the names of their files (default: all)"
    )
    parser.add_argument(
        "--method", default="", metavar="A,B", help="only these methods (default: all that have floors)"
    )
    parser.add_argument(
        "--limit", type=at_least_one, metavar="N", help="pages of each gold standard; the floors are for all of them"
    )
    parser.add_argument("--workers", type=at_least_one, default=1, metavar="N", help="worker processes (default: 1)")
    return parser.parse_args()


def main() -> None:
    """Measure, print, and end with 1 if a floor was broken."""
    arguments = read_arguments()
    wanted = {name for name in arguments.method.split(",") if name}
    floors = {key: floor for key, floor in FLOORS.items() if not wanted or key[0] in wanted}
    if not floors:
        sys.exit(
            f"No method of {arguments.method} has a floor. These have: "
            f"{', '.join(dict.fromkeys(method for method, _ in FLOORS))}."
        )
    paths = find_gold_sets(arguments.gold, [name for name in arguments.sets.split(",") if name])
    checks = check(floors, paths, arguments.limit, arguments.workers)
    if not checks:
        sys.exit(f"Nothing was measured: no floor is for {', '.join(path.stem for path in paths)}.")
    if arguments.json:
        print(
            json.dumps(
                [
                    {"method": c.method, "set": c.gold_set, "f1": c.f1, "floor": c.floor, "holds": c.holds}
                    for c in checks
                ],
                indent=2,
            )
        )
    else:
        print_figures(checks)
    sys.exit(not all(c.holds for c in checks))


if __name__ == "__main__":
    main()
