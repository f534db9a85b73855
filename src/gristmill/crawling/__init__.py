"""Crawl the web for text: fetch pages, follow their links, and go on where text in the wanted languages is found.

A crawl is a folder: `crawl.toml` (settings), `pages-00000.warc.gz` and so on (what was fetched), `frontier.sqlite`
(what is known and what is to be fetched), `log`. These modules make it, from the bottom up:

    config, folder      settings, seeds, the log
    frontier, hosts     what is known of addresses and hosts, on disk
    strategy            in which order they come, and which hosts are left
    scheduler, turns    who may be visited now
    manners, outage     delays, robots.txt; a network that is gone
    page                what a worker finds out about a page: `links`, `scope`, `traps`, `text_sketch`, `warcs`
    ledger, meter       what a page or a failure means for all of these, and what it adds up to
    crawler             requests, from the first to the last
    running             begins a crawl, or goes on with one; fetches given addresses
"""

from typing import TYPE_CHECKING

from gristmill.lazy import lazy_names

if TYPE_CHECKING:
    from gristmill.crawling.addresses import Address
    from gristmill.crawling.config import CrawlConfig
    from gristmill.crawling.progress import CrawlProgress, CrawlSummary
    from gristmill.crawling.running import crawl, fetch, outcomes, resume

__all__ = ["Address", "CrawlConfig", "CrawlProgress", "CrawlSummary", "crawl", "fetch", "outcomes", "resume"]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "addresses": ("Address",),
        "config": ("CrawlConfig",),
        "progress": ("CrawlProgress", "CrawlSummary"),
        "running": ("crawl", "fetch", "outcomes", "resume"),
    },
)
