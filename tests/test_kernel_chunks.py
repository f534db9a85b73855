"""Reading of texts into words and sentences: compiled, as Python files, and on whole chunks it gives the same."""

from __future__ import annotations

import tracemalloc
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from types import SimpleNamespace

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from gristmill.annotation import uncompiled
from gristmill.annotation.chunk_rules import ChunkRules
from gristmill.annotation.words import OPENERS, SIMPLE_ENDS
from gristmill.kernel import COMPILED, TextReader, chunks

_LANGUAGES = "ar ca cs de el en es et fi fr it ja pl ro ru sl sv th tr und zh".split()
_WORDS = (
    "a A I mill Mill MILL cannot gonna no No Dr etc usw II XIV Σ ß é ǅ don't l'eau EU:n e-mail 3 3rd 1,5 2004 т.е ул "
    "漢字 ไทย ª ʼ x\u0301 Ab\u200bc \U0001f600 \U00010400 \ud800 \x00"
).split(" ")
_BEFORE = ["", "", "", *OPENERS, "'", "¿", "((", "-", "["]
_BEHIND = ["", "", "", *SIMPLE_ENDS, "...", "!!", ".,", ".)", '".', "'", "’", "]", ".).", ":)", "%", "。", "।"]
_SPACES = [" ", " ", " ", "  ", "\n", "\u3000", "\u00a0", "\x1c", "\ufeff", ' " ', " ) "]
_CHUNKS = st.tuples(*map(st.sampled_from, (_BEFORE, _WORDS, _BEHIND, _SPACES))).map("".join)
_FEW_BYTES, _MANY_BYTES = 1 << 17, 1 << 22
_LARGE = 10 if COMPILED else 1  # uncompiled, a tenth is as much work
_FREE_TUPLES = 3 * 2_000 * 80  # bytes that Python keeps of tuples that it has freed


@cache
def _rules(lang: str) -> ChunkRules:
    return ChunkRules(lang)


@cache
def _readers(lang: str) -> list[uncompiled.TextReader | TextReader | chunks.TextReader]:
    kinds = (uncompiled.TextReader, TextReader, chunks.TextReader)
    return [kind(_rules(lang), _MANY_BYTES) for kind in kinds]


@given(st.lists(_CHUNKS, max_size=30).map("".join) | st.text(max_size=60), st.sampled_from(_LANGUAGES))
@example('He said "Go. " Then. "Yes." (he left) no. 5 or Dr. "X', "en")
@example("am 3. Mai. A. Miller im 3.", "de")
def test_all_ways_of_reading_give_the_same(text: str, lang: str) -> None:
    expected, *found = (reader.read(text) for reader in _readers(lang))
    assert found == [expected, expected]


def _reader(most_bytes: int = _FEW_BYTES) -> TextReader:
    return TextReader(_rules("en"), most_bytes)


def test_equal_words_are_one_object() -> None:
    words, _, _ = _reader().read("The millwright, (millwright) millwright.")
    assert len({id(word) for word in words if word == "millwright"}) == 1


def _new_words(number: int) -> str:
    letters = str.maketrans("0123456789", "ghijklmnop")
    return " ".join(f"w{'x' * (at % 7)}{at:x}".translate(letters) for at in range(number))


@pytest.mark.parametrize("text", [_new_words(10_000), " ".join(f"{at}-{at + 1}" for at in range(4_000))])
@pytest.mark.parametrize("kind", [TextReader, chunks.TextReader, uncompiled.TextReader])
def test_memory_is_bounded_and_what_it_says(kind: type[TextReader], text: str) -> None:
    _rules("en").split("e-mail")  # compiles patterns
    reader = kind(_rules("en"), _FEW_BYTES)
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        reader.read(text)
        taken = tracemalloc.get_traced_memory()[0] - before
    finally:
        tracemalloc.stop()
    assert reader.kept_bytes() <= _FEW_BYTES
    assert taken <= _FEW_BYTES + _FREE_TUPLES


def test_memory_holds_words_of_any_form() -> None:
    """The longest chunks that are kept have many words, each of them an object of its own."""
    reader = _reader()
    text = " ".join(("\U0001f600\u4e00" * 20 + f"{at}\u0434") for at in range(2_000))
    assert reader.read(text) == _reader().read(text)
    assert reader.kept_bytes() <= _FEW_BYTES


def test_long_chunks_are_not_kept() -> None:
    reader = _reader()
    reader.read("a")
    before = reader.kept_bytes()
    reader.read("x" * 100_000)
    reader.read("1x" * 100_000)
    assert reader.kept_bytes() == before


@pytest.mark.parametrize(
    "text",
    [
        "\x00" * 100_000 * _LARGE,
        "\ud800\udfff" * 50_000 * _LARGE,
        "a " * 100_000 * _LARGE,
        'a. " ' * 20_000 * _LARGE,
        "a" * 1_000_000 * _LARGE,
        "(" * 10_000 * _LARGE,
        "x\U0001f600" * 10_000 * _LARGE,
        _new_words(30_000 * _LARGE),
    ],
    ids=["NUL", "surrogates", "chunks", "quotes", "letters", "brackets", "emoji", "new"],
)
def test_hostile_texts_take_linear_time(text: str) -> None:
    words, starts, sentences = _reader().read(text)
    assert len(words) == len(starts) == sum(sentences)


def test_strings_of_one_hash_take_no_longer() -> None:
    """Whatever the hash, a string is looked for in eight places only."""
    memory = chunks.Memory(_FEW_BYTES)
    for number in range(1_000):
        memory.add(f"w{number}", 1, 0, None)
    assert memory.count <= chunks.WAYS
    assert memory.find("w999", 0, 4, 1) >= 0


def test_threads_may_read_at_once() -> None:
    reader = _reader()
    texts = [_new_words(number) + " e.g. 3-4." for number in range(200 * _LARGE, 200 * _LARGE + 40)]
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(reader.read, texts)) == [_reader(_MANY_BYTES).read(text) for text in texts]


@pytest.mark.parametrize(
    "wrong", [{"kinds": b""}, {"pairs": b"\0"}, {"pairs": b"\xff" * 256}, {"marks": b""}, {"dotted": b""}]
)
def test_tables_that_do_not_fit(wrong: dict[str, bytes]) -> None:
    rules = _rules("en")
    names = ("kinds", "openers", "pairs", "endings", "dotted", "marks", "sure", "joined")
    given = SimpleNamespace(**{name: getattr(rules, name) for name in names} | wrong)
    for kind in (TextReader, chunks.TextReader):
        with pytest.raises(ValueError, match="tables"):
            kind(given, _FEW_BYTES)
