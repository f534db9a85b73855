"""Find text that is there already, and say where its first copy stands."""

from gristmill.dedup import exact
from gristmill.dedup.registry import DUPLICATES_SCHEMA, METHODS

__all__ = ["DUPLICATES_SCHEMA", "METHODS", "exact"]
