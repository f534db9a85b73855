"""The features and trees of mill: compiled, as plain loops and by operations on arrays, all give the same numbers."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gristmill import kernel
from gristmill.arrays.dtypes import Floats, Matrix
from gristmill.cleaning.features import Features
from gristmill.cleaning.methods import mill as mill_method
from gristmill.cleaning.methods import mill_features
from gristmill.cleaning.methods.mill import NameValues, shipped
from gristmill.cleaning.methods.mill_features import ByArrays, ByLoops
from gristmill.cleaning.methods.trees import Trees, probability
from gristmill.cleaning.segmentation import segment
from gristmill.cleaning.uncompiled import mill as arrays
from gristmill.kernel import mill as loops
from gristmill.kernel import mill_columns, phrases, rows
from gristmill.kernel import mill_roles as loops_of_roles
from gristmill.kernel import trees as loops_of_trees
from gristmill.kernel.mill_columns import FEATURES, ROWS
from gristmill.kernel.rows import MEASURE_ROWS

WORDS = NameValues({"nav": -2.5, "post": 1.25, "foot": -0.5})
_KEYS = phrases.find_phrases(b"HomeIt grindsMill", np.array([0, 4, 13, 17], np.int32))[0]
PHRASES = phrases.make_table(_KEYS, np.linspace(-2, 1.25, len(_KEYS), dtype=np.float32))
LINE = "The mill by the river has ground grain, corn; and more, for three villages since before the war. It still does."
TEXTS = st.sampled_from(
    [
        "Home",
        "It grinds, slowly: 12 sacks a day.",
        "© 2026 The Lower Mill",
        "a@b.example",
        "Mühle »",
        "磨坊。",
        "𝔐",
        LINE,
    ]
)
TAGS = st.sampled_from("p div li ul nav article main footer h2 td table blockquote a section form".split())
NAMES = st.sampled_from(["", " class=nav", " id=post class=foot", " class='post nav'"])
PIECES = st.lists(st.one_of(TEXTS, st.builds("<{}{}>".format, TAGS, NAMES), st.builds("</{}>".format, TAGS)))
PAGES = st.builds("<title>{}</title><body{}>{}".format, st.text("Home It", max_size=12), NAMES, PIECES.map("\n".join))


def use_plain_loops(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the kernel's Python files be used, whether they are compiled or not."""
    for name in ("compare", "describe", "describe_names", "label"):
        monkeypatch.setattr(kernel, name, getattr(loops, name))
    for name in ("describe_roles", "describe_phrases_around"):
        monkeypatch.setattr(kernel, name, getattr(loops_of_roles, name))
    for name in ("find_phrases", "weigh"):
        monkeypatch.setattr(kernel, name, getattr(phrases, name))


def tables(html: str) -> list[Matrix]:
    """Return the features of a page as loops and operations on arrays make them."""
    page = Features(segment(html))
    if not len(page):
        return []
    values = WORDS.of(page.page.elements.names)
    return [way(page).with_words(values, *PHRASES) for way in (ByLoops, ByArrays)]


def differences(found: Sequence[Matrix]) -> list[str]:
    return [name for row, name in enumerate(FEATURES) if any((found[0][row] != other[row]).any() for other in found)]


@given(PAGES)
def test_loops_and_arrays_make_the_same_features(html: str) -> None:
    found = tables(html)
    assert not found or differences(found) == []


@settings(max_examples=20)
@given(PAGES)
def test_plain_loops_and_arrays_make_the_same_features(html: str) -> None:
    with pytest.MonkeyPatch.context() as monkeypatch:
        use_plain_loops(monkeypatch)
        found = tables(html)
    assert not found or differences(found) == []


LONG = "".join(f"<div id=d{number}><p>{'word ' * (number % 90)} {number}.</p>" for number in range(300))


@pytest.mark.parametrize(
    "html",
    [
        "one",
        "<body class=nav>one<p>two",  # no element in another
        "<body class=nav><div><div><div><p>four deep",
        "<ul>" + "<li><a href=x>Home</a>" * 50,
        LONG + "</div>" * 300 + "<h1>End</h1>",
        "<p>" + "word " * 5000 + "<p>" * 20 + "." * 5000,  # beyond the table of logarithms
    ],
)
def test_pages_at_the_limits(html: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert differences(tables(html)) == []
    use_plain_loops(monkeypatch)
    assert differences(tables(html)) == []


@given(st.lists(TEXTS, min_size=1))
def test_measures_by_arrays_are_those_of_the_kernel(texts: list[str]) -> None:
    page = Features(segment("".join(f"<p>{text}" for text in texts)))
    folded = page.columns.folded
    measures = arrays.measure(page.texts)
    assert measures.shape == (MEASURE_ROWS, len(page))
    assert measures.tolist() == kernel.measure(folded.data, folded.offsets).tolist()


@given(st.integers(0, 2**32 - 1), st.integers(1, 6), st.integers(1, 40))
def test_all_ways_through_the_trees_are_the_same(seed: int, depth: int, blocks: int) -> None:
    random = np.random.default_rng(seed)
    table = random.normal(size=(9, blocks)).astype(np.float32)
    trees = Trees(
        random.integers(0, 9, 5 * depth, np.int32),
        random.normal(size=5 * depth).astype(np.float32),
        random.normal(size=(5, 1 << depth)).astype(np.float32),
        -0.5,
    )
    plain = loops_of_trees.odds(table, trees.columns, trees.borders, trees.leaves, trees.start)
    assert trees.odds(table).tolist() == plain.tolist() == trees.odds_by_arrays(table).tolist()


@pytest.mark.parametrize("odds", [kernel.odds, loops_of_trees.odds])
@pytest.mark.parametrize(
    ("columns", "borders", "leaves", "message"),
    [
        ([0, 9], 2, (1, 4), "a row that the table does not have"),
        ([0, -1], 2, (1, 4), "a row that the table does not have"),
        ([0, 1], 1, (1, 4), "of borders"),
        ([0, 1], 2, (1, 5), "of leaves"),
        ([0, 1], 2, (2, 4), "of leaves"),
        ([0] * 9, 9, (1, 512), "of leaves"),
    ],
)
def test_trees_that_do_not_fit_are_refused(
    odds: Callable[..., Floats], columns: list[int], borders: int, leaves: tuple[int, int], message: str
) -> None:
    table = np.zeros((9, 3), np.float32)
    with pytest.raises(ValueError, match=message):
        odds(table, np.array(columns, np.int32), np.zeros(borders, np.float32), np.zeros(leaves, np.float32), 0.0)


def test_labels_are_the_same_without_the_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(5)
    table = (random.random((len(FEATURES), 500)) * 1.2).astype(np.float32)
    table[ROWS["own.link_density"]] *= 0.6
    table[[ROWS[f"level{level}.names"] for level in (1, 2, 3)]] -= 1.5
    for tag in ("nav", "footer", "header", "aside", "form", "select"):
        table[ROWS[f"around.{tag}"]] = random.random(500) < 0.1
    values: Floats = probability(random.normal(size=500))
    found = []
    for compiled, label in ((True, kernel.label), (True, loops.label), (False, None)):
        monkeypatch.setattr(kernel, "COMPILED", compiled)
        monkeypatch.setattr(kernel, "label", label)
        found.append(mill_method._label(table, values).tolist())
    assert found[0] == found[1] == found[2]
    assert set(found[0]) == set(range(len(mill_method._LABELS)))


def test_the_whole_method_is_the_same_without_the_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    page = segment(LONG + "<nav class=menu><a href=x>Home</a><p>More</nav>")
    found = []
    for compiled in (True, False):
        monkeypatch.setattr(kernel, "COMPILED", compiled)
        scores = mill_method.mill(Features(page), "en")
        found.append((scores.values.tolist(), list(scores.labels)))
    assert found[0] == found[1]


def test_the_kernel_is_used_where_it_is_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    page = Features(segment("<p>one"))
    for compiled, kind in ((True, ByLoops), (False, ByArrays)):
        monkeypatch.setattr(kernel, "COMPILED", compiled)
        assert isinstance(mill_features.describe(page), kind)


def test_names_of_rows_are_given_once() -> None:
    for module in (rows, mill_columns):
        names = [
            name.id
            for statement in ast.parse(inspect.getsource(module)).body
            if isinstance(statement, ast.Assign)
            for target in statement.targets
            for name in ast.walk(target)
            if isinstance(name, ast.Name)
        ]
        assert len(set(names)) == len(names)


def test_names_of_features_differ_and_the_trees_use_most() -> None:
    assert len(set(FEATURES)) == len(FEATURES) == len(ROWS)
    _, trees = shipped()
    assert len(set(trees.columns.tolist())) > 150
