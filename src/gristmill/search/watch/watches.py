"""Standing queries, as in GlossaNet: each shard that comes to a corpus is searched once, and what is found is kept.

A watch is a folder of the corpus with `watch.toml` and a file for each shard that was searched, which says what was
found there. The lines as text and as a feed are made of these, so that a run which was killed loses nothing and repeats
nothing. `watch.toml` is written last and removed first: a folder without it is no watch, but what a killed command
left.
"""

from __future__ import annotations

import json
import re
import shutil
import tempfile
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tomli_w

from gristmill.errors import GristmillError, UsageError
from gristmill.registry import did_you_mean
from gristmill.search.concordance.concordance import Concordance
from gristmill.search.concordance.lines import Context, Line
from gristmill.search.index.index import Index
from gristmill.search.index.shard import empty_columns
from gristmill.search.index.writing import write_index
from gristmill.search.watch.feed import atom_feed
from gristmill.shapes import misfit
from gristmill.shards import Shard, write_atomically

FOLDER = "watches"
"""Folder of a corpus that has its watches."""
TEXT = "lines.txt"
FEED = "feed.xml"
_CARD = "watch.toml"
_NAME = re.compile(r"\w[\w-]{0,63}")
_WINDOWS_DEVICES = frozenset(
    ["con", "prn", "aux", "nul", *(f"{port}{number}" for port in ("com", "lpt") for number in range(10))]
)
"""Names that no folder can have on Windows."""
_CARD_SHAPE = {"query": str, "where": str, "first": int}
_SENTENCE = Context("sentence")


@dataclass(frozen=True, slots=True)
class Watch:
    """A standing query: what it looks for and in which documents.

    `first` is the number of the first shard that it searches.
    """

    folder: Path
    query: str
    where: str
    first: int

    @property
    def name(self) -> str:
        """Its name, which is that of its folder."""
        return self.folder.name

    def pending(self, shards: list[Shard]) -> list[Shard]:
        """The shards that it has not searched yet."""
        return [shard for shard in shards[self.first :] if not self._result(shard).exists()]

    def search(self, part: Index) -> Iterator[Line]:
        """Search an index, and show the sentences of the hits."""
        try:
            return Concordance.of(part, self.query, self.where or None).lines(context=_SENTENCE)
        except UsageError as error:  # it finds too much, say
            raise GristmillError(
                f"the watch {self.name!r} can't be asked, so remove it (`gristmill watch remove`): {error}"
            ) from error

    def keep(self, shard: Shard, lines: list[Line]) -> None:
        """Write down what was found in a shard: from now on that is searched."""
        records = (json.dumps(line.to_json(), ensure_ascii=False) for line in lines)
        write_atomically(self._result(shard), "".join(f"{record}\n" for record in records).encode())

    def lines(self) -> Iterator[Line]:
        """All lines that were found so far, in the order of the corpus."""
        for path in sorted(self.folder.glob("*.jsonl")):
            for record in path.read_bytes().splitlines():  # of text, other characters would end a line too
                try:
                    yield Line(**json.loads(record))
                except (ValueError, TypeError) as error:
                    raise GristmillError(
                        f"{path} is damaged ({error}): remove it, and its shard is searched again"
                    ) from error

    def count(self) -> int:
        """Number of lines that were found so far."""
        return sum(path.read_bytes().count(b"\n") for path in self.folder.glob("*.jsonl"))

    def publish(self) -> None:
        """Write all lines as text, and the latest of them as an Atom feed.

        The text comes last, as it tells whether both are complete.
        """
        write_atomically(self.folder / FEED, atom_feed(self.name, self.query, list(self.lines())))
        write_atomically(self.folder / TEXT, "".join(map(_text, self.lines())).encode())

    def is_published(self) -> bool:
        """Whether text and feed have all that was found. Lines are only ever added, so their number tells."""
        text = self.folder / TEXT
        return (self.folder / FEED).exists() and text.exists() and text.read_bytes().count(b"\n") == self.count()

    def _result(self, shard: Shard) -> Path:
        return self.folder / f"{shard.name}.jsonl"


def add_watch(corpus: Path, query: str, where: str = "", name: str = "", first: int = 0) -> Watch:
    """Begin to watch for a query; raise if it is not a valid one."""
    _check(query, where)
    name = name or _name_for(query)
    if not _NAME.fullmatch(name) or name.lower() in _WINDOWS_DEVICES:
        raise UsageError(
            f"{name!r} can't be the name of a watch: use letters, digits, - and _, at most 64 (and no name of a device)"
        )
    watch = Watch(corpus / FOLDER / name, query, where, first)
    if (watch.folder / _CARD).exists():
        raise UsageError(f"there is a watch {name!r} already: choose another --name, or remove it first")
    clear_leftovers(corpus)
    watch.folder.mkdir(parents=True)
    watch.publish()
    card = {"query": query, "where": where, "first": first}
    write_atomically(watch.folder / _CARD, tomli_w.dumps(card).encode())
    return watch


def read_watches(corpus: Path) -> list[Watch]:
    """All watches of a corpus, by name."""
    return [_read(card.parent) for card in sorted(corpus.glob(f"{FOLDER}/*/{_CARD}"))]


def remove_watch(corpus: Path, name: str) -> None:
    """Stop watching for a query, and delete what was found."""
    clear_leftovers(corpus)
    names = [watch.name for watch in read_watches(corpus)]
    if name not in names:
        known = f" (there are: {', '.join(names)})" if names else ": there are none"
        raise UsageError(f"there is no watch {name!r}{did_you_mean(name, names)}{known}")
    (corpus / FOLDER / name / _CARD).unlink()
    clear_leftovers(corpus)


def clear_leftovers(corpus: Path) -> None:
    """Remove what is left of watches that were partly added or removed; the corpus must be locked."""
    for folder in (corpus / FOLDER).glob("*/"):
        if not (folder / _CARD).exists():
            shutil.rmtree(folder)


def _read(folder: Path) -> Watch:
    try:
        card: dict[str, Any] = tomllib.loads((folder / _CARD).read_text("utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise GristmillError(
            f"can't read {folder / _CARD}: {error}; remove the folder and add the watch again"
        ) from error
    fault = misfit(card, _CARD_SHAPE, _CARD)
    if fault:
        raise GristmillError(f"{folder / _CARD} is damaged ({fault}): remove the folder and add the watch again")
    return Watch(folder, card["query"], card["where"], max(card["first"], 0))


def _check(query: str, where: str) -> None:
    """Search an index without tokens, which has all attributes, to see whether the query is valid."""
    with tempfile.TemporaryDirectory() as folder:
        write_index(Path(folder), empty_columns())
        Concordance.of(Index.open(folder), query, where or None)


def _name_for(query: str) -> str:
    """Make a name of the words of a query."""
    name = "-".join(re.findall(r"\w+", query.lower()))[:64].strip("-_") or "watch"
    return f"{name}-" if name in _WINDOWS_DEVICES else name


def _text(line: Line) -> str:
    """A line of text: where the hit is, and its sentence with the hit in angle brackets.

    `gristmill search --view sentence` shows it in the same way.
    """
    shown = " ".join(f"{line.left}<{line.node}>{line.right}".split())
    return f"{line.doc}\t{line.date[:10]}\t{line.url}\t{shown}\n"
