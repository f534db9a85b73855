"""How many texts are decoded right, next to chardet, charset-normalizer and resiliparse, and how long that takes.

What counts is the decoded text, not the name of the encoding. Gristmill and resiliparse read what a page declares; so
does chardet. Then the table of PRESEMT D3.1.3 again: a model trained on four fifths of the documents of a language,
tried on the last fifth, in each of the encodings in use for it.
"""

from __future__ import annotations

import json
import random
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from types import SimpleNamespace

import chardet
import charset_normalizer
import pyarrow.parquet as pq
from encoding_gold import Case, read_cases, right_text
from harness import command_line, print_table, tell
from resiliparse.parse.encoding import bytes_to_str, detect_encoding

import gristmill
from gristmill.decoding import Detector, tidy
from gristmill.decoding.training import convert, train

Decode = Callable[[bytes], str]

_TREEBANKS = {"cs": "UD_Czech-CAC", "de": "UD_German-GSD"}
_NEWS = {"en": "dragnet-a", "el": "daniel-a"}
_UDHR = {"it": "ita", "no": "nob"}
_FOLDS = 5
_DOCUMENT = 400  # characters; shorter pieces of text are put together
_PAGE = 100_000  # bytes
_REPORT = {
    "cs": {"utf-8": (60.2, 100), "windows-1250": (32.2, 100), "iso-8859-1": (1.0, 89.5), "iso-8859-2": (6.0, 99.6)},
    "en": {"utf-8": (56.9, 95.8), "windows-1252": (9.4, 97.5), "iso-8859-1": (32.8, 90.9)},
    "de": {"utf-8": (54.6, 100), "windows-1252": (6.5, 97.3), "iso-8859-1": (37.1, 85.8), "iso-8859-15": (1.2, 85.6)},
    "el": {
        "utf-8": (68.5, 100),
        "windows-1252": (3.1, 75.8),
        "windows-1253": (14.3, 99.3),
        "iso-8859-1": (1.7, 71.2),
        "iso-8859-7": (12.0, 97.2),
    },
    "it": {"utf-8": (54.2, 100), "windows-1252": (7.1, 95.7), "iso-8859-1": (37.9, 85.1)},
    "no": {"utf-8": (63.0, 100), "windows-1252": (7.0, 97.4), "iso-8859-1": (29.3, 88.2)},
}
"""Table 1 of the report, in per cent: how often each encoding was met, and how often it was told."""


def with_gristmill(data: bytes) -> str:
    """Decode by Gristmill, with all steps: declarations, UTF-8, models."""
    return gristmill.decode(data).text


def with_chardet(data: bytes) -> str:
    """Decode as chardet says, or as windows-1252 if it says nothing."""
    return _decoded(chardet.detect(data)["encoding"] or "cp1252", data)


def with_charset_normalizer(data: bytes) -> str:
    """Decode by the best match of charset-normalizer."""
    best = charset_normalizer.from_bytes(data).best()
    return str(best) if best else ""


def with_resiliparse(data: bytes) -> str:
    """Decode by resiliparse as it decodes HTML, with what the page declares."""
    return str(bytes_to_str(data, detect_encoding(data, html5_compatible=True, from_html_meta=True)))


PEERS: dict[str, Decode] = {
    "gristmill": with_gristmill,
    "chardet": with_chardet,
    "charset-normalizer": with_charset_normalizer,
    "resiliparse": with_resiliparse,
}


def _decoded(encoding: str, data: bytes) -> str:
    if encoding.lower().replace("_", "-") in {"windows-1252", "cp1252", "iso-8859-1", "latin-1", "iso8859-1"}:
        return right_text("cp1252", data)
    try:
        return data.decode(encoding, "replace")
    except LookupError:
        return ""


@dataclass(frozen=True, slots=True)
class Row:
    """Texts of one set and length, and how many of them each decodes right."""

    gold_set: str
    length: str
    texts: int
    right: dict[str, int]


def measure_right(cases: Sequence[Case]) -> list[Row]:
    """Compare texts, but for controls, line ends, and characters that were cut at the ends."""
    texts: Counter[tuple[str, str]] = Counter()
    right: Counter[tuple[str, str, str]] = Counter()
    for case in cases:
        texts[case.gold_set, case.length] += 1
        for name, decode in PEERS.items():
            right[case.gold_set, case.length, name] += _plain(decode(case.data)) == _plain(case.text)
    return [Row(*key, count, {name: right[*key, name] for name in PEERS}) for key, count in texts.items()]


def _plain(text: str) -> str:
    return tidy(text).strip("\ufffd")


@dataclass(frozen=True, slots=True)
class Speed:
    """Milliseconds for a page of 100 kB."""

    page: str
    bytes: int
    milliseconds: dict[str, float]


def measure_speed(gold: Path, repeat: int) -> list[Speed]:
    """Pages put together from texts, best of some times, all taking turns."""
    english = _texts(gold, "en")
    pages = {
        "UTF-8, English": "\n".join(english).encode(),
        "UTF-8, Greek": "\n".join(_texts(gold, "el")).encode(),
        "windows-1252, English": convert("\n".join(english), "windows-1252"),
        "windows-1250, Czech": convert("\n".join(_texts(gold, "cs")), "windows-1250"),
        "windows-1253, Greek": convert("\n".join(_texts(gold, "el")), "windows-1253"),
    }
    found = []
    for name, data in pages.items():
        page = (data * (_PAGE // len(data) + 1))[:_PAGE]
        page = page.decode("utf-8", "ignore").encode() if name.startswith("UTF-8") else page
        best = dict.fromkeys(PEERS, float("inf"))
        for _ in range(repeat):
            for peer, decode in PEERS.items():
                start = time.process_time()
                decode(page)
                best[peer] = min(best[peer], 1000 * (time.process_time() - start))
        found.append(Speed(name, len(page), best))
    return found


@dataclass(frozen=True, slots=True)
class Told:
    """The share of an encoding's texts that were detected, in cross-validation and in the report, in per cent."""

    lang: str
    encoding: str
    documents: int
    right: float
    report: float


def repeat_the_report(gold: Path) -> list[Told]:
    """Table 1: the language is known, each document is in each of the encodings."""
    found = []
    for lang, report in _REPORT.items():
        documents = _documents(_texts(gold, lang))
        random.Random(0).shuffle(documents)
        encodings = sorted({_WHATWG.get(name, name) for name in report if name != "utf-8"})
        right: Counter[str] = Counter()
        tried: Counter[str] = Counter()
        for fold in range(_FOLDS):
            rest = [text for number, text in enumerate(documents) if number % _FOLDS != fold]
            own = SimpleNamespace(detector=Detector(train(lang, "\n".join(rest), encodings)))
            for text in documents[fold::_FOLDS]:
                for encoding in report:
                    data = text.encode() if encoding == "utf-8" else convert(text, encoding)
                    if data.isascii():
                        continue
                    tried[encoding] += 1
                    truth = _plain(_decoded(encoding, data))
                    right[encoding] += _plain(gristmill.decode(data, lang, models=own).text) == truth
        for encoding, (_, figure) in report.items():
            found.append(Told(lang, encoding, tried[encoding], 100 * right[encoding] / max(1, tried[encoding]), figure))
    return found


_WHATWG = {
    "iso-8859-1": "windows-1252",
    "iso-8859-2": "ISO-8859-2",
    "iso-8859-7": "ISO-8859-7",
    "iso-8859-15": "ISO-8859-15",
}


def _texts(gold: Path, lang: str) -> list[str]:
    """Sentences or paragraphs of a language: treebanks, news, or else the Universal Declaration."""
    if lang in _TREEBANKS:
        rows = pq.read_table(gold / "ud-dev.parquet", columns=["treebank", "text"]).to_pylist()
        return [row["text"] for row in rows if row["treebank"] == _TREEBANKS[lang]]
    if lang in _NEWS:
        rows = pq.read_table(gold / f"{_NEWS[lang]}.parquet", columns=["lang", "gold"]).to_pylist()
        return [line for row in rows if row["lang"] == lang for line in row["gold"].split("\n")]
    rows = pq.read_table(gold / "language-udhr.parquet").to_pylist()
    return [
        line.strip() for row in rows if row["lang"] == _UDHR[lang] for line in row["text"].split("\n") if line.strip()
    ]


def _documents(texts: Sequence[str]) -> list[str]:
    documents, part = [], ""
    for text in texts:
        part += text + "\n"
        if len(part) >= _DOCUMENT:
            documents.append(part)
            part = ""
    return documents


def averages(told: Sequence[Told]) -> Iterator[list[str]]:
    """Weighted by how often each encoding was met, as in the report."""
    for lang, report in _REPORT.items():
        shares = {encoding: share for encoding, (share, _) in report.items()}
        rows = [row for row in told if row.lang == lang]
        total = sum(shares[row.encoding] for row in rows)
        ours = sum(shares[row.encoding] * row.right for row in rows) / total
        theirs = sum(shares[row.encoding] * row.report for row in rows) / total
        yield [lang, "weighted average", "", f"{ours:.1f}", f"{theirs:.1f}"]


def main() -> None:
    """Measure and print."""
    parser = command_line(__doc__)
    parser.add_argument("--repeat", type=int, default=20, help="times that each page is decoded (default: 20)")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")  # charset-normalizer's
    tell("texts in known encodings")
    rows = measure_right(list(read_cases(arguments.gold)))
    tell("speed")
    speed = measure_speed(arguments.gold, arguments.repeat)
    tell("the report's table")
    told = repeat_the_report(arguments.gold)
    if arguments.json:
        print(
            json.dumps(
                {"right": [*map(asdict, rows)], "speed": [*map(asdict, speed)], "report": [*map(asdict, told)]},
                indent=2,
            )
        )
        return
    print_table(
        ["decoded right", "texts", *PEERS],
        [
            [
                f"{row.gold_set}, {row.length}",
                str(row.texts),
                *(f"{100 * row.right[name] / row.texts:.1f}%" for name in PEERS),
            ]
            for row in rows
        ],
    )
    print()
    print_table(
        ["ms a page", "bytes", *PEERS],
        [[row.page, str(row.bytes), *(f"{row.milliseconds[name]:.2f}" for name in PEERS)] for row in speed],
    )
    print()
    cells = [[row.lang, row.encoding, str(row.documents), f"{row.right:.1f}", f"{row.report:.1f}"] for row in told]
    print_table(["language", "encoding", "documents", "right", "report"], [*cells, *averages(told)])


if __name__ == "__main__":
    main()
