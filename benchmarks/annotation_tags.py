"""Measure lemmas and tags: how many are right, and how fast, on the tokens of Universal Dependencies treebanks.

Lemmas are compared exactly and without case; `#`, which marks parts of compounds in Finnish lemmas, is left out. The
maps of tags and the choices of lemmas were made on every other sentence, the first among them; what is reported is the
rest (Japanese: made on all but every tenth sentence, which are reported). Speed is words a second of CPU: cold from a
loaded tagger that has seen no word, warm when it has seen all. HanTa, simplemma, pymorphy3 and UniDic as they come
stand beside.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from annotation_gold import LANGUAGES, read_treebanks
from harness import command_line, print_table, tell

from gristmill.annotation.tagger import Tagged, spec_for, tagger_for

_HANTA = {"de": "morphmodel_ger.pgz", "en": "morphmodel_en.pgz"}

Sentence = Mapping[str, Any]
Tag = Callable[[Sequence[Sequence[str]]], Tagged]


def score(sentences: Sequence[Sentence], tag: Tag) -> dict[str, float]:
    """Shares of right lemmas and tags, and words a second, cold and warm."""
    words = [sentence["tokens"] for sentence in sentences]
    lemmas = [lemma.replace("#", "") or lemma for sentence in sentences for lemma in sentence["lemma"]]
    tags = [tag for sentence in sentences for tag in sentence["upos"]]
    seconds = []
    for _ in range(3):
        start = time.process_time()
        tagged = tag(words)
        seconds.append(time.process_time() - start)
    pairs = list(zip(lemmas, tagged.lemmas, strict=True))
    return {
        "words": len(lemmas),
        "lemmas": sum(one == other for one, other in pairs) / len(pairs),
        "lemmas without case": sum(one.lower() == other.lower() for one, other in pairs) / len(pairs),
        "tags": sum(one == other for one, other in zip(tags, tagged.tags, strict=True)) / len(pairs),
        "cold": len(lemmas) / seconds[0],
        "warm": len(lemmas) / min(seconds[1:]),
    }


def plain_simplemma(lang: str) -> Tag | None:
    """What simplemma gives for words one by one."""
    import simplemma  # noqa: PLC0415 (each peer is loaded when its turn comes)

    try:
        simplemma.lemmatize("a", lang)
    except ValueError:
        return None

    def tag(sentences: Sequence[Sequence[str]]) -> Tagged:
        lemmas = [simplemma.lemmatize(word, lang) for sentence in sentences for word in sentence]
        return Tagged(lemmas, [""] * len(lemmas), [""] * len(lemmas))

    return tag


def plain_hanta(lang: str) -> Tag | None:
    """HanTa's own function, its tags mapped as ours are but for what depends on other words."""
    if lang not in _HANTA:
        return None
    from HanTa.HanoverTagger import HanoverTagger  # noqa: PLC0415

    from gristmill.annotation.universal import c5, stts  # noqa: PLC0415

    tagger, universal = HanoverTagger(_HANTA[lang]), {"de": stts, "en": c5}[lang]

    def tag(sentences: Sequence[Sequence[str]]) -> Tagged:
        found = [word for sentence in sentences for word in tagger.tag_sent(sentence)]
        tags = [universal(own, word.lower(), lemma) for word, lemma, own in found]
        return Tagged([lemma for _, lemma, _ in found], tags, [own for _, _, own in found])

    return tag


def plain_pymorphy(lang: str) -> Tag | None:
    """The first reading that pymorphy3 gives."""
    if lang != "ru":
        return None
    from pymorphy3 import MorphAnalyzer  # noqa: PLC0415

    from gristmill.annotation.universal import open_corpora  # noqa: PLC0415

    analyzer = MorphAnalyzer(lang=lang)

    def tag(sentences: Sequence[Sequence[str]]) -> Tagged:
        words = [word for sentence in sentences for word in sentence]
        found = [analyzer.parse(word)[0] for word in words]
        tags = [
            "PUNCT" if "PNCT" in parse.tag else open_corpora(frozenset(parse.tag.grammemes), word, parse.normal_form)
            for word, parse in zip(words, found, strict=True)
        ]
        return Tagged([parse.normal_form for parse in found], tags, [str(parse.tag) for parse in found])

    return tag


def plain_unidic(lang: str) -> Tag | None:
    """What MeCab and UniDic give, tags mapped without regard to context."""
    if lang != "ja":
        return None
    from gristmill.annotation.segmenters import mecab  # noqa: PLC0415
    from gristmill.annotation.universal import unidic  # noqa: PLC0415

    tagger = mecab()

    def tag(sentences: Sequence[Sequence[str]]) -> Tagged:
        readings = []
        for words in sentences:
            rows = (line.split("\t") for line in tagger.parse(" ".join(words)).split("\n"))
            parts = (row for row in rows if len(row) > 5)
            for word in words:
                length, part = 0, [""] * 6
                while length < len(word):
                    part = next(parts)
                    length += len(part[0])
                readings.append((part[3], unidic(part[4]), part[4]))
        return Tagged.of(readings)

    return tag


_PEERS: dict[str, Callable[[str], Tag | None]] = {
    "simplemma": plain_simplemma,
    "HanTa": plain_hanta,
    "pymorphy3": plain_pymorphy,
    "UniDic": plain_unidic,
    "forms": lambda lang: tagger_for(lang, [f"{lang}=forms"])[1].tag if lang == "ja" else None,
}


def measure(
    treebanks: Mapping[str, Sequence[Sentence]], names: Sequence[str]
) -> dict[str, dict[str, dict[str, float]]]:
    """For each treebank, our tagger and those it is made of."""
    figures: dict[str, dict[str, dict[str, float]]] = {}
    for treebank, sentences in treebanks.items():
        lang = LANGUAGES[treebank.partition("-")[0]]
        if names and lang not in names:
            continue
        tagger = tagger_for(lang)[1]
        figures[treebank] = {f"gristmill: {spec_for(lang)}": score(sentences, tagger.tag)}
        for name, make in _PEERS.items():
            tag = make(lang)
            if tag:
                figures[treebank][name] = score(sentences, tag)
        tell(treebank)
    return figures


def show(figures: Mapping[str, Mapping[str, Mapping[str, float]]]) -> None:
    """Print one table."""
    rows = [
        [
            treebank,
            name,
            f"{row['words']:,}",
            f"{row['lemmas']:.3f}",
            f"{row['lemmas without case']:.3f}",
            f"{row['tags']:.3f}",
            f"{row['cold']:,.0f}",
            f"{row['warm']:,.0f}",
        ]
        for treebank, taggers in figures.items()
        for name, row in taggers.items()
    ]
    print_table(["treebank", "tagger", "words", "lemmas", "without case", "tags", "cold/s", "warm/s"], rows)


def main() -> None:
    """Measure all, then print."""
    parser = command_line(f"Lemmas and tags. {__doc__}")
    parser.add_argument("--lang", action="append", default=[], help="only this language (may be given more than once)")
    arguments = parser.parse_args()
    treebanks = {
        name: sentences[::10] if name.startswith("Japanese") else sentences[1::2]
        for name, sentences in read_treebanks(arguments.gold).items()
    }
    figures = measure(treebanks, arguments.lang)
    if arguments.json:
        print(json.dumps(figures, indent=2))
    else:
        show(figures)


if __name__ == "__main__":
    main()
