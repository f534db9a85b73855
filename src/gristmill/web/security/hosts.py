"""Which names a server is asked by, and from which pages.

A page of the web must reach it neither under a name of its own (DNS rebinding) nor from within itself.
"""

from __future__ import annotations

import re
import socket
from collections.abc import Iterable
from ipaddress import ip_address

from starlette.datastructures import Headers

_LOCAL_NAMES = frozenset({"localhost", "localhost.localdomain"})


_AUTHORITY = re.compile(r"(?:\[([0-9A-Fa-f:.]{2,45})\]|([\w.-]{1,255}))(?::\d{1,5})?", re.ASCII)


def host_of(authority: str) -> str:
    """Return the name of the host in a Host header, without its port; empty if it is none."""
    found = _AUTHORITY.fullmatch(authority)
    return (found[1] or found[2]) if found else ""


def is_local(host: str) -> bool:
    """Tell whether a name or address is that of this machine."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host.lower() in _LOCAL_NAMES


class Names:
    """The names that a server answers to.

    An address is none that a page of the web could have for itself: it can make its own name lead here, but the browser
    still sends that name. So a server for other machines answers to any address, and to names that it was told.
    """

    def __init__(self, host: str = "127.0.0.1", more: Iterable[str] = ()) -> None:
        """Answer to the address that is listened at, to localhost, and to `more` names."""
        self._is_local = is_local(host)
        own = () if self._is_local else (host, socket.gethostname(), f"{socket.gethostname()}.local")
        self._names = frozenset(name.lower().rstrip(".") for name in (*own, *more) if name)

    def answers_to(self, authority: str) -> bool:
        """Tell whether a Host header names this server."""
        host = host_of(authority).lower().rstrip(".")
        if is_local(host) or host in self._names:
            return True
        try:
            ip_address(host)
        except ValueError:
            return False
        return not self._is_local

    @property
    def refusal(self) -> str:
        """What is said to whoever asks by another name."""
        if self._is_local:
            return "this server is for this machine only: ask it as localhost"
        return "this server does not answer to that name: ask it by its address, or start it with --name"


def is_foreign(headers: Headers, method: str) -> bool:
    """Tell whether a browser asks for a page of somebody else, which is not a user who follows a link.

    Such are pictures, scripts, frames and requests of scripts of other sites; they would make the server work, even if
    they don't get to see what it answers. Browsers say so in the headers `Sec-Fetch-*` (since 2020; 2023 for Safari).
    """
    if headers.get("sec-fetch-site", "none") in {"none", "same-origin"}:
        return False
    return not _follows_link(headers, method)


def is_from_elsewhere(headers: Headers, method: str) -> bool:
    """Tell whether a user follows a link on a page of somebody else; browsers then send no strict cookies."""
    return headers.get("sec-fetch-site") in {"cross-site", "same-site"} and _follows_link(headers, method)


def _follows_link(headers: Headers, method: str) -> bool:
    return (
        method in {"GET", "HEAD"}
        and headers.get("sec-fetch-mode") == "navigate"
        and headers.get("sec-fetch-dest") == "document"
    )
