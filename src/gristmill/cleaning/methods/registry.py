"""The interface of cleaning methods, and the registry in which they are found by name.

A method may have parameters: a frozen dataclass, whose values are the defaults. Its functions then take one more
argument, and users write `justext:length_low=7`, which `chosen` reads.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar

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
    parameters: Any = None
    """The values of the parameters, as a frozen dataclass; None if the method has none."""
    with_parameters: Callable[[Any], Method] | None = None
    """Makes the method with other values of the parameters."""

    def roles_on(self, kind: str) -> tuple[str, ...]:
        """Return the roles that count as text on pages of a kind; if empty, all do."""
        return self.roles_elsewhere or self.roles if kind != ARTICLE else self.roles


ARTICLE = "article"
"""The kind of page that `Method.roles` are for."""

METHODS: Registry[Method] = Registry("cleaning method")

_Scorer = TypeVar("_Scorer", bound=Callable[..., Any])


def page_method(
    name: str,
    segmentation: Segmentation = "block",
    roles: tuple[str, ...] = (),
    roles_elsewhere: tuple[str, ...] = (),
    with_model: Callable[..., PageScorer] | None = None,
    parameters: Any = None,
) -> Callable[[_Scorer], _Scorer]:
    """Register a function as a method that scores one page at a time; without roles, blocks of all roles are text.

    With `parameters`, the function is called with a page, its language and the parameters, and `with_model` with
    arrays and the parameters.
    """

    def register(score: _Scorer) -> _Scorer:
        def make(values: Any) -> Method:
            return Method(
                _bound(score, parameters=values),
                segmentation,
                roles=roles,
                roles_elsewhere=roles_elsewhere,
                with_model=with_model and _bound(with_model, parameters=values),
                parameters=values,
                with_parameters=None if values is None else make,
            )

        METHODS.register(name)(make(parameters))
        return score

    return register


def site_method(name: str, alone: PageScorer, parameters: Any = None) -> Callable[[_Scorer], _Scorer]:
    """Register a function as a method that scores the pages of a site together, be they one or many.

    `alone` scores a page that is cleaned by itself, when nothing is known of its site.
    With `parameters`, the function is called with the pages and the parameters.
    """

    def register(score_site: _Scorer) -> _Scorer:
        def make(values: Any) -> Method:
            return Method(
                alone,
                score_site=_bound(score_site, parameters=values),
                parameters=values,
                with_parameters=None if values is None else make,
            )

        METHODS.register(name)(make(parameters))
        return score_site

    return register


def _bound(function: Callable[..., Any], parameters: Any) -> Callable[..., Any]:
    """Give a function its last argument, `parameters`, if the method has any."""
    return function if parameters is None else functools.partial(function, parameters=parameters)
