"""`gristmill align`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command import run

SOURCE = "The mill\nThe mill stands by the river Lomma. It was built in 1742.\nNobody lives there today.\n"
TARGET = "Die Mühle\nDie Mühle steht am Fluss Lomma. Sie wurde 1742 gebaut.\nHeute wohnt dort niemand.\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "a.txt").write_text(SOURCE, "utf-8")
    (tmp_path / "b.txt").write_text(TARGET, "utf-8")
    return tmp_path


def test_tsv(folder: Path) -> None:
    ran = run("align", "a.txt", "b.txt", "--lang", "en,de", cwd=folder)
    assert ran.returncode == 0
    rows = [line.split("\t") for line in ran.stdout.decode().splitlines()]
    assert [row[:2] for row in rows] == [
        ["The mill", "Die Mühle"],
        ["The mill stands by the river Lomma.", "Die Mühle steht am Fluss Lomma."],
        ["It was built in 1742.", "Sie wurde 1742 gebaut."],
        ["Nobody lives there today.", "Heute wohnt dort niemand."],
    ]
    assert all(0 < float(row[2]) <= 1 for row in rows)
    assert b"4 pairs of sentences" in ran.stderr


def test_json_and_moses(folder: Path) -> None:
    ran = run("align", "a.txt", "b.txt", "--lang", "en,de", "--format", "json", "--method", "gale-church", cwd=folder)
    assert json.loads(ran.stdout.splitlines()[0])["target"] == "Die Mühle"
    ran = run("align", "a.txt", "b.txt", "--lang", "en,de", "--format", "moses", "-o", "out", cwd=folder)
    assert ran.returncode == 0
    sides = [(folder / f"out.{code}").read_text("utf-8").splitlines() for code in ("en", "de")]
    assert len(sides[0]) == len(sides[1]) == 4


def test_dictionary_lines_and_embedder(folder: Path) -> None:
    (folder / "d.tsv").write_text("mill\tMühle\n", "utf-8")
    ran = run("align", "a.txt", "b.txt", "--lang", "en,de", "--dictionary", "d.tsv", "--lines", cwd=folder)
    assert len(ran.stdout.splitlines()) == 3
    embedder = "test_align_embeddings:HashedWords"
    ran = run("align", "a.txt", "b.txt", "--lang", "en,de", "--embedder", embedder, cwd=folder)
    assert ran.returncode == 0


def test_the_same_file_twice(folder: Path) -> None:
    ran = run("align", "a.txt", "a.txt", "--lang", "en,en", cwd=folder)
    rows = [line.split("\t") for line in ran.stdout.decode().splitlines()]
    assert all(row[0] == row[1] for row in rows)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["a.txt", "c.txt", "--lang", "en,de"], "can't read c.txt: No such file or directory"),
        (["a.txt", "empty.txt", "--lang", "en,de"], "empty.txt is empty"),
        (["a.txt", "latin.txt", "--lang", "en,de"], "latin.txt is not UTF-8"),
        (["a.txt", "b.txt", "--lang", "eng,de"], "'eng' is not a language code"),
        (["a.txt", "b.txt", "--lang", "en"], "--lang has the languages of both texts"),
        (["a.txt", "b.txt", "--lang", "en,de", "--method", "magic"], "there is no alignment method 'magic'"),
        (["a.txt", "b.txt", "--lang", "en,de", "--format", "tmx"], "there is no output format 'tmx'"),
        (["a.txt", "b.txt", "--lang", "en,de", "--format", "moses"], "the format moses has two files"),
        (["a.txt", "b.txt", "--lang", "de,de", "--format", "moses", "-o", "x"], "the languages, which must differ"),
        (["a.txt", "b.txt", "--lang", "en,de", "--dictionary", "a.txt"], "a.txt, line 1"),
        (["a.txt", "b.txt", "--lang", "en,de", "-o", "no/x"], "there is no folder 'no'"),
    ],
)
def test_wrong_calls(folder: Path, arguments: list[str], message: str) -> None:
    (folder / "empty.txt").touch()
    (folder / "latin.txt").write_bytes(b"M\xfchle")
    ran = run("align", *arguments, cwd=folder)
    assert ran.returncode == 2
    assert message in ran.stderr.decode()
    assert len(ran.stderr.splitlines()) == 1
