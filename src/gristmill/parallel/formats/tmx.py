"""TMX 1.4b, the format of translation memories (LISA 2005), which translators' programs and OPUS read.

A bead is a `<tu>` with the id of the bead, its scores as `<prop>`, and a `<tuv>` for each language. That has the
address of the page, the id of the document in the corpus of origin, and the place in it as `<prop>`.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import repeat
from xml.sax.saxutils import escape, quoteattr

from gristmill.parallel.formats.registry import Languages, TextFormat
from gristmill.parallel.formats.values import columns, one_line, places
from gristmill.parallel.reader import FoundBeads
from gristmill.parallel.records import SIDES
from gristmill.registry import part
from gristmill.version import __version__


def _head(languages: Languages) -> str:
    about = {
        "creationtool": "gristmill",
        "creationtoolversion": __version__,
        "segtype": "sentence",
        "o-tmf": "gristmill",
        "adminlang": "en",
        "srclang": languages[0],
        "datatype": "plaintext",
    }
    attributes = " ".join(f"{name}={quoteattr(one_line(value))}" for name, value in about.items())
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<tmx version="1.4">\n<header {attributes}/>\n<body>\n'


def _units(found: FoundBeads, languages: Languages) -> Iterator[str]:
    sides = [_variants(found, side, lang) for side, lang in zip(SIDES, languages, strict=True)]
    for (bead, score, page_score), source, target in zip(
        columns(found, "id", "score", "page_score"), *sides, strict=True
    ):
        yield (
            f"<tu tuid={quoteattr(bead)}>{_prop('score', f'{score:.4f}')}{_prop('page-score', f'{page_score:.4f}')}"
            f"\n{source}\n{target}\n</tu>\n"
        )


def _variants(found: FoundBeads, side: str, lang: str) -> Iterator[str]:
    """One side of each bead, in its language."""
    known = columns(found, f"{side}_text", f"{side}_url", f"{side}_id")
    for (text, url, document), where, code in zip(known, places(found, side), repeat(quoteattr(one_line(lang)))):
        props = _prop("url", url) + _prop("document", document) + _prop("place", where)
        yield f"<tuv xml:lang={code}>{props}<seg>{escape(one_line(text))}</seg></tuv>"


def _prop(kind: str, value: str) -> str:
    return f'<prop type="{kind}">{escape(one_line(value))}</prop>' if value else ""


part("format of sentence pairs", "tmx")(TextFormat(_units, (".tmx",), _head, "</body>\n</tmx>\n"))
