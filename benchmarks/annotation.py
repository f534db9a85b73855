"""Measure tokens and sentences: how many are right, and how fast, compared with spaCy's blank pipeline and pysbd.

Right: a token or a sentence has the same start and end as in a treebank of Universal Dependencies. Rules were made
looking at every other paragraph, the first among them (`--half 0`); what is reported is the rest. Speed is tokens a
second of CPU on texts of block size, the best of several rounds, in which all take turns: cold from nothing seen, warm
when all texts were seen before.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import pyarrow.parquet as pq
import pysbd
import spacy
from annotation_gold import Paragraph, Span, read_paragraphs
from harness import at_least_one, command_line, find_gold_sets, print_table, tell
from pysbd.languages import LANGUAGE_CODES

from gristmill.annotation import tokenise
from gristmill.annotation.tokeniser import forget

Found = tuple[list[Span], list[Span]]
_PEERS = ("gristmill", "spaCy", "pysbd")
_BLOCK = range(50, 201)  # words
_PAGES = ("canola", "cleaneval", "dragnet-a", "l3s-gn1", "wcxb-a")
_BATCH = 25  # texts


def gristmill_finder(lang: str) -> Callable[[str], Found]:
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


def spacy_finder(lang: str) -> Callable[[str], Found]:
    """`spacy.blank` and its rule-based sentenciser."""
    pipeline = spacy.blank(lang)
    pipeline.add_pipe("sentencizer")

    def find(text: str) -> Found:
        found = pipeline(text)
        tokens = [(token.idx, token.idx + len(token)) for token in found if not token.is_space]
        return tokens, [trim(text, sentence.start_char, sentence.end_char) for sentence in found.sents]

    return find


def pysbd_finder(lang: str) -> Callable[[str], Found]:
    """Only sentences; with the rules for English where it has none for a language."""
    segmenter = pysbd.Segmenter(language=lang if lang in LANGUAGE_CODES else "en", clean=False, char_span=True)

    def find(text: str) -> Found:
        return [], [trim(text, sentence.start, sentence.end) for sentence in segmenter.segment(text)]

    return find


_FINDERS = dict(zip(_PEERS, (gristmill_finder, spacy_finder, pysbd_finder), strict=True))


def trim(text: str, start: int, end: int) -> Span:
    """A span without the spaces around it."""
    inside = text[start:end]
    return start + len(inside) - len(inside.lstrip()), end - len(inside) + len(inside.rstrip())


def f1(pairs: Iterable[tuple[Sequence[Span], Sequence[Span]]]) -> float:
    """F1 of spans found against gold ones, over all paragraphs, in per cent."""
    right = total = 0
    for found, gold in pairs:
        right += len(set(found) & set(gold))
        total += len(found) + len(gold)
    return 200 * right / max(1, total)


def score(paragraphs: Sequence[Paragraph]) -> dict[str, dict[str, float]]:
    """F1 of tokens and sentences, by all, on one treebank."""
    scores = {}
    for name, finder in _FINDERS.items():
        find = finder(paragraphs[0].lang)
        found = [find(paragraph.text) for paragraph in paragraphs]
        scores[name] = {
            "tokens": f1((tokens, paragraph.tokens) for (tokens, _), paragraph in zip(found, paragraphs, strict=True)),
            "sentences": f1(
                (sentences, paragraph.sentences) for (_, sentences), paragraph in zip(found, paragraphs, strict=True)
            ),
        }
    return scores


def blocks(texts: Iterable[str]) -> list[str]:
    """Lines of block size, spaces as they are in blocks."""
    lines = (line.split() for text in texts for line in text.splitlines())
    return [" ".join(words) for words in lines if len(words) in _BLOCK]


def time_all(texts: Sequence[str], lang: str, rounds: int) -> dict[str, float]:
    """Million tokens a second, with sentences: ours cold and warm, and spaCy's; the best time of each batch counts."""
    pipeline = spacy.blank(lang)
    pipeline.add_pipe("sentencizer")
    runs = {"cold": _ours(lang), "warm": _ours(lang), "spaCy": lambda text: len(pipeline(text))}
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


def show(figures: dict[str, Any]) -> None:
    """Print all tables."""
    treebanks = figures["quality"]
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
    print("\nMillion tokens a second")
    print_table(
        ["texts", "cold", "warm", "spaCy", "warm/spaCy"],
        [
            [name, *[f"{value:.2f}" for value in row.values()], f"{row['warm'] / row['spaCy']:.0f}x"]
            for name, row in figures["speed"].items()
        ],
    )


def main() -> None:
    """Measure all, then print."""
    parser = command_line(f"Tokens and sentences. {__doc__}")
    parser.add_argument(
        "--half", type=int, choices=(0, 1), default=1, help="which half of the paragraphs (default: 1, not looked at)"
    )
    parser.add_argument("--rounds", type=at_least_one, default=5, help="rounds of timing (default: 5)")
    arguments = parser.parse_args()
    figures: dict[str, Any] = {"quality": {}, "speed": {}}
    treebanks = read_paragraphs(arguments.gold)
    for name, paragraphs in treebanks.items():
        figures["quality"][name] = score(paragraphs[arguments.half :: 2])
        tell(name)
    pages = [
        pq.read_table(path, columns=["gold"])["gold"].to_pylist() for path in find_gold_sets(arguments.gold, _PAGES)
    ]
    texts = blocks(text for page in pages for text in page)
    figures["speed"]["web pages in English"] = time_all(texts, "en", arguments.rounds)
    for name, paragraphs in treebanks.items():
        figures["speed"][name] = time_all(
            [paragraph.text for paragraph in paragraphs], paragraphs[0].lang, arguments.rounds
        )
        tell(f"{name}, timed")
    if arguments.json:
        print(json.dumps(figures, indent=2))
    else:
        show(figures)


if __name__ == "__main__":
    main()
