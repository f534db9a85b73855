"""Keys by which indexes of web archives are sorted: `is,example)/news` for `https://www.example.is/news/`.

These are the Sort-friendly URI Reordering Transforms (SURT) of the Internet Archive: hosts begin with the top-level
domain, `www.` and the slash at the end of a path are left out, all is in lower case.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from gristmill.errors import UsageError
from gristmill.fetching.urls import authority_of, normalise

_WWW = re.compile(r"www\d*\.")
_DOMAIN = re.compile(r"[^\s/@:?#*]+")


class Key(NamedTuple):
    """A key, or the beginning of keys."""

    text: str
    is_whole: bool = False

    def matches(self, key: str) -> bool:
        """Tell whether a key of an index is this one, or begins with it."""
        return key == self.text if self.is_whole else key.startswith(self.text)

    def may_be_between(self, first: str, last: str) -> bool:
        """Tell whether sorted keys from `first` to `last` may have matches among them."""
        return first[: len(self.text)] <= self.text <= last


def domain_keys(domain: str) -> tuple[Key, ...]:
    """Return the keys of a domain and all hosts below it, on all ports."""
    host = _reversed(_host(domain.lstrip(".")))
    return Key(f"{host})"), Key(f"{host},"), Key(f"{host}:")


def host_keys(host: str) -> tuple[Key, ...]:
    """Return the keys of a host, with or without `www.`, on all ports."""
    name = _reversed(_host(host))
    return Key(f"{name})"), Key(f"{name}:")


def url_keys(pattern: str) -> tuple[Key, ...]:
    """Return the keys of an address, or of all that begin with it if it ends in `*`."""
    is_prefix = pattern.endswith("*")
    text = pattern.removesuffix("*")
    url = normalise(text if "://" in text else f"https://{text}")
    if not url or "*" in text:
        raise UsageError(f"{pattern!r} is no address of the web, nor the beginning of one (https://example.org/news/*)")
    key = key_of(url)
    if not is_prefix:
        return (Key(key, is_whole=True),)
    if url.endswith("/") and not key.endswith("/"):
        return Key(f"{key}/"), Key(key, is_whole=True)
    return (Key(key),)


def key_of(url: str) -> str:
    """Return the key of a normalised address."""
    authority = authority_of(url)
    path, mark, query = url[url.index("/", 8) :].partition("?")
    if len(path) > 1:
        path = path.removesuffix("/")
    query = "&".join(sorted(query.lower().split("&")))
    return f"{_reversed(authority)}){path.lower()}{mark}{query}"


def _host(name: str) -> str:
    url = normalise(f"https://{name}/") if _DOMAIN.fullmatch(name) else ""
    if not url:
        raise UsageError(f"{name!r} is no name of a host or of a domain (example.org)")
    return authority_of(url)


def _reversed(authority: str) -> str:
    """Reverse the labels of a host: `is,example:8080` for `www.example.is:8080`."""
    host, colon, port = authority.rpartition(":") if re.search(r":\d+$", authority) else (authority, "", "")
    shorter = _WWW.sub("", host, count=1) if _WWW.match(host) else host
    labels = shorter.split(".")
    if host.startswith("[") or all(label.isdigit() for label in labels):  # addresses of the network stay as they are
        return f"{host}{colon}{port}"
    return ",".join(reversed(labels)) + colon + port
