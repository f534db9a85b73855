"""The engine that runs tasks on a Ray cluster: `RayEngine`, and its settings. Ray itself is imported when it is used.

`engine.py` hands out tasks and tries again what died, `crew.py` has the workers, `cluster.py` knows the nodes, and
`member.py` is what runs there.
"""

from gristmill.engine.ray.engine import RayEngine
from gristmill.engine.ray.settings import RaySettings

__all__ = ["RayEngine", "RaySettings"]
