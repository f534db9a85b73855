"""Which answers are read: decided by their heads, before their bodies are downloaded."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from gristmill.crawling.config import FetchConfig

_OK = 200
HeadRule = Callable[[int, Mapping[str, str]], str]
"""A function from status and headers of an answer to the reason why its body is not wanted; empty if it is."""


def head_rule(config: FetchConfig, *, is_seed: bool) -> HeadRule:
    """Make the rule of a page: of the wanted types and sizes; a seed may be short.

    Answers without a type are read. The length of a compressed body says only what it is at least.
    """
    types = frozenset(config.types)

    def reason(status: int, headers: Mapping[str, str]) -> str:
        if status != _OK:
            return ""
        media_type = headers.get("content-type", "").partition(";")[0].strip().lower()
        if media_type and media_type not in types:
            return "type"
        stated = headers.get("content-length", "").strip()
        if not (stated.isascii() and stated.isdigit()):
            return ""
        if int(stated[:18]) > config.max_bytes:
            return "too-long"
        compressed = headers.get("content-encoding", "").strip().lower() not in {"", "identity"}
        return "too-short" if int(stated[:18]) < config.min_bytes and not compressed and not is_seed else ""

    return reason
