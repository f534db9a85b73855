"""Language-filter words: common words of a language that its neighbours don't have (Basque collector, 4.1).

Search engines know few languages, and technical words are the same in many. A query that also asks for such words finds
pages in the language. Which languages are neighbours is not said anywhere: they are those whose frequent words these
are, too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import combinations, islice

import numpy as np
import numpy.typing as npt

from gristmill.bootstrapping.config import MAX_FILTER_WORDS
from gristmill.bootstrapping.frequencies import Frequencies, is_dense
from gristmill.language.stoplist import frequency_code, function_words
from gristmill.text.words import word_pattern

_CANDIDATES = 40  # most frequent words of the language that are looked at
# Words of a page, as far as chances go. They are few for the language itself: a word that is common in subtitles may be
# rare on a page. Chosen on texts of Universal Dependencies.
_OWN_WORDS, _OTHERS_WORDS = 30, 100
_MIN_GAIN = 0.03  # that a further word must bring
_RANKS = 3_000  # of words of other languages that are looked at
_ASSUMED_SHARE = 2e-3  # of a function word in a language whose frequencies are not known
_MIN_CHARACTERS = 2


def filter_words(lang: str, count: int = MAX_FILTER_WORDS, frequencies: Frequencies | None = None) -> tuple[str, ...]:
    """Choose at most so many words, three if not fewer, that most pages of a language have, and few in any other one.

    A set of words is as good as the share of pages that have its rarest word, times the share of pages that lack one of
    its words in the language which has them most. A larger set must be better than a smaller one. `frequencies` are
    those of texts in the language, if there are any; for a language that wordfreq does not have, there are no filter
    words without them. There are none for scripts without spaces, as search engines find their words within others.
    """
    candidates = _candidates(lang, frequencies)
    own = _chances(np.array(list(candidates.values())), _OWN_WORDS)
    others = _chances(_others_shares(lang, list(candidates)), _OTHERS_WORDS)
    best, chosen = 0.0, np.empty(0, np.intp)
    for size in range(1, min(count, MAX_FILTER_WORDS, len(candidates)) + 1):
        sets = np.array(list(combinations(range(len(candidates)), size)))
        scores = own[sets].min(axis=1) * (1 - others[:, sets].prod(axis=2).max(axis=0))
        at = int(np.argmax(scores))
        if scores[at] < best + _MIN_GAIN:
            break
        best, chosen = float(scores[at]), sets[at]
    words = list(candidates)
    return tuple(words[at] for at in chosen)


def _candidates(lang: str, frequencies: Frequencies | None) -> dict[str, float]:
    """Return the most frequent words of a language with their shares; only function words where they are known."""
    known = frequencies or Frequencies.of_language(lang)
    wanted = function_words(lang) or known.shares
    return {word: known.shares[word] for word in known.ranked[:_CANDIDATES] if word in wanted and _is_usable(word)}


def _is_usable(word: str) -> bool:
    return (
        len(word) >= _MIN_CHARACTERS
        and not is_dense(word)
        and word_pattern().fullmatch(word) is not None
        and "-" not in word
    )


def _chances(shares: npt.NDArray[np.float64], words: int) -> npt.NDArray[np.float64]:
    """Estimate the share of pages that have a word, by its share of running text, as if a page had so many words."""
    return 1 - np.exp(-words * shares)


def _others_shares(lang: str, words: Sequence[str]) -> npt.NDArray[np.float64]:
    """Return the shares of words in all other languages that are known, a row each."""
    own = frequency_code(lang)
    rows = [[shares.get(word, 0.0) for word in words] for code, shares in _languages().items() if code != own]
    return np.array(rows)


@cache
def _languages() -> Mapping[str, Mapping[str, float]]:
    """Return the frequent words of all languages that wordfreq or stopwordsiso has."""
    import stopwordsiso  # noqa: PLC0415 (few commands need them)
    import wordfreq  # noqa: PLC0415

    known: dict[str, Mapping[str, float]] = {}
    for code, path in sorted(wordfreq.available_languages("small").items()):
        known[code] = dict(islice(_shares(wordfreq.read_cBpack(path)), _RANKS))
    for lang in sorted(stopwordsiso.langs()):
        if frequency_code(lang) not in known:
            known[lang] = dict.fromkeys(function_words(lang), _ASSUMED_SHARE)
    return known


def _shares(buckets: Iterable[Sequence[str]]) -> Iterator[tuple[str, float]]:
    """Yield words and shares of a list of wordfreq: each bucket is 1 cB rarer than the one before it."""
    for centibels, words in enumerate(buckets):
        yield from ((word, 10 ** (-centibels / 100)) for word in words)
