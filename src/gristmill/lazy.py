"""Import modules when something of them is first used, so that a command starts without what it does not need."""

from __future__ import annotations

import contextlib
import gc
import importlib
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
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


class LazyModule:
    """Stands for a module that takes long to import, up to the time when something of it is used."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Any:
        value = getattr(importlib.import_module(self._name), name)
        self.__dict__[name] = value  # the next access does not come here
        return value


@contextlib.contextmanager
def importing() -> Iterator[None]:
    """Look for no garbage while much is imported: there is none, and looking takes a tenth of the time."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def get_ready_meanwhile(*needed: str) -> None:
    """Get ready what will be needed later, in a thread of its own, while this one has nothing to do but wait.

    That is a module to import, or `module:function` to call.
    """

    def get_ready() -> None:
        for name in needed:
            with contextlib.suppress(Exception):  # whoever needs it gets the same error, and can say something of it
                module, _, function = name.partition(":")
                found = importlib.import_module(module)
                if function:
                    getattr(found, function)()

    threading.Thread(target=get_ready, daemon=True).start()
