"""The loops that read every byte of a page, as one set of plain Python files that are also compiled to C.

    tokens.py       find the tags of a page, by the HTML standard        <p class=a>Hi  ->  one tag, text behind it
    blocks.py       follow elements, leave out what is hidden, cut the text between tags into blocks
    text.py         write the text of blocks: references resolved, white space folded, words counted
    references.py   resolve character references                         &eacute;  ->  é
    utf8.py         tell whether bytes are UTF-8 that needs no tidying
    mill.py         fill the table of features of the method `mill`      words [1, 2]  ->  own.log_words [0.69, 1.10]
    trees.py        score blocks by these features

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

_mill, _trees = _load("mill"), _load("trees")
COMPILED_MILL = _mill is not None
"""Whether the loops of `mill` are compiled."""
if TYPE_CHECKING or _mill is None:
    from gristmill.kernel.mill import compare, describe, describe_names, label
else:
    compare, describe, describe_names, label = _mill.compare, _mill.describe, _mill.describe_names, _mill.label
if TYPE_CHECKING or _trees is None:
    from gristmill.kernel.trees import odds
else:
    odds = _trees.odds

__all__ = [
    "COMPILED",
    "COMPILED_MILL",
    "compare",
    "describe",
    "describe_names",
    "label",
    "measure",
    "odds",
    "reference_at",
    "resolve",
    "write",
]
