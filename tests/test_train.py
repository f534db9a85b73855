"""Training of the shipped method, on gold standards that are made here, and how models are written."""

import itertools
import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from made_gold import gold_row

from gristmill.cleaning.methods.mill import Weights
from gristmill.evaluation.gold import GoldPage, read_gold
from gristmill.evaluation.metrics import by_bag
from gristmill.evaluation.training import TRAINERS, Model
from gristmill.evaluation.training import mill as train_mill
from gristmill.evaluation.training import pages as training_pages
from gristmill.evaluation.training.bags import Bag
from gristmill.evaluation.training.boosting import Settings


def test_the_language_of_a_page_is_identified_if_nobody_says_it() -> None:
    """Folders of pages don't say it. (All of them were taken for English, and others had no model of their words.)"""
    text = "Мельница стоит там, где река выходит из леса, и стоит она там с незапамятных времён."
    pages = [GoldPage("own", str(at), f"<p>{text}".encode(), text, lang) for at, lang in enumerate([None, "uk"])]
    unknown = GoldPage("own", "2", b"<p>1 2 3", "1 2 3")
    assert [page.gold.lang for page in training_pages.label_pages([*pages, unknown])] == ["ru", "uk", None]


def test_a_model_is_written_whole(tmp_path: Path) -> None:
    weights, card = Model({"a": np.arange(3)}, {"method": "x"}).save_with_card(tmp_path / "deep" / "er", "x")
    assert sorted(path.name for path in weights.parent.iterdir()) == ["x.card.json", "x.npz"]
    assert np.load(weights)["a"].tolist() == [0, 1, 2]
    assert json.loads(card.read_text()) == {"method": "x"}


@given(st.lists(st.text("ab 漢,\n", max_size=12), max_size=6), st.text("abc 漢", max_size=20), st.integers(0, 63))
def test_a_bag_scores_as_the_metric_does(texts: list[str], gold: str, choice: int) -> None:
    kept = [bool(choice >> at & 1) for at in range(len(texts))]
    expected = by_bag("\n".join(itertools.compress(texts, kept)), gold)
    bag = Bag.of(texts, gold)
    assert bool(bag.gold_words) == (expected is not None)
    if expected is not None:
        assert bag.scores(np.array(kept, np.bool_)) == pytest.approx(expected)


def test_mill_learns_the_same_twice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(train_mill, "SETTINGS", Settings(trees=20, depth=3, rows=1.0, columns=0.5))
    for at, name in enumerate((*train_mill.TRAINED_ON, *train_mill.ONLY_TESTED_ON)):
        pq.write_table(
            pa.Table.from_pylist([gold_row(number) for number in range(4 * at, 4 * at + 4)]),
            tmp_path / f"{name}.parquet",
        )
    first, second = (TRAINERS["mill"]([], tmp_path, 0) for _ in range(2))
    files = [
        model.save_with_card(tmp_path / name, "mill")[0].read_bytes() for name, model in (("a", first), ("b", second))
    ]
    assert files[0] == files[1]
    assert first.card == second.card
    assert [file["file"] for file in first.card["trained_on"]] == [f"{name}.parquet" for name in train_mill.TRAINED_ON]
    assert set(first.card["guidelines"]) == set(train_mill.TRAINED_ON)
    weights = Weights.of(first.arrays)
    [unseen] = read_gold([tmp_path / "l3s-gn1.parquet"])
    for example in train_mill.read_examples(unseen.pages).values():
        kept = train_mill.score(weights, weights.vocabulary(), example) >= 0
        assert example.bag.scores(kept)[2] > 0.9
