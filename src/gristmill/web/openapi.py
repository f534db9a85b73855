"""The description of the API by OpenAPI 3.1, made of the operations and their parameters."""

from __future__ import annotations

from typing import Any

from gristmill.version import __version__
from gristmill.web.operations import Operation, operations
from gristmill.web.parameters import body_schema, schemas
from gristmill.web.shelf import Shelf

_ERRORS = {
    "400": "A parameter is wrong; `error` says which and why.",
    "401": "Who asks is not known.",
    "403": "Who asks may not do this, or the request is forged.",
    "404": "There is no such corpus.",
    "409": "The corpus is not ready for this; `error` says what to do.",
    "413": "The request is too large.",
    "415": "The body is neither JSON nor a form.",
    "429": "Too many requests.",
    "503": "It took too long.",
}


def description(shelf: Shelf) -> dict[str, Any]:
    """Describe the API of a server with these corpora."""
    names = [item.name for item in shelf]
    return {
        "openapi": "3.1.0",
        "info": {"title": "Gristmill", "version": __version__, "description": "Ask corpora of web pages."},
        "paths": {f"/api/{{corpus}}/{item.name}": _path(item, names) for item in operations().values()},
        "components": {
            "schemas": {
                "Error": {
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
            }
        },
    }


def _path(item: Operation, corpora: list[str]) -> dict[str, Any]:
    corpus = {"name": "corpus", "in": "path", "required": True, "schema": {"type": "string", "enum": corpora}}
    about: dict[str, Any] = {
        "operationId": item.name,
        "tags": [item.room],
        "summary": item.about.partition("\n")[0],
        "description": item.about,
        "parameters": [corpus],
        "responses": {
            "200": {
                "description": "The answer.",
                "content": {"application/json": {"schema": {}}, "*/*": {"schema": {}}},
            },
            **{status: _error(words) for status, words in _ERRORS.items()},
        },
    }
    if item.writes:
        about["requestBody"] = {
            "required": True,
            "content": {"application/json": {"schema": body_schema(item.parameters)}},
        }
        return {"post": about}
    about["parameters"] += schemas(item.parameters)
    return {"get": about}


def _error(words: str) -> dict[str, Any]:
    return {
        "description": words,
        "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}},
    }
