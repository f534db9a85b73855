"""Near-duplicates with known truth, made from any set of texts: to test and to measure de-duplication."""

from gristmill.evaluate.near_duplicates.edit import RESEMBLANCES, change_rate
from gristmill.evaluate.near_duplicates.kinds import KINDS
from gristmill.evaluate.near_duplicates.make import Settings, make
from gristmill.evaluate.near_duplicates.record import Made, MadeBlock
from gristmill.evaluate.near_duplicates.repeat import repeat
from gristmill.evaluate.near_duplicates.texts import sample_texts
from gristmill.evaluate.near_duplicates.write import to_document, write_shards

__all__ = [
    "KINDS",
    "RESEMBLANCES",
    "Made",
    "MadeBlock",
    "Settings",
    "change_rate",
    "make",
    "repeat",
    "sample_texts",
    "to_document",
    "write_shards",
]
