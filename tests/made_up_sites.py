"""Made-up sites in two languages with known pairs, as outlines: for tests and benchmarks of pairing.

The words of the target language are those of the source with another ending, so that a dictionary is known, and
nothing is a cognate by chance. Each page has a topic with rare words, a number or two, and names. Some pages of each
language have no translation, all share a template, menus and some numbers.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field

import numpy as np
import xxhash

from gristmill.document import Alternate
from gristmill.parallel.addresses import address_key
from gristmill.parallel.outline import Outline

SHAPES = ("folder", "query", "host", "suffix", "default", "section", "ids", "declared", "one way", "none")
"""How the addresses of a site tell the language, or that its pages declare translations; or nothing does."""
_TOPIC_WORDS, _COMMON_WORDS, _SITE_WORDS = 40, 60, 2000
_UNTRANSLATED = 8  # of so many pages of a language one has no translation
_ENDINGS = ("a", "e")


@dataclass
class MadeUpSite:
    """The pages of a site, and which ids are pairs."""

    source: list[Outline] = field(default_factory=list)
    target: list[Outline] = field(default_factory=list)
    truth: set[tuple[str, str]] = field(default_factory=set)


class WordByWord:
    """The dictionary of the two made-up languages; a third of the words is not in it."""

    def translations(self, word: str) -> list[tuple[str, float]]:
        known = word.endswith("a") and xxhash.xxh3_64_intdigest(word.encode()) % 3
        return [(f"{word[:-1]}e", 0.6)] if known else []


def made_up_site(shape: str, pages: int, chance: random.Random) -> MadeUpSite:
    """Make a site with so many pages in the first language."""
    site = MadeUpSite()
    menus = [np.array(sorted(_key(f"menu {lang} {n}") for n in range(20)), np.uint64) for lang in "st"]
    for number in range(pages):
        slug = f"{_word(chance)}-{_word(chance)}"
        topic = [f"w{chance.randrange(_SITE_WORDS)}" for _ in range(_TOPIC_WORDS)]
        facts = _Facts.made(chance)
        urls = [_url(shape, lang, slug, number) for lang in ("en", "de")]
        outlines = [
            _outline(f"{lang}-{number}", lang, url, topic, facts, menus[side], chance)
            for side, (lang, url) in enumerate(zip(("en", "de"), urls, strict=True))
        ]
        is_single = pages > 1 and number % _UNTRANSLATED == _UNTRANSLATED - 1
        side = number // _UNTRANSLATED % 2
        if not is_single or side == 0:
            site.source.append(outlines[0])
        if not is_single or side == 1:
            site.target.append(outlines[1])
        if not is_single:
            site.truth.add((outlines[0].id, outlines[1].id))
            if shape in ("declared", "one way"):
                outlines[0].alternates = [Alternate("de", urls[1]), Alternate("en", urls[0])]
            if shape == "declared":
                outlines[1].alternates = [Alternate("en", urls[0])]
    chance.shuffle(site.source)
    chance.shuffle(site.target)
    return site


@dataclass
class _Facts:
    """What the translations of a page share."""

    numbers: list[str]
    names: list[str]
    kinds: str
    lengths: list[int]

    @classmethod
    def made(cls, chance: random.Random) -> _Facts:
        blocks = chance.randrange(3, 14)
        kinds = "h" + "".join(chance.choices("pphl", k=blocks))
        return cls(
            [str(chance.randrange(3000)) for _ in range(chance.randrange(4))] + ["2024"],
            [_word(chance) for _ in range(chance.randrange(3))] + ["example"],
            kinds,
            [chance.randrange(20, 60) if kind == "h" else chance.randrange(60, 600) for kind in kinds],
        )


def _outline(
    name: str, lang: str, url: str, topic: list[str], facts: _Facts, menu: np.ndarray, chance: random.Random
) -> Outline:
    """Make a page; of its words, names and lengths some differ from those of its translation."""
    ending = _ENDINGS[lang == "de"]
    words = [word + ending for word in topic if chance.random() < 0.8]
    words += [f"c{chance.randrange(_COMMON_WORDS)}{ending}" for _ in range(30)]
    lengths = [max(round(length * chance.gauss(1.1 if lang == "de" else 1.0, 0.08)), 5) for length in facts.lengths]
    names = [item for item in facts.names if chance.random() < 0.8] + [f"{lang} {_word(chance)}" for _ in range(6)]
    links = np.unique(np.append(menu, np.array([address_key(url)], np.uint64)))
    different = sorted(set(words))
    return Outline(
        name,
        url,
        lang,
        links=links,
        numbers=_keys(facts.numbers),
        names=_keys(names),
        kinds=facts.kinds,
        lengths=lengths,
        words=different,
        counts=[words.count(word) for word in different],
        sentences=len(lengths) * 3,
        length=sum(lengths),
    )


def _url(shape: str, lang: str, slug: str, number: int) -> str:
    own = slug if lang == "en" else "".join(reversed(slug))
    is_default = lang == "en"
    return {
        "folder": f"https://example.org/{lang}/{slug}",
        "query": f"https://example.org/page?id={slug}&lang={lang}",
        "host": f"https://{lang}.example.org/{slug}.html",
        "suffix": f"https://example.org/{slug}_{lang}.html",
        "default": f"https://example.org/{'' if is_default else 'de/'}{slug}",
        "section": f"https://example.org/{lang}/{'products' if is_default else 'produkte'}/{slug}",
        "ids": f"https://example.org/{lang}/{number + 1000}-{own}",
    }.get(shape, f"https://example.org/{own}")


def _word(chance: random.Random) -> str:
    return "".join(chance.choices("bdfgklmnprst", k=4)) + "".join(chance.choices("aeiou", k=2))


def _key(text: str) -> int:
    return xxhash.xxh3_64_intdigest(text.encode())


def _keys(texts: list[str]) -> np.ndarray:
    return np.unique(np.array([_key(text) for text in texts], np.uint64))
