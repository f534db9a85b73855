"""Whether the index of a corpus is of the corpus as it is now: pages say so if it is not."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gristmill.corpus import CorpusReader
from gristmill.errors import GristmillError
from gristmill.pipeline.indexing import index_state
from gristmill.web.shelf import Shelved
from gristmill.web.workers import state_of


@dataclass(frozen=True, slots=True)
class _Known:
    state: Any
    is_stale: bool


class Freshness:
    """Knows of each corpus whether its index is out of date; it looks anew when files have changed."""

    def __init__(self) -> None:
        self._known: dict[Path, _Known] = {}

    def is_stale(self, corpus: Shelved) -> bool:
        """Tell whether there is an index of the corpus as it was before; False if there is none at all."""
        state = state_of(corpus.folder)
        known = self._known.get(corpus.folder)
        if known is None or known.state != state:
            known = self._known[corpus.folder] = _Known(state, _is_stale(corpus.folder))
        return known.is_stale


def _is_stale(folder: Path) -> bool:
    try:
        return index_state(CorpusReader(folder)) == "stale"
    except GristmillError:  # the pages say what is wrong with it
        return False
