"""The card of the index of a corpus, which names its segments: to replace it is to change the index, all at once.

    index/index.toml                the card
    index/segments/NAME/            a segment, which is never changed
    index/joined/NAME/              what several segments have in common: their lexicons as one, and their structures
    index/parts/SHARD-KEY/00001/    what is to become a segment

What the card does not name is left over from a command that was killed, or is about to be named by one that runs.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import tomli_w
import xxhash

from gristmill.search.index.freshness import fingerprint
from gristmill.search.index.segment import CARD, FORMAT, checked_card, damaged
from gristmill.shards import write_atomically
from gristmill.version import __version__

FOLDER = "index"
"""Where the index of a corpus is, in its folder."""
SEGMENTS, JOINED, PARTS = "segments", "joined", "parts"
_SHAPE = {
    "index": {"format": int, "tokens": int, "bytes": int, "bytes_per_token": float, "joined": str},
    "corpus": {"fingerprint": str, "selection": dict},
    "segments": [{"name": str, "tokens": int, "bytes": int, "shards": {str: str}}],
    "end": {"digest": str},
}


@dataclass(frozen=True, slots=True)
class SegmentEntry:
    """A segment as the card of an index has it."""

    name: str
    tokens: int
    bytes: int
    shards: Mapping[str, str]
    """The shards that it is of, with their keys. A shard may be in several segments that follow each other."""


@dataclass(frozen=True)
class State:
    """What an index is made of: its segments, and what these have in common."""

    selection: Mapping[str, Any]
    """The selection that says what of the corpus is in it, as `Selection.to_table` gives it."""
    segments: tuple[SegmentEntry, ...]
    joined: str = ""
    """The folder of what the segments have in common; empty if there is one segment."""
    joined_bytes: int = 0

    @cached_property
    def keys(self) -> dict[str, str]:
        """The shards that it is of, in order, with their keys."""
        return {name: key for segment in self.segments for name, key in segment.shards.items()}

    @cached_property
    def tokens(self) -> int:
        """How many tokens it has."""
        return sum(segment.tokens for segment in self.segments)

    def segment_folders(self, index: Path) -> list[Path]:
        """List the folders of its segments, in that of the index."""
        return [index / SEGMENTS / segment.name for segment in self.segments]

    def folders(self, index: Path) -> Iterator[Path]:
        """List the folders that it needs, in that of the index."""
        yield from self.segment_folders(index)
        if self.joined:
            yield index / JOINED / self.joined

    def to_card(self) -> dict[str, Any]:
        """Return the card, as it is written."""
        size = sum(segment.bytes for segment in self.segments) + self.joined_bytes
        card = {
            "index": {
                "format": FORMAT,
                "gristmill": __version__,
                "tokens": self.tokens,
                "bytes": size,
                "bytes_per_token": round(size / self.tokens, 2) if self.tokens else 0.0,
                "joined": self.joined,
            },
            "corpus": {"fingerprint": fingerprint(self.keys), "selection": dict(self.selection)},
            "segments": [
                {"name": one.name, "tokens": one.tokens, "bytes": one.bytes, "shards": dict(one.shards)}
                for one in self.segments
            ],
        }
        return card | {"end": {"digest": _digest(card)}}  # the last, so that a card that is cut off is none

    def write(self, index: Path) -> None:
        """Make this the state of the index."""
        write_atomically(index / CARD, tomli_w.dumps(self.to_card()).encode())


def read_state(index: Path) -> tuple[State, dict[str, Any]]:
    """Read the state and the card of the index in a folder.

    Raises if there is none, or if it is of another format or damaged.
    """
    card = checked_card(index, _SHAPE)
    end = card.pop("end")
    if (
        end["digest"] != _digest(card)
        or not card["segments"]
        or bool(card["index"]["joined"]) == (len(card["segments"]) == 1)
    ):
        raise damaged(index, f"{CARD} is not as it was written")
    segments = tuple(SegmentEntry(**entry) for entry in card["segments"])
    total = sum(segment.bytes for segment in segments)
    state = State(card["corpus"]["selection"], segments, card["index"]["joined"], card["index"]["bytes"] - total)
    return state, card


def _digest(card: Mapping[str, Any]) -> str:
    """Hash what a card says."""
    return xxhash.xxh3_128_hexdigest(json.dumps(card, sort_keys=True, default=str).encode())
