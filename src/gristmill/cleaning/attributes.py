"""Attributes of a single tag, for all that reads what tags say: metadata, links, feeds."""

from __future__ import annotations

from gristmill.kernel import attributes, attributes_at

__all__ = ["attributes", "attributes_at"]
