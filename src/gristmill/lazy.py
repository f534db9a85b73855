"""Import names of a package when they are first used, so that a command starts without what it does not need."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any


def lazy_names(
    package: str, modules: Mapping[str, Sequence[str]]
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return `__getattr__` and `__dir__` (PEP 562) for a package whose names are in its modules, given by module.

    Type checkers and editors see the names by imports under `TYPE_CHECKING`.
    """
    homes = {name: home for home, names in modules.items() for name in names}

    def getattr_(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(importlib.import_module(f"{package}.{homes[name]}"), name)
        sys.modules[package].__dict__[name] = value  # the next access does not come here
        return value

    def dir_() -> list[str]:
        return sorted({*sys.modules[package].__dict__, *homes})

    return getattr_, dir_
