"""How long a search takes from the start of its process to its first line, beside the start of Python alone.

What counts is CPU time, of the user and of the system, of a process that nobody reads on from after its first line.
Processes take turns: Python that does nothing, Python that imports NumPy and PyArrow, and the search.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from harness import at_least_one, print_table

_ASKED = 0.35  # seconds of CPU
_QUERY = '[lemma="be"]'


def cpu_to_first_line(command: list[str]) -> tuple[float, float]:
    """CPU seconds of a process whose output ends after its first line; and seconds up to that line by the clock.

    A search has written all of its page by then, so that its end, which is counted too, is near.
    """
    begun = time.perf_counter()
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        assert process.stdout is not None
        process.stdout.readline()
        elapsed = time.perf_counter() - begun
        process.stdout.close()
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    return used.ru_utime + used.ru_stime, elapsed


def measure(corpora: list[Path], repeat: int) -> dict[str, Any]:
    """The least CPU time and the median of each command, all in turns."""
    commands = {
        "python -c pass": ["-c", "pass"],
        "NumPy and PyArrow": ["-c", "import numpy, pyarrow.compute"],
    } | {f"search {corpus}": ["-m", "gristmill", "search", str(corpus), _QUERY] for corpus in corpora}
    taken: dict[str, list[tuple[float, float]]] = {name: [] for name in commands}
    for _ in range(repeat + 1):
        for name, arguments in commands.items():
            taken[name].append(cpu_to_first_line([sys.executable, *arguments]))
    found: dict[str, Any] = {"load": os.getloadavg()[0]}
    for name, times in taken.items():
        cpu, clock = (list(column) for column in zip(*times[1:], strict=True))  # the first may have compiled modules
        found[name] = {"least": min(cpu), "median": statistics.median(cpu), "clock": statistics.median(clock)}
    return found


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpora", nargs="+", type=Path, help="corpora with an index")
    parser.add_argument("--repeat", type=at_least_one, default=10, metavar="N", help="starts of each (default: 10)")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON instead of a table")
    arguments = parser.parse_args()
    found = measure(arguments.corpora, arguments.repeat)
    if arguments.json:
        print(json.dumps(found, indent=2))
        return
    print(f"load {found.pop('load'):.1f}\n")
    rows = []
    for name, times in found.items():
        rows.append([name, *(f"{times[key]:.3f}" for key in ("least", "median", "clock"))])
        is_search = name.startswith("search")
        rows[-1] += [f"{_ASKED:g}", "yes" if times["least"] <= _ASKED else "no"] if is_search else ["", ""]
    print_table(["seconds to the first line", "CPU, least", "median", "clock, median", "asked", "met"], rows)


if __name__ == "__main__":
    main()
