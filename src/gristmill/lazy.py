"""Packages whose names are imported when they are first used, so that a command waits for nothing that it does not need."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Mapping, Sequence
from types import ModuleType
from typing import Any


class _LazyPackage(ModuleType):
    """Looks up names in the modules that have them."""

    lazy_homes: Mapping[str, str]

    def __getattr__(self, name: str) -> Any:
        home = self.lazy_homes.get(name)
        if home is None:
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        value = getattr(importlib.import_module(f"{self.__name__}.{home}"), name)
        setattr(self, name, value)
        return value

    def __setattr__(self, name: str, value: object) -> None:
        """A function keeps its name; the import of a module of the same name would take it."""
        if not (name in self.lazy_homes and isinstance(value, ModuleType)):
            super().__setattr__(name, value)

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *self.lazy_homes})


def import_lazily(package: str, modules: Mapping[str, Sequence[str]]) -> None:
    """Give a package names from its modules, by module. What type checkers and editors need to see it imports under `TYPE_CHECKING`."""
    module = sys.modules[package]
    homes = {name: home for home, names in modules.items() for name in names}
    module.__dict__["lazy_homes"] = homes
    module.__class__ = _LazyPackage
