"""Which operations there are, found without importing them: by a look at the source of `gristmill.operations`.

So help starts at once, nothing is listed twice, and nothing can be out of date.
"""

from __future__ import annotations

import importlib
import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from gristmill.operations.declaration import Operation

_DECLARED = re.compile(
    r'^@operation\((?P<options>.*?)\)\ndef (?P<function>\w+)\(.*?\n    """(?P<summary>[^\n]*?)(?:"""|\n)',
    re.MULTILINE | re.DOTALL,
)
_NAME = re.compile(r'\bname="([^"]+)"')
_GROUP = re.compile(r'\bgroup="(\w+)"')


class Entry(NamedTuple):
    """Where an operation stands, and what help says of it."""

    name: str
    module: str
    function: str
    group: str
    """Where its command stands in `gristmill --help`; empty if there is none."""
    summary: str

    def load(self) -> Operation[..., Any]:
        """Import the operation."""
        found: Operation[..., Any] = getattr(importlib.import_module(self.module), self.function)
        return found


@cache
def entries() -> dict[str, Entry]:
    """All operations by name."""
    found = {}
    for file in sorted((Path(__file__).parent / "operations").glob("*.py")):
        module = f"gristmill.operations.{file.stem}"
        for match in _DECLARED.finditer(file.read_text("utf-8")):
            options, function = match["options"], match["function"]
            name, group = _NAME.search(options), _GROUP.search(options)
            called = name[1] if name else function.replace("_", "-")
            found[called] = Entry(called, module, function, group[1] if group else "", match["summary"])
    return found


def load_all() -> None:
    """Import all operations."""
    for module in {entry.module for entry in entries().values()}:
        importlib.import_module(module)
