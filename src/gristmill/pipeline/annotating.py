"""Annotate a corpus: tokens, sentences, lemmas and tags for the kept blocks of each shard."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from gristmill.annotation.stage import AnnotateTask, is_current
from gristmill.annotation.tagger import check_choices, named_by, with_whole_paths
from gristmill.arguments import as_texts
from gristmill.consent import allow
from gristmill.corpus import Corpus, Manifest, folder_of
from gristmill.corpus.links import check_links
from gristmill.corpus.named import is_admitted, with_plugins
from gristmill.engine import Engine
from gristmill.pipeline.stages import Stages, engine_for, run_stage, shown, unseen
from gristmill.shards import TOKENS, exclusive, facts


def annotate(
    corpus: str | os.PathLike[str],
    taggers: str | Sequence[str] | None = None,
    *,
    workers: int | None = None,
    engine: Engine | None = None,
    progress: bool = False,
    stages: Stages = unseen,
    trust: bool = False,
) -> dict[str, dict[str, int]]:
    """Annotate the shards of a corpus that are not annotated yet, or were with other taggers or versions, and count what they have.

    `taggers` are choices such as `de=spacy:model=de_core_news_sm`, which the corpus keeps; None leaves them as they
    are. Those that are not the user's own choice need `trust` if they run programs or read models. `progress` shows a
    bar.
    """
    folder = folder_of(corpus)
    Corpus(folder, trust=trust)  # raises if it is not complete
    check_links(folder)
    if taggers is not None:
        taggers = with_whole_paths(as_texts(taggers, "taggers"))
        allow(named_by(taggers))
        check_choices(taggers)
    with exclusive(folder), shown(progress, stages) as told:
        manifest = Manifest.read(folder)
        config = with_plugins(manifest.config.replace(annotate_taggers=taggers))
        if config.to_table() != manifest.settings:
            manifest.settings = config.to_table()
            manifest.write()
        opened = Corpus(folder)
        annotate_shards(opened, engine or engine_for(opened, workers), told)
        return count_annotations(opened.shards)


def annotate_shards(corpus: Corpus, engine: Engine, stages: Stages, shards: Sequence[Path] | None = None) -> None:
    """The same for a corpus that is locked, and if one wants only for some of its shards."""
    choices = corpus.config.annotate.taggers
    trusted = is_admitted(corpus.config, "annotate")
    if trusted:
        corpus.check_taggers(choices)  # which loads the plugins that taggers are of
    todo = [
        shard
        for shard in (corpus.shards if shards is None else shards)
        if not is_current(shard, choices, trusted=trusted)
    ]
    if todo:
        corpus.check_taggers(choices)
    run_stage("annotating", [AnnotateTask(str(shard), choices) for shard in todo], engine, stages)


def count_annotations(shards: Sequence[Path]) -> dict[str, dict[str, int]]:
    """How many documents, blocks, sentences and tokens annotated shards have, and how many tokens by language and by tagger."""
    totals: dict[str, Counter[str]] = {name: Counter() for name in ("counts", "languages", "taggers")}
    for shard in shards:
        found = facts(shard / TOKENS)
        for name, total in totals.items():
            total.update(found[name])
    return {name: dict(sorted(total.items(), key=lambda item: (-item[1], item[0]))) for name, total in totals.items()}
