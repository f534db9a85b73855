"""The generator's shared state: settings, random numbers, and ids of clusters, hosts and texts."""

from __future__ import annotations

import itertools
import random
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field

from gristmill.document import Kind
from gristmill.evaluation.near_duplicates.edit import RESEMBLANCES, Words
from gristmill.evaluation.near_duplicates.record import Made, MadeBlock
from gristmill.evaluation.near_duplicates.spelling import WAYS
from gristmill.language import identify
from gristmill.text.words import count_words

MIN_PARAGRAPH_WORDS = 10
"""The number of words below which a block is a heading or some such line, too short for 10-grams."""


@dataclass(frozen=True, slots=True)
class Settings:
    """Settings of the generator: which near-duplicates are made, and how many."""

    weights: dict[str, float] = field(
        default_factory=lambda: {
            "unique": 0.3,
            "mirror": 0.1,
            "print": 0.1,
            "revision": 0.2,
            "forum": 0.1,
            "index": 0.1,
            "legal": 0.1,
        },
    )
    """The share of the texts that goes into each kind."""
    resemblances: Sequence[float] = RESEMBLANCES
    """The resemblances that revisions aim at, in rotation."""
    n: int = 10
    """The length of the n-grams of which the resemblance is computed."""
    mirrors: int = 3
    """The maximum number of copies of a document."""
    revisions: int = 1
    """The number of revisions of a document."""
    window: int = 200
    """The number of documents that are shuffled at a time: related documents are up to about so far apart."""


EVERY_KIND = Settings(
    weights={
        "unique": 0.18,
        "mirror": 0.06,
        "print": 0.05,
        "revision": 0.2,
        "forum": 0.06,
        "index": 0.06,
        "legal": 0.06,
        "template": 0.09,
        "short": 0.06,
        "quotation": 0.05,
        "chain": 0.04,
        "growing": 0.05,
        "table": 0.05,
        "listing": 0.05,
        "variant": 0.08,
    },
)
"""Settings with all kinds, also those that are hard to get right: the promises of de-duplication are measured on it."""


@dataclass(frozen=True, slots=True)
class Source:
    """A text that documents are made from."""

    blocks: tuple[MadeBlock, ...]
    lang: str

    @property
    def long(self) -> list[MadeBlock]:
        """The blocks that are more than a heading."""
        return [block for block in self.blocks if block.kind != "h"]

    def set_aside(self) -> tuple[tuple[MadeBlock, ...], Words]:
        """Split off the longest block: all other blocks, and the words of that one, to make something else of."""
        longest = max(self.blocks, key=lambda block: len(block.text))
        return tuple(block for block in self.blocks if block is not longest), Words.of(longest.text)


class Desk:
    """The state that all makers of documents share."""

    def __init__(self, settings: Settings, seed: int) -> None:
        self.settings = settings
        self.rng = random.Random(f"near-duplicates {seed}")
        self.resemblances = itertools.cycle(settings.resemblances)
        self.ways = itertools.cycle(WAYS)
        self._origins: dict[str, int] = {}
        self._clusters = itertools.count()
        self._hosts = itertools.count()

    def block(self, text: str) -> MadeBlock:
        """Make a block of a text; equal texts have the same origin wherever they come from."""
        return MadeBlock(
            text,
            self._origins.setdefault(text, len(self._origins)),
            kind="h" if count_words(text) < MIN_PARAGRAPH_WORDS else "p",
        )

    def headline(self, text: str) -> MadeBlock:
        """Make a block of a few words without punctuation, so that it has fewer tokens than an n-gram."""
        letters = "".join(" " if unicodedata.category(letter)[0] in "PS" else letter for letter in text)
        return self.block(" ".join(letters.split()) or text)

    def line(self, text: str, kind: Kind, path: str, row: int = 0) -> MadeBlock:
        """Make a line of a table, a list or code, with an origin of its own even if other lines have the same words."""
        return MadeBlock(
            text, self._origins.setdefault(f"\0{len(self._origins)}", len(self._origins)), kind=kind, path=path, row=row
        )

    def excerpt(self, words: Words, least: int, most: int) -> str:
        """Take some consecutive words from a random place in a text."""
        count = self.rng.randint(least, most)
        return words.part(self.rng.randint(0, max(len(words.items) - count, 0)), count)

    def source(self, texts: Sequence[str], lang: str = "") -> Source:
        """Make a source of the texts of blocks, with white space folded; the language is identified if not given."""
        blocks = tuple(self.block(" ".join(text.split())) for text in texts if text.strip())
        return Source(blocks, lang or identify("\n".join(block.text for block in blocks)).lang)

    def cluster(self) -> int:
        """Make the number of a new cluster."""
        return next(self._clusters)

    def host(self) -> str:
        """Make a host that has no other pages yet."""
        return f"site-{next(self._hosts)}.example"

    def page(
        self,
        kind: str,
        blocks: Sequence[MadeBlock],
        lang: str,
        *,
        host: str = "",
        name: str = "page",
        cluster: int = -1,
    ) -> Made:
        """Make a document: on a host of its own, and in a new cluster, unless they are given."""
        cluster = self.cluster() if cluster < 0 else cluster
        return Made(f"https://{host or self.host()}/{name}-{cluster}.html", tuple(blocks), kind, cluster, lang=lang)
