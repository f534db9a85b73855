"""The items of the feeds of a web of newspapers, as polling finds them, and how their pages are fetched."""

from __future__ import annotations

from localweb import NewspaperWeb, ServedWeb

from gristmill.crawling import CrawlConfig
from gristmill.feeds.item import Item, NewItem
from gristmill.fetching.access import Access

AT_ONCE = CrawlConfig.from_table({"manners": {"delay": 0, "ip_delay": 0, "answer_delay": 0}})
"""Settings without delays."""


def new_items(web: NewspaperWeb) -> list[NewItem]:
    """All items of all feeds, known by the addresses of their articles."""
    return [
        NewItem(
            story.url,
            1,
            f"http://{host}/feed.xml",
            Item(
                link=paper.link(story),
                title=story.title,
                description=story.summary,
                content=story.content,
                published=story.published,
            ),
        )
        for host, paper in web.papers.items()
        for story in paper.stories
    ]


def access(served: ServedWeb) -> Access:
    """How the pages of a local web are reached."""
    return Access(networks=("127.0.0.0/16",), hosts_file=str(served.hosts_file))
