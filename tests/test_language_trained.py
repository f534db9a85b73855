"""Languages are learned from a sample, and told from those that a library knows."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest
from command import run
from hypothesis import given
from hypothesis import strategies as st

import gristmill
from gristmill.config import DEFAULT_IDENTIFIER
from gristmill.language import IDENTIFIERS, Models
from gristmill.language.cavnar_trenkle import CavnarTrenkle
from gristmill.language.profile import Profile, profile, profile_of_library, word_counts
from gristmill.language.training import train, windows
from gristmill.language.trigram import Trigram

OWN = ("trigram", "cavnar-trenkle", "beesley")
# No library knows a language that is Czech in other letters.
INVENTED = str.maketrans("aeiouyáéíóúýbdkptmnlr", "uoayieúóáýíébgtdkmrnl")


@pytest.fixture(scope="session")
def czech(truth: dict[str, dict[str, Any]]) -> str:
    """The Czech text of the sample."""
    return "\n".join(block["text"] for page in truth.values() if page["lang"] == "cs" for block in page["blocks"])


@pytest.fixture(scope="session")
def invented(czech: str) -> str:
    """A text in no language."""
    return czech.lower().translate(INVENTED)


@pytest.fixture(scope="session")
def trained(invented: str) -> Profile:
    """Learned from half of that text."""
    return train("qaa", invented[: len(invented) // 2])


def test_what_a_profile_holds() -> None:
    found = profile("xx", word_counts("Ab-c ab, ab? 12 x"))
    assert found.frequencies(1) == {"a": 3, "b": 3, "-": 1, "c": 1, "x": 1}
    assert found.frequencies(2) == {" a": 3, "ab": 3, "b ": 2, "b-": 1, "-c": 1, "c ": 1, " x": 1, "x ": 1}
    assert found.frequencies(5) == {" ab-c": 1, "ab-c ": 1}
    assert found.counts.tolist() == sorted(found.counts.tolist(), reverse=True)


def test_a_profile_is_the_same_when_it_is_read_again(trained: Profile, invented: str, tmp_path: Path) -> None:
    path = tmp_path / "models" / "qaa.language.npz"
    trained.save(path)
    again = Profile.load(path)
    assert again.lang == "qaa"
    for name in ("grams", "counts", "fits", "rivals"):
        assert np.array_equal(getattr(again, name), getattr(trained, name))
    first = path.read_bytes()
    train("qaa", invented[: len(invented) // 2]).save(path)
    assert path.read_bytes() == first
    assert [file.name for file in path.parent.iterdir()] == [path.name]


def test_what_is_no_profile(tmp_path: Path) -> None:
    for number, data in enumerate((b"", b"text", b"PK\x03\x04 not really")):
        (tmp_path / f"{number}").mkdir()
        (tmp_path / f"{number}" / "hsb.language.npz").write_bytes(data)
        with pytest.raises(
            gristmill.UsageError,
            match=r"hsb\.language\.npz is not a file of `gristmill train language`, or it is damaged$",
        ):
            Models.load(str(tmp_path / f"{number}"))
    with pytest.raises(gristmill.UsageError, match="there is no folder"):
        Models.load(str(tmp_path / "none"))
    with pytest.raises(gristmill.UsageError, match=r"is a file, .* with --model FILE"):
        Models.load(str(tmp_path / "0" / "hsb.language.npz"))


def test_a_folder_without_models(tmp_path: Path) -> None:
    with pytest.raises(
        gristmill.UsageError, match=r"may hold CODE\.language\.npz, CODE\.encoding\.npz, CODE\.stoplist\.txt$"
    ):
        Models.load(str(tmp_path))
    (tmp_path / "english.stoplist.txt").write_text("the\n")
    with pytest.raises(
        gristmill.UsageError, match=r"english\.stoplist\.txt: 'english' is not a language code .* did you mean 'en'"
    ):
        Models.load(str(tmp_path))


def test_a_folder_of_models_by_its_name(trained: Profile, invented: str, tmp_path: Path) -> None:
    trained.save(tmp_path / "qaa.language.npz")
    page = f"<p>{invented[:2000]}"
    for folder in (tmp_path, str(tmp_path)):
        assert gristmill.clean(page, models=folder).lang == gristmill.clean(page.encode(), models=folder).lang == "qaa"


def test_the_similarity_of_triples_is_that_of_vectors() -> None:
    identifier = Trigram([profile("xx", {"ab": 3, "cd": 4})])
    assert identifier.fit("ab") == pytest.approx([3 * 2 / (50**0.5 * 2**0.5)])  # (3, 3, 4, 4) and (1, 1, 0, 0)
    assert identifier.fit("ab ab ab cd cd cd cd") == pytest.approx([1.0])
    assert identifier.fit("xy") == pytest.approx([0.0])


def test_sequences_out_of_place() -> None:
    identifier = CavnarTrenkle([profile("xx", {"aaa": 5})])
    assert identifier.fit("aaa") == pytest.approx([1.0])
    assert identifier.fit("zzz") == pytest.approx([0.0])
    assert 0 < identifier.fit("aaa bbb")[0] < 1


@pytest.mark.parametrize("name", OWN)
def test_own_identifiers_tell_what_they_were_taught(name: str, czech: str, invented: str, trained: Profile) -> None:
    half = len(czech) // 2
    identifier = IDENTIFIERS[name]([trained, train("cs", czech[:half])])
    assert identifier.languages == {"qaa", "cs"}
    for lang, text in (("qaa", invented[half:]), ("cs", czech[half:])):
        found = identifier.identify_all(list(windows(text, 100, 50)))
        assert sum(answer.lang == lang for answer in found) / len(found) > 0.97
    assert identifier.identify_all(["", "12", "\ud800"]) == [("und", 0.0)] * 3
    assert IDENTIFIERS[name]([]).identify_all(["text"]) == [("und", 0.0)]


def test_a_trained_language_is_told_from_others(
    invented: str, czech: str, trained: Profile, truth: dict[str, dict[str, Any]]
) -> None:
    identifier = IDENTIFIERS[DEFAULT_IDENTIFIER]([trained])
    assert {"qaa", "cs", "en"} <= identifier.languages
    for length, share in ((50, 0.85), (100, 0.95), (200, 0.97)):
        found = identifier.identify_all(list(windows(invented[len(invented) // 2 :], length, 50)), guess=False)
        assert sum(answer.lang == "qaa" for answer in found) / len(found) > share
    others = [block["text"] for page in truth.values() for block in page["blocks"] if len(block["text"]) > 80]
    assert not [answer for answer in identifier.identify_all(others) if answer.lang == "qaa"]
    plain = IDENTIFIERS[DEFAULT_IDENTIFIER]([])
    assert identifier.identify_all([czech[:300], "Privacy policy"]) == plain.identify_all(
        [czech[:300], "Privacy policy"]
    )


def test_gold_languages_that_no_library_knows(gold: Path) -> None:
    """Upper Sorbian, which is Czech or Polish to the library, and is told from both."""
    texts = {
        row["lang"]: " ".join(row["text"].split()) for row in pq.read_table(gold / "language-udhr.parquet").to_pylist()
    }
    sorbian, half = texts["hsb"], len(texts["hsb"]) // 2
    identifier = IDENTIFIERS[DEFAULT_IDENTIFIER]([train("hsb", sorbian[:half])])
    found = identifier.identify_all(list(windows(sorbian[half:], 100, 40)))
    assert sum(answer.lang == "hsb" for answer in found) / len(found) > 0.9
    for code, lang in (("ces", "cs"), ("pol", "pl"), ("slk", "sk"), ("slv", "sl")):
        found = identifier.identify_all(list(windows(texts[code], 100, 40)))
        assert sum(answer.lang == lang for answer in found) / len(found) > 0.9


@given(st.text(st.one_of(st.characters(codec=None), st.sampled_from("\x00\ud800\ufdd0\uffff\u0301-ab ")), max_size=60))
def test_anything_can_be_a_sample(text: str) -> None:
    found = profile("xx", word_counts(text))
    assert len(found.grams) == len(found.counts)
    for name in OWN:
        (answer,) = IDENTIFIERS[name]([found]).identify_all([text])
        assert answer.lang in {"xx", "und"}
        assert 0 <= answer.confidence <= 1


def test_profiles_from_lists_of_words() -> None:
    english = profile_of_library("en")
    assert english is not None
    assert english.frequencies(3)["the"] > english.frequencies(3)["ing"] > 0
    assert profile_of_library("hsb") is None


def test_windows_end_with_words() -> None:
    text = " ".join(f"word{number}" for number in range(200))
    found = list(windows(text, 50, 10))
    assert all(part in text and len(part) <= 50 and set(part.split()) <= set(text.split()) for part in found)
    assert list(itertools.islice(windows("", 50, 10), 9)) == [""]


def test_the_way_of_a_user(invented: str, tmp_path: Path) -> None:
    """Teach a language, make a stop list, build a corpus of pages in it."""
    half = len(invented) // 2
    (tmp_path / "sample.txt").write_text(invented[:half], "utf-8-sig")
    result = run("train", "language", "--lang", "qaa", "--sample", "sample.txt", "-o", "models", cwd=tmp_path)
    assert (result.returncode, result.stdout) == (0, b"")
    assert b"use it with --models models" in result.stderr
    result = run("stoplist", "--from", "sample.txt", "--share", "0.9", "-o", "models/qaa.stoplist.txt", cwd=tmp_path)
    assert result.returncode == 0
    (tmp_path / "pages").mkdir()
    paragraphs = [line for line in invented[half:].splitlines() if len(line) > 100][:8]
    page = "<title>x</title>" + "".join(f"<p>{line}</p>" for line in paragraphs)
    (tmp_path / "pages" / "a.html").write_text(page, "utf-8")
    (tmp_path / "pages" / "b.html").write_text(
        f"<p>{'It was the miller who said that the river would rise. ' * 9}</p>", "utf-8"
    )
    built = run(
        "build",
        "pages",
        "-o",
        "corpus",
        "--models",
        "models",
        "--lang",
        "qaa",
        "--method",
        "justext",
        "-j",
        "1",
        cwd=tmp_path,
    )
    assert built.returncode == 0, built.stderr
    corpus = gristmill.Corpus(tmp_path / "corpus")
    (document,) = corpus.documents()
    assert document.lang == "qaa"
    assert {block.lang for block in document.blocks} == {"qaa"}
    assert run("export", "corpus", "-o", "out.txt", "--lang", "qaa", cwd=tmp_path).returncode == 0
    unknown = run("build", "pages", "-o", "other", "--lang", "qaa", cwd=tmp_path)
    assert unknown.returncode == 2
    assert b"gristmill train language --lang qaa" in unknown.stderr
    cleaned = run("clean", "pages/a.html", "--models", "models", "--lang", "qaa", "--format", "json", cwd=tmp_path)
    assert cleaned.returncode == 0, cleaned.stderr


def test_codes_may_be_in_capitals(invented: str, tmp_path: Path) -> None:
    (tmp_path / "sample.txt").write_text(invented, "utf-8")
    assert (
        run("train", "language", "--lang", "HSB", "--sample", "sample.txt", "-o", "models", cwd=tmp_path).returncode
        == 0
    )
    assert (tmp_path / "models" / "hsb.language.npz").is_file()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["language", "--lang", "hsb"], "needs --lang CODE and --sample FILE"),
        (["language", "--sample", "good.txt"], "needs --lang CODE and --sample FILE"),
        (["encoding", "--lang", "hsb"], "needs --lang CODE and --sample FILE"),
        (["language", "--lang", "hsb", "--sample", "none.txt"], "can't read the sample none.txt"),
        (["language", "--lang", "hsb", "--sample", "empty.txt"], "the sample empty.txt is empty"),
        (["language", "--lang", "hsb", "--sample", "small.txt"], "the sample has 9 letters"),
        (["language", "--lang", "hsb", "--sample", "latin.txt"], "is not UTF-8 (byte 3)"),
        (["language", "--lang", "eng", "--sample", "good.txt"], "did you mean 'en'?"),
        (["language", "--lang", "hsb", "--sample", "good.txt", "--gold", "."], "--gold is not for language"),
        (
            ["language", "--lang", "hsb", "--sample", "good.txt", "--encodings", "koi8-r"],
            "--encodings is not for language",
        ),
        (["language", "--lang", "hsb", "--sample", "good.txt", "-o", "good.txt"], "'good.txt' is a file"),
        (["victor"], "--gold"),
        (["victor", "--gold", ".", "--sample", "good.txt"], "--sample is not for victor"),
        (["languages"], "there is no trained method 'languages'"),
        (["languages", "--lang", "hsb"], "--lang is not for languages"),
    ],
)
def test_errors_say_what_to_do(tmp_path: Path, arguments: list[str], message: str) -> None:
    (tmp_path / "empty.txt").write_text(" \n")
    (tmp_path / "small.txt").write_text("dobry dzen")
    (tmp_path / "good.txt").write_text("dobry dzen " * 200)
    (tmp_path / "latin.txt").write_bytes("dob\xe9".encode("latin-1"))
    result = run("train", *arguments, cwd=tmp_path)
    assert result.returncode == 2
    assert message in result.stderr.decode()
    assert len(result.stderr.splitlines()) == 1
