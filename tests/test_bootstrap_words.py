"""Words, tuples, forms and queries of `gristmill bootstrap`."""

from __future__ import annotations

import math
from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gristmill import Corpus
from gristmill.bootstrapping.forms import Forms, forms_in_dictionary, forms_in_file, forms_in_index, stems
from gristmill.bootstrapping.frequencies import Frequencies
from gristmill.bootstrapping.queries import make_queries, make_query
from gristmill.bootstrapping.tuples import make_pairs, make_tuples
from gristmill.bootstrapping.words import read_tuples, read_words
from gristmill.errors import UsageError


def written(folder: Path, content: str | bytes) -> Path:
    path = folder / "words.txt"
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def test_words_and_phrases(tmp_path: Path) -> None:
    lines = ["# music", "", "guitar", '"steel string"', "open   chord  # a phrase", "Guitar", "C#", "«fret board»"]
    text = "\n".join([*lines, "#struck out", "na\u0301zev"])
    assert read_words(written(tmp_path, text)) == ["guitar", "steel string", "open chord", "C#", "fret board", "název"]


def test_controls_and_endless_words_do_no_harm(tmp_path: Path) -> None:
    text = f"\x1b[31mred\x07\nbad\u202eword\n{'x' * 500}\n\ufeffstart\nمی\u200cخواهم\n"
    assert read_words(written(tmp_path, text)) == ["[31mred", "bad word", "start", "می\u200cخواهم"]


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_words_with_a_byte_order_mark(tmp_path: Path, encoding: str) -> None:
    assert read_words(written(tmp_path, "žula\r\nčedič\r\n".encode(encoding))) == ["žula", "čedič"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "there are no words"),
        (b"# nothing\n\n", "there are no words"),
        (b"\x89PNG\r\n\0\0\0", "is not a text file"),
        ("žula".encode("windows-1250"), "is not in UTF-8"),
        (b"x" * 10_000_001, "is no list of words"),
    ],
)
def test_what_is_no_list_of_words(tmp_path: Path, content: bytes, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        read_words(written(tmp_path, content))


def test_a_missing_list(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="can't read"):
        read_words(tmp_path / "none.txt")
    with pytest.raises(UsageError, match="can't read"):
        read_words(tmp_path)


def test_own_tuples(tmp_path: Path) -> None:
    text = 'guitar\tsteel string\tfret\n# no\nguitar, fret board\n"open chord" fret\nFRET "open chord"\nguitar guitar\n'
    found = read_tuples(written(tmp_path, text))
    assert found == [("guitar", "steel string", "fret"), ("guitar", "fret board"), ("open chord", "fret"), ("guitar",)]
    with pytest.raises(UsageError, match="line 1 has 11 words"):
        read_tuples(written(tmp_path, " ".join(map(str, range(11)))))
    with pytest.raises(UsageError, match="there are no tuples"):
        read_tuples(written(tmp_path, '""\n,,\n'))


def test_tuples_depend_on_the_seed_alone() -> None:
    words = [f"w{number}" for number in range(100)]
    one = make_tuples(words, 50, 7)
    assert one == make_tuples(words, 50, 7) != make_tuples(words, 50, 8)
    assert one[:2] == [("w21", "w61", "w69"), ("w8", "w62", "w96")]
    assert make_tuples(words, 20, 7) == one[:20]


@given(st.lists(st.sampled_from("abcdefgABC"), max_size=9), st.integers(2, 4), st.integers(0, 60), st.integers())
def test_tuples_are_random_and_none_comes_twice(words: list[str], n: int, count: int, seed: int) -> None:
    """Words that differ by their number are forms of one word."""
    forms = [f"{word}{number % 3}" for number, word in enumerate(words)]
    distinct = list({form.lower(): form for form in reversed(forms)}.values())
    valid = {
        frozenset(map(str.lower, group))
        for group in combinations(distinct, n)
        if len({form[0].lower() for form in group}) == n
    }
    if len({word.lower() for word in words}) < n:
        with pytest.raises(UsageError, match=r"different words? can't make queries"):
            make_tuples(forms, count, seed, n, key=lambda form: form[0].lower())
        return
    found = make_tuples(forms, count, seed, n, key=lambda form: form[0].lower())
    made = [frozenset(map(str.lower, group)) for group in found]
    assert len(made) == len(set(made)) == min(count, len(valid))
    assert set(made) <= valid


def test_many_tuples_of_many_words() -> None:
    """Neither all tuples are made, nor are some drawn again and again until they are new."""
    words = [f"w{number}" for number in range(20_000)]
    found = make_tuples(words, 5_000, 1, 4)
    assert len(set(map(frozenset, found))) == 5_000
    assert all(len(set(group)) == 4 for group in found)
    forms_of_one = ["go", *(f"x{number}" for number in range(20_000)), "stop"]
    assert len(make_tuples(forms_of_one, 1_000, 1, 3, key=lambda word: word[0])) == 1_000


def test_how_many_words_tuples_have() -> None:
    assert len(make_tuples(list("abcdef"), 10**9, 1, 4)) == math.comb(6, 4)
    for n in (1, 5):
        with pytest.raises(UsageError, match="2 to 4 words"):
            make_tuples(list("abcdef"), 1, 1, n)
    with pytest.raises(UsageError, match=r"queries of 2 words \(--n 2\)"):
        make_tuples(["a", "b", "A"], 1, 1, 3)


def test_pairs_of_different_ranges() -> None:
    pairs = make_pairs([["a", "b"], ["c", "B", "d"], ["e"]], 100, 3)
    assert sorted(pairs) == [(x, y) for x, y in combinations("abcde", 2) if x + y not in {"ab", "cd"}]
    assert pairs[:3] == make_pairs([["a", "b"], ["c", "B", "d"], ["e"]], 3, 3)
    with pytest.raises(UsageError, match="two ranges"):
        make_pairs([["a"], ["A"]], 1, 1)


def test_forms_of_a_list(tmp_path: Path) -> None:
    forms = forms_in_file(written(tmp_path, "guitar\tguitars,guitar\nKytara\tkytaru, kytary\tkytar\nkytara\tkytaře\n"))
    assert forms.of("guitar") == ("guitar", "guitars")
    assert forms.of("Kytaru", 3) == ("Kytaru", "kytary", "kytar")
    assert forms.of("kytara", 9) == ("kytara", "kytaru", "kytary", "kytar", "kytaře")
    assert forms.of("kytara", 0) == ("kytara",)
    assert forms.of("open chord") == ("open chord",)
    assert forms.lemma("KYTARY") == "kytara"
    for wrong in ("guitar guitars", "guitar\t", "\tguitars,x"):
        with pytest.raises(UsageError, match=r"line 1: a lemma, a tab and its forms"):
            forms_in_file(written(tmp_path, wrong))


def test_forms_of_a_dictionary() -> None:
    forms = forms_in_dictionary("cs", ["kytara", "Psi", "open chord", "xyzzy"])
    assert forms.of("kytara", 4)[0] == "kytara"
    assert {"kytaru", "kytary"} <= set(forms.of("kytara", 4))
    assert forms.lemma("psi") == "pes"
    assert "psa" in forms.of("psi", 4)
    assert forms.of("open chord") == ("open chord",)
    assert forms.of("xyzzy") == ("xyzzy",)
    assert forms_in_dictionary("eu", ["etxe"]).of("etxe") == ("etxe",)


def test_forms_of_words_that_no_dictionary_has() -> None:
    known = Frequencies.of_counts({"eskubidea": 9, "eskubideak": 4, "eskubideen": 5, "eskuak": 8, "etxe": 3})
    forms = forms_in_dictionary("eu", ["eskubide", "etxe"], known)
    assert forms.of("eskubide") == ("eskubide", "eskubidea", "eskubideen", "eskubideak")
    assert forms.of("etxe") == ("etxe",)
    assert stems(["magmatem", "magma", "Magmata", "most", "mosty", "mostecký", "pes", "psi"]) == {
        "magma": "magma",
        "magmata": "magma",
        "magmatem": "magma",
        "most": "most",
        "mosty": "most",
        "mostecký": "mostecký",
        "pes": "pes",
        "psi": "psi",
    }


def test_forms_of_a_corpus(indexed: Corpus) -> None:
    forms = forms_in_index(indexed.index, ["work", "Stones", "xyzzy"])
    assert forms.of("work", 3) == ("work", "works", "worked")
    assert forms.lemma("stones") == "stone"
    assert forms.of("stones", 2) == ("stones", "stone")
    assert forms.of("xyzzy") == ("xyzzy",)


def test_queries_within_a_limit_of_words() -> None:
    forms = Forms.of_entries({"guitar": ["guitars", "guitar's"], "fret": ["frets", "fretted"]})
    words = ("guitar", "fret", "open chord")
    full = make_query(words, forms, ("and", "the"))
    assert full.text == '(guitar OR guitars OR guitar\'s) (fret OR frets OR fretted) "open chord" and the'
    assert make_query(words, forms, ("and", "the"), max_words=8).text == (
        '(guitar OR guitars) (fret OR frets) "open chord" and the'
    )
    assert make_query(words, forms, ("and", "the"), max_words=7).text == '(guitar OR guitars) fret "open chord" and the'
    assert make_query(words, forms, ("and", "the"), max_words=5).text == 'guitar fret "open chord" and'
    assert make_query(words, forms, ("and", "the"), max_words=2).text == 'guitar fret "open chord"'
    assert make_query(("the", "who"), None, ("The",)).text == "the who"
    assert make_query(words, forms, max_forms=1).text == 'guitar fret "open chord"'
    assert make_queries([words, words]) == [make_query(words)]
