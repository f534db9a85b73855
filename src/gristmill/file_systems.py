"""File systems: whether other machines see what is written there."""

from __future__ import annotations

import os
import re
import sys
from functools import cache
from pathlib import Path

_MOUNTS = Path("/proc/self/mountinfo")
_SHARED = re.compile(
    r"nfs\d?|cifs|smb3|smbfs|lustre|gpfs|ceph|beegfs|orangefs|pvfs2|glusterfs|gfs2|ocfs2|afs|9p|virtiofs|panfs|fuse(\..+)?"
)
"""The kinds of file systems that can be mounted by several machines at a time."""


def is_shared(folder: Path) -> bool:
    """Tell whether a folder is on a file system that other machines may see; where that is not known, it is not."""
    try:
        return _is_shared(folder.stat().st_dev)
    except OSError:
        return False


@cache
def _is_shared(device: int) -> bool:
    if sys.platform == "win32":
        return False
    number = f"{os.major(device)}:{os.minor(device)}"
    try:
        mounts = _MOUNTS.read_text("utf-8", "replace").splitlines()
    except OSError:
        return False
    for fields, _, about in (mount.partition(" - ") for mount in mounts):
        if fields.split()[2:3] == [number]:
            return _SHARED.fullmatch(about.split()[0]) is not None
    return False
