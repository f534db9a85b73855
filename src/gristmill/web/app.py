"""The application: addresses, what every request must pass, and how errors are shown."""

from __future__ import annotations

import json
import logging
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

from starlette.applications import Starlette
from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from gristmill.errors import GristmillError
from gristmill.web.openapi import description
from gristmill.web.operations import Operation, operations
from gristmill.web.pages import Page, pages
from gristmill.web.parameters import read
from gristmill.web.rendering import render, static_files
from gristmill.web.security.forgery import COOKIE, new_session
from gristmill.web.security.headers import add_headers
from gristmill.web.security.hosts import host_of, is_local
from gristmill.web.security.users import OWNER
from gristmill.web.shelf import Shelf
from gristmill.web.visit import Gone, Refused, Visit
from gristmill.web.workers import Answer, Workers, failure

_LOG = logging.getLogger(__name__)
_FOR_EVER = "public, max-age=31536000, immutable"


class Site:
    """What all requests share: the corpora, the worker processes, the secret behind tokens."""

    def __init__(self, shelf: Shelf, *, workers: int | None = None, max_seconds: float = 30.0) -> None:
        """Prepare a site; `max_seconds` is what a question may take."""
        self.shelf = shelf
        self.workers = Workers(workers, max_seconds=max_seconds)
        self.secret = secrets.token_bytes(32)

    def origins(self, request: Request) -> frozenset[str]:
        """The origins that our own pages have, as the browser was told in this request."""
        host = request.headers.get("host", "").lower()
        return frozenset({f"http://{host}", f"https://{host}"})

    def render(self, template: str, **values: Any) -> str:
        """Fill a template."""
        return render(template, {"site": self, **values})

    def visit(self, request: Request, room: str = "") -> Visit:
        """Make the visit of a request; raises if there is no such corpus."""
        name = request.path_params.get("corpus", "")
        corpus = self.shelf.get(name)
        if name and corpus is None:
            raise Refused(404, f"there is no corpus {name[:100]!r} here")
        session = request.cookies.get(COOKIE) or request.scope["gristmill.session"]
        return Visit(request, self, OWNER, session, corpus, room)


def make_app(site: Site) -> ASGIApp:
    """Make the application of a site."""

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        async with site.workers:
            yield

    routes = [
        Route("/", _bound(site, _home)),
        Route("/static/{name}", _static),
        Route("/api", _bound(site, _api_index)),
        Route("/api/openapi.json", _bound(site, _openapi)),
        *(_api_route(site, item) for item in operations().values()),
        Route("/{corpus}", _bound(site, _front)),
        *(_page_route(site, item) for item in pages()),
    ]
    handlers: dict[Any, Any] = {HTTPException: _http_error(site), Exception: _crash(site)}
    app = Starlette(routes=routes, lifespan=lifespan, exception_handlers=handlers)
    return _Guard(app, site)


class _Guard:
    """What every request must pass, and what every answer gets: host, session, headers."""

    def __init__(self, app: ASGIApp, site: Site) -> None:
        self._app = app
        self._site = site

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        scope["gristmill.session"] = session = new_session()
        is_new = COOKIE not in Request(scope).cookies

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                found = MutableHeaders(scope=message)
                add_headers(found)
                is_page = found.get("content-type", "").startswith("text/html")
                if is_new and is_page and not found["content-security-policy"].startswith("sandbox"):
                    found.append("Set-Cookie", f"{COOKIE}={session}; Path=/; HttpOnly; SameSite=Strict")
            await send(message)

        refusal = self._refusal(headers)
        if refusal:
            await JSONResponse({"error": refusal.message}, refusal.status)(scope, receive, send_guarded)
            return
        try:
            await self._app(scope, receive, send_guarded)
        except Gone:
            _LOG.info("%s: the client went away", scope["path"])

    def _refusal(self, headers: Headers) -> Refused | None:
        if not is_local(host_of(headers.get("host", ""))):
            return Refused(403, "this server is for this machine only: ask it as localhost")
        return None


def _bound(
    site: Site, function: Callable[[Visit], Awaitable[Response]], room: str = ""
) -> Callable[[Request], Awaitable[Response]]:
    """Turn a function of a visit into one of a request, whose refusals are shown."""

    async def endpoint(request: Request) -> Response:
        visit = Visit(request, site, OWNER, request.cookies.get(COOKIE) or request.scope["gristmill.session"])
        try:
            visit = site.visit(request, room)
            return await function(visit)
        except Refused as refused:
            return error_page(visit, refused.status, refused.message)
        except GristmillError as error:
            return error_page(visit, 400, str(error))

    return endpoint


def _page_route(site: Site, item: Page) -> Route:
    async def checked(visit: Visit) -> Response:
        if not visit.user.may(item.role):
            raise Refused(403, f"this needs the role {item.role}, and you have the role {visit.user.role}")
        return await item.handler(visit)

    return Route(f"/{{corpus}}/{item.path}", _bound(site, checked, item.room), methods=[item.method])


def _api_route(site: Site, item: Operation) -> Route:
    async def endpoint(request: Request) -> Response:
        try:
            visit = site.visit(request)
            given = await visit.form() if item.writes else visit.given
            answer = await visit.answer(item.name, read(item.parameters, given))
        except Refused as refused:
            answer = failure(refused.status, refused.message)
        except GristmillError as error:
            answer = failure(400, str(error))
        return file_response(answer)

    return Route(f"/api/{{corpus}}/{item.name}", endpoint, methods=["POST" if item.writes else "GET"])


def file_response(answer: Answer) -> Response:
    """Send an answer as it is: JSON, or a file under its name."""
    named = {"Content-Disposition": f'attachment; filename="{answer.name}"'} if answer.name else {}
    return Response(answer.data, answer.status, named, answer.content_type)


def error_page(visit: Visit, status: int, message: str) -> Response:
    """Show what is wrong: as a page, or as JSON to programs."""
    if visit.request.url.path.startswith("/api"):
        return JSONResponse({"error": message}, status)
    return visit.page("error.html", status, status=status, message=message)


def _http_error(site: Site) -> Callable[[Request, HTTPException], Awaitable[Response]]:
    async def handle(request: Request, error: HTTPException) -> Response:
        visit = Visit(request, site, OWNER, request.scope["gristmill.session"])
        words = {404: "There is no such page here.", 405: "This can't be asked for in this way."}
        return error_page(visit, error.status_code, words.get(error.status_code, error.detail))

    return handle


def _crash(site: Site) -> Callable[[Request, Exception], Awaitable[Response]]:
    async def handle(request: Request, error: Exception) -> Response:
        if isinstance(error, Gone):
            raise error
        _LOG.error("request %s", request.url.path, exc_info=error)
        visit = Visit(request, site, OWNER, request.scope["gristmill.session"])
        return error_page(visit, 500, "This failed; the log of the server says why.")

    return handle


async def _home(visit: Visit) -> Response:
    names = [item.name for item in visit.site.shelf]
    if len(names) == 1:
        return RedirectResponse(f"/{names[0]}")
    return visit.page("home.html", corpora=names)


async def _front(visit: Visit) -> Response:
    return RedirectResponse(visit.link("report"))


async def _static(request: Request) -> Response:
    file = static_files().get(request.path_params["name"])
    if file is None:
        raise HTTPException(404)
    return Response(file.data, 200, {"Cache-Control": _FOR_EVER}, file.content_type)


async def _api_index(visit: Visit) -> Response:
    return JSONResponse({"corpora": [item.name for item in visit.site.shelf], "openapi": "/api/openapi.json"})


async def _openapi(visit: Visit) -> Response:
    return Response(json.dumps(description(visit.site.shelf)), media_type="application/json")
