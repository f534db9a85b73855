"""What was exported: from which corpus, chosen how, and how much it is; `FILE.toml` beside the file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import tomli_w

from gristmill.annotation.settings import versions, versions_of
from gristmill.corpus.manifest import FORMAT
from gristmill.corpus.reader import CorpusReader
from gristmill.corpus.selecting import SelectedDocument
from gristmill.corpus.selection import Selection
from gristmill.version import __version__

_LIBRARIES = ("pyarrow",)


@dataclass(slots=True)
class Outcome:
    """An export: how documents were chosen, and counts of what was written."""

    selection: Selection
    mask: tuple[str, ...] = ()
    """Kinds of personal data that are masked."""
    counts: Counter[str] = field(
        default_factory=lambda: Counter(documents=0, blocks=0, words=0, characters=0, text_bytes=0)
    )
    languages: Counter[str] = field(default_factory=Counter)
    """Number of documents in each language."""
    taggers: Counter[str] = field(default_factory=Counter)
    """Number of tokens by each tagger."""
    masked: Counter[str] = field(default_factory=Counter)
    """Number of findings of each kind that were masked."""
    changed: Counter[str] = field(default_factory=Counter)
    """Number of values that the corpus manager that vertical text is for can't hold, by what happens to them."""

    def counted(self, selected: Iterable[SelectedDocument]) -> Iterator[SelectedDocument]:
        """Count documents as they go through."""
        for chosen in selected:
            document = chosen.document
            self.counts.update(documents=1, blocks=document.block_count, words=document.words)
            self.counts.update(characters=document.length, text_bytes=document.text_bytes)
            self.languages[document.lang] += 1
            for annotation in chosen.annotations:
                self.counts["sentences"] += len(annotation.sentences)
                self.counts["tokens"] += len(annotation.words)
                self.taggers[annotation.tagger] += len(annotation.words)
            yield chosen

    def add(self, other: Outcome) -> None:
        """Add what was counted elsewhere."""
        for name in ("counts", "languages", "taggers", "masked", "changed"):
            getattr(self, name).update(getattr(other, name))

    def to_toml(self, corpus: CorpusReader, about: dict[str, Any]) -> str:
        """Write selection, counts, versions, and what is known `about` the file.

        Nothing in it depends on when or where it was exported.
        """
        table = {
            "export": about,
            "corpus": {"fingerprint": corpus.manifest.fingerprint, "format": FORMAT},
            "selection": self.selection.to_table(),
            "counts": dict(self.counts),
            "languages": _by_size(self.languages),
            "taggers": _by_size(self.taggers),
            "masked": {kind: self.masked[kind] for kind in self.mask},
            "changed": _by_size(self.changed),
            "versions": {"gristmill": __version__} | versions(_LIBRARIES) | versions_of(self.taggers),
        }
        return tomli_w.dumps({name: part for name, part in table.items() if part})


def _by_size(counts: Counter[str]) -> dict[str, int]:
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))
