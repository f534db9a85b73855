"""The yield of hosts: which share of the words of a host's pages is kept, of pages that were dropped, too."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from gristmill.corpus import CorpusReader
from gristmill.corpus.attributes import host_of
from gristmill.errors import GristmillError
from gristmill.shards import Shard, read_columns

_COLUMNS = ("url", "words", "boilerplate_words", "filtered_words", "dropped")


def host_yields(folder: Path) -> dict[str, float]:
    """Compute the yield of each host of a corpus: words that cleaning and filters kept of all words; 0 if all went."""
    kept: Counter[str] = Counter()
    words: Counter[str] = Counter()
    for shard in _shards(folder):
        table = read_columns(shard.documents, _COLUMNS)
        for url, own, boilerplate, filtered, dropped in zip(
            *(table[name].to_pylist() for name in _COLUMNS), strict=True
        ):
            host = host_of(url)
            words[host] += own + boilerplate + filtered
            kept[host] += 0 if dropped else own
    return {host: kept[host] / total for host, total in words.items() if total}


def _shards(folder: Path) -> list[Shard]:
    """The shards of the corpus in a folder; none if there is only an index."""
    try:
        return CorpusReader(folder).shards
    except GristmillError:
        return []
