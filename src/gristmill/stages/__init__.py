"""One way to run a stage: what a stage is, and the runner that does what is not current of it."""

from gristmill.stages.runner import Runner, running
from gristmill.stages.stage import CURRENT, MISSING, Stage, State, present, stale

__all__ = ["CURRENT", "MISSING", "Runner", "Stage", "State", "present", "running", "stale"]
