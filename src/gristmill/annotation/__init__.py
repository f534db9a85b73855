"""Annotation: tokens, sentences, lemmas and part-of-speech tags of the kept text.

    tokeniser            tokens and sentences of a text: the loop is in `kernel.chunks`, or in `uncompiled`
    chunk_rules          the rules of a language for it, by `words`, `pattern`, `sentences`, `segmenters`, `languages`
    segmentation/        our own models of words in scripts without spaces; `model_file` is the form of their files
    tagger, taggers/     the interface of taggers, which of them a language gets, and the taggers
    blocks               both for the blocks of documents
    stage, table         the task that annotates a shard, and the file `tokens.parquet` that it writes

The pipeline runs the stage. Search and exports read the table; without one they call `annotate_blocks`.
"""

from typing import TYPE_CHECKING

from gristmill.lazy import lazy_names

if TYPE_CHECKING:
    from gristmill.annotation.annotation import Annotation, glued
    from gristmill.annotation.blocks import annotate, annotate_blocks
    from gristmill.annotation.settings import settings_of
    from gristmill.annotation.stage import AnnotateTask, is_current
    from gristmill.annotation.table import TOKENS_SCHEMA, read_annotations
    from gristmill.annotation.tagger import TAGGERS, Tagged, Tagger, check_choices, spec_for, tagger_for
    from gristmill.annotation.tokeniser import Tokens, tokenise

__all__ = [
    "TAGGERS",
    "TOKENS_SCHEMA",
    "AnnotateTask",
    "Annotation",
    "Tagged",
    "Tagger",
    "Tokens",
    "annotate",
    "annotate_blocks",
    "check_choices",
    "glued",
    "is_current",
    "read_annotations",
    "settings_of",
    "spec_for",
    "tagger_for",
    "tokenise",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "annotation": ("Annotation", "glued"),
        "blocks": ("annotate", "annotate_blocks"),
        "settings": ("settings_of",),
        "stage": ("AnnotateTask", "is_current"),
        "table": ("TOKENS_SCHEMA", "read_annotations"),
        "tagger": ("TAGGERS", "Tagged", "Tagger", "check_choices", "spec_for", "tagger_for"),
        "tokeniser": ("Tokens", "tokenise"),
    },
)
