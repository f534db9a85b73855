"""Make the index of a corpus: parts of the shards that are in no segment, merged into segments, which a card names.

What is done, in order: `current_segments` says what of the index that is there can stay, `missing_shards` which shards
are in none of these; `part_tasks` make parts of them; `commit` merges parts and segments, writes what the segments have
in common, replaces the card, and removes what the new one does not need. A command that was killed goes on with what it
had. The result does not depend on how many workers there were.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, groupby
from pathlib import Path
from typing import Any

import xxhash

from gristmill.corpus import CorpusReader, Selection
from gristmill.drafts import move
from gristmill.engine import Engine, InlineEngine, Report, silent
from gristmill.errors import GristmillError
from gristmill.search.index.compaction import all_merged, none_merged, tiers_merged
from gristmill.search.index.freshness import shard_key, shard_keys
from gristmill.search.index.index import Index
from gristmill.search.index.joined import read_joined_card
from gristmill.search.index.joining import write_joined
from gristmill.search.index.leftovers import entries, leftovers, remove
from gristmill.search.index.merging import Merge, merge_all
from gristmill.search.index.plain import PlainDocument, PlainParagraph, make_index
from gristmill.search.index.segment import read_card, verify
from gristmill.search.index.shard import PART_TOKENS, IndexTask
from gristmill.search.index.state import FOLDER, JOINED, PARTS, SEGMENTS, SegmentEntry, State, read_state
from gristmill.shards import Shard
from gristmill.stages import run_round
from gristmill.threads import in_threads

__all__ = [
    "FOLDER",
    "PlainDocument",
    "PlainParagraph",
    "build_index",
    "commit",
    "current_segments",
    "make_index",
    "missing_shards",
    "part_tasks",
]

_TEMPORARY = ".tmp"
Compaction = Callable[[Sequence[int]], list[range]]
"""Says of segments, from the number of tokens of each, which neighbours become one."""


def build_index(
    corpus: CorpusReader,
    selection: Selection | None = None,
    engine: Engine | None = None,
    report: Report = silent,
    *,
    part_tokens: int = PART_TOKENS,
    compaction: Compaction = tiers_merged,
    verified: bool = False,
) -> Index:
    """Bring the index up to date over what a selection keeps of a corpus, by default as it was built, and open it.

    Only shards that are new or have changed are indexed. The index that was there stays until the new one is complete.
    With `verified` all files of segments are read, and those that are damaged made again. Memory: `part_tokens` times
    about 60 bytes for each worker.
    """
    selection = selection or Selection()
    corpus.select(selection)  # a wrong one is an error before anything is done
    engine = engine or InlineEngine()
    kept = current_segments(corpus, selection, verified=verified)
    tasks = part_tasks(corpus, selection, missing_shards(corpus, kept), part_tokens)
    run_round("indexing", "shard", tasks, engine, report)
    commit(corpus, selection, kept, engine, compaction)
    return Index.open(corpus.folder / FOLDER)


def current_segments(corpus: CorpusReader, selection: Selection, *, verified: bool = False) -> list[SegmentEntry]:
    """Find the segments of the index that are of the corpus as it is now, and whole.

    If one shard of a segment has changed, its other shards have to be indexed again too, and so have those in other
    segments of these. With `verified` all files of segments are read: who asks for an index has time for it, and who
    searches has not.
    """
    folder = corpus.folder / FOLDER
    try:
        state, _ = read_state(folder)
    except GristmillError:  # there is none, or it is damaged, or of another format
        return []
    keys = shard_keys(corpus, selection, annotated=False)  # no segment is of a shard that is not annotated
    numbers = {name: number for number, name in enumerate(keys)}
    kept = list(state.segments)
    stale: set[str] = set()
    for segment in kept:
        places = [numbers[name] for name, key in segment.shards.items() if keys.get(name) == key]
        in_a_row = places == list(range(places[0], places[0] + len(segment.shards))) if places else False
        place = folder / SEGMENTS / segment.name
        if not in_a_row or not _is_sound(place, verified=verified):
            stale.update(segment.shards)
    while any(not stale.isdisjoint(segment.shards) for segment in kept):
        for segment in kept:
            if not stale.isdisjoint(segment.shards):
                stale.update(segment.shards)
        kept = [segment for segment in kept if stale.isdisjoint(segment.shards)]
    return sorted(kept, key=lambda segment: numbers[next(iter(segment.shards))])


def missing_shards(corpus: CorpusReader, kept: Iterable[SegmentEntry]) -> list[Shard]:
    """Find the shards that are in none of these segments."""
    there = {name for segment in kept for name in segment.shards}
    return [shard for shard in corpus.shards if shard.name not in there]


def part_tasks(
    corpus: CorpusReader,
    selection: Selection,
    shards: Iterable[Shard],
    part_tokens: int = PART_TOKENS,
    *,
    alone: bool = True,
) -> list[IndexTask]:
    """Make the tasks that write the parts of some shards: one for each shard that has none yet, or damaged ones.

    If this command is not `alone`, parts of other shards are left as they are: others may be making them.
    """
    wanted = list(shards)
    keys = dict(zip(wanted, in_threads(lambda shard: shard_key(corpus, shard, selection), wanted), strict=True))
    places = {shard: _part_folder(corpus, shard.name, {shard.name: key}) for shard, key in keys.items()}
    if alone:
        current = set(places.values())
        remove([left for left in entries(corpus.folder / FOLDER / PARTS) if left not in current])
    for place in places.values():
        if place.exists() and not all(_is_sound(part, verified=True) for part in place.iterdir()):
            shutil.rmtree(place)
    return [
        IndexTask(str(corpus.folder), shard, str(place), selection, part_tokens)
        for shard, place in places.items()
        if not place.exists()
    ]


def has_parts(corpus: CorpusReader, selection: Selection, shard: Shard) -> bool:
    """Tell whether there are parts of a shard as it is now; it may be that it is not even annotated."""
    if not shard.tokens.exists():
        return False
    return _part_folder(corpus, shard.name, {shard.name: shard_key(corpus, shard, selection)}).exists()


@dataclass(frozen=True, slots=True)
class _Source:
    """A segment that is there, or the part of a shard that is to be in one."""

    place: Path
    shards: Mapping[str, str]
    entry: SegmentEntry | None = None

    @property
    def tokens(self) -> int:
        if self.entry is not None:
            return self.entry.tokens
        found: int = read_card(self.place)["index"]["tokens"]
        return found


def commit(
    corpus: CorpusReader,
    selection: Selection,
    kept: Sequence[SegmentEntry],
    engine: Engine,
    compaction: Compaction = tiers_merged,
) -> None:
    """Make an index of the segments that are kept and the parts of all other shards, and remove what it does not need.

    Parts of shards that follow each other are merged into one segment, and so are the segments that are compacted.
    """
    folder = corpus.folder / FOLDER
    groups = _compacted(_grouped(_sources(corpus, selection, kept)), compaction)
    about = {"selection": selection.to_table()}
    segments = _segments(folder, groups, about, engine)
    state = State(about["selection"], segments, *_joined(folder, segments, engine))
    if not _is_state(folder, state):
        state.write(folder)
    remove(leftovers(corpus.folder, state))


def compact(corpus: CorpusReader, engine: Engine, compaction: Compaction = tiers_merged) -> None:
    """Merge segments of the index that a corpus has, if it has one, whether it is of the corpus as it is now or not."""
    folder = corpus.folder / FOLDER
    try:
        state, _ = read_state(folder)
        sources = [_Source(folder / SEGMENTS / entry.name, entry.shards, entry) for entry in state.segments]
        groups = _compacted([[source] for source in sources], compaction)
        if len(groups) < len(sources):
            for source in chain.from_iterable(group for group in groups if len(group) > 1):
                verify(source.place, read_card(source.place)["digests"])  # a merged file would hide the damage
            about = {"selection": dict(state.selection)}
            segments = _segments(folder, groups, about, engine)
            state = State(state.selection, segments, *_joined(folder, segments, engine))
            state.write(folder)
    except GristmillError:  # there is none, or it is damaged: what can't be read is made again by the next search
        return
    remove(leftovers(corpus.folder, state))


def _sources(corpus: CorpusReader, selection: Selection, kept: Sequence[SegmentEntry]) -> list[_Source]:
    """List the segments that are kept and the parts of all other shards, in the order of the corpus."""
    keys = shard_keys(corpus, selection)
    segments: dict[str, list[SegmentEntry]] = {}
    for entry in kept:
        segments.setdefault(next(iter(entry.shards)), []).append(entry)
    there = {name for entry in kept for name in entry.shards}
    found: list[_Source] = []
    for name, key in keys.items():
        found += [
            _Source(corpus.folder / FOLDER / SEGMENTS / entry.name, entry.shards, entry)
            for entry in segments.get(name, ())
        ]
        if name not in there:
            parts = sorted(_part_folder(corpus, name, keys).iterdir())
            found += [_Source(part, {name: key}) for part in parts]
    return found


def _grouped(sources: Sequence[_Source]) -> list[list[_Source]]:
    """Group parts that follow each other, as far as a segment can hold them; each segment is a group by itself."""
    groups: list[list[_Source]] = []
    for is_new, run in groupby(sources, lambda source: source.entry is None):
        members = list(run)
        sizes = [source.tokens for source in members]
        ranges = all_merged(sizes) if is_new else none_merged(sizes)
        groups += [[members[number] for number in numbers] for numbers in ranges]
    return groups


def _compacted(groups: Sequence[list[_Source]], compaction: Compaction) -> list[list[_Source]]:
    """Put neighbouring groups together that are to be compacted."""
    sizes = [sum(source.tokens for source in group) for group in groups]
    return [[source for number in numbers for source in groups[number]] for numbers in compaction(sizes)]


def _segments(
    folder: Path, groups: Sequence[Sequence[_Source]], about: Mapping[str, Any], engine: Engine
) -> tuple[SegmentEntry, ...]:
    """Make a segment of each group of sources: those of one segment stay; others are merged, unless that is done.

    The name of a segment says what it was made of, so that a command that was killed finds it again.
    """
    names = [_segment_name(sources) for sources in groups]
    merges = {}
    for name, sources in zip(names, groups, strict=True):
        place = folder / SEGMENTS / name
        if _is_segment(sources) or (place.exists() and _is_sound(place, verified=True)):
            continue
        temporary = place.with_name(f"{name}{_TEMPORARY}")
        for left in (temporary, place):
            shutil.rmtree(left, ignore_errors=True)
        about_corpus = {"corpus": {**about, "shards": _shards_of(sources)}}
        merges[place] = Merge([source.place for source in sources], temporary, about_corpus)
    merge_all(list(merges.values()), engine)
    for place, made in merges.items():
        move(made.folder, place)
    return tuple(_entry(folder, name, sources) for name, sources in zip(names, groups, strict=True))


def _is_segment(sources: Sequence[_Source]) -> bool:
    return len(sources) == 1 and sources[0].entry is not None


def _shards_of(sources: Sequence[_Source]) -> dict[str, str]:
    return {name: key for source in sources for name, key in source.shards.items()}


def _segment_name(sources: Sequence[_Source]) -> str:
    entry = sources[0].entry
    if len(sources) == 1 and entry is not None:
        return entry.name
    names = list(_shards_of(sources))
    origin = "/".join(f"{source.place.parent.name} {source.place.name}" for source in sources)
    return f"{names[0]}-{names[-1]}-{xxhash.xxh3_64_hexdigest(origin.encode())}"


def _entry(folder: Path, name: str, sources: Sequence[_Source]) -> SegmentEntry:
    """The entry of a segment that is there."""
    entry = sources[0].entry
    if len(sources) == 1 and entry is not None:
        return entry
    card = read_card(folder / SEGMENTS / name)
    return SegmentEntry(name, card["index"]["tokens"], card["index"]["bytes"], _shards_of(sources))


def _joined(folder: Path, segments: Sequence[SegmentEntry], engine: Engine) -> tuple[str, int]:
    """Write what segments have in common, unless it is there; returns the name of its folder and its bytes."""
    if len(segments) == 1:
        return "", 0
    name = _joined_name(segments)
    place = folder / JOINED / name
    if not (place.exists() and _is_joined_sound(place)):
        before, count = _joined_before(folder, segments)
        temporary = place.with_name(f"{name}{_TEMPORARY}")
        write_joined(temporary, [folder / SEGMENTS / segment.name for segment in segments], engine, before, count)
        shutil.rmtree(place, ignore_errors=True)
        move(temporary, place)
    size: int = read_joined_card(place)["index"]["bytes"]
    return name, size


def _joined_name(segments: Sequence[SegmentEntry]) -> str:
    """Name the folder of what segments have in common, by their names."""
    return xxhash.xxh3_64_hexdigest("/".join(segment.name for segment in segments).encode())


def _joined_before(folder: Path, segments: Sequence[SegmentEntry]) -> tuple[Path | None, int]:
    """Find the folder of what the first segments have in common, as many as possible, and how many these are."""
    for count in range(len(segments) - 1, 1, -1):
        place = folder / JOINED / _joined_name(segments[:count])
        if place.exists() and _is_joined_sound(place):
            return place, count
    return None, 0


def _is_state(folder: Path, state: State) -> bool:
    """Tell whether the index is in that state already."""
    try:
        return read_state(folder)[0] == state
    except GristmillError:
        return False


def _is_sound(place: Path, *, verified: bool) -> bool:
    """Tell whether a segment or part is as it was made: after a loss of power it may not be."""
    try:
        card = read_card(place)
        if verified:
            verify(place, card["digests"])
    except GristmillError:
        return False
    return True


def _is_joined_sound(place: Path) -> bool:
    """Tell whether a folder of joined files is as it was made."""
    try:
        verify(place, read_joined_card(place)["digests"])
    except GristmillError:
        return False
    return True


def _part_folder(corpus: CorpusReader, name: str, keys: Mapping[str, str]) -> Path:
    return corpus.folder / FOLDER / PARTS / f"{name}-{keys[name]}"
