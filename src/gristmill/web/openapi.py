"""The description of the API by OpenAPI 3.1, made of the operations: their parameters and the types of answers."""

from __future__ import annotations

import types
import typing
from typing import Any

from gristmill.operations.declaration import File, Operation
from gristmill.parameters import MAX_VALUES, body_schema, schemas
from gristmill.version import __version__
from gristmill.web.downloads import FORMATS, content_type, with_format
from gristmill.web.operations import operations
from gristmill.web.pages import ROOMS
from gristmill.web.schemas import Schema, schema_of, schema_of_table
from gristmill.web.shelf import Shelf

ERRORS = {
    "400": "A parameter is wrong; `error` says which and why.",
    "401": "Who asks is not known.",
    "403": "Who asks may not do this, or the request is forged.",
    "404": "There is no such corpus.",
    "409": "The corpus is not ready for this, or has changed; `error` says what to do.",
    "414": "The address is too long.",
    "429": "Too many requests; the header Retry-After says how many seconds to wait.",
    "431": "The headers are too long, or too many.",
    "503": "It takes too long, or too much memory.",
}
"""What each operation may answer instead of 200."""
_OF_BODIES = {"413": "The request is too large.", "415": "The body is neither JSON nor a form."}
_ERROR: Schema = {
    "type": "object",
    "required": ["error"],
    "properties": {
        "error": {"type": "string", "description": "What is wrong, in words."},
        "place": {
            "type": "object",
            "description": "Where in a query or condition: `text`, the place `at`, the `problem`.",
        },
    },
}
_SECURITY: dict[str, Schema] = {
    "token": {
        "type": "http",
        "scheme": "bearer",
        "description": "The token that the server was started with. A server for its own machine alone asks for none.",
    }
}
_ABOUT = """Ask corpora of web pages: the operations that the pages of the app are made of.

Operations that only look are asked by GET, those that write by POST with a JSON object. A parameter that may have
several values is given several times, at most {values:,} times. All text is UTF-8. Each request sees one state of a
corpus; the next may see a newer one. A question that takes longer than {seconds:g} seconds is given up, and so is one
whose client goes away. Errors are JSON, with what is wrong in words under `error`."""


def description(shelf: Shelf, *, max_seconds: float = 30.0) -> dict[str, Any]:
    """Describe the API of a server with these corpora, where a question may take so many seconds."""
    names = [item.name for item in shelf]
    components: dict[str, Schema] = {"Error": _ERROR}
    paths = {path_of(item): _path(item, names, components) for item in operations().values()}
    used = {item.room for item in operations().values()}
    tags = [{"name": room.name, "description": room.title} for room in ROOMS if room.name in used]
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Gristmill",
            "version": __version__,
            "description": _ABOUT.format(values=MAX_VALUES, seconds=max_seconds),
            "license": {"name": "BSD-3-Clause", "identifier": "BSD-3-Clause"},
        },
        "servers": [{"url": "/"}],
        "tags": tags,
        "security": [{}, {"token": []}],
        "paths": paths,
        "components": {
            "schemas": dict(sorted(components.items())),
            "responses": {status: _error(words) for status, words in (ERRORS | _OF_BODIES).items()},
            "securitySchemes": _SECURITY,
        },
    }


def path_of(item: Operation[..., Any]) -> str:
    """The address of an operation, with a place for the name of the corpus."""
    return f"/api/{{corpus}}/{item.name}"


def _path(item: Operation[..., Any], corpora: list[str], components: dict[str, Schema]) -> dict[str, Any]:
    corpus = {
        "name": "corpus",
        "in": "path",
        "required": True,
        "description": "The name of a corpus.",
        "schema": {"type": "string", "enum": corpora},
    }
    errors = ERRORS | _OF_BODIES if item.writes else ERRORS
    about: dict[str, Any] = {
        "operationId": item.name,
        "tags": [item.room],
        "summary": item.about.partition("\n")[0],
        "description": item.about,
        "parameters": [corpus],
        "responses": {
            "200": {"description": "The answer.", "content": _content(item, components)},
            **{status: {"$ref": f"#/components/responses/{status}"} for status in errors},
        },
        "x-role": item.role,
    }
    if item.writes:
        schema = body_schema(item.parameters)
        about["requestBody"] = {"required": True, "content": {"application/json": {"schema": schema}}}
        return {"post": about}
    about["parameters"] += schemas(with_format(item))
    return {"get": about}


def _content(item: Operation[..., Any], components: dict[str, Schema]) -> dict[str, Any]:
    """Describe what is answered: JSON of a type, files, or both."""
    is_union = typing.get_origin(item.answers) in {typing.Union, types.UnionType}
    parts = typing.get_args(item.answers) if is_union else (item.answers,)
    found: dict[str, Any] = {}
    describe = schema_of_table if item.is_table else schema_of
    described = [describe(part, components) for part in parts if part is not File]
    if described:
        found["application/json"] = {"schema": described[0] if len(described) == 1 else {"anyOf": described}}
    if item.is_table:
        found = {kind: {} for kind in _content_types(item)} | found
    if File in parts:
        found = {kind: {} for kind in item.content_types or _content_types(item)} | found
    return found


def _content_types(item: Operation[..., Any]) -> list[str]:
    """Name the media types of the files of an operation whose parameter `format` chooses one of ours; else any."""
    chosen = next((one for one in with_format(item) if one.name == "format"), None)
    formats = chosen.choices if chosen else ()
    return sorted({content_type(form).partition(";")[0] for form in formats if form in FORMATS}) or ["*/*"]


def _error(words: str) -> dict[str, Any]:
    return {
        "description": words,
        "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}},
    }
