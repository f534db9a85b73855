"""Run tasks: independent pieces of work that read files and write files, and that can be killed and run again."""

from gristmill.engine.inline import InlineEngine
from gristmill.engine.local import LocalEngine
from gristmill.engine.task import Engine, Outcome, Report, Task, silent

__all__ = ["Engine", "InlineEngine", "LocalEngine", "Outcome", "Report", "Task", "silent"]
