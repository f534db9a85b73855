"""Annotate a corpus: tokens, sentences, lemmas and tags for the kept blocks of each shard."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from gristmill.annotation.stage import AnnotateTask, state_of
from gristmill.annotation.tagger import check_choices, named_by, with_whole_paths
from gristmill.arguments import as_texts
from gristmill.config import Config
from gristmill.consent import allow
from gristmill.corpus import CorpusReader, Manifest, folder_of
from gristmill.corpus.links import check_links
from gristmill.corpus.named import admit, check_for_workers, is_admitted, with_plugins
from gristmill.engine import Engine
from gristmill.progress import Progress
from gristmill.shards import DOCUMENTS, TOKENS, Shard, facts
from gristmill.stages import Runner, State, TaskStage, running


def annotate(
    corpus: str | os.PathLike[str],
    taggers: str | Sequence[str] | None = None,
    *,
    workers: int | None = None,
    engine: Engine | None = None,
    progress: bool | Progress = False,
    trust: bool = False,
) -> dict[str, dict[str, int]]:
    """Annotate the shards of a corpus that are not annotated yet, or by other taggers or versions; return counts.

    These are counts of documents, blocks, sentences and tokens, and of tokens by language and by tagger. `taggers` are
    choices such as `de=spacy:model=de_core_news_sm`, which the corpus keeps; None leaves them as they are. Those that
    are not the user's own choice need `trust` if they run programs or read models. `progress` shows bars.
    """
    folder = folder_of(corpus)
    CorpusReader(folder, trust=trust).check_complete()
    check_links(folder)
    if taggers is not None:
        taggers = with_whole_paths(as_texts(taggers, "taggers"))
        allow(named_by(taggers))
        check_choices(taggers)
    with running(folder, workers, engine, progress) as runner:
        manifest = Manifest.read(folder)
        config = with_plugins(manifest.config.replace(annotate_taggers=taggers))
        if config.to_table() != manifest.settings:
            manifest.settings = config.to_table()
            manifest.write()
        opened = CorpusReader(folder)
        runner.run(Annotating.of(opened))
        return count_annotations(opened.shards)


class Annotating(TaskStage):
    """Tokenises, tags and lemmatises the kept blocks of each shard."""

    name = "annotate"
    doing = "annotating"
    reads = (f"shards/*/{DOCUMENTS}",)
    writes = (f"shards/*/{TOKENS}",)
    small_work = 2_000_000  # bytes of documents

    def __init__(self, folder: Path, config: Config, shards: Sequence[Shard]) -> None:
        """Take shards of a corpus, and its settings."""
        self._folder, self._config = folder, config
        self._shards = {shard.name: shard for shard in shards}
        self._choices = config.annotate.taggers

    @classmethod
    def of(cls, corpus: CorpusReader, shards: Sequence[Shard] | None = None) -> Annotating:
        """Take all shards of a corpus, or some of them."""
        return cls(corpus.folder, corpus.config, corpus.shards if shards is None else shards)

    @property
    def command(self) -> str:
        """The command that annotates; the first search does it too."""
        return f"gristmill annotate {self._folder}"

    @cached_property
    def _trusted(self) -> bool:
        """Whether taggers may be looked for on this machine."""
        trusted = is_admitted(self._config, "annotate")
        if trusted:
            admit(self._config, "annotate")  # which loads the plugins that taggers are of
        return trusted

    def units(self) -> Sequence[str]:
        """Name the shards."""
        return list(self._shards)

    def state(self, unit: str) -> State:
        """Tell whether a shard's tokens are of its documents, by the chosen taggers in their present versions."""
        return state_of(self._shards[unit], self._choices, trusted=self._trusted)

    def task(self, unit: str) -> AnnotateTask:
        """Make the task that annotates a shard."""
        return AnnotateTask(self._shards[unit], self._choices)

    def check_workers(self) -> None:
        """Raise if a tagger is known to this process alone."""
        check_for_workers(self._config, "annotate")

    def work(self, todo: Sequence[str], runner: Runner) -> list[Any]:
        """Annotate shards, if the user allows their taggers."""
        admit(self._config, "annotate")
        return super().work(todo, runner)


def count_annotations(shards: Sequence[Shard]) -> dict[str, dict[str, int]]:
    """Count the documents, blocks, sentences and tokens of annotated shards, and tokens by language and by tagger."""
    totals: dict[str, Counter[str]] = {name: Counter() for name in ("counts", "languages", "taggers")}
    for shard in shards:
        found = facts(shard.tokens)
        for name, total in totals.items():
            total.update(found[name])
    return {name: dict(sorted(total.items(), key=lambda item: (-item[1], item[0]))) for name, total in totals.items()}
