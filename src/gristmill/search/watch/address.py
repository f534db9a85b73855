"""Addresses of e-mail: one plain mailbox each, so that nothing in them passes for a header or a second address."""

from __future__ import annotations

import re

from gristmill.errors import UsageError

_MAX_CHARACTERS = 254
"""Length of an address, as SMTP has it (RFC 5321, with erratum 1690)."""
_ADDRESS = re.compile(
    r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*"
    r"@(?=.{1,253}\Z)[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
    r"(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?)*"
)
_MAX_LOCAL_CHARACTERS = 64


def mail_address(text: object) -> str:
    """Check an address, and write its domain in lower case and in ASCII; raise if it is not one plain address."""
    if not isinstance(text, str):
        raise TypeError(f"an address of e-mail must be text, not {type(text).__name__}")
    if len(text) <= _MAX_CHARACTERS:
        local, _, domain = text.rpartition("@")
        try:
            address = f"{local}@{domain.encode('idna').decode().lower()}"
        except UnicodeError:
            address = ""
        if _ADDRESS.fullmatch(address) and len(local) <= _MAX_LOCAL_CHARACTERS and len(address) <= _MAX_CHARACTERS:
            return address
    shown = ascii(text if len(text) <= _MAX_CHARACTERS else f"{text[:40]}...")
    raise UsageError(
        f"{shown} is not an address of e-mail: give one such as me@example.org, without a name; "
        "if there are several, give each by itself"
    )
