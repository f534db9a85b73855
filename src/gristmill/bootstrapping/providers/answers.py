"""Answers of search engines: JSON, or the reason why there is none and whether to ask again."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from typing import Any

from gristmill.bootstrapping.providers.found import printable
from gristmill.bootstrapping.providers.provider import ProviderError
from gristmill.fetching.exchange import REASONS, Failure
from gristmill.fetching.session import Answer, Session
from gristmill.fetching.waiting import retry_after
from gristmill.wording import size

_MAX_ANSWER_BYTES = 10_000_000
BUSY_SECONDS = 60.0
"""How long a server is left alone that wants to be, if it does not say how long."""
_FAULT_SECONDS = 30.0
"""When a server is asked again that did not answer, or failed."""
_CONNECT_SECONDS = 5.0
"""When it is asked again if there was no connection: it may not be running, which the user is to know soon."""
_BUSY = frozenset([429, 503])
_FAULTS = frozenset([408, 425, 500, 502, 504])
_REFUSED = frozenset([401, 402, 403, 407])
_NOT_THERE = frozenset([404, 405, 410])
_WRONG_PLACE = frozenset(["dns", "network", "tls"])
"""Failures that the next request would have as well."""
_TRANSIENT = frozenset(["dns-failure", "timeout", "slow", "truncated", "protocol", "head"])


async def get_json(session: Session, url: str, where: str, *, secrets: Mapping[str, str], refused: str) -> Any:
    """Ask for JSON. `where` names the engine in errors; `refused` says what to do if it refuses to answer."""
    found = await session.get(url, secrets=secrets, accept="application/json", max_bytes=_MAX_ANSWER_BYTES)
    if isinstance(found, Failure):
        raise _failed(found, where)
    if found.status != 200:
        raise _not_answered(found, where, refused)
    return _parsed(found, where)


def _failed(failure: Failure, where: str) -> ProviderError:
    if failure.reason == "too-long":
        return ProviderError(f"{where} sent more than {size(_MAX_ANSWER_BYTES)}")
    message = f"{where} can't be asked: {REASONS.get(failure.reason, failure.reason)}"
    if failure.reason in _WRONG_PLACE:
        return ProviderError(f"{message}; look at the address of the provider", is_fatal=True)
    if failure.reason == "connect":
        return ProviderError(f"{message} (is the server running?)", _CONNECT_SECONDS)
    return ProviderError(message, _FAULT_SECONDS if failure.reason in _TRANSIENT else None)


def _not_answered(answer: Answer, where: str, refused: str) -> ProviderError:
    status = answer.status
    if status in _BUSY:
        wait = retry_after(answer.headers, time.time())
        return ProviderError(f"{where} asks to wait (status {status})", BUSY_SECONDS if wait is None else wait)
    if status in _FAULTS:
        return ProviderError(f"{where} failed (status {status})", _FAULT_SECONDS)
    if status in _REFUSED:
        return ProviderError(f"{where} refuses to answer (status {status}): {refused}", is_fatal=True)
    if status in _NOT_THERE:
        return ProviderError(f"{where} has no search there (status {status}): look at the address", is_fatal=True)
    return ProviderError(f"{where} does not take the query (status {status}){_said(answer)}")


def _said(answer: Answer) -> str:
    """Quote what an engine says of an error, if that is short text."""
    kind = answer.headers.get("content-type", "").partition(";")[0].strip().lower()
    text = printable(answer.body[:2_000].decode(errors="replace")) if "html" not in kind else ""
    return f": {text}" if text else ""


def _parsed(answer: Answer, where: str) -> Any:
    body = answer.body.lstrip(b"\xef\xbb\xbf \t\r\n")
    if body.startswith(b"<"):
        raise ProviderError(
            f"{where} sent a web page in place of JSON: a captcha, a form to log in, or no JSON is to be had there",
            BUSY_SECONDS,
        )
    try:
        return json.loads(body)
    except (ValueError, RecursionError) as error:
        raise ProviderError(f"{where} sent what is not JSON") from error
