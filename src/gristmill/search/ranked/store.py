"""Indexes of units on disk: made when they are first asked for, kept in the folder `ranked` of a corpus (`made.py`)."""

from __future__ import annotations

from collections import OrderedDict
from contextlib import suppress
from pathlib import Path
from weakref import WeakKeyDictionary

from gristmill.arrays.holding import held_bytes
from gristmill.engine import Report, silent
from gristmill.errors import GristmillError
from gristmill.search.index.index import Index
from gristmill.search.made import keep_made, load_made, made_path
from gristmill.search.ranked.building import build_units
from gristmill.search.ranked.dimensions import STANDARD
from gristmill.search.ranked.lists import Lists
from gristmill.search.ranked.opened import RankedUnits
from gristmill.search.ranked.units import Unit
from gristmill.search.ranked.yields import host_yields

FOLDER = "ranked"
"""Where they are, in the folder of a corpus."""
AUTOMATIC_TOKENS = 8_000_000
"""Tokens of which an index of units is made while somebody waits, in some seconds; more are made by a command."""
_FORMAT = 1
"""To be raised when other arrays are stored, or what they mean has changed."""

_MAX_OPEN = 8
"""Indexes of units that are kept open for an index."""
_MAX_HELD = 100_000_000
"""Bytes that all of these may hold in memory, or the one that is in use alone: norms, and lists of phrases."""

_open: WeakKeyDictionary[Index, OrderedDict[Path, Lists]] = WeakKeyDictionary()
"""The indexes of units that are open, with what was found out on the way."""


def open_units(
    index: Index,
    folder: Path,
    unit: Unit,
    attribute: str,
    dimensions: tuple[str, ...],
    *,
    max_tokens: int | None = None,
    report: Report = silent,
) -> Lists:
    """Open an index of units with some dimensions, in the folder of a corpus; it is made if it is not there.

    If it is not there and there are more than `max_tokens`, nothing is made, and an error says how to make it.
    """
    path = made_path(folder / FOLDER, index, unit.kind, [_FORMAT, str(unit), attribute, dimensions])
    known = _open.setdefault(index, OrderedDict())
    if path not in known:
        ranked = _stored(path)
        if ranked is None:
            if max_tokens is not None and index.size > max_tokens:
                others = ",".join(name for name in dimensions if name not in STANDARD)
                options = f"--unit {unit} --attribute {attribute}{f' --by {others}' if others else ''}"
                raise GristmillError(
                    f"these {index.size:,} tokens are not indexed by {unit} yet, and that takes a while: "
                    f"run gristmill find {folder.name} {options} with some word"
                )
            arrays = build_units(index, unit, attribute, dimensions, lambda: host_yields(folder), report)
            ranked = RankedUnits(keep_made(path, arrays))
        known[path] = Lists(index, ranked)
    known.move_to_end(path)
    while len(known) > 1 and (len(known) > _MAX_OPEN or held_bytes(list(known.values()), (Index,)) > _MAX_HELD):
        known.popitem(last=False)
    return known[path]


def _stored(path: Path) -> RankedUnits | None:
    """Open what is there; None if there is nothing, or nothing whole."""
    arrays = load_made(path)
    if arrays is not None:
        with suppress(GristmillError):
            return RankedUnits(arrays)
    return None
