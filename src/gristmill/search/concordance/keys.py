"""Keys: what a concordance is sorted and counted by.

lemma          of the hit, all its tokens
node.2:tag     of the second token of the hit; node.-1:tag of its last
-1:lemma       of the token before the hit; 1:lemma of the one after it
2.lemma        of the token with the label 2 in the query; match and matchend are the first and last token of the hit
host           of its document, also doc.host; p.kind of its paragraph
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

import numpy as np

from gristmill.arrays.dtypes import Ids, Mask
from gristmill.errors import UsageError
from gristmill.registry import did_you_mean
from gristmill.search.concordance.occurrences import Occurrences
from gristmill.search.cql.terms import MATCH, MATCH_END
from gristmill.search.index.index import Index
from gristmill.search.index.lexicon import Lexicon
from gristmill.search.index.structure import StructureAttribute

FLAGS = ("case", "nocase", "retrograde", "descending")
"""What may follow a slash after a key."""
_PLACE = re.compile(r"node(?:\.(-?[1-9][0-9]{0,3}))?|(-?[1-9][0-9]{0,3})")
"""The place of a token: in the hit, or beside it."""
_ENDS = {MATCH: 1, MATCH_END: -1}
"""Labels that every hit has: those of its first and its last token."""
_SIDES = {"left": (-1, -2, -3), "right": (1, 2, 3)}
"""Keys of three neighbours under one name."""


@dataclass(frozen=True, slots=True)
class Key:
    """One thing to sort or count by: an attribute of the hit, of one of its tokens or neighbours, or of a structure."""

    name: str
    """The key as it was given."""
    attribute: str
    structure: str = ""
    """Kind of structure that has the attribute; empty if tokens have it."""
    offset: int = 0
    """Which neighbour: -1 is the token before the hit, 1 the one after it, 0 the hit."""
    nth: int = 0
    """Which token of the hit, from 1, or from its end if negative; 0 stands for all of them."""
    label: str = ""
    """Which labelled token; empty if the key is not of one."""
    flags: frozenset[str] = frozenset()

    def lexicon(self, index: Index) -> Lexicon:
        """The values that it can have."""
        return self.of_structure(index).lexicon if self.structure else index.attribute(self.attribute).lexicon

    def of_structure(self, index: Index) -> StructureAttribute:
        """The attribute, if structures have it."""
        return index.structure(self.structure).attribute(self.attribute)

    @property
    def whole(self) -> bool:
        """Whether it is a key of the whole hit, which has a value for each of its tokens."""
        return not (self.structure or self.offset or self.nth or self.label)

    def at(self, nth: int) -> Key:
        """The key for one token of the hit."""
        return replace(self, nth=nth)

    def ids(self, spans: Occurrences) -> Ids:
        """The id of each span's value, -1 where there is none; not for keys of whole hits, which have several."""
        index = spans.index
        if self.structure:
            numbers = (
                spans.documents if self.structure == "doc" else index.structure(self.structure).number_at(spans.starts)
            )
            return self.of_structure(index).ids[numbers].astype(np.int64)
        positions, there = self._places(spans)
        ids = np.full(len(spans), -1, np.int64)
        ids[there] = index.attribute(self.attribute).ids[positions[there]]
        return ids

    def _places(self, spans: Occurrences) -> tuple[Ids, Mask]:
        """Position of the token that the key is about, for each span, and whether there is one."""
        if self.label:
            places = spans.places[self.label]
            return places, places >= 0
        if self.offset:
            places = spans.starts + self.offset if self.offset < 0 else spans.ends + (self.offset - 1)
            return places, (places >= spans.first) & (places < spans.last)
        places = spans.starts + (self.nth - 1) if self.nth > 0 else spans.ends + self.nth
        return places, (places >= spans.starts) & (places < spans.ends)


def parse_keys(text: str, index: Index, labels: Collection[str] = ()) -> list[Key]:
    """Parse keys that are divided by commas: `-1:lemma,host`. `labels` are those of the query."""
    return [key for item in text.split(",") for key in _parse(item.strip(), index, labels)]


def _parse(text: str, index: Index, labels: Collection[str]) -> Sequence[Key]:
    """Parse one key; `left` and `right` stand for several."""
    body, *flags = text.split("/")
    for flag in flags:
        if flag not in FLAGS:
            raise UsageError(
                f"{text!r}: there is no flag {flag!r}{did_you_mean(flag, FLAGS)} (there are: {', '.join(FLAGS)})"
            )
    label, dot, attribute = body.partition(".")
    if dot and attribute in index.attributes and label not in {"node", ""}:
        return [replace(_of_label(label, attribute, text, labels), flags=frozenset(flags))]
    place, colon, attribute = body.partition(":")
    if not colon and (_PLACE.fullmatch(place) or place in _SIDES):
        attribute = "word"
    elif not colon:
        place, attribute = "node", body
    key = replace(_named(attribute, text, index), name=text, flags=frozenset(flags))
    if key.structure and colon:
        raise UsageError(f"{text!r}: {attribute!r} is an attribute of structures, which have no place: give it alone")
    if place in _SIDES:
        return [replace(key, name=f"{offset}:{attribute}", offset=offset) for offset in _SIDES[place]]
    found = _PLACE.fullmatch(place)
    if not found:
        raise UsageError(
            f"{text!r}: {place!r} is no place; places are node, node.1 (the hit's first token), node.-1 (its last), "
            "-1 (the token before it), 1 (the one after it), left and right"
        )
    return [replace(key, nth=int(found[1] or 0), offset=int(found[2] or 0))]


def _of_label(label: str, attribute: str, text: str, labels: Collection[str]) -> Key:
    """Make a key for the token with a label."""
    if label in _ENDS:
        return Key(text, attribute, nth=_ENDS[label])
    if label not in labels:
        known = f" (labels of the query: {', '.join(labels)})" if labels else ""
        raise UsageError(
            f"{text!r}: no token of the query has the label {label!r}{known}; "
            f"a label is written before a token, as in {label}:[]"
        )
    return Key(text, attribute, label=label)


def _named(attribute: str, text: str, index: Index) -> Key:
    """Make a key for an attribute of tokens or of structures; attributes of documents may be named alone."""
    if attribute in index.attributes:
        return Key(text, attribute)
    structure, dot, name = attribute.partition(".")
    if dot and structure in index.structures:
        index.structures[structure].attribute(name)
        return Key(text, name, structure)
    if attribute in index.structures["doc"].attributes:
        return Key(text, attribute, "doc")
    known = [*index.attributes, *index.structures["doc"].attributes]
    known += [f"{name}.{own}" for name, other in index.structures.items() if name != "doc" for own in other.attributes]
    raise UsageError(
        f"there is no attribute {attribute!r}{did_you_mean(attribute, known)} (there are: {', '.join(known)})"
    )
