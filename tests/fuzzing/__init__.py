"""Random and damaged input for everything that reads what others wrote.

A target makes an input from a random generator, and tries it: whatever raises is a finding, and so is whatever takes
too long. Case `n` of a seed is always the same, so a finding can be run again by its number. The tests try some cases
of each target; for hours of it:

    cd tests && python -m fuzzing clean --minutes 60 --seed 1
"""

from fuzzing.target import TARGETS, Finding, Target, fuzz

__all__ = ["TARGETS", "Finding", "Target", "fuzz"]
