"""The bundled samples: small webs written for this project, with the truth of every block.

`python -m sample` makes their files from the folder `sample/` of the repository. The command line reads them by the
names `sample` and `sample-parallel`; tests and benchmarks use their truth. The second one is multilingual: English,
German and Czech pages, of which it is known which pages and which sentences translate each other.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, TypedDict

WARC = Path(__file__).parent / "web.warc.gz"
TRUTH = Path(__file__).parent / "truth.jsonl"
PARALLEL_WARC = Path(__file__).parent / "parallel.warc.gz"
PARALLEL_TRUTH = Path(__file__).parent / "parallel.jsonl"
ARCHIVES = {"sample": WARC, "sample-parallel": PARALLEL_WARC}
"""The archives by the names that users call them."""


class ParallelTruth(TypedDict):
    """What is known of the multilingual sample."""

    pages: dict[str, dict[str, Any]]
    """Each page by its address.

    `lang` is the language of its text, `site` and `topic` say where its source is, `translation` says how much of it is
    in the language of its address: `whole`, `partly`, `untranslated`, or `summary` (a short page about what another one
    says at length, which is no translation). `translations` has the address of its translation for each other language,
    or None. `sentences` are those of its text in order, `blocks` all its blocks: `text`, `kind` and `role`.
    """
    pairs: list[tuple[str, str]]
    """The pages that translate each other, English before German before Czech."""
    beads: dict[tuple[str, str], list[tuple[list[str], list[str]]]]
    """The sentences of both pages of a pair that translate each other, in the order of the text.

    Together they are all sentences of both pages. One side is empty where a sentence was left out or added, and for all
    sentences of a part that was not translated, but stands there in the language of the original.
    """


def truth() -> dict[str, dict[str, Any]]:
    """The truth of each page of `sample`, by its address: type, language, encoding, and blocks.

    A block has a text, a kind, a role, and `copy_of` if it repeats another one.
    """
    pages = (json.loads(line) for line in TRUTH.read_text("utf-8").splitlines())
    return {page["url"]: page for page in pages}


def parallel_truth() -> ParallelTruth:
    """The truth of `sample-parallel`: its pages, which of them translate each other, and which of their sentences."""
    lines = [json.loads(line) for line in PARALLEL_TRUTH.read_text("utf-8").splitlines()]
    beads = {
        (line["pair"][0], line["pair"][1]): [(source, target) for source, target in line["beads"]]
        for line in lines
        if "pair" in line
    }
    return {"pages": {line["url"]: line for line in lines if "url" in line}, "pairs": list(beads), "beads": beads}
