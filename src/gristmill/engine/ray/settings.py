"""What can be set of the engine for Ray: `ray:address=auto,cpus=1,memory=2G,retries=3`."""

from __future__ import annotations

from dataclasses import dataclass

from gristmill.arguments import as_bytes
from gristmill.errors import UsageError


@dataclass(frozen=True, slots=True)
class RaySettings:
    """The cluster, and what a task needs of it."""

    address: str = ""
    """`HOST:PORT` of a cluster; `auto` is the one that runs on this machine, `local` starts one for this run. Empty is
    the cluster of `RAY_ADDRESS` or of this machine if there is one, else a local one.
    """
    cpus: float = 1.0
    """Cores that a task gets."""
    memory: str = ""
    """Memory that a task gets, such as `2G`, and more than which it can't have; empty is without a bound."""
    retries: int = 3
    """How often a task is run again whose worker or node died."""
    wait: float = 0.0
    """Seconds to wait for a node that is large enough, where nodes are started on demand."""
    all: bool = False
    """Whether the cluster does small work, too, which this process else does faster by itself."""
    env: tuple[str, ...] = ()
    """Environment variables that workers get from this process, as names or patterns such as `AWS_*`."""

    def __post_init__(self) -> None:
        """Raise for settings that no cluster could fulfil."""
        if self.cpus <= 0:
            raise UsageError("the engine 'ray': cpus must be more than 0")
        if self.cpus > 1 and self.cpus != int(self.cpus):
            raise UsageError(
                f"the engine 'ray': cpus must be a whole number if they are more than one, not {self.cpus}"
            )
        if self.address.startswith("ray://"):
            raise UsageError(
                "the engine 'ray': an address that begins with ray:// is one for clients outside of the cluster, which "
                "have none of its files: run the command on a node of it, with address=auto, or by `ray job submit`"
            )
        _ = self.memory_bytes

    @property
    def memory_bytes(self) -> int:
        """Memory that a task gets, in bytes; 0 if it has no bound."""
        return as_bytes(self.memory, "memory") if self.memory else 0
