"""Load plugins: Python files and modules of the user that register filters, cleaning methods, formats or taggers.

A file becomes a module with a name that is made of its path, so that worker processes know what it defines by the same
name.
"""

from __future__ import annotations

import hashlib
import importlib
import logging
import os
import sys
import traceback
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

from gristmill.consent import Named, allow
from gristmill.contents import digest_of, module_files
from gristmill.errors import UsageError
from gristmill.registry import owned_by


class Plugin(NamedTuple):
    """A loaded plugin: its absolute path or the name of its module, and the hash of its code when it was loaded."""

    name: str
    digest: str


_log = logging.getLogger(__name__)
_loaded: dict[str, Plugin] = {}


def load_plugin(plugin: str | os.PathLike[str]) -> None:
    """Load a Python file, or a module by its name, that registers parts; worker processes load it too.

    Calling this means to trust it: from now on, corpora that were built with it are added to without asking. A file
    that has changed is loaded again.
    """
    name = whole_name(os.fspath(plugin))
    allow([named(name)])
    load(name)


def load(name: str, digest: str = "") -> None:
    """Load a plugin that the user has allowed, by its whole name; raises if its code does not have that hash."""
    found = Plugin(name, _digest(name))
    if digest and found.digest != digest:
        raise UsageError(f"the plugin {name} has changed since this command began: run it again")
    if _loaded.get(name) == found:
        return
    if name in _loaded and not is_file(name):
        raise UsageError(f"the plugin {name} has changed since it was imported: start Python anew")
    with owned_by(name):
        _run(name)
    _loaded[name] = found
    _log.debug("the plugin %s is loaded", name)


def loaded() -> tuple[Plugin, ...]:
    """All plugins that this process has loaded; worker processes have to load them too."""
    return tuple(_loaded.values())


def named(name: str) -> Named:
    """The plugin as something that the user may allow (`consent.py`)."""
    return Named.at("plugin", name) if is_file(name) else Named("plugin", name)


def is_file(name: str) -> bool:
    """Whether a plugin is a file, and not a module that Python finds by its name."""
    return name.endswith(".py") or os.sep in name or bool(os.altsep and os.altsep in name)


def whole_name(name: str) -> str:
    """The name of a plugin that holds in any working directory: an absolute path, or the name of a module."""
    return str(Path(name).absolute()) if is_file(name) else name


def code_files(name: str) -> list[Path]:
    """The files with the code of a plugin; none if it is not there."""
    return [path for path in [Path(name)] if path.is_file()] if is_file(name) else module_files(name)


def _digest(name: str) -> str:
    """Hash the plugin's code; raises if there is none."""
    files = code_files(name)
    if not files:
        hint = (
            "there is no such file"
            if is_file(name)
            else f"Python finds no module of that name; a file is given as {name}.py"
        )
        raise UsageError(f"the plugin {name} can't be loaded: {hint}")
    return digest_of(files)


def _run(name: str) -> None:
    try:
        if is_file(name):
            _run_file(Path(name))
        else:
            importlib.import_module(name)
    except Exception as error:
        raise UsageError(
            f"the plugin {name} can't be loaded: {_place(error, name)}{type(error).__name__}: {_message(error)}"
        ) from error


def _run_file(path: Path) -> None:
    """Run a file as a module. Python's import would write a cache beside it, and not see every change."""
    module = _module(path)
    sys.modules[module.__name__] = module
    try:
        exec(compile(path.read_bytes(), path, "exec", dont_inherit=True), module.__dict__)  # noqa: S102 (the user allowed it)
    except BaseException:
        del sys.modules[module.__name__]
        raise


def _module(path: Path) -> ModuleType:
    """Make an empty module for a file, with a name that no other file has."""
    digest = hashlib.blake2b(str(path).encode("utf-8", "surrogateescape"), digest_size=4).hexdigest()
    module = ModuleType(f"gristmill_plugin_{path.stem}_{digest}")
    module.__file__ = str(path)
    return module


def _place(error: Exception, name: str) -> str:
    """Say where in the plugin an error occurred: the last line of it that was run."""
    if isinstance(error, SyntaxError) and error.filename:
        return f"{error.filename}, line {error.lineno}: "
    files = set(map(str, code_files(name)))
    lines = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename in files]
    return f"{lines[-1].filename}, line {lines[-1].lineno}: " if lines else ""


def _message(error: Exception) -> str:
    return error.msg if isinstance(error, SyntaxError) else str(error)
