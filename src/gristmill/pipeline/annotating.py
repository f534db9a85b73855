"""Annotate a corpus: tokens, sentences, lemmas and tags for the kept blocks of each shard."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from functools import cached_property, partial
from itertools import chain
from pathlib import Path
from typing import Any

from gristmill.annotation.memory import DEFAULT_BYTES
from gristmill.annotation.parsing.choice import as_choice, choices_of, with_whole_file, without_default
from gristmill.annotation.speed import note_speeds
from gristmill.annotation.stage import AnnotateTask, state_of
from gristmill.annotation.tagger import check_choices, named_by, with_whole_paths
from gristmill.arguments import as_bytes, as_texts
from gristmill.config import Config
from gristmill.consent import allow
from gristmill.corpus import CorpusReader, Manifest, folder_of
from gristmill.corpus.links import check_links
from gristmill.corpus.named import admit, check_for_workers, is_admitted, with_plugins
from gristmill.engine import Engine
from gristmill.parts import Part
from gristmill.pipeline.dividing import as_part, check_all_done, check_choice, forget_parts, planning
from gristmill.progress import Progress
from gristmill.shards import DOCUMENTS, TOKENS, Shard, facts
from gristmill.stages import CURRENT, Runner, State, TaskStage, over_shards, running
from gristmill.threads import in_threads


def annotate(
    corpus: str | os.PathLike[str],
    taggers: str | Sequence[str] | None = None,
    *,
    parsers: str | Sequence[str] | None = None,
    workers: int | None = None,
    engine: Engine | str | None = None,
    memory: int | str | None = None,
    progress: bool | Progress = False,
    trust: bool = False,
    part: str | Part | None = None,
    merge: bool = False,
) -> dict[str, dict[str, int]]:
    """Annotate the shards of a corpus that are not annotated yet, or by other taggers or versions; return counts.

    These are counts of documents, blocks, sentences and tokens, and of tokens by language and by tagger. `taggers` are
    choices such as `de=spacy:model=de_core_news_sm`, which the corpus keeps; None leaves them as they are. `parsers`
    are choices such as `de=de.parser`, `de=none` or `none`, which it keeps, too. Those that are not the user's own
    choice need `trust` if they run programs or read models. `progress` shows bars.
    `memory` is what the words that are kept between texts may take, in all workers together, such as `2GB`.

    With a `part`, such as `3/16`, only that part of the shards is annotated and counted, while others annotate the
    others; with `merge` nothing is annotated, and it raises if one is missing.
    """
    folder, part = folder_of(corpus), as_part(part)
    check_choice(part, merge=merge)
    CorpusReader(folder, trust=trust).check_complete()
    check_links(folder)
    if taggers is not None:
        taggers = with_whole_paths(as_texts(taggers, "taggers"))
        allow(named_by(taggers))
        check_choices(taggers)
    if parsers is not None:
        parsers = tuple(map(with_whole_file, without_default(as_texts(parsers, "parsers"))))
        allow(named_by(list(map(as_choice, parsers))))
        check_choices(list(map(as_choice, parsers)))
    with running(folder, workers, engine, progress, part) as runner:
        with planning(folder, part):
            manifest = Manifest.read(folder)
            config = with_plugins(manifest.config.replace(annotate_taggers=taggers, annotate_parsers=parsers))
            if config.to_table() != manifest.settings:
                manifest.settings = config.to_table()
                manifest.write()
        opened = CorpusReader(folder)
        stage = Annotating.of(opened)
        if memory is not None:
            stage.memory = as_bytes(memory, "memory") // runner.workers
        if merge:
            missing = [number for number, unit in enumerate(stage.units()) if stage.state(unit) != CURRENT]
            check_all_done(folder, missing, len(opened.shards), "annotated")
        runner.run(stage)
        forget_parts(folder, part)
        return count_annotations(part.of(opened.shards) if part else opened.shards, runner)


class Annotating(TaskStage):
    """Tokenises, tags and lemmatises the kept blocks of each shard."""

    name = "annotate"
    doing = "annotating"
    reads = (f"shards/*/{DOCUMENTS}",)
    writes = (f"shards/*/{TOKENS}",)
    small_work = 2_000_000  # bytes of documents
    memory = DEFAULT_BYTES
    """What the words that are kept between texts may take in a worker, in bytes."""

    def __init__(self, folder: Path, config: Config, shards: Sequence[Shard], *, renewing: bool = True) -> None:
        """Take shards of a corpus, and its settings.

        If it is not `renewing`, shards that are outdated stay as they are: only who asks for it has text annotated
        again.
        """
        self._folder, self._config = folder, config
        self._shards = {shard.name: shard for shard in shards}
        self._choices = choices_of(config.annotate)
        self._renewing = renewing

    @classmethod
    def of(cls, corpus: CorpusReader, shards: Sequence[Shard] | None = None, *, renewing: bool = True) -> Annotating:
        """Take all shards of a corpus, or some of them."""
        chosen = corpus.shards if shards is None else shards
        return cls(corpus.folder, corpus.config, chosen, renewing=renewing)

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
        return self.states([unit])[0]

    def states(self, units: Sequence[str], runner: Runner | None = None) -> list[State]:
        """Tell the states of many shards, which are read off the ends of their files."""
        ask = partial(_states, choices=self._choices, trusted=self._trusted, renewing=self._renewing)
        return list(chain.from_iterable(over_shards(runner, self.doing, [self._shards[unit] for unit in units], ask)))

    def todo(self, runner: Runner | None = None) -> list[Shard]:
        """List the shards that are to be annotated."""
        states = self.states(list(self._shards), runner)
        return [shard for shard, state in zip(self._shards.values(), states, strict=True) if state != CURRENT]

    def task(self, unit: str) -> AnnotateTask:
        """Make the task that annotates a shard."""
        return AnnotateTask(self._shards[unit], self._choices, self.memory)

    def finish(self, results: Sequence[Any]) -> None:
        """Write down how fast taggers and parsers were."""
        if results:
            tokens, seconds = Counter[str](), Counter[str]()
            for result in results:
                tokens.update(result["spent"].tokens)
                seconds.update(result["spent"].seconds)
            note_speeds(tokens, seconds)

    def check_workers(self) -> None:
        """Raise if a tagger is known to this process alone."""
        check_for_workers(self._config, "annotate")

    def work(self, todo: Sequence[str], runner: Runner) -> list[Any]:
        """Annotate shards, if the user allows their taggers."""
        admit(self._config, "annotate")
        return super().work(todo, runner)


def _states(shards: Sequence[Shard], choices: Sequence[str], *, trusted: bool, renewing: bool) -> list[State]:
    """Tell whether the tokens of shards are of their documents, by the chosen taggers in their present versions."""
    known: dict[str, str] = {}
    found = in_threads(lambda shard: state_of(shard, choices, trusted=trusted, known=known), shards)
    return [CURRENT if state.name == "outdated" and not renewing else state for state in found]


def count_annotations(shards: Sequence[Shard], runner: Runner | None = None) -> dict[str, dict[str, int]]:
    """Count the documents, blocks, sentences and tokens of annotated shards, and tokens by language and by tagger."""
    totals: dict[str, Counter[str]] = {name: Counter() for name in ("counts", "languages", "taggers")}
    for found in over_shards(runner, "counting", shards, _stored_counts):
        for name, total in totals.items():
            total.update(found[name])
    return {name: dict(sorted(total.items(), key=lambda item: (-item[1], item[0]))) for name, total in totals.items()}


def _stored_counts(shards: Sequence[Shard]) -> dict[str, Counter[str]]:
    """Add up the counts that are stored with the tokens of some shards."""
    totals: dict[str, Counter[str]] = {name: Counter() for name in ("counts", "languages", "taggers")}
    for found in in_threads(lambda shard: facts(shard.tokens), shards):
        for name, total in totals.items():
            total.update(found[name])
    return totals
