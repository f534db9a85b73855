"""Values that are counted: of an attribute, in lower case if wanted, or of several attributes joined.

Each value has a key, a number; keys of joined attributes are packed, like digits of a number in mixed bases.
"""

from __future__ import annotations

import math
from functools import cached_property
from typing import Any, cast

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from gristmill.arrays.dtypes import Ids
from gristmill.corpus.attributes import LEMPOS, LOWER_CASED, lower_cased
from gristmill.errors import UsageError
from gristmill.search.index.attribute import Attribute
from gristmill.search.index.derived import LowerCased
from gristmill.search.index.index import Index
from gristmill.search.index.joined import JoinedAttribute
from gristmill.search.index.lexicon import Lexicon

JOINT = "+"
"""Stands between the names of attributes that are counted together (`lemma+tag`), and between their values."""
Keys = npt.NDArray[np.signedinteger[Any]]
"""Numbers for values: of 32 bits if these are enough, which is twice as fast."""
_IN_LOWER_CASE = {source: name for name, source in LOWER_CASED.items()}
"""Attributes that have upper and lower case, with what they are called in lower case."""
_HAVE_PUNCTUATION = frozenset({*LOWER_CASED.values(), *LOWER_CASED})
"""Attributes that have punctuation among their values; tags have none."""
_WORD_WITH_LETTER = r"[\pL\pN].*-.\z"
"""Values of `lempos` that are no punctuation: the letter at the end does not count."""


class _Part:
    """One of the attributes that are counted together.

    If case is ignored, `folded` has for each id of the attribute the number of its lower case in `lexicon`.
    """

    def __init__(self, attribute: Attribute, lexicon: Lexicon, folded: Keys | None) -> None:
        self.attribute, self.lexicon, self.folded = attribute, lexicon, folded
        self._tables: dict[int, Keys] = {}

    def codes(
        self, where: slice | npt.NDArray[Any], dtype: type[np.signedinteger[Any]], near: npt.NDArray[Any] | None = None
    ) -> Keys:
        """Codes of these tokens: the ids of their values, or of their lower case."""
        if self.attribute.joined:
            return self._joined_codes(cast("JoinedAttribute", self.attribute), where, dtype, near)
        ids = self.attribute.ids[where]
        if self.folded is None and ids.dtype == np.uint32 and dtype is np.int32:
            return ids.view(np.int32)  # all are below the number of values, which fits into 31 bits
        return (ids if self.folded is None else self.folded[ids]).astype(dtype, copy=False)

    def _joined_codes(
        self,
        attribute: JoinedAttribute,
        where: slice | npt.NDArray[Any],
        dtype: type[np.signedinteger[Any]],
        near: npt.NDArray[Any] | None,
    ) -> Keys:
        """Codes by a table for each segment, from its own ids.

        So ids need not be translated to those of the joined lexicon first.
        """
        everything = np.arange(len(attribute.lexicon), dtype=dtype) if self.folded is None else self.folded

        def code(segment: int, own: npt.NDArray[Any]) -> npt.NDArray[Any]:
            if segment not in self._tables:
                self._tables[segment] = attribute.own_values(segment, everything).astype(dtype, copy=False)
            return self._tables[segment].take(own)

        if isinstance(where, slice):
            return attribute.apply_between(code, *where.indices(len(attribute.ids))[:2], dtype)
        if near is not None:
            return attribute.apply_near(code, where, near, dtype)
        return attribute.apply(code, where, dtype)


class Values:
    """Gives each token a key; keys are in the order of the values by code points, attribute after attribute.

    With 1,000 lemmas and 20 tags, the token with lemma 31 and tag 7 has the key 31 * 20 + 7 = 627 of a space of 20,000.
    """

    def __init__(self, index: Index, attributes: str, *, ignore_case: bool = False) -> None:
        names = names_of(attributes)
        if len(set(names)) < len(names):
            raise UsageError(f"{attributes!r} has an attribute twice")
        self.names = names
        """The attributes, one or several."""
        self.name = JOINT.join(names)
        self.index = index
        self.ignore_case = ignore_case
        self._parts = [_part(index, name, ignore_case) for name in names]
        self._sizes = [max(len(part.lexicon), 1) for part in self._parts]
        self.space = math.prod(self._sizes)
        """Keys are below this."""
        self._dtype = np.int32 if self.space < 1 << 31 else np.int64
        if self.space >= 1 << 63:
            raise UsageError(f"{attributes!r} has too many possible values: count fewer attributes together")

    def keys(self, where: slice | npt.NDArray[Any], near: npt.NDArray[Any] | None = None) -> Keys:
        """Keys of these tokens, packed from the codes of their attributes.

        They may be given as an array with a column for each of some positions that they are `near`, which ascend; then
        a key is of no use if its token is not in the same document.
        """
        found = self._parts[0].codes(where, self._dtype, near)
        for part, size in zip(self._parts[1:], self._sizes[1:], strict=True):
            found = found * self._dtype(size) + part.codes(where, self._dtype, near)
        return found

    def strings(self, keys: Keys) -> pa.LargeStringArray:
        """The values with these keys, as text."""
        columns = [
            part.lexicon.array.take(pa.array(codes)) for part, codes in zip(self._parts, self._split(keys), strict=True)
        ]
        return (
            pc.binary_join_element_wise(*columns, pa.scalar(JOINT, pa.large_string()))
            if len(columns) > 1
            else columns[0]
        )

    def counts(self) -> Ids | None:
        """Frequency of each key in the whole index, if that is known without counting; otherwise None."""
        if len(self._parts) > 1:
            return None
        part = self._parts[0]
        if part.folded is None:
            return part.attribute.counts
        return np.bincount(part.folded, part.attribute.counts, self.space).astype(np.int64)

    def first_matches(self, keys: Keys, regex: str) -> npt.NDArray[np.bool_]:
        """Whether a regular expression matches the value, or the first attribute's, as a whole."""
        part = self._parts[0]
        if part.folded is None and not self.ignore_case:
            return self._first_of(part.attribute.matching(regex), keys)
        return self._is_first(keys, part.lexicon.matching(regex, self.ignore_case))

    def first_is_in(self, keys: Keys, words: list[str]) -> npt.NDArray[np.bool_]:
        """Whether the value, or the first attribute's, is one of these words, whatever its case."""
        lower = pc.utf8_lower(self._parts[0].lexicon.array)
        found = pc.is_in(lower, pa.array([word.lower() for word in words], pa.large_string()))
        return self._is_first(keys, np.flatnonzero(found.to_numpy(zero_copy_only=False)))

    def are_words(self, keys: Keys) -> npt.NDArray[np.bool_]:
        """Whether the words and lemmas among the values have a letter or a digit.

        What has neither is punctuation, a symbol or an emoji.
        """
        found = np.ones(len(keys), np.bool_)
        for words, codes in zip(self._words, self._split(keys), strict=True):
            if words is not None:
                found &= words[codes]
        return found

    @cached_property
    def _words(self) -> list[npt.NDArray[np.bool_] | None]:
        """For each attribute which of its values are words; None if all are."""
        return [_words(part) for part in self._parts]

    def _is_first(self, keys: Keys, codes: Ids) -> npt.NDArray[np.bool_]:
        """Whether the code of the first attribute is among these."""
        wanted = np.zeros(self._sizes[0], np.bool_)
        wanted[codes] = True
        return self._first_of(wanted, keys)

    def _first_of(self, wanted: npt.NDArray[np.bool_], keys: Keys) -> npt.NDArray[np.bool_]:
        """What an array says of the first attribute's codes; keys are divided by the space of the others."""
        return wanted[keys if len(self._parts) == 1 else keys // (self.space // self._sizes[0])]

    def _split(self, keys: Keys) -> list[Keys]:
        """Unpack keys: for each attribute its codes.

        With 20 tags, the key 627 is divided into lemma 31 and tag 7.
        """
        found = []
        for size in reversed(self._sizes[1:]):
            keys, last = np.divmod(keys, size)
            found.append(last)
        return [keys, *reversed(found)]


def names_of(attributes: str) -> list[str]:
    """Give the names of attributes that are counted together: `lemma+tag`."""
    return [name.strip() for name in attributes.split(JOINT)]


def _words(part: _Part) -> npt.NDArray[np.bool_] | None:
    """Which values have a letter or a digit; of values in lower case, those of which one that is folded to it has.

    None if the attribute has no punctuation among its values.
    """
    if part.attribute.name == LEMPOS:
        found = pc.match_substring_regex(part.lexicon.array, _WORD_WITH_LETTER)
        return cast("npt.NDArray[np.bool_]", found.to_numpy(zero_copy_only=False))
    if part.attribute.name not in _HAVE_PUNCTUATION:
        return None
    if part.folded is None:
        return part.attribute.words
    words = np.zeros(len(part.lexicon), np.bool_)
    words[part.folded[part.attribute.words]] = True
    return words


def _part(index: Index, name: str, ignore_case: bool) -> _Part:
    """Prepare an attribute; if case is ignored, with the ids of its values in lower case."""
    attribute = index.attribute(name)
    if not ignore_case:
        return _Part(attribute, attribute.lexicon, None)
    if name == LEMPOS:
        lowered = LowerCased(name, attribute, lower_cased(attribute.lexicon.array))
        return _Part(attribute, lowered.lexicon, lowered.table)
    derived = index.attributes.get(_IN_LOWER_CASE.get(name, ""))
    if isinstance(derived, LowerCased):
        return _Part(attribute, derived.lexicon, derived.table)
    return _Part(attribute, attribute.lexicon, None)
