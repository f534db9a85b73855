"""Logging in and out: by name and password, or by the token of the server."""

from __future__ import annotations

import re
from typing import Any

from starlette.responses import JSONResponse, RedirectResponse, Response

from gristmill.web.guard import LOGIN, set_session
from gristmill.web.security.access import TooManyTries
from gristmill.web.security.users import MAX_NAME_CHARACTERS, MAX_PASSWORD_CHARACTERS
from gristmill.web.visit import Refused, Visit

_LOCAL_PATH = re.compile(r"/(?![/\\])[!-~]{0,4000}")
_WRONG = "This name and password don't belong together."
_WRONG_TOKEN = "This is not the token of this server."  # noqa: S105 (a message)


def _next(given: Any) -> str:
    """Return where to go then: an address of this server, whatever is given."""
    text = given[0] if isinstance(given, list) and given else given
    return text if isinstance(text, str) and _LOCAL_PATH.fullmatch(text) and not text.startswith(LOGIN) else "/"


def _text(fields: dict[str, Any], name: str, most: int) -> str:
    value = fields.get(name, "")
    text = value[0] if isinstance(value, list) and value else value
    if not isinstance(text, str) or len(text) > most:
        raise Refused(400, f"{name} must be text of at most {most} characters")
    return text


def _address(visit: Visit) -> str:
    return visit.request.client.host if visit.request.client else ""


async def login_page(visit: Visit) -> Response:
    """Show the form; an address with the right token logs in at once, and leads to one without it."""
    access, given = visit.site.access, visit.given
    then = _next(given.get("next"))
    if not access.is_guarded:
        return RedirectResponse(then, 303)
    if "token" in given:
        try:
            session = access.enter_by_token(given["token"][0], _address(visit))
        except TooManyTries as error:
            return _form(visit, then, str(error), 429, error.seconds)
        return _entered(visit, session, then) if session else _form(visit, then, _WRONG_TOKEN, 403)
    if visit.caller.is_known:
        return RedirectResponse(then, 303)
    return _form(visit, then)


async def log_in(visit: Visit) -> Response:
    """Log in by a form; a program gets a token for the header `Authorization: Bearer TOKEN`."""
    access, fields = visit.site.access, await visit.form()
    then = _next(fields.get("next"))
    is_program = "json" in visit.request.headers.get("content-type", "")
    token = _text(fields, "token", MAX_PASSWORD_CHARACTERS)
    name, password = _text(fields, "name", MAX_NAME_CHARACTERS), _text(fields, "password", MAX_PASSWORD_CHARACTERS)
    try:
        if token:
            session = access.enter_by_token(token, _address(visit))
        else:
            session = await access.log_in(name, password, _address(visit))
    except TooManyTries as error:
        if is_program:
            return JSONResponse({"error": str(error)}, 429, {"Retry-After": str(error.seconds)})
        return _form(visit, then, str(error), 429, error.seconds)
    message = _WRONG_TOKEN if token else _WRONG
    if is_program:
        return JSONResponse({"token": session} if session else {"error": message}, 200 if session else 403)
    return _entered(visit, session, then) if session else _form(visit, then, message, 403, name=name)


async def log_out(visit: Visit) -> Response:
    """End the session."""
    await visit.form()
    visit.site.access.sessions.end(visit.caller.key)  # by which a session is counted, also that of a program
    response = RedirectResponse(LOGIN, 303)
    set_session(response.headers, visit.request, "")
    return response


def _entered(visit: Visit, session: str, then: str) -> Response:
    response = RedirectResponse(then, 303)
    set_session(response.headers, visit.request, session)
    return response


def _form(visit: Visit, then: str, message: str = "", status: int = 200, seconds: int = 0, name: str = "") -> Response:
    access = visit.site.access
    response = visit.page(
        "login.html",
        status,
        then=then,
        message=message,
        name=name,
        with_users=access.users is not None,
        with_token=bool(access.token),
    )
    if seconds:
        response.headers["Retry-After"] = str(seconds)
    return response
