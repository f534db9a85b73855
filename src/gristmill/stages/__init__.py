"""One way to run a stage: what a stage is, and the runner that does what is not current of it."""

from gristmill.stages.runner import Runner, run_round, running
from gristmill.stages.stage import CURRENT, MISSING, Round, Stage, State, present, stale

__all__ = ["CURRENT", "MISSING", "Round", "Runner", "Stage", "State", "present", "run_round", "running", "stale"]
