"""`gristmill evaluate` as a user types it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command import run

GOOD = (
    "It was the miller who said that the river would rise in the night, and it was the river that did what he "
    "had said it would do. "
) * 3


@pytest.fixture
def pairs(tmp_path: Path) -> Path:
    folder = tmp_path / "pairs"
    folder.mkdir()
    for name in ("a", "b", "c"):
        (folder / f"{name}.html").write_text(f"<ul><li><a href=/>Home</a></ul><p>{GOOD} {name}</p>")
        (folder / f"{name}.txt").write_text(f"{GOOD} {name}")
    (folder / "d.html").write_text("<p>without gold")
    return folder


def test_table(pairs: Path) -> None:
    result = run("evaluate", pairs, "--method", "all", "--method", "justext")
    assert result.returncode == 0
    header, *rows = result.stdout.decode().splitlines()
    assert header.split()[:5] == ["method", "P", "R", "F1", "F0.5"]
    assert [row.split()[0] for row in rows] == ["justext", "all"]
    assert rows[0].split()[1:5] == ["1.000"] * 4
    assert result.stderr.decode() == "pairs: left out 1 no gold\n"


def test_json_and_html(pairs: Path, tmp_path: Path) -> None:
    result = run(
        "evaluate",
        pairs,
        "--method",
        "justext",
        "--json",
        "--html",
        tmp_path / "report.html",
        "--limit",
        "2",
        "--seed",
        "7",
    )
    assert result.returncode == 0
    figures = json.loads(result.stdout)
    assert figures["sets"] == {"pairs": {"pages": 2, "left_out": {"no gold": 1}}}
    assert figures["methods"]["justext"]["overall"]["multiset"]["f1"] == 1
    report = (tmp_path / "report.html").read_text("utf-8")
    assert report.startswith("<!DOCTYPE html>")
    assert "<svg " in report
    assert "The worst pages" in report
    written = run(
        "evaluate",
        pairs,
        "--method",
        "justext",
        "--format",
        "html",
        "-o",
        tmp_path / "again.html",
        "--limit",
        "2",
        "--seed",
        "7",
    )
    assert (written.returncode, written.stdout) == (0, b"")
    assert "The worst pages" in (tmp_path / "again.html").read_text("utf-8")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["none.parquet"], "there is no gold standard 'none.parquet'"),
        (["."], "there is no gold standard in ."),
        ([], "Missing argument"),
        (["pairs", "--method", "jutext"], "did you mean 'justext'?"),
        (["pairs", "--method", ","], "name at least one method"),
        (["pairs", "--metric", "magic"], "there is no metric 'magic'"),
        (["pairs", "--lang", "cs"], "no page is left"),
        (["pairs", "--limit", "0"], "--limit"),
        (["pairs", "--html", "none/report.html"], "there is no folder 'none' to write report.html to"),
    ],
)
def test_wrong_usage(pairs: Path, tmp_path: Path, arguments: list[str], message: str) -> None:
    folder = pairs.parent if "pairs" in arguments else tmp_path / "empty"
    folder.mkdir(exist_ok=True)
    result = run("evaluate", *arguments, cwd=folder)
    assert result.returncode == 2
    assert message in result.stderr.decode()
    assert result.stdout == b""


def test_help_has_an_example() -> None:
    result = run("evaluate", "--help")
    assert result.returncode == 0
    assert "Examples:\n    gristmill evaluate " in result.stdout.decode()
