"""Moses: a file for each language, in which the same lines translate each other, and one with where they are from.

`NAME.ids` has tabs between the addresses of the two pages and the numbers of their sentences, as OPUS has it, then the
score of the bead, where it is in the documents, and its id.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import BinaryIO

from gristmill.parallel.formats.registry import Languages, Write, stem_of
from gristmill.parallel.formats.values import columns, one_line, places
from gristmill.parallel.reader import FoundBeads, ParallelCorpus
from gristmill.parallel.records import SIDES
from gristmill.registry import part


@dataclass(frozen=True, slots=True)
class MosesFormat:
    """Writes three files, line by line."""

    suffixes: tuple[str, ...] = (".moses",)
    compressible: bool = True

    def files(self, name: str, languages: Languages) -> list[str]:
        """`NAME.en`, `NAME.de` and `NAME.ids`."""
        return [f"{stem_of(name, self.suffixes)}.{end}" for end in (*languages, "ids")]

    @contextmanager
    def writer(self, streams: Sequence[BinaryIO], corpus: ParallelCorpus) -> Iterator[Write]:
        """Write a line of each file for each bead."""
        del corpus

        def write(found: FoundBeads) -> None:
            for stream, side in zip(streams, SIDES, strict=False):
                write_lines(stream, map(one_line, found.beads.column(f"{side}_text").to_pylist()))
            write_lines(streams[-1], _origins(found))

        yield write

    def beside(self, names: Sequence[str], languages: Languages) -> dict[str, str]:
        """Nothing goes beside them."""
        del names, languages
        return {}


def write_lines(stream: BinaryIO, lines: Iterator[str]) -> None:
    """Write lines as UTF-8."""
    stream.write("".join(f"{line}\n" for line in lines).encode("utf-8", "replace"))


def _origins(found: FoundBeads) -> Iterator[str]:
    """Say where each bead is from."""
    names = ("url", "first", "count")
    sides = [columns(found, *(f"{side}_{name}" for name in names)) for side in SIDES]
    own = columns(found, "score", "id")
    for source, target, (score, bead), *where in zip(
        *sides, own, *(places(found, side) for side in SIDES), strict=True
    ):
        urls = (one_line(url) for url, *_ in (source, target))
        numbers = (" ".join(map(str, range(first, first + count))) for _, first, count in (source, target))
        yield "\t".join([*urls, *numbers, f"{score:.4f}", *where, bead])


part("format of sentence pairs", "moses")(MosesFormat())
