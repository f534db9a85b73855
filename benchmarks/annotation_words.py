"""Measure the words of Chinese, Japanese and Thai: F1 of tokens on sentences that were left out of training, and speed.

Our models are trained anew without every tenth sentence of the treebanks in `ud-train.parquet` (one that is there in
simplified and in traditional script is left out in both), and tokenise these, as do all peers that are installed.
Nothing was tuned on them. `--words LANG=FILE` names word lists as for `gristmill train segmenter`. Speed is thousand
tokens a second of CPU of the whole tokeniser, on all sentences, none of which it has seen, joined to texts of ten.
"""

from __future__ import annotations

import importlib
import json
import logging
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from unittest.mock import patch

from harness import command_line, print_table, tell

from gristmill.annotation import segmenters, tokeniser
from gristmill.annotation.segmentation import model as models
from gristmill.annotation.segmentation.lexicon import read_words, words_of
from gristmill.annotation.segmentation.training import split, train
from gristmill.annotation.segmentation.treebanks import Sentence, read_sentences

Find = Callable[[str], Iterable[str]]
_LANGUAGES = ("ja", "th", "zh")
_JOINED = 10  # sentences


def icu(lang: str) -> Find:
    """The dictionaries of ICU."""
    breaker = importlib.import_module("icu4py.breakers").WordBreaker
    return lambda text: breaker(text, lang)


def mecab(_: str) -> Find:
    """MeCab with unidic-lite."""
    tagger = segmenters.mecab("-Owakati")
    return lambda text: tagger.parse(text).split()


def jieba(_: str) -> Find:
    """The precise mode of jieba."""
    module = importlib.import_module("jieba")
    module.setLogLevel(logging.ERROR)
    cut: Find = module.cut
    return cut


def nagisa(_: str) -> Find:
    """The network of nagisa."""
    module = importlib.import_module("nagisa")
    return lambda text: module.tagging(text).words


def sudachi(_: str) -> Find:
    """The shortest units of Sudachi."""
    sudachipy = importlib.import_module("sudachipy")
    tokenizer = sudachipy.Dictionary().create(mode=sudachipy.SplitMode.A)
    return lambda text: [word.surface() for word in tokenizer.tokenize(text)]


def newmm(_: str) -> Find:
    """The default of PyThaiNLP."""
    module = importlib.import_module("pythainlp.tokenize")
    return lambda text: module.word_tokenize(text, engine="newmm", keep_whitespace=False)


_PEERS = {"ja": (mecab, sudachi, nagisa, icu), "th": (icu, newmm), "zh": (icu, jieba)}


def ours(lang: str) -> Find:
    """Our whole tokeniser."""
    return lambda text: tokeniser.tokenise(text, lang).words


def f1(find: Find, sentences: Sequence[Sentence]) -> float:
    """F1 of tokens, which are right if start and end are, in per cent."""
    right = total = 0
    for sentence in sentences:
        found, at = set(), 0
        for word in map(str.strip, find(sentence.text)):
            start = sentence.text.find(word, at)
            if word and start >= 0:
                at = start + len(word)
                found.add((start, at))
        right += len(found & set(zip(sentence.starts, sentence.ends, strict=True)))
        total += len(found) + len(sentence.starts)
    return 200 * right / max(1, total)


def speed(find: Find, sentences: Sequence[Sentence], rounds: int = 3) -> float:
    """Thousand tokens a second of CPU, the best of some rounds."""
    texts = [
        "".join(sentence.text + " " for sentence in sentences[at : at + _JOINED])
        for at in range(0, len(sentences), _JOINED)
    ]
    best, tokens = float("inf"), 0
    for _ in range(rounds):
        tokeniser.forget()
        find("。")
        start = time.process_time()
        tokens = sum(len(list(find(text))) for text in texts)
        best = min(best, time.process_time() - start)
    return tokens / best / 1000


def measure(lang: str, gold: Path, lists: Sequence[Path]) -> dict[str, tuple[float, float]]:
    """F1 and speed by all, for one language."""
    sentences = read_sentences(gold / "ud-train.parquet", lang)
    kept, left_out = split(sentences)
    known = words_of(lang)
    cutter = train(kept, lang, [*([known] if known else []), *map(read_words, lists)]).cutter()
    figures = {}
    with (
        patch.object(segmenters, "chosen_segmenter", lambda _: "own"),
        patch.object(models, "shipped_cut", lambda _: cutter.cut),
    ):
        segmenters.segmenter_for.cache_clear()
        tokeniser.forget()
        figures["ours"] = f1(ours(lang), left_out), speed(ours(lang), sentences)
    segmenters.segmenter_for.cache_clear()
    tokeniser.forget()
    for peer in _PEERS[lang]:
        try:
            find = peer(lang)
        except ImportError:
            continue
        figures[peer.__name__] = f1(find, left_out), speed(find, sentences, 1)
    return figures


def main() -> None:
    """Measure, then print."""
    parser = command_line(f"Words without spaces. {__doc__}")
    parser.add_argument("--words", action="append", default=[], metavar="LANG=FILE", help="a word list")
    parser.add_argument("--lang", choices=_LANGUAGES, action="append", help="only this language")
    arguments = parser.parse_args()
    lists = [word_list.partition("=")[::2] for word_list in arguments.words]
    figures = {}
    for lang in arguments.lang or _LANGUAGES:
        figures[lang] = measure(lang, arguments.gold, [Path(path) for code, path in lists if code == lang])
        tell(lang)
    if arguments.json:
        print(json.dumps(figures, indent=2))
    else:
        print_table(
            ["language", "by", "F1 of tokens", "thousand tokens a second"],
            [
                [lang, name, f"{score:.2f}", f"{rate:.0f}"]
                for lang, row in figures.items()
                for name, (score, rate) in row.items()
            ],
        )


if __name__ == "__main__":
    main()
