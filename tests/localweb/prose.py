"""Text made of a language's words, as often as they are used, so that cleaners and identifiers take it for real."""

from __future__ import annotations

import unicodedata
from functools import cache
from itertools import accumulate
from random import Random
from urllib.parse import quote

import wordfreq

_WORDS = 6_000
_SENTENCE_WORDS = (5, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 18, 20, 23, 28)
_ENDS = ("." * 12) + "?!" + "." * 6


@cache
def vocabulary(lang: str) -> tuple[tuple[str, ...], tuple[float, ...]]:
    """The most frequent words of a language, and their frequencies summed up."""
    words: list[str] = []
    frequencies: list[float] = []
    for centibels, bucket in enumerate(wordfreq.get_frequency_list(lang, "small")):
        letters = [word for word in bucket if word.isalpha()]
        words += letters
        frequencies += [10 ** (-centibels / 100)] * len(letters)
        if len(words) >= _WORDS:
            break
    return tuple(words), tuple(accumulate(frequencies))


def draw(random: Random, lang: str, count: int) -> list[str]:
    """Words of a language, drawn by their frequency."""
    words, weights = vocabulary(lang)
    return random.choices(words, cum_weights=weights, k=count)


def rare(random: Random, lang: str, count: int) -> list[str]:
    """Words with something to say, as in titles and menus: not the most frequent ones."""
    return random.choices(vocabulary(lang)[0][150:], k=count)


def title(random: Random, lang: str) -> str:
    """A headline of four to nine words."""
    count = random.randint(4, 9)
    words = [word for pair in zip(rare(random, lang, count), draw(random, lang, count), strict=True) for word in pair]
    return " ".join(words[:count]).capitalize()


def label(random: Random, lang: str) -> str:
    """One to three words, as in a menu."""
    return " ".join(rare(random, lang, random.choice((1, 1, 2, 2, 3)))).capitalize()


def sentences(random: Random, lang: str, words: int) -> list[str]:
    """Sentences of about so many words in all."""
    drawn = draw(random, lang, words)
    result = []
    at = 0
    while at < len(drawn):
        count = random.choice(_SENTENCE_WORDS)
        piece = drawn[at : at + count]
        at += count
        if len(piece) > 12:
            piece[len(piece) // 2] += ","
        piece[0] = piece[0].capitalize()
        result.append(" ".join(piece) + random.choice(_ENDS))
    return result


def paragraphs(random: Random, lang: str, words: int) -> tuple[str, ...]:
    """Paragraphs of two to seven sentences, about so many words in all."""
    rest = sentences(random, lang, words)
    result = []
    while rest:
        count = random.randint(2, 7)
        result.append(" ".join(rest[:count]))
        rest = rest[count:]
    return tuple(result)


def slug(text: str) -> str:
    """A text as a segment of a path: Latin letters without accents, others percent-encoded, and hyphens."""
    plain = unicodedata.normalize("NFKD", text.lower()).encode("ascii", "ignore").decode()
    letters = plain if any(map(str.isalpha, plain)) else text.lower()
    return quote("-".join("".join(char if char.isalnum() else " " for char in letters).split())[:60])


def reworded(random: Random, lang: str, texts: tuple[str, ...], share: float) -> tuple[str, ...]:
    """The same paragraphs with some of their words replaced."""
    result = []
    for text in texts:
        words = text.split()
        for at in range(1, len(words)):
            if random.random() < share:
                words[at] = rare(random, lang, 1)[0]
        result.append(" ".join(words))
    return tuple(result)
