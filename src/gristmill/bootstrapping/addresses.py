"""Which of the addresses that were found are fetched: each once, a few of a query and of a host."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from ipaddress import ip_address
from random import Random

from gristmill.bootstrapping.config import AddressesConfig
from gristmill.bootstrapping.store import CHOSEN, Choice, Found
from gristmill.crawling.config import CrawlConfig
from gristmill.crawling.scope import Scope
from gristmill.fetching.networks import Networks
from gristmill.fetching.urls import host_of, normalise

REASONS = {
    "invalid": "no address of the web",
    "seen": "found before",
    "query-limit": "the query has enough",
    "host-limit": "the host has enough",
    "scope": "outside of the domains",
    "forbidden": "forbidden host",
    "suffix": "no page, by its suffix",
    "private": "private network",
    "trap": "address without end",
}
"""Why addresses are left out, in words."""


class Chooser:
    """Decides on addresses by the settings of a bootstrap and by what was chosen before."""

    def __init__(
        self, config: AddressesConfig, chosen: Iterable[str] = (), *, networks: Sequence[str] = (), seed: int = 0
    ) -> None:
        self._config = config
        self._scope = Scope.of(CrawlConfig.from_table({"scope": {"domains": config.domains, "forbid": config.forbid}}))
        self._wanted = tuple(f".{suffix.lstrip('.').lower()}" for suffix in config.suffixes)
        self._networks = Networks(networks)
        self._seed = seed
        self._seen = set(chosen)
        self._hosts = Counter(map(_site, self._seen))

    def choose(self, found: Iterable[Found]) -> list[Choice]:
        """Decide on results; addresses that the user has given are not limited in number."""
        queries: Counter[int] = Counter()
        choices = []
        for query, rank, url, is_given in self._in_order(found):
            address = normalise(url)
            outcome = self._refusal(address) or ("" if is_given else self._limit(address, queries[query])) or CHOSEN
            if outcome == CHOSEN:
                queries[query] += 1
                self._seen.add(address)
                self._hosts[_site(address)] += 1
            choices.append(Choice(query, rank, address, outcome))
        return choices

    def _in_order(self, found: Iterable[Found]) -> list[Found]:
        """Put the best results of all queries first, or all in random order: limits take the first that come."""
        ordered = sorted(found, key=lambda item: (item.rank, item.query))
        if self._config.order == "random":
            Random(self._seed).shuffle(ordered)
        return ordered

    def _refusal(self, address: str) -> str:
        if not address:
            return "invalid"
        if address in self._seen:
            return "seen"
        host = host_of(address)
        if _is_ip(host) and self._networks.refusal(host):
            return "private"
        refusal = self._scope.refusal(address, host)
        if refusal == "suffix" and address.partition("?")[0].lower().endswith(self._wanted):
            return ""
        return "trap" if refusal.startswith("trap") else refusal

    def _limit(self, address: str, of_query: int) -> str:
        if of_query >= self._config.per_query:
            return "query-limit"
        most = self._config.per_host
        return "host-limit" if most and self._hosts[_site(address)] >= most else ""


def _site(address: str) -> str:
    return host_of(address).removeprefix("www.")


def _is_ip(host: str) -> bool:
    try:
        ip_address(host)
    except ValueError:
        return False
    return True
