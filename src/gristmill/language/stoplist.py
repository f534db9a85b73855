"""Stop lists: the frequent words of a language, by which running text is told from lists of names.

jusText's thresholds are for a list that makes up more than half of running English. A list of function words does not reach that
in languages with many word forms, so lists are made by frequency (Pomikálek 2011, 2.9.9): the most frequent words that together make
up a stated share of running text, 472 in English, 2,748 in Russian. A few languages without frequency data have a list of function words.
"""

from __future__ import annotations

import functools
import re

_SHARE = 0.6  # of running text; chosen on English, Polish, Russian and Greek news
_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")

# Languages with frequency data in wordfreq, and the code it has them under. Not here: languages whose words are not separated by
# spaces, and those in scripts that write vowels as marks, which this method's definition of a word cuts apart.
_WITH_FREQUENCIES = {
    code: code
    for code in (
        "ar bg ca cs da de el en es fa fi fr he hu id is it lt lv mk ms nl pl pt ro ru sk sl sv tr uk ur vi"  # spelled as everywhere
    ).split()
} | {"no": "nb", "nb": "nb", "tl": "fil", "hr": "sh", "bs": "sh"}
_WITH_FUNCTION_WORDS = frozenset("af br eo ga gl ha sw".split())  # in stopwordsiso, with a list that is long enough to be of use


@functools.cache
def stop_list(lang: str) -> frozenset[str]:
    """The stop words of a language, each also with a capital; empty if there is no list.

    Matching is case sensitive, so that words at the start of a sentence count and texts in capitals do not (2.9.9).
    """
    if lang in _WITH_FREQUENCIES:
        words = _frequent_words(_WITH_FREQUENCIES[lang])
    elif lang in _WITH_FUNCTION_WORDS:
        words = _function_words(lang)
    else:
        return frozenset()
    return frozenset(words | {word[0].upper() + word[1:] for word in words})


def stop_list_languages() -> list[str]:
    """The languages that have a stop list."""
    return sorted({*_WITH_FREQUENCIES, *_WITH_FUNCTION_WORDS})


def _frequent_words(code: str) -> set[str]:
    """The most frequent words that make up the share of running text."""
    from wordfreq import get_frequency_dict  # noqa: PLC0415 (half of a short command's time, and not always needed)

    words = set()
    covered = 0.0
    for word, frequency in sorted(get_frequency_dict(code, wordlist="small").items(), key=lambda entry: (-entry[1], entry[0])):
        if covered >= _SHARE:
            break
        if _WORD.fullmatch(word):
            words.add(word)
            covered += frequency
    return words


def _function_words(lang: str) -> set[str]:
    import stopwordsiso  # noqa: PLC0415 (as above)

    return {word.lower() for word in stopwordsiso.stopwords(lang) if _WORD.fullmatch(word)}
