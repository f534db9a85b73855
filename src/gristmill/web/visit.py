"""A visit: one request to one of our pages or to the API, with all that is needed to answer it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import parse_qs, quote, urlencode

from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from gristmill.errors import UsageError
from gristmill.parameters import read
from gristmill.web.operations import operations
from gristmill.web.security.access import Caller
from gristmill.web.security.forgery import FIELD, HEADER, is_genuine, token_of
from gristmill.web.security.users import User
from gristmill.web.shelf import Shelved
from gristmill.web.workers import Answer, Question

if TYPE_CHECKING:
    from gristmill.web.app import Site

T = TypeVar("T")

MAX_BODY_BYTES = 1_000_000
_MAX_FIELDS = 2_000
_JSON = "application/json"
MAX_ON_PAGE = 1_000
"""Rows or lines of a page; the API gives more. Pages are made by the process that serves everybody."""
AMOUNTS = ("rows", "lines", "limit")
"""Parameters that say how many there are on a page."""
CALLER = "gristmill.caller"
"""Under which name the scope of a request has who makes it."""


class Refused(Exception):  # noqa: N818 (it says what happened)
    """A request that is not answered as asked: the status, and what is wrong in words."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.message = message


class Gone(Exception):  # noqa: N818 (as above)
    """Whoever asked does not wait any more."""


@dataclass(slots=True)
class Visit:
    """One request, who makes it, and of which corpus it is."""

    request: Request
    site: Site
    caller: Caller
    corpus: Shelved | None = None
    room: str = ""
    _form: dict[str, list[str]] | None = field(default=None, repr=False)

    @property
    def user(self) -> User:
        """Who makes it."""
        return self.caller.user

    @property
    def session(self) -> str:
        """The secret name of the session."""
        return self.caller.session

    @property
    def name(self) -> str:
        """The name of the corpus in addresses."""
        return self.corpus.name if self.corpus else ""

    @property
    def client(self) -> str:
        """Whose turn it is when many ask at once: the user, or the session, or the address that asks."""
        return self.caller.key

    @property
    def token(self) -> str:
        """The token against forgery, for forms and scripts of our pages."""
        return token_of(self.session, self.site.secret)

    @property
    def given(self) -> dict[str, list[str]]:
        """The parameters in the address."""
        pairs = self.request.query_params.multi_items()
        if len(pairs) > _MAX_FIELDS:
            raise Refused(400, f"more than {_MAX_FIELDS:,} parameters")
        found: dict[str, list[str]] = {}
        for name, value in pairs:
            found.setdefault(name, []).append(value)
        return found

    def read(self, kind: Callable[..., T], **more: str) -> T:
        """Read the parameters in the address, and `more` from elsewhere, as those of an operation, for a page."""
        asked = read(kind, {**self.given, **more})
        for name in AMOUNTS:
            amount = getattr(asked, name, 1)
            if amount > MAX_ON_PAGE or amount == 0:
                many = f"{amount:,}" if amount else "all"
                raise UsageError(
                    f"a page shows up to {MAX_ON_PAGE:,} {name}, not {many}: download them, or ask the API for more"
                )
        return asked

    async def ask(self, operation: str, asked: Any, corpus: str = "") -> Any:
        """Ask an operation of the corpus (or of another one, by name), and return its JSON.

        Raises `Refused` with what is wrong.
        """
        answer = await self.answer(operation, asked, corpus)
        if answer.status != 200:
            raise Refused(answer.status, answer.json()["error"])
        return answer.json()

    async def answer(self, operation: str, asked: Any, corpus: str = "", form: str = "json") -> Answer:
        """Ask an operation, and return the answer as it is; it is given up if the client goes away.

        A table is given in the format `form`.
        """
        about = operations()[operation]
        if not self.user.may(about.role):
            raise Refused(403, f"this needs the role {about.role}, and you have the role {self.user.role}")
        question = self.question(operation, asked, corpus, form)
        work = asyncio.ensure_future(self.site.workers.ask(question, self.client))
        left = asyncio.ensure_future(self._gone())
        try:
            await asyncio.wait((work, left), return_when=asyncio.FIRST_COMPLETED)
            if not work.done():
                raise Gone
            return work.result()
        finally:
            work.cancel()
            left.cancel()

    def question(self, operation: str, asked: Any, corpus: str = "", form: str = "json") -> Question:
        """Make the question for the workers; raises `Refused` if there is no such corpus."""
        shelved = self.site.shelf.get(corpus or self.name)
        if shelved is None:
            raise Refused(404, f"there is no corpus {(corpus or self.name)[:100]!r} here")
        return Question(shelved.folder, operation, asked, self.user.name, self.site.shelf.folders(), form)

    async def _gone(self) -> None:
        while (await self.request.receive())["type"] != "http.disconnect":
            pass

    async def form(self) -> dict[str, list[str]]:
        """Read the fields of a form, or of a JSON object, that was sent; raises if it is forged or too large."""
        if self._form is None:
            self._form = await self._read_body()
        return self._form

    @property
    def sends_json(self) -> bool:
        """Whether the body is a JSON object, whose values may be of any type, and not the fields of a form."""
        return self._content_type == _JSON

    @property
    def _content_type(self) -> str:
        return self.request.headers.get("content-type", "").partition(";")[0].strip().lower()

    async def _read_body(self) -> dict[str, Any]:
        data = bytearray()
        async for chunk in self.request.stream():
            data += chunk
            if len(data) > MAX_BODY_BYTES:
                raise Refused(413, f"a request may have {MAX_BODY_BYTES:,} bytes")
        fields = _fields(self._content_type, bytes(data))
        given = fields.pop(FIELD, "")
        token = self.request.headers.get(HEADER) or str(given[0] if isinstance(given, list) and given else given)
        origins = self.site.origins(self.request)
        is_program = self.caller.is_program
        if not is_genuine(self.request.headers, self.session, token, self.site.secret, origins, is_program=is_program):
            raise Refused(403, "this request does not come from a page of this server: load the page again")
        return fields

    def link(self, path: str = "", **parameters: Any) -> str:
        """Make an address in this corpus: `link("pages", host="a.org")` is `/corpus/pages?host=a.org`."""
        base = "/" + "/".join(quote(part, safe="") for part in (self.name, *path.split("/")) if part)
        given = {name: value for name, value in parameters.items() if value not in (None, "", ())}
        return base + (f"?{urlencode(given, doseq=True)}" if given else "")

    def page(self, template: str, status_code: int = 200, **values: Any) -> Response:
        """Show a page."""
        return HTMLResponse(self.site.render(template, visit=self, **values), status_code)

    def go(self, address: str) -> Response:
        """Send the browser to another page of this server, after something was written."""
        return RedirectResponse(address, 303)


def _fields(kind: str, data: bytes) -> dict[str, Any]:
    try:
        if kind == _JSON:
            found = json.loads(data or b"{}")
            if not isinstance(found, Mapping):
                raise Refused(400, "the body must be a JSON object")
            return dict(found)
        if kind in {"application/x-www-form-urlencoded", ""}:
            text = data.decode("utf-8")
            return dict(parse_qs(text, keep_blank_values=True, max_num_fields=_MAX_FIELDS))
    except (ValueError, RecursionError) as error:
        raise Refused(400, "the body can't be read: it must be JSON, or the fields of a form") from error
    raise Refused(415, "the body must be JSON, or the fields of a form")
