"""How long boosting takes that trains `mill`: rows as many as a large gold standard has blocks, made up.

python benchmarks/boosting.py --rows 600000 --columns 220 --trees 180
"""

from __future__ import annotations

import argparse
import time

import numpy as np

from gristmill.evaluation.training.boosting import Settings, boost
from gristmill.kernel import COMPILED


def main() -> None:
    """Measure the time of the processor, and say what was measured."""
    parser = argparse.ArgumentParser(description=__doc__)
    for name, default in (("rows", 600_000), ("columns", 220), ("trees", 180)):
        parser.add_argument(f"--{name}", type=int, default=default)
    given = parser.parse_args()
    random = np.random.default_rng(0)
    rows = random.random((given.rows, given.columns), np.float32)
    rows[:, ::3] = rows[:, ::3] > 0.9  # as features are: a third yes or no, a third often 0
    rows[:, 1::3] = np.maximum(0, rows[:, 1::3] - 0.5)
    is_text = rows[:, 1] + rows[:, 2] + rows[:, 3] / 2 + random.random(given.rows) / 2 > 1.2
    start = time.process_time()
    boost(rows, is_text, np.ones(given.rows), Settings(trees=given.trees), 0)
    kind = "compiled" if COMPILED else "not compiled"
    print(f"{time.process_time() - start:.1f} s of one core, kernel {kind}")


if __name__ == "__main__":
    main()
