"""Forms of words: the frequent ones are asked for together, as alternatives (Basque collector, 4.1).

Search engines look for the form that is written, and a lemma can have dozens. This is also known as frequent case
generation (Kettunen 2007).
"""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache, lru_cache

from gristmill.bootstrapping.config import MAX_FORMS
from gristmill.bootstrapping.frequencies import Frequencies
from gristmill.bootstrapping.words import lines_of, unique
from gristmill.errors import UsageError
from gristmill.search.index.index import Index
from gristmill.search.statistics.choice import Choice
from gristmill.search.statistics.counted import counted
from gristmill.search.statistics.values import JOINT, Values
from gristmill.text.words import word_pattern

_MAX_LONGER_CHARACTERS = 8  # by which a form may be longer than its lemma; what is longer is mostly a compound
_MIN_STEM_CHARACTERS = 4  # of a word that no dictionary has
_MAX_ENDING_CHARACTERS = 3
_VOWELS = re.compile("[aeiouyаеиоуыэюяії]")
_REMEMBERED_WORDS = 1 << 17  # whose lemmas were looked up: all of a list of frequencies
_CODES = {"no": "nb", "hr": "hbs", "bs": "hbs", "sr": "hbs", "fil": "tl"}  # of simplemma, where they are others


@dataclass(frozen=True)
class Forms:
    """The lemmas of words, and the forms of lemmas, the most frequent first; all in lower case."""

    lemmas: Mapping[str, str] = field(default_factory=dict)
    forms: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @classmethod
    def of_entries(cls, entries: Mapping[str, Iterable[str]]) -> Forms:
        """Take lemmas with their forms; a form that several lemmas have belongs to the first."""
        forms = {lemma.lower(): tuple(unique(map(str.lower, found))) for lemma, found in entries.items()}
        lemmas: dict[str, str] = {}
        for lemma, found in forms.items():
            lemmas[lemma] = lemma
            for form in found:
                lemmas.setdefault(form, lemma)
        return cls(lemmas, forms)

    def lemma(self, word: str) -> str:
        """Return the lemma of a word; of an unknown word or phrase, itself in lower case."""
        return self.lemmas.get(word.lower(), word.lower())

    def of(self, word: str, most: int = MAX_FORMS) -> tuple[str, ...]:
        """Return a word and the most frequent other forms of it, so many in all; a phrase stays alone."""
        others = [form for form in self.forms.get(self.lemma(word), ()) if form != word.lower()]
        return (word, *others[: max(most - 1, 0)])

    def updated(self, others: Forms) -> Forms:
        """Add the words of another list; what is known here stays."""
        return Forms({**others.lemmas, **self.lemmas}, {**others.forms, **self.forms})


def forms_in_file(path: str | os.PathLike[str]) -> Forms:
    """Read a list with a lemma, a tab and its forms with commas between on each line, the most frequent form first."""
    entries: dict[str, list[str]] = {}
    for number, line in lines_of(path):
        lemma, tab, rest = line.partition("\t")
        forms = unique(rest.replace("\t", ",").split(","))
        if not tab or not forms or not unique([lemma]):
            raise UsageError(
                f"{path}, line {number:,}: a lemma, a tab and its forms with commas between are expected: "
                "guitar<tab>guitar,guitars"
            )
        entries.setdefault(unique([lemma])[0].lower(), []).extend(forms)
    if not entries:
        raise UsageError(f"there are no forms in {path}: write a lemma, a tab and its forms on each line")
    return Forms.of_entries(entries)


def forms_in_index(index: Index, words: Collection[str]) -> Forms:
    """Find the forms that words have in a corpus, by its lemmas; `words` are lemmas or forms."""
    values = Values(index, "lemma+word", ignore_case=True)
    found = counted(values, Choice(index)).words()
    is_word = word_pattern().fullmatch
    wanted = {word.lower() for word in words}
    by_lemma: dict[str, dict[str, int]] = {}
    lemma_of: dict[str, tuple[int, str]] = {}  # by form: how often it has its most frequent lemma
    for pair, count in zip(values.strings(found.keys).to_pylist(), found.counts.tolist(), strict=True):
        lemma, _, form = pair.rpartition(JOINT)
        if lemma and is_word(form):
            by_lemma.setdefault(lemma, {})[form] = count
            if form in wanted:
                lemma_of[form] = max(lemma_of.get(form, (0, "")), (count, lemma))
    lemmas = {word: word if word in by_lemma else lemma_of.get(word, (0, word))[1] for word in wanted}
    return Forms.of_entries(
        {lemma: _by_frequency(by_lemma.get(lemma, {}), lemma) for lemma in sorted(set(lemmas.values()))}
    ).updated(Forms(lemmas))


def stems(words: Iterable[str]) -> dict[str, str]:
    """Find for each word the shortest that it is a form of, to all appearance: it begins alike, and differs at its end.

    This is for words that no dictionary has, of languages whose words change at their ends: `magmatem` and `magmata`
    are forms of `magma`. A vowel at the end of the shorter word counts as an ending.
    """
    bases: dict[str, str] = {}
    found: dict[str, str] = {}
    for word in sorted({word.lower() for word in words}, key=lambda word: (len(word), word)):
        shortest = max(_MIN_STEM_CHARACTERS, len(word) - _MAX_ENDING_CHARACTERS - 1)
        beginnings = (word[:length] for length in range(len(word), shortest - 1, -1))
        base = next((bases[beginning] for beginning in beginnings if beginning in bases), word)
        found[word] = base if len(word) - len(base) <= _MAX_ENDING_CHARACTERS else word
        if found[word] == word:
            stem = word[:-1] if _VOWELS.match(unicodedata.normalize("NFD", word[-1:])) else word
            if len(stem) >= _MIN_STEM_CHARACTERS:
                bases.setdefault(stem, word)
    return found


def forms_in_dictionary(lang: str, words: Collection[str], frequencies: Frequencies | None = None) -> Forms:
    """Find the forms that words have by simplemma, the frequent ones of the language first.

    These are the forms in its dictionary, and those words of the language that its rules reduce to the same lemma. For
    words that it does not know, and languages without a dictionary, they are those that begin alike (`stems`).
    """
    wanted = sorted({word.lower() for word in words if " " not in word})
    shares = (frequencies or Frequencies.of_language(lang)).shares
    lemma_of = lemmatiser(lang) or str.lower
    unknown = {word for word in wanted if is_unknown(word, lang)}
    lemmas = {word: lemma_of(word) for word in wanted if word not in unknown}
    entries: dict[str, dict[str, float]] = {lemma: {} for lemma in sorted(set(lemmas.values()))}
    beginnings = _Beginnings(entries.keys())
    for form, lemma in _entries(lang, beginnings):
        entries[lemma][form] = shares.get(form, 0.0)
    for form in filter(beginnings.has, shares):
        lemma = lemma_of(form)
        if lemma in entries:
            entries[lemma][form] = shares[form]
    for word, forms in _forms_by_stem(lang, unknown, shares).items():
        entries[word] = forms
        lemmas[word] = word
    return Forms.of_entries({lemma: _by_frequency(found, lemma) for lemma, found in entries.items()}).updated(
        Forms(lemmas)
    )


@cache
def lemmatiser(lang: str) -> Callable[[str], str] | None:
    """Return what gives the lemma of a word in lower case, by simplemma; None if it has no dictionary."""
    from gristmill.annotation.taggers.simplemma import Simplemma  # noqa: PLC0415 (dictionaries are large)

    code = _CODES.get(lang, lang)
    kind = Simplemma()
    if not kind.serves(code):
        return None
    tagger = kind.load(code)
    return lru_cache(maxsize=_REMEMBERED_WORDS)(lambda word: tagger.lemma(word).lower())


def _forms_by_stem(lang: str, unknown: Collection[str], shares: Mapping[str, float]) -> dict[str, dict[str, float]]:
    """Return the forms of words that no dictionary has, among the words of the language that it lacks, too."""
    near = _Beginnings(unknown)
    others = [word for word in shares if near.has(word) and is_unknown(word, lang)]
    found = stems([*unknown, *others])
    return {word: {form: shares[form] for form in others if found[form] == found[word]} for word in sorted(unknown)}


def is_unknown(word: str, lang: str) -> bool:
    """Tell whether simplemma knows nothing of a word in lower case; it never does without a dictionary."""
    lemma_of = lemmatiser(lang)
    if lemma_of is None:
        return True
    known = _dictionary(lang)
    return lemma_of(word) == word and word not in known and word.capitalize() not in known


@cache
def _dictionary(lang: str) -> Mapping[str, str]:
    """Load a dictionary of simplemma, from forms to lemmas."""
    from simplemma.strategies.dictionaries import StreamDictionaryFactory  # noqa: PLC0415 (dictionaries are large)

    loaded: Mapping[str, str] = StreamDictionaryFactory(cache_max_size=1).get_dictionary(_CODES.get(lang, lang))
    return loaded


class _Beginnings:
    """Tells what may be a form of some lemmas, as it begins like one of them and is not much longer."""

    def __init__(self, lemmas: Collection[str]) -> None:
        self.lemmas = lemmas
        self._beginnings = {lemma[: max(1, len(lemma) // 3)] for lemma in lemmas}
        self._lengths = sorted({len(beginning) for beginning in self._beginnings})
        self._longest = max(map(len, lemmas), default=0) + _MAX_LONGER_CHARACTERS

    def has(self, form: str) -> bool:
        """Tell whether a word may be a form."""
        return len(form) <= self._longest and any(form[:length].lower() in self._beginnings for length in self._lengths)


def _entries(lang: str, beginnings: _Beginnings) -> Iterable[tuple[str, str]]:
    """Yield the forms that a dictionary has for some lemmas.

    All of its words are gone through, which are millions for some languages, but only those are looked up that begin
    like one of the lemmas.
    """
    dictionary = _dictionary(lang) if beginnings.lemmas and lemmatiser(lang) else {}
    is_word = word_pattern().fullmatch
    for form in filter(beginnings.has, dictionary):
        lemma = dictionary[form].lower()
        if lemma in beginnings.lemmas and len(form) <= len(lemma) + _MAX_LONGER_CHARACTERS and is_word(form):
            yield form.lower(), lemma


def _by_frequency(forms: Mapping[str, float], lemma: str) -> list[str]:
    """Sort forms by their frequency; those of the same frequency as the lemma are, the short ones first."""
    return sorted({lemma, *forms}, key=lambda form: (-forms.get(form, 0), form != lemma, len(form), form))
