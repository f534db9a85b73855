"""Filters: keep a page or drop it, and say why.

A filter is a small function with thresholds that says what it found. Page filters judge what was fetched, before it is
cleaned; block filters judge the blocks that cleaning kept; document filters judge the text that is left. The first
filter that finds a fault is the reason; a dropped document is stored with its reason.

`registry` has the interface of filters, `chain` applies them one after the other, and each other module has one filter
or a few, imported below so that they are registered. `classifier` and `training` are the model of the filter `quality`.
"""

from gristmill.filter import (
    blocklist,
    c4,
    characters,
    datatrove,
    fineweb,
    function_words,
    gopher,
    language,
    length,
    page,
    personal,
    quality,
    repetition,
    topic,
    word_list,
)
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
    "blocklist",
    "c4",
    "chain_of",
    "characters",
    "datatrove",
    "explicit",
    "files_of",
    "finding",
    "fineweb",
    "forget_blocks",
    "function_words",
    "gopher",
    "language",
    "length",
    "make_chain",
    "page",
    "personal",
    "quality",
    "repetition",
    "topic",
    "unchecked_chain",
    "word_list",
]
