"""Engines by name, as users choose them: `local`, `inline`, `ray:address=auto,cpus=1,memory=2G`."""

from __future__ import annotations

from gristmill.arguments import wrong_type
from gristmill.engine.inline import InlineEngine
from gristmill.engine.task import Engine
from gristmill.errors import UsageError
from gristmill.registry import did_you_mean, parse_spec, with_parameters

ENGINES = ("local", "inline", "ray")
"""The names of all engines: worker processes of this machine, this very process, a Ray cluster."""


def engine_of(choice: Engine | str | None) -> Engine | None:
    """Make the engine that a text names; an engine is returned as it is.

    None, as for `local`, is this machine: this process does small work, and worker processes the rest.
    """
    if choice is None or not isinstance(choice, str):
        if choice is not None and not callable(getattr(choice, "run", None)):
            raise wrong_type("engine", f"an engine, or the name of one ({', '.join(ENGINES)})", choice)
        return choice
    name, parameters = parse_spec(choice)
    if name not in ENGINES:
        raise UsageError(f"there is no engine {name!r}{did_you_mean(name, ENGINES)} (there are: {', '.join(ENGINES)})")
    if name == "ray":
        from gristmill.engine.ray import RayEngine, RaySettings  # noqa: PLC0415 (most commands need none)
        from gristmill.engine.ray.cluster import import_ray  # noqa: PLC0415 (as above)

        engine = RayEngine(with_parameters(RaySettings(), "the engine 'ray'", parameters))
        import_ray()  # raises if it is not installed, before anything is begun
        return engine
    if parameters:
        raise UsageError(f"the engine {name!r} has no settings; how many processes work is set with --workers")
    return InlineEngine() if name == "inline" else None
