"""What `rendered` and the process that drives a browser say to each other: JSON, its length in a line before it."""

from __future__ import annotations

import json
from typing import IO, Any

MARK = "gristmill:"
"""What comments begin with that say where a block begins; the number of the block follows."""


def send(stream: IO[bytes], message: dict[str, Any]) -> None:
    """Write a message."""
    data = json.dumps(message).encode()
    stream.write(b"%d\n" % len(data) + data)
    stream.flush()


def receive(stream: IO[bytes]) -> dict[str, Any] | None:
    """Read a message; None if there are no more, or the other side has ended within one."""
    length = stream.readline().strip()
    data = stream.read(int(length)) if length.isdigit() else b""
    return dict(json.loads(data)) if length.isdigit() and len(data) == int(length) else None
