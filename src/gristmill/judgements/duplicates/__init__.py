"""Review of duplicates: pairs of documents that de-duplication found alike, or almost, judged by people.

`candidates.py` says which pairs there are and in which order they are judged, `store.py` keeps the judgements,
`measuring.py` says how good de-duplication is by them, `pair.py` shows two documents side by side.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gristmill.judgements.duplicates.kinds import ORDERS, STRATA
from gristmill.judgements.duplicates.store import VERDICTS, Judged, Reviews, read_reviews
from gristmill.lazy import lazy_names

if TYPE_CHECKING:
    from gristmill.judgements.duplicates.candidates import Candidate, Candidates
    from gristmill.judgements.duplicates.measuring import Figures, measure
    from gristmill.judgements.duplicates.pair import ComparedPair, compare_documents

__all__ = [
    "ORDERS",
    "STRATA",
    "VERDICTS",
    "Candidate",
    "Candidates",
    "ComparedPair",
    "Figures",
    "Judged",
    "Reviews",
    "compare_documents",
    "measure",
    "read_reviews",
]
__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "candidates": ["Candidate", "Candidates"],
        "measuring": ["Figures", "measure"],
        "pair": ["ComparedPair", "compare_documents"],
    },
)
