"""Train the taggers that come with gristmill, measure them on what was left out, and write models, cards and tables.

    python benchmarks/tagger_models.py --output src/gristmill/annotation/models [--lang de,fr]
    python benchmarks/tagger_models.py --elsewhere             # each treebank by a model of the language's other ones
    python benchmarks/tagger_models.py --speed                 # tokens a second of each language, from its treebanks
    python benchmarks/tagger_models.py --running               # tokens a second of running English text, of web pages
    python benchmarks/tagger_models.py --cards src/gristmill/annotation/models/README.md

A model is written if nine of ten tags of the sentences that were left out are right. Sources, licences and the names to
give are read from `ud-train.md` beside the treebanks. Lemmas are compared with those of simplemma, on the same words.
All but the cards are rows of JSON.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
from harness import command_line, find_gold_sets, tell
from tagger_cards import cards_of

from gristmill.annotation import annotate
from gristmill.annotation.parsing.choice import NONE, as_choice
from gristmill.annotation.tagger import Tagger, tagger_for
from gristmill.annotation.taggers.forms import Forms
from gristmill.annotation.taggers.own import OwnTagger
from gristmill.annotation.taggers.simplemma import Simplemma
from gristmill.annotation.tagging.evaluating import evaluate
from gristmill.annotation.tagging.measured import kept_of, left_out_of, train_measured
from gristmill.annotation.tagging.shipped import FOLDER
from gristmill.annotation.tagging.training import train
from gristmill.annotation.tagging.treebank import Sentence, read_treebank

MIN_TAGS = 0.9
"""The share of tags that must be right for a model to be shipped."""
LEFT_OUT = {"pl": "its treebank is under the GNU GPL 3.0"}
"""Languages whose models are not shipped, and why."""
_DICTIONARIES = {"hr": "hbs", "sr": "hbs"}
_SAME_SENTENCES = frozenset({"zh"})
"""Languages whose treebanks have the same sentences, in two scripts."""
_NO_PARSER = [as_choice(NONE)]
_TEXTS_AT_ONCE = 100
_PAGES = ("dragnet-a", "wcxb-a")
"""Gold standards of English pages."""


def sources_of(about: str, treebanks: list[str]) -> list[dict[str, str]]:
    """Read licence and attribution of treebanks from the description of the data."""
    found = []
    for treebank in treebanks:
        line = re.search(rf"^- {re.escape(treebank)}: (.+)$", about, re.MULTILINE)
        if line is None:
            raise SystemExit(f"there is no attribution of {treebank}")
        authors, _, licence = line.group(1).partition(" Universal Dependencies, ")
        found.append({"treebank": treebank, "licence": licence.rstrip("."), "attribution": authors.strip()})
    return found


def simplemma_of(lang: str) -> Tagger:
    """Return what lemmas are compared with: simplemma, or words in lower case."""
    kind = Simplemma(_DICTIONARIES.get(lang, ""))
    return kind.load(lang) if kind.serves(lang) else Forms().load(lang)


def train_language(sentences: Sequence[Sentence], lang: str, about: str, output: Path) -> dict[str, Any]:
    """Train a language, measure it, and write its model if it is good enough."""
    start = time.process_time()
    sources = sources_of(about, _treebanks(sentences))
    model, shares = train_measured(sentences, lang, about={"sources": sources})
    peer = evaluate(simplemma_of(lang), left_out_of(sentences))
    seconds = time.process_time() - start
    data = model.to_bytes()
    shipped = shares.tags >= MIN_TAGS and lang not in LEFT_OUT
    if shipped:
        output.mkdir(parents=True, exist_ok=True)
        (output / f"{lang}.tagger").write_bytes(data)
    else:
        tell(f"{lang} is not shipped: {LEFT_OUT.get(lang, 'too few tags are right')}")
    return {
        "lang": lang,
        "shipped": shipped,
        "bytes": len(data),
        "seconds": round(seconds, 1),
        **asdict(shares),
        "peer lemmas": peer.lemmas,
        "peer lemmas without case": peer.lemmas_without_case,
    }


def elsewhere(sentences: Sequence[Sentence], lang: str) -> Iterator[dict[str, Any]]:
    """Yield how good each treebank of a language is tagged by a model of the others.

    `near` is what a model of all treebanks has right in that part of the treebank that was left out of its training.
    """
    treebanks = _treebanks(sentences)
    if len(treebanks) < 2 or lang in _SAME_SENTENCES:
        return
    tagger = OwnTagger(train(kept_of(sentences), lang))
    for treebank in treebanks:
        others = [sentence for sentence in sentences if sentence.treebank != treebank]
        wanted = [sentence for sentence in sentences if sentence.treebank == treebank]
        near = [sentence for sentence in left_out_of(sentences) if sentence.treebank == treebank]
        yield {
            "lang": lang,
            "treebank": treebank,
            "learned words": sum(len(sentence.words) for sentence in others),
            **asdict(evaluate(OwnTagger(train(others, lang)), wanted)),
            "near": asdict(evaluate(tagger, near)),
            "peer": asdict(evaluate(simplemma_of(lang), wanted)),
        }


def speed(texts: Sequence[str], lang: str) -> dict[str, Any]:
    """Measure how fast texts are annotated by what their language gets by default, each once, by CPU time.

    The tagger is loaded before, but neither it nor the tokeniser has seen a word.
    """
    spec, _ = tagger_for(lang)
    annotate([(".", lang)], _NO_PARSER)
    start = time.process_time()
    tokens = sum(
        len(annotation.words)
        for at in range(0, len(texts), _TEXTS_AT_ONCE)
        for annotation in annotate([(text, lang) for text in texts[at : at + _TEXTS_AT_ONCE]], _NO_PARSER)
    )
    seconds = time.process_time() - start
    return {"lang": lang, "tagger": spec, "tokens": tokens, "tokens a second": round(tokens / seconds)}


def running_texts(gold: Path) -> list[str]:
    """Read all lines of English web pages, most of which are short."""
    pages = [page for path in find_gold_sets(gold, _PAGES) for page in _column(path, "gold")]
    return [" ".join(line.split()) for page in pages for line in page.splitlines() if line.strip()]


def _column(path: Path, name: str, lang: str = "") -> list[str]:
    """Read a column of a table, of all rows or those of a language."""
    filters = [("lang", "=", lang)] if lang else None
    values: list[str] = pq.read_table(path, columns=[name], filters=filters)[name].to_pylist()
    return values


def _treebanks(sentences: Sequence[Sentence]) -> list[str]:
    return sorted({sentence.treebank for sentence in sentences})


def main() -> None:
    """Do what was asked for, in all languages or some."""
    parser = command_line(__doc__ or "")
    parser.add_argument("--lang", default="", help="languages, with commas between them [all]")
    parser.add_argument("--output", type=Path, metavar="FOLDER", help="train models, and write them there")
    parser.add_argument("--elsewhere", action="store_true", help="leave out whole treebanks")
    parser.add_argument("--speed", action="store_true", help="measure how fast texts are annotated")
    parser.add_argument("--running", action="store_true", help="measure how fast running English text is annotated")
    parser.add_argument("--cards", type=Path, metavar="FILE", help="write the cards of the models that are shipped")
    arguments = parser.parse_args()
    path = arguments.gold / "ud-train.parquet"
    languages = (
        arguments.lang.split(",")
        if arguments.lang
        else sorted(set(pq.read_table(path, columns=["lang"])["lang"].to_pylist()))
    )
    if arguments.running:
        print(json.dumps(speed(running_texts(arguments.gold), "en")), flush=True)
    for lang in languages if arguments.speed or arguments.output or arguments.elsewhere else ():
        rows: list[dict[str, Any]] = []
        if arguments.speed:
            rows.append(speed(_column(path, "text", lang), lang))
        if arguments.output or arguments.elsewhere:
            sentences = read_treebank(path, lang)
            if arguments.output:
                about = (arguments.gold / "ud-train.md").read_text("utf-8")
                rows.append(train_language(sentences, lang, about, arguments.output))
            if arguments.elsewhere:
                rows += elsewhere(sentences, lang)
        for row in rows:
            print(json.dumps(row), flush=True)
    if arguments.cards:
        arguments.cards.write_text(cards_of(arguments.output or FOLDER), "utf-8")


if __name__ == "__main__":
    main()
