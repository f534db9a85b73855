"""Pages from Common Crawl and the Wayback Machine, by their indexes, without crawling.

What is fetched goes to a folder: `commoncrawl.toml` (settings), `pages-00000.warc.gz` and so on (pages),
`commoncrawl.sqlite` (what was found in the index, and what became of it), `log`. These modules make it, from the bottom
up:

    keys, capture, wanted      how indexes are sorted, what they know of a page, what is asked of them
    throttle                   when the next request may be sent
    store                      parts of files: `http_store`, `s3_store`
    columnar, cdx              the indexes; `index` is what asks all of them
    captures                   the list of captures, on disk
    ranges, wayback, records   get records, and check them
    fetcher, files             fetch what is on the list
    running                    begins, or goes on
"""

from typing import TYPE_CHECKING

from gristmill.lazy import lazy_names

if TYPE_CHECKING:
    from gristmill.commoncrawl.capture import Capture
    from gristmill.commoncrawl.config import ArchiveConfig
    from gristmill.commoncrawl.figures import ArchiveSummary, summary_of
    from gristmill.commoncrawl.index import Index
    from gristmill.commoncrawl.running import fetch_commoncrawl, list_crawls
    from gristmill.commoncrawl.servers import Pace, Servers
    from gristmill.commoncrawl.wanted import Wanted

__all__ = [
    "ArchiveConfig",
    "ArchiveSummary",
    "Capture",
    "Index",
    "Pace",
    "Servers",
    "Wanted",
    "fetch_commoncrawl",
    "list_crawls",
    "summary_of",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "capture": ("Capture",),
        "config": ("ArchiveConfig",),
        "figures": ("ArchiveSummary", "summary_of"),
        "index": ("Index",),
        "servers": ("Pace", "Servers"),
        "running": ("fetch_commoncrawl", "list_crawls"),
        "wanted": ("Wanted",),
    },
)
