"""Export formats, found by name in `FORMATS`.

To add one, write a file here that registers a `Format`, mostly by `text_format`, and import it below.
"""

from gristmill.corpus.formats import vertical  # noqa: I001 (the order in which they are listed)
from gristmill.corpus.formats import jsonl, parquet, text, markdown, markup, conllu
from gristmill.corpus.formats.registry import FORMATS, Format, text_format

__all__ = ["FORMATS", "Format", "conllu", "jsonl", "markdown", "markup", "parquet", "text", "text_format", "vertical"]
