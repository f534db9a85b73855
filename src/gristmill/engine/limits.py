"""What the machine has, and what a process may take of it; Windows tells nothing and limits nothing."""

from __future__ import annotations

import os
import sys

if sys.platform == "win32":

    def memory_of_machine() -> int:
        """Tell how many bytes of memory the machine has; 0 if it does not tell."""
        return 0

    def limit_memory(memory: int) -> None:
        """Let this process have no more memory of its own; 0 is no limit."""
        del memory

    def max_open_files() -> int:
        """Tell how many files and connections this process may have open."""
        return 512

else:
    import resource

    def memory_of_machine() -> int:
        """Tell how many bytes of memory the machine has; 0 if it does not tell."""
        try:
            return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
        except (ValueError, OSError):
            return 0

    def limit_memory(memory: int) -> None:
        """Let this process have no more memory of its own; 0 is no limit. Files that are mapped do not count."""
        hard = resource.getrlimit(resource.RLIMIT_DATA)[1]
        most = memory if hard == resource.RLIM_INFINITY else min(memory, hard)
        if memory:
            resource.setrlimit(resource.RLIMIT_DATA, (most, hard))

    def max_open_files() -> int:
        """Tell how many files and connections this process may have open."""
        return resource.getrlimit(resource.RLIMIT_NOFILE)[0]
