"""Stop lists: those that are there, and those that users make."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from command import run
from hypothesis import given
from hypothesis import strategies as st

import gristmill
from gristmill.cleaning.stopwords import stop_word_densities
from gristmill.language import Models, stop_list, stop_list_languages
from gristmill.language.stoplist import frequent_words, with_capitals
from gristmill.text.words import find_words, words


def test_stop_lists() -> None:
    assert len(stop_list_languages()) >= 50
    for lang in ("en", "cs", "de", "fr", "ru", "el", "pl", "es", "hi", "bn", "ta"):
        assert len(stop_list(lang)) > 100
    assert all(map(stop_list, ("af", "st", "gu", "yo")))
    assert {"the", "The"} <= stop_list("en")
    assert "THE" not in stop_list("en")
    assert stop_list("zh") == stop_list("und") == frozenset()


def test_serbian_in_both_its_scripts() -> None:
    assert {"koji", "који", "Који", "ljudi", "људи"} <= stop_list("sr")
    assert "koji" in stop_list("hr")
    assert "који" not in stop_list("hr")


def test_words_have_marks() -> None:
    hindi = "सभी मनुष्यों को गौरव और अधिकारों के मामले में जन्मजात स्वतन्त्रता और समानता प्राप्त है।"
    assert find_words(hindi) == hindi.rstrip("।").split()
    (density,) = stop_word_densities([hindi], stop_list("hi"))
    assert density > 0.5
    assert find_words("well-known -x- y-\u0301z a1b 😀c 𝒳") == ["well-known", "x", "y-\u0301z", "a", "b", "c", "𝒳"]


@given(st.text(st.characters(exclude_categories=["M"])))
def test_without_marks_a_word_is_letters(text: str) -> None:
    assert find_words(text) == re.findall(r"[^\W\d_]+(?:-[^\W\d_]+)*", text)
    assert sorted(words(text)) == sorted(find_words(text))


def test_the_most_frequent_words() -> None:
    assert frequent_words({"a": 0.5, "c": 0.1, "b": 0.1, "d": 0.05}, 0.6) == {"a", "b"}
    assert with_capitals(["der", "Die", "ß"]) == {"der", "Der", "die", "Die", "ß", "SS"}


def test_a_list_from_a_text(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("\ufeffThe mill, the mill and THE mill-stream. 1 2 3\n", "utf-8")
    made = run("stoplist", "--from", "a.txt", "--share", "0.6", cwd=tmp_path)
    assert (made.returncode, made.stdout.decode().split()) == (0, ["the", "mill"])
    assert b"2 words, 71% of 7 words of text" in made.stderr
    assert run("stoplist", "--from", "a.txt", "--count", "1", cwd=tmp_path).stdout == b"the\n"


def test_a_list_from_a_corpus(corpus: gristmill.Corpus, tmp_path: Path) -> None:
    made = run("stoplist", "--from", str(corpus.folder), "--lang", "en", "-o", "models/en.stoplist.txt", cwd=tmp_path)
    assert made.returncode == 0, made.stderr
    listed = (tmp_path / "models" / "en.stoplist.txt").read_text("utf-8").split()
    assert listed[0] == "the"
    assert len(listed) == len(set(listed))
    models = Models.load(str(tmp_path / "models"))
    assert models.stop_list("en") == with_capitals(listed) != stop_list("en")
    assert models.stop_list("cs") == stop_list("cs")
    page = f"<p>{'the mill of which they told us was on the hill and not by the river ' * 4}"
    assert gristmill.clean(page, method="justext", models=models).text
    nothing = Models.load(str(_folder_with(tmp_path / "none", "en.stoplist.txt", b"xyzzy")))
    assert not gristmill.clean(page, method="justext", models=nothing).text


def test_a_list_that_is_not_utf8(tmp_path: Path) -> None:
    models = Models.load(str(_folder_with(tmp_path / "models", "cs.stoplist.txt", "že".encode("cp1250"))))
    with pytest.raises(gristmill.UsageError, match="is not UTF-8"):
        models.stop_list("cs")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--from", "none.txt"], "can't read the sample none.txt"),
        (["--from", "digits.txt"], "there are no words in digits.txt"),
        (["--from", "digits.txt", "--lang", "en"], "--lang chooses documents of a corpus"),
        (["--from", "digits.txt", "--share", "0.5", "--count", "3"], "give one of them"),
        (["--from", "."], "corpus"),
    ],
)
def test_errors_say_what_to_do(tmp_path: Path, arguments: list[str], message: str) -> None:
    (tmp_path / "digits.txt").write_text("1 2 3")
    result = run("stoplist", *arguments, cwd=tmp_path)
    assert result.returncode == 2
    assert message in result.stderr.decode()


def _folder_with(folder: Path, name: str, data: bytes) -> Path:
    folder.mkdir()
    (folder / name).write_bytes(data)
    return folder
