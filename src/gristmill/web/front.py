"""What is before the rooms: the list of corpora, and the API for people and for programs."""

from __future__ import annotations

import asyncio
import json
import shlex
from itertools import zip_longest
from typing import Any
from urllib.parse import quote, urlencode

from starlette.responses import JSONResponse, RedirectResponse, Response

from gristmill.operations.common import NoParameters
from gristmill.operations.declaration import Operation
from gristmill.parameters import schemas
from gristmill.web.downloads import with_format
from gristmill.web.openapi import ERRORS, description, path_of
from gristmill.web.operations import operations
from gristmill.web.pages import ROOMS
from gristmill.web.visit import Refused, Visit

_MAX_DESCRIBED = 24
"""Corpora that the list tells the size of; of further ones it has the names only."""

_SEARCHED = {"q", "word"}
_DOCUMENT, _OTHER = "00000-000000", "00000-000001"
_EXAMPLES: dict[str, Any] = dict.fromkeys(("id", "page", "first"), _DOCUMENT) | {
    "second": _OTHER,
    "block": 0,
    "q": "bread",
    "word": "bread",
    "position": 100,
    "relation": "object",
    "verdict": "yes",
    "where": 'lang="en"',
}
"""What stands in examples for parameters of these names, unless they have an example of their own."""


async def home(visit: Visit) -> Response:
    """Show the corpora, or the only one."""
    visit.site.shelf.look()
    names = [item.name for item in visit.site.shelf]
    if len(names) == 1:
        return RedirectResponse(f"/{quote(names[0])}")
    described = await asyncio.gather(*(_about(visit, name) for name in names[:_MAX_DESCRIBED]))
    return visit.page("home.html", corpora=list(zip_longest(names, described)))


async def _about(visit: Visit, name: str) -> dict[str, Any]:
    """Ask what a corpus is; if it can't be read, this is under `error`."""
    answer = await visit.site.workers.ask(visit.question("about", NoParameters(), name), visit.client)
    return {"error": "", **answer.json()}


async def api(visit: Visit) -> Response:
    """Show the API: to people as a page, to programs as a list of what there is."""
    names = [item.name for item in visit.site.shelf]
    if "text/html" not in visit.request.headers.get("accept", ""):
        listed = {item.name: item.about.partition("\n")[0] for item in operations().values()}
        return JSONResponse({"corpora": names, "openapi": "/api/openapi.json", "operations": listed})
    if not names:
        raise Refused(404, "there are no corpora here")
    base, corpus = str(visit.request.base_url).rstrip("/"), names[0]
    rooms = [
        (room, [_described(item, base, corpus) for item in operations().values() if item.room == room.name])
        for room in ROOMS
    ]
    shown = [(room, items) for room, items in rooms if items]
    return visit.page("api.html", rooms_of_api=shown, errors=ERRORS, base=base, example=corpus)


async def openapi(visit: Visit) -> Response:
    """Give the description of the API."""
    found = description(visit.site.shelf, max_seconds=visit.site.workers.max_seconds)
    return Response(json.dumps(found), media_type="application/json")


def _described(item: Operation[..., Any], base: str, corpus: str) -> dict[str, Any]:
    """What the page says of an operation: its parameters, and examples to copy."""
    path = path_of(item).replace("{corpus}", quote(corpus))
    examples = _examples(item)
    if item.writes:
        command = f"curl -H 'Content-Type: application/json' -d {shlex.quote(json.dumps(examples))} {base}{path}"
    else:
        path += f"?{urlencode(examples, doseq=True)}" if examples else ""
        command = f"curl {shlex.quote(base + path)}"
    summary, _, rest = item.about.partition("\n")
    return {
        "name": item.name,
        "method": "POST" if item.writes else "GET",
        "path": path_of(item),
        "role": item.role,
        "summary": summary,
        "more": [" ".join(part.split()) for part in rest.split("\n\n") if part.strip()],
        "parameters": _parameters(item),
        "command": command,
        "link": "" if item.writes else path,
    }


def _examples(item: Operation[..., Any]) -> dict[str, Any]:
    """Values for the parameters that an example needs: what must be given, and what is searched for."""
    found = {}
    for parameter in item.parameters:
        example = parameter.declared.example
        if example is None and (parameter.required or parameter.name in _SEARCHED):
            example = _EXAMPLES.get(parameter.name, parameter.name.upper())
        if example is not None:
            found[parameter.called] = example
    return found


def _parameters(item: Operation[..., Any]) -> list[dict[str, Any]]:
    shown = with_format(item)
    required = {parameter.called for parameter in shown if parameter.required}
    found = []
    for described in schemas(shown):
        schema = described["schema"]
        values = schema.get("items", schema)
        found.append(
            {
                "name": described["name"],
                "about": described["description"],
                "required": described["name"] in required,
                "type": values["type"] + (", several" if schema["type"] == "array" else ""),
                "choices": values.get("enum", ()),
                "limits": _limits(values),
                "default": None if schema["type"] == "array" else schema.get("default"),
            }
        )
    return found


def _limits(schema: dict[str, Any]) -> str:
    low, high = schema.get("minimum"), schema.get("maximum")
    if low is None or high is None:
        return ""
    return f"from {low:,} to {high:,}" if high < 2**53 else f"{low:,} or more" if low > -(2**53) else ""
