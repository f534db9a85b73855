"""Experiments on a corpus that the literature reports, for users to run: `gristmill experiment CORPUS NAME`.

Each reads the shards one by one in bounded memory, and its figures are the same for any number of workers.
"""

from gristmill.experiment import Experiment, Section
from gristmill.report.experiments.domain_spread import domains
from gristmill.report.experiments.fragmentation import fragments
from gristmill.report.experiments.repeated_ngrams import ngrams
from gristmill.report.experiments.resembling_pairs import resemblance
from gristmill.report.experiments.sizes import stages

__all__ = ["Experiment", "Section", "domains", "fragments", "ngrams", "resemblance", "stages"]
