"""The loops that read every byte of a page, as one set of plain Python files that are also compiled to C.

    tokens.py       find the tags of a page, by the HTML standard        <p class=a>Hi  ->  one tag, text behind it
    blocks.py       follow elements, leave out what is hidden, cut the text between tags into blocks
    text.py         write the text of blocks: references resolved, white space folded, words counted
    references.py   resolve character references                         &eacute;  ->  é
    characters.py   make the table of what each character is, which text.py uses
    utf8.py         tell whether bytes are UTF-8 that needs no tidying
    mill.py         fill the feature columns of the method `mill`, and run its trees

Beside each stands a `.pxd` file that says which of its variables are C integers; Cython makes a module of both, in
`compiled/`. All take and return arrays and bytes, for a whole page at once. Import the functions from here: they are
the compiled ones where these are there, and otherwise those of the Python files, which do the same.
"""

from __future__ import annotations

import os
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING

_SETTING = "GRISTMILL_KERNEL"
"""The environment variable that, set to `python`, leaves the compiled modules alone."""


def _load(name: str) -> ModuleType | None:
    """Import a compiled module, if there is one and it may be used."""
    if os.environ.get(_SETTING) == "python":
        return None
    try:
        return import_module(f"gristmill.kernel.compiled.{name}")
    except ImportError:
        return None


COMPILED = _load("tokens") is not None
"""Whether the kernel is compiled."""

_references, _text = _load("references"), _load("text")
if TYPE_CHECKING or _references is None:
    from gristmill.kernel.references import reference_at, resolve
else:
    reference_at, resolve = _references.reference_at, _references.resolve
if TYPE_CHECKING or _text is None:
    from gristmill.kernel.text import measure, write
else:
    measure, write = _text.measure, _text.write

__all__ = ["COMPILED", "measure", "reference_at", "resolve", "write"]
