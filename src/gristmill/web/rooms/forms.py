"""Pages that are a form and what it gives: wrong values are told of in the form, with all others as they were."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Generic, TypeVar
from urllib.parse import quote

from gristmill.errors import GristmillError, UsageError
from gristmill.parameters import parameters, read, to_query
from gristmill.web.downloads import LABELS
from gristmill.web.visit import AMOUNTS, MAX_ON_PAGE, Visit
from gristmill.web.workers import RECORD, Answer, failure

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Filled(Generic[T]):
    """A form as it was filled in, and what is wrong with it."""

    asked: T
    error: dict[str, Any] | None = None
    """The message, and where in a query or condition it points, as answers of the API have them."""


def read_form(visit: Visit, kind: Callable[..., T]) -> Filled[T]:
    """Read the parameters in the address; those that are wrong have their defaults, and the error says why.

    What must be given is empty as long as nobody has filled it in.
    """
    empty = {item.called: "" for item in parameters(kind) if item.required and item.called not in visit.given}
    try:
        return Filled(visit.read(kind, **empty))
    except UsageError as error:
        return Filled(read(kind, _right(kind, visit.given) | empty), {"error": str(error)})


def _right(kind: Any, given: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters that can be read."""
    known = {item.called: item for item in parameters(kind) if not item.is_local}
    found = {}
    for name, value in given.items():
        if name in known:
            with suppress(UsageError):
                read_value = known[name].read(value)
                if name not in AMOUNTS or 0 < read_value <= MAX_ON_PAGE:
                    found[name] = value
    return found


async def answered(visit: Visit, operation: str, form: Filled[Any]) -> tuple[Any, dict[str, Any] | None, int]:
    """Ask an operation what a form asks: its JSON, or None, and what is wrong, and the status of the page."""
    if form.error:
        return None, form.error, 400
    answer = await visit.answer(operation, form.asked)
    if answer.status != 200:
        return None, answer.json(), answer.status
    return answer.json(), None, 200


async def recorded(
    visit: Visit, operation: str, asked: Any, corpus: str = ""
) -> tuple[Any, dict[str, Any] | None, int]:
    """Ask an operation: the answer itself, or None, and what is wrong, and the status of the page."""
    answer = await visit.answer(operation, asked, corpus, RECORD)
    return (answer.record(), None, 200) if answer.status == 200 else (None, answer.json(), answer.status)


def address(visit: Visit, path: str, asked: Any, **changes: Any) -> str:
    """Make the address of a page with parameters, some of them changed."""
    query = to_query(asked, **changes)
    base = f"/{quote(visit.name, safe='')}/{path}"
    return f"{base}?{query}" if query else base


def downloads(visit: Visit, operation: str, asked: Any, **changes: Any) -> list[tuple[str, str]]:
    """Names and addresses of the formats that a result can be downloaded in."""
    found = []
    for form, label in LABELS.items():
        query = to_query(asked, format=form, **changes)
        found.append((label, f"/api/{quote(visit.name, safe='')}/{operation}?{query}"))
    return found


async def told(visit: Visit, operation: str, kind: type, **more: str) -> tuple[Answer, dict[str, list[str]]]:
    """Have an operation write what a form says, and `more`.

    Returns its answer, also one that says what is wrong, and the form.
    """
    form = await visit.form()
    try:
        return await visit.answer(operation, read(kind, {**form, **more})), form
    except GristmillError as error:
        return failure(400, str(error)), form
