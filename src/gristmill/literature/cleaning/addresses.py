"""Addresses of pages, written so that two that lead to the same page are mostly the same. For methods for sites."""

from __future__ import annotations

import re

_BEFORE_HOST = re.compile(r"^(?:https?:)?//(?:www\d?\.)?", re.IGNORECASE)


def without_form(url: str) -> str:
    """Leave out what differs between addresses of one page: scheme, `www.`, fragment, case of the host, last slash.

    `HTTP://www.Mill.example/a/#top` becomes `mill.example/a`.
    """
    host, slash, path = _BEFORE_HOST.sub("", url.partition("#")[0].strip()).partition("/")
    return f"{host.lower()}{slash}{path}".rstrip("/")
