"""The filter `quality`: documents that are like good texts and unlike bad ones, both given by the user."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import ClassVar

from gristmill.document import Document
from gristmill.errors import UsageError
from gristmill.filter.classifier import Classifier
from gristmill.filter.registry import DocumentFilter, Finding, check_shares
from gristmill.registry import part


@part("filter", "quality")
@dataclass(frozen=True)
class Quality(DocumentFilter):
    """Keeps documents that are more like good than bad texts, by a trained model (as for GPT-3: Brown et al. 2020, A).

    `gristmill train quality` makes the model. The score is the probability, from 0 to 1, that a text is a good one if
    good and bad texts are equally frequent.
    """

    model: str = ""
    min: float = 0.5

    paths: ClassVar[tuple[str, ...]] = ("model",)
    needed: ClassVar[tuple[str, ...]] = ("model",)

    def check(self) -> None:
        """Check that the model is there."""
        if not self.model:
            raise UsageError(
                "the filter 'quality' needs a model: quality:model=FILE, "
                "made with gristmill train quality GOOD BAD -o FILE"
            )
        check_shares("quality", min=self.min)
        self._classifier  # noqa: B018 (reading it tells)

    def judge(self, document: Document) -> Finding:
        """Find the score."""
        score = self._classifier.score(document.folded)
        if score < self.min:
            return Finding(False, f"a score of {score:.3f}, less than {self.min}")
        return Finding(True, f"a score of {score:.3f}")

    @functools.cached_property
    def _classifier(self) -> Classifier:
        return Classifier.load(self.model)
