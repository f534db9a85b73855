"""An address that is given to a crawl, and what is said of it."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

_NONE: Mapping[str, str] = MappingProxyType({})


class Address(NamedTuple):
    """A normalised address, with attributes that its page is stored with, such as the query that found it."""

    url: str
    attributes: Mapping[str, str] = _NONE
