"""What the pages of word sketches ask besides: the languages that there can be sketches of."""

from __future__ import annotations

from typing import Any

from gristmill.operations.common import NoParameters
from gristmill.operations.declaration import operation
from gristmill.pipeline import Corpus
from gristmill.search.text_languages import TextLanguages


@operation(NoParameters, room="search")
def sketch_languages(corpus: Corpus, asked: NoParameters) -> dict[str, Any]:
    """List the languages whose paragraphs have tags, so that there can be sketches, with their tokens.

    `parsed` are those whose tokens have relations: their sketches can be made by `dependencies`, and by `tags`.
    """
    del asked
    texts = TextLanguages(corpus.index)
    languages = texts.tagged()
    return {"languages": languages, "parsed": [lang for lang in languages if texts.have_relations(lang)]}
