"""The annotation of one block: its tokens, with what the tokeniser and a tagger say of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import chain
from operator import add, eq


@dataclass(slots=True)
class Annotation:
    """The tokens of one block with their lemmas and tags; all lists but `sentences` have an entry a token."""

    words: list[str] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)
    """Where each word begins in the block's text, in characters."""
    sentences: list[int] = field(default_factory=list)
    """How many tokens each sentence has."""
    lemmas: list[str] = field(default_factory=list)
    tags: list[str] = field(default_factory=list)
    """Universal part-of-speech tags."""
    xpos: list[str] = field(default_factory=list)
    """The tagger's own tags; empty if it has none."""
    tagger: str = ""
    feats: list[str] = field(default_factory=list)
    """Universal features, such as `Case=Gen|Number=Sing`; empty where none are known."""
    heads: list[int] = field(default_factory=list)
    """How many tokens further on the head of each stands, in its sentence; 0 of roots, and where none is known."""
    deprels: list[str] = field(default_factory=list)
    """Universal relations to the heads, such as `nsubj` and `root`; empty where none are known."""

    def __post_init__(self) -> None:
        """Make features and relations empty that were not given."""
        if not self.feats:
            self.feats = [""] * len(self.words)
        if not self.heads:
            self.heads = [0] * len(self.words)
        if not self.deprels:
            self.deprels = [""] * len(self.words)


def glued(annotation: Annotation) -> list[bool]:
    """Tell for each token whether no space stands between it and the one before: the glue `<g/>` of corpus managers."""
    ends = map(add, annotation.starts, map(len, annotation.words))
    return list(map(eq, annotation.starts, chain([-1], ends)))
