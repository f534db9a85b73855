"""Measure Victor by the tables of the thesis, where it is trained and tested on the same gold standard, by folds.

    python benchmarks/victor.py --trained-on canola
    python benchmarks/victor.py --trained-on cleaneval --labels 3
    python benchmarks/victor.py --trained-on cleaneval --labels 2

Pages of one site are in one of three folds; each fold is cleaned by a model of the other two. The figures are of all
pages together, as in Pomikálek (2011), Tables 2.5, 2.6, 2.8 and 2.11. `--tested-on` cleans another gold standard, by a
model of all pages.
"""

from __future__ import annotations

import logging
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from harness import command_line

from gristmill.cleaning.models import of_names
from gristmill.evaluation.cross_validation import folds
from gristmill.evaluation.gold import GoldPage, GoldSet, read_gold
from gristmill.evaluation.run import Evaluation, Result, evaluate
from gristmill.evaluation.summary import summarise
from gristmill.evaluation.table import METRICS, text_table
from gristmill.evaluation.training.pages import LabelledPage, label_pages
from gristmill.evaluation.training.registry import Model
from gristmill.literature.cleaning.victor import LABELS, TRAINED_ON, Parameters, prefix_of
from gristmill.literature.cleaning.victor_features import NAMES, features
from gristmill.literature.training.victor import fit
from gristmill.literature.training.victor_labels import TWO_LABELS, labels_of_2008, two_labels

_FOLDS = 3
_TABLES = ("words", "undecided", "nodes", "fragments")


def main() -> None:
    """Train, clean and print."""
    parser = command_line(__doc__)
    parser.add_argument("--trained-on", choices=TRAINED_ON, default="canola")
    parser.add_argument("--tested-on", default="", metavar="SET", help="another gold standard, by name of file")
    parser.add_argument("--labels", type=int, choices=(2, 3), default=2)
    arguments = parser.parse_args()
    logging.disable(logging.CRITICAL)
    own, *_ = read_gold([arguments.gold / f"{arguments.trained_on}.parquet"])
    other = read_gold([arguments.gold / f"{arguments.tested_on}.parquet"])[0] if arguments.tested_on else None
    parameters = Parameters(arguments.trained_on)
    method, pages = f"victor:trained_on={arguments.trained_on}", []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "victor.model"
        for learned, tested in [(own.pages, other)] if other else _divided(own):
            print(f"training on {len(learned)} pages", file=sys.stderr)
            _train(learned, arguments.labels, parameters).save(path)
            spec = f"{method},model={path}"
            pages += evaluate([tested], [spec]).results[spec, tested.name].pages
    tested = other or own
    summaries = summarise(Evaluation([tested], [method], {(method, tested.name): Result(method, tested.name, pages)}))
    for name in _TABLES:
        print(text_table(summaries, METRICS[name]))


def _divided(whole: GoldSet) -> Iterator[tuple[list[GoldPage], GoldSet]]:
    """Yield the pages to train on, and those to test on, for each fold."""
    dealt = folds(whole.pages, _FOLDS, 0)
    for held_out in dealt:
        yield [page for fold in dealt if fold is not held_out for page in fold], GoldSet(whole.name, held_out)


def _train(pages: Sequence[GoldPage], labels: int, parameters: Parameters) -> Model:
    names = TWO_LABELS if labels == len(TWO_LABELS) else LABELS
    labels_of = two_labels if names == TWO_LABELS else labels_of_2008

    def example(page: LabelledPage) -> tuple[np.ndarray, np.ndarray]:
        wanted = labels_of(page)
        return features(page.features)[wanted >= 0], wanted[wanted >= 0]

    weights = fit([example(page) for page in label_pages(pages, "text-node")], names)
    prefix = prefix_of(parameters)
    arrays = {f"{prefix}{name}": part for name, part in weights.items()}
    arrays |= {f"{prefix}labels": of_names(names), "features": of_names(NAMES)}
    return Model(arrays, {"method": "victor"}, "")


if __name__ == "__main__":
    main()
