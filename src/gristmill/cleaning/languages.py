"""The languages of blocks and of pages: identified by models, or given by the user.

Each block is identified once. A page is in the language that most of the text of its blocks is in, so that it costs
next to nothing to find it again when other blocks are kept:

    block            language     characters
    "Der Müller..."  de           400
    "Contact"        (too short)  7, which don't count
    "About us..."    en           100

This page is in German, with a confidence of 400 / 500 = 0.8.

The identifier is asked for the two longest blocks first, and for a third if they differ. If two are in one language,
it is not asked for blocks that are plainly in it, too, by their letters (`language.plain`).
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from gristmill.arrays.dtypes import Flags, Ints
from gristmill.columns import Coded, Columns, Int32, Texts
from gristmill.config import Config
from gristmill.document import Document
from gristmill.kernel import COMPILED, count_letters
from gristmill.language import Identified, Models

# Characters, also blanks, that a block must have: no identifier is sure of less.
_MIN_CHARACTERS_ASCII, _MIN_CHARACTERS = 25, 7
_MAX_BLOCK_CHARACTERS = 200  # that are identified: with more the answer is the same in all but five of 10,000 blocks
_MAX_CHARACTER_BYTES = 4
_MIN_LETTERS = 19
_LETTERS = bytes(code if code > 127 or chr(code).isalpha() else ord(" ") for code in range(256))
_IS_LETTER = bytes(code != ord(" ") for code in _LETTERS)
_MAX_PAGE_CHARACTERS = 4000  # about: whole blocks are identified
_MIN_CONFIDENCE = 0.5  # below it an answer is a guess
_MIN_UNKNOWN_CHARACTERS = 60  # of a block whose unknown language counts against the others
_ASKED_FIRST = 3  # the longest blocks of a page: others are likely to be in a language that two of them are in
_MIN_WORDS, _MAX_LINK_DENSITY = 10, 0.3  # of running text
_REMEMBERED_PAGES, _REMEMBERED_BLOCKS = 8, 10_000


@dataclass(frozen=True, slots=True)
class Languages:
    """How pages get their language: by models that identify it, or from the user who gave it."""

    models: Models
    """What identifies the languages of blocks, also where the language of the page is given."""
    given: str = ""
    """The language of all pages, if the user gave it."""
    _identified: dict[str, Identified] = field(default_factory=dict, init=False, repr=False, compare=False)
    """The answers for the last texts that were identified as wholes."""
    _answers: dict[str, str] = field(default_factory=dict, init=False, repr=False, compare=False)
    """The languages of the last blocks that were identified, empty if the identifier was not sure."""

    @classmethod
    def of_config(cls, config: Config) -> Languages:
        """Identify languages by the models that settings name, unless they give the language."""
        return cls(Models.load(config.language.models, config.language.identifier), config.clean.lang)

    def label_blocks(self, columns: Columns) -> None:
        """Set the language of each block, if the identifier is sure or the block is plainly in that of the page."""
        texts = columns.folded
        sizes, characters = texts.offsets[1:] - texts.offsets[:-1], texts.lengths()
        is_long = characters >= _MIN_CHARACTERS_ASCII
        if not texts.data.isascii():
            is_long |= (characters >= _MIN_CHARACTERS) & (sizes != characters)
        columns.lang = Coded([""], np.zeros(len(texts), np.int32))
        if np.count_nonzero(is_long) <= _ASKED_FIRST:
            self._ask(texts, np.flatnonzero(is_long), columns.lang)
            return
        longest = _longest(sizes, is_long)
        found = self._ask(texts, longest[:2], columns.lang)
        if found[0] != found[1]:
            found += self._ask(texts, longest[2:], columns.lang)
        is_long[longest[: len(found)]] = False
        places = self._label_plain(texts, np.flatnonzero(is_long), columns.lang, found)
        self._ask(texts, places, columns.lang)

    def _ask(self, texts: Texts, places: Ints, lang: Coded) -> list[str]:
        """Identify some blocks one by one, put their languages into the column, and return them."""
        if not len(places):
            return []
        found = self._identify_blocks(_beginnings(texts, places))
        lang.values += sorted(set(found).difference(lang.values))
        lang.codes[places] = list(map(lang.values.index, found))
        return found

    def _identify_blocks(self, texts: list[str]) -> list[str]:
        """Identify the languages of blocks, of equal ones once: menus are on all pages of a site."""
        answers = self._answers
        if len(answers) > _REMEMBERED_BLOCKS:
            answers.clear()
        new = [text for text in dict.fromkeys(texts) if text not in answers]
        for text, (lang, confidence) in zip(new, self.models.identify_all(new, guess=False), strict=True):
            answers[text] = lang if confidence >= _MIN_CONFIDENCE else ""
        return [answers[text] for text in texts]

    def _label_plain(self, texts: Texts, places: Ints, lang: Coded, longest: list[str]) -> Ints:
        """Label the blocks that are plainly in the language of two of the longest; return those to be asked for."""
        name = max(longest, key=longest.count)
        plain = self.models.plain(name) if name and longest.count(name) > 1 else None
        if plain is None:
            return places
        is_plain = plain.tell(texts.data, texts.offsets[places], texts.offsets[places + 1])
        lang.codes[places[is_plain]] = lang.values.index(name)
        return _with_letters(texts, places[~is_plain])

    def label_page(self, document: Document) -> None:
        """Set the language of a document that is not cleaned yet: by the blocks that look like running text."""
        if self.given:
            document.lang, document.lang_confidence = self.given, 1.0
        else:
            columns = document.as_columns()
            document.lang, document.lang_confidence = self._of(columns, _running_text(columns))

    def label_kept(self, document: Document) -> None:
        """Set the language of a document to that of its kept text; without any, or if it was given, it stays."""
        if self.given:
            return
        columns, kept = document.kept_columns()
        if len(kept):
            document.lang, document.lang_confidence = self._of(columns, kept)

    def _of(self, columns: Columns, places: Ints) -> Identified:
        """Find the language that most of the text is in, and its share of the blocks that are long enough to tell.

        If no block tells, the text is identified as a whole.
        """
        lengths, langs = columns.folded.lengths()[places], columns.lang.take(places)
        counted = np.flatnonzero(langs.flags(bool) | (lengths >= _MIN_UNKNOWN_CHARACTERS))
        if len(counted):
            codes = langs.codes[counted]
            votes = np.bincount(codes, lengths[counted])
            most = codes[votes[codes].argmax()]  # the first of several that are as frequent
            if lang := langs.values[most]:
                return Identified(lang, float(votes[most] / votes.sum()))
        some = places[: np.searchsorted(lengths.cumsum(), _MAX_PAGE_CHARACTERS, "right") + 1]
        return self._identify(b"\n".join(columns.folded.parts(some)).decode())

    def _identify(self, text: str) -> Identified:
        """Identify the language of a text once: often all that looked like running text is kept, and asked for anew."""
        if text not in self._identified:
            if len(self._identified) >= _REMEMBERED_PAGES:
                self._identified.clear()
            self._identified[text] = self.models.identify(text)
        return self._identified[text]


def _beginnings(texts: Texts, places: Ints) -> list[str]:
    """Return as much of some texts as is identified; what is cut off may begin within a character."""
    starts = texts.offsets[places]
    ends = np.minimum(texts.offsets[places + 1], starts + _MAX_CHARACTER_BYTES * _MAX_BLOCK_CHARACTERS)
    data = texts.data
    return [
        data[start:end].decode("utf-8", "ignore")[:_MAX_BLOCK_CHARACTERS]
        for start, end in zip(starts.tolist(), ends.tolist(), strict=True)
    ]


def _longest(sizes: Int32, is_long: Flags) -> Ints:
    """Find the longest of the long blocks, of equal ones the first."""
    left = sizes * is_long
    found = []
    for _ in range(_ASKED_FIRST):
        found.append(int(left.argmax()))
        left[found[-1]] = -1
    return np.array(found)


def _with_letters(texts: Texts, places: Ints) -> Ints:
    """Leave out blocks with so few letters that CLD2 is never sure of them: dates, numbers, names of files.

    It counts the bytes of letters, and a blank for each word.
    """
    if COMPILED:
        letters = count_letters(texts.data, texts.offsets[places], texts.offsets[places + 1], _IS_LETTER)
        return places[letters >= _MIN_LETTERS]
    words = [part.translate(_LETTERS).split() for part in texts.parts(places)]
    return places[[len(b"".join(part)) + len(part) >= _MIN_LETTERS for part in words]]


def _running_text(columns: Columns) -> Ints:
    """Find longer blocks without many links; if there are none, all blocks."""
    found = np.flatnonzero((columns.words >= _MIN_WORDS) & (columns.link_density < _MAX_LINK_DENSITY))
    return found if len(found) else np.arange(len(columns))
