"""What annotators say of blocks, as it is sent and stored: verdicts, roles, and marks such as `3-17:good`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from gristmill.errors import UsageError
from gristmill.roles import ROLES

VERDICTS = ("good", "bad", "undecided")
"""Text, boilerplate, and what belongs to neither: the classes of KrdWrd."""
NONE = "none"
"""Takes a verdict or a role away."""
MAX_NAME_CHARACTERS = 60
_MARK = re.compile(r"([0-9]{1,7})(?:-([0-9]{1,7}))?:([a-z]*)(?::([a-z]*))?")


@dataclass(frozen=True, slots=True)
class Mark:
    """A change of the judgements of some blocks, from `first` to `last`; an empty verdict or role stays as it is."""

    first: int
    last: int
    verdict: str = ""
    role: str = ""

    @classmethod
    def parse(cls, text: str) -> Mark:
        """Read a mark: BLOCK or FIRST-LAST, a verdict, and perhaps a role; `none` takes one away.

        Mark.parse("3-17:good")        blocks 3 to 17 are good; their roles stay
        Mark.parse("5:bad:teaser")     block 5 is a bad teaser
        Mark.parse("5::none")          block 5 has no role any more; its verdict stays
        """
        found = _MARK.fullmatch(text)
        if not found:
            raise UsageError(f"can't read the mark {text[:100]!r}: it must be like 3-17:good, 5:bad:teaser or 5::none")
        first, last = int(found[1]), int(found[2] or found[1])
        verdict, role = found[3], found[4] or ""
        if last < first:
            raise UsageError(f"the mark {text!r} ends before it begins")
        if verdict not in (*VERDICTS, NONE, ""):
            raise UsageError(f"there is no verdict {verdict[:100]!r} (there are: {', '.join((*VERDICTS, NONE))})")
        if role not in (*ROLES, NONE, ""):
            raise UsageError(f"there is no role {role[:100]!r} (there are: {', '.join((*ROLES, NONE))})")
        if not verdict and not role:
            raise UsageError(f"the mark {text!r} says nothing")
        return cls(first, last, verdict, role)

    def __str__(self) -> str:
        place = str(self.first) if self.first == self.last else f"{self.first}-{self.last}"
        return f"{place}:{self.verdict}" + (f":{self.role}" if self.role else "")


@dataclass(frozen=True, slots=True)
class Judgement:
    """What an annotator says of a block: a verdict, a role, or both; empty is not said."""

    verdict: str = ""
    role: str = ""

    def changed(self, mark: Mark) -> Judgement:
        """Apply a mark."""
        return Judgement(_new(self.verdict, mark.verdict), _new(self.role, mark.role))


def _new(old: str, change: str) -> str:
    return "" if change == NONE else change or old


def check_name(name: str) -> str:
    """Return the name of an annotator without spaces around it; raises if it is none."""
    name = " ".join(name.split())
    if not name:
        raise UsageError("who judges? Give the parameter annotator, a name of your choice")
    if len(name) > MAX_NAME_CHARACTERS or not name.isprintable():
        raise UsageError(f"the name of an annotator has 1 to {MAX_NAME_CHARACTERS} characters, all of them printable")
    return name


def run_marks(verdicts: Iterable[tuple[int, str]]) -> Iterator[Mark]:
    """Turn verdicts of single blocks, in order, into marks of as many blocks as possible."""
    current: Mark | None = None
    for block, verdict in verdicts:
        if current and current.verdict == verdict and current.last == block - 1:
            current = Mark(current.first, block, verdict)
            continue
        if current:
            yield current
        current = Mark(block, block, verdict)
    if current:
        yield current
