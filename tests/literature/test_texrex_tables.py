"""Schäfer's experiments: on blocks of which it is known what a network can learn."""

import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

from gristmill.cli.program import app
from gristmill.errors import UsageError
from gristmill.literature.cleaning.texrex import FEATURES
from gristmill.literature.experiments import texrex_tables
from gristmill.literature.experiments.texrex_tables import (
    Across,
    across_languages,
    feature_ranking,
    precision_at,
    read_blocks,
)
from gristmill.literature.training.texrex import Blocks


@pytest.fixture
def blocks(monkeypatch: pytest.MonkeyPatch) -> Blocks:
    """Blocks of two languages: a feature tells them apart in both, another only in the second."""
    monkeypatch.setattr("gristmill.literature.training.texrex._EPOCHS", 30)
    monkeypatch.setattr(texrex_tables, "_RANKING_EPOCHS", 20)
    rng = np.random.default_rng(0)
    langs, targets = np.repeat(["aa", "bb"], 120), rng.integers(0, 2, 240).astype(np.float64)
    inputs = np.zeros((240, len(FEATURES)))
    inputs[:, FEATURES.index("Length")] = targets
    inputs[:, FEATURES.index("Copy")] = np.where(langs == "bb", targets, rng.integers(0, 2, 240))
    return Blocks(langs, inputs, targets)


def test_precision_at_a_recall() -> None:
    scores, targets = np.array([0.9, 0.8, 0.7, 0.1]), np.array([1.0, 0.0, 1.0, 0.0])
    assert precision_at(scores, targets, 1.0) == 2 / 3
    assert precision_at(scores, targets, 0.5) == 1.0
    assert precision_at(scores, np.zeros(4), 0.5) == 0.0
    assert precision_at(np.zeros(0), np.zeros(0), 0.5) == 0.0


def test_networks_of_other_languages(blocks: Blocks) -> None:
    found = across_languages(blocks)
    assert [result[:2] for result in found] == [("aa", "bb"), ("bb", "aa")]
    assert found[0][:-1] == Across("aa", "bb", 1.0, (1.0, 1.0, 1.0), ())[:-1]
    assert found[0].curve[0] == (0.5, 1.0)


def test_features_by_merit(blocks: Blocks) -> None:
    ranked = feature_ranking(blocks, folds=2)
    assert [merit.feature for merit in ranked[:2]] == ["Length", "Copy"]
    baselines = {lang: max(share, 1 - share) for lang in ("aa", "bb") for share in [_share(blocks, lang)]}
    assert ranked[0].by_language == {lang: pytest.approx(1 - baseline) for lang, baseline in baselines.items()}
    assert ranked[1].by_language["bb"] > ranked[1].by_language["aa"] + 0.3
    assert all(abs(merit.mean) < 0.1 for merit in ranked[2:])


@pytest.mark.parametrize(("show", "first"), [("languages", "aa"), ("ranking", "Length")])
def test_commands(blocks: Blocks, tmp_path: Path, show: str, first: str) -> None:
    table = {
        "lang": blocks.langs.tolist(),
        "features": blocks.inputs.tolist(),
        "boilerplate": blocks.targets.astype(int).tolist(),
    }
    pq.write_table(pa.table(table), tmp_path / "blocks.parquet")
    picture = tmp_path / "picture.svg"
    options = [str(tmp_path / "blocks.parquet"), "--show", show, "--json", "--picture", str(picture)]
    result = CliRunner().invoke(app, ["evaluate", *options])
    assert result.exit_code == 0, result.output
    rows = json.loads(result.stdout)[show]
    assert first in rows[0].values()
    drawn = picture.read_text(encoding="utf-8")
    assert drawn.startswith("<svg")
    assert (">Length</text>" in drawn, "<circle" in drawn) == (show == "ranking",) * 2  # as Figure 3: names, and dots


def test_a_file_without_features(tmp_path: Path) -> None:
    pq.write_table(pa.table({"html": ["a"]}), tmp_path / "pages.parquet")
    result = CliRunner().invoke(app, ["evaluate", str(tmp_path / "pages.parquet"), "--show", "ranking"])
    assert result.exit_code != 0
    assert str(result.exception).endswith("there is no column lang, features, boilerplate")
    with pytest.raises(UsageError, match="37 features"):
        read_blocks(tmp_path / "pages.parquet")


def _share(blocks: Blocks, lang: str) -> float:
    return float(blocks.targets[blocks.langs == lang].mean())
