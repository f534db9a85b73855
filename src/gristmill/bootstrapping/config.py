"""All settings of a bootstrap, each declared once; `bootstrap.toml` has them in full."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from gristmill.crawling.config import CrawlConfig, FetchConfig, MannersConfig
from gristmill.errors import UsageError
from gristmill.settings import Sections, only, setting

NAME = "bootstrap.toml"
"""The file of a corpus that has the settings of its bootstrap."""
BEGIN, QUERIES, ADDRESSES, CORPUS = (
    "What it begins with",
    "Words and queries",
    "Addresses",
    "What is kept, and when it stops",
)
"""Groups of options in the help."""
MEASURES = ("rfr", "ll")
"""Of keywords: relative frequency ratio (Damerau 1993), and log-likelihood (Rayson and Garside 2000)."""
KEYWORDS = 50
MAX_FORMS = 4
"""Forms of a word that are asked for: each of the next adds little to what is found."""
MAX_FILTER_WORDS = 3
"""Most filter words of a query: with more, too many pages lack one of them."""
MIN_WORDS, MAX_WORDS, WORDS = 2, 4, 3
"""How many words a query has. Three give precision enough, and four hardly any pages on some topics (Basque, 8)."""
_OF_THE_USER = {"manners": ("contact",), "fetch": ("networks", "hosts_file")}
"""Settings of a crawl that belong to who runs it, and are never stored in a corpus."""


@dataclass(frozen=True, slots=True)
class SeedsConfig:
    """Where the words of queries come from."""

    lang: str = setting("Language of the pages, by ISO 639: cs.", default="", group=BEGIN, metavar="CODE", fixed=True)
    sample: str = setting(
        "Texts on the topic: a folder of text files, a corpus or a file. Their keywords are proposed as words, and "
        "what is found must be like them.",
        default="",
        kind="path",
        group=BEGIN,
        metavar="PATH",
        fixed=True,
    )
    ranges: bool = setting(
        "Without given words: pairs of a basic and a mid-frequency word, as for ukWaC, not tuples of the latter.",
        default=False,
        group=QUERIES,
    )
    count: int = setting(
        "Words of a round that are found in texts, or mid-frequency words of the language.",
        default=KEYWORDS,
        minimum=2,
        group=QUERIES,
        option="keywords",
    )
    measure: str = setting(
        "How keywords are found: by the ratio of relative frequencies (rfr) or by log-likelihood (ll).",
        default="rfr",
        choices=MEASURES,
        group=QUERIES,
    )
    reference: str = setting(
        "General language, which keywords stand out against: a corpus, or a list of words with counts [what is known].",
        default="",
        kind="path",
        group=QUERIES,
        metavar="PATH",
    )


@dataclass(frozen=True, slots=True)
class QueriesConfig:
    """How words are put together, and who is asked."""

    provider: str = setting(
        "Who is asked: searxng:http://localhost:8888, json:engine.toml, gristmill:http://localhost:8080 "
        "[GRISTMILL_PROVIDER, or commoncrawl:latest]; `gristmill parts search-provider` lists all.",
        default="",
        group=BEGIN,
        metavar="NAME:PLACE",
    )
    n: int = setting(
        "Words of a query.", default=WORDS, minimum=MIN_WORDS, maximum=MAX_WORDS, group=QUERIES, short="-n"
    )
    count: int = setting("Queries of a round.", default=20, minimum=1, group=QUERIES, option="queries")
    seed: int = setting(
        "Of the random numbers by which words are combined: another gives other queries.",
        default=1,
        minimum=None,
        group=QUERIES,
    )
    forms: int = setting(
        "Forms of a word that are asked for, its frequent ones; 1: the word alone.", default=MAX_FORMS, group=QUERIES
    )
    forms_from: str = setting(
        "A corpus or list that has the forms of words [a dictionary of the language].",
        default="",
        kind="path",
        group=QUERIES,
        metavar="PATH",
    )
    filter_words: int = setting(
        "Frequent words that other languages don't have, asked for as well.", default=MAX_FILTER_WORDS, group=QUERIES
    )
    delay: float = setting("Seconds between two requests to the provider.", default=1.0)
    retries: int = setting("How often a query is asked again that failed for a reason that may pass.", default=3)
    max_wait: float = setting(
        "Longest pause in seconds that is made for a provider; if it wants a longer one, what is left is given up.",
        default=600.0,
    )


@dataclass(frozen=True, slots=True)
class AddressesConfig:
    """Which of the addresses that were found are fetched."""

    per_query: int = setting("Most addresses of a query.", default=10, minimum=1, group=ADDRESSES)
    per_host: int = setting("Most addresses of a host in all rounds; 0: no limit.", default=20, group=ADDRESSES)
    domains: tuple[str, ...] = setting(
        "Only hosts below this: .uk or example.org [any].", default=(), kind="names", group=ADDRESSES, option="domain"
    )
    forbid: tuple[str, ...] = setting(
        "Never visit this host or domain, or those in a file.", default=(), kind="names", group=ADDRESSES
    )
    suffixes: tuple[str, ...] = setting(
        "Ends of addresses that are wanted though they are none of web pages: `pdf`.", default=()
    )
    order: str = setting(
        "Which are taken if there are too many: those of the best rank, or random ones, as for ukWaC.",
        default="rank",
        choices=("rank", "random"),
        group=ADDRESSES,
    )


@dataclass(frozen=True, slots=True)
class TopicConfig:
    """Which documents are on the topic."""

    min: float = setting(
        "How like the sample a page must be, by the cosine of their weighted words; 0: any.",
        default=0.19,
        maximum=1,
        group=CORPUS,
        option="topic",
        fixed=True,
    )


@dataclass(frozen=True, slots=True)
class StopConfig:
    """When the bootstrap ends. It also ends when a round brings no new page."""

    rounds: int = setting("Rounds, at most; 0: one, or with --words as many as it takes.", default=0, group=CORPUS)
    words: int = setting("Go on until the corpus has so many words; 0: any number.", default=0, group=CORPUS)

    @property
    def max_rounds(self) -> int | None:
        """Rounds, at most; None if there may be any number."""
        return self.rounds or (None if self.words else 1)


@dataclass(frozen=True, slots=True)
class BootstrapConfig(Sections):
    """All settings of a bootstrap."""

    seeds: SeedsConfig = field(default_factory=SeedsConfig)
    queries: QueriesConfig = field(default_factory=QueriesConfig)
    addresses: AddressesConfig = field(default_factory=AddressesConfig)
    topic: TopicConfig = field(default_factory=TopicConfig)
    stop: StopConfig = field(default_factory=StopConfig)
    manners: MannersConfig = field(default_factory=MannersConfig, metadata=only("delay"))
    """How servers of pages are treated, as in a crawl."""
    fetch: FetchConfig = field(default_factory=FetchConfig, metadata=only())
    """What is downloaded, and within which limits, as in a crawl."""

    def __post_init__(self) -> None:
        Sections.__post_init__(self)
        for section, keys in _OF_THE_USER.items():
            if given := [key for key in keys if getattr(getattr(self, section), key)]:
                raise UsageError(f"[{section}] {given[0]} is not stored in a corpus: give it as an option each time")
        self.crawl  # noqa: B018 (raises if something of it is not right)

    @property
    def crawl(self) -> CrawlConfig:
        """The settings by which pages are fetched."""
        return CrawlConfig(manners=self.manners, fetch=self.fetch)

    def to_table(self) -> dict[str, dict[str, Any]]:
        """Tables that `from_table` turns back into the same settings."""
        return {
            section: {key: value for key, value in values.items() if key not in _OF_THE_USER.get(section, ())}
            for section, values in Sections.to_table(self).items()
        }
