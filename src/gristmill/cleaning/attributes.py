"""Attributes of a single tag, for all that reads what tags say: metadata, links, feeds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gristmill.kernel import COMPILED

if TYPE_CHECKING or COMPILED:
    from gristmill.kernel import attributes
else:
    from gristmill.cleaning.uncompiled.tag import attributes

__all__ = ["attributes"]
