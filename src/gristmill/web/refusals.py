"""How it is shown that something is not answered: as a page to people, as JSON to programs."""

from __future__ import annotations

from collections.abc import Mapping

from starlette.responses import JSONResponse, Response

from gristmill.web.visit import Visit

_OF_PROGRAMS = ("/api", "/search")


def is_for_programs(path: str) -> bool:
    """Tell whether an address is one that programs ask: that of the API, or of the search for documents."""
    return any(path == start or path.startswith(f"{start}/") for start in _OF_PROGRAMS)


def error_page(visit: Visit, status: int, message: str, headers: Mapping[str, str] | None = None) -> Response:
    """Show what is wrong: as a page, or as JSON to programs."""
    if is_for_programs(visit.request.scope["path"]):
        return JSONResponse({"error": message}, status, headers)
    response = visit.page("error.html", status, status=status, message=message)
    response.headers.update(headers or {})
    return response
