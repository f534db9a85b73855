"""Write the reference of operations for the docs.

`python -m gristmill.operations.reference > docs/reference/operations.md`
"""

from __future__ import annotations

import sys
from typing import Any

from gristmill.catalogue import entries
from gristmill.operations.declaration import Operation
from gristmill.parameters import Parameter

_BEGINNING = """# Reference of operations

Each operation is a command, a method of `Corpus`, and an address of the API (`/api/NAME/...`); most have a form in the
web app, and those that are asked most are tools for assistants ([MCP](../mcp.md)). One that workers of this machine do
is a command and a method alone. This page is made of their declarations, by
`python -m gristmill.operations.reference`.
"""


def reference() -> str:
    """All operations that have a command, with their parameters, as Markdown."""
    return "\n".join([_BEGINNING, *(_entry(entry.load()) for entry in entries().values() if entry.group)])


def _entry(operation: Operation[..., Any]) -> str:
    rows = [_row(parameter) for parameter in operation.parameters]
    signature = f"corpus.{operation.function.__name__}{_signature(operation)}"
    examples = "\n".join(operation.examples)
    return "\n".join(
        [
            f"## {operation.name}\n",
            f"{operation.about}\n",
            f"```text\n{signature}\n```\n",
            *(["| parameter | type | default | |", "|---|---|---|---|", *rows] if rows else []),
            f"\n```bash\n{examples}\n```\n",
        ]
    )


def _signature(operation: Operation[..., Any]) -> str:
    names = [item.name for item in operation.parameters if item.by_place]
    return f"({', '.join([*names, '*', '...'])})" if operation.parameters else "()"


def _row(parameter: Parameter) -> str:
    name = f"`{parameter.name}`" + (f" (`{parameter.called}` in the API)" if parameter.called != parameter.name else "")
    kind = " or ".join(f"`{choice}`" for choice in parameter.choices) or _kind(parameter)
    default = "" if parameter.required or parameter.default is None else f"`{parameter.default}`"
    cells = (name, kind, default, parameter.about)
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


def _kind(parameter: Parameter) -> str:
    return parameter.type.__name__ if parameter.kind in {"", "machine"} else parameter.kind


if __name__ == "__main__":
    sys.stdout.write(reference())
