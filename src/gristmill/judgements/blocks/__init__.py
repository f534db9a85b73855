"""What people judged of the blocks of pages: text or boilerplate, and which role, as in KrdWrd and Victor's tool.

`store` keeps judgements, `choosing` says which page is next, `agreement` compares annotators, `majority` merges what
they say, `gold` makes a gold standard of it, and `training` trains `mill` on that.
"""

from gristmill.judgements.blocks.agreement import Agreement
from gristmill.judgements.blocks.gold import GoldExport, gold_pages, write_gold
from gristmill.judgements.blocks.marks import VERDICTS, Judgement, Mark
from gristmill.judgements.blocks.store import NAME, BlockStore

__all__ = [
    "NAME",
    "VERDICTS",
    "Agreement",
    "BlockStore",
    "GoldExport",
    "Judgement",
    "Mark",
    "gold_pages",
    "write_gold",
]
