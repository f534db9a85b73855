"""Which network addresses may be connected to: those of the public internet, and those that the user allows."""

from __future__ import annotations

from collections.abc import Iterable
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

from gristmill.errors import UsageError

_RESERVED = {
    "0.0.0.0/8": "unspecified",
    "10.0.0.0/8": "private",
    "100.64.0.0/10": "shared",
    "127.0.0.0/8": "loopback",
    "168.63.129.16/32": "a service of Azure for its own machines",
    "169.254.0.0/16": "link-local, also of metadata services",
    "172.16.0.0/12": "private",
    "192.0.0.0/24": "reserved",
    "192.0.2.0/24": "documentation",
    "192.31.196.0/24": "reserved",
    "192.52.193.0/24": "reserved",
    "192.88.99.0/24": "reserved",
    "192.168.0.0/16": "private",
    "192.175.48.0/24": "reserved",
    "198.18.0.0/15": "benchmarking",
    "198.51.100.0/24": "documentation",
    "203.0.113.0/24": "documentation",
    "224.0.0.0/4": "multicast",
    "240.0.0.0/4": "reserved or broadcast",
    "::/128": "unspecified",
    "::1/128": "loopback",
    "::/96": "IPv4-compatible",
    "::ffff:0:0:0/96": "IPv4-translated",
    "64:ff9b:1::/48": "local NAT64",
    "100::/32": "discard-only",
    "2001::/32": "Teredo",
    "2001::/23": "reserved",
    "2001:db8::/32": "documentation",
    "3fff::/20": "documentation",
    "5f00::/16": "reserved",
    "fc00::/7": "private, also of metadata services",
    "fe80::/10": "link-local",
    "fec0::/10": "site-local",
    "ff00::/8": "multicast",
}
"""Networks that are not of the public internet (IANA's special-purpose addresses); the first match counts.

They are written down, since what Python takes for global is not the same in all its versions.
"""

_NETWORKS = [(ip_network(text), f"{kind} ({text})") for text, kind in _RESERVED.items()]
_EMBEDDED_BITS = {
    IPv6Network("::ffff:0:0/96"): 0,  # IPv4-mapped: the system connects to the IPv4 address
    IPv6Network("64:ff9b::/96"): 0,  # NAT64: a gateway does
    IPv6Network("2002::/16"): 80,  # 6to4: a relay does
}
"""IPv6 networks whose addresses stand for an IPv4 address, and how many bits are behind that."""


_UNICAST = IPv6Network("2000::/3")
"""All of IPv6 that is given out for the internet so far."""


class Networks:
    """The public internet, and networks that the user allows: `127.0.0.0/8`."""

    def __init__(self, allowed: Iterable[str] = ()) -> None:
        self._allowed = [_network(text) for text in allowed]

    def refusal(self, ip: str) -> str:
        """Say why an address may not be connected to; empty if it may."""
        try:
            address = ip_address(ip)
        except ValueError:
            return "not an IP address"
        if any(address in network for network in self._allowed):
            return ""
        if isinstance(address, IPv6Address):
            for network, bits in _EMBEDDED_BITS.items():
                if address in network:
                    return self.refusal(str(IPv4Address(int(address) >> bits & 0xFFFFFFFF)))
        for reserved, kind in _NETWORKS:
            if address in reserved:
                return kind
        if isinstance(address, IPv6Address) and (address.scope_id is not None or address not in _UNICAST):
            return "not global"
        return "" if address.is_global and not address.is_multicast else "not global"


def _network(text: str) -> IPv4Network | IPv6Network:
    """Parse a network that is allowed."""
    try:
        return ip_network(text.strip(), strict=False)
    except ValueError as error:
        raise UsageError(f"not a network: {text!r}; write one like 127.0.0.0/8 or fd00::/8") from error
