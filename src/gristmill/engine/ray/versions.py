"""The versions that results depend on: all nodes of a cluster must have the same."""

from __future__ import annotations

import sys

from gristmill.version import __version__


def versions_here() -> dict[str, str]:
    """Tell the versions of this process: of Python for its Unicode tables, of pyarrow for the files that it writes."""
    from importlib.metadata import version  # noqa: PLC0415 (most processes need not know)

    return {
        "gristmill": __version__,
        "Python": ".".join(map(str, sys.version_info[:2])),
        "pyarrow": version("pyarrow"),
    }
