"""A server in a process of its own, to be killed."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from web_server import Client

_PROGRAM = """
import sys
from pathlib import Path
from gristmill.web.app import Site
from gristmill.web.serving import address_of, listen, serve
from gristmill.web.shelf import Shelf
listening = listen("127.0.0.1", int(sys.argv[2]))
site = Site(Shelf([Path(sys.argv[1])]), workers=1)
serve(site, listening, lambda: print(address_of(listening), flush=True))
"""


@contextmanager
def server_process(folder: Path, port: int = 0) -> Iterator[tuple[Client, subprocess.Popen[str]]]:
    """Serve a corpus in another process, which is killed at the end at the latest."""
    command = [sys.executable, "-c", _PROGRAM, str(folder), str(port)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        yield Client(process.stdout.readline().strip()), process
    finally:
        process.kill()
        process.wait()
        process.stdout.close()
