"""What commands say that do one part of the work on a corpus."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gristmill.cli.console import note
from gristmill.wording import plural

if TYPE_CHECKING:
    from gristmill.pipeline import PartDone


def say_part(done: PartDone, what: str) -> None:
    """Say which part is done, and what comes after the last one."""
    note(
        f"part {done.part} is done: {plural(done.shards, 'shard')} of {done.of:,} {what}. "
        "When all parts are, run the same command with --merge instead of --part"
    )
