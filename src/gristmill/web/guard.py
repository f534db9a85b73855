"""What every request must pass, and what every answer gets: names, origins, callers, limits, headers."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from gristmill.web.refusals import error_page, is_for_programs
from gristmill.web.security.access import Caller
from gristmill.web.security.forgery import cookie_name
from gristmill.web.security.headers import add_headers
from gristmill.web.security.hosts import is_foreign, is_from_elsewhere
from gristmill.web.security.limits import MAX_ADDRESS_BYTES, MAX_HEADER_BYTES, MAX_HEADERS, TOO_LONG
from gristmill.web.visit import CALLER, Gone, Visit

if TYPE_CHECKING:
    from gristmill.web.app import Site

_LOG = logging.getLogger(__name__)
LOGIN, STATIC = "/login", "/static/"


def _size(header: tuple[bytes, bytes]) -> int:
    return len(header[0]) + len(header[1])


class Guard:
    """Stands before the application."""

    def __init__(self, app: ASGIApp, site: Site) -> None:
        self._app = app
        self._site = site

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or let the application do it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request = Request(scope, receive)
        refused = self._refused(request)
        caller = scope[CALLER] = self._site.access.caller(request)

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                self._add_headers(MutableHeaders(scope=message), request, None if refused else caller)
            await send(message)

        answer = refused or self._not_let_in(request, caller)
        if answer is not None:
            await answer(scope, receive, send_guarded)
            return
        with self._site.access.meter.answering(caller.key):
            try:
                await self._app(scope, receive, send_guarded)
            except Gone:
                _LOG.info("%s: the client went away", scope["path"])

    def _refused(self, request: Request) -> Response | None:
        """Refuse requests under other names, and those of pages of somebody else."""
        names, scope = self._site.access.names, request.scope
        if len(scope["headers"]) > MAX_HEADERS or sum(map(_size, scope["headers"])) > MAX_HEADER_BYTES:
            return JSONResponse({"error": TOO_LONG[431]}, 431)
        if len(scope["raw_path"]) + len(scope["query_string"]) > MAX_ADDRESS_BYTES:
            return JSONResponse({"error": TOO_LONG[414]}, 414)
        if not names.answers_to(request.headers.get("host", "")):
            return JSONResponse({"error": names.refusal}, 403)
        if is_foreign(request.headers, request.method):
            return JSONResponse({"error": "pages of other sites can't use this server"}, 403)
        if is_from_elsewhere(request.headers, request.method) and cookie_name(request) not in request.cookies:
            # The browser holds back its cookie, as it comes from another site; from our own page it sends it.
            return Response(_SAME_AGAIN, media_type="text/html")
        return None

    def _not_let_in(self, request: Request, caller: Caller) -> Response | None:
        """Answer those who have to log in, and those who ask too much."""
        path = request.scope["path"]
        if path.startswith(STATIC):
            return None
        seconds = self._site.access.meter.wait(caller.key)
        if seconds:
            message = f"too many requests at once, or in a short time: wait {seconds} s"
            return error_page(Visit(request, self._site, caller), 429, message, {"Retry-After": str(seconds)})
        if caller.is_known or path == LOGIN:
            return None
        if is_for_programs(path) or caller.is_program:
            message = "log in, or show the token: Authorization: Bearer TOKEN"
            return JSONResponse({"error": message}, 401, {"WWW-Authenticate": "Bearer"})
        wanted = path + (f"?{request.scope['query_string'].decode('latin-1')}" if request.scope["query_string"] else "")
        return RedirectResponse(f"{LOGIN}?{urlencode({'next': wanted})}", 303)

    @staticmethod
    def _add_headers(headers: MutableHeaders, request: Request, caller: Caller | None) -> None:
        add_headers(headers)
        is_page = headers.get("content-type", "").startswith("text/html")
        is_sandboxed = headers["content-security-policy"].startswith("sandbox")  # a page of the web, which gets none
        if caller and caller.is_new and is_page and not is_sandboxed:
            set_session(headers, request, caller.session)


def set_session(headers: MutableHeaders, request: Request, session: str) -> None:
    """Tell the browser its session; an empty one makes it forget."""
    end = "" if session else "; Max-Age=0"
    headers.append("Set-Cookie", f"{cookie_name(request)}={session}; Path=/; HttpOnly; SameSite=Strict{end}")


_SAME_AGAIN = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta http-equiv="refresh" content="0"><title>Gristmill</title></head>
<body><p><a href="">Go on</a></p></body></html>
"""
"""A page that loads the same address again."""
