"""Find text that is there already, and say where its first copy stands."""

from gristmill.dedup.job import INDEX, MEMORY, WORK, Job
from gristmill.dedup.registry import METHODS, parse, replace, run, spec_of
from gristmill.dedup.result import DUPLICATES_SCHEMA

__all__ = [
    "DUPLICATES_SCHEMA",
    "INDEX",
    "MEMORY",
    "METHODS",
    "WORK",
    "Job",
    "parse",
    "replace",
    "run",
    "spec_of",
]
