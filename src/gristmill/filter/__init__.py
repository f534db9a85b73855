"""Keep a page or drop it, and say why.

A filter is a small function with thresholds that says what it found. Page filters look at what was fetched, before the
work of cleaning it; block filters at the blocks that cleaning kept; document filters at the text that is left. The
first filter that finds a fault names the reason; the document stays, with its reason.
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
