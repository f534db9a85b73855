"""Find the compiled modules of the kernel, where there are any that may be used.

    load("tokens")                              the module gristmill.kernel.compiled.tokens
    GRISTMILL_KERNEL=python, load("tokens")     None: the Python files are wanted
    load("tokens"), tokens.py edited since      None, with a warning: compile it again

Compiled modules of a wheel came with their sources. Those in a source tree (of an editable install) have a note of the
sources that they are made of, so that an edited source is not silently without effect.
"""

from __future__ import annotations

import os
import warnings
import zlib
from functools import cache
from importlib import import_module
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path
from types import ModuleType

SETTING = "GRISTMILL_KERNEL"
"""The environment variable that, set to `python`, leaves the compiled modules alone."""

NOTE = f"sources{EXTENSION_SUFFIXES[0]}.txt"
"""The file in `compiled/` with the checksum of the sources, for this version of Python."""


def load(name: str) -> ModuleType | None:
    """Import a compiled module, if there is one and it may be used."""
    if os.environ.get(SETTING) == "python" or is_stale(Path(__file__).parent):
        return None
    try:
        return import_module(f"gristmill.kernel.compiled.{name}")
    except ImportError:
        return None


@cache
def is_stale(kernel: Path) -> bool:
    """Tell whether the sources have changed since the modules in a source tree were compiled, and warn if so."""
    try:
        noted = (kernel / "compiled" / NOTE).read_text()
    except OSError:
        return False
    if noted == checksum_of_sources(kernel):
        return False
    warnings.warn(
        "the sources of the kernel have changed since it was compiled; the compiled one is not used, and all is slower."
        " Run `pip install -e .` again, or `python hatch_build.py`.",
        RuntimeWarning,
        stacklevel=2,
    )
    return True


def checksum_of_sources(kernel: Path) -> str:
    """A checksum of all files that are compiled or whose constants are."""
    checksum = 0  # of zlib: loading hashlib takes longer than all of this
    for path in sorted([*kernel.glob("*.py"), *kernel.glob("*.pxd")]):
        if path.name not in {"__init__.py", "loading.py"}:
            checksum = zlib.crc32(f"{path.name}\n".encode() + path.read_bytes(), checksum)
    return f"{checksum:08x}"
