"""Which names a server is asked by: a page of the web must not reach it under a name of its own (DNS rebinding)."""

from __future__ import annotations

from ipaddress import ip_address

_LOCAL_NAMES = frozenset({"localhost", "localhost.localdomain"})


def host_of(authority: str) -> str:
    """Return the name of the host in a Host header, without its port."""
    if authority.startswith("["):
        return authority[1:].partition("]")[0]
    return authority.partition(":")[0]


def is_local(host: str) -> bool:
    """Tell whether a name or address is that of this machine."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host.lower() in _LOCAL_NAMES
