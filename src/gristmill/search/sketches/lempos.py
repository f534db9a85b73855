"""Words that queries name by regular expressions: by lempos (`mill-n`, `grind-v`), or by lemma in any part of speech.

An expression that ends with a hyphen and a letter is of lempos: `mill-n`, `.*ing-v`, `(mill|stone)-n`, `mill-[nv]`. Any
other one may match the lemma as well: `mill`, `mill.*`, `.*`. Of `mill|stone-n`, each side is one by itself.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from gristmill.arrays.dtypes import Ids, Mask
from gristmill.condition.values import matching
from gristmill.corpus.attributes import OTHER_LETTER, lempos_letter
from gristmill.search.index.index import Index

_META = re.compile(r"[\\.^$*+?{}\[\]|()]")
_GROUPING = re.compile(r"[\\\[\]{}()]")
_PLAIN = re.compile(r"(?P<lemma>.*)-(?P<letter>[a-z])", re.DOTALL)
_OF_LEMPOS = re.compile(r".*-(?:[a-z.]|\[[^\]]*\]|\([a-z|]+\))\)*", re.DOTALL)
_EVERYTHING = {".*", ".+", ".*-."}


def is_lempos(text: str) -> bool:
    """Whether a regular expression, or a word, ends as a lempos does."""
    return _OF_LEMPOS.fullmatch(text) is not None


def split_lempos(word: str) -> tuple[str, str]:
    """Divide a lempos into lemma and letter; the letter is empty if it is none: `mill-n` and `mill`."""
    found = _PLAIN.fullmatch(word)
    return (found["lemma"], found["letter"]) if found and found["lemma"] else (word, "")


class Words:
    """The words of an index that a regular expression names.

    lemmas      mill, old, run          letters n, v, j         the expression run|m.*-n
    table       n: mill, run            v: run                  j: run
    """

    def __init__(self, index: Index, regex: str) -> None:
        """Look up a regular expression, which is known to be valid."""
        self._lemmas, self._tags = index.attribute("lemma"), index.attribute("tag")
        letters = [lempos_letter(tag) for tag in self._tags.lexicon.array.to_pylist()]
        self._letters = sorted({*letters, OTHER_LETTER})
        self._of_tag = np.array([self._letters.index(letter) for letter in letters] or [0], np.int64)
        self.are_all = regex in _EVERYTHING
        self._table = np.zeros((len(self._letters), max(len(self._lemmas.lexicon), 1)), np.bool_)
        """For each letter and each lemma, whether the two together are named."""
        if not self.are_all:
            for one in [regex] if _GROUPING.search(regex) else regex.split("|"):
                self._find(one)

    def _find(self, regex: str) -> None:
        """Note what an expression names."""
        lexicon, table = self._lemmas.lexicon, self._table
        if not is_lempos(regex):
            table[:, lexicon.matching(regex)] = True
        plain = _PLAIN.fullmatch(regex)
        if plain and not plain["lemma"].endswith("\\") and "|" not in plain["lemma"]:
            if plain["letter"] in self._letters:
                table[self._letters.index(plain["letter"]), lexicon.matching(plain["lemma"])] = True
        elif _META.search(regex):  # without that, it would end with a hyphen and a letter
            for row, letter in enumerate(self._letters):
                table[row, : len(lexicon)] |= matching(_with_letter(lexicon.array, letter), "=", regex, False)

    def count(self) -> int:
        """Count tokens that may be among them: those that have one of the lemmas."""
        return len(self._lemmas.ids) if self.are_all else self._lemmas.count(self._ids)

    def positions(self) -> Ids:
        """Positions of all tokens that are among them, ascending."""
        found = self._lemmas.positions_of(self._ids).astype(np.int64)
        return found[self.at(self._lemmas.ids[found], self._tags.ids[found])]

    @property
    def _ids(self) -> Ids:
        return np.flatnonzero(self._table.any(axis=0))

    def at(self, lemmas: npt.NDArray[np.integer], tags: npt.NDArray[np.integer]) -> Mask:
        """Whether tokens, given by the ids of their lemmas and tags, are among them."""
        if self.are_all:
            return np.ones(len(lemmas), np.bool_)
        found: Mask = self._table[self._of_tag[tags], lemmas]
        return found


def _with_letter(lemmas: pa.Array, letter: str) -> pa.Array:
    return pc.binary_join_element_wise(lemmas, pa.scalar(letter, pa.large_string()), pa.scalar("-", pa.large_string()))


def tags_with(letter: str, tags: Sequence[str]) -> list[str]:
    """The tags that a letter of lempos stands for."""
    return [tag for tag in tags if lempos_letter(tag) == letter]
