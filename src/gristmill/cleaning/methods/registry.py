"""What a cleaning method is, and where methods are filed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from gristmill.cleaning.features import Features
from gristmill.cleaning.tree import Segmentation
from gristmill.registry import Registry


class Scores(NamedTuple):
    """What a method finds: for each block of a page a boilerplate score from 0 to 1, and what the method calls it."""

    values: npt.NDArray[np.float64]
    labels: list[str]


PageScorer = Callable[[Features, str], Scores]
"""Scores the blocks of a page in a language."""
SiteScorer = Callable[[Sequence[Features]], list[Scores]]
"""Scores the blocks of all pages of a site."""


@dataclass(frozen=True, slots=True)
class Method:
    """A way to tell text from boilerplate."""

    score: PageScorer
    segmentation: Segmentation = "block"
    score_site: SiteScorer | None = None
    """For methods that compare the pages of a site; `score` is then what they do with a page alone."""


METHODS: Registry[Method] = Registry("cleaning method")


def page_method(name: str, segmentation: Segmentation = "block") -> Callable[[PageScorer], PageScorer]:
    """File a function as a method that looks at one page at a time."""

    def file(score: PageScorer) -> PageScorer:
        METHODS.register(name)(Method(score, segmentation))
        return score

    return file
