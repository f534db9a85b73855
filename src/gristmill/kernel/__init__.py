"""The loops that read every byte of a page, as one set of plain Python files that are also compiled to C.

    tokens.py       find the tags of a page, by the HTML standard        <p class=a>Hi  ->  one tag, text behind it
    nesting.py      follow elements from start tag to end tag, and find what is hidden
    blocks.py       cut the text between tags into blocks
    holders.py      describe elements by the blocks in them, and blocks by the elements around them
    names.py        collect classes and ids of elements
    text.py         write the text of blocks: references resolved, white space folded, words counted
    references.py   resolve character references                         &eacute;  ->  é
    utf8.py         tell whether bytes are UTF-8 that needs no tidying
    letters.py      add up scores of letter triples                      The mill  ->  64 for "the", 5 for "mil"...
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


_tokens = _load("tokens")
COMPILED = _tokens is not None
"""Whether the kernel is compiled."""
if TYPE_CHECKING or _tokens is None:
    from gristmill.kernel.tokens import attributes, attributes_at, end_of_script, tokenise
else:
    attributes, attributes_at = _tokens.attributes, _tokens.attributes_at
    end_of_script, tokenise = _tokens.end_of_script, _tokens.tokenise

_nesting, _blocks, _holders, _names = map(_load, ("nesting", "blocks", "holders", "names"))
if TYPE_CHECKING or _nesting is None:
    from gristmill.kernel.nesting import follow, hide
else:
    follow, hide = _nesting.follow, _nesting.hide
if TYPE_CHECKING or _blocks is None:
    from gristmill.kernel.blocks import count_characters, cut, find_pieces
else:
    count_characters, cut, find_pieces = _blocks.count_characters, _blocks.cut, _blocks.find_pieces
if TYPE_CHECKING or _holders is None:
    from gristmill.kernel.holders import hold
else:
    hold = _holders.hold
if TYPE_CHECKING or _names is None:
    from gristmill.kernel.names import find_names
else:
    find_names = _names.find_names

_references, _text = _load("references"), _load("text")
if TYPE_CHECKING or _references is None:
    from gristmill.kernel.references import reference_at, resolve
else:
    reference_at, resolve = _references.reference_at, _references.resolve
if TYPE_CHECKING or _text is None:
    from gristmill.kernel.text import measure, write
else:
    measure, write = _text.measure, _text.write

_letters = _load("letters")
COMPILED_LETTERS = _letters is not None
"""Whether the loop that adds up scores of letters is compiled; arrays do it faster if it is not."""
if TYPE_CHECKING or _letters is None:
    from gristmill.kernel.letters import add_scores
else:
    add_scores = _letters.add_scores

__all__ = [
    "COMPILED",
    "COMPILED_LETTERS",
    "add_scores",
    "attributes",
    "attributes_at",
    "count_characters",
    "cut",
    "end_of_script",
    "find_names",
    "find_pieces",
    "follow",
    "hide",
    "hold",
    "measure",
    "reference_at",
    "resolve",
    "tokenise",
    "write",
]
