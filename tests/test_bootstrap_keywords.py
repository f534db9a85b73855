"""Frequencies, keywords, filter words and the revision of keywords."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from gristmill import Corpus
from gristmill.bootstrapping import revision
from gristmill.bootstrapping.filter_words import filter_words
from gristmill.bootstrapping.frequencies import Frequencies, mid_frequency_words, words_of_ranges
from gristmill.bootstrapping.keywords import Keyword, forms_of_keywords, keywords
from gristmill.errors import GristmillError, UsageError
from gristmill.filter.texts import read_texts

MILLING = [
    "The millstone grinds wheat. A miller dresses each millstone, and the water wheel turns the millstones.",
    "Behind the weir a water wheel drives two millstones; the miller lowers the sluice to stop the water wheel.",
    "The miller, an old man, sells flour. His water wheel and his sluice are broken, and the millstone stands still.",
]


def test_mid_frequency_words() -> None:
    words = mid_frequency_words("cs")
    assert len(words) > 3_000
    assert min(map(len, words)) == 5
    assert Frequencies.of_language("cs").ranked.index(words[0]) >= 1_000
    assert min(map(len, mid_frequency_words("zh"))) == 2
    with pytest.raises(UsageError, match="it is not known how frequent words are in 'eu'"):
        mid_frequency_words("eu")


def test_words_of_ranges() -> None:
    basic, middle = words_of_ranges("en")
    assert "house" in basic
    assert "committee" in middle
    assert not {"there", "which", "because"} & {*basic, *middle}
    assert all(words_of_ranges("ta"))  # whose most frequent words are forms of a few hundred words


def test_a_short_list_gives_the_same_part_of_its_words() -> None:
    counts = {f"{'word' * 2}{chr(97 + number // 26)}{chr(97 + number % 26)}": 600 - number for number in range(600)}
    frequencies = Frequencies.of_counts(counts)
    words = frequencies.content_words()
    assert set(words) <= set(frequencies.ranked[99:])
    with pytest.raises(UsageError, match=r"ranks go from 1 up"):
        frequencies.content_words(ranks=(5, 2))
    with pytest.raises(UsageError, match=r"too few words have ranks 1,001-6,000 and 5 characters \(0 of 2\)"):
        Frequencies.of_counts({"aa": 3, "bb": 1}).content_words()


def test_frequencies_of_a_file(tmp_path: Path) -> None:
    path = tmp_path / "list.tsv"
    path.write_text("word\tcount\tper million\nŽula\t30\t1.5\nčedič\t10\t0.5\nžula\t5\t1\nnone\t0\t0\n", "utf-8")
    found = Frequencies.of_file(path)
    assert found.shares == {"žula": 35 / 45, "čedič": 10 / 45}
    assert (found.ranked, found.size) == (["žula", "čedič"], 45)
    path.write_text("12 granite\n7 basalt\n")
    assert Frequencies.of_file(path).ranked == ["granite", "basalt"]
    path.write_text("granite\t12\nbasalt\n")
    with pytest.raises(UsageError, match="line 2: a word and its count are expected, not 'basalt'"):
        Frequencies.of_file(path)
    path.write_text("granite\t0\n")
    with pytest.raises(UsageError, match="no words with counts"):
        Frequencies.of_file(path)


def test_frequencies_of_a_corpus(indexed: Corpus) -> None:
    found = Frequencies.of_index(indexed.index)
    listed = {row.value: row.frequency for row in indexed.wordlist(ignore_case=True, limit=50).rows}
    word = next(word for word in listed if word in found.shares)
    assert found.shares[word] == pytest.approx(listed[word] / found.size)
    assert sum(found.shares.values()) <= 1


@pytest.mark.parametrize("measure", ["rfr", "ll"])
def test_keywords_with_their_lemmas_and_terms(measure: str) -> None:
    found = keywords(MILLING, "en", measure=measure)
    by_word = {keyword.word: keyword for keyword in found}
    assert {"millstone", "miller", "sluice", "water wheel"} <= by_word.keys()
    assert (by_word["millstone"].frequency, by_word["millstone"].documents) == (5, 3)
    assert by_word["millstone"].forms == ("millstone", "millstones")
    assert forms_of_keywords(found).of("millstone") == ("millstone", "millstones")
    assert (by_word["water wheel"].frequency, by_word["water wheel"].documents) == (4, 3)
    assert not {"the", "millstones", "weir", "flour", "old man"} & by_word.keys()
    assert [keyword.score for keyword in found] == sorted((keyword.score for keyword in found), reverse=True)
    assert "water wheel" not in {keyword.word for keyword in keywords(MILLING, "en", measure=measure, terms=False)}
    assert {keyword.word for keyword in keywords(MILLING, "en", min_documents=3, measure=measure)} == {
        "millstone",
        "miller",
        "water wheel",
        "wheel",
    } & by_word.keys()


def test_keywords_against_a_corpus(tmp_path: Path) -> None:
    reference = Frequencies.of_texts(["miller millstone wheel water sluice " * 20, "bread butter " * 5], "en")
    assert "millstone" not in {keyword.word for keyword in keywords([*MILLING, "bread bread bread"], "en", reference)}
    (tmp_path / "a.html").write_text(f"<html><nav><a href=/>Home</a></nav><p>{MILLING[0]}</p></html>")
    (tmp_path / "b.txt").write_text(MILLING[1])
    (tmp_path / "c.jpg").write_bytes(b"\xff\xd8")
    assert keywords(read_texts(str(tmp_path)), "en")[0].word == "millstone"


def test_keywords_of_a_language_of_which_nothing_is_known() -> None:
    texts = ["Eskubidea eta askatasuna. Eskubidea ere bai.", "Askatasuna eta eskubidea, eta ez besterik."]
    for measure in ("rfr", "ll"):
        assert {keyword.word for keyword in keywords(texts, "eu", measure=measure)} == {"eskubidea", "askatasuna"}


def test_forms_of_one_word_are_one_keyword() -> None:
    text = "Xyzzyma. Xyzzymatem je xyzzymata. " * 2
    (found,) = keywords([text, text, text], "cs", terms=False)
    assert (found.word, found.documents) == ("xyzzyma", 3)
    assert set(found.forms) == {"xyzzyma", "xyzzymata", "xyzzymatem"}


def test_no_keywords() -> None:
    assert keywords([], "en") == keywords([""], "en") == keywords(["The and of."], "en") == []
    with pytest.raises(UsageError, match="rfr or ll"):
        keywords(MILLING, "en", measure="tf")


def test_hostile_texts_give_plain_words() -> None:
    """Operators of search engines, controls and endless words are no keywords."""
    text = 'site:evil.example -millstone "a\x1b[31mb" ' + "x" * 500 + " (mill) OR\u202e " * 3 + "kiln " * 5
    for keyword in keywords([text], "en"):
        assert keyword.word.replace("-", "").isalpha()
        assert len(keyword.word) < 100


def test_filter_words() -> None:
    assert filter_words("de") == ("und",)
    assert filter_words("en") == ("the",)
    assert set(filter_words("cs")) < {"se", "že", "to", "na", "je"}
    assert not set(filter_words("cs", 2)) & set(filter_words("sk", 2))
    assert len(filter_words("pt", 1)) == 1
    assert filter_words("zh") == filter_words("ja") == filter_words("ko") == filter_words("eu") == ()
    assert filter_words("cs", 0) == ()
    basque = Frequencies.of_counts({"eta": 50, "da": 30, "ez": 20, "eskubidea": 60, "al": 20})
    assert filter_words("eu", 3, basque) == ("eta", "da")


KEYWORDS = [Keyword("millstone", 120.5, 1_041, 9), Keyword("water wheel", 33.0, 1, 1)]


@pytest.fixture
def on_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.stdin, "isatty", lambda: True)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)


def script(folder: Path, code: str) -> dict[str, str]:
    """Make an editor of some lines of Python, whose name has a space; the file is the last argument."""
    path = folder / "my editor.py"
    path.write_text(f"import sys, pathlib\nassert sys.argv[1] == '--wait'\nfile = pathlib.Path(sys.argv[-1])\n{code}\n")
    return {"EDITOR": "no-such-editor", "VISUAL": f"'{sys.executable}' '{path}' --wait"}


@pytest.mark.usefixtures("on_terminal")
def test_revision_in_an_editor(tmp_path: Path) -> None:
    path = tmp_path / "keywords.txt"
    assert revision.revise(path, KEYWORDS, script(tmp_path, "")) == ["millstone", "water wheel"]
    assert "millstone                        # 120.5; 1,041 times in 9 texts\n" in path.read_text()
    struck = (
        "text = file.read_text().replace('water wheel', '#water wheel')\nfile.write_text(text + 'bolting cloth\\n')"
    )
    assert revision.revise(path, KEYWORDS, script(tmp_path, struck)) == ["millstone", "bolting cloth"]
    assert revision.read_revised(path) == ["millstone", "bolting cloth"]


@pytest.mark.usefixtures("on_terminal")
@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("file.write_text('# nothing')", "no keywords are left"),
        ("sys.exit(3)", "ended with code 3.*gristmill bootstrap .*--yes"),
    ],
)
def test_revision_that_leaves_nothing(tmp_path: Path, code: str, message: str) -> None:
    with pytest.raises(GristmillError, match=message):
        revision.revise(tmp_path / "keywords.txt", KEYWORDS, script(tmp_path, code))


@pytest.mark.usefixtures("on_terminal")
def test_editors_that_are_none(tmp_path: Path) -> None:
    path = tmp_path / "keywords.txt"
    with pytest.raises(GristmillError, match=r"can't start the editor '/no/such'.*gristmill bootstrap"):
        revision.revise(path, KEYWORDS, {"EDITOR": "/no/such --wait"})
    with pytest.raises(UsageError, match="EDITOR is no command"):
        revision.revise(path, KEYWORDS, {"EDITOR": "'open"})
    with pytest.raises(GristmillError, match="no keywords were found"):
        revision.revise(path, [], {})


@pytest.mark.usefixtures("on_terminal")
@pytest.mark.skipif(os.name == "nt", reason="the usual editor has another name there")
def test_a_usual_editor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Most users have set no variable."""
    (nano := tmp_path / "nano").write_text('#!/bin/sh\necho sluice >> "$1"\n')
    nano.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}/nowhere")
    path = tmp_path / "keywords.txt"
    assert revision.revise(path, KEYWORDS, {"EDITOR": " "}) == ["millstone", "water wheel", "sluice"]
    assert revision.revise(path, KEYWORDS, {}) == ["millstone", "water wheel", "sluice"]
    assert revision.read_revised(tmp_path / "keywords.txt.old")[-1] == "sluice", "what was revised before is kept"
    nano.unlink()
    with pytest.raises(GristmillError, match=r"the keywords are in .*gristmill bootstrap .*, or take them .* --yes"):
        revision.revise(path, KEYWORDS, {})


def test_without_a_terminal_the_file_is_written(tmp_path: Path) -> None:
    path = tmp_path / "keywords.txt"
    with pytest.raises(GristmillError, match="--yes"):
        revision.revise(path, KEYWORDS, {**os.environ, "EDITOR": "ed"})
    assert revision.read_revised(path) == ["millstone", "water wheel"]
