"""Training of the methods of the literature, on gold standards that are made here."""

import itertools
import json
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from made_gold import gold_row
from typer.testing import CliRunner

from gristmill.cleaning import clean
from gristmill.cleaning.models import read
from gristmill.cli.program import app
from gristmill.errors import UsageError
from gristmill.evaluation.gold import GoldPage
from gristmill.evaluation.training import TRAINERS, Model
from gristmill.evaluation.training import pages as training_pages
from gristmill.literature.cleaning.ncleaner import KINDS, SIZE, log_odds, table_of
from gristmill.literature.cleaning.texrex import UNITS, active, network, output
from gristmill.literature.cleaning.victor import LABELS
from gristmill.literature.training import maxsub as train_maxsub
from gristmill.literature.training import ncleaner as train_ncleaner
from gristmill.literature.training import texrex as train_texrex
from gristmill.literature.training.victor_labels import (
    LABELS_2007,
    accuracies,
    labels_of_2007,
    labels_of_2008,
    two_labels,
)


@pytest.fixture(scope="module")
def gold(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("gold")
    pq.write_table(pa.Table.from_pylist([gold_row(number) for number in range(8)]), folder / "cleaneval.parquet")
    rng = np.random.default_rng(0)
    inputs = rng.uniform(size=(80, 37)).astype(np.float32)
    inputs[:, 4] = np.repeat(np.arange(8) / 8, 10)
    features = pa.FixedSizeListArray.from_arrays(pa.array(inputs.ravel()), 37)
    columns = {"lang": ["en", "sv"] * 40, "features": features, "boilerplate": pa.array(inputs[:, 0] > 0.5, pa.int8())}
    pq.write_table(pa.table(columns), folder / "texrex-features.parquet")
    return folder


@pytest.fixture(autouse=True)
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(train_texrex, "_EPOCHS", 60)
    monkeypatch.setattr(train_ncleaner, "_MIN_TRIGRAM_COUNT", 1)
    monkeypatch.setattr(train_maxsub, "_MIN_TRIGRAM_COUNT", 1)


def test_there_is_a_trainer_for_each() -> None:
    assert {"fiasco", "maxsub", "texrex", "ncleaner", "victor"} <= set(TRAINERS)


@pytest.mark.parametrize("name", ["fiasco", "maxsub", "texrex", "ncleaner", "victor"])
def test_the_same_files_twice(name: str, gold: Path, tmp_path: Path) -> None:
    if name == "victor":
        pytest.importorskip("pycrfsuite")
    for folder in ("one", "two"):
        result = CliRunner().invoke(
            app, ["train", name, "--gold", str(gold), "-o", str(tmp_path / folder), "--seed", "3"]
        )
        assert result.exit_code == 0, result.output
    for file in (f"{name}.npz", f"{name}.card.json"):
        assert (tmp_path / "one" / file).read_bytes() == (tmp_path / "two" / file).read_bytes()
    card = json.loads((tmp_path / "one" / f"{name}.card.json").read_text("utf-8"))
    assert card["method"] == name
    assert card["settings"]["seed"] == 3
    assert card["data"][0]["rows"] in {8, 80}
    assert len(card["data"][0]["sha256"]) == 64
    assert card["versions"]["numpy"] == np.__version__
    assert card["scores"]
    assert str(gold) not in json.dumps(card)


def test_maxsub_learns(gold: Path) -> None:
    model = TRAINERS["maxsub"]([], gold, 0)
    for kind in ("words", "shapes"):
        assert model.card["scores"][kind]["words"]["f1"] > 0.9
    assert model.card["settings"]["languages"] == ["en"]


def test_log_odds_of_maxsub_by_hand() -> None:
    """As in the docstring: 3 / 4 against 1 / 3, and 1 / 4 against 2 / 3."""
    odds = train_maxsub._log_odds(np.array([0, 0, 1]), np.array([True, True, False]), 2)
    assert np.exp(odds) == pytest.approx([9 / 4, 3 / 8])


def test_tags_between_texts_belong_to_them(gold: Path) -> None:
    """Of two text nodes that are text and one that is not, only the tags between the first two are inside."""
    page = training_pages.pages_and_data([], gold, "cleaneval.parquet", "text-node")[0][0]
    tokens = train_maxsub._tokens(page, "words")
    inside = train_maxsub._belong(tokens, page.is_text)
    first, last = np.flatnonzero(page.is_text)[[0, -1]]
    assert inside.tolist() == [
        first <= block <= last and not (is_tag and block == first)
        for block, is_tag in zip(tokens.blocks.tolist(), tokens.is_tag.tolist(), strict=True)
    ]


def test_texrex_learns(gold: Path) -> None:
    model = TRAINERS["texrex"]([], gold, 0)
    inputs = np.full((2, 37), 0.5)
    inputs[:, 0] = [0.0, 1.0]
    for lang, units in itertools.product(("en", "sv", "fr"), UNITS):
        low, high = output(inputs, network(model.arrays, lang, units))
        assert low < high, lang
        assert units == "gaussian" or low < 0.5 < high, lang  # Gaussians need more than 40 blocks for more
    assert model.card["scores"]["en"]["blocks"] == 40
    scores = model.card["scores with units=sigmoid"]["en"]
    assert scores["folds of blocks, threshold 0.5"]["f1"] > 0.6
    assert scores["folds of documents, threshold 0.5"]["f1"] > 0.6


def test_scores_of_texrex_by_hand() -> None:
    found, targets = np.array([1, 1, 1, 0, 0], bool), np.array([1, 1, 0, 1, 0], bool)
    scores = train_texrex._scores(found, targets)
    assert scores == {"precision": 0.6667, "recall": 0.6667, "f1": 0.6667, "correct": 0.6, "f1 of text": 0.5}
    balanced = train_texrex._balanced(np.array([0.9, 0.8, 0.6, 0.4, 0.1]), targets.astype(float))
    assert balanced["precision"] == balanced["recall"] == 0.6667
    assert balanced["threshold"] == 0.4


@pytest.mark.parametrize("units", UNITS)
def test_gradients_of_texrex_are_those_of_its_error(units: str) -> None:
    rng = np.random.default_rng(0)
    x, y = rng.uniform(size=(20, 4)), (rng.uniform(size=20) > 0.5).astype(float)
    weights = [rng.normal(size=shape) * 0.3 for shape in ((4, 3), (3,), (3,), ())]
    weights = [np.asarray(part) for part in weights]

    def error() -> float:
        result = active(x @ weights[0] + weights[1], units) @ weights[2] + weights[3]
        return float(np.mean(np.where((result > 1) & (y == 1), 0, result - y) ** 2) / 2)

    exact = train_texrex._gradients(weights, x, y, units)
    for at, part in enumerate(weights):
        moved = np.zeros(part.shape)
        for place in np.ndindex(part.shape):
            before = part[place]
            part[place] = before + 1e-5
            above = error()
            part[place] = before - 1e-5
            moved[place] = (above - error()) / 2e-5
            part[place] = before
        assert np.allclose(moved, exact[at], atol=1e-4)


def test_ncleaner_learns(gold: Path) -> None:
    model = TRAINERS["ncleaner"]([], gold, 0)
    for kind in KINDS:
        text, menu = log_odds(
            ["What stands on the road is grain for the mill.", "Privacy Policy"], kind, table_of(model.arrays, kind)
        )
        assert text > 0 > menu
        assert model.card["scores"][kind]["words"]["f1"] > 0.9


def test_ncleaner_learns_any_language_from_any_gold_standard(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(train_ncleaner, "_MIN_PAGES", 5)
    text = "Мельница стоит там, где река выходит из леса, и стоит она там с незапамятных времён."
    menu = "<ul>" + "".join(f"<li>{word}" for word in ("ГЛАВНАЯ", "НОВОСТИ", "ПОИСК", "КАРТА САЙТА")) + "</ul>"
    rows = [
        {
            "id": str(at),
            "lang": "ru",
            "url": f"http://m{at}.example/",
            "html": f"{menu}<p>{text}".encode(),
            "gold": text,
        }
        for at in range(6)
    ]
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "moje.parquet")
    done = CliRunner().invoke(app, ["train", "ncleaner", str(tmp_path / "moje.parquet"), "-o", str(tmp_path / "my.nc")])
    assert (done.exit_code, "Model of words-ru" in done.output) == (0, True)
    page, other = f"{menu}<p>{text}", f"{menu}<p>И ветер был, и вода была."
    for html in (page, other):
        document = clean(html, lang="ru", method="ncleaner", model=tmp_path / "my.nc")
        assert [block.label for block in document.blocks] == ["dirty"] * 4 + ["clean"]
    damaged = read(tmp_path / "my.nc")
    damaged.arrays["words-ru.letters"] = damaged.arrays["words-ru.letters"][:4]
    Model(damaged.arrays, damaged.card).save(tmp_path / "damaged.nc")
    with pytest.raises(UsageError, match="has 4 letters, not 52"):
        clean(page, method="ncleaner", model=tmp_path / "damaged.nc")


def test_a_folder_without_the_public_gold_standard_says_how_to_give_others(tmp_path: Path) -> None:
    done = CliRunner().invoke(app, ["train", "victor", "--gold", str(tmp_path), "-o", str(tmp_path / "x")])
    assert "Gold standards of any other name are given as pages" in str(done.exception)


def test_models_of_ncleaner_are_probabilities() -> None:
    size = 4
    counts = np.random.default_rng(0).integers(1, 9, (size, size, size)).astype(float)
    for model in train_ncleaner._models(counts):
        assert (model > 0).all()
    lower = train_ncleaner._BACKOFF_WEIGHT
    single = (counts.sum((0, 1)) + 1) / (counts.sum() + SIZE)
    pairs = counts.sum(0)
    by_hand = (1 - lower) * counts[1, 2, 3] / counts[1, 2].sum() + lower * (
        (1 - lower) * pairs[2, 3] / pairs[2].sum() + lower * single[3]
    )
    assert np.isclose(train_ncleaner._models(counts)[1][1, 2, 3], by_hand)


def test_labels_of_victor(gold: Path) -> None:
    page = training_pages.pages_and_data([], gold, "cleaneval.parquet", "text-node")[0][0]
    labels = [LABELS[at] for at in labels_of_2008(page).tolist()]
    assert labels == ["other"] * 8 + ["header"] + ["text"] * 3 + ["other"] * 8


def test_labels_of_victor_by_hand() -> None:
    # Section 3 of Victor (2008): the snippet makes three blocks, the last two of which continue the first.
    html = "<h1>Of <i>mills</i></h1><p>Hello <b>world</b>!x</p><ul><li>grain<li>flour</ul><div>Home</div>"
    annotated = "<h>Of mills\n<p>Hello world!x\n<l>grain\n<l>flour\n"
    gold = GoldPage("own", "a", html.encode(), "Of mills\nHello world!x\ngrain\nflour", annotated=annotated)
    page = training_pages.label_pages([gold], "text-node")[0]
    names = [LABELS_2007[at] for at in labels_of_2007(page).tolist()]
    assert names == ["header", "continuation", "text", "continuation", "continuation", "list", "list", "other"]
    assert [LABELS[at] for at in labels_of_2008(page).tolist()] == ["header"] * 2 + ["text"] * 5 + ["other"]
    assert two_labels(page).tolist() == [1] * 7 + [0]


def test_nodes_of_canola_without_a_verdict_are_not_learned() -> None:
    words = {"good": "a mill grinds grain", "tie": "some say flour", "bad": "home and contact"}
    classes = {"good": "3-100", "tie": "mrgtie", "bad": "1-100"}
    html = "".join(f"<p>{text}</p>" for text in words.values())
    annotated = "".join(f'<p class="krdwrd-tag-{classes[name]}">{text}</p>' for name, text in words.items())
    gold = GoldPage("own", "a", html.encode(), words["good"], annotated=annotated)
    page = training_pages.label_pages([gold], "text-node")[0]
    assert two_labels(page).tolist() == [1, -1, 0]
    assert labels_of_2008(page).tolist() == [2, -1, 0]


def test_accuracies_by_hand() -> None:
    found = accuracies([np.array([0, 1]), np.array([2, 2])], [np.array([0, 2]), np.array([2, 0])])
    assert found == {"accuracy": 0.5, "unlabelled accuracy": 0.75, "precision": 0.6667, "recall": 1.0}


def test_victor_learns(gold: Path) -> None:
    pytest.importorskip("pycrfsuite")
    model = TRAINERS["victor"]([], gold, 0)
    assert model.card["scores"]["words"]["f1"] > 0.95
    assert model.card["scores"]["nodes"]["three labels"]["unlabelled accuracy"] > 0.95
    assert model.card["labels"] == {"other": 114, "header": 8, "text": 24}


def test_one_site_can_not_be_held_out(gold: Path) -> None:
    page = training_pages.pages_and_data([], gold, "cleaneval.parquet")[0][0]
    assert training_pages.cross_validate([page], lambda _: lambda page: np.zeros(len(page.is_text)), 0) == {}


def test_what_is_wrong_is_said(gold: Path, tmp_path: Path) -> None:
    runner = CliRunner()
    for arguments, message in (
        (["train", "texrexx", "--gold", str(gold)], "did you mean 'texrex'"),
        (["train", "texrex", "--gold", str(tmp_path / "none")], "no folder"),
        (["train", "texrex", "--gold", str(tmp_path)], "no texrex-features.parquet"),
        (["train", "ncleaner", "--gold", str(tmp_path)], "no cleaneval.parquet"),
    ):
        result = runner.invoke(app, arguments)
        assert isinstance(result.exception, UsageError), arguments
        assert message in str(result.exception)


def test_a_file_that_is_none(tmp_path: Path) -> None:
    (tmp_path / "texrex-features.parquet").write_bytes(b"no Parquet")
    with pytest.raises(UsageError, match="does not hold"):
        TRAINERS["texrex"]([], tmp_path, 0)
    pq.write_table(
        pa.table({"lang": ["en"], "features": [[1.0]], "boilerplate": [1]}), tmp_path / "texrex-features.parquet"
    )
    with pytest.raises(UsageError, match="37 features"):
        TRAINERS["texrex"]([], tmp_path, 0)


def test_a_missing_extra(gold: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pycrfsuite", None)
    with pytest.raises(UsageError, match=r"gristmill\[train\]"):
        TRAINERS["victor"]([], gold, 0)
