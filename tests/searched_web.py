"""A web of pages on topics, and a search engine over it: a corpus of its pages, which notes what it is asked."""

from __future__ import annotations

from collections.abc import Hashable
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Self

from localweb import ServedWeb, TopicWeb

import gristmill
from gristmill.bootstrapping.config import BootstrapConfig
from gristmill.crawling import Address, CrawlConfig, fetch
from gristmill.engine import InlineEngine
from gristmill.fetching.access import Access
from gristmill.operations.documents import DocumentsAsked
from gristmill.web.app import Site
from gristmill.web.serving import running
from gristmill.web.shelf import Shelf
from gristmill.web.workers import Answer, Question, Workers

NETWORK = "127.0.0.0/16"
QUICK: dict[str, dict[str, Any]] = {
    "manners": {"delay": 0, "ip_delay": 0, "answer_delay": 0},
    "queries": {"delay": 0},
}
"""Settings without pauses."""
QUICK_OPTIONS = [f"--set={section}.{key}={value}" for section, keys in QUICK.items() for key, value in keys.items()]


class _Noting(Workers):
    """Workers that note the queries."""

    asked: list[str]

    async def ask(self, question: Question, client: Hashable = None) -> Answer:
        if (
            isinstance(question.asked, DocumentsAsked) and question.asked.offset == 0
        ):  # further pages are asked for, too
            self.asked.append(question.asked.query)
        return await super().ask(question, client)


class SearchedWeb:
    """Serves the web and the search engine: `with SearchedWeb(TopicWeb(1, 0.1), folder) as web`."""

    def __init__(self, web: TopicWeb, folder: Path) -> None:
        self.web = web
        self.folder = folder
        self.asked: list[str] = []
        """The queries that the engine got."""

    def __enter__(self) -> Self:
        self._stack = ExitStack()
        self.served = self._stack.enter_context(ServedWeb(self.web))
        self.access = Access(networks=(NETWORK,), hosts_file=str(self.served.hosts_file))
        quick = CrawlConfig.from_table({"manners": QUICK["manners"]})
        fetch([Address(url) for url in self.web.pages], self.folder / "crawl", self.access, quick)
        inline = InlineEngine()
        config = gristmill.Config().with_filters(preset="none").replace(annotate_taggers=("forms",))  # quickest
        gristmill.build(self.folder / "crawl", self.folder / "engine", config, engine=inline)
        gristmill.index(self.folder / "engine", engine=inline)
        site = Site(Shelf([self.folder / "engine"]))
        site.workers = noting = _Noting(1, max_seconds=60)
        noting.asked = self.asked
        self.provider = f"gristmill:{self._stack.enter_context(running(site))}"
        self._before = len(self.served.visits())
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    @property
    def options(self) -> list[str]:
        """Options of the command line by which all of this is reached, without pauses."""
        hosts = str(self.served.hosts_file)
        return ["--provider", self.provider, "--allow-network", NETWORK, "--hosts", hosts, "-j", "1", *QUICK_OPTIONS]

    def settings(self, **sections: dict[str, Any]) -> BootstrapConfig:
        """Settings without pauses, with some others."""
        return BootstrapConfig.from_table({**QUICK, "queries": {"provider": self.provider, "delay": 0}}).replace(
            sections
        )

    def fetched(self) -> list[str]:
        """The pages that were asked for since the engine has them."""
        return [visit.url for visit in self.served.visits()[self._before :] if not visit.file]

    def forget(self) -> None:
        """Begin to note anew."""
        self.asked.clear()
        self._before = len(self.served.visits())
