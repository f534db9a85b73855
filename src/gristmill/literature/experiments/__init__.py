"""Experiments that the literature reports, for users to run: `gristmill experiment CORPUS NAME`, or `evaluate`.

Those on a corpus read its shards one by one in bounded memory, and their figures are the same for any number of
workers. `extraction` (with `extraction_tables`) is on gold pages, and `texrex_tables` on a table of features.
"""

from gristmill.experiment import Experiment, Section
from gristmill.literature.experiments.domain_spread import domains
from gristmill.literature.experiments.fragmentation import fragments
from gristmill.literature.experiments.repeated_ngrams import ngrams
from gristmill.literature.experiments.resembling_pairs import resemblance
from gristmill.literature.experiments.sizes import stages

__all__ = ["Experiment", "Section", "domains", "fragments", "ngrams", "resemblance", "stages"]
