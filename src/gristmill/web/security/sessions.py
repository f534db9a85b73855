"""Sessions of users who have logged in: in memory, so that a restart of the server ends them all."""

from __future__ import annotations

import time
from collections import OrderedDict
from dataclasses import dataclass

from gristmill.web.security.forgery import new_session

IDLE_SECONDS = 12 * 3600.0
"""After so long without a request a session ends."""
MAX_SECONDS = 7 * 24 * 3600.0
"""So long a session lasts at most."""
_MAX_SESSIONS = 10_000
_MAX_SESSIONS_OF_USER = 100


@dataclass(slots=True)
class Session:
    """Somebody who has logged in: the name (empty with a token), and what the password was checked against."""

    name: str
    hashed: str
    begun: float
    used: float


class Sessions:
    """All sessions of a server, by their secret names; the one that was used last is at the end."""

    def __init__(self) -> None:
        self._sessions: OrderedDict[str, Session] = OrderedDict()

    def __len__(self) -> int:
        return len(self._sessions)

    def begin(self, name: str, hashed: str) -> str:
        """Begin a session, and return its secret name; if there are too many, the one not used for longest ends."""
        of_user = [key for key, session in self._sessions.items() if session.name == name]
        if name and len(of_user) >= _MAX_SESSIONS_OF_USER:
            self.end(of_user[0])
        while len(self._sessions) >= _MAX_SESSIONS:
            self._sessions.popitem(last=False)
        now, key = time.monotonic(), new_session()
        self._sessions[key] = Session(name, hashed, now, now)
        return key

    def get(self, key: str) -> Session | None:
        """Find a session that has not ended, and note that it is used."""
        session = self._sessions.get(key)
        if session is None:
            return None
        now = time.monotonic()
        if now - session.used > IDLE_SECONDS or now - session.begun > MAX_SECONDS:
            self.end(key)
            return None
        session.used = now
        self._sessions.move_to_end(key)
        return session

    def end(self, key: str) -> None:
        """End a session, if there is one."""
        self._sessions.pop(key, None)
