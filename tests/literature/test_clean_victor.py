"""Victor: features by hand, the conditional random field against slower ones, and what it makes of pages."""

import itertools
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gristmill import clean
from gristmill.cleaning.features import Features
from gristmill.cleaning.models import of_names
from gristmill.cleaning.segmentation import segment
from gristmill.errors import UsageError
from gristmill.literature.cleaning.crf import marginals
from gristmill.literature.cleaning.victor import LABELS, OFFSETS, Parameters, label, states, victor, with_model
from gristmill.literature.cleaning.victor_features import BASES, EDGES, NAMES, features

SENTENCE = "They carried what was left of the grain down to the river, and waited there for the miller and his boat. "


def column(html: str, name: str) -> list[int]:
    values = features(Features(segment(html, "text-node")))
    found: list[int] = values[:, NAMES.index(name)].tolist()
    return found


def test_text_nodes_are_blocks() -> None:
    page = segment("<p>Hello <b>world</b>!</p>", "text-node")
    assert [block.text for block in page.blocks] == ["Hello", "world", "!"]


def test_containers_are_all_elements_around() -> None:
    html = '<div><p>a <a href="x"><b>b</b></a></p></div><h2>c</h2><ul><li>d</li></ul><form>e</form>f'
    assert column(html, "container.p") == [1, 1, 0, 0, 0, 0]
    assert column(html, "container.a") == [0, 1, 0, 0, 0, 0]
    assert column(html, "container.class-bold") == [0, 1, 0, 0, 0, 0]
    assert column(html, "container.class-header") == [0, 0, 1, 0, 0, 0]
    assert column(html, "container.class-list") == [0, 0, 0, 1, 0, 0]
    assert column(html, "container.class-form") == [0, 0, 0, 0, 1, 0]


def test_an_image_holds_text_only_on_broken_pages() -> None:
    assert column("a<img src=x>b<p><img>c</img>d<img>", "container.img") == [0, 0, 1, 0]


def test_language_features_only_if_they_are_asked_for() -> None:
    page = Features(segment("<p>The house of the other people is there.</p><p>xqz jjk vvq wxk</p>", "text-node"))
    without, found = features(page), features(page, "en")
    assert without.shape[1] == len(NAMES) - 2
    assert np.array_equal(found[:, :-2], without)
    assert (found[0, -2:] > found[1, -2:]).all()
    assert not features(page, "")[:, -2:].any()


def test_parameters() -> None:
    page = Features(segment(f"<p>{SENTENCE * 3}</p><ul><li><a href=/>Home</a></ul>", "text-node"))
    for trained_on, langid in itertools.product(("cleaneval", "canola"), (False, True)):
        scores = victor(page, "en", Parameters(trained_on, langid))
        assert scores.values[0] < 0.5 < scores.values[1]
        assert scores.labels[1] == "other"
    with pytest.raises(UsageError, match="cleaneval or canola"):
        Parameters("elsewhere")
    with pytest.raises(UsageError, match="no weights for victor:trained_on=canola,langid=no"):
        with_model({"features": of_names(NAMES)}, Parameters("canola"))(page, "en")


def test_containers_of_deep_pages() -> None:
    html = "<b>" + "<div>" * 900 + "a" + "</div>" * 900 + "</b>"
    assert column(html, "container.class-bold") == [1]


def test_tags_between_nodes() -> None:
    html = "<p>a</p><p>b<br>c<br><br>d <i>e</i></p>"
    assert column(html, "split.p") == [1, 2, 0, 0, 0]
    assert column(html, "split.br") == [0, 0, 1, 2, 0]
    assert column(html, "split.hr") == [0, 0, 0, 0, 0]
    assert column("a<hr>b<hr><hr>c", "split.hr") == [0, 1, 2]
    assert column(html, "split.class-inline") == [0, 0, 0, 0, 1]
    assert column(html, "split.class-block") == [1, 2, 0, 0, 0]


def test_characters_and_tokens() -> None:
    html = "<p>ab 12 c3 --</p><p>word</p>"
    assert column(html, "token.alpha-abs") == [1, 1]
    assert column(html, "token.num-abs") == [1, 0]
    assert column(html, "token.mix-abs") == [1, 0]
    assert column(html, "token.other-abs") == [1, 0]
    assert column(html, "token.alpha-rel") == [np.searchsorted(EDGES["token.alpha-rel"], 0.25), 8]
    assert column(html, "char.alpha-rel") == [np.searchsorted(EDGES["char.alpha-rel"], 3 / 11), 8]
    assert column(html, "char.white-rel") == [np.searchsorted(EDGES["char.white-rel"], 3 / 11), 0]


def test_sentences() -> None:
    html = "<p>One is here. Two is too!</p><p>and no more</p>"
    assert column(html, "sentence.count") == [2, 0]
    assert column(html, "sentence-begin") == [1, 0]
    assert column(html, "sentence-end") == [1, 0]
    assert column(html, "sentence.avg-length") == [1, 1]


def test_duplicates_by_letters_alone() -> None:
    html = "<p>Read more (3)</p><p>other</p><p>Read more... 17</p><p>1</p><p>2</p><p>Readmore</p>"
    assert column(html, "duplicate-count") == [2, 0, 2, 0, 0, 2]
    assert column(html, "first-duplicate") == [1, 0, 0, 0, 0, 0]


def test_expressions() -> None:
    html = (
        "<p>see http://mill.example</p><p>a@mill.example</p><p>12.3.2007 at 14:30</p><p>3 March 2007, 5 pm</p><p>in "
        "1999</p><p>none</p>"
    )
    assert column(html, "regexp.url") == [1, 2, 0, 0, 0, 0]
    assert column(html, "regexp.date") == [0, 0, 1, 3, 5, 0]
    assert column(html, "regexp.time") == [0, 0, 1, 2, 0, 0]


def test_groups_of_their_example() -> None:
    html = "<div> a <div> b <i>c</i> </div> d <div> e <i>f</i> </div> g </div>"  # (a, d, g), (b, c) and (e, f)
    edges = EDGES["div-group.word-ratio"]
    three, two = np.searchsorted(edges, 3 / 7), np.searchsorted(edges, 2 / 7)
    assert column(html, "div-group.word-ratio") == [three, two, two, three, two, two, three]
    assert column(html, "document.max-div-group") == [three] * 7
    assert column(html, "td-group.word-ratio") == [0] * 7


def test_words_in_links_make_no_group() -> None:
    html = '<div><a href="x">a b c</a></div><div>d</div>'
    assert column(html, "div-group.word-ratio") == [0, 8]


def test_place_and_size_of_the_page() -> None:
    html = "<p>a</p>" * 10
    assert column(html, "position") == list(range(10))
    assert column(html, "document.block-count") == [2] * 10


def naive(scores: np.ndarray, transitions: np.ndarray) -> np.ndarray:
    """Marginals by all sequences of labels."""
    total = np.zeros(scores.shape)
    for path in itertools.product(range(scores.shape[1]), repeat=len(scores)):
        score = sum(scores[at, own] for at, own in enumerate(path)) + sum(
            transitions[one, two] for one, two in itertools.pairwise(path)
        )
        total[np.arange(len(path)), list(path)] += np.exp(score)
    scaled: np.ndarray = total / total.sum(1, keepdims=True)
    return scaled


@given(st.integers(0, 7), st.integers(0, 1000))
@settings(deadline=None)
def test_marginals_are_those_of_all_sequences(number: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    scores, transitions = rng.normal(size=(number, 3)) * 3, rng.normal(size=(3, 3)) * 2
    expected = naive(scores, transitions) if number else scores
    assert np.allclose(marginals(scores, transitions), expected)


def test_long_sequences_do_not_vanish() -> None:
    rng = np.random.default_rng(1)
    for number in (2, 3, 16, 17, 1000, 20_001):
        found = marginals(rng.normal(size=(number, 3)) * 40, rng.normal(size=(3, 3)) * 10)
        assert np.isfinite(found).all()
        assert np.allclose(found.sum(1), 1)


def test_a_label_leans_on_its_neighbours() -> None:
    scores = np.array([[4.0, 0, 0], [0, 0, 0], [4.0, 0, 0]])
    sticky = 2 * np.eye(3)
    assert marginals(scores, sticky)[1, 0] > 0.7
    assert np.allclose(marginals(scores, np.zeros((3, 3)))[1], 1 / 3)


def test_states_are_sums_over_the_neighbours() -> None:
    weights = np.zeros((len(OFFSETS), int(BASES[-1]), len(LABELS)))
    values = np.zeros((3, len(NAMES)), np.int16)
    values[1, 0] = 1  # the second node has the second value of the first feature
    weights[:, 1, 0] = [1, 10, 100]
    assert states(values, weights)[:, 0].tolist() == [100, 10, 1]


def test_marginals_are_those_of_crfsuite(tmp_path: Path) -> None:
    crfsuite = pytest.importorskip("pycrfsuite")
    from gristmill.literature.training import victor as training  # noqa: PLC0415 - what it needs may be missing

    rng = np.random.default_rng(3)
    sizes = np.diff(BASES)

    def example(number: int) -> tuple[np.ndarray, np.ndarray]:
        values = np.stack([rng.integers(0, size, number) for size in sizes], 1).astype(np.int16)
        return values, (values[:, 0] + rng.integers(0, 2, number)) % 3

    examples = [example(int(number)) for number in rng.integers(1, 40, 12)]
    path = tmp_path / "victor.crfsuite"
    training.write(examples, path)
    weights = training.weights_of(path)
    tagger = crfsuite.Tagger()
    tagger.open(str(path))
    for number in (1, 2, 5, 60):
        values, _ = example(number)
        tagger.set(crfsuite.ItemSequence(training.items(values)))
        expected = [[tagger.marginal(name, at) for name in LABELS] for at in range(number)]
        assert np.allclose(label(values, weights), expected, atol=1e-4)


def test_text_and_menu() -> None:
    menu = "".join(f'<li><a href="/x{at}">Item {at}</a></li>' for at in range(12))
    page = f"<ul>{menu}</ul><div><p>{SENTENCE * 4}</p><p>{SENTENCE * 5}</p><p>{SENTENCE * 3}</p></div><ul>{menu}</ul>"
    document = clean(page, lang="en", method="victor")
    assert SENTENCE.strip() in document.text
    assert "Item 3" not in document.text
    assert {block.label for block in document.blocks} <= set(LABELS)


def test_no_nodes_and_odd_pages() -> None:
    assert victor(Features(segment("", "text-node")), "en").labels == []
    for html in ("x", "<p>\U0001f600", "<b>" * 3000 + "a", "<p>中文没有空格的一段文字。</p><td>b"):
        values = victor(Features(segment(html, "text-node")), "zh").values
        assert ((values >= 0) & (values <= 1)).all()
