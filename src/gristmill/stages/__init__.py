"""One way to run the stages of a corpus: what a stage is, and the runner that does what is not current of it.

Build, de-duplication, annotation, index, standing queries and export are stages; they are declared where their work is
done, in `gristmill.pipeline` and `gristmill.corpus`.
"""

from gristmill.stages.runner import Runner, run_round, running
from gristmill.stages.spans import over_shards
from gristmill.stages.stage import CURRENT, MISSING, Round, ShardTask, Stage, State, TaskStage, outdated, present, stale

__all__ = [
    "CURRENT",
    "MISSING",
    "Round",
    "Runner",
    "ShardTask",
    "Stage",
    "State",
    "TaskStage",
    "outdated",
    "over_shards",
    "present",
    "run_round",
    "running",
    "stale",
]
