"""Search: a memory-mapped positional index, CQL, concordances, word lists, collocations."""

from typing import TYPE_CHECKING

from gristmill.lazy import lazy_names

if TYPE_CHECKING:
    from gristmill.search.concordance.concordance import Concordance
    from gristmill.search.concordance.frequency import Frequency, FrequencyRow
    from gristmill.search.concordance.lines import Context, Line
    from gristmill.search.cql.matching import find
    from gristmill.search.cql.parsing import parse
    from gristmill.search.cql.query import Query
    from gristmill.search.hits import Hits
    from gristmill.search.index.building import PlainDocument, PlainParagraph, build_index, make_index
    from gristmill.search.index.index import Index
    from gristmill.search.statistics.collocations import Collocate, Collocations
    from gristmill.search.statistics.compare import Comparison, Typical, Vocabulary
    from gristmill.search.statistics.keywords import Keyword, Keywords
    from gristmill.search.statistics.wordlist import WordList, WordListRow
    from gristmill.search.subcorpus import Subcorpus

__all__ = [
    "Collocate",
    "Collocations",
    "Comparison",
    "Concordance",
    "Context",
    "Frequency",
    "FrequencyRow",
    "Hits",
    "Index",
    "Keyword",
    "Keywords",
    "Line",
    "PlainDocument",
    "PlainParagraph",
    "Query",
    "Subcorpus",
    "Typical",
    "Vocabulary",
    "WordList",
    "WordListRow",
    "build_index",
    "find",
    "make_index",
    "parse",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "concordance.concordance": ("Concordance",),
        "concordance.frequency": ("Frequency", "FrequencyRow"),
        "concordance.lines": ("Context", "Line"),
        "cql.matching": ("find",),
        "cql.parsing": ("parse",),
        "cql.query": ("Query",),
        "hits": ("Hits",),
        "index.building": ("PlainDocument", "PlainParagraph", "build_index", "make_index"),
        "index.index": ("Index",),
        "statistics.collocations": ("Collocate", "Collocations"),
        "statistics.compare": ("Comparison", "Typical", "Vocabulary"),
        "statistics.keywords": ("Keyword", "Keywords"),
        "statistics.wordlist": ("WordList", "WordListRow"),
        "subcorpus": ("Subcorpus",),
    },
)
