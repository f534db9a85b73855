"""Texts in many languages without repetitions, from the gold standards or from a folder of your own."""

from __future__ import annotations

import argparse
import json
import re
import sys
import unicodedata
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow.parquet as pq
from dedup_texts import paragraphs
from harness import find_gold_sets, spread, tell

from gristmill.arrays.hashing import mix
from gristmill.dedup.tokens import Tokens, shingle
from gristmill.text.scripts import has_unspaced_script
from gristmill.text.words import count_words

Texts = dict[str, list[list[str]]]

_UDHR = (
    "aii amh arb ben bod bul chr ckb div dzo epo est eus guj hat_popular hau_NG hin hun ibo iii ike jav kan kaz khk "
    "khm lao ltz mal min "
    "mkd mri mya nep pan plt pnb san sna som sot sun swh tam tat tgk tgl tir tuk_latn uig_arab urd uzn_latn vai war "
    "wol xho ydd yor zul"
).split()
"""Languages that have nothing else: of all scripts, and of those without spaces between words all there are."""
_SAME_SENTENCES = ("UD_Chinese-GSD",)  # those of another treebank, in another script
_PARAGRAPH_WORDS = 50
_TEXT_WORDS = 300
_LEAST_WORDS = 60
_NOT_LETTERS = re.compile(r"[\W_]+")
_TSHEG = re.compile(r"[\u0f0b\u0f0c]")  # between the syllables of Tibetan
_BETWEEN_WORDS = re.compile(r"[\s\u0f0b\u0f0c]+")
_NOT_PROSE = re.compile(r"[<>{}=]|://|([^\w\s])\1{3}")
_LEAST_LETTERS = 0.7
_HAN_AND_KANA = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")
_WORDS, _SYLLABLES, _HAN, _UNSPACED = 5, 12, 14, 28
"""Words, syllables of Tibetan, letters of Chinese and Japanese, or letters of Thai and its neighbours (marks apart)
that two texts have in common if one repeats the other: ten tokens are at times five words and punctuation. Far more
than ten characters or five syllables, so that who compares those is found out."""
_MOST_REPEATED = 0.2


def texts_by_language(arguments: argparse.Namespace) -> Texts:
    """Texts of each language, each a list of its paragraphs, of about as many words as were asked for."""
    found = _of_folder(arguments.texts) if arguments.texts else _of_gold(arguments.gold)
    wanted = [lang for lang in arguments.langs.split(",") if lang] or sorted(found)
    if missing := [lang for lang in wanted if lang not in found]:
        sys.exit(f"No texts in {', '.join(missing)}. There are: {', '.join(sorted(found))}.")
    chosen = {lang: _some(list(_cut(found[lang])), arguments.words) for lang in wanted}
    return without_repeats(chosen)


def _of_folder(folder: Path) -> Texts:
    """Files that are named after their languages.

    `th.jsonl` has a text a line, `{"blocks": ["a paragraph", "another"]}`; `th.txt` has a paragraph a line, and a blank
    line between texts.
    """
    texts: Texts = {}
    for path in sorted(folder.glob("*.jsonl")):
        with path.open(encoding="utf-8") as lines:
            texts[path.stem] = [json.loads(line)["blocks"] for line in lines]
    for path in sorted(folder.glob("*.txt")):
        whole = path.read_text(encoding="utf-8")
        texts[path.stem] = [text.split("\n") for text in re.split(r"\n\s*\n", whole)]
    if not texts:
        sys.exit(f"There are no files LANGUAGE.jsonl or LANGUAGE.txt in {folder}.")
    return texts


def _of_gold(gold: Path) -> Texts:
    """Pages by their language, treebanks, and for languages that have neither the Declaration of Human Rights."""
    texts: defaultdict[str, list[list[str]]] = defaultdict(list)
    for path in find_gold_sets(gold):
        for row in pq.read_table(path, columns=["lang", "gold"]).to_pylist():
            texts[row["lang"]].append(paragraphs(row["gold"] or ""))
    for lang, sentences in _treebanks(gold / "ud-train.parquet").items():
        texts[lang].append(list(_joined(sentences)))
    for row in pq.read_table(gold / "language-udhr.parquet").to_pylist():
        if row["lang"] in _UDHR:
            texts[row["lang"]].append([line.strip() for line in row["text"].split("\n")])
    return dict(texts)


def _treebanks(path: Path) -> dict[str, list[str]]:
    sentences: defaultdict[str, list[str]] = defaultdict(list)
    for row in pq.read_table(path, columns=["lang", "treebank", "text"]).to_pylist():
        if row["treebank"] not in _SAME_SENTENCES:
            sentences[row["lang"]].append(row["text"])
    return sentences


def _joined(sentences: Sequence[str]) -> Iterator[str]:
    """Paragraphs of sentences that follow on each other."""
    paragraph = ""
    for sentence in sentences:
        between = "" if has_unspaced_script(sentence) else " "
        paragraph = f"{paragraph}{between}{sentence}" if paragraph else sentence
        if count_words(paragraph) >= _PARAGRAPH_WORDS:
            yield paragraph
            paragraph = ""


def _is_prose(block: str) -> bool:
    """Whether a paragraph is made of words, not of markup, addresses or lines of dots."""
    shown = [unicodedata.category(letter)[0] for letter in block if not letter.isspace()]
    return not _NOT_PROSE.search(block) and sum(category in "LM" for category in shown) > _LEAST_LETTERS * len(shown)


def _cut(texts: Sequence[Sequence[str]]) -> Iterator[list[str]]:
    """Long texts in several, so that there are many."""
    for text in texts:
        part: list[str] = []
        words = 0
        for block in filter(_is_prose, text):
            part.append(" ".join(block.split()))
            words += count_words(block)
            if words >= _TEXT_WORDS:
                yield part
                part, words = [], 0
        if part:
            yield part


def _some(texts: list[list[str]], words: int) -> list[list[str]]:
    """Texts from all over, of about so many words."""
    there = sum(count_words(block) for text in texts for block in text)
    return [texts[at] for at in spread(range(len(texts)), max(len(texts) * words // max(there, words), 1))]


def without_repeats(texts: Mapping[str, Sequence[Sequence[str]]]) -> Texts:
    """Leave out paragraphs of which more than a part has been there before, and then texts that are too short.

    What is compared are words without case, marks and punctuation, or such letters: so no tokeniser has a say in what
    the truth is.
    """
    all_texts = [(lang, text) for lang, found in texts.items() for text in found]
    units = [[_units(block) for block in text] for _, text in all_texts]
    shares = {window: iter(_repeated(units, window).tolist()) for window in (_WORDS, _SYLLABLES, _HAN, _UNSPACED)}
    kept: Texts = {lang: [] for lang in texts}
    seen: set[str] = set()
    repeated, there = 0.0, 0
    for (lang, text), of_text in zip(all_texts, units, strict=True):
        found = []
        for block, compared in zip(text, of_text, strict=True):
            share = {window: next(of_blocks) for window, of_blocks in shares.items()}[_window(block)]
            whole = "".join(compared)
            if whole and whole not in seen and share <= _MOST_REPEATED:
                found.append(block)
                repeated += share * len(whole)
                there += len(whole)
            seen.add(whole)
        if sum(map(count_words, found)) >= _LEAST_WORDS:
            kept[lang].append(found)
    tell(f"{repeated / max(there, 1):.2%} of the letters are repeats, in paragraphs of which that is a small part")
    return {lang: found for lang, found in kept.items() if found}


def _units(block: str) -> list[str]:
    """What is compared of a block."""
    folded = unicodedata.normalize("NFKC", block).casefold()
    if has_unspaced_script(block):
        return list(_NOT_LETTERS.sub("", folded))
    return [word for part in _BETWEEN_WORDS.split(folded) if (word := _NOT_LETTERS.sub("", part))]


def _window(block: str) -> int:
    if not has_unspaced_script(block):
        return _SYLLABLES if _TSHEG.search(block) else _WORDS
    return _HAN if _HAN_AND_KANA.search(block) else _UNSPACED


def _repeated(texts: Sequence[Sequence[Sequence[str]]], window: int) -> npt.NDArray[np.float64]:
    """Which share of the units of each block stands in a window of its text that has been there before."""
    numbers: dict[str, int] = {}
    blocks = [block for text in texts for block in text]
    starts = np.append(0, np.cumsum([len(block) for block in blocks]))
    of_texts = starts[np.append(0, np.cumsum([len(text) for text in texts]))]
    hashes = mix(np.array([numbers.setdefault(unit, len(numbers)) for block in blocks for unit in block], np.uint64))
    shingles = shingle(Tokens(hashes, of_texts), window)
    repeats = np.ones(len(shingles.hashes), np.bool_)
    repeats[np.unique(shingles.hashes, return_index=True)[1]] = False
    edges = np.zeros(len(hashes) + window, np.int64)
    np.add.at(edges, shingles.places[repeats], 1)
    np.add.at(edges, shingles.places[repeats] + window, -1)
    before = np.append(0, np.cumsum(np.cumsum(edges) > 0))
    shares: npt.NDArray[np.float64] = np.diff(before[starts]) / np.maximum(np.diff(starts), 1)
    return shares
