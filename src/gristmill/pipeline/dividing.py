"""Work on one corpus by several commands at the same time, each of which does a part of the shards.

That is how array jobs run (`--part 3/16`), without an engine that knows of more than one machine. All parts write to
the same folder. The first one writes down what is to be done, and the others check that they are to do the same. A last
command (`--merge`) does the rest: it looks at all shards, which no part does.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gristmill.errors import GristmillError, UsageError
from gristmill.leases import in_turn
from gristmill.locks import LOCK
from gristmill.parts import Part, parts_with
from gristmill.shards import write_atomically
from gristmill.wording import plural

_PLANNING = f"{LOCK}-plan"
"""The lease of whoever reads or writes down what is to be done, as one of several parts."""
_COUNT = ".parts"
"""The file that says how many parts there are, until they are merged."""
_MAX_NAMED = 8


@dataclass(frozen=True, slots=True)
class PartDone:
    """What a command did that did one part: of all shards of the corpus, or of an addition, so many were its own."""

    part: Part
    shards: int
    of: int

    def lines(self) -> list[str]:
        """Say which part is done, and what comes after the last one."""
        done = f"part {self.part} is done: {plural(self.shards, 'shard')} of {self.of:,}."
        return [f"{done} When all parts are, run the same command with --merge instead of --part"]

    def to_json(self) -> dict[str, Any]:
        """Return it as one record."""
        return {"part": str(self.part), "shards": self.shards, "of": self.of}


def as_part(value: str | Part | None) -> Part | None:
    """Take a part as text (`3/16`) or as it is."""
    return Part.parse(value) if isinstance(value, str) else value


def check_choice(part: Part | None, *, merge: bool) -> None:
    """Raise if both a part and the merging of all is asked for."""
    if part and merge:
        raise UsageError("--part does one part and --merge comes after all of them: give one of the two")


@contextmanager
def planning(folder: Path, part: Part | None) -> Iterator[None]:
    """Let one part after the other read and write what is to be done; a command that does all of it is alone anyway."""
    if part is None:
        yield
        return
    with in_turn(folder / _PLANNING):
        yield
        write_atomically(folder / _COUNT, f"{part.count}\n".encode())


def forget_parts(folder: Path, part: Part | None) -> None:
    """Forget how many parts there were, when all is done."""
    if part is None:
        (folder / _COUNT).unlink(missing_ok=True)


def check_all_done(folder: Path, missing: Sequence[int], of: int, what: str) -> None:
    """Raise if some shards, by their numbers among all that there were to do, are not done by their parts."""
    if not missing:
        return
    count = 0
    with suppress(OSError, ValueError):
        count = int((folder / _COUNT).read_text("ascii"))
    parts = [str(part) for part in parts_with(missing, count)] if count > 0 else []
    named = ", ".join(parts[:_MAX_NAMED]) + (f" and {len(parts) - _MAX_NAMED} more" if len(parts) > _MAX_NAMED else "")
    which = f"part{'s' * (len(parts) != 1)} {named}" if parts else "all parts"
    raise GristmillError(
        f"{folder} has {plural(of, 'shard')}, of which {len(missing):,} {'is' if len(missing) == 1 else 'are'} "
        f"not {what}: run {which} with --part, and then --merge; without --merge, this command does them itself"
    )
