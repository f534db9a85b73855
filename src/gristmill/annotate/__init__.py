"""Annotation: tokens, sentences, lemmas and tags of the kept text."""

from typing import TYPE_CHECKING

from gristmill.lazy import import_lazily

if TYPE_CHECKING:
    from gristmill.annotate.annotation import Annotation, glued
    from gristmill.annotate.blocks import annotate, annotate_blocks
    from gristmill.annotate.settings import settings_of
    from gristmill.annotate.stage import AnnotateTask, is_current
    from gristmill.annotate.table import TOKENS_SCHEMA, read_annotations
    from gristmill.annotate.tagger import TAGGERS, Tagged, Tagger, check_choices, spec_for, tagger_for
    from gristmill.annotate.tokeniser import Tokens, tokenise

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

import_lazily(
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
