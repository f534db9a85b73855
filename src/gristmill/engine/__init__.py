"""Engines, which run tasks: independent pieces of work that read and write files, and can be killed and run again.

`LocalEngine` runs them in worker processes, `InlineEngine` in this one, `gristmill.engine.ray.RayEngine` on a cluster.
`gristmill.stages` decides which of them does the work of a stage.
"""

from gristmill.engine.choice import ENGINES, engine_of
from gristmill.engine.inline import InlineEngine
from gristmill.engine.local import LocalEngine, early_worker
from gristmill.engine.task import ClusterEngine, Engine, Outcome, Report, Task, silent

__all__ = [
    "ENGINES",
    "ClusterEngine",
    "Engine",
    "InlineEngine",
    "LocalEngine",
    "Outcome",
    "Report",
    "Task",
    "early_worker",
    "engine_of",
    "silent",
]
