"""What several annotators say of a block, merged as in Canola: the majority, and how reliable it is.

The reliability is the share of the annotators who chose the most frequent class, in per cent, rounded to tens; 100
means that all agree (Pomikálek 2011, 2.8.2). If two classes are equally frequent, it is a tie.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from gristmill.judgements.blocks.marks import Judgement

TIE = "tie"
_STEP = 10
_CLASSES = {"bad": "1", "undecided": "2", "good": "3", TIE: "mrgtie"}


@dataclass(frozen=True, slots=True)
class Merged:
    """The majority of some judgements: a verdict or a tie, its reliability in per cent, and the role most often given.

    Without judgements all is empty.
    """

    verdict: str = ""
    reliability: int = 0
    votes: int = 0
    role: str = ""

    @property
    def tag(self) -> str:
        """The class of KrdWrd: `krdwrd-tag-3-80`; empty if nobody judged the block."""
        return f"krdwrd-tag-{_CLASSES[self.verdict]}-{self.reliability}" if self.verdict else ""


def merge(judgements: Iterable[Judgement]) -> Merged:
    """Merge what annotators say of one block."""
    found = list(judgements)
    verdicts = Counter(item.verdict for item in found if item.verdict)
    role = _first(Counter(item.role for item in found if item.role))
    if not verdicts:
        return Merged(role="" if role == TIE else role)
    votes = verdicts.total()
    most = max(verdicts.values())
    return Merged(_first(verdicts), reliability(most, votes), votes, "" if role == TIE else role)


def reliability(most: int, votes: int) -> int:
    """Round a share to tens of per cent; only all are 100.

    reliability(6, 9)      70
    reliability(24, 25)    90
    """
    if most == votes:
        return 100
    return min(100 - _STEP, (most * 100 * 2 // votes + _STEP) // (2 * _STEP) * _STEP)


def _first(counts: Counter[str]) -> str:
    """The most frequent name, or a tie; empty if there is none."""
    ranked = counts.most_common(2)
    if not ranked:
        return ""
    return TIE if len(ranked) > 1 and ranked[0][1] == ranked[1][1] else ranked[0][0]


def merge_page(judgements: Mapping[str, Mapping[int, Judgement]], blocks: int) -> list[Merged]:
    """Merge the judgements of a page by annotator and block, for each of its blocks."""
    return [merge(own[block] for own in judgements.values() if block in own) for block in range(blocks)]
