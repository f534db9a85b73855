"""Train the methods that learn from gold standards.

To add one, write a file here that files a `Trainer` under the name of its method with `TRAINERS.register`. Then import it below.
"""

from gristmill.evaluate.training import mill, ncleaner, texrex, victor
from gristmill.evaluate.training.registry import TRAINERS, Model, Trainer

__all__ = ["TRAINERS", "Model", "Trainer", "mill", "ncleaner", "texrex", "victor"]
