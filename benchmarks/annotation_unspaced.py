"""Measure where sentences end in Chinese and Japanese without spaces: treebank sentences joined, ten at a time.

F1 of sentences, which are right if start and end are those of the treebank: as they are written, with question and
exclamation marks as wide ones (`？`), and with half-width ones (`?`).
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import pairwise

from annotation_gold import LANGUAGES, read_treebanks
from harness import command_line, print_table

from gristmill.annotation import tokenise

_JOINED = 10  # sentences
_WIDTHS = {"as written": {}, "wide": str.maketrans("!?", "！？"), "half-width": str.maketrans("！？", "!?")}


def sentence_ends(text: str, lang: str) -> list[int]:
    """Where sentences end, by ours."""
    tokens = tokenise(text, lang)
    ends, reached = [], 0
    for number in tokens.sentences:
        reached += number
        ends.append(tokens.starts[reached - 1] + len(tokens.words[reached - 1]))
    return ends


def f1(sentences: Sequence[str], lang: str) -> float:
    """F1 of sentences that are joined without spaces, in per cent."""
    right = total = 0
    for first in range(0, len(sentences), _JOINED):
        text, gold = "", [0]
        for sentence in sentences[first : first + _JOINED]:
            text += sentence
            gold.append(len(text))
        found = [0, *sentence_ends(text, lang)]
        right += len(set(pairwise(found)) & set(pairwise(gold)))
        total += len(found) + len(gold) - 2
    return 200 * right / total


def main() -> None:
    """Measure, then print."""
    arguments = command_line(f"Sentences without spaces. {__doc__}").parse_args()
    figures = {}
    for name, rows in read_treebanks(arguments.gold).items():
        lang = LANGUAGES[name.partition("-")[0]]
        if lang in {"ja", "zh"}:
            texts = [row["text"].strip() for row in rows]
            figures[name] = {
                width: f1([text.translate(table) for text in texts], lang) for width, table in _WIDTHS.items()
            }
    if arguments.json:
        print(json.dumps(figures, indent=2))
    else:
        print_table(
            ["F1", *_WIDTHS], [[name, *(f"{value:.2f}" for value in row.values())] for name, row in figures.items()]
        )


if __name__ == "__main__":
    main()
