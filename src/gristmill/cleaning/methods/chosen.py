"""The method that settings choose: by its name and parameters, and with a model of the user's own if they name one.

A method is written as one line, such as `justext` or `justext:length_low=7,max_link_density=0.3`. A model may
also say which roles are text on the pages that it was trained on.
"""

from __future__ import annotations

import dataclasses
import functools

from gristmill.cleaning import models
from gristmill.cleaning.features import Features
from gristmill.cleaning.methods.registry import METHODS, Method
from gristmill.cleaning.segmentation import segment
from gristmill.config import CleanConfig
from gristmill.errors import GristmillError, UsageError
from gristmill.registry import parse_spec, with_parameters
from gristmill.roles import check_roles

_SMALL_PAGE = "<title>Mill</title><h1>Of mills</h1><p class=text>A mill grinds grain.<ul><li><a href=/>Home</a></ul>"
_MAX_MODELS = 8  # that are remembered
_MAX_METHODS = 64  # with parameters that are remembered


def method_of(config: CleanConfig) -> Method:
    """Return the method that settings choose, with the model that they name; it is loaded once per process."""
    return _with_model(config.method, config.model) if config.model else method_named(config.method)


def method_named(spec: str) -> Method:
    """Return a method by its name and parameters; raises `UsageError` if there is no such method or parameter."""
    if ":" not in spec:
        return METHODS[spec]
    name, given = parse_spec(spec)
    return _with_parameters(METHODS[name], name, tuple(given.items()))


def is_known(spec: str) -> bool:
    """Tell whether there is a method of that name, and it has such parameters."""
    try:
        method_named(spec)
    except UsageError:
        return False
    return True


@functools.lru_cache(_MAX_METHODS)
def _with_parameters(method: Method, name: str, given: tuple[tuple[str, str], ...]) -> Method:
    if not given:
        return method
    what = f"the cleaning method {name}"
    if method.with_parameters is None:
        raise UsageError(f"{what} has no parameter {given[0][0]!r} (it has: none)")
    return method.with_parameters(with_parameters(method.parameters, what, dict(given)))


def forget_own_models() -> None:
    """Load models again from now on: files may have changed."""
    _with_model.cache_clear()


@functools.lru_cache(_MAX_MODELS)
def _with_model(spec: str, path: str) -> Method:
    method, name = method_named(spec), parse_spec(spec)[0]
    if method.with_model is None:
        trained = ", ".join(other for other, found in METHODS.items() if found.with_model)
        raise UsageError(f"the method {name} takes no model: it is not trained. Those that are: {trained}")
    file = models.read(path)
    if file.method != name:
        raise UsageError(f"{path} is a model of {file.method}, not of {name}")
    try:
        score = method.with_model(file.arrays)
        page = Features(segment(_SMALL_PAGE, method.segmentation))
        for lang in ("en", ""):
            score(page, lang)  # what does not fit together is found now, not on each page
        own = check_roles(models.names_of(file.arrays["roles"])) if "roles" in file.arrays else ()
    except GristmillError as error:
        raise UsageError(f"{path}: {error}") from error
    except Exception as error:
        raise UsageError(f"the model {path} is damaged: {error}") from error
    if own:
        return dataclasses.replace(method, score=score, roles=own, roles_elsewhere=())
    return dataclasses.replace(method, score=score)
