"""Measure language identification, compared with peers, on the Universal Declaration of Human Rights in 388 languages.

The texts are windows of 20, 50, 100 and 200 characters at even distances, cut at words. Three shares of right answers
are given: among the languages that the identifier knows, among those that all of them know, and among all. Then
languages that the library does not know are trained on one half of their declaration and looked for in the other, and
pages of two languages are put together of paragraphs.
"""

from __future__ import annotations

import json
import random
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
from harness import command_line, print_table, tell
from language_peers import PEERS, Peer, gristmill_sure, same_code

from gristmill.cleaning.languages import Languages
from gristmill.cleaning.segmentation import segment_text
from gristmill.config import IDENTIFIER_LIBRARIES
from gristmill.errors import UsageError
from gristmill.language import IDENTIFIERS, UNKNOWN, Models
from gristmill.language.profile import Profile
from gristmill.language.training import train, windows

_LENGTHS = (20, 50, 100, 200)
_WINDOWS = 12
_PARAGRAPHS = ((30, 60), (60, 120), (120, 300))
_PAGES = 200
_BANDS = (0.0, 0.01, 0.5, 0.9, 1.01)


@dataclass(frozen=True, slots=True)
class Text:
    """A window of a declaration."""

    lang: str
    length: int
    text: str


def read_declarations(gold: Path) -> list[tuple[str, str]]:
    """Languages, as codes are compared, and texts."""
    path = gold / "language-udhr.parquet"
    if not path.is_file():
        sys.exit(f"There is no {path}. Name the folder that has it with --gold DIR.")
    return [(same_code(row["lang"]), row["text"]) for row in pq.read_table(path).to_pylist()]


def cut(lang: str, text: str) -> Iterator[Text]:
    """The windows of a text, of all lengths."""
    text = " ".join(text.split())
    for length in _LENGTHS:
        for window in list(windows(text, length, _WINDOWS))[:_WINDOWS]:
            yield Text(lang, length, window)


def ask(peer: Peer, texts: Sequence[Text]) -> tuple[list[tuple[Text, str]], float]:
    """What an identifier answers, and microseconds a text."""
    asked = texts[:: peer.every]
    peer.identify("Something to load its model by.")
    start = time.process_time()
    answers = [peer.identify(text.text) for text in asked]
    seconds = time.process_time() - start
    return list(zip(asked, map(same_code, answers), strict=True)), seconds / len(asked) * 1e6


def shares(answers: Sequence[tuple[Text, str]], languages: frozenset[str] | None) -> list[float]:
    """The share of right answers at each length, among some languages."""
    right: dict[int, list[bool]] = defaultdict(list)
    for text, answer in answers:
        if languages is None or text.lang in languages:
            right[text.length].append(text.lang == answer)
    return [sum(right[length]) / max(1, len(right[length])) for length in _LENGTHS]


def compare_peers(texts: Sequence[Text]) -> dict[str, Any]:
    """Table 1: all that are installed, on the same texts."""
    peers: dict[str, Peer] = {}
    for name, make in PEERS.items():
        try:
            peers[name] = make()
        except ImportError as error:
            tell(f"{name} is left out: {error}")
    common = frozenset.intersection(*(peer.languages for peer in peers.values())) & {text.lang for text in texts}
    found: dict[str, Any] = {"languages": len({text.lang for text in texts}), "common": len(common), "peers": {}}
    for name, peer in peers.items():
        answers, microseconds = ask(peer, texts)
        found["peers"][name] = {
            "knows": len(peer.languages & {text.lang for text in texts}),
            "known": shares(answers, peer.languages),
            "common": shares(answers, common),
            "all": shares(answers, None),
            "microseconds": microseconds,
        }
        tell(name)
    return found


def read_confidence(texts: Sequence[Text], library: str) -> dict[str, dict[str, list[float]]]:
    """Table 2: how often an answer is right by its confidence, for languages that the library knows and others."""
    identifier = IDENTIFIERS[library](())
    known = frozenset(map(same_code, identifier.languages))
    rows: dict[str, dict[str, list[float]]] = {}
    for length in _LENGTHS:
        for name, wanted in (("known", True), ("unknown", False)):
            chosen = [text for text in texts if text.length == length and (text.lang in known) == wanted]
            bands: list[list[bool]] = [[] for _ in _BANDS[1:]]
            for text, answer in zip(chosen, identifier.identify_all([text.text for text in chosen]), strict=True):
                band = next(at for at, end in enumerate(_BANDS[1:]) if answer.confidence < end)
                bands[band].append(same_code(answer.lang) == text.lang)
            row = rows.setdefault(f"{library}, {length} {name}", {})
            row["share"] = [len(band) / len(chosen) for band in bands]
            row["right"] = [sum(band) / max(1, len(band)) for band in bands]
    return rows


def halves(lang: str, text: str) -> tuple[Profile | None, list[Text]]:
    """The profile that is learned from the first half of a text, if that is long enough, and windows of the second."""
    words = text.split()
    middle = len(words) // 2
    try:
        profile = train(lang, " ".join(words[:middle]))
    except UsageError:
        profile = None
    return profile, list(cut(lang, " ".join(words[middle:])))


def train_unknown(declarations: Sequence[tuple[str, str]], texts: Sequence[Text]) -> dict[str, Any]:
    """Table 3: each language that the library does not know, alone, trained on the first half of its text.

    Found: windows of the second half that are taken for it. False: windows of languages that the library knows that
    are.
    """
    library = gristmill_sure().languages
    others = [text for text in texts if text.lang in library]
    before = Models().identify_all([text.text for text in others], guess=False)
    number = Counter(text.length for text in others)
    found: Counter[int] = Counter()
    asked: Counter[int] = Counter()
    false: Counter[int] = Counter()
    trained = 0
    for lang, text in declarations:
        if lang in library:
            continue
        profile, own = halves("xx", text)
        if profile is None:
            continue
        identifier = IDENTIFIERS["cld2"]([profile])
        for window, answer in zip(own, identifier.identify_all([window.text for window in own]), strict=True):
            asked[window.length] += 1
            found[window.length] += answer.lang == "xx"
        rivals = {*profile.rivals.tolist(), UNKNOWN}
        doubtful = [other for other, answer in zip(others, before, strict=True) if answer.lang in rivals]
        for window, answer in zip(
            doubtful, identifier.identify_all([other.text for other in doubtful], guess=False), strict=True
        ):
            false[window.length] += answer.lang == "xx"
        trained += 1
    return {
        "trained": trained,
        "found": [found[length] / asked[length] for length in _LENGTHS],
        "false": [false[length] / trained / number[length] for length in _LENGTHS],
    }


def compare_own(declarations: Sequence[tuple[str, str]]) -> dict[str, Any]:
    """Make table 4: the identifiers by profiles, trained on the first halves of all texts and tested on the second."""
    profiles: dict[str, Profile] = {}
    texts: list[Text] = []
    for lang, text in declarations:
        profile, own = halves(lang, text)
        if profile is not None and lang not in profiles:
            profiles[lang] = profile
            texts += own
    rows: dict[str, Any] = {"languages": len(profiles)}
    for name in IDENTIFIERS:
        if name not in IDENTIFIER_LIBRARIES:
            identify = IDENTIFIERS[name](list(profiles.values())).identify_all
            peer = Peer(lambda text, identify=identify: identify([text])[0].lang, frozenset(profiles))  # type: ignore[misc]
            answers, microseconds = ask(peer, texts)
            rows[name] = {"all": shares(answers, None), "microseconds": microseconds}
            tell(name)
    return rows


def mix_pages(declarations: Sequence[tuple[str, str]]) -> dict[str, list[float]]:
    """Table 5: blocks of pages in two languages, four fifths and one fifth, in runs of one to five blocks."""
    paragraphs: dict[str, list[str]] = defaultdict(list)
    for lang, text in declarations:
        if lang in "bg cs da de el en es fi fr hu it nl pl pt ru sk sv tr uk".split():
            paragraphs[lang] += [line.strip() for line in text.splitlines() if len(line.strip()) >= _PARAGRAPHS[0][0]]
    chance = random.Random(1)
    languages = Languages(Models())
    rows: dict[str, list[float]] = {}
    for least, most in _PARAGRAPHS:
        results: Counter[str] = Counter()
        for _ in range(_PAGES):
            first, second = chance.sample(sorted(paragraphs), 2)
            wanted: list[str] = []
            while len(wanted) < 40:
                wanted += [first if chance.random() < 0.8 else second] * chance.choice((1, 1, 2, 5))
            texts = [chance.choice(paragraphs[lang])[: chance.randint(least, most)] for lang in wanted]
            columns = segment_text("\n".join(texts)).columns
            languages.label_blocks(columns)
            for lang, found in zip(wanted, columns.lang, strict=True):
                results["right" if same_code(found) == lang else "untold" if not found else "wrong"] += 1
        rows[f"{least}-{most}"] = [results[name] / results.total() for name in ("right", "untold", "wrong")]
    return rows


def show(figures: Mapping[str, Any]) -> None:
    """Print all tables."""
    peers = figures["peers"]
    lengths = [str(length) for length in _LENGTHS]
    print(f"Right answers in {peers['languages']} languages, {peers['common']} of which all know\n")
    for which in ("known", "common", "all"):
        rows = [
            [name, str(row["knows"]), *[f"{value:.3f}" for value in row[which]], f"{row['microseconds']:.0f}"]
            for name, row in peers["peers"].items()
        ]
        print_table([which, "knows", *lengths, "µs"], rows)
        print()
    bands = ["und", "below 0.5", "0.5-0.9", "from 0.9"]
    rows = [
        [name, *[f"{share:.0%} ({right:.0%})" for share, right in zip(row["share"], row["right"], strict=True)]]
        for name, row in figures["confidence"].items()
    ]
    print_table(["texts by confidence (right)", *bands], rows)
    print(f"\n{figures['trained']['trained']} languages that the library does not know, each trained alone\n")
    print_table(
        ["", *lengths], [[name, *[f"{value:.4f}" for value in figures["trained"][name]]] for name in ("found", "false")]
    )
    own = figures["own"]
    print(f"\nOur own identifiers, {own.pop('languages')} languages trained\n")
    print_table(
        ["", *lengths, "µs"],
        [[name, *[f"{value:.3f}" for value in row["all"]], f"{row['microseconds']:.0f}"] for name, row in own.items()],
    )
    print("\nBlocks of pages in two languages\n")
    print_table(
        ["characters", "right", "untold", "wrong"],
        [[name, *[f"{value:.3f}" for value in row]] for name, row in figures["blocks"].items()],
    )


def main() -> None:
    """Measure all, then print."""
    arguments = command_line(f"Language identification. {__doc__}").parse_args()
    declarations = read_declarations(arguments.gold)
    texts = [window for lang, text in declarations for window in cut(lang, text)]
    figures = {
        "peers": compare_peers(texts),
        "confidence": read_confidence(texts, "cld2") | read_confidence(texts, "py3langid"),
        "trained": train_unknown(declarations, texts),
        "own": compare_own(declarations),
        "blocks": mix_pages(declarations),
    }
    if arguments.json:
        print(json.dumps(figures, indent=2))
    else:
        show(figures)


if __name__ == "__main__":
    main()
