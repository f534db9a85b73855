"""Train the cleaning methods that learn from gold standards, for `gristmill train`.

To add one, write a file here that registers a `Trainer` under the name of its method with `TRAINERS.register`. Then
import it below.
"""

from gristmill.evaluation.training import (
    cedar,
    chakrabarti,
    continued,
    fiasco,
    hofmann,
    items,
    maxsub,
    mill,
    ncleaner,
    page_kind,
    texrex,
    victor,
)
from gristmill.evaluation.training.registry import TRAINERS, Model, Trainer, seen_by, train

__all__ = [
    "TRAINERS",
    "Model",
    "Trainer",
    "cedar",
    "chakrabarti",
    "continued",
    "fiasco",
    "hofmann",
    "items",
    "maxsub",
    "mill",
    "ncleaner",
    "page_kind",
    "seen_by",
    "texrex",
    "train",
    "victor",
]
