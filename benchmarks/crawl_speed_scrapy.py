"""Crawl the pages of `crawl_speed.py` with Scrapy: `python crawl_speed_scrapy.py scrapy|scrapy-fast PORT HOSTS`.

`scrapy` is a CrawlSpider with Scrapy's LinkExtractor; `scrapy-fast` takes links by the fastest selector that Scrapy
has, and leaves out what a crawl can do without. Neither writes its pages.
"""

from __future__ import annotations

import json
import resource
import socket
import sys
import time
from collections.abc import Iterator
from typing import Any

from scrapy import Request, Spider
from scrapy.crawler import CrawlerProcess
from scrapy.http import Response
from scrapy.linkextractors import LinkExtractor
from scrapy.spiders import CrawlSpider, Rule

SETTINGS: dict[str, Any] = {
    "CONCURRENT_REQUESTS": 64,
    "CONCURRENT_REQUESTS_PER_DOMAIN": 1,
    "DOWNLOAD_DELAY": 0,
    "LOG_LEVEL": "ERROR",
    "ROBOTSTXT_OBEY": True,
    "TELNETCONSOLE_ENABLED": False,
    "USER_AGENT": "scrapy",
}
LEAN: dict[str, Any] = {
    "COOKIES_ENABLED": False,
    "HTTPCACHE_ENABLED": False,
    "REFERER_ENABLED": False,
    "RETRY_ENABLED": False,
    "ROBOTSTXT_OBEY": False,
}


class LinkSpider(CrawlSpider):
    """Follows all links, found by Scrapy's extractor."""

    name = "scrapy"
    pages = 0
    rules = (Rule(LinkExtractor(), callback="count", follow=True),)

    def parse_start_url(self, response: Response, **_: Any) -> list[Any]:
        """Count the first page."""
        return self.count(response)

    def count(self, _response: Response) -> list[Any]:
        """Count a page."""
        LinkSpider.pages += 1
        return []


class FastSpider(Spider):
    """Follows all links, found by one XPath expression."""

    name = "scrapy-fast"
    pages = 0

    def parse(self, response: Response, **_: Any) -> Iterator[Request]:
        """Count a page and follow its links; they are absolute."""
        FastSpider.pages += 1
        for url in response.xpath("//a/@href").getall():
            yield Request(url)


def main() -> None:
    """Crawl, and print the figures as JSON."""
    kind, port, hosts = sys.argv[1], sys.argv[2], int(sys.argv[3])
    addresses = {f"rovny-{at:03}.cz": f"127.0.{at // 200 + 1}.{at % 200 + 1}" for at in range(hosts)}
    socket.gethostbyname = addresses.__getitem__
    spider = LinkSpider if kind == "scrapy" else FastSpider
    spider.start_urls = [f"http://rovny-000.cz:{port}/clanek-0.html"]
    process = CrawlerProcess(SETTINGS | (LEAN if kind == "scrapy-fast" else {}))
    process.crawl(spider)
    before, started = _cpu(), time.perf_counter()
    process.start()
    figures = {"pages": spider.pages, "seconds": time.perf_counter() - started, "main": _cpu() - before, "workers": 0}
    print(json.dumps(figures))


def _cpu() -> float:
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


if __name__ == "__main__":
    main()
