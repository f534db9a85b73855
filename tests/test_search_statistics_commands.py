"""The commands wordlist, collocations, keywords and compare, on the bundled sample."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest
from command import Ran, run

from gristmill import Corpus


@pytest.fixture
def folder(indexed: Corpus) -> Path:
    """The sample with an index."""
    return indexed.folder


def json_of(ran: Ran) -> dict[str, Any]:
    assert ran.returncode == 0, ran.stderr.decode()
    found: dict[str, Any] = json.loads(ran.stdout)
    return found


def rows_of(ran: Ran) -> list[dict[str, str]]:
    assert ran.returncode == 0, ran.stderr.decode()
    return list(csv.DictReader(io.StringIO(ran.stdout.decode())))


def test_wordlist(folder: Path) -> None:
    ran = run("wordlist", folder, "--limit", "3")
    headings, *rows = ran.stdout.decode().splitlines()
    assert headings.split() == ["word", "frequency", "per", "million"]
    assert len(rows) == 3
    assert "different words" in ran.stderr.decode()
    assert "--limit 0 shows all" in ran.stderr.decode()
    found = json_of(run("wordlist", folder, "--limit", "3", "--json"))
    assert [row["value"] for row in found["rows"]] == [row.split()[0] for row in rows]
    everything = rows_of(run("wordlist", folder, "--limit", "0", "--csv"))
    assert len(everything) == found["types"]
    assert sum(int(row["frequency"]) for row in everything) == found["size"] - found["left_out"]
    assert f"{found['left_out']:,} tokens of punctuation left out" in ran.stderr.decode()
    assert all(any(character.isalnum() for character in row["value"]) for row in everything)
    with_punctuation = json_of(run("wordlist", folder, "--limit", "1", "--punctuation", "--json"))
    assert (with_punctuation["rows"][0]["value"], with_punctuation["occurrences"]) == (",", found["size"])
    ranks = [(-int(row["frequency"]), row["value"]) for row in everything]
    assert ranks == sorted(ranks)


def test_wordlist_with_filters(folder: Path) -> None:
    english = ["--where", 'lang="en"', "--csv"]
    rows = rows_of(run("wordlist", folder, "-a", "lemma+tag", "--tag", "NOUN", "--dispersion", *english))
    assert all(row["value"].endswith("+NOUN") for row in rows)
    assert all(int(row["documents"]) >= 1 and 0 <= float(row["dp"]) <= 1 for row in rows)
    rows = rows_of(run("wordlist", folder, "-i", "--matching", "[a-z]+ing", "--min-frequency", "3", *english))
    assert rows
    assert all(row["value"].endswith("ing") and int(row["frequency"]) >= 3 for row in rows)
    assert "the" not in {
        row["value"].lower() for row in rows_of(run("wordlist", folder, "--without-stop-words", *english))
    }
    by_documents = [int(row["documents"]) for row in rows_of(run("wordlist", folder, "--order", "documents", *english))]
    assert by_documents == sorted(by_documents, reverse=True)


def test_ngrams(folder: Path) -> None:
    ran = run("wordlist", folder, "-n", "3", "--limit", "5")
    assert ran.stdout.decode().startswith("3-gram")
    rows = rows_of(run("wordlist", folder, "-n", "2", "-a", "tag", "--limit", "0", "--min-frequency", "1", "--csv"))
    assert all(len(row["value"].split()) == 2 for row in rows)
    ran = run("wordlist", folder, "-n", "2", "--dispersion")
    assert ran.returncode == 2
    assert b"dispersion is for lists of words, not for n-grams" in ran.stderr


def test_collocations(folder: Path) -> None:
    query = '[lemma="the"]'
    ran = run("collocations", folder, query, "--limit", "5")
    assert (
        ran.stdout.decode().split()[:9]
        == "lemma together frequency logDice T-score MI MI3 log-likelihood".split() + ran.stdout.decode().split()[8:9]
    )
    found = json_of(run("collocations", folder, query, "--order", "mi", "--window", "0,1", "--json"))
    scores = [row["mi"] for row in found["rows"]]
    assert scores == sorted(scores, reverse=True)
    assert all(row["together"] <= found["hits"] for row in found["rows"])
    whole = json_of(run("collocations", folder, query, "--within", "s", "--limit", "0", "--json"))
    assert whole["types"] >= found["types"]


def test_collocations_of_what_is_not_there(folder: Path) -> None:
    ran = run("collocations", folder, "xyzzy")
    assert ran.returncode == 0
    assert ran.stdout == b""
    assert b"0 hits" in ran.stderr
    assert json_of(run("collocations", folder, "xyzzy", "--json"))["rows"] == []
    assert rows_of(run("collocations", folder, "xyzzy", "--csv")) == []
    ran = run("collocations", folder, '[lemma="the"]', "--min-frequency", "1000000")
    assert b"ask for a lower min_together and min_frequency" in ran.stderr


def test_keywords(folder: Path) -> None:
    english = ["--where", 'lang="en"']
    found = json_of(run("keywords", folder, *english, "--limit", "0", "--json"))
    rest = json_of(
        run("keywords", folder, folder, *english, "--reference-where", 'lang!="en"', "--limit", "0", "--json")
    )
    assert found["rows"] == rest["rows"]
    assert found["rows"][0]["reference_frequency"] == 0
    assert found["rows"][-1]["ll"] < 0
    rows = rows_of(run("keywords", folder, *english, "--order", "ll", "--matching", ".*", "--csv"))
    scores = [float(row["ll"]) for row in rows]
    assert scores == sorted(scores, reverse=True)
    ran = run("keywords", folder)
    assert ran.returncode == 2
    assert b"name another corpus" in ran.stderr


def test_compare(folder: Path) -> None:
    parts = ["--where", 'lang="en"', "--other-where", 'lang="de"']
    text = run("compare", folder, *parts, "--limit", "3").stdout.decode()
    assert "types in both" in text
    assert all(f"{tag}: corpus" in text and f"{tag}: other" in text for tag in ("NOUN", "VERB", "ADJ"))
    found = json_of(run("compare", folder, *parts, "--tags", "NOUN", "--json"))
    assert list(found["typical"]) == ["NOUN"]
    assert all(row["ll"] > 0 for row in found["typical"]["NOUN"]["corpus"])
    assert all(row["ll"] < 0 for row in found["typical"]["NOUN"]["other"])
    assert found["shared_types"] <= min(found["types"])
    rows = rows_of(run("compare", folder, *parts, "--csv"))
    assert {row["typical_of"] for row in rows} == {"corpus", "other"}
    same = run("compare", folder, folder)
    assert same.returncode == 0
    assert b"no words that are typical of either" in same.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["wordlist", "-a", "lema"], "did you mean 'lemma'"),
        (["wordlist", "--where", 'lang="xx"'], 'no document of the corpus meets the condition lang="xx"'),
        (["wordlist", "--where", 'langg="en"'], "did you mean 'lang'"),
        (["wordlist", "--json", "--csv"], "give one of them"),
        (["collocations", '[lemma="a"', "--limit", "1"], "query"),
        (["collocations", "the", "--order", "logdize"], "did you mean 'logdice'"),
        (["keywords", "--where", 'lang="en"', "--smoothing", "0"], "smoothing must be at least"),
        (["compare"], "name another corpus, or choose documents (--where) to compare with the others"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_wrong_usage_is_one_clear_message(folder: Path, arguments: list[str], message: str) -> None:
    ran = run(arguments[0], folder, *arguments[1:])
    assert ran.returncode == 2
    assert message in ran.stderr.decode()


@pytest.mark.parametrize("command", ["wordlist", "collocations", "keywords", "compare"])
def test_help_has_examples(command: str) -> None:
    assert f"gristmill {command} " in run(command, "--help").stdout.decode()


def test_a_corpus_without_text_says_so(tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text("<p>Short")
    empty = tmp_path / "empty"
    assert run("build", tmp_path / "page.html", "-o", empty, "--workers", "1").returncode == 1  # nothing was kept
    for arguments in (["wordlist"], ["wordlist", "-n", "2"], ["collocations", "mill"]):
        ran = run(arguments[0], empty, *arguments[1:])
        assert (ran.returncode, ran.stdout) == (0, b"")
        assert b"The corpus has no text." in ran.stderr
    for arguments in (["sketch", "mill"], ["classes"]):
        ran = run(arguments[0], empty, *arguments[1:])
        assert (ran.returncode, b"the corpus has no text: gristmill stats" in ran.stderr) == (2, True)
    ran = run("compare", empty, empty)
    assert ran.returncode == 2
    assert b"the corpus is empty: there is nothing to compare" in ran.stderr


def test_corpora_are_given_by_their_folders_in_python(indexed: Corpus) -> None:
    assert indexed.keywords(indexed.folder).rows == indexed.keywords(indexed).rows != []
    assert indexed.compare(str(indexed.folder)).vocabulary == indexed.compare(indexed).vocabulary
