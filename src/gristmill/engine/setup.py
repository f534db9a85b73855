"""What worker processes have to know of the one that they work for before they can do anything for it."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self

from gristmill import leases, scratch
from gristmill.consent import Named, allow_as, allowed_here
from gristmill.plugins import Plugin, load, loaded

LOGGER = logging.getLogger("gristmill")
"""The parent of the loggers of all modules."""


@dataclass(frozen=True, slots=True)
class Setup:
    """The plugins of a process, by which tasks find their parts, what the user has allowed it, and what it logs.

    With it go the leases that must hold while files are put in place, and the folder for what need not be shared.
    """

    plugins: tuple[Plugin, ...]
    allowed: Mapping[Named, str]
    log_level: int
    fences: tuple[leases.Fence, ...] = ()
    scratch: str = ""

    @classmethod
    def of_this_process(cls) -> Self:
        """Note down the setup of this process as it is now."""
        return cls(loaded(), allowed_here(), LOGGER.getEffectiveLevel(), leases.fences(), scratch.chosen())

    def apply(self) -> None:
        """Give this process the same setup; raises if a plugin is not as it was there, or a lease was lost."""
        leases.put_up(self.fences)
        scratch.choose(self.scratch)
        LOGGER.setLevel(self.log_level)
        allow_as(self.allowed)
        for name, digest in self.plugins:
            load(name, digest)
