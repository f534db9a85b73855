"""NCleaner: trigrams of blocks, tables of log-odds, and what it makes of pages."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from gristmill import clean
from gristmill.cleaning.features import Features
from gristmill.cleaning.models import load
from gristmill.cleaning.segmentation import segment
from gristmill.literature.cleaning.ncleaner import ALPHABET, KINDS, SIZE, log_odds, ncleaner, table_of, trigrams_of

SENTENCE = (
    "When the harvest was over, they carried what was left of the grain down to the river and waited for the miller."
)


def decoded(text: str, kind: str) -> list[str]:
    trigrams, starts = trigrams_of([text, "x"], kind)
    own = trigrams[starts[0] : starts[1]].tolist()
    return [ALPHABET[at // SIZE // SIZE] + ALPHABET[at // SIZE % SIZE] + ALPHABET[at % SIZE] for at in own]


def test_trigrams_have_edges() -> None:
    assert decoded("abc", "words") == ["\n\na", "\nab", "abc", "bc\n", "\n\n\n"]


def test_characters_that_count_as_the_same() -> None:
    assert decoded("Q7Ü", "words")[:3] == ["\n\nQ", "\nQ0", "Q0É"]
    assert decoded("ß—中", "words")[:3] == ["\n\né", "\né\x7f", "é\x7fé"]
    assert decoded("Q7ü?", "shapes")[:4] == ["\n\nA", "\nA0", "A0a", "0a?"]
    assert decoded("a\u00a0b", "words")[2] == "a b"


@given(st.lists(st.text(max_size=12), min_size=1, max_size=6))
def test_blocks_do_not_see_each_other(texts: list[str]) -> None:
    table = np.random.default_rng(0).normal(size=SIZE**3).astype(np.float32)
    table[0] = 0
    for kind in KINDS:
        alone = [log_odds([text], kind, table)[0] for text in texts]
        assert np.allclose(log_odds(texts, kind, table), alone, atol=1e-4)


def test_log_odds_by_hand() -> None:
    table = np.zeros(SIZE**3, np.float32)

    def number(trigram: str) -> int:
        first, second, third = map(ALPHABET.index, trigram)
        return (first * SIZE + second) * SIZE + third

    table[number("\n\na")], table[number("\nab")], table[number("ab\n")], table[number("b\n\n")] = 1, 2, 4, 64
    assert log_odds(["ab", "a", "b"], "words", table).tolist() == [7, 1, 0]


def test_trigrams_that_were_not_seen_go_by_their_last_two_characters() -> None:
    bigrams = np.arange(SIZE * SIZE) % 100
    arrays = {
        "scale": np.array(0.5),
        "words.bigrams": bigrams,
        "words.steps": np.array([5, 3]),
        "words.trigrams": np.array([-7, 9]),
    }
    table = table_of(arrays, "words")
    assert table[5] == -3.5
    assert table[8] == 4.5
    assert table[6] == 3.0
    assert table[SIZE * SIZE * 7 + 42] == 21.0
    assert table[0] == 0


def test_shipped_weights() -> None:
    weights = load("ncleaner")
    for kind in KINDS:
        assert len(weights[f"{kind}.bigrams"]) == SIZE * SIZE
        assert np.cumsum(weights[f"{kind}.steps"].astype(int))[-1] < SIZE**3


def test_text_and_menu() -> None:
    page = (
        f"<ul><li>Home</li><li>Contact Us</li><li>Log In</li></ul><p>{SENTENCE}</p><p>Copyright 2008 All Rights "
        f"Reserved</p>"
    )
    for lang in ("en", "cs"):
        assert clean(page, lang=lang, method="ncleaner").text == SENTENCE, lang


def test_fields_between_bars() -> None:
    document = clean(f"<p>{SENTENCE} | {SENTENCE} | {SENTENCE}</p>", lang="en", method="ncleaner")
    assert [(block.label, block.score) for block in document.blocks] == [("bars", 1.0)]


def test_any_page() -> None:
    assert ncleaner(Features(segment("")), "en").labels == []
    for html in ("<p>\U0001f600", "<p>中文没有空格的一段文字。", "<p>" + "x" * 10_000):
        values = ncleaner(Features(segment(html)), "zh").values
        assert ((values >= 0) & (values <= 1)).all()
