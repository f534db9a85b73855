"""Filters: keep a page or drop it, and say why.

A filter is a small function with thresholds that says what it found. Page filters judge what was fetched, before it is
cleaned; block filters judge the blocks that cleaning kept; document filters judge the text that is left. The first
filter that finds a fault is the reason; a dropped document is stored with its reason.

`registry` has the interface of filters, `chain` applies them one after the other, and
each other module has one filter or a few, and is imported when one of them is used. `classifier` and `training` are the
model of the filter `quality`, `badness_profile` and `badness_training` that of `badness`.
"""

from gristmill.filter.chain import (
    EMPTY,
    Chain,
    Fault,
    Verdict,
    chain_of,
    explicit,
    files_of,
    forget_blocks,
    make_chain,
    unchecked_chain,
)
from gristmill.filter.registry import (
    FILTERS,
    BlockFilter,
    BlockFinding,
    DocumentFilter,
    Fetched,
    Filter,
    Finding,
    PageFilter,
    finding,
)

__all__ = [
    "EMPTY",
    "FILTERS",
    "BlockFilter",
    "BlockFinding",
    "Chain",
    "DocumentFilter",
    "Fault",
    "Fetched",
    "Filter",
    "Finding",
    "PageFilter",
    "Verdict",
    "chain_of",
    "explicit",
    "files_of",
    "finding",
    "forget_blocks",
    "make_chain",
    "unchecked_chain",
]
