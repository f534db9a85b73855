"""Stop lists: the frequent words of a language, by which running text is distinguished from lists of names.

jusText's thresholds are for a list that makes up more than half of running English. A list of function words does not
reach that in languages with many word forms, so lists are made by frequency (Pomikálek 2011, 2.9.9): the most frequent
words that together make up a stated share of running text, 472 in English, 2,748 in Russian. A few languages without
frequency data have a list of function words.
"""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Iterable, Mapping

from gristmill.text.words import find_words, word_pattern

DEFAULT_SHARE = 0.6
"""The share of running text that the words of a list make up; chosen on English, Polish, Russian and Greek news."""

# Languages with frequency data in wordfreq, and the code it has them under. Not here: languages whose words are not
# separated by spaces, and Korean, whose words wordfreq has in pieces.
_WITH_FREQUENCIES = {
    code: code
    for code in (
        "ar bg bn ca cs da de el en es fa fi fr he hi hu id is it lt lv mk ms nl pl pt ro ru sk sl sv ta tr uk ur vi"
    ).split()
} | {"no": "nb", "nb": "nb", "tl": "fil", "hr": "sh", "bs": "sh", "sr": "sh"}
# In stopwordsiso, with a list that makes up a quarter of running text at least.
_WITH_FUNCTION_WORDS = frozenset("af br eo ga gl gu ha st sw yo".split())
_IN_CYRILLIC_TOO = frozenset({"bs", "sr"})  # their frequency data is all in Latin letters
_CYRILLIC_PAIRS = {"lj": "љ", "nj": "њ", "dž": "џ"}
_CYRILLIC = str.maketrans("abvgdđežzijklmnoprstćufhcčš", "абвгдђежзијклмнопрстћуфхцчш")


@functools.cache
def stop_list(lang: str, number: int = 0) -> frozenset[str]:
    """The stop words of a language, each also with a capital; empty if there is no list.

    With a number, they are so many of the most frequent words; a list of function words has no order, and is whole.
    """
    if lang in _WITH_FREQUENCIES:
        frequencies = word_frequencies(lang)
        words = set(_by_frequency(frequencies)[:number]) if number else frequent_words(frequencies)
        words |= {_in_cyrillic(word) for word in words} if lang in _IN_CYRILLIC_TOO else set()
    elif lang in _WITH_FUNCTION_WORDS:
        words = function_words(lang)
    else:
        return frozenset()
    return with_capitals(words)


def stop_list_languages() -> list[str]:
    """The languages that have a stop list."""
    return sorted({*_WITH_FREQUENCIES, *_WITH_FUNCTION_WORDS})


def with_capitals(words: Iterable[str]) -> frozenset[str]:
    """Make a stop list of words: each in lower case, and with a capital.

    Matching is case sensitive, so that words at the start of a sentence count and texts in capitals do not (2.9.9).
    """
    lower = {word.lower() for word in words if word}
    return frozenset(lower | {word[0].upper() + word[1:] for word in lower})


def frequent_words(frequencies: Mapping[str, float], share: float = DEFAULT_SHARE) -> set[str]:
    """The most frequent words that together make up a share of running text, given the share of each.

    Equally frequent words come in alphabetical order.
    """
    words = set()
    covered = 0.0
    for word in _by_frequency(frequencies):
        if covered >= share:
            break
        words.add(word)
        covered += frequencies[word]
    return words


def _by_frequency(frequencies: Mapping[str, float]) -> list[str]:
    return sorted(frequencies, key=lambda word: (-frequencies[word], word))


def count_words(text: str) -> Counter[str]:
    """Count the words of a text, in lower case."""
    return Counter(find_words(text.lower()))


def frequency_code(lang: str) -> str:
    """The code under which wordfreq has a language; the same code for a language that it does not have."""
    return _WITH_FREQUENCIES.get(lang, lang)


@functools.lru_cache(maxsize=1)
def word_frequencies(lang: str) -> dict[str, float]:
    """The share of each word in running text, by wordfreq; empty for a language that wordfreq does not have."""
    if lang not in _WITH_FREQUENCIES:
        return {}
    from wordfreq import get_frequency_dict  # noqa: PLC0415 (half of a short command's time, and not always needed)

    frequencies: dict[str, float] = get_frequency_dict(_WITH_FREQUENCIES[lang], wordlist="small")
    is_word = word_pattern().fullmatch
    return {word: frequency for word, frequency in frequencies.items() if is_word(word)}


def function_words(lang: str) -> set[str]:
    """The function words of a language by stopwordsiso; empty for a language that it does not have."""
    import stopwordsiso  # noqa: PLC0415 (few languages need it)

    return {word.lower() for word in stopwordsiso.stopwords(lang) if word_pattern().fullmatch(word)}


def _in_cyrillic(word: str) -> str:
    for latin, cyrillic in _CYRILLIC_PAIRS.items():
        word = word.replace(latin, cyrillic)
    return word.translate(_CYRILLIC)
