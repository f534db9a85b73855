"""Find the role of each block of a page: see `gristmill.roles`."""

from __future__ import annotations

import numpy as np

from gristmill.cleaning.features import Features
from gristmill.columns import KINDS, Coded
from gristmill.roles import ROLES

_BY_KIND = np.array([ROLES.index({"p": "text", "h": "heading", "l": "list"}[kind]) for kind in KINDS], np.int32)


def roles_of(page: Features) -> Coded:
    """Return the role of each block."""
    return Coded(list(ROLES), _BY_KIND[page.columns.kind.codes])
