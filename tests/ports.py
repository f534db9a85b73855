"""Ports on loopback for servers that are started more than once, or at several addresses."""

from __future__ import annotations

import random
import socket
from contextlib import suppress


def lasting_port() -> int:
    """A port that is free, and that nobody is given who asks for any: a server that is started again finds it free."""
    draw = random.Random()  # tests that run at the same time may have seeded the common one alike
    while True:
        with socket.socket() as probe, suppress(OSError):
            probe.bind(("127.0.0.1", port := draw.randrange(15_000, 30_000)))
            return port
