"""What starts `gristmill feeds run` regularly: a line for cron, and the units of a systemd timer."""

from __future__ import annotations

import hashlib
import os
import re
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path

from gristmill.errors import UsageError

_MINUTES = 60


def feeds_command(corpus: Path, options: Sequence[str]) -> list[str]:
    """The words of the command that runs the feeds of a corpus, from anywhere."""
    words = [sys.executable, "-m", "gristmill", "feeds", "run", os.path.abspath(corpus), *options]  # noqa: PTH100 (it leaves links alone)
    if any(re.search(r"[\x00-\x1f\x7f\ud800-\udfff]", word) for word in words):
        raise UsageError(
            f"{str(corpus)!r} has a character in its name that neither cron nor systemd can have: rename it"
        )
    return words


def cron_line(command: Sequence[str], hours: int) -> str:
    """Write a line for `crontab -e`, in which a per cent sign would end the command."""
    every = "*" if hours == 1 else f"*/{hours}"
    return f"{_minute(command)} {every} * * * {shlex.join(command)}".replace("%", r"\%")


def systemd_units(command: Sequence[str], corpus: Path, hours: int) -> dict[str, str]:
    """Write the service and the timer of a user, by the names of their files."""
    folder = Path(os.path.abspath(corpus))  # noqa: PTH100 (as above)
    name = f"gristmill-feeds-{re.sub(r'[^A-Za-z0-9]+', '-', folder.name).strip('-') or 'corpus'}"
    description = f"Description=Feeds of {str(folder).replace('%', '%%')}\n"
    every = "*" if hours == 1 else f"00/{hours}"
    service = (
        f"[Unit]\n{description}\n[Service]\nType=oneshot\nEnvironmentFile=-%h/.config/gristmill/environment\n"
        f"ExecStart={' '.join(map(_quoted, command))}\n"
    )
    timer = (
        f"[Unit]\n{description}\n[Timer]\nOnCalendar=*-*-* {every}:{_minute(command):02}:00\nPersistent=true\n\n"
        "[Install]\nWantedBy=timers.target\n"
    )
    return {f"{name}.service": service, f"{name}.timer": timer}


def _minute(command: Sequence[str]) -> int:
    """A minute of the hour, always the same for a corpus: not all of them run at the full hour."""
    return int.from_bytes(hashlib.blake2b(repr(command).encode(), digest_size=4).digest()) % _MINUTES


def _quoted(word: str) -> str:
    """Quote a word as systemd reads it, which also replaces what is behind % and $."""
    escaped = word.replace("\\", r"\\").replace('"', r"\"").replace("%", "%%").replace("$", "$$")
    return f'"{escaped}"' if re.search(r"[^\w/.,:=@%+$-]", escaped) else escaped
