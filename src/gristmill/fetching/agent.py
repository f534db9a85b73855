"""The name under which requests are sent, with an address where the owner of a server can complain."""

from __future__ import annotations

import re

from gristmill.errors import UsageError
from gristmill.fetching.urls import normalise
from gristmill.version import __version__

PRODUCT = "gristmill"
"""The product token, by which robots.txt knows this crawler."""

_MAIL = re.compile(r"[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]+@[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?")
_MAX_CONTACT = 200  # characters


def user_agent(contact: str) -> str:
    """Return the value of the User-Agent header."""
    is_url = contact.startswith(("http://", "https://")) and normalise(contact) and not re.search(r"[\s()]", contact)
    if len(contact) > _MAX_CONTACT or not contact.isascii() or not (is_url or _MAIL.fullmatch(contact)):
        raise UsageError(
            f"the contact {contact[:_MAX_CONTACT]!r} is neither an e-mail address nor the address of a page: "
            "give one like crawl@example.org or https://example.org/crawl"
        )
    if not contact.isprintable():
        raise UsageError("the contact must not have control characters")
    return f"{PRODUCT}/{__version__} (+{contact})"
