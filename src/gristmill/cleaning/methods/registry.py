"""The interface of cleaning methods, and the registry in which they are found by name.

A method may have parameters: a frozen dataclass, whose values are the defaults. Its functions then take one more
argument, and users write `justext:length_low=7`, which `chosen` reads.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from gristmill.cleaning.features import Features
from gristmill.cleaning.segmented import Segmentation
from gristmill.registry import Registry, parts_of


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
    parameters: Any = None
    """The values of the parameters, as a frozen dataclass; None if the method has none."""
    with_parameters: Callable[[Any], Method] | None = None
    """Makes the method with other values of the parameters."""

    def roles_on(self, kind: str) -> tuple[str, ...]:
        """Return the roles that count as text on pages of a kind; if empty, all do."""
        return self.roles_elsewhere or self.roles if kind != ARTICLE else self.roles


ARTICLE = "article"
"""The kind of page that `Method.roles` are for."""


def _method(
    score: Callable[..., Any],
    segmentation: Segmentation = "block",
    alone: PageScorer | None = None,
    roles: tuple[str, ...] = (),
    roles_elsewhere: tuple[str, ...] = (),
    with_model: Callable[..., PageScorer] | None = None,
    parameters: Any = None,
) -> Method:
    """A method that scores one page at a time, or the pages of a site together, be they one or many.

    A method for sites has `alone`, which scores a page that is cleaned by itself, when nothing is known of its site.
    With `parameters`, the function is called with a page and its language, or with pages, and then the parameters;
    `with_model` with arrays and the parameters.
    """
    bound = _bound(score, parameters)
    return Method(
        alone or bound,
        segmentation,
        bound if alone else None,
        roles,
        roles_elsewhere,
        with_model and _bound(with_model, parameters),
        parameters,
        None
        if parameters is None
        else functools.partial(_method, score, segmentation, alone, roles, roles_elsewhere, with_model),
    )


def _bound(function: Callable[..., Any], parameters: Any) -> Callable[..., Any]:
    """Give a function its last argument, `parameters`, if the method has any."""
    return function if parameters is None else functools.partial(function, parameters=parameters)


METHODS: Registry[Method] = parts_of("cleaning method", _method)
