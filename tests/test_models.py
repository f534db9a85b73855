"""Models of one's own: files that say what they are, and that cleaning, building and evaluation use."""

from __future__ import annotations

import json
import shutil
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tomli_w
from command import run
from own_pages import ARTICLE, offers, page, write_folder

import gristmill
from gristmill.cleaning import METHODS
from gristmill.cleaning import clean_page as clean_one
from gristmill.cleaning.methods.chosen import method_of
from gristmill.cleaning.models import FORMAT, load, of_names, pack, read
from gristmill.cleaning.site import clean_site
from gristmill.config import CleanConfig, Config
from gristmill.document import Page
from gristmill.engine import InlineEngine
from gristmill.errors import GristmillError, UsageError
from gristmill.evaluation import GoldPage, GoldSet, evaluate
from gristmill.evaluation.training import Model
from gristmill.kernel.mill_columns import FEATURES
from gristmill.roles import DEFAULT_ROLES, ROLES

TRAINED = ("mill", "cedar", "chakrabarti", "fiasco", "hofmann", "maxsub", "ncleaner", "texrex", "victor")
ENGINE = InlineEngine()


def shipped(method: str) -> dict[str, Any]:
    return dict(load(method))


def opposite(method: str) -> Model:
    """A model that takes for text what the shipped one takes for boilerplate, in any role."""
    arrays = shipped(method)
    turned = {
        "cedar": {name: -arrays.get(name, 0) for name in ("states", "word_states", "transitions")},
        "chakrabarti": {"weights": -arrays.get("weights", 0)},
        "hofmann": {"tree_shares": 1 - arrays.get("tree_shares", 0)},
        "fiasco": {"weights": -arrays.get("weights", 0), "visual.weights": -arrays.get("visual.weights", 0)},
        "maxsub": {name: -arrays.get(name, 0) for name in ("scale", "words.prior", "shapes.prior")},
        "mill": {
            "trees_leaves": -arrays.get("trees_leaves", 0),
            "trees_start": -arrays.get("trees_start", 0),
            "roles": of_names(ROLES),
        },
        "ncleaner": {"scale": -arrays.get("scale", 0)},
        "texrex": {
            f"{lang}.{part}": (1 if part == "out_bias" else 0) - arrays.get(f"{lang}.{part}", 0)
            for lang in ("all", "gaussian.all", "gaussian.en", "gaussian.de", "gaussian.fr", "gaussian.sv")
            for part in ("out", "out_bias")
        },
        "victor": {"states": -arrays.get("states", 0), "transitions": -arrays.get("transitions", 0)},
    }
    return Model(arrays | turned[method], {"method": method, "what": "the opposite"})


@pytest.fixture
def own(tmp_path: Path) -> Path:
    path = tmp_path / "own.mill"
    opposite("mill").save(path)
    return path


def test_all_methods_that_are_trained_take_a_model() -> None:
    assert [name for name, method in METHODS.items() if method.with_model] == [*TRAINED]


def test_a_file_holds_all(own: Path) -> None:
    found = read(own)
    assert found.method == "mill"
    assert found.card == {"method": "mill", "what": "the opposite"}
    assert {name: array.tobytes() for name, array in found.arrays.items()} == {
        name: np.asarray(array).tobytes() for name, array in opposite("mill").arrays.items()
    }
    first = own.read_bytes()
    opposite("mill").save(own)
    assert own.read_bytes() == first
    assert list(own.parent.iterdir()) == [own]


@pytest.mark.parametrize("method", TRAINED)
def test_the_shipped_model_as_a_file_is_the_same(method: str, tmp_path: Path) -> None:
    path = tmp_path / "copy"
    Model(shipped(method), {"method": method}).save(path)
    for number in range(4):
        plain, copied = (gristmill.clean(page(number), method=method, model=model) for model in (None, path))
        assert [block.score for block in plain.blocks] == [block.score for block in copied.blocks]


@pytest.mark.parametrize("method", TRAINED)
def test_a_model_changes_what_is_text(method: str, tmp_path: Path) -> None:
    path = tmp_path / "own.model"
    opposite(method).save(path)
    plain = [block.score for block in gristmill.clean(page(0), method=method).blocks]
    changed = [block.score for block in gristmill.clean(page(0), method=method, model=path).blocks]
    assert [score > 0.5 for score in changed] != [score > 0.5 for score in plain]
    given = Page("http://mill.example/", page(0).encode())
    for document in (
        clean_one(given, method=method, model=str(path)),
        *clean_site([given, given], method=method, model=path),
        gristmill.clean(given, method=method, model=path),
    ):
        assert [block.score for block in document.blocks] == changed


def test_a_model_says_which_roles_are_text(own: Path, tmp_path: Path) -> None:
    assert METHODS["mill"].roles == DEFAULT_ROLES
    assert method_of(CleanConfig(model=str(own))).roles == ROLES
    assert gristmill.clean(page(0), model=own).text.split("\n") == offers(0)
    assert gristmill.clean(page(0), model=own, roles="text,heading").text == ""
    few = tmp_path / "few.mill"
    Model(shipped("mill") | {"roles": of_names(["title", "caption"])}, {"method": "mill"}).save(few)
    assert gristmill.clean(page(0), model=few).roles == "title,caption"
    Model(shipped("mill") | {"roles": of_names(["nonsense"])}, {"method": "mill"}).save(few)
    with pytest.raises(UsageError, match="there is no role 'nonsense'"):
        gristmill.clean(page(0), model=few)


def test_a_model_is_loaded_once_and_again_when_it_is_made_anew(own: Path) -> None:
    config = CleanConfig("mill", model=str(own))
    assert method_of(config) is method_of(config)
    before = gristmill.clean(page(0), model=own).text
    Model(shipped("mill"), {"method": "mill"}).save(own)
    assert gristmill.clean(page(0), model=own).text == gristmill.clean(page(0)).text != before


def test_a_relative_path_is_that_of_the_working_directory(own: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(own.parent)
    assert gristmill.clean(page(0), model=own.name).text == gristmill.clean(page(0), model=own).text
    monkeypatch.chdir("/")
    with pytest.raises(UsageError, match="there is no model"):
        gristmill.clean(page(0), model=own.name)


# ---- what is no model ----


def damaged(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2 : len(data) // 2 + 50] = bytes(50)
    path.write_bytes(data)


def written(arrays: dict[str, Any], method: str = "mill") -> bytes:
    return pack(method, arrays, {"method": method})


def save(path: Path, **arrays: Any) -> None:
    with path.open("wb") as file:
        np.savez(file, allow_pickle=True, **arrays)


CASES: dict[str, tuple[Callable[[Path], object], str]] = {
    "no such file": (Path.unlink, "there is no model"),
    "text": (lambda path: path.write_text("no model"), "is no model"),
    "empty": (lambda path: path.write_bytes(b""), "is no model"),
    "other arrays": (lambda path: save(path, a=np.zeros(3)), "is no model"),
    "another method": (lambda path: path.write_bytes(written({}, "victor")), "is a model of victor, not of mill"),
    "cut off": (lambda path: path.write_bytes(path.read_bytes()[:2000]), "is damaged"),
    "changed": (damaged, "is damaged"),
    "arrays are missing": (lambda path: path.write_bytes(written({})), "does not fit the features"),
    "leaves are missing": (
        lambda path: path.write_bytes(written(shipped("mill") | {"trees_leaves": np.zeros((3, 64), np.float16)})),
        "is damaged",
    ),
    "columns elsewhere": (
        lambda path: path.write_bytes(
            written(shipped("mill") | {"trees_columns": np.full_like(shipped("mill")["trees_columns"], len(FEATURES))})
        ),
        "is damaged",
    ),
    "objects": (lambda path: save(path, a=np.array([{}])), "is damaged"),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_what_is_no_model_is_said(case: str, own: Path) -> None:
    spoil, message = CASES[case]
    spoil(own)
    with pytest.raises(UsageError, match=message) as raised:
        gristmill.clean(page(0), model=own)
    assert str(own) in str(raised.value)
    ran = run("clean", "-", "--model", own, stdin=page(0).encode())
    assert ran.returncode == 2
    assert message in ran.stderr.decode()


def test_another_format_is_refused(own: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gristmill.cleaning.models.FORMAT", FORMAT + 1)
    with pytest.raises(GristmillError, match=rf"has format {FORMAT}, .* reads format {FORMAT + 1}: train it again"):
        gristmill.clean(page(0), model=own)


def test_a_file_that_would_fill_the_memory_is_refused(own: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gristmill.cleaning.models._MAX_BYTES", 1000)
    with pytest.raises(UsageError, match="its arrays would take"):
        gristmill.clean(page(0), model=own)


@pytest.mark.parametrize("method", ["justext", "site-diff"])
def test_methods_that_are_not_trained_take_no_model(method: str, own: Path, tmp_path: Path) -> None:
    message = f"the method {method} takes no model: it is not trained. Those that are: {', '.join(TRAINED)}"
    with pytest.raises(UsageError, match=message):
        gristmill.clean(page(0), method=method, model=own)
    ran = run(
        "build", write_folder(tmp_path / "pages", range(2)), "-o", tmp_path / "c", "--method", method, "--model", own
    )
    assert ran.returncode == 2
    assert message in ran.stderr.decode()
    assert not (tmp_path / "c").exists()


def test_a_model_must_be_a_path() -> None:
    with pytest.raises(TypeError, match="model must be a path"):
        gristmill.clean("<p>A", model=3)  # type: ignore[arg-type]


# ---- where models are used ----


def test_clean_takes_a_model(own: Path, tmp_path: Path) -> None:
    file = tmp_path / "page.html"
    file.write_text(page(0))
    plain, changed = (run("clean", file, *more).stdout.decode() for more in ((), ("--model", own)))
    assert ARTICLE[0] in plain
    assert ARTICLE[0] not in changed
    assert offers(0)[0] in changed


def texts(folder: Path) -> list[str]:
    return [document.text for document in gristmill.Corpus(folder).documents()]


def test_build_takes_a_model_and_writes_it_down(own: Path, tmp_path: Path) -> None:
    pages = write_folder(tmp_path / "pages", range(0, 60, 20))
    ran = run("build", pages, "-o", "c", "--model", own.name, "--filter", "no-length", "--lang", "", cwd=tmp_path)
    assert ran.returncode == 0, ran.stderr
    folder = tmp_path / "c"
    assert all(ARTICLE[0] not in text and "kg" in text for text in texts(folder))
    card = (folder / "corpus.toml").read_text("utf-8")
    assert f'model = "{own}"' in card
    assert Config.from_file(folder / "corpus.toml").clean.model == str(own)
    (pages / "99.html").write_text(page(99))
    assert run("add", folder, pages).returncode == 0
    assert len(texts(folder)) == 4
    assert "kg" in texts(folder)[-1]


def test_pages_are_not_added_with_another_model(own: Path, tmp_path: Path) -> None:
    pages = write_folder(tmp_path / "pages", range(0, 60, 20))
    config = Config().replace(clean_model=str(own), filter_filters=())
    folder = tmp_path / "c"
    gristmill.build(pages, folder, config, engine=ENGINE)
    kept = shutil.copy(own, tmp_path / "kept")
    Model(shipped("mill"), {"method": "mill"}).save(own)
    (pages / "99.html").write_text(page(99))
    with pytest.raises(UsageError, match=f"holds a corpus that was built otherwise:\n  files.{own}"):
        gristmill.add(folder, pages, engine=ENGINE)
    own.unlink()
    with pytest.raises(UsageError, match="there is no model"):
        gristmill.add(folder, pages, engine=ENGINE)
    shutil.copy(kept, own)
    gristmill.add(folder, pages, engine=ENGINE)
    assert len(texts(folder)) == 4
    with pytest.raises(UsageError, match=r"settings\.clean\.model"):
        gristmill.build(pages, folder, Config().replace(filter_filters=()), engine=ENGINE)


def test_a_model_in_the_folder_of_the_corpus_moves_with_it(own: Path, tmp_path: Path) -> None:
    pages, folder = write_folder(tmp_path / "pages", range(0, 60, 20)), tmp_path / "c"
    gristmill.build(pages, folder, Config().replace(filter_filters=()), engine=ENGINE)
    shutil.copy(own, folder / "own.mill")
    table = tomllib.loads((folder / "corpus.toml").read_text("utf-8"))
    table["settings"]["clean"]["model"] = "{corpus}/own.mill"
    (folder / "corpus.toml").write_text(tomli_w.dumps(table), "utf-8")
    moved = folder.rename(tmp_path / "moved")
    assert Config.from_file(moved / "corpus.toml").clean.model == str(moved / "own.mill")


def test_evaluate_compares_models(own: Path, tmp_path: Path) -> None:
    pages = write_folder(tmp_path / "pages", range(4))
    spec = f"mill:model={own}"
    for arguments in (("--model", own), ("--method", f"mill,{spec}")):
        found = json.loads(run("evaluate", pages, *arguments, "--json").stdout)
        figures = {name: entry["overall"]["words"]["f1"] for name, entry in found["methods"].items()}
        assert figures[spec] > 0.9
        assert figures["mill"] < 0.5
    assert spec in run("evaluate", pages, "--model", own, "-j", "2").stdout.decode()


def test_what_is_wrong_with_methods_to_evaluate_is_said(own: Path) -> None:
    sets = [GoldSet("one", [GoldPage("one", "1", page(1).encode(), offers(1)[0])])]
    for method, message in (
        ("mill:modell=x", "mill has no parameter 'modell'"),
        ("mill:model=none", "there is no model"),
        (f"victor:model={own}", "is a model of mill, not of victor"),
        (f"bte:model={own}", "takes no model"),
    ):
        with pytest.raises(GristmillError, match=message):
            evaluate(sets, [method])


def test_a_model_that_is_of_no_cleaning_method_is_not_evaluated(tmp_path: Path) -> None:
    (tmp_path / "my.items").write_bytes(pack("items", {}, {}))
    found = run("evaluate", write_folder(tmp_path / "pages", range(1)), "--model", tmp_path / "my.items")
    assert found.returncode == 2
    assert b"my.items is a model of items, which is no cleaning method" in found.stderr


def test_files_in_a_folder_of_languages_that_are_not_used_are_named(own: Path, tmp_path: Path) -> None:
    folder = tmp_path / "models"
    folder.mkdir()
    shutil.copy(own, folder / "mill.npz")
    (tmp_path / "page.html").write_text(page(1))
    done = run("clean", tmp_path / "page.html", "--models", folder)
    assert done.returncode == 2
    assert b"there are no models of languages in" in done.stderr
    assert b"holds mill.npz; the model of a cleaning method is given with --model FILE" in done.stderr
    (folder / "xx.stoplist.txt").write_text("the and")
    done = run("clean", tmp_path / "page.html", "--models", folder)
    assert b"not used, as --models is for languages: mill.npz" in done.stderr
