"""Texts on the topic of a bootstrap that has no sample: those that its first words have found.

What is found later must be like one of them. Long documents are on many topics, so that everything would be like them:
they are left out. (On a web of pages on known topics, pages like a first document of any length were on the topic in
34 to 43 of 100 cases, those like a short one in 84 to 86.)
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from pathlib import Path

from gristmill.config import Config
from gristmill.engine import Engine
from gristmill.pipeline.corpus import Corpus
from gristmill.pipeline.starting import build
from gristmill.progress import Progress
from gristmill.shards import write_atomically

_FOLDER = "topic"
_FILE = "sample.jsonl"
_MAX_CHARACTERS = 20_000  # of a document that is likely to be on one topic
_MIN_TEXTS = 3  # fewer say too little of what else belongs to the topic


def short_texts(corpus: Corpus) -> list[str]:
    """Return the texts of a corpus that are likely to be on one topic, in the order of their addresses."""
    texts = sorted((document.url, document.text) for document in corpus.documents())
    return [text for _, text in texts if len(text) <= _MAX_CHARACTERS]


def topic_sample(
    sources: Sequence[str],
    corpus: Path,
    config: Config,
    *,
    workers: int | None,
    engine: Engine | str | None,
    progress: Progress,
) -> str:
    """Write the short documents among sources to a file in the folder of the corpus, and return its path.

    Returns an empty string if there are too few. What was written before stays, so that a corpus that is built again
    after a kill is built alike.
    """
    folder = corpus / _FOLDER
    file = folder / _FILE
    if not file.is_file():
        found = build(sources, folder / "corpus", config, workers=workers, engine=engine, progress=progress)
        lines = "".join(json.dumps({"text": text}, ensure_ascii=False) + "\n" for text in short_texts(found))
        write_atomically(file, lines.encode("utf-8", "replace"))
    shutil.rmtree(folder / "corpus", ignore_errors=True)
    with file.open("rb") as lines_on_disk:
        count = sum(1 for _ in lines_on_disk)
    return str(file.absolute()) if count >= _MIN_TEXTS else ""
