"""Measure tokens and sentences: how many are right, and how fast, compared with others that need no model.

Right: a token or a sentence has the same start and end as in a treebank of Universal Dependencies. Rules were made
looking at every other paragraph, the first among them (`--half 0`); what is reported is the rest. There are two sets:
`ud-dev` has 11 treebanks, and is compared with spaCy's blank pipeline and pysbd; `ud-train` has 50 languages, with the
best of all peers of `annotation_peers.py` for each treebank. Speed, on `ud-dev` and web pages, is tokens a second of
CPU, the best of several rounds, in which all take turns: cold from nothing seen, so that every text is seen once, as in
a corpus; warm when all texts were seen before. It is measured on texts of block size, and on running text: every line
of the pages, most of which are short. At least 1.5 million tokens a second, cold, are asked for on running text in
English. `--only speed` leaves out how many are right, and the treebanks.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any

import pyarrow.parquet as pq
import spacy
from annotation_gold import Paragraph, Span, read_paragraphs
from annotation_peers import Finder, Found, finders
from harness import at_least_one, command_line, find_gold_sets, print_table, tell

from gristmill.annotation import tokenise
from gristmill.annotation.tokeniser import forget

Scores = dict[str, dict[str, float]]
"""F1 of tokens and of sentences, by the names of tools."""
_PEERS = ("gristmill", "spaCy", "pysbd")
_BLOCK = range(50, 201)  # words
_PAGES = ("canola", "cleaneval", "dragnet-a", "l3s-gn1", "wcxb-a")
_BATCH = 25  # texts
_WAYS = ("cold", "warm", "spaCy")


def gristmill_finder(lang: str) -> Finder:
    """Ours."""

    def find(text: str) -> Found:
        found = tokenise(text, lang)
        tokens = [(start, start + len(word)) for start, word in zip(found.starts, found.words, strict=True)]
        sentences = []
        reached = 0
        for number in found.sentences:
            sentences.append((tokens[reached][0], tokens[reached + number - 1][1]))
            reached += number
        return tokens, sentences

    return find


def f1(pairs: Iterable[tuple[Sequence[Span], Sequence[Span]]]) -> float:
    """F1 of spans found against gold ones, over all paragraphs, in per cent."""
    right = total = 0
    for found, gold in pairs:
        right += len(set(found) & set(gold))
        total += len(found) + len(gold)
    return 200 * right / max(1, total)


def score(paragraphs: Sequence[Paragraph], names: Collection[str] = ()) -> Scores:
    """F1 of tokens and sentences on one treebank, by us and by all peers, or those that are named."""
    lang = paragraphs[0].lang
    tools = {"gristmill": gristmill_finder(lang)} | finders(lang, names)
    scores = {}
    for name, find in tools.items():
        found = [find(paragraph.text) for paragraph in paragraphs]
        scores[name] = {
            "tokens": f1((tokens, paragraph.tokens) for (tokens, _), paragraph in zip(found, paragraphs, strict=True)),
            "sentences": f1(
                (sentences, paragraph.sentences) for (_, sentences), paragraph in zip(found, paragraphs, strict=True)
            ),
        }
    return scores


def lines(texts: Iterable[str]) -> list[str]:
    """All lines that are not empty, spaces as they are in blocks."""
    return [" ".join(line.split()) for text in texts for line in text.splitlines() if line.strip()]


def blocks(texts: Iterable[str]) -> list[str]:
    """Lines of block size."""
    return [line for line in lines(texts) if line.count(" ") + 1 in _BLOCK]


def time_all(texts: Sequence[str], lang: str, rounds: int) -> dict[str, float]:
    """Million tokens a second, with sentences: ours cold and warm, and spaCy's; the best time of each batch counts."""
    pipeline = spacy.blank(lang)
    pipeline.add_pipe("sentencizer")
    runs = dict(zip(_WAYS, (_ours(lang), _ours(lang), lambda text: len(pipeline(text))), strict=True))
    batches = [texts[at : at + _BATCH] for at in range(0, len(texts), _BATCH)]
    best = {name: [float("inf")] * len(batches) for name in runs}
    tokens = dict.fromkeys(runs, 0)
    for _ in range(rounds):
        forget()
        tokenise("", lang)
        for name, run in runs.items():
            tokens[name] = 0
            for number, batch in enumerate(batches):
                start = time.process_time()
                tokens[name] += sum(map(run, batch))
                best[name][number] = min(best[name][number], time.process_time() - start)
    return {name: tokens[name] / sum(best[name]) / 1e6 for name in runs}


def _ours(lang: str) -> Callable[[str], int]:
    return lambda text: len(tokenise(text, lang).words)


def show_best(treebanks: dict[str, Scores]) -> None:
    """Print our scores beside those of the best peer, for tokens and for sentences."""
    rows = []
    for name, scores in sorted(treebanks.items()):
        row = [name]
        for what in ("tokens", "sentences"):
            peer = max((peer for peer in scores if peer != "gristmill"), key=lambda peer: scores[peer][what])
            row += [f"{scores['gristmill'][what]:.2f}", f"{scores[peer][what]:.2f} {peer}"]
        rows.append(row)
    print_table(["F1", "tokens", "best peer", "sentences", "best peer"], rows)


def show(figures: dict[str, Any]) -> None:
    """Print all tables."""
    treebanks = figures["quality"]
    if treebanks:
        show_quality(treebanks)
    print("\nMillion tokens a second")
    print_table(
        ["texts", "cold", "warm", "spaCy", "cold/spaCy", "warm/spaCy"],
        [
            [name, *[f"{row[way]:.2f}" for way in _WAYS], *[f"{row[way] / row['spaCy']:.1f}x" for way in _WAYS[:2]]]
            for name, row in figures["speed"].items()
        ],
    )


def show_quality(treebanks: dict[str, Any]) -> None:
    """Print the table of how many are right."""
    print_table(
        ["F1", "tokens", "spaCy", "sentences", "spaCy", "pysbd"],
        [
            [
                name,
                *[f"{scores[peer]['tokens']:.2f}" for peer in _PEERS[:2]],
                *[f"{scores[peer]['sentences']:.2f}" for peer in _PEERS],
            ]
            for name, scores in treebanks.items()
        ],
    )


def main() -> None:
    """Measure all, then print."""
    parser = command_line(f"Tokens and sentences. {__doc__}")
    parser.add_argument(
        "--half", type=int, choices=(0, 1), default=1, help="which half of the paragraphs (default: 1, not looked at)"
    )
    parser.add_argument("--rounds", type=at_least_one, default=5, help="rounds of timing (default: 5)")
    parser.add_argument("--set", choices=("ud-dev", "ud-train"), default="ud-dev", help="treebanks (default: ud-dev)")
    parser.add_argument("--only", choices=("all", "speed"), default="all", help="what to measure (default: all)")
    arguments = parser.parse_args()
    figures: dict[str, Any] = {"quality": {}, "speed": {}}
    treebanks = read_paragraphs(arguments.gold, arguments.set) if arguments.only == "all" else {}
    for name, paragraphs in treebanks.items():
        figures["quality"][name] = score(paragraphs[arguments.half :: 2], _PEERS if arguments.set == "ud-dev" else ())
        tell(name)
    if arguments.set == "ud-dev":
        figures["speed"] = time_treebanks(treebanks, arguments)
    if arguments.json:
        print(json.dumps(figures, indent=2))
    elif arguments.set == "ud-dev":
        show(figures)
    else:
        show_best(figures["quality"])


def time_treebanks(treebanks: dict[str, list[Paragraph]], arguments: argparse.Namespace) -> dict[str, Any]:
    """Speed on web pages and on each treebank."""
    pages = [
        pq.read_table(path, columns=["gold"])["gold"].to_pylist() for path in find_gold_sets(arguments.gold, _PAGES)
    ]
    speed = {}
    for name, cut in (("web pages in English", blocks), ("running text in English", lines)):
        speed[name] = time_all(cut(text for page in pages for text in page), "en", arguments.rounds)
        tell(f"{name}, timed")
    for name, paragraphs in treebanks.items():
        speed[name] = time_all([paragraph.text for paragraph in paragraphs], paragraphs[0].lang, arguments.rounds)
        tell(f"{name}, timed")
    return speed


if __name__ == "__main__":
    main()
