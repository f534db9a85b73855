"""Generate near-duplicates with known truth from any set of texts, to test and to measure de-duplication.

`make` generates documents, `measures` compares what de-duplication decided with the truth. `gristmill evaluate dedup`,
tests and benchmarks use both.
"""

from gristmill.evaluation.near_duplicates.desk import EVERY_KIND
from gristmill.evaluation.near_duplicates.edit import RESEMBLANCES, change_rate
from gristmill.evaluation.near_duplicates.generation import Settings, make, make_by_language
from gristmill.evaluation.near_duplicates.kinds import KINDS
from gristmill.evaluation.near_duplicates.measuring import BOUNDS, Tally, measures, missed, read_verdicts, total
from gristmill.evaluation.near_duplicates.record import Made, MadeBlock
from gristmill.evaluation.near_duplicates.repetition import repeat
from gristmill.evaluation.near_duplicates.spelling import WAYS
from gristmill.evaluation.near_duplicates.texts import sample_texts
from gristmill.evaluation.near_duplicates.write import to_document, write_shards

__all__ = [
    "BOUNDS",
    "EVERY_KIND",
    "KINDS",
    "RESEMBLANCES",
    "WAYS",
    "Made",
    "MadeBlock",
    "Settings",
    "Tally",
    "change_rate",
    "make",
    "make_by_language",
    "measures",
    "missed",
    "read_verdicts",
    "repeat",
    "sample_texts",
    "to_document",
    "total",
    "write_shards",
]
