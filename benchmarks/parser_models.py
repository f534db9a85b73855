"""Train the parsers that come with gristmill, measure them on what was left out, and write models, cards and tables.

    python benchmarks/parser_models.py --output src/gristmill/annotation/models [--lang de,fr]
    python benchmarks/parser_models.py --cards src/gristmill/annotation/models/PARSERS.md
    python benchmarks/parser_models.py --dev             # the parsers that are shipped on ud-dev.parquet, tagged by ours
    python benchmarks/parser_models.py --running         # tokens a second of running English text, with and without

Languages are those that have a tagger of ours. A model is written if three of four words that were left out have the
right head and relation, with tags of a tagger that has not seen them either. All but the cards are rows of JSON.
"""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from harness import command_line, tell
from parser_cards import cards_of
from tagger_models import running_texts, sources_of

from gristmill.annotation import annotate
from gristmill.annotation.parsing.choice import NONE, as_choice, parser_for
from gristmill.annotation.parsing.evaluating import evaluate
from gristmill.annotation.parsing.jackknife import predict, retag
from gristmill.annotation.parsing.measured import check_trees, measure, train_all
from gristmill.annotation.parsing.shipped import FOLDER, SUFFIX, languages
from gristmill.annotation.tagger import tagger_for
from gristmill.annotation.tagging.measured import left_out_of
from gristmill.annotation.tagging.shipped import languages as tagged_languages
from gristmill.annotation.tagging.treebank import Sentence, read_treebank

MIN_LAS = 0.75
"""The share of words that must be right for a model to be shipped."""
_TEXTS_AT_ONCE = 100


def train_language(sentences: Sequence[Sentence], lang: str, about: str, output: Path) -> dict[str, Any]:
    """Train a language, measure it, and write its model if it is good enough."""
    start = time.process_time()
    check_trees(sentences)
    predicted = predict(sentences, lang)
    measured = measure(predicted, left_out_of(sentences), lang)
    size = 0
    if measured.predicted.las >= MIN_LAS:
        sources = sources_of(about, sorted({sentence.treebank for sentence in sentences}))
        data = train_all(predicted, measured, lang, about={"sources": sources}).to_bytes()
        output.mkdir(parents=True, exist_ok=True)
        (output / f"{lang}{SUFFIX}").write_bytes(data)
        size = len(data)
    else:
        tell(f"{lang} is not shipped: too few relations are right")
    seconds = round(time.process_time() - start, 1)
    return {"lang": lang, "bytes": size, "seconds": seconds, **asdict(measured)}


def on_dev(gold: Path, lang: str) -> dict[str, Any]:
    """Measure the parser of a language on treebanks of another file, with the tags of our tagger."""
    sentences = read_treebank(gold / "ud-dev.parquet", lang)
    parser = parser_for(lang)
    assert parser is not None
    return {"lang": lang, **asdict(evaluate(parser, retag(tagger_for(lang)[1], sentences)))}


def speed(texts: Sequence[str], choices: Sequence[str]) -> dict[str, Any]:
    """Measure how fast English texts are annotated, by CPU time; all is loaded before."""
    annotate([(".", "en")], choices)
    start = time.process_time()
    tokens = sum(
        len(annotation.words)
        for at in range(0, len(texts), _TEXTS_AT_ONCE)
        for annotation in annotate([(text, "en") for text in texts[at : at + _TEXTS_AT_ONCE]], choices)
    )
    return {
        "choices": list(choices),
        "tokens": tokens,
        "tokens a second": round(tokens / (time.process_time() - start)),
    }


def main() -> None:
    """Do what was asked for, in all languages or some."""
    parser = command_line(__doc__ or "")
    parser.add_argument("--lang", default="", help="languages, with commas between them [all]")
    parser.add_argument("--output", type=Path, metavar="FOLDER", help="train models, and write them there")
    parser.add_argument("--dev", action="store_true", help="measure those that are shipped on other sentences")
    parser.add_argument("--running", action="store_true", help="measure how fast running English text is annotated")
    parser.add_argument("--cards", type=Path, metavar="FILE", help="write the cards of the models that are shipped")
    arguments = parser.parse_args()
    chosen = arguments.lang.split(",") if arguments.lang else []
    for lang in (chosen or tagged_languages()) if arguments.output else ():
        about = (arguments.gold / "ud-train.md").read_text("utf-8")
        sentences = read_treebank(arguments.gold / "ud-train.parquet", lang)
        print(json.dumps(train_language(sentences, lang, about, arguments.output)), flush=True)
    for lang in (chosen or languages()) if arguments.dev else ():
        print(json.dumps(on_dev(arguments.gold, lang)), flush=True)
    for choices in ([as_choice(NONE)], []) if arguments.running else ():
        print(json.dumps(speed(running_texts(arguments.gold), choices)), flush=True)
    if arguments.cards:
        arguments.cards.write_text(cards_of(arguments.output or FOLDER), "utf-8")


if __name__ == "__main__":
    main()
