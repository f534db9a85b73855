"""What those who make documents share: chance, settings, and numbers that are given out once."""

from __future__ import annotations

import itertools
import random
from collections.abc import Sequence
from dataclasses import dataclass, field

from gristmill.clean.words import count_words
from gristmill.evaluate.near_duplicates.edit import RESEMBLANCES
from gristmill.evaluate.near_duplicates.record import Made, MadeBlock
from gristmill.language import identify

SHORT = 10
"""A block with fewer words is a heading or some such line: too short to be found by its 10-grams."""


@dataclass(frozen=True, slots=True)
class Settings:
    """Which near-duplicates are made, and how many."""

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
    """What revisions aim at, in turns."""
    n: int = 10
    """The n-grams that the resemblance is of."""
    mirrors: int = 3
    """At most so many copies of a document."""
    revisions: int = 1
    """So many revisions of a document."""
    window: int = 200
    """Documents that are mixed: a document comes up to about so many places before or after those it was made with."""


@dataclass(frozen=True, slots=True)
class Source:
    """A text that documents are made from."""

    blocks: tuple[MadeBlock, ...]
    lang: str

    @property
    def long(self) -> list[MadeBlock]:
        """The blocks that are more than a line."""
        return [block for block in self.blocks if block.kind != "h"]


class Desk:
    """Where documents are made."""

    def __init__(self, settings: Settings, seed: int) -> None:
        self.settings = settings
        self.rng = random.Random(f"near-duplicates {seed}")
        self.resemblances = itertools.cycle(settings.resemblances)
        self._origins: dict[str, int] = {}
        self._clusters = itertools.count()
        self._hosts = itertools.count()

    def block(self, text: str) -> MadeBlock:
        """A block of a text; the same text has the same origin wherever it comes from."""
        return MadeBlock(text, self._origins.setdefault(text, len(self._origins)), kind="h" if count_words(text) < SHORT else "p")

    def source(self, texts: Sequence[str]) -> Source:
        """A source of the texts of its blocks, white space made even."""
        blocks = tuple(self.block(" ".join(text.split())) for text in texts if text.strip())
        return Source(blocks, identify("\n".join(block.text for block in blocks)).lang)

    def cluster(self) -> int:
        """A number that no other cluster has."""
        return next(self._clusters)

    def host(self) -> str:
        """A host that has no other pages yet."""
        return f"site-{next(self._hosts)}.example"

    def page(self, kind: str, blocks: Sequence[MadeBlock], lang: str, *, host: str = "", name: str = "page", cluster: int = -1) -> Made:
        """A document: on a host of its own, and the first of its cluster, if nothing else is said."""
        cluster = self.cluster() if cluster < 0 else cluster
        return Made(f"https://{host or self.host()}/{name}-{cluster}.html", tuple(blocks), kind, cluster, lang=lang)
