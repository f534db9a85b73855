"""What is repeated in a corpus: how much, which blocks most often, and which hosts repeat each other."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from gristmill.arrays.dtypes import Array, Flags, Ints
from gristmill.corpus.lookup import read_by_id
from gristmill.corpus.reader import CorpusReader
from gristmill.document import document_id
from gristmill.report.figures import MEASURES, Links
from gristmill.report.totals import CorpusFigures
from gristmill.shards import DOCUMENTS
from gristmill.wording import one_line

_MAX_TALLIED = 2_000_000
"""Blocks or pairs of hosts that are counted at a time; beyond, those found but once are forgotten."""
_BLOCK_BITS = 20
_MAX_TEXT_CHARACTERS = 400
_ELSEWHERE = -1
"""The host of pages of other corpora."""


@dataclass(frozen=True, slots=True)
class RepeatedBlock:
    """A block of which there are copies, where it first stands, and how often it was found again."""

    id: str
    block: int
    copies: int
    words: int
    """Words of all copies."""
    url: str
    lang: str
    text: str


@dataclass(frozen=True, slots=True)
class HostPair:
    """Two hosts, and what pages of one repeat of the other, in both directions."""

    hosts: tuple[str, str]
    blocks: int
    words: int


@dataclass(frozen=True, slots=True)
class RepeatingHost:
    """A host, the words of its pages that reached de-duplication, and how many of them are repeated."""

    host: str
    words: int
    repeated: int


@dataclass(frozen=True, slots=True)
class Copies:
    """What de-duplication found."""

    blocks: dict[str, int]
    words: dict[str, int]
    """Numbers by verdict: unique, duplicate, stub."""
    where: dict[str, int]
    """Repeated words by where their first copy stands: `same` host, `other` host, `elsewhere` in another corpus."""
    repeated: list[RepeatedBlock]
    pairs: list[HostPair]
    hosts: list[RepeatingHost]

    def to_json(self) -> dict[str, Any]:
        """All figures, for programs."""
        return asdict(self)


class _Tally:
    """Adds up two amounts by a key, for many keys; sums are put together in large steps."""

    def __init__(self) -> None:
        self._keys, self._amounts = np.zeros(0, np.int64), np.zeros((0, 2), np.int64)
        self._new: list[tuple[Ints, Array]] = []
        self._waiting = 0

    def add(self, keys: Ints, blocks: Ints, words: Ints) -> None:
        self._new.append((keys, np.stack([blocks, words], axis=1)))
        self._waiting += len(keys)
        if self._waiting > max(len(self._keys), 100_000):
            self._merge()

    def _merge(self) -> None:
        keys = np.concatenate([self._keys, *(keys for keys, _ in self._new)])
        amounts = np.concatenate([self._amounts, *(amounts for _, amounts in self._new)])
        self._keys, places = np.unique(keys, return_inverse=True)
        self._amounts = np.zeros((len(self._keys), 2), np.int64)
        np.add.at(self._amounts, places, amounts)
        self._new, self._waiting = [], 0
        if len(self._keys) > _MAX_TALLIED:
            often = self._amounts[:, 0] > 1
            self._keys, self._amounts = self._keys[often], self._amounts[often]

    def top(self, most: int, column: int) -> list[tuple[int, int, int]]:
        """Return the keys with the largest amounts; of equal ones the lower key is first."""
        self._merge()
        places = np.lexsort((self._keys, -self._amounts[:, column]))[:most]
        rows = zip(self._keys[places].tolist(), self._amounts[places].tolist(), strict=True)
        return [(key, blocks, words) for key, (blocks, words) in rows]


class _Hosts:
    """The host of every page of a corpus as a number, four bytes a page."""

    def __init__(self, figures: CorpusFigures) -> None:
        self.numbers = figures.totals.groups["host"].numbers
        self.names = list(self.numbers)
        self.starts: dict[str, tuple[int, int]] = {}
        parts, start = [np.zeros(0, np.int32)], 0
        for shard, found in figures:
            names = np.array([self.numbers[name] for name in found.groups["host"].numbers], np.int32)
            parts.append(names[found.hosts] if len(names) else np.zeros(0, np.int32))
            self.starts[shard.name] = start, len(found.hosts)
            start += len(found.hosts)
        self._of_page = np.concatenate(parts)

    def pages(self, links: Links) -> Ints:
        """Number the pages that links lead to, from the first of the corpus on; -1 for those of other corpora."""
        found = np.full(len(links.row), _ELSEWHERE, np.int64)
        for place, name in enumerate(links.shards):
            start, count = self.starts.get(name, (0, 0))
            here: Flags = (links.shard == place) & (links.row >= 0) & (links.row < count)
            found[here] = start + links.row[here]
        return found

    def of(self, pages: Ints) -> Ints:
        """Return the hosts of pages."""
        if not len(self._of_page):
            return np.full(len(pages), _ELSEWHERE, np.int64)
        return np.where(pages >= 0, self._of_page[np.maximum(pages, 0)], _ELSEWHERE).astype(np.int64)

    def id_of(self, page: int) -> str:
        """Name a page by its number."""
        name, (start, _) = next((name, span) for name, span in self.starts.items() if page - span[0] < span[1])
        return document_id(name, page - start)


def copies(figures: CorpusFigures, most: int = 20) -> Copies:
    """Sum up what de-duplication found, with the first `most` blocks, pairs and hosts."""
    hosts, blocks, pairs = _Hosts(figures), _Tally(), _Tally()
    where, repeated = np.zeros(3, np.int64), np.zeros(len(hosts.names), np.int64)
    for _, found in figures:
        links = found.links
        if links is None or not len(links.row):
            continue
        names = np.array([hosts.numbers[name] for name in found.groups["host"].numbers], np.int64)
        source, pages = names[links.hosts], hosts.pages(links)
        target = hosts.of(pages)
        np.add.at(repeated, source, links.words)
        kinds = np.where(target == _ELSEWHERE, 2, np.where(target == source, 0, 1))
        np.add.at(where, kinds, links.words)
        known = (pages >= 0) & (links.block >= 0) & (links.block < 1 << _BLOCK_BITS)
        blocks.add((pages[known] << _BLOCK_BITS) + links.block[known], links.blocks[known], links.words[known])
        low, high = np.minimum(source, target), np.maximum(source, target)
        two = kinds == 1
        pairs.add(low[two] * len(hosts.names) + high[two], links.blocks[two], links.words[two])
    dedup = figures.corpus.manifest.dedup
    return Copies(
        dict(dedup.get("blocks", {})),
        dict(dedup.get("words", {})),
        dict(zip(("same", "other", "elsewhere"), where.tolist(), strict=True)),
        _with_texts(figures.corpus, hosts, blocks.top(most, 0)),
        [
            HostPair((hosts.names[key // len(hosts.names)], hosts.names[key % len(hosts.names)]), count, words)
            for key, count, words in pairs.top(most, 1)
        ],
        _repeating(figures, repeated, most),
    )


def _repeating(figures: CorpusFigures, repeated: Ints, most: int) -> list[RepeatingHost]:
    group = figures.totals.groups["host"]
    kept = group.trimmed()[:, MEASURES.index("kept_words")]
    names = list(group.numbers)
    places = np.argsort(-repeated, kind="stable")[:most]
    return [
        RepeatingHost(names[place], int(kept[place] + repeated[place]), int(repeated[place]))
        for place in places.tolist()
        if repeated[place]
    ]


def _with_texts(corpus: CorpusReader, hosts: _Hosts, found: list[tuple[int, int, int]]) -> list[RepeatedBlock]:
    places = [
        (hosts.id_of(key >> _BLOCK_BITS), key & ((1 << _BLOCK_BITS) - 1), count, words) for key, count, words in found
    ]
    columns = ["url", "lang", "blocks.text"]
    pages = dict(read_by_id(corpus, DOCUMENTS, {identifier for identifier, *_ in places}, columns))
    return [
        RepeatedBlock(
            identifier,
            block,
            count,
            words,
            pages[identifier]["url"],
            pages[identifier]["lang"],
            one_line(pages[identifier]["blocks"][block]["text"], _MAX_TEXT_CHARACTERS),
        )
        for identifier, block, count, words in places
        if identifier in pages and block < len(pages[identifier]["blocks"])
    ]
