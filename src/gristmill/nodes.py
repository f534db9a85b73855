"""Which machine and which process this is, as others on a shared file system have to tell them apart."""

from __future__ import annotations

import hashlib
import os
import platform
import secrets
import sys
import time
from functools import cache
from pathlib import Path

NODE = "GRISTMILL_NODE"
"""The environment variable that names this machine, where host names do not tell machines apart."""
ATTEMPT = r"[0-9a-f]{8}-\d+-[0-9a-f]{8}"
"""What `attempt` looks like, as a regular expression."""
_BOOT_ID_FILE = Path("/proc/sys/kernel/random/boot_id")
_PID_NAMESPACE = Path("/proc/self/ns/pid")


def node_name() -> str:
    """The name of this machine."""
    return os.environ.get(NODE) or platform.node()


def node_mark() -> str:
    """A short form of the machine's name, for names of files."""
    return hashlib.blake2b(node_name().encode(), digest_size=4).hexdigest()


def attempt() -> str:
    """Make a word that nobody else makes: of this machine, this process, and this very call."""
    return f"{node_mark()}-{os.getpid()}-{secrets.token_hex(4)}"


@cache
def boot() -> str:
    """Tells this start of the machine from others; where the system has no name for it, it is the minute."""
    if _BOOT_ID_FILE.exists():
        return _BOOT_ID_FILE.read_text("ascii").strip()
    return str(round((time.time() - time.monotonic()) / 60))


@cache
def process_space() -> str:
    """Tells where numbers of processes mean the same: a start of the machine, and a container on it if this is one."""
    try:
        return f"{boot()} {_PID_NAMESPACE.readlink()}"
    except OSError:
        return boot()


def process_start(process: int) -> str:
    """When a process was started, in the system's own terms; empty if that can't be told, or it has ended."""
    try:
        status = Path(f"/proc/{process}/stat").read_text("utf-8", "replace").rpartition(")")[2].split()
    except OSError:
        return ""
    return "" if status[0] in {"Z", "X"} else status[19]


def is_running(process: int, start: str) -> bool:
    """Tell whether a process of this machine runs that was started then; not on Windows, which can't be asked so."""
    if start:
        return process_start(process) == start
    if sys.platform == "win32":
        return False
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
