"""Who asks: a user with a name and a role."""

from __future__ import annotations

from dataclasses import dataclass

from gristmill.web.operations import ROLES


@dataclass(frozen=True, slots=True)
class User:
    """Somebody who uses the app; without users everybody on this machine is the owner, under a name of their choice."""

    name: str
    role: str

    def may(self, role: str) -> bool:
        """Tell whether the user may do what this role can."""
        return ROLES.index(self.role) >= ROLES.index(role)


OWNER = User("", "owner")
"""Whoever uses a server that only this machine reaches."""
