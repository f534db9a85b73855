"""The words that stand for what a text is about: lemmas of its content words, or its forms without stop words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from gristmill.annotation.provided import provides
from gristmill.filter.words import count_words
from gristmill.language import stop_list

WORDS = ("lemmas", "forms")
"""What is counted of a text."""
_CONTENT_TAGS = frozenset({"NOUN", "PROPN", "ADJ", "VERB"})
"""Nouns, proper nouns, adjectives and verbs, as the paper has them (Basque collector, 7.1)."""
_MIN_SHARE_OF_LIST = 1e-6
"""Share of running text of the forms whose lemmas are looked up; the ranks of rarer ones are of no use."""


def has_lemmas(lang: str) -> bool:
    """Tell whether the tagger that a language gets by default knows lemmas and parts of speech."""
    from gristmill.annotation.tagger import spec_for  # noqa: PLC0415 (most filters need no tagger)

    spec = spec_for(lang)
    return provides(spec, "lemma", lang) and provides(spec, "tag", lang)


def count_content_words(text: str, lang: str, words: str) -> Counter[str]:
    """Count what stands for the content of a text, in lower case: `lemmas` of content words, or `forms`.

    Forms are all words but stop words. Where no tagger knows the lemmas of a language, it has forms only.
    """
    if words == "lemmas" and has_lemmas(lang):
        return _count_lemmas(text, lang, all_words=False)
    counts = count_words(text, lang)
    stop_words = stop_list(lang)
    for word in [word for word in counts if word in stop_words or not word[0].isalpha()]:
        del counts[word]
    return counts


def count_all_words(text: str, lang: str, words: str) -> Counter[str]:
    """Count the words of a text of general language: lemmas whatever their part of speech, or forms."""
    if words == "lemmas" and has_lemmas(lang):
        return _count_lemmas(text, lang, all_words=True)
    return count_words(text, lang)


def by_lemma(frequencies: Mapping[str, float], lang: str, words: str) -> dict[str, float]:
    """Add up the frequencies of forms that belong to one lemma.

    A list of words has no sentences, so each form is tagged by itself: of `mills`, that of `mill` is added to.
    """
    if words != "lemmas" or not has_lemmas(lang):
        return dict(frequencies)
    from gristmill.annotation.tagger import tagger_for  # noqa: PLC0415 (most filters need no tagger)

    forms = [form for form, share in frequencies.items() if share >= _MIN_SHARE_OF_LIST]
    added: dict[str, float] = {}
    for form, lemma in zip(forms, tagger_for(lang)[1].tag([[form] for form in forms]).lemmas, strict=True):
        added[lemma.lower()] = added.get(lemma.lower(), 0.0) + frequencies[form]
    return added


def _count_lemmas(text: str, lang: str, *, all_words: bool) -> Counter[str]:
    from gristmill.annotation import annotate  # noqa: PLC0415 (most filters need no tagger)
    from gristmill.annotation.parsing.choice import NONE, as_choice  # noqa: PLC0415 (as above)

    return Counter(
        lemma.lower()
        for found in annotate([(line, lang) for line in text.split("\n") if line], [as_choice(NONE)])
        for lemma, tag in zip(found.lemmas, found.tags, strict=True)
        if (all_words or tag in _CONTENT_TAGS) and lemma[:1].isalpha()
    )
