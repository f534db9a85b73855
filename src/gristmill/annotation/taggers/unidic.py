"""The tagger `unidic`: Japanese by MeCab (Kudo, Yamamoto and Matsumoto 2004) with UniDic, in the extra `segment`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from gristmill.annotation.character_tags import tag_by_characters
from gristmill.annotation.segmenters import mecab
from gristmill.annotation.tagger import Tagged
from gristmill.annotation.taggers.forms import TYPES
from gristmill.annotation.taggers.outside import encodable, split_long
from gristmill.annotation.universal import unidic_in_context
from gristmill.errors import UsageError
from gristmill.registry import part

_LANGUAGE = "ja"
_MAX_WORD_CHARACTERS = 40  # what is longer is not a word
_STAND_IN = "〓"  # a sign without meaning that printers put where they have no type
_BY_CHARACTERS = frozenset(("NUM", "PROPN"))
_SIGNS = frozenset("・･=＝:：~～〜-－*＊")  # symbols in Japanese treebanks, punctuation elsewhere

_Reading = tuple[str, str]
"""The lemma and the tag of UniDic."""


class UnidicTagger:
    """Looks up the words of a sentence together, so that each gets the reading that fits its neighbours.

    MeCab gets the words with spaces between them, over which it joins nothing. Where it splits a word of ours, the last
    part decides, since the head of a Japanese word is its last part.
    """

    def __init__(self) -> None:
        self._mecab = mecab()

    def tag(self, sentences: Sequence[Sequence[str]]) -> Tagged:
        """Return lemmas and tags of all words."""
        return Tagged.of([reading for words in split_long(sentences) for reading in self._read(words)])

    def _read(self, words: Sequence[str]) -> Iterator[tuple[str, str, str]]:
        """Yield lemma, tag and tag of UniDic of each word of a sentence."""
        shown = list(map(_shown, words))
        found = self._look_up(shown)
        lemmas, tags = [lemma for lemma, _ in found], [tag for _, tag in found]
        for at, word in enumerate(words):
            certain = _certain(word)
            own = tags[at] if shown[at] is not _STAND_IN else ""
            if not own or certain in _BY_CHARACTERS:
                yield word, certain, own
            elif certain == "X":
                tag = unidic_in_context(lemmas, tags, at)
                # Lemmas of names are how they are read: トウキョウ for 東京.
                yield word if tag == "PROPN" else lemmas[at], tag, own
            else:
                yield word, "SYM" if word in _SIGNS else certain, own

    def _look_up(self, words: Sequence[str]) -> list[_Reading]:
        """Return what MeCab finds for words; words that it has changed are looked up by themselves."""
        rows = (line.split("\t") for line in str(self._mecab.parse(" ".join(words))).split("\n"))
        parts = (row for row in rows if len(row) > 5)
        found = []
        for word in words:
            reading, text = ("", ""), ""
            while len(text) < len(word) and (part := next(parts, None)):
                surface, _, _, lemma, tag, conjugation = part[:6]
                # Loans have lemmas such as ソング-song.
                reading = text + (lemma.partition("-")[0] or surface), f"{tag}-{conjugation}".rstrip("-")
                text += surface
            if text != word:
                return [self._look_up([word])[0] if len(words) > 1 else (word, "") for word in words]
            found.append(reading)
        return found


def _shown(word: str) -> str:
    """Return what MeCab gets for a word: numbers are one digit, and addresses and what is no word a stand-in."""
    certain = _certain(word)
    if certain == "NUM":
        return "1"
    if len(word) > _MAX_WORD_CHARACTERS or not word.isprintable() or " " in word or encodable(word) != word:
        return _STAND_IN
    return _STAND_IN if certain == "PROPN" or (certain == "SYM" and word.isascii() and len(word) > 1) else word


_certain = lru_cache(maxsize=TYPES)(tag_by_characters)


@part("tagger", "unidic")
@dataclass(frozen=True, slots=True)
class Unidic:
    """The registered kind of tagger: lemmas and tags of UniDic."""

    def serves(self, lang: str) -> bool:
        """Tell whether a language is Japanese."""
        return lang == _LANGUAGE

    def load(self, lang: str) -> UnidicTagger:
        """Load the tagger; raises `UsageError` if the language is another or the extra is not installed."""
        if not self.serves(lang):
            raise UsageError(f"unidic knows {_LANGUAGE}, not {lang}")
        try:
            return UnidicTagger()
        except ImportError:
            raise UsageError("the tagger unidic is not installed; run `pip install 'gristmill[segment]'`") from None
