"""Tokens against forged requests: whoever writes must show a token that only our own pages know.

A browser has a random session in a cookie; the token is a keyed hash of it. A page of somebody else can make the
browser send the cookie, but can't read the token. Programs, which send neither cookies nor an Origin, need none.
"""

from __future__ import annotations

import hmac
import secrets
from hashlib import sha256

from starlette.datastructures import Headers

COOKIE = "gristmill_session"
HEADER = "x-csrf-token"
FIELD = "csrf"
_SESSION_BYTES = 24


def new_session() -> str:
    """Make a random name for a session."""
    return secrets.token_urlsafe(_SESSION_BYTES)


def token_of(session: str, secret: bytes) -> str:
    """Compute the token of a session."""
    return hmac.new(secret, session.encode(), sha256).hexdigest()


def is_genuine(headers: Headers, session: str | None, given: str, secret: bytes, origins: frozenset[str]) -> bool:
    """Tell whether a request that writes comes from one of our pages, or from a program that is no browser.

    `given` is the token, of the header or of a form.
    """
    origin = headers.get("origin")
    if origin is None and "cookie" not in headers and "sec-fetch-site" not in headers:
        return headers.get("content-type", "").partition(";")[0].strip().lower() == "application/json"
    if origin is not None and origin.lower() not in origins:
        return False
    if headers.get("sec-fetch-site", "same-origin") not in {"same-origin", "none"}:
        return False
    return session is not None and hmac.compare_digest(given.encode(), token_of(session, secret).encode())
