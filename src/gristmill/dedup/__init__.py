"""Find text that is there already, and say where its first copy stands."""

from gristmill.dedup import exact
from gristmill.dedup.job import MEMORY, Job
from gristmill.dedup.onion import method
from gristmill.dedup.registry import METHODS, parse, replace, run, spec_of
from gristmill.dedup.result import DUPLICATES_SCHEMA

__all__ = ["DUPLICATES_SCHEMA", "MEMORY", "METHODS", "Job", "exact", "method", "parse", "replace", "run", "spec_of"]
