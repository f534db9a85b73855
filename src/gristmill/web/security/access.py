"""Who may enter: everybody on this machine, who knows a token, or who logs in."""

from __future__ import annotations

import asyncio
import hmac
import math
import re
from dataclasses import dataclass

from starlette.requests import Request

from gristmill.web.security.forgery import cookie_name, new_session
from gristmill.web.security.hosts import Names
from gristmill.web.security.limits import LOCAL, LOGINS, LOGINS_OF_NAME, SHARED, Buckets, Limits, Meter, network_of
from gristmill.web.security.sessions import Sessions
from gristmill.web.security.users import OWNER, User, Users

_SESSION = re.compile(r"[A-Za-z0-9_-]{32}")
_BEARER = "bearer "
NOBODY = User("", "reader")
"""Who has not logged in; nothing is asked in this name but to log in."""


@dataclass(frozen=True, slots=True)
class Caller:
    """Who makes a request."""

    user: User
    session: str
    """The secret name of the session: of one who has logged in, or any that the browser keeps."""
    key: str
    """By what the requests of this client are counted."""
    is_known: bool
    is_program: bool = False
    """Whether it shows a token in a header, which no page of somebody else can make a browser do."""
    is_new: bool = False
    """Whether the browser has yet to be told the session."""


class TooManyTries(Exception):  # noqa: N818 (it says what happened)
    """Too many wrong passwords: it can be tried again after so many seconds."""

    def __init__(self, seconds: int) -> None:
        super().__init__(f"too many wrong passwords: try again in {seconds} s")
        self.seconds = seconds


class Access:
    """Decides who may enter a server. Without users and token everybody is the owner, so it must be a local one."""

    def __init__(
        self,
        *,
        users: Users | None = None,
        token: str = "",
        names: Names | None = None,
        limits: Limits | None = None,
    ) -> None:
        self.users = users
        self.token = token
        self.names = names or Names()
        self.sessions = Sessions()
        self.meter = Meter(limits or (SHARED if self.is_guarded else LOCAL))
        self._tries, self._tries_of_name = Buckets(LOGINS), Buckets(LOGINS_OF_NAME)
        self._checking = asyncio.Semaphore(2)  # passwords at once: each takes 32 MB

    @property
    def is_guarded(self) -> bool:
        """Whether one has to log in, or to know a token."""
        return self.users is not None or bool(self.token)

    def caller(self, request: Request) -> Caller:
        """Find out who makes a request."""
        address = network_of(request.client.host if request.client else "")
        given = request.cookies.get(cookie_name(request), "")
        session = given if _SESSION.fullmatch(given) else ""
        if not self.is_guarded:
            return Caller(OWNER, session or new_session(), session or address, is_known=True, is_new=not session)
        authorisation = request.headers.get("authorization", "")
        if authorisation[: len(_BEARER)].lower() == _BEARER:
            return self._program(authorisation[len(_BEARER) :].strip(), address)
        user = self._user_of(session)
        if user:
            return Caller(user, session, session, is_known=True)
        return Caller(NOBODY, session or new_session(), address, is_known=False, is_new=not session)

    def _program(self, shown: str, address: str) -> Caller:
        if self.is_token(shown):
            return Caller(OWNER, "", f"token {address}", is_known=True, is_program=True)
        user = self._user_of(shown)
        if user:
            return Caller(user, "", shown, is_known=True, is_program=True)
        return Caller(NOBODY, "", address, is_known=False, is_program=True)

    def _user_of(self, key: str) -> User | None:
        """Find who has a session; one whose password was changed, or who was removed, has none any more."""
        session = self.sessions.get(key)
        if session is None:
            return None
        if not session.name:
            return OWNER
        known = self.users.get(session.name) if self.users else None
        if known is None or known[1] != session.hashed:
            self.sessions.end(key)
            return None
        return known[0]

    def is_token(self, given: str) -> bool:
        """Tell whether this is the token of the server."""
        return bool(self.token) and hmac.compare_digest(given.encode("utf-8", "replace"), self.token.encode())

    def enter_by_token(self, given: str, address: str) -> str | None:
        """Begin a session for who knows the token; None if it is wrong. Raises after too many wrong ones."""
        self._check_tries(address, "")
        if self.is_token(given):
            return self.sessions.begin("", "")
        self._tries.take(network_of(address))
        return None

    async def log_in(self, name: str, password: str, address: str) -> str | None:
        """Begin a session for a user; None if name or password are wrong. Raises after too many wrong ones."""
        if self.users is None:
            return None
        self._check_tries(address, name)
        network = network_of(address)
        # Taken before it is known whether the password is right, or many could be tried at once.
        self._tries.take(network)
        self._tries_of_name.take(f"{network} {name}")
        async with self._checking:
            user = await asyncio.to_thread(self.users.check, name, password)
        known = self.users.get(user.name) if user else None
        if user is None or known is None:
            return None
        self._tries.give_back(network)
        self._tries_of_name.give_back(f"{network} {name}")
        return self.sessions.begin(user.name, known[1])

    def _check_tries(self, address: str, name: str) -> None:
        network = network_of(address)
        seconds = max(self._tries.wait(network), self._tries_of_name.wait(f"{network} {name}"))
        if seconds:
            raise TooManyTries(math.ceil(seconds))
