"""Merge parts or segments of an index into one segment, file by file, in bounded memory.

Lexicons are united; ids are mapped from a part's lexicon to the whole one; inverted lists follow each other part by
part, as positions of later parts are larger. All files are read and written from front to back: of the parts, as many
lists are taken at a time as fit into a block. Memory: the lexicon of one attribute, four bytes for each entry of the
parts' lexicons, and a block.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from gristmill.arrays.dtypes import Array, Ids
from gristmill.arrays.ragged import concatenated_ranges, starts_of
from gristmill.arrays.storing import Stream, load_arrays, save_arrays
from gristmill.corpus.attributes import DEPREL
from gristmill.engine import Engine, Report, Task, silent
from gristmill.search.index.attribute import Attribute, empty_arrays, id_type, position_type
from gristmill.search.index.heads import HEADS
from gristmill.search.index.lexicon import Lexicon, buffers_of
from gristmill.search.index.segment import GLUE, attribute_file, digest_of, read_card, structure_file
from gristmill.search.index.structure import Structure, StructureAttribute
from gristmill.search.index.writing import check_size, write_card
from gristmill.stages import run_round

_BLOCK_TOKENS = 1 << 22
"""Tokens that are worked on at a time."""
MAX_OPEN_PARTS = 500
"""Parts that are merged at a time: each holds a file open, and a process may have only some thousand of these."""


@dataclass(frozen=True, slots=True)
class Merge:
    """Parts, of which there is at least one, that become one segment in a folder."""

    parts: Sequence[Path]
    folder: Path
    about: Mapping[str, Any] = field(default_factory=dict)
    """What is added to its card."""


def merge(
    parts: Sequence[Path],
    folder: Path,
    about: Mapping[str, Any] | None = None,
    engine: Engine | None = None,
    report: Report = silent,
) -> None:
    """Make one segment of parts, of which there is at least one, in their order; `about` is added to its card."""
    merge_all([Merge(parts, folder, about or {})], engine, report)


def merge_all(merges: Sequence[Merge], engine: Engine | None = None, report: Report = silent) -> None:
    """Make several segments at the same time: none of their files needs another one."""
    for made in merges:
        made.folder.mkdir(parents=True, exist_ok=True)
    if any(len(made.parts) > MAX_OPEN_PARTS for made in merges):
        with ExitStack() as between:
            merge_all(_fewer(merges, between, engine), engine, report)
        return
    cards = [[read_card(part) for part in made.parts] for made in merges]
    tokens = [sum(card["index"]["tokens"] for card in of) for of in cards]
    for count in tokens:
        check_size(count)
    tasks = [task for made, of in zip(merges, cards, strict=True) for task in merge_tasks(made.parts, of, made.folder)]
    digests: dict[str, dict[str, str]] = {str(made.folder): {} for made in merges}
    for folder, file, digest in run_round("merging parts of the index", "file", tasks, engine, report):
        digests[folder][file] = digest
    for made, of, count in zip(merges, cards, tokens, strict=True):
        names = attributes_of(of)
        lexicons = {name: len(load_arrays(made.folder / attribute_file(name))["offsets"]) - 1 for name in names}
        write_card(made.folder, count, lexicons, all_structures(of), made.about, digests[str(made.folder)])


def _fewer(merges: Sequence[Merge], between: ExitStack, engine: Engine | None) -> list[Merge]:
    """Merge parts that follow each other into fewer ones first, which can all be open at the same time.

    These are in folders that `between` removes.
    """
    found, before = [], []
    for made in merges:
        if len(made.parts) <= MAX_OPEN_PARTS:
            found.append(made)
            continue
        folder = Path(between.enter_context(tempfile.TemporaryDirectory(dir=made.folder.parent)))
        starts = range(0, len(made.parts), MAX_OPEN_PARTS)
        smaller = [Merge(made.parts[start : start + MAX_OPEN_PARTS], folder / f"{start:08d}") for start in starts]
        before += smaller
        found.append(replace(made, parts=[part.folder for part in smaller]))
    merge_all(before, engine)
    return found


def merge_tasks(parts: Sequence[Path], cards: Sequence[Mapping[str, Any]], folder: Path) -> list[Task]:
    """Make the tasks of a merge: one for each file."""
    sizes = tuple(card["index"]["tokens"] for card in cards)
    names = tuple(map(str, parts))
    return [
        *(AttributeMerge(names, sizes, str(folder), name) for name in attributes_of(cards)),
        *(StructureMerge(names, sizes, str(folder), name, tuple(of)) for name, of in all_structures(cards).items()),
        GlueMerge(names, sizes, str(folder)),
        *([HeadsMerge(names, sizes, str(folder))] if DEPREL in attributes_of(cards) else []),
    ]


def attributes_of(cards: Iterable[Mapping[str, Any]]) -> list[str]:
    """List the attributes of tokens that at least one of several parts has, by their cards."""
    return list(dict.fromkeys(name for card in cards for name in card["attributes"]))


def all_structures(cards: Sequence[Mapping[str, Any]]) -> dict[str, list[str]]:
    """List the kinds of structures, and the attributes that those of one of the parts have.

    Where a part does not have one, it is empty in what is merged.
    """
    return {
        kind: list(dict.fromkeys(name for card in cards for name in card["structures"][kind]))
        for kind in cards[0]["structures"]
    }


def _take(source: Path, target: Path) -> None:
    """Give a file a second name, which costs nothing where the disk can do that, and flush it to the disk."""
    target.unlink(missing_ok=True)
    try:
        target.hardlink_to(source)
    except OSError:
        shutil.copyfile(source, target)
    with target.open("r+b") as file:
        os.fsync(file.fileno())


@dataclass(frozen=True, slots=True)
class FileMerge(ABC):
    """The task that writes one file of a merged segment, from the files of that name in all parts."""

    parts: tuple[str, ...]
    sizes: tuple[int, ...]
    """Tokens of each part."""
    folder: str

    @property
    @abstractmethod
    def file(self) -> str:
        """The file that it writes."""

    @property
    def source(self) -> str:
        """The file of each part that it reads."""
        return self.file

    @property
    def takes_single(self) -> bool:
        """Whether the file of a single part is the whole as it is."""
        return True

    @property
    def name(self) -> str:
        """The file."""
        return self.file

    @property
    def cost(self) -> int:
        """Bytes to read."""
        paths = [Path(part) / self.source for part in self.parts]
        return sum(path.stat().st_size for path in paths if path.exists())

    def run(self, report: Report) -> tuple[str, str, str]:
        """Write the file; that of a single part is taken as it is, if it can be. Returns folder, name and digest."""
        target = Path(self.folder) / self.file
        if len(self.parts) == 1 and self.takes_single:
            _take(Path(self.parts[0]) / self.source, target)
        else:
            offsets = [0, *np.cumsum(self.sizes).tolist()]
            parts = [
                self.load(Path(part) / self.source, size) for part, size in zip(self.parts, self.sizes, strict=True)
            ]
            save_arrays(target, self.merged(parts, offsets), durable=True)
        report(self.cost)
        return self.folder, self.file, digest_of(target)

    def load(self, path: Path, size: int) -> dict[str, Array]:
        """Load the file of a part with so many tokens."""
        del size
        return load_arrays(path)

    @abstractmethod
    def merged(self, parts: Sequence[dict[str, Array]], offsets: Sequence[int]) -> dict[str, Array | Stream]:
        """Make the arrays of the whole from those of the parts.

        Offsets are the numbers of tokens before each part, and at the end of all.
        """


@dataclass(frozen=True, slots=True)
class AttributeFileMerge(FileMerge):
    """Merges files of an attribute of tokens, which is empty in parts that have no such file."""

    attribute: str

    @property
    def source(self) -> str:
        """The file of each part that it reads."""
        return attribute_file(self.attribute)

    def load(self, path: Path, size: int) -> dict[str, Array]:
        """Load the file of a part with so many tokens; if there is none, the values are empty."""
        return load_arrays(path) if path.exists() else empty_arrays(size)


@dataclass(frozen=True, slots=True)
class AttributeMerge(AttributeFileMerge):
    """Merges the files of an attribute of tokens into one of the same kind."""

    @property
    def file(self) -> str:
        """The file that it writes."""
        return attribute_file(self.attribute)

    def merged(self, parts: Sequence[dict[str, Array]], offsets: Sequence[int]) -> dict[str, Array | Stream]:
        """Make the lexicon, the ids of all tokens and the inverted lists."""
        attributes = [Attribute(self.attribute, arrays) for arrays in parts]
        united = United.of([attribute.lexicon for attribute in attributes])
        counts = np.zeros(len(united.lexicon), np.int64)
        for attribute, places in zip(attributes, united.places, strict=True):
            counts[places] += attribute.counts
        first = starts_of(counts)
        return {
            **buffers_of(united.lexicon),
            "ids": united.stream([attribute.ids for attribute in attributes]),
            "first": first,
            "positions": Stream(
                np.dtype(np.uint32),
                offsets[-1],
                _inverted(list(map(_Lists, attributes, united.places, offsets)), first),
            ),
        }


@dataclass(frozen=True, slots=True)
class StructureMerge(FileMerge):
    """Merges the files of a kind of structure."""

    structure: str
    attributes: tuple[str, ...]

    @property
    def file(self) -> str:
        """The file that it writes."""
        return structure_file(self.structure)

    def merged(self, parts: Sequence[dict[str, Array]], offsets: Sequence[int]) -> dict[str, Array | Stream]:
        """Make the bounds and attributes of all structures.

        The bounds 0 2 5 and 0 3 of parts of 5 and 3 tokens become 0 2 5 8: starts move by the offset of their part.
        """
        parts = [_with_empty(arrays, self.attributes) for arrays in parts]
        structures = [Structure(self.structure, arrays, self.attributes) for arrays in parts]
        kind = position_type(offsets[-1])
        bounds = [
            structure.starts.astype(kind, copy=False) + kind.type(offset)
            for structure, offset in zip(structures, offsets, strict=False)
        ]
        merged: dict[str, Array | Stream] = {"bounds": np.append(np.concatenate(bounds), kind.type(offsets[-1]))}
        for name in self.attributes:
            arrays = _merged_values([structure.attributes[name] for structure in structures])
            merged |= {f"{name}.{key}": array for key, array in arrays.items()}
        return merged


@dataclass(frozen=True, slots=True)
class GlueMerge(FileMerge):
    """Merges the files of glue, which tell whether there is a space before each token."""

    @property
    def file(self) -> str:
        """The file that it writes."""
        return GLUE

    def merged(self, parts: Sequence[dict[str, Array]], offsets: Sequence[int]) -> dict[str, Array | Stream]:
        """Make one bit for each token."""
        pieces = _repacked([arrays["bits"] for arrays in parts], self.sizes)
        return {"bits": Stream(np.dtype(np.uint8), -(-offsets[-1] // 8), pieces)}


@dataclass(frozen=True, slots=True)
class HeadsMerge(FileMerge):
    """Merges the files of heads; a part without such a file knows none."""

    @property
    def file(self) -> str:
        """The file that it writes."""
        return HEADS

    def load(self, path: Path, size: int) -> dict[str, Array]:
        """Load the file of a part with so many tokens; if there is none, no head is known."""
        return load_arrays(path) if path.exists() else {"offsets": np.zeros(size, np.int16)}

    def merged(self, parts: Sequence[dict[str, Array]], offsets: Sequence[int]) -> dict[str, Array | Stream]:
        """Put the heads of all parts one after the other: they are told by distances, which stay the same."""
        heads = [arrays["offsets"] for arrays in parts]
        kind = np.result_type(*heads)
        pieces = (
            part[start : start + _BLOCK_TOKENS].astype(kind, copy=False)
            for part in heads
            for start in range(0, len(part), _BLOCK_TOKENS)
        )
        return {"offsets": Stream(kind, offsets[-1], pieces)}


@dataclass(frozen=True, slots=True)
class United:
    """A lexicon of all values of several, and the places in it of the values of each.

    The lexicons `a c` and `b c` are united as `a b c`, with the places 0 2 and 1 2.
    """

    lexicon: pa.Array
    places: list[npt.NDArray[Any]]
    """Ascending, as all lexicons are sorted the same way."""

    @classmethod
    def of(cls, lexicons: Sequence[Lexicon]) -> United:
        """Unite lexicons, of which there is at least one."""
        if not any(map(len, lexicons)):
            return cls(lexicons[0].array, [np.empty(0, np.uint32)] * len(lexicons))
        coded = pa.chunked_array([lexicon.array for lexicon in lexicons], pa.large_string()).dictionary_encode()
        values = coded.chunk(coded.num_chunks - 1).dictionary
        order = pc.array_sort_indices(values).to_numpy()
        ranks = np.empty(len(values), np.uint32)
        ranks[order] = np.arange(len(values), dtype=np.uint32)
        places = ranks[np.concatenate([chunk.indices.to_numpy() for chunk in coded.chunks])]
        return cls(values.take(pa.array(order)), np.split(places, np.cumsum(list(map(len, lexicons)))[:-1]))

    def stream(self, ids: Sequence[npt.NDArray[Any]]) -> Stream:
        """Translate the ids of all parts, one after the other, to ids of this lexicon."""
        kind = id_type(len(self.lexicon))
        return Stream(kind, sum(map(len, ids)), self._mapped(ids, kind))

    def _mapped(self, ids: Sequence[npt.NDArray[Any]], kind: np.dtype[Any]) -> Iterator[Array]:
        for part, places in zip(ids, self.places, strict=True):
            mapping = places.astype(kind)
            for start in range(0, len(part), _BLOCK_TOKENS):
                yield mapping[part[start : start + _BLOCK_TOKENS]]


@dataclass(frozen=True, slots=True)
class _Lists:
    """The inverted lists of a part."""

    attribute: Attribute
    places: npt.NDArray[Any]
    """Where each value of the part is in the whole lexicon."""
    offset: int
    """Where the part begins among all tokens."""

    def between(self, low: int, high: int) -> tuple[npt.NDArray[Any], Ids, npt.NDArray[np.uint32]]:
        """Find the lists of a range of ids of the whole lexicon: ids that the part has, their counts, and positions.

        Ids count from `low`, and positions from the offset. A part with the places 0 2 5 has, between 2 and 6, the ids
        0 and 3.
        """
        start, end = np.searchsorted(self.places, np.array([low, high], self.places.dtype))
        first = self.attribute.first[start : end + 1]
        return self.places[start:end] - low, np.diff(first), self.attribute.inverted[first[0] : first[-1]]


def _inverted(parts: Sequence[_Lists], first: Ids) -> Iterator[Array]:
    """Merge the inverted lists of all ids, as many at a time as fit into a block; `first` is where each will begin."""
    low = 0
    while low < len(first) - 1:
        high = int(np.searchsorted(first, first[low] + _BLOCK_TOKENS, side="right")) - 1
        if high > low + 1:
            yield _filled(parts, low, high, first)
        else:
            high = low + 1
            yield from _chained(parts, low)
        low = high


def _chained(parts: Sequence[_Lists], number: int) -> Iterator[Array]:
    """Merge the lists of one id, which may be longer than a block."""
    for part in parts:
        _, _, positions = part.between(number, number + 1)
        for start in range(0, len(positions), _BLOCK_TOKENS):
            yield positions[start : start + _BLOCK_TOKENS] + np.uint32(part.offset)


def _filled(parts: Sequence[_Lists], low: int, high: int, first: Ids) -> Array:
    """Fill several lists part by part.

    The value a stands at 0 and 2 in the first part and at 1 in the second, which begins at 5: its list is 0 2 6. `ends`
    says how far each list is filled: 0 at first, then 2, then 3.
    """
    lists = np.empty(first[high] - first[low], np.uint32)
    ends = first[low:high] - first[low]
    for part in parts:
        numbers, counts, positions = part.between(low, high)
        lists[concatenated_ranges(ends[numbers], counts)] = positions + np.uint32(part.offset)
        ends[numbers] += counts
    return lists


def _with_empty(arrays: dict[str, Array], attributes: Sequence[str]) -> dict[str, Array]:
    """Add the attributes that the structures of a part do not have, with an empty value for each of them."""
    found = dict(arrays)
    for name in attributes:
        if f"{name}.ids" not in arrays:
            size = len(arrays["bounds"]) - 1
            lexicon = buffers_of(pa.array([""] if size else [], pa.string()))
            ids = np.zeros(size, np.uint8)
            found |= {f"{name}.{key}": array for key, array in {**lexicon, "ids": ids}.items()}
    return found


def _merged_values(parts: Sequence[StructureAttribute]) -> dict[str, Array | Stream]:
    """Make the lexicon and the ids of an attribute of structures."""
    united = United.of([part.lexicon for part in parts])
    return {**buffers_of(united.lexicon), "ids": united.stream([part.ids for part in parts])}


def _repacked(parts: Sequence[npt.NDArray[np.uint8]], sizes: Sequence[int]) -> Iterator[Array]:
    """Pack the bits of all parts, one after the other; parts need not end with a byte.

    Of parts of 10 and 7 bits, the last 2 bits of the first part wait (`rest`), and go before the 7 of the second: these
    are 9, of which 8 are packed and 1 waits for the end.
    """
    rest = np.empty(0, np.uint8)
    for bits, size in zip(parts, sizes, strict=True):
        for start in range(0, size, _BLOCK_TOKENS):
            flags = np.unpackbits(
                bits[start // 8 : (start + _BLOCK_TOKENS) // 8],
                count=min(_BLOCK_TOKENS, size - start),
                bitorder="little",
            )
            flags = np.append(rest, flags)
            whole = len(flags) // 8 * 8
            yield np.packbits(flags[:whole], bitorder="little")
            rest = flags[whole:]
    yield np.packbits(rest, bitorder="little")
