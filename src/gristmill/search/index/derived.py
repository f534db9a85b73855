"""Attributes of tokens that are made of stored ones when they are asked for: in lower case, and `lempos`.

They have the interface of stored attributes and keep nothing for each token. `lc` has a table from the ids of words to
its own:

    word    lexicon  The  an  the         ids 2 0 1        tokens  the The an
    lc      lexicon  an  the              table 1 0 1      so its ids are 1 1 0

`lempos` is a pair of lemma and letter. Of each lemma it is known which letters it has, as bits, and the number of its
first pair. With the letters a, n, v and the pairs light-a, light-n, mill-n, mill-v:

    lemma   bits (v n a)   first        mill-v is the pair 2 + 1, as `mill` has one letter (n) before v
    light   0 1 1          0
    mill    1 1 0          2
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, cast

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from gristmill.arrays.dtypes import Ids
from gristmill.arrays.ragged import chunks, concatenated_ranges, starts_of
from gristmill.condition import Condition
from gristmill.corpus.attributes import (
    DEPREL,
    DERIVED_ATTRIBUTES,
    FEATS,
    LEMPOS,
    LOWER_CASED,
    lempos_letter,
    lower_cased,
)
from gristmill.search.index.attribute import Attribute, Positions, id_type
from gristmill.search.index.joined import JoinedAttribute
from gristmill.search.index.lexicon import Lexicon

NO_FEATS = (
    "no token of this index has feats: annotate the corpus with `gristmill annotate` by a tagger that gives "
    "universal features (`gristmill annotate --help`), and index it again with `gristmill index`"
)
"""Why there is no attribute `feats`: taggers gave none."""
NO_RELATIONS = (
    "no token of this index has a relation to its head: there was no parser for its languages, or --no-parse; annotate "
    "the corpus with a --parser (`gristmill annotate --help`), and index it again with `gristmill index`"
)
"""Why there is no attribute `deprel`, and why no heads are known."""
MISSING = {FEATS: NO_FEATS, DEPREL: NO_RELATIONS}
"""Attributes that an index may lack, and what to do about it."""
Function = Callable[[int, npt.NDArray[Any]], npt.NDArray[Any]]
"""A function that is called with a segment's number and its ids of some tokens."""
Where = slice | npt.NDArray[Any]
"""A slice without a step, or positions of tokens."""
_BITS = 16
"""Bits for the letters of a lemma: there are fewer letters."""
_BLOCK_TOKENS = 1 << 20
"""Tokens whose pairs are counted together."""


class TokenAttributes(Mapping[str, Attribute]):
    """The attributes of tokens by name: the stored ones, and those that are derived from them on first use."""

    def __init__(self, stored: Mapping[str, Attribute]) -> None:
        self.stored = stored
        """Those that have files of their own."""
        self._derived: dict[str, Attribute] = {}
        self._lowered: dict[str, pa.Array] = {}

    def __getitem__(self, name: str) -> Attribute:
        if name in self.stored:
            return self.stored[name]
        if not self.is_derived(name):
            raise KeyError(name)
        if name not in self._derived:
            self._derived[name] = self._made(name)
        return self._derived[name]

    def __contains__(self, name: object) -> bool:
        return name in self.stored or (isinstance(name, str) and self.is_derived(name))

    def __iter__(self) -> Iterator[str]:
        yield from self.stored
        yield from filter(self.is_derived, DERIVED_ATTRIBUTES)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def is_derived(self, name: str) -> bool:
        """Tell whether an attribute is not stored, but those that it is made of are."""
        if name in self.stored:
            return False
        if name == LEMPOS:
            return "lemma" in self.stored and "tag" in self.stored
        return LOWER_CASED.get(name) in self.stored

    def check(self, condition: Condition) -> None:
        """Raise an error that points at the first attribute in a condition which tokens do not have."""
        for comparison in condition.comparisons():
            if comparison.name in MISSING and comparison.name not in self.stored:
                raise comparison.place.error(f"{MISSING[comparison.name]}:")
        condition.check(self, "a token")

    def lowered(self, name: str) -> pa.Array:
        """The values of a stored attribute in lower case, in the order of its ids; computed once."""
        if name not in self._lowered:
            self._lowered[name] = lower_cased(self.stored[name].lexicon.array)
        return self._lowered[name]

    def _made(self, name: str) -> Attribute:
        if name == LEMPOS:
            return LemPos(self.stored["lemma"], self.stored["tag"])
        source = LOWER_CASED[name]
        return LowerCased(name, self.stored[source], self.lowered(source))


class LowerCased(Attribute):
    """An attribute in lower case."""

    def __init__(self, name: str, base: Attribute, lowered: pa.Array) -> None:
        """Take the attribute and its values in lower case, in the order of its ids."""
        self.name = name
        self.base = base
        self.joined = base.joined
        order = pc.sort_indices(lowered).to_numpy().astype(np.int64)
        values = lowered.take(pa.array(order))
        is_new = np.ones(len(order), np.bool_)
        is_new[1:] = pc.not_equal(values.slice(1), values.slice(0, max(len(values) - 1, 0))).to_numpy(
            zero_copy_only=False
        )
        self.lexicon = Lexicon.of(values.filter(pa.array(is_new)))
        self.table = np.empty(len(order), np.int32)
        """For each id of the base the id of its lower case."""
        self.table[order] = np.cumsum(is_new, dtype=np.int32) - 1
        self.first = starts_of(np.bincount(self.table, base.counts, len(self.lexicon)).astype(np.int64))
        self._members, self._starts = order, np.append(np.flatnonzero(is_new), len(order))
        self.ids = cast("npt.NDArray[Any]", _View(len(base.ids), base.ids.itemsize, self._codes))

    def _codes(self, where: Where) -> npt.NDArray[Any]:
        found: npt.NDArray[Any] = self.table[self.base.ids[where]]
        return found

    def base_ids(self, ids: npt.NDArray[Any]) -> Ids:
        """Find the ids of the base whose lower case is one of these values, ascending."""
        ids = np.asarray(ids, np.int64)
        return np.sort(self._members[concatenated_ranges(self._starts[ids], self._starts[ids + 1] - self._starts[ids])])

    def by_value(self) -> tuple[Positions, Ids]:
        """Give the positions of all tokens by the ids of their values, and where those of each id begin."""
        return np.argsort(self.ids[:], kind="stable"), self.first

    def positions(self, number: int) -> Positions:
        """Give the positions of the value with that id, ascending."""
        return self.base.positions_of(self.base_ids(np.array([number])))

    def positions_of(self, ids: npt.NDArray[Any]) -> Positions:
        """Give the positions of the values with these ids, ascending."""
        return self.base.positions_of(self.base_ids(ids))

    def own_ids(self, number: int, ids: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Translate ids to those that a segment has in the base: one for each way to write a value."""
        return self.base.own_ids(number, self.base_ids(ids))

    def own_values(self, number: int, values: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Choose, of an array with an entry for each value, the entries for a segment's ids in the base."""
        return self.base.own_values(number, values[self.table])

    def apply(self, function: Function, positions: npt.NDArray[Any], dtype: Any) -> npt.NDArray[Any]:
        """Apply a function to the tokens at some positions: it gets a segment's number and its ids in the base."""
        return self.base.apply(function, positions, dtype)

    def apply_near(
        self, function: Function, positions: npt.NDArray[Any], places: npt.NDArray[Any], dtype: Any
    ) -> npt.NDArray[Any]:
        """Apply a function to tokens near some places, which ascend: positions have a column for each place."""
        return cast("JoinedAttribute", self.base).apply_near(function, positions, places, dtype)

    def apply_between(self, function: Function, start: int, stop: int, dtype: Any) -> npt.NDArray[Any]:
        """Apply a function to the tokens from `start` to before `stop`: it gets a segment's number and its ids."""
        return self.base.apply_between(function, start, stop, dtype)


class LemPos(Attribute):
    """Lemmas with a letter for the part of speech; only the pairs that occur are values."""

    def __init__(self, lemma: Attribute, tag: Attribute) -> None:
        """Count the pairs of all tokens: some hundredths of a second for each million."""
        self.name = LEMPOS
        self._lemma, self._tag = lemma, tag
        of_tags = [lempos_letter(value) for value in tag.lexicon.array.to_pylist()]
        letters = sorted(set(of_tags))
        self._letters = np.array([letters.index(letter) for letter in of_tags], np.uint8)
        """For each tag the number of its letter."""
        lemmas, codes, counts = _pairs(lemma, tag, self._letters, len(letters))
        endings = pa.array([f"-{letter}" for letter in letters], pa.large_string())
        written = pc.binary_join_element_wise(
            lemma.lexicon.array.take(pa.array(lemmas)), endings.take(pa.array(codes)), pa.scalar("", pa.large_string())
        )
        order = pc.sort_indices(written).to_numpy()
        self.lexicon = Lexicon.of(written.take(pa.array(order)))
        self.first = starts_of(counts[order])
        self._lemmas, self._codes = lemmas[order], codes[order]
        self._rank = np.empty(len(order), id_type(len(order)))
        self._rank[order] = np.arange(len(order))
        bits = np.bincount(lemmas, 1 << codes, len(lemma.lexicon)).astype(np.int64)
        first = starts_of(np.bincount(lemmas, minlength=len(lemma.lexicon)))[:-1]
        self._packed = first << _BITS | bits
        self._below = (1 << self._letters.astype(np.uint16)) - 1
        """For each tag the bits of the letters before its own."""
        self._ones = np.array([number.bit_count() for number in range(1 << len(letters))], np.uint8)
        self.ids = cast("npt.NDArray[Any]", _View(len(lemma.ids), self._rank.itemsize, self._ids_at))

    def _ids_at(self, where: Where) -> npt.NDArray[Any]:
        """The ids of some tokens: see the example at the head of the file."""
        if isinstance(where, np.ndarray) and where.ndim > 1:
            return self._ids_at(where.ravel()).reshape(where.shape)
        packed = self._packed[self._lemma.ids[where]]
        before = self._ones[packed & self._below[self._tag.ids[where]]]
        found: npt.NDArray[Any] = self._rank[(packed >> _BITS) + before]
        return found

    def by_value(self) -> tuple[Positions, Ids]:
        """Give the positions of all tokens by the ids of their values, and where those of each id begin."""
        return np.argsort(self.ids[:], kind="stable"), self.first

    def positions(self, number: int) -> Positions:
        """Give the positions of the value with that id, ascending: those of the lemma with the right tags."""
        found: Positions = np.asarray(self._lemma.positions(int(self._lemmas[number])))
        right: Positions = found[self._letters[self._tag.ids[found]] == self._codes[number]]
        return right

    def positions_of(self, ids: npt.NDArray[Any]) -> Positions:
        """Give the positions of the values with these ids, ascending."""
        wanted = np.zeros(len(self.lexicon), np.bool_)
        wanted[ids] = True
        found: Positions = np.asarray(self._lemma.positions_of(np.unique(self._lemmas[ids])))
        right: Positions = found[wanted[self.ids[found]]]
        return right


class _View:
    """The ids of all tokens, used like an array; what is asked for is computed."""

    def __init__(self, size: int, itemsize: int, codes: Callable[[Where], npt.NDArray[Any]]) -> None:
        self._size, self._codes = size, codes
        self.itemsize = itemsize

    def __len__(self) -> int:
        return self._size

    def __getitem__(self, where: Where) -> npt.NDArray[Any]:
        return self._codes(where)

    def take(self, positions: npt.NDArray[Any], mode: str = "raise") -> npt.NDArray[Any]:
        """Look up the ids at some positions; one outside of the stream is taken for the nearest one inside."""
        return self._codes(np.clip(positions, 0, self._size - 1) if mode == "clip" else positions)

    def tolist(self) -> list[int]:
        """Return all ids as numbers of Python."""
        found: list[int] = self._codes(slice(None)).tolist()
        return found

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> npt.NDArray[Any]:
        del copy
        return np.asarray(self._codes(slice(None)), dtype)


def _pairs(lemma: Attribute, tag: Attribute, letters: npt.NDArray[Any], size: int) -> tuple[Ids, Ids, Ids]:
    """Find all pairs of a lemma and one of `size` letters, sorted by both: lemmas, letters, and how often each occurs.

    Tokens are looked at lemma by lemma, as they stand in the inverted lists, so that counts are close together in
    memory. With 3 letters, the third lemma with the letter 1 is counted as 2 * 3 + 1 = 7.
    """
    keys, counts = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
    for (lemmas, table), (tags, tag_table) in zip(lemma.parts(), tag.parts(), strict=True):
        of_tags = letters if tag_table is None else letters[tag_table]
        inverted, first = lemmas.by_value()
        for some in chunks(np.diff(first), _BLOCK_TOKENS):
            rows = np.repeat(np.arange(some.stop - some.start) * size, np.diff(first[some.start : some.stop + 1]))
            there = rows + of_tags[tags.ids[inverted[first[some.start] : first[some.stop]]]]
            found = np.bincount(there)
            key = np.flatnonzero(found)
            counts.append(found[key])
            own = key // size + some.start
            keys.append((own if table is None else table[own].astype(np.int64)) * size + key % size)
    distinct, places = np.unique(np.concatenate(keys), return_inverse=True)
    total = np.bincount(places, np.concatenate(counts), len(distinct)).astype(np.int64)
    return distinct // size, distinct % size, total
