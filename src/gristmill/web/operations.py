"""The operations that are asked over the web: those of `gristmill.operations`, and those of our own pages."""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache
from typing import Any

from gristmill.catalogue import load_all
from gristmill.operations.declaration import Operation, declared


@cache
def operations() -> dict[str, Operation[..., Any]]:
    """All operations by name: what corpora can be asked, and what the pages of the app ask besides."""
    import gristmill.web.answers as package  # noqa: PLC0415 (its modules import this one)

    load_all()
    for module in pkgutil.iter_modules(package.__path__):
        importlib.import_module(f"{package.__name__}.{module.name}")
    return {name: item for name, item in declared().items() if not item.is_local}
