"""A positional index: the token stream of a corpus, by attributes and structures, as one or several segments on disk.

Segments are searched together, as if they were one. An index that is open stays what it was when it was opened,
whatever other processes add to it or merge in it.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from gristmill.arrays.storing import load_arrays
from gristmill.corpus import CorpusReader, Selection
from gristmill.errors import GristmillError, UsageError
from gristmill.registry import did_you_mean
from gristmill.search.index.attribute import Attribute, empty_arrays
from gristmill.search.index.chunked import Chunks, open_chunks
from gristmill.search.index.derived import MISSING, TokenAttributes
from gristmill.search.index.freshness import fingerprint, shard_keys
from gristmill.search.index.heads import Heads
from gristmill.search.index.joined import Bases, JoinedAttribute, lexicon_file, read_joined_card
from gristmill.search.index.segment import (
    CARD,
    Segment,
    damaged,
    load_structures,
    parse_card,
    read_card,
    verify,
)
from gristmill.search.index.state import FOLDER, JOINED, State, read_state
from gristmill.search.index.structure import Structure
from gristmill.wording import plural

__all__ = ["CARD", "FOLDER", "Index", "check_index_files", "is_current", "verify_index"]

_VERIFIED_BYTES = 64_000_000
"""Files of an index up to this size are verified when it is opened: that takes milliseconds."""


class Index:
    """An index that was opened. Tokens are numbered from 0 through all documents, in the order of the corpus."""

    def __init__(
        self,
        folder: Path,
        card: dict[str, Any],
        segments: Sequence[Segment],
        attributes: dict[str, Attribute],
        structures: dict[str, Structure],
    ) -> None:
        """Use `open`, which looks whether the index is whole."""
        self.folder = folder
        self.card = card
        """What `index.toml` says."""
        self.segments = segments
        self.attributes = TokenAttributes(attributes)
        self.structures = structures
        self._chunks: dict[str, Chunks] = {}
        self._bases = Bases([segment.size for segment in segments])
        self.size = self._bases.size
        """How many tokens it has."""
        self.heads = Heads.of([segment.heads for segment in segments], self._bases)
        """Where the heads of tokens are; None if no token has a relation."""

    @classmethod
    def open(cls, folder: str | os.PathLike[str]) -> Index:
        """Open the index in a folder, if it is whole: one that has a list of segments, or a segment by itself.

        If the card is replaced meanwhile, which may take away segments that the old one names, it is opened again.
        """
        place = Path(folder)
        while True:
            before = _stored_card(place)
            try:
                index = _open_list(place) if "segments" in parse_card(place) else _open_segment(place)
            except GristmillError:
                if _stored_card(place) == before:
                    raise
            else:
                if _stored_card(place) == before:
                    return index

    @property
    def documents(self) -> int:
        """How many documents it has."""
        return len(self.structures["doc"])

    @property
    def bytes_per_token(self) -> float:
        """Its size on disk, all files, for each token."""
        return float(self.card["index"]["bytes_per_token"])

    def lines(self) -> list[str]:
        """Say how large it is."""
        size = f"{self.bytes_per_token:.1f} bytes a token" if self.size else "empty"
        return [f"the index is whole: {plural(self.size, 'token')} of {plural(self.documents, 'document')}, {size}"]

    def to_json(self) -> dict[str, Any]:
        """Return its size as a record."""
        return {"tokens": self.size, "documents": self.documents, "bytes_per_token": self.bytes_per_token}

    @property
    def selection(self) -> Selection:
        """The selection that says what of its corpus is in it."""
        return Selection.from_table(self.card.get("corpus", {}).get("selection", {}))

    def is_current(self, corpus: CorpusReader) -> bool:
        """Tell whether it is of the corpus as it is now: not de-duplicated, annotated or added to since."""
        return is_current(self.card, corpus)

    def is_glued(self, positions: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
        """Tell whether each of these tokens stands right after the one before it, without a space."""
        if len(self.segments) == 1:
            return self.segments[0].is_glued(positions)
        return self._bases.gather(positions, lambda number, own: self.segments[number].is_glued(own), np.bool_)

    def attribute(self, name: str) -> Attribute:
        """Look up an attribute of tokens by its name; the error for a wrong one lists the right ones."""
        if name in self.attributes:
            return self.attributes[name]
        if name in MISSING:
            raise UsageError(MISSING[name])
        known = ", ".join(self.attributes)
        raise UsageError(f"tokens have no attribute {name!r}{did_you_mean(name, self.attributes)} (they have: {known})")

    def chunks(self, kind: str) -> Chunks:
        """Look up the chunks of a kind, such as `nc`; they are found when they are first asked for."""
        if not self._chunks:
            self._chunks = open_chunks(self)
        return self._chunks[kind]

    def structure(self, name: str) -> Structure:
        """Look up a kind of structure by its name; the error for a wrong one lists the right ones."""
        if name in self.structures:
            return self.structures[name]
        known = ", ".join(self.structures)
        raise UsageError(f"there is no structure {name!r}{did_you_mean(name, self.structures)} (there are: {known})")


def is_current(card: dict[str, Any], corpus: CorpusReader) -> bool:
    """Tell whether an index with that card is of the corpus as it is now."""
    about = card.get("corpus", {})
    try:
        keys = shard_keys(corpus, Selection.from_table(about["selection"]))
        return bool(about["fingerprint"] == fingerprint(keys))
    except (GristmillError, KeyError):  # the corpus is not annotated any more, or its files can't be read
        return False


def verify_index(folder: Path) -> None:
    """Read all files of the index in a folder, and raise if one is not as it was written."""
    for place, card in check_index_files(folder, read_state(folder)[0]).items():
        verify(place, card["digests"])


def check_index_files(folder: Path, state: State) -> dict[Path, dict[str, Any]]:
    """Find the folders of an index in that state, with their cards; raises if a file is missing or has another size."""
    cards = {place: read_card(place) for place in state.segment_folders(folder)}
    if state.joined:
        cards[folder / JOINED / state.joined] = read_joined_card(folder / JOINED / state.joined)
    return cards


def _stored_card(folder: Path) -> bytes:
    """Read the bytes of the card in a folder; none if it can't be read."""
    try:
        return (folder / CARD).read_bytes()
    except OSError:
        return b""


def _open_segment(folder: Path) -> Index:
    """Open a segment as an index by itself."""
    card = read_card(folder)
    if card["index"]["bytes"] <= _VERIFIED_BYTES:
        verify(folder, card["digests"])
    segment = _loaded(folder, card)
    return Index(folder, card, [segment], segment.attributes, segment.structures)


def _open_list(folder: Path) -> Index:
    """Open an index that is a list of segments."""
    state, card = read_state(folder)
    cards = check_index_files(folder, state)
    if card["index"]["bytes"] <= _VERIFIED_BYTES:
        for place, about in cards.items():
            verify(place, about["digests"])
    segments = [_loaded(place, cards[place], alone=not state.joined) for place in state.segment_folders(folder)]
    if not state.joined:
        return Index(folder, card, segments, segments[0].attributes, segments[0].structures)
    common = folder / JOINED / state.joined
    try:
        return Index(folder, card, segments, *_joined(segments, common, cards[common]))
    except (KeyError, ValueError, TypeError, pa.ArrowException) as error:
        raise damaged(common, str(error)) from error


def _loaded(place: Path, card: dict[str, Any], *, alone: bool = True) -> Segment:
    """Map a segment into memory; raises if its files don't hold what they should.

    If it is not `alone`, its structures are in the joined files and not read here.
    """
    try:
        return Segment(place, card, with_structures=alone)
    except (KeyError, ValueError, TypeError, pa.ArrowException) as error:
        raise damaged(place, str(error)) from error


def _joined(
    segments: Sequence[Segment], common: Path, card: dict[str, Any]
) -> tuple[dict[str, Attribute], dict[str, Structure]]:
    """Load the attributes and structures of several segments, by the files that these have in common."""
    bases = Bases([segment.size for segment in segments])
    attributes: dict[str, Attribute] = {}
    for name in card["attributes"]:
        own = [segment.attributes.get(name) or Attribute(name, empty_arrays(segment.size)) for segment in segments]
        attributes[name] = JoinedAttribute(name, bases, own, load_arrays(common / lexicon_file(name)))
    return attributes, load_structures(common, card["structures"])
