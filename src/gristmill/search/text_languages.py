"""The languages of the texts of an index, by paragraph: a German page with an English paragraph is of both.

A paragraph is annotated in its own language, by the tagger and the parser of that; so what a language has is seen at
its paragraphs, and not at documents, which may have others in them.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from gristmill.annotation.blocks import MIN_IDENTIFIED_CHARACTERS
from gristmill.arrays.dtypes import Ids, Mask
from gristmill.arrays.ragged import concatenated_ranges
from gristmill.corpus.attributes import DEPREL
from gristmill.errors import UsageError
from gristmill.search.index.index import Index
from gristmill.search.index.structure import Structure
from gristmill.search.statistics.queries import quoted
from gristmill.search.subcorpus import Subcorpus

_OPEN_CLASSES = ("NOUN", "VERB", "ADJ")
_SEEN_PARAGRAPHS = 300
"""Paragraphs of a language that are looked at to see what it has."""
_ENOUGH = 0.5
"""Share of the tokens looked at that must stand in paragraphs with tags, or with relations."""


class TextLanguages:
    """Which texts of an index are in which language; of an index that knows it of documents alone, documents."""

    def __init__(self, index: Index) -> None:
        self._index = index
        paragraphs = index.structure("p")
        self.structure: Structure = paragraphs if "lang" in paragraphs.attributes else index.structure("doc")
        """What has a language: paragraphs, or documents."""
        self._langs = self.structure.attribute("lang")
        bounds = self.structure.bounds.astype(np.int64)
        self._lengths: Ids = bounds[1:] - bounds[:-1]

    @property
    def sizes(self) -> dict[str, int]:
        """The tokens in each language, the largest first."""
        sizes = np.bincount(self._langs.ids, self._lengths, len(self._langs.lexicon)).astype(np.int64)
        order = np.argsort(-sizes, kind="stable")
        return {self._langs.lexicon[number]: int(sizes[number]) for number in order.tolist() if sizes[number]}

    def has(self, lang: str) -> bool:
        """Whether any text is in a language."""
        return self._langs.lexicon.find(lang) >= 0

    def chosen(self, lang: str) -> Mask:
        """Which texts are in a language."""
        found: Mask = self._langs.ids == self._langs.lexicon.find(lang)
        return found

    def part(self, lang: str, where: str = "") -> Subcorpus:
        """The texts in a language, of documents for which a condition holds; raises if there are none."""
        chosen, condition = self.chosen(lang), f"lang=={quoted(lang)}"
        if where:
            chosen = chosen & Subcorpus(self._index, where).holds(self.structure.starts)
            condition = f"{condition} & ({where})"
        return Subcorpus(self._index, condition, chosen=chosen, kind=self.structure.name).check()

    def within(self, lang: str) -> str:
        """What a query stays within to find texts in a language; empty if all are in it."""
        alone = np.count_nonzero(self._langs.counts) == 1
        return "" if alone else f"<{self.structure.name} lang=={quoted(lang)}/>"

    def tagged(self) -> dict[str, int]:
        """The languages whose texts have parts of speech, with their tokens, the largest first."""
        return {lang: size for lang, size in self.sizes.items() if self._share(lang, "tag", _OPEN_CLASSES) > _ENOUGH}

    def are_parsed(self, lang: str) -> bool:
        """Whether most texts in a language have relations of tokens to their heads."""
        return self._share(lang, DEPREL) > _ENOUGH

    def have_relations(self, lang: str) -> bool:
        """Whether any text in a language has relations of tokens to their heads, as far as some are looked at."""
        return self._share(lang, DEPREL) > 0

    def _share(self, lang: str, name: str, values: tuple[str, ...] = ()) -> float:
        """How much of a language is in texts with one of some values of an attribute, or with any that is not empty.

        Some texts are looked at, evenly through the corpus.
        """
        attribute = self._index.attributes.get(name)
        places = self._sampled(lang)
        if attribute is None or not len(places):
            return 0.0
        known = [number for number in map(attribute.lexicon.find, values or ("",)) if number >= 0]
        wanted = np.full(max(len(attribute.lexicon), 1), not values)
        wanted[known] = bool(values)
        lengths = self._lengths[places]
        tokens = concatenated_ranges(self.structure.starts[places].astype(np.int64), lengths)
        having = np.add.reduceat(wanted[attribute.ids[tokens]].astype(np.int64), np.cumsum(lengths) - lengths) > 0
        return float(lengths[having].sum() / lengths.sum())

    def _sampled(self, lang: str) -> Ids:
        """Some texts that were annotated in a language.

        These are paragraphs in the language of their document, or else long ones: a short one is annotated in the
        language of its document, whatever its own seems to be (`annotation/blocks.py`).
        """
        own = np.flatnonzero(self.chosen(lang))
        docs = self._index.structure("doc")
        of_documents = docs.attributes.get("lang")
        if self.structure is docs or of_documents is None:
            return _evenly(own)
        same = own[of_documents.ids[docs.number_at(self.structure.starts[own])] == of_documents.lexicon.find(lang)]
        if len(same):
            return _evenly(same)
        longest = own[np.argsort(-self._lengths[own], kind="stable")[:_SEEN_PARAGRAPHS]]
        return longest[self._characters(longest) >= MIN_IDENTIFIED_CHARACTERS]

    def _characters(self, places: Ids) -> Ids:
        """Count the characters of texts, with the spaces between their words."""
        lengths = self._lengths[places]
        tokens = concatenated_ranges(self.structure.starts[places].astype(np.int64), lengths)
        words = self._index.attribute("word")
        values = words.lexicon.array.take(pa.array(words.ids[tokens].astype(np.int64)))
        sizes = pc.utf8_length(values).to_numpy(zero_copy_only=False) + ~self._index.is_glued(tokens)
        firsts = np.cumsum(lengths) - lengths
        return np.add.reduceat(sizes.astype(np.int64), firsts) - 1 if len(firsts) else firsts


def no_tags(index: Index, made: str = "word sketches") -> UsageError:
    """The error if no text has tags, of which something is made; or if there is no text."""
    if not index.size:
        return UsageError("the corpus has no text: gristmill stats says what was read and dropped")
    return UsageError(
        f"no text of this corpus has tags for parts of speech, and {made} are made of them: "
        "annotate it with a tagger for its language (gristmill annotate --tagger)"
    )


def _evenly(places: Ids) -> Ids:
    """Some of many, evenly among them."""
    step = max(1, len(places) // _SEEN_PARAGRAPHS)
    return places[::step]
