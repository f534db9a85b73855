"""Train the cleaning methods that learn from gold standards, for `gristmill train`.

A file registers a `Trainer` under the name of its method.
"""

from gristmill.evaluation.training.registry import TRAINERS, Model, Trainer, seen_by, train

__all__ = ["TRAINERS", "Model", "Trainer", "seen_by", "train"]
