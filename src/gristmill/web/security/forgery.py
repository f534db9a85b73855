"""Tokens against forged requests: whoever writes must show a token that only our own pages know.

A browser has a random session in a cookie; the token is a keyed hash of it. A page of somebody else can make the
browser send the cookie, but can't read the token. Programs, which send neither cookies nor an Origin, need none: they
send JSON, which a page of somebody else can't without asking first; or they show a secret in a header, which it can't.
"""

from __future__ import annotations

import hmac
import secrets
from hashlib import sha256

from starlette.datastructures import Headers
from starlette.requests import Request

COOKIE = "gristmill_session"
HEADER = "x-csrf-token"
FIELD = "csrf"
_SESSION_BYTES = 24


def cookie_name(request: Request) -> str:
    """Name the cookie of this server: browsers keep those of all ports of a machine together."""
    server = request.scope.get("server")
    return f"{COOKIE}_{server[1]}" if server and server[1] else COOKIE


def new_session() -> str:
    """Make a random name for a session."""
    return secrets.token_urlsafe(_SESSION_BYTES)


def token_of(session: str, secret: bytes) -> str:
    """Compute the token of a session."""
    return hmac.new(secret, session.encode(), sha256).hexdigest()


def is_genuine(
    headers: Headers, session: str, given: str, secret: bytes, origins: frozenset[str], *, is_program: bool = False
) -> bool:
    """Tell whether a request that writes comes from one of our pages, or from a program that is no browser.

    `given` is the token, of the header or of a form; `is_program`, whether a secret was shown in a header.
    """
    origin = headers.get("origin")
    if origin is not None and origin.lower() not in origins:
        return False
    if headers.get("sec-fetch-site", "same-origin") not in {"same-origin", "none"}:
        return False
    if is_program:
        return True
    if origin is None and "cookie" not in headers and "sec-fetch-site" not in headers:
        return headers.get("content-type", "").partition(";")[0].strip().lower() == "application/json"
    return bool(session) and hmac.compare_digest(given.encode("utf-8", "replace"), token_of(session, secret).encode())
