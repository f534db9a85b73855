"""CEDAR's experiment: stories that are put into pages, resemblance and AU-ROC by hand, and a small run of it all."""

from __future__ import annotations

import json
import math
import random
import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from command import run

from gristmill.errors import UsageError
from gristmill.evaluation.gold import GoldPage
from gristmill.evaluation.resemblance import Document, Filters, area, resemblances
from gristmill.evaluation.story_pages import _with_texts, tell_stories
from gristmill.evaluation.training.pages import label_pages
from gristmill.literature.experiments import extraction
from gristmill.literature.experiments.extraction import (
    BEST,
    ENTIRE,
    HEURISTIC,
    REFERENCE,
    SIMPLE,
    Experiment,
    linked,
    prepare,
)

NOUNS = "mill river grain wheel stone boat road wood house field horse cart".split()
VERBS = "turns stands waits moves ends begins".split()


def story(number: int) -> list[str]:
    rng = random.Random(number)
    return [
        " ".join(
            f"The {rng.choice(NOUNS)} of the {rng.choice(NOUNS)} {rng.choice(VERBS)} near {at}." for at in range(4)
        )
        for _ in range(5)
    ]


def gold_page(number: int) -> GoldPage:
    """A page of a site of its own, with a menu that is long."""
    rng = random.Random(1000 + number)
    items = [f"Item {rng.choice(NOUNS)} {number} {at}" for at in range(40)]
    menu = "".join(f"<li><a href=/{at}>{item}</a>" for at, item in enumerate(items))
    body = "".join(f"<p>{text}</p>" for text in story(number))
    html = f"<script>var a = {number};</script><ul>{menu}</ul>{body}<div>All rights reserved by site {number}</div>"
    return GoldPage("news", str(number), html.encode(), "\n".join(story(number)), "en", f"http://n{number}.example/")


def test_texts_in_the_places_of_blocks() -> None:
    """The example of `_with_texts`; too few texts leave places empty."""
    source, starts, ends = "<p>a<p>b<hr>", np.array([3, 7], np.int32), np.array([4, 8], np.int32)
    assert _with_texts(source, starts, ends, ["x", "y", "z"]) == "<p>x<p>y</p><p>z<hr>"
    assert _with_texts(source, starts, ends, ["1 < 2"]) == "<p>1 &lt; 2<p><hr>"


def test_stories_are_told_by_hosts() -> None:
    told = tell_stories(label_pages([gold_page(number) for number in range(20)]), seed=1, sites=6)
    assert len({page.host for page in told}) == 6
    assert {page.story for page in told}.isdisjoint({page.host for page in told})
    for page in told:
        assert page.page.site == f"n{page.host}.example"
        assert page.page.gold.split("\n")[0][:30] in page.page.html.decode()
        assert story(page.host)[0] not in page.page.html.decode()
        assert f"site {page.host}" in page.page.html.decode()
    assert sum(page.page.gold.split("\n") == story(page.story) for page in told) > len(told) / 2
    assert told == tell_stories(label_pages([gold_page(number) for number in range(20)]), seed=1, sites=6)


def test_resemblance_by_hand() -> None:
    """Shingles of two words: 12 23 34 of the first, 12 23 35 of the second, which share 2 of 4; the third has none."""
    documents = [[[1, 2, 3, 4]], [[1, 2, 3, 5]], [[7, 8]]]
    assert resemblances(documents, Filters()).tolist() == [[1, 0.5, 0], [0.5, 1, 0], [0, 0, 1]]


def test_filters_by_hand() -> None:
    documents = [[[1, 2, 3, 4], [9, 9]], [[1, 2, 3, 5], [9, 9]], [[9, 9]]]
    assert resemblances(documents, Filters())[0, 1] == 3 / 5
    assert resemblances(documents, Filters(min_block=3))[0, 1] == 2 / 4
    assert resemblances(documents, Filters(drop_frequent=0.2))[0, 1] == 2 / 4  # 1 of 5 shingles: 99, in three documents
    assert resemblances(documents, Filters(shingle=1))[0, 1] == 4 / 6
    assert resemblances([[], []], Filters()).tolist() == [[0, 0], [0, 0]]


def test_area_by_hand() -> None:
    """The pair that belongs together, with 0.4, is above one of the two others and as high as the other: 3/4."""
    matrix = np.array([[1, 0.4, 0.4], [0.4, 1, 0.1], [0.4, 0.1, 1]])
    found = area(matrix, np.array([0, 0, 1]))
    two = 2 * 0.75**2 / 1.75  # Q2 of Hanley and McNeil; there is one true pair, so Q1 does not count
    assert found.area == 0.75
    assert found.deviation == pytest.approx(math.sqrt((0.75 * 0.25 + (two - 0.75**2)) / 2))
    assert math.isnan(area(matrix, np.array([0, 1, 2])).area)


def test_transitive_closure() -> None:
    alike = np.zeros((5, 5), np.bool_)
    alike[0, 3] = alike[3, 0] = alike[3, 4] = alike[4, 3] = True
    assert linked(alike).tolist() == [0, 1, 2, 0, 0]


def test_a_small_experiment() -> None:
    pytest.importorskip("pycrfsuite")
    experiment = prepare([gold_page(number) for number in range(48)], seed=0)
    assert set(experiment.documents) == {ENTIRE, HEURISTIC, SIMPLE, BEST, REFERENCE}
    assert {len(found) for found in experiment.documents.values()} == {len(experiment.stories)}
    areas = {way: experiment.area(way).area for way in experiment.documents}
    assert areas[REFERENCE] > 0.97
    assert areas[BEST] > areas[HEURISTIC]
    assert experiment.extractions[BEST].blocks.f1 > 0.95
    tuned = experiment.tuned(REFERENCE)
    assert tuned.clusters.f1 > 0.9
    assert tuned.pairs.f1 > 0.9
    same = experiment.identical(REFERENCE)
    assert (same.clusters.precision, same.pairs.precision) == (1.0, 1.0)
    assert same.pairs.recall < tuned.pairs.recall  # what was revised is not the same


def test_pages_with_the_same_words_by_hand() -> None:
    """Stories 0 and 2 are for tuning; of 1 1 1 3 two pages of story 1 have the same words, in other blocks."""
    documents: list[Document] = [[[5]], [[1, 2]], [[1], [2]], [[1, 3]], [[6]], [[7]]]
    experiment = Experiment(np.array([0, 1, 1, 1, 2, 3]), {REFERENCE: documents}, {})
    found = experiment.identical(REFERENCE)
    assert found.threshold is None
    assert (found.pairs.precision, found.pairs.recall) == (1, 1 / 3)
    assert found.clusters.recall == pytest.approx((2 / 3 + 2 / 3 + 1 / 3 + 1) / 4)


def test_the_command(tmp_path: Path) -> None:
    """All tables have their rows, each curve a line for each way, and what is drawn is what is in the JSON."""
    pytest.importorskip("pycrfsuite")
    pages = [gold_page(number) for number in range(48)]
    rows = [{"id": page.id, "html": page.html, "gold": page.gold, "lang": "en", "url": page.url} for page in pages]
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "news.parquet")
    command = ("evaluate", tmp_path / "news.parquet", "--show", "extraction")
    found = json.loads(run(*command, "--json", "--picture", tmp_path / "curves.svg").stdout)
    assert found["pages"] > found["stories"] == 21
    assert [len(found[name]) for name in ("extractors", "areas", "tuned", "curves")] == [2, 9, 7, 5 * (20 + 11 + 10)]
    alike = [row["area"] for row in found["curves"] if (row["filter"], row["value"]) == ("shingle", 2)]
    assert alike == [row["area"] for row in found["areas"] if "," not in row["pages"]]
    root = ET.parse(tmp_path / "curves.svg").getroot()  # noqa: S314 (our own)
    assert len([item for item in root.iter() if item.tag.endswith("polyline")]) == 15
    texts = {item.text for item in root.iter() if item.tag.endswith("text")}
    assert {"Figure 3: least words of a block", ENTIRE, REFERENCE, "AU-ROC"} <= texts
    refused = run(*command, "--limit", "10")
    assert (refused.returncode, b"of 10 pages too few" in refused.stderr) == (2, True)


def test_too_many_pages_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(extraction, "MAX_PAGES", 30)
    with pytest.raises(UsageError, match="choose fewer pages"):
        prepare([gold_page(number) for number in range(48)])
