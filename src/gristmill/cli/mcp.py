"""`gristmill mcp`: let an assistant search corpora."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from gristmill.errors import UsageError


def mcp(
    corpora: Annotated[
        list[Path], typer.Argument(metavar="CORPUS", help="Folders of corpora that have an index.", show_default=False)
    ],
) -> None:
    """Let an assistant search corpora.

    It speaks the Model Context Protocol on standard input and output.

    The assistant gets what only reads: nothing is changed, fetched or run. Its settings name this command, as in
    {"command": "gristmill", "args": ["mcp", "/home/me/corpus"]}.

    \b
    Examples:
      gristmill mcp corpus
      gristmill mcp news fiction
    """
    import asyncio

    try:
        from gristmill.mcp.server import serve
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] not in {"mcp", "mcp_types"}:
            raise
        raise UsageError("this needs the package mcp: pip install 'gristmill[mcp]'") from None
    asyncio.run(serve(corpora))
