"""Fuzz a target: `python -m fuzzing TARGET [--minutes N] [--seed N] [--case N]`, in the folder `tests`."""

from __future__ import annotations

import argparse
import faulthandler
import itertools
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import fuzzing.files
import fuzzing.kernel
import fuzzing.pages
import fuzzing.queries
import fuzzing.scans  # noqa: F401 (they register their targets)
from fuzzing.target import TARGETS, fuzz


def main() -> None:
    """Say what is found, once for each place, and how many cases were tried."""
    parser = argparse.ArgumentParser(prog="fuzzing")
    parser.add_argument("target", choices=list(TARGETS))
    parser.add_argument("--minutes", type=float, default=1, help="of processor time")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--case", type=int, help="this case only")
    parser.add_argument(
        "--log", type=Path, help="where the number of the case under way is kept, in case the process dies of it"
    )
    chosen = parser.parse_args()
    faulthandler.enable()
    seen: set[str] = set()
    last = 0

    def on_case(number: int) -> None:
        nonlocal last
        last = number
        if chosen.log:
            chosen.log.write_text(f"{chosen.target} --seed {chosen.seed} --case {number}\n")

    with tempfile.TemporaryDirectory() as folder:
        target = TARGETS[chosen.target](Path(folder))
        for finding in fuzz(target, chosen.seed, _numbers(chosen.case, chosen.minutes), on_case):
            if finding.place not in seen:
                seen.add(finding.place)
                print(
                    f"--- case {finding.number}: {finding.error}\n{repr(finding.case)[:2000]}\n{finding.trace}",
                    flush=True,
                )
    print(f"{chosen.target}, seed {chosen.seed}: {last + 1:,} cases, {len(seen)} findings")
    sys.exit(bool(seen))


def _numbers(case: int | None, minutes: float) -> Iterator[int]:
    """One number, or as many as there is time for."""
    end = time.process_time() + 60 * minutes
    yield from (
        [case] if case is not None else itertools.takewhile(lambda _: time.process_time() < end, itertools.count())
    )


if __name__ == "__main__":
    main()
