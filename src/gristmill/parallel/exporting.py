"""Export of sentence pairs: those that a selection keeps, or a sample of them, in some format."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import tomli_w

from gristmill.arguments import check_type, is_address
from gristmill.corpus.exporting import stored_address
from gristmill.corpus.manifest import FORMAT
from gristmill.corpus.output import PACKED, STANDARD_OUTPUT, is_file, open_output
from gristmill.corpus.places import DiskPlace, Place, StorePlace
from gristmill.errors import UsageError
from gristmill.parallel.formats import PAIR_FORMATS, PairFormat, format_of_name
from gristmill.parallel.reader import FoundBeads, ParallelCorpus
from gristmill.parallel.sampling import Chosen, for_balance, sample_beads
from gristmill.parallel.selection import PairSelection
from gristmill.shards import SHARDS
from gristmill.version import __version__

STREAM_FORMAT = "tsv"
"""The format of what goes to standard output, if nothing else is said."""


@dataclass(slots=True)
class PairsWritten:
    """What was exported: how many sentence pairs, to which files, and how many were left out, and why."""

    pairs: int
    files: list[str]
    left_out: Counter[str] = field(default_factory=Counter)
    """Beads that were left out, by the threshold that each did not meet first."""


def export_pairs(
    corpus: str | os.PathLike[str],
    output: str | os.PathLike[str],
    format_name: str | None = None,
    selection: PairSelection | None = None,
    *,
    languages: Sequence[str] | None = None,
    sample: int | None = None,
    balanced: bool = False,
    seed: int = 0,
    force: bool = False,
    on_pairs: Callable[[int], None] | None = None,
) -> PairsWritten:
    """Write the sentence pairs of a parallel corpus that a selection keeps, and return what was written.

    The format is told by the output's name if it is not given: `tmx`, `moses`, `tsv`, `jsonl`, `parquet` or
    `sent+vert`; names that end in `.gz` or `.zst` are compressed, and `-` is standard output. A format of several files
    makes their names of that of the output. `languages` are the source and the target, if these should be the other way
    round. `sample` takes so many pairs at random; `balanced` ones have varied lengths and come from many sites. Files
    appear when all are complete, and those that are there are replaced only by `force`. Beside them goes `OUTPUT.toml`,
    which says what was chosen and how many beads each threshold left out. `on_pairs` is called with how many pairs were
    written since the last time.
    """
    check_type(selection, PairSelection, "selection", "a PairSelection")
    if balanced and sample is None:
        raise UsageError("only a sample can be balanced: say how many sentence pairs it should have, with sample")
    found = ParallelCorpus(corpus, languages)
    name = os.fspath(output)
    format_name = format_name or (STREAM_FORMAT if name == STANDARD_OUTPUT else format_of_name(name))
    made = PAIR_FORMATS[format_name]
    chosen = selection or PairSelection()
    chosen = found.judged(for_balance(chosen) if balanced else chosen)
    outcome = PairsWritten(0, _names(name, format_name, made, found))
    places = [] if _is_stream(name) else [_place(found, file, force=force) for file in outcome.files]
    rows = sample_beads(found, chosen, sample, balanced=balanced, seed=seed, why=outcome.left_out) if sample else None
    about = {"sample": sample, "balanced": balanced, "seed": seed} if sample else {}

    def finish(size: int) -> None:
        del size
        for beside, text in made.beside([Path(file).name for file in outcome.files], found.languages).items():
            places[0].sibling(beside).write(text.encode())
        card = _card(found, format_name, chosen, outcome, about)
        _card_place(places[0], name).write(tomli_w.dumps(card).encode())

    with ExitStack() as stack:
        if places:  # the first is closed last: when it appears, all others are there, and what goes beside them
            streams = [stack.enter_context(place.output(finish if place is places[0] else _ignore)) for place in places]
        else:
            streams = [stack.enter_context(open_output(name))]
        with made.writer(streams, found) as write:
            for beads in _chosen(found, chosen, rows, outcome.left_out):
                outcome.pairs += len(beads)
                write(beads)
                if on_pairs:
                    on_pairs(len(beads))
    return outcome


def _ignore(size: int) -> None:
    del size


def _is_stream(name: str) -> bool:
    return name == STANDARD_OUTPUT or not (is_address(name) or is_file(name))


def _chosen(
    corpus: ParallelCorpus, selection: PairSelection, rows: Chosen | None, why: Counter[str]
) -> Iterator[FoundBeads]:
    """Yield what is to be written; what a sample leaves out was counted when it was taken."""
    for shard in corpus.shards:
        if rows is None:
            yield from corpus.shard_beads(shard, selection, why)
        elif shard.name in rows:
            for found in corpus.shard_beads(shard, selection):
                wanted = np.flatnonzero(np.isin(found.numbers, rows[shard.name]))
                if len(wanted):
                    yield found.take(wanted)


def _names(name: str, format_name: str, made: PairFormat, corpus: ParallelCorpus) -> list[str]:
    """Name the files of an output; raises if there can be none."""
    packed = next((end for end in PACKED if name.endswith(end)), "")
    if packed and not made.compressible:
        raise UsageError(f"{format_name} is compressed by itself: give a name that does not end in {packed}")
    if name.endswith(("/", os.sep)) or (not is_address(name) and Path(name).is_dir()):
        raise UsageError(f"{name} is a folder: name a file in it")
    files = made.files(name.removesuffix(packed), corpus.languages)
    if len(files) > 1 and _is_stream(name):
        raise UsageError(f"{format_name} has {len(files)} files, which can't all go to {name}: give a name with -o")
    return [f"{file}{packed}" for file in files]


def _place(corpus: ParallelCorpus, name: str, *, force: bool) -> Place:
    """Find where a file goes; raises if there is something already, or if it would be one of the corpus itself."""
    place: Place = StorePlace(stored_address(name), force) if is_address(name) else DiskPlace(Path(name))
    if place.path is not None and place.path.resolve().is_relative_to(corpus.folder.resolve() / SHARDS):
        raise UsageError(f"{place} belongs to the corpus in {corpus.folder}: give another file to write to")
    if not force and place.exists():
        raise UsageError(
            f"{place} is there already: give another name, or --force (in Python, force=True) to replace it"
        )
    return place


def _card_place(first: Place, name: str) -> Place:
    return first.sibling(f"{Path(name).name}.toml")


def _card(
    corpus: ParallelCorpus, format_name: str, selection: PairSelection, outcome: PairsWritten, about: dict[str, Any]
) -> dict[str, Any]:
    """Say what was exported; nothing in it depends on when or where."""
    manifest = corpus.reader.manifest
    return {
        "export": {
            "format": format_name,
            "files": [Path(file).name for file in outcome.files],
            "languages": list(corpus.languages),
            **about,
        },
        "corpus": {"fingerprint": manifest.fingerprint, "format": FORMAT},
        "selection": selection.to_table(),
        "counts": {"pairs": outcome.pairs, "left_out": outcome.left_out.total()},
        "left_out": dict(outcome.left_out),
        "versions": {"gristmill": __version__},
    }
