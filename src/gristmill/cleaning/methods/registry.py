"""The interface of cleaning methods, and the registry in which they are found by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from gristmill.cleaning.features import Features
from gristmill.cleaning.segmented import Segmentation
from gristmill.registry import Registry


class Scores(NamedTuple):
    """The result of a method: for each block of a page a boilerplate score from 0 to 1, and the method's label."""

    values: npt.NDArray[np.float64]
    labels: Sequence[str]


PageScorer = Callable[[Features, str], Scores]
"""A function that scores the blocks of a page in a language."""
SiteScorer = Callable[[Sequence[Features]], list[Scores]]
"""A function that scores the blocks of all pages of a site."""
ModelScorer = Callable[[Mapping[str, npt.NDArray[Any]]], PageScorer]
"""A function that makes a scorer of the arrays of a model."""


@dataclass(frozen=True, slots=True)
class Method:
    """A cleaning method: how it scores blocks, and which segmentation it needs."""

    score: PageScorer
    segmentation: Segmentation = "block"
    score_site: SiteScorer | None = None
    """Set by methods that compare the pages of a site; `score` is then for a page without others."""
    roles: tuple[str, ...] = ()
    """The roles that count as text with this method if the user names none; if empty, all do."""
    roles_elsewhere: tuple[str, ...] = ()
    """Those on pages that are no articles; if empty, the same."""
    with_model: ModelScorer | None = None
    """Set by methods that are trained: `score` is with the model that comes with Gristmill, this is with another."""

    def roles_on(self, kind: str) -> tuple[str, ...]:
        """Return the roles that count as text on pages of a kind; if empty, all do."""
        return self.roles_elsewhere or self.roles if kind != ARTICLE else self.roles


ARTICLE = "article"
"""The kind of page that `Method.roles` are for."""

METHODS: Registry[Method] = Registry("cleaning method")


def page_method(
    name: str,
    segmentation: Segmentation = "block",
    roles: tuple[str, ...] = (),
    roles_elsewhere: tuple[str, ...] = (),
    with_model: ModelScorer | None = None,
) -> Callable[[PageScorer], PageScorer]:
    """Register a function as a method that scores one page at a time; without roles, blocks of all roles are text."""

    def register(score: PageScorer) -> PageScorer:
        METHODS.register(name)(
            Method(score, segmentation, roles=roles, roles_elsewhere=roles_elsewhere, with_model=with_model)
        )
        return score

    return register
