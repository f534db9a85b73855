"""How pages and words are spread over hosts, sites and top-level domains.

Pomikálek 2011 reports for ClueWeb09 how many domains there are, that their distribution follows a power law, the most
frequent ones, and how many have one, two and three pages (3.6 and 3.6.5). His domains are whole host names
(`blog.pennlive.com`), as hosts are here; a site is a host without `www.`. Which part of a name can be registered is not
known without the list of public suffixes, so names are not shortened further than to their last label.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable

import numpy as np

from gristmill.arrays.dtypes import Array
from gristmill.corpus.reader import CorpusReader
from gristmill.curves import Axis, Curve, Panel
from gristmill.engine import Report, silent
from gristmill.experiment import SHARE, Experiment, Section
from gristmill.notebook import Value
from gristmill.registry import part
from gristmill.report.figures import MEASURES
from gristmill.report.totals import CorpusFigures
from gristmill.table import Column

_SHOWN = 20
_ADDRESS = re.compile(r"[0-9.]+|.*:.*")
_WWW = re.compile(r"^www[0-9]?\.")
_MEASURES = [MEASURES.index(name) for name in ("pages", "kept", "kept_words")]
_HOST_COLUMNS = (
    Column("domain"),
    Column("pages"),
    Column("kept"),
    Column("kept_words", "kept words"),
    Column("share", "of kept", SHARE),
)
_SIZE_COLUMNS = (
    Column("pages", "pages each"),
    Column("hosts"),
    Column("share", "of hosts", SHARE),
    Column("kept_hosts", "hosts by kept pages"),
    Column("kept_share", "of hosts", SHARE),
)


def top_level_of(host: str) -> str:
    """Return the last label of a host name; `(address)` for an IP address, empty if there is no dot."""
    if _ADDRESS.fullmatch(host):
        return "(address)"
    return host.rstrip(".").rpartition(".")[2] if "." in host.rstrip(".") else ""


def site_of(host: str) -> str:
    """Return a host without `www.`."""
    return _WWW.sub("", host)


@part("experiment", "domains", draws=True)
def domains(corpus: CorpusReader, *, workers: int | None = 1, report: Report = silent) -> Experiment:
    """Count pages, kept pages and kept words by top-level domain, site and host, and hosts by their pages."""
    del workers, report  # the figures are there already
    group = CorpusFigures(corpus).totals.groups["host"]
    names, table = list(group.numbers), group.trimmed()[:, _MEASURES]
    some = np.flatnonzero(table[:, 0]).tolist()
    names, table = [names[place] for place in some], table[some]
    tops, sites = (_summed(names, table, key) for key in (top_level_of, site_of))
    hosts = _ranked(zip(names, table.tolist(), strict=True))
    by_pages, by_kept = (Counter(table[:, column].tolist()) for column in (0, 1))
    by_kept.pop(0, None)
    sections = [
        Section("top_level", "Top-level domains", _HOST_COLUMNS, tops, _SHOWN),
        Section("sites", "Sites", _HOST_COLUMNS, sites, _SHOWN),
        Section("hosts", "Hosts", _HOST_COLUMNS, hosts, _SHOWN),
        Section("sizes", "Hosts by the number of their pages", _SIZE_COLUMNS, _sizes(by_pages, by_kept), 10),
    ]
    facts = {"counts": {"top_level": len(tops), "sites": len(sites), "hosts": len(hosts)}}
    return Experiment("domains", "Distribution of domains", sections, facts, [_panel(by_pages, by_kept)])


def _summed(names: Iterable[str], table: Array, key: Callable[[str], str]) -> list[list[Value]]:
    sums: dict[str, list[int]] = {}
    for name, amounts in zip(names, table.tolist(), strict=True):
        found = sums.setdefault(key(name), [0] * len(_MEASURES))
        for place, amount in enumerate(amounts):
            found[place] += amount
    return _ranked(sums.items())


def _ranked(items: Iterable[tuple[str, list[int]]]) -> list[list[Value]]:
    """Put the ones with the most pages first, equal ones by name; the share is that of the kept pages."""
    found = sorted(items, key=lambda item: (-item[1][0], item[0]))
    kept = sum(amounts[1] for _, amounts in found)
    return [[name or "-", *amounts, amounts[1] / kept if kept else None] for name, amounts in found]


def _sizes(by_pages: Counter[int], by_kept: Counter[int]) -> list[list[Value]]:
    total, kept = by_pages.total() or 1, by_kept.total() or 1
    return [
        [pages, by_pages[pages], by_pages[pages] / total, by_kept[pages], by_kept[pages] / kept]
        for pages in sorted({*by_pages, *by_kept})
    ]


def _panel(by_pages: Counter[int], by_kept: Counter[int]) -> Panel:
    """Draw how many hosts have so many pages: a straight line, on these axes, is a power law."""
    curves = [
        Curve(name, [(pages, hosts) for pages, hosts in sorted(counts.items())], dots=True)
        for name, counts in (("all pages", by_pages), ("kept pages", by_kept))
    ]
    across, up = (Axis(title, logarithmic=True) for title in ("pages of a host", "hosts"))
    return Panel("Hosts by the number of their pages", across, up, curves)
