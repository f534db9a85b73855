"""Measure lemmas and tags of `own` next to simplemma, HanTa (German) and UniDic (Japanese), on the words of treebanks.

Every tenth of the sentences is tagged by a model that was trained on the other nine, so that no sentence is seen in
training. Lemmas are compared exactly and without case. Speed is words a second of CPU: cold from a loaded tagger that
has seen no word, warm when it has seen all; that of `own` is the speed of the model that is shipped.

HanTa's tags were mapped to universal ones by every other sentence of its treebank, UniDic's by all but every tenth; in
these two languages only the other sentences are reported, for all taggers. The treebank of English has a second part
from which nothing was learned (`ud-dev.parquet`): there the shipped model is measured as well.
"""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from annotation_gold import read_treebanks
from harness import command_line, print_table, tell
from tagger_models import simplemma_of

from gristmill.annotation.tagger import Tagged, Tagger, tagger_for
from gristmill.annotation.taggers.own import OwnTagger
from gristmill.annotation.tagging.training import train
from gristmill.annotation.tagging.treebank import Sentence, Token, part_of, read_treebank
from gristmill.errors import UsageError

LANGUAGES = "en,de,nl,ru,uk,ja"
_FOLDS = 10
_OTHERS = {"de": "hanta", "ja": "unidic"}
_REPORTED = {"de": slice(1, None, 2), "ja": slice(None, None, 10)}
"""The sentences of `ud-dev.parquet` that tags were not mapped by."""
_NEVER_LEARNED = {"en": "English-EWT"}
"""The treebanks of `ud-dev.parquet` that are not in `ud-train.parquet`."""


def read_dev(gold: Path, treebank: str) -> list[Sentence]:
    """Read the sentences of a treebank of `ud-dev.parquet`, which has no features."""
    return [
        Sentence([Token(*token) for token in zip(row["tokens"], row["upos"], row["lemma"], strict=True)], [], treebank)
        for row in read_treebanks(gold)[treebank]
    ]


def reported(gold: Path, lang: str, sentences: Sequence[Sentence]) -> list[Sentence]:
    """Return those sentences that are reported."""
    if lang not in _REPORTED:
        return list(sentences)
    name = sentences[0].treebank.removeprefix("UD_")
    wanted = {tuple(row["tokens"]) for row in read_treebanks(gold)[name][_REPORTED[lang]]}
    return [sentence for sentence in sentences if _words(sentence) in wanted]


def by_folds(sentences: Sequence[Sentence], wanted: Sequence[Sentence], lang: str) -> tuple[list[Token], Tagged]:
    """Tag sentences by models that have not seen them; returns what is right, and what was found."""
    asked = set(map(_words, wanted))
    gold, found = [], Tagged()
    for fold in range(_FOLDS):
        seen = part_of(sentences, lambda run, fold=fold: run % _FOLDS != fold)  # type: ignore[misc]
        unseen = part_of(sentences, lambda run, fold=fold: run % _FOLDS == fold)  # type: ignore[misc]
        unseen = [sentence for sentence in unseen if _words(sentence) in asked]
        tagged = OwnTagger(train(seen, lang)).tag(list(map(_words, unseen)))
        gold += _tokens(unseen)
        found.lemmas.extend(tagged.lemmas)
        found.tags.extend(tagged.tags)
    return gold, found


def shares(gold: Sequence[Token], found: Tagged) -> dict[str, float]:
    """Return the shares of lemmas and tags that are right; `#`, which marks parts of Finnish compounds, is left out."""
    pairs = [
        (token.lemma.replace("#", "") or token.lemma, lemma) for token, lemma in zip(gold, found.lemmas, strict=True)
    ]
    return {
        "words": len(gold),
        "lemmas": sum(one == other for one, other in pairs) / len(gold),
        "lemmas without case": sum(one.lower() == other.lower() for one, other in pairs) / len(gold),
        "tags": sum(token.tag == tag for token, tag in zip(gold, found.tags, strict=True)) / len(gold),
    }


def speeds(tagger: Tagger, sentences: Sequence[Sentence]) -> dict[str, float]:
    """Return words a second, of a tagger that has seen no word and then of one that has seen all."""
    words = list(map(_words, sentences))
    seconds = []
    for _ in range(3):
        start = time.process_time()
        tagger.tag(words)
        seconds.append(time.process_time() - start)
    count = sum(map(len, words))
    return {"cold": count / seconds[0], "warm": count / min(seconds[1:])}


def measure(gold: Path, lang: str) -> dict[str, dict[str, float]]:
    """Measure our tagger and the others in one language."""
    sentences = read_treebank(gold / "ud-train.parquet", lang)
    wanted = reported(gold, lang, sentences)
    figures = {"own": shares(*by_folds(sentences, wanted, lang))}
    others = {"own": tagger_for(lang, [f"{lang}=own"])[1], "simplemma": simplemma_of(lang)}
    if lang in _OTHERS:
        try:
            others[_OTHERS[lang]] = tagger_for(lang, [f"{lang}={_OTHERS[lang]}"])[1]
        except UsageError as error:
            tell(f"{lang}: {error}")
    for name, tagger in others.items():
        speed = speeds(tagger, sentences)
        known = figures.get(name) or shares(_tokens(wanted), tagger.tag(list(map(_words, wanted))))
        figures[name] = {**known, **speed}
    if lang in _NEVER_LEARNED:
        never = read_dev(gold, _NEVER_LEARNED[lang])
        for name, tagger in others.items():
            figures[f"{name}, never learned"] = shares(_tokens(never), tagger.tag(list(map(_words, never))))
    return figures


def _words(sentence: Sentence) -> tuple[str, ...]:
    return tuple(token.word for token in sentence.words)


def _tokens(sentences: Sequence[Sentence]) -> list[Token]:
    return [token for sentence in sentences for token in sentence.words]


def show(figures: dict[str, dict[str, dict[str, float]]]) -> None:
    """Print one table."""
    print_table(
        ["language", "tagger", "words", "lemmas", "without case", "tags", "cold/s", "warm/s"],
        [
            [
                lang,
                name,
                f"{row['words']:,}",
                *(f"{row[part]:.4f}" for part in ("lemmas", "lemmas without case", "tags")),
                *(f"{row[part]:,.0f}" if part in row else "" for part in ("cold", "warm")),
            ]
            for lang, taggers in figures.items()
            for name, row in taggers.items()
        ],
    )


def main() -> None:
    """Measure all, then print."""
    parser = command_line(f"Lemmas and tags. {__doc__}")
    parser.add_argument("--lang", default=LANGUAGES, help=f"languages, with commas between them [{LANGUAGES}]")
    arguments = parser.parse_args()
    figures: dict[str, dict[str, Any]] = {}
    for lang in arguments.lang.split(","):
        figures[lang] = measure(arguments.gold, lang)
        tell(lang)
    if arguments.json:
        print(json.dumps(figures, indent=2))
    else:
        show(figures)


if __name__ == "__main__":
    main()
