"""Stop lists: the frequent function words of a language."""

from __future__ import annotations

import functools

import stopwordsiso

# Their words are not separated by spaces, so a list of words can't be matched against running text.
_WITHOUT_SPACES = {"ja", "zh", "th"}


@functools.cache
def stop_list(lang: str) -> frozenset[str]:
    """The stop words of a language, each also with a capital; empty if there is no list.

    Matching is case sensitive, so that words at the start of a sentence count and texts in capitals do not (Pomikálek 2011, 2.9.9).
    """
    if lang in _WITHOUT_SPACES or not stopwordsiso.has_lang(lang):
        return frozenset()
    words = {word.lower() for word in stopwordsiso.stopwords(lang)}
    return frozenset(words | {word[0].upper() + word[1:] for word in words if word})


def stop_list_languages() -> list[str]:
    """The languages that have a stop list."""
    return sorted(set(stopwordsiso.langs()) - _WITHOUT_SPACES)
