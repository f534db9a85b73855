"""A reader of WordNet's nouns in Princeton's format: senses, hypernyms, and similarity by path length.

`index.noun` has a line for each noun with the offsets of its senses, sorted; `data.noun` has the line of a synset at
its offset. So a noun is found by a binary search, a synset at once, and nothing is read before it is needed.
"""

from __future__ import annotations

import mmap
import os
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from gristmill.errors import UsageError

_HYPERNYM, _INSTANCE = b"@", b"@i"
_MAX_LINE = 100_000
"""Bytes of a line; the longest of WordNet 3.0 has some 16,000."""
_MAX_KNOWN = 1 << 16
_MAX_HYPERNYMS = 10_000
"""Hypernyms that a synset may have, near and far: more are a sign of a damaged file."""


@dataclass(frozen=True, slots=True)
class Synset:
    """A concept: its words, its hypernyms, and the classes that it is an instance of, by their offsets."""

    offset: int
    words: tuple[str, ...]
    hypernyms: tuple[int, ...]
    classes: tuple[int, ...]
    """Of what it is an instance, if it is no class but one thing: Ottawa is an instance of national capital."""


class WordNet:
    """The nouns of a WordNet."""

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        """Open the files `index.noun` and `data.noun` in a folder, or in its folder `dict`."""
        place = Path(folder)
        place = place / "dict" if (place / "dict" / "data.noun").is_file() else place
        self.folder = place
        self._index, self._data = (_opened(place / name) for name in ("index.noun", "data.noun"))
        self.synset = lru_cache(_MAX_KNOWN)(self._synset)
        self.senses = lru_cache(_MAX_KNOWN)(self._senses)
        self.distances = lru_cache(_MAX_KNOWN)(self._distances)

    def _senses(self, noun: str) -> tuple[Synset, ...]:
        """Find the senses of a noun, the most frequent first; none if it is not there."""
        key = "_".join(noun.lower().split()).encode("utf-8", "replace")
        line = _line_of(self._index, key) if key else b""
        if not line:
            return ()
        try:
            fields = line.split()
            senses = int(fields[2])
            return tuple(self.synset(int(offset)) for offset in fields[len(fields) - senses :])
        except (ValueError, IndexError) as error:
            raise self._damaged(f"index.noun, {noun}") from error

    def _synset(self, offset: int) -> Synset:
        """Read the synset at an offset."""
        end = self._data.find(b"\n", offset, offset + _MAX_LINE) if 0 <= offset < len(self._data) else -1
        fields = self._data[offset : max(end, offset)].partition(b"|")[0].split()
        try:
            if int(fields[0]) != offset:
                raise self._damaged(f"data.noun, offset {offset}")
            count = int(fields[3], 16)
            words = tuple(word.decode("utf-8", "replace").replace("_", " ") for word in fields[4 : 4 + 2 * count : 2])
            after = 5 + 2 * count
            pointers = [fields[at : at + 2] for at in range(after, after + 4 * int(fields[after - 1]), 4)]
            kinds = {
                kind: tuple(int(to) for symbol, to in pointers if symbol == kind) for kind in (_HYPERNYM, _INSTANCE)
            }
        except (ValueError, IndexError) as error:
            raise self._damaged(f"data.noun, offset {offset}") from error
        return Synset(offset, words, kinds[_HYPERNYM], kinds[_INSTANCE])

    def _damaged(self, where: str) -> UsageError:
        return UsageError(f"{self.folder} is not a WordNet in Princeton's format, or damaged ({where})")

    def _distances(self, offset: int) -> dict[int, int]:
        """The synset and all its hypernyms by their offsets, with the number of steps to each, the nearest first."""
        found = {offset: 0}
        for here in (queue := [offset]):
            synset = self.synset(here)
            for to in (*synset.hypernyms, *synset.classes):
                if to not in found:
                    found[to] = found[here] + 1
                    queue.append(to)
            if len(found) > _MAX_HYPERNYMS:
                raise self._damaged(f"data.noun, hypernyms of {offset}")
        return found

    def chain(self, synset: Synset) -> list[Synset]:
        """The synset and its first hypernym, the first of that, and so on to the top."""
        found = {synset.offset: synset}
        while (above := (*synset.hypernyms, *synset.classes)) and above[0] not in found:
            synset = self.synset(above[0])
            found[synset.offset] = synset
        return list(found.values())

    def similarity(self, one: Synset, other: Synset) -> float:
        """Compare two synsets by path length: 1 divided by the nodes on the shortest path between them.

        It is `path` of WordNet::Similarity (Pedersen, Patwardhan and Michelizzi 2004): 1 for the same synset, 0 if no
        path of hypernyms and instances connects the two.
        """
        ours, theirs = self.distances(one.offset), self.distances(other.offset)
        steps = [distance + theirs[offset] for offset, distance in ours.items() if offset in theirs]
        return 1 / (min(steps) + 1) if steps else 0.0

    def most_similar(self, ours: Iterable[Synset], theirs: Iterable[Synset]) -> float:
        """The highest similarity of two synsets, one of each list; 0 if one is empty."""
        others = list(theirs)
        return max((self.similarity(one, other) for one in ours for other in others), default=0.0)


def _opened(path: Path) -> mmap.mmap:
    try:
        with path.open("rb") as file:
            return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except (OSError, ValueError) as error:
        hint = "give the folder with index.noun and data.noun, such as /usr/share/wordnet"
        raise UsageError(f"can't read WordNet's {path}: {hint}") from error


def _line_of(lines: mmap.mmap, key: bytes) -> bytes:
    """Find the line that begins with a key and a space, by a binary search over sorted lines; empty if none does."""
    low, high = 0, len(lines)
    while low < high:
        middle = (low + high) // 2
        start = lines.rfind(b"\n", 0, middle) + 1
        end = lines.find(b"\n", start)
        end = len(lines) if end < 0 else end
        word = lines[start : min(end, start + _MAX_LINE)].partition(b" ")[0]
        if word == key:
            return lines[start : min(end, start + _MAX_LINE)]
        if word < key:
            low = end + 1
        else:
            high = start
    return b""
