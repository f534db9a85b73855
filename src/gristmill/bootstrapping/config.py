"""All settings of a bootstrap, as typed classes; `bootstrap.toml` has them in full."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from gristmill.bootstrapping.filter_words import MAX_COUNT
from gristmill.bootstrapping.forms import MAX_FORMS
from gristmill.bootstrapping.keywords import DEFAULT_COUNT, MEASURES
from gristmill.bootstrapping.tuples import DEFAULT_WORDS, MAX_WORDS, MIN_WORDS
from gristmill.crawling.config import CrawlConfig, FetchConfig, MannersConfig
from gristmill.errors import UsageError
from gristmill.settings import Sections

NAME = "bootstrap.toml"
"""The file of a corpus that has the settings of its bootstrap."""
ORDERS = ("rank", "random")
_OF_THE_USER = {"manners": ("contact",), "fetch": ("networks", "hosts_file")}
"""Settings of a crawl that belong to who runs it, and are never stored in a corpus."""


@dataclass(frozen=True, slots=True)
class SeedsConfig:
    """Where the words of queries come from."""

    lang: str = ""
    """ISO 639 code of the language that is wanted."""
    sample: str = ""
    """Texts on the topic: a folder of text files, a corpus or a file."""
    ranges: bool = False
    """Without given words: pairs of a basic and a mid-frequency word, as for ukWaC, instead of tuples of the latter."""
    count: int = DEFAULT_COUNT
    """Words of a round, if they are not given: keywords, or mid-frequency words of the language."""
    measure: str = "rfr"
    """How keywords are found: `rfr` (ratio of relative frequencies) or `ll` (log-likelihood)."""
    reference: str = ""
    """A corpus or word list of general language that keywords stand out against; else what is known of the language."""


@dataclass(frozen=True, slots=True)
class QueriesConfig:
    """How words are put together, and who is asked."""

    provider: str = ""
    """The search provider: `searxng:http://localhost:8888`."""
    n: int = DEFAULT_WORDS
    """Words of a query, 2 to 4."""
    count: int = 20
    """Queries of a round."""
    seed: int = 1
    """Of the random numbers by which words are combined; the same one gives the same queries."""
    forms: int = MAX_FORMS
    """Forms of each word that are asked for, its frequent ones; 1: the word alone."""
    forms_from: str = ""
    """A corpus or a list that has the forms of words; else a dictionary of the language, if there is one."""
    filter_words: int = MAX_COUNT
    """Language-filter words that are asked for, too: frequent ones that other languages don't have."""
    delay: float = 1.0
    """Seconds between two requests to the provider."""
    retries: int = 3
    """How often a query is asked again that failed for a reason that may pass."""
    max_wait: float = 600.0
    """Longest pause in seconds that is made for a provider; if it wants a longer one, what is left is given up."""


@dataclass(frozen=True, slots=True)
class AddressesConfig:
    """Which of the addresses that were found are fetched."""

    per_query: int = 10
    """Addresses of a query, at most."""
    per_host: int = 20
    """Addresses of a host in all rounds, at most; 0: no limit."""
    domains: tuple[str, ...] = ()
    """Hosts must be one of these or below it: `.uk`, `example.org`; any host if empty."""
    forbid: tuple[str, ...] = ()
    """Hosts and domains that are never visited."""
    suffixes: tuple[str, ...] = ()
    """Ends of addresses that are wanted though they are none of web pages: `pdf`."""
    order: str = "rank"
    """Which come first, if there are too many: those of the best rank, or `random`, as for ukWaC."""


@dataclass(frozen=True, slots=True)
class TopicConfig:
    """Which documents are on the topic."""

    min: float = 0.19
    """How near a document must be to one of the sample, by the cosine of their weighted words; 0 keeps all."""


@dataclass(frozen=True, slots=True)
class StopConfig:
    """When the bootstrap ends. It also ends when a round brings no new page."""

    rounds: int = 0
    """Rounds, at most; 0: one, or with `words` as many as it takes."""
    words: int = 0
    """Words of the corpus that are enough; 0: any number."""

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
    manners: MannersConfig = field(default_factory=MannersConfig)
    """How servers of pages are treated, as in a crawl."""
    fetch: FetchConfig = field(default_factory=FetchConfig)
    """What is downloaded, and within which limits, as in a crawl."""

    def __post_init__(self) -> None:
        _check_one_of("[seeds] measure", self.seeds.measure, MEASURES)
        _check_one_of("[addresses] order", self.addresses.order, ORDERS)
        if not MIN_WORDS <= self.queries.n <= MAX_WORDS:
            raise UsageError(f"a query has {MIN_WORDS} to {MAX_WORDS} words, not {self.queries.n}")
        for section, key in (("seeds", "count"), ("queries", "count"), ("addresses", "per_query")):
            if getattr(getattr(self, section), key) < 1:
                raise UsageError(f"[{section}] {key} must be at least 1")
        for key in ("forms", "filter_words", "delay", "retries", "max_wait"):
            if not getattr(self.queries, key) >= 0:  # also not a number
                raise UsageError(f"[queries] {key} must not be {getattr(self.queries, key)}")
        if min(self.addresses.per_host, self.stop.rounds, self.stop.words) < 0:
            raise UsageError("[addresses] per_host, [stop] rounds and words must not be below 0")
        if not 0 <= self.topic.min <= 1:
            raise UsageError(f"[topic] min must be between 0 and 1, not {self.topic.min}")
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


def _check_one_of(name: str, value: str, known: tuple[str, ...]) -> None:
    if value not in known:
        raise UsageError(f"{name} must be {' or '.join(known)}, not {value!r}")
