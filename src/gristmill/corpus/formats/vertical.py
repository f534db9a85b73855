"""Vertical text, as corpus managers read it: a token a line, structures as tags, characters of markup escaped.

The columns are word, tag, lemma and the tagger's own tag. `<g/>` stands between tokens that have no space between them.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from xml.sax.saxutils import escape

from gristmill.annotation import Annotation, glued
from gristmill.corpus.attributes import DOC_ATTRIBUTES, P_ATTRIBUTES
from gristmill.corpus.formats.managers import companions
from gristmill.corpus.formats.registry import text_format
from gristmill.corpus.selecting import SelectedDocument

NOTHING = "-"
"""Stands in a column for which there is no value: a line must not end in an empty one."""
_MAX_VALUE_CHARACTERS = 1000
"""Length at which values are cut off: cwb-encode takes no lines of 64 kB, and cuts values at 4 kB."""
_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")
_UNPRINTABLE = "\N{REPLACEMENT CHARACTER}"


@text_format("vertical", ".vert", ".vertical", ".vrt", has_tokens=True, companions=companions)
def vertical(chosen: SelectedDocument) -> Iterator[str]:
    """Write `<doc>` with metadata, `<p>` with what is known of each block, `<s>` and tokens."""
    yield _opened("doc", *((name, value(chosen.document)) for name, value in DOC_ATTRIBUTES.items()))
    for paragraph, annotation in zip(chosen.paragraphs(), chosen.annotations, strict=True):
        if annotation.words:
            yield _opened_again("p", *((name, value(paragraph)) for name, value in P_ATTRIBUTES.items()))
            yield from _sentences(annotation)
            yield "</p>\n"
    yield "</doc>\n"


def _sentences(annotation: Annotation) -> Iterator[str]:
    """`<s>` and the tokens of each sentence, a line each."""
    columns = (annotation.words, annotation.tags, annotation.lemmas, annotation.xpos)
    lines = list(map("\t".join, zip(*(map(_field, column) for column in columns), strict=True)))
    no_space = glued(annotation)
    with_glue = [f"<g/>\n{line}" if is_glued else line for line, is_glued in zip(lines, no_space, strict=True)]
    end = 0
    for length in annotation.sentences:
        start, end = end, end + length
        yield "<g/>\n<s>\n" if no_space[start] else "<s>\n"
        yield "\n".join([lines[start], *with_glue[start + 1 : end]])
        yield "\n</s>\n"


@functools.lru_cache(1 << 16)
def _field(value: str) -> str:
    """A value as it stands in a column."""
    return escape(_CONTROLS.sub(_UNPRINTABLE, value[:_MAX_VALUE_CHARACTERS])) or NOTHING


def _opened(structure: str, *attributes: tuple[str, str]) -> str:
    """An opening tag, in one line, with values in double quotes."""
    values = (escape(_CONTROLS.sub(" ", value[:_MAX_VALUE_CHARACTERS]), {'"': "&quot;"}) for _, value in attributes)
    inner = "".join(f' {name}="{value}"' for (name, _), value in zip(attributes, values, strict=True))
    return f"<{structure}{inner}>\n"


_opened_again = functools.lru_cache(1 << 12)(_opened)  # most paragraphs are like others
