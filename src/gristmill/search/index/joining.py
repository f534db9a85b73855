"""Write what several segments have in common: one lexicon of all values for each attribute, and all structures as one.

It is small beside the tokens: a lexicon, four bytes for each entry of the segments' lexicons, and the structures. If
segments are only added at the end, what the ones before have in common is taken as it is and the new ones are added:

    joined before   lexicon a c, tables 0 1 | 1       of segments with the values a c and c
    new segment     lexicon a b
    joined now      lexicon a b c                     where a c is now at 0 2, and the new a b at 0 1
                    tables 0 2 | 2 | 0 1              an old table t becomes [0, 2][t]
"""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from gristmill.arrays.dtypes import Array
from gristmill.arrays.ragged import starts_of
from gristmill.arrays.storing import Stream, load_arrays
from gristmill.engine import Engine, Task
from gristmill.search.index.attribute import id_type
from gristmill.search.index.joined import lexicon_file, read_joined_card, table_name
from gristmill.search.index.lexicon import buffers_of, from_arrays
from gristmill.search.index.merging import (
    AttributeFileMerge,
    StructureMerge,
    United,
    all_structures,
    attributes_of,
)
from gristmill.search.index.segment import read_card, structure_file
from gristmill.search.index.writing import write_files_card
from gristmill.stages import run_round


def write_joined(
    folder: Path, segments: Sequence[Path], engine: Engine, before: Path | None = None, joined_before: int = 0
) -> None:
    """Write what segments have in common into a folder.

    `before` is the folder of what the first `joined_before` of them have in common, if there is one.
    """
    cards = [read_card(segment) for segment in segments]
    attributes = attributes_of(cards)
    if before and read_joined_card(before)["attributes"] != attributes:  # a new segment has one that no old one has
        before, joined_before = None, 0
    sizes = tuple(card["index"]["tokens"] for card in cards)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    new = tuple(map(str, segments[joined_before:]))
    structure_sources = (str(before), *new) if before else new
    structure_sizes = (sum(sizes[:joined_before]), *sizes[joined_before:]) if before else sizes
    structures = all_structures(cards)
    tasks: list[Task] = [
        *(
            LexiconJoin(new, sizes[joined_before:], str(folder), name, str(before) if before else "", joined_before)
            for name in attributes
        ),
        *(
            StructureMerge(structure_sources, structure_sizes, str(folder), name, tuple(of))
            for name, of in structures.items()
        ),
    ]
    digests = {file: digest for _, file, digest in run_round("joining segments", "file", tasks, engine)}
    about = {"attributes": attributes, "structures": structures}
    names = [*map(lexicon_file, attributes), *map(structure_file, about["structures"])]
    write_files_card(folder, names, sum(sizes), about, digests)


@dataclass(frozen=True, slots=True)
class LexiconJoin(AttributeFileMerge):
    """Writes the joined lexicon of an attribute of tokens, and for each segment the table of its ids in it."""

    before: str = ""
    """The folder of what the segments before these have in common; empty if there are none."""
    joined_before: int = 0
    """How many segments these are."""

    @property
    def file(self) -> str:
        """The file that it writes."""
        return lexicon_file(self.attribute)

    @property
    def takes_single(self) -> bool:
        """Never: a joined lexicon is no file of a segment, so that of a single one can't be taken."""
        return False

    def merged(self, parts: Sequence[dict[str, Array]], offsets: Sequence[int]) -> dict[str, Array | Stream]:
        """Make the lexicon, how many tokens come before those of each value, and the tables."""
        del offsets
        old = [load_arrays(Path(self.before) / self.file)] if self.before else []
        sources = [*old, *parts]
        united = United.of([from_arrays(arrays) for arrays in sources])
        counts = np.zeros(len(united.lexicon), np.int64)
        for arrays, places in zip(sources, united.places, strict=True):
            counts[places] += np.diff(arrays["first"])
        tables = [united.places[0][old[0][table_name(number)]] for number in range(self.joined_before)] if old else []
        tables += united.places[len(old) :]
        kind = id_type(len(united.lexicon))
        return {
            **buffers_of(united.lexicon),
            "first": starts_of(counts),
            **{table_name(number): table.astype(kind) for number, table in enumerate(tables)},
        }
