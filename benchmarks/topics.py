"""How well the filter `topic` tells pages on a subject from others: by lemmas of content words, and by forms.

The subject of a page is told by words of its address. Texts are as people cleaned them, of 1,000 characters or more.
Five times, up to 20 documents of a subject are its sample, and all others are judged. Precision is computed as if half
of the documents were on the subject.

    python benchmarks/topics.py ../shared/gold/wcxb-a.parquet ../shared/gold/l3s-gn1.parquet
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random

import numpy as np
import pyarrow.parquet as pq

from gristmill.arrays.dtypes import Floats, Mask
from gristmill.filter.content_words import WORDS
from gristmill.filter.topic import Index, general_language

SUBJECTS = {
    "data": "data analytics cloud machine learning coding software developer github rust python programming",
    "health": "health healthy fitness meditation yoga workout medical dental nutrition",
    "home": "home plumbing movers garden kitchen hvac cleaning furniture roofing",
    "photography": "photography camera video headphones audio microphone speakers",
    "money": "insurance budget finance investing bank tax accounting credit",
    "sport": "sports sport football soccer cricket nationalsport baseball basketball hockey nfl nba tennis golf",
    "entertainment": "entertainment entertainmentnews movies music celebrity showbiz film tv arts",
}
_DRAWS, _SAMPLE, _MIN_SUBJECT, _MIN_CHARACTERS = 5, 20, 12, 1_000
_THRESHOLDS = (0.19, 0.10)


def main() -> None:
    """Print a table a gold standard."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("gold", nargs="+", type=Path)
    for path in parser.parse_args().gold:
        texts, subjects = _read(path)
        print(f"{path.stem}: {len(texts)} pages, {dict(zip(*np.unique(subjects, return_counts=True), strict=True))}")
        for words in WORDS:
            for weights in ("rrr", "rfr"):
                for compare in ("nearest", "whole"):
                    print(f"  {words:7} {weights} {compare:8}", *_measure(texts, subjects, words, weights, compare))


def _read(path: Path) -> tuple[list[str], list[str]]:
    """Return the texts whose address has the words of one subject, and the subjects."""
    texts, subjects = [], []
    words = {word: subject for subject, known in SUBJECTS.items() for word in known.split()}
    for row in pq.read_table(path, columns=["url", "gold"]).to_pylist():
        found = {words[part] for part in re.split(r"[^a-z]+", row["url"].lower()) if part in words}
        if len(found) == 1 and len(row["gold"]) >= _MIN_CHARACTERS:
            texts.append(row["gold"])
            subjects.append(found.pop())
    frequent = {subject for subject in subjects if subjects.count(subject) >= _MIN_SUBJECT}
    chosen = [place for place, subject in enumerate(subjects) if subject in frequent]
    return [texts[place] for place in chosen], [subjects[place] for place in chosen]


def _measure(texts: Sequence[str], subjects: Sequence[str], words: str, weights: str, compare: str) -> Iterator[str]:
    """Yield the area under the curve, and precision and recall at each threshold; means of subjects and draws."""
    general, rows = general_language("en", "", words), []
    for subject in sorted(set(subjects)):
        inside = [place for place, name in enumerate(subjects) if name == subject]
        for draw in range(_DRAWS):
            sample = set(Random(f"{subject}/{draw}").sample(inside, min(_SAMPLE, len(inside) // 2)))
            known = [texts[place] for place in sorted(sample)]
            index = Index.of(known if compare == "nearest" else ["\n".join(known)], general, weights)
            rest = [place for place in range(len(texts)) if place not in sample]
            cosines = np.array([index.nearest(texts[place]) for place in rest])
            rows.append(_figures(cosines, np.array([subjects[place] == subject for place in rest])))
    means = np.mean(rows, axis=0)
    yield f"AUC {means[0]:.3f}"
    for number, threshold in enumerate(_THRESHOLDS):
        true, false = means[1 + 2 * number], means[2 + 2 * number]
        yield f"at {threshold}: P {true / (true + false):.2f} R {true:.2f}"


def _figures(cosines: Floats, right: Mask) -> list[float]:
    pairs = cosines[right][:, None] - cosines[~right][None]
    area = float((pairs > 0).mean() + (pairs == 0).mean() / 2)
    shares = [float((cosines[side] >= least).mean()) for least in _THRESHOLDS for side in (right, ~right)]
    return [area, *shares]


if __name__ == "__main__":
    main()
