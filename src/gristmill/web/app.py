"""The application: addresses, what every request must pass, and how errors are shown."""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp

from gristmill.errors import GristmillError
from gristmill.operations.declaration import Operation
from gristmill.parameters import read
from gristmill.web.downloads import taken_format
from gristmill.web.freshness import Freshness
from gristmill.web.front import api, home, openapi
from gristmill.web.guard import Guard
from gristmill.web.login import log_in, log_out, login_page
from gristmill.web.operations import operations
from gristmill.web.pages import Page, pages
from gristmill.web.refusals import error_page
from gristmill.web.rendering import compile_templates, render, static_files
from gristmill.web.searx import search
from gristmill.web.security.access import Access
from gristmill.web.shelf import Shelf
from gristmill.web.visit import CALLER, Gone, Refused, Visit
from gristmill.web.workers import Answer, Workers, failure

_LOG = logging.getLogger(__name__)
_FOR_EVER = "public, max-age=31536000, immutable"


class Site:
    """What all requests share: the corpora, the worker processes, the secret behind tokens."""

    def __init__(
        self,
        shelf: Shelf,
        *,
        workers: int | None = None,
        max_seconds: float = 30.0,
        access: Access | None = None,
    ) -> None:
        """Prepare a site; `max_seconds` is what a question may take, `access` says who may ask."""
        self.shelf = shelf
        self.access = access or Access()
        self.workers = Workers(workers, max_seconds=max_seconds, folders=list(shelf.folders().values()))
        self.secret = secrets.token_bytes(32)
        self.freshness = Freshness()

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
        return Visit(request, self, request.scope[CALLER], corpus, room)


def make_app(site: Site) -> ASGIApp:
    """Make the application of a site."""

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        routing = asyncio.create_task(asyncio.to_thread(_routes, site))  # imports a lot, while the first worker starts
        async with site.workers:
            app.router.routes.extend(await routing)
            compiling = asyncio.create_task(asyncio.to_thread(compile_templates))
            yield
            await compiling

    handlers: dict[Any, Any] = {HTTPException: _http_error(site), Exception: _crash(site)}
    return Guard(Starlette(lifespan=lifespan, exception_handlers=handlers), site)


def _routes(site: Site) -> list[Route]:
    return [
        Route("/", _bound(site, home)),
        Route("/static/{name}", _static),
        Route("/login", _bound(site, login_page)),
        Route("/login", _bound(site, log_in), methods=["POST"]),
        Route("/logout", _bound(site, log_out), methods=["POST"]),
        Route("/search", _bound(site, _search)),
        Route("/api", _bound(site, api)),
        Route("/api/openapi.json", _bound(site, openapi)),
        *(_api_route(site, item) for item in operations().values()),
        Route("/{corpus}", _bound(site, _front)),
        *(_page_route(site, item) for item in pages()),
    ]


def _bound(
    site: Site, function: Callable[[Visit], Awaitable[Response]], room: str = ""
) -> Callable[[Request], Awaitable[Response]]:
    """Turn a function of a visit into one of a request, whose refusals are shown."""

    async def endpoint(request: Request) -> Response:
        visit = Visit(request, site, request.scope[CALLER])
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
        if item.method == "POST" and visit.sends_json:
            raise Refused(415, "a page takes the fields of a form; JSON is for the API")
        return await item.handler(visit)

    return Route(f"/{{corpus}}/{item.path}", _bound(site, checked, item.room), methods=[item.method])


def _api_route(site: Site, item: Operation[..., Any]) -> Route:
    async def endpoint(request: Request) -> Response:
        try:
            visit = site.visit(request)
            given = await visit.form() if item.writes else visit.given
            form, given = taken_format(item, given)
            answer = await visit.answer(item.name, read(item.asks, given), form=form)
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


def _http_error(site: Site) -> Callable[[Request, HTTPException], Awaitable[Response]]:
    async def handle(request: Request, error: HTTPException) -> Response:
        corpus = site.shelf.get(request.scope["path"].lstrip("/").partition("/")[0])  # so that one can go on in it
        visit = Visit(request, site, request.scope[CALLER], corpus)
        words = {404: "There is no such page here.", 405: "This can't be asked for in this way."}
        return error_page(visit, error.status_code, words.get(error.status_code, error.detail))

    return handle


def _crash(site: Site) -> Callable[[Request, Exception], Awaitable[Response]]:
    async def handle(request: Request, error: Exception) -> Response:
        if isinstance(error, Gone):
            raise error
        _LOG.error("request %s", request.url.path, exc_info=error)
        visit = Visit(request, site, request.scope[CALLER])
        return error_page(visit, 500, "This failed; the log of the server says why.")

    return handle


async def _front(visit: Visit) -> Response:
    return RedirectResponse(visit.link("report"))


async def _search(visit: Visit) -> Response:
    """Search for documents as SearXNG is asked to."""
    return file_response(await search(visit))


async def _static(request: Request) -> Response:
    """Give a file of ours: compressed if the browser reads that, and for ever, as its address has its hash."""
    file = static_files().get(request.path_params["name"])
    if file is None:
        raise HTTPException(404)
    headers = {"Cache-Control": _FOR_EVER, "ETag": f'"{file.digest}"', "Vary": "Accept-Encoding"}
    if headers["ETag"] in request.headers.get("if-none-match", ""):
        return Response(status_code=304, headers=headers)
    if file.gzipped and "gzip" in request.headers.get("accept-encoding", ""):
        return Response(file.gzipped, 200, {**headers, "Content-Encoding": "gzip"}, file.content_type)
    return Response(file.data, 200, headers, file.content_type)
