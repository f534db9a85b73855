"""Quality learned from good and bad texts, and the filter that uses it."""

from __future__ import annotations

import gzip
import json
import random
from pathlib import Path

import numpy as np
import pytest
from command import run
from hypothesis import given
from hypothesis import strategies as st

import gristmill
from gristmill.config import FilterConfig
from gristmill.corpus import Selection
from gristmill.document import Block, Document
from gristmill.errors import GristmillError, UsageError
from gristmill.filter import DocumentFilter, chain_of
from gristmill.filter.classifier import Classifier, features_of
from gristmill.filter.texts import read_texts
from gristmill.filter.training import figures, train_quality

PROSE = (
    "The miller of {0} rose early, looked at the water of the river, and thought that in the {0}th year the wheel "
    "would turn more slowly."
)
SHOP = "BUY {0} NOW! Best price {0} $$$ free shipping >>> click here >>> {0} reviews - add to cart - BUY {0}"
CHINESE, CHINESE_SHOP = (
    "第{0}年春天，磨坊主人早早起来，看了看河里的水，想着水车会不会转得慢一些。",
    "立即购买{0}！最低价格{0}元包邮，点击这里，加入购物车{0}",
)


def texts(template: str, count: int = 40) -> list[str]:
    return [template.format(number * 7) for number in range(count)]


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("model") / "quality.npz"
    train_quality(texts(PROSE) + texts(CHINESE), texts(SHOP) + texts(CHINESE_SHOP)).save_with_card(
        path.parent, "quality"
    )
    return path


def judge(spec: str, text: str) -> tuple[bool, str]:
    [(_, part)] = chain_of(FilterConfig((spec,))).filters
    assert isinstance(part, DocumentFilter)
    made = Document(method="all", blocks=[Block(text, "p", "", 0, 0, len(text.split()), 0, 0, 0)])
    made.measure()
    return part.judge(made)


def test_like_the_good_texts(model: Path) -> None:
    good = judge(f"quality:model={model}", "In the evening the miller thought of the river and the wheel.")
    bad = judge(f"quality:model={model}", "Free reviews, best price: add to cart and click here!")
    assert good[0]
    assert not bad[0]
    assert bad[1].endswith(", less than 0.5")
    assert judge(f"quality:model={model}", "磨坊主人晚上想着河里的水和水车。")[0], "where words are not separated, too"
    assert not judge(f"quality:model={model}", "点击这里购买，最低价格！")[0]
    score = float(good[1].removeprefix("a score of "))
    assert not judge(
        f"quality:model={model},min={score + 0.01:.2f}", "In the evening the miller thought of the river and the wheel."
    )[0]


def test_the_same_texts_in_any_order_give_the_same_files(tmp_path: Path) -> None:
    good, bad = texts(PROSE, 25), texts(SHOP, 30)
    first = train_quality(good, bad).save_with_card(tmp_path / "a", "q")
    again = train_quality(good[::-1] + good[:3], bad[::-1]).save_with_card(tmp_path / "b", "q")
    assert first[0].read_bytes() == again[0].read_bytes()
    card = json.loads(first[1].read_text("utf-8"))
    assert card["held out"]["area under the curve"] == 1.0
    assert (card["good"]["texts"], card["bad"]["texts"]) == (25, 30)
    assert json.loads(again[1].read_text("utf-8"))["good"] == card["good"] | {"given": 28}


def test_held_out_figures_are_honest() -> None:
    """Texts that are good or bad by chance can't be told."""
    same = texts(PROSE, 400)
    random.Random(1).shuffle(same)
    held_out = train_quality(same[::2], same[1::2]).card["held out"]
    assert 0.2 < held_out["area under the curve"] < 0.8
    assert figures(np.array([2.0, 1.0, 1.0, -1.0]), np.array([True, True, False, False])) == {
        "accuracy": 0.75,
        "good kept": 1.0,
        "bad dropped": 0.5,
        "area under the curve": 0.875,
    }


def test_too_few_texts_and_texts_that_are_both() -> None:
    with pytest.raises(UsageError, match="there are 3 different bad texts, and 20 at least are needed"):
        train_quality(texts(PROSE), texts(SHOP, 3) * 10)
    assert train_quality(texts(PROSE) + texts(SHOP, 5), texts(SHOP)).card["in both, left out"] == 5


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 nothing", b"no zip at all"])
def test_a_file_that_is_no_model(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "q.npz"
    path.write_bytes(content)
    with pytest.raises(UsageError, match="is not a model of `gristmill train quality`, or it is damaged"):
        judge(f"quality:model={path}", "x")


def test_models_of_other_forms(tmp_path: Path, model: Path) -> None:
    path = tmp_path / "q.npz"
    with np.load(model) as arrays:
        np.savez(path, form=np.array([99, 1]), weights=arrays["weights"], bias=arrays["bias"])
    with pytest.raises(GristmillError, match=r"has format 99, .*: train it again"):
        judge(f"quality:model={path}", "x")
    np.savez(path, form=np.array([object()]), weights=np.zeros(3), bias=np.zeros(1))  # a pickle
    with pytest.raises(UsageError, match="is not a model"):
        judge(f"quality:model={path}", "x")
    with pytest.raises(UsageError, match="there is no model nowhere: make one with gristmill train quality"):
        judge("quality:model=nowhere", "x")
    with pytest.raises(UsageError, match="needs a model"):
        judge("quality", "x")


@given(st.text())
def test_features_of_any_text(text: str) -> None:
    numbers, values = features_of(text)
    assert len(numbers) == len(values)
    assert np.all(values > 0)
    assert 0 <= Classifier(np.ones(1 << 18, np.float32), 0.0).score(text) <= 1


def test_texts_of_all_kinds(tmp_path: Path) -> None:
    folder = tmp_path / "texts"
    folder.mkdir()
    (folder / "a.txt").write_text("one\n\nstill one")
    (folder / "b.jsonl").write_text('{"text": "two"}\n\n{"content": "three", "text": null}\n')
    with gzip.open(folder / "c.jsonl.gz", "wt") as file:
        file.write('{"text": "four"}\n')
    (folder / "d.html").write_text("<p>five")
    (folder / "e.pdf").write_text("not this")
    assert read_texts(str(folder)) == ["one\n\nstill one", "two", "three", "four", "five"]
    assert read_texts(str(folder / "b.jsonl")) == ["two", "three"]
    (folder / "b.jsonl").write_text('{"text": "two"}\n{"title": "three"}\n')
    with pytest.raises(UsageError, match=r"b\.jsonl, line 2 has no text"):
        read_texts(str(folder))
    (folder / "b.jsonl").write_text("[1, 2]\nx")
    with pytest.raises(UsageError, match=r"b\.jsonl, line 1 has no text"):
        read_texts(str(folder / "b.jsonl"))
    (folder / "b.jsonl").write_text("{")
    with pytest.raises(UsageError, match=r"b\.jsonl, line 1 is not JSON"):
        read_texts(str(folder / "b.jsonl"))


def test_the_command(tmp_path: Path, corpus: gristmill.Corpus) -> None:
    bad = tmp_path / "bad.jsonl"
    bad.write_text("\n".join(json.dumps({"text": text}) for text in texts(SHOP)))
    result = run("train", "quality", corpus.folder, bad, "-o", tmp_path / "m" / "mine.npz")
    assert result.returncode == 0, result.stderr
    assert b"On texts that were held out: " in result.stderr
    assert (tmp_path / "m" / "mine.card.json").is_file()
    spec = f"quality:model={tmp_path / 'm' / 'mine.npz'}"
    kept = list(corpus.documents(Selection(filters=(spec,))))
    assert len(kept) > 0.9 * len(list(corpus.documents()))
    assert "needs --lang" not in result.stderr.decode()
    wrong_ones: list[tuple[list[str | Path], str]] = [
        (["quality", bad], "quality is learned from good and bad texts"),
        (["quality", bad, bad, "--lang", "en"], "--lang is not for quality"),
        (["quality", bad, tmp_path / "none"], "can't read the texts in"),
        (["texrex", bad], "the model is one file"),
    ]
    for arguments, message in wrong_ones:
        wrong = run("train", *arguments)
        assert wrong.returncode == 2
        assert message in wrong.stderr.decode()
