"""The command sketch, on the bundled sample."""

from __future__ import annotations

import csv
import io
import json
import shutil
from pathlib import Path

import pytest
from command import run

from gristmill import Corpus


@pytest.fixture(scope="module")
def folder(indexed: Corpus, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample with an index, to be written to."""
    copy = tmp_path_factory.mktemp("sketch") / "corpus"
    shutil.copytree(indexed.folder, copy)
    return copy


def test_sketch(folder: Path) -> None:
    ran = run("sketch", folder, "stone", "--limit", "2")
    assert ran.returncode == 0, ran.stderr.decode()
    shown = ran.stdout.decode()
    assert "adjectives with stone  [modifier]" in shown
    assert "logDice" in shown
    assert b"stone (NOUN), 36 times" in ran.stderr
    found = json.loads(run("sketch", folder, "stone", "--json", "--limit", "0").stdout)
    rows = list(csv.DictReader(io.StringIO(run("sketch", folder, "stone", "--csv", "--limit", "0").stdout.decode())))
    assert [(row["relation"], row["collocate"], row["count"]) for row in rows] == [
        (row["relation"], row["collocate"], str(row["count"])) for row in found["rows"]
    ]
    assert (found["lang"], found["tag"]) == ("en", "NOUN")
    for row in found["rows"][::5]:
        pair = (row["relation"], row["collocate"], "--collocate-tag", row["tag"])
        query = run("sketch-query", folder, "stone", *pair).stdout.decode().strip()
        assert query == Corpus(folder).sketch("stone").query(row["relation"], row["collocate"], row["tag"])
    one = run("sketch", folder, "stone", "--relation", "modifier", "--order", "count", "--min-together", "1", "--csv")
    counts = [int(row["count"]) for row in csv.DictReader(io.StringIO(one.stdout.decode()))]
    assert counts
    assert counts == sorted(counts, reverse=True)


def test_build_thesaurus_and_difference(folder: Path) -> None:
    built = run("sketches", folder, "--lang", "ru")
    assert built.returncode == 0, built.stderr.decode()
    assert b"(ru): sketches of" in built.stdout
    about = json.loads(run("sketches", folder, "--lang", "en", "--source", "tags", "--json").stdout)
    assert (about["lang"], about["source"]) == ("en", "tags")
    assert "object_of" in about["relations"]
    similar = run("thesaurus", folder, "stone", "--csv")
    assert similar.stdout.decode().startswith("word,frequency,similarity,shared,examples\n")
    alone = run("thesaurus", folder, "bread")
    assert b"no other word stands in the same relations" in alone.stderr
    shown = run("sketch-difference", folder, "take", "come", "--min-together", "1").stdout.decode()
    assert "take/come" in shown
    parts = run("sketch-difference", folder, "take", "--where", 'host!="x"', "--other-where", 'host!="y"', "--json")
    found = json.loads(parts.stdout)
    assert found["word"] == found["other"] == "take"
    assert all(row["count"] == row["other_count"] for row in found["rows"])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["sketch", "xyzzy"], "the lemma 'xyzzy' stands in no grammatical relation"),
        (["sketch", "stone", "--lang", "pl"], "the texts in the language pl have no tags"),
        (["sketch"], "Missing argument 'WORD'"),
        (["sketch-difference", "stone"], "name the other one"),
        (["sketches", "stone"], "unexpected extra argument"),
        (["sketch", "stone", "--grammar", "nowhere.toml"], "nowhere.toml"),
        (["thesaurus", "stone", "--where", "lang="], "condition"),
    ],
)
def test_mistakes_are_told_of(folder: Path, arguments: list[str], message: str) -> None:
    ran = run(arguments[0], folder, *arguments[1:])
    assert ran.returncode == 2
    assert message in ran.stderr.decode()
    assert b"Traceback" not in ran.stderr
