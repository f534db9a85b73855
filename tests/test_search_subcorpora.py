"""Subcorpora with names: saved in the corpus, used as `@name` wherever a condition stands."""

from __future__ import annotations

import json
import shutil
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from command import run

import gristmill
from gristmill.errors import GristmillError, PlacedError, UsageError
from gristmill.pipeline import unwatch, watch
from gristmill.search.subcorpora import (
    NAME,
    expanded,
    read_subcorpora,
    remove_subcorpus,
    rename_subcorpus,
    save_subcorpus,
)


@pytest.fixture(scope="module")
def own(indexed: gristmill.Corpus, tmp_path_factory: pytest.TempPathFactory) -> gristmill.Corpus:
    folder = tmp_path_factory.mktemp("named") / "corpus"
    shutil.copytree(indexed.folder, folder)
    return gristmill.Corpus(folder)


@pytest.fixture
def folder(own: gristmill.Corpus) -> Iterator[Path]:
    yield own.folder
    (own.folder / NAME).unlink(missing_ok=True)


def test_a_name_stands_for_its_condition_everywhere(own: gristmill.Corpus, folder: Path) -> None:
    english = 'lang="en" | lang="cs"'
    save_subcorpus(folder, "two", english, by="Ann")
    for where, same in (
        ("@two", english),
        ("@two & year>=2022", f"({english}) & year>=2022"),
        ("!@two", f"!({english})"),
    ):
        assert own.search("the", where=where).counts() == own.search("the", where=same).counts()
    assert own.wordlist(where="@two").cells() == own.wordlist(where=english).cells()
    found = run("count", str(folder), "the", "--where", "@two", "--json")
    assert f'"total": {own.search("the", where=english).total}' in found.stdout.decode()
    saved = read_subcorpora(folder)["two"]
    assert (saved.where, saved.by, saved.saved[:2]) == (english, "Ann", "20")


def test_what_is_saved_does_not_change_with_others(folder: Path) -> None:
    save_subcorpus(folder, "new", "year>=2022")
    save_subcorpus(folder, "english", '@new & lang="en"')
    remove_subcorpus(folder, "new")
    assert read_subcorpora(folder)["english"].where == '(year>=2022) & lang="en"'
    rename_subcorpus(folder, "english", "anglais-2022")
    assert list(read_subcorpora(folder)) == ["anglais-2022"]


def test_names_in_quotes_mean_nothing(folder: Path) -> None:
    save_subcorpus(folder, "a", "year>=2022")
    for text in ('title="@a"', "title='@a'", r'title="\"@a"'):
        assert expanded(text, folder) == text
    assert expanded('title="x"&@a', folder) == 'title="x"&(year>=2022)'


def test_an_unknown_name_is_pointed_at(own: gristmill.Corpus, folder: Path) -> None:
    save_subcorpus(folder, "english", 'lang="en"')
    with pytest.raises(PlacedError, match=r"did you mean 'english'\?") as caught:
        own.search("the", where="year>=2020 & @englisch")
    assert caught.value.at == len("year>=2020 & ")
    assert caught.value.text == "year>=2020 & @englisch"


@pytest.mark.parametrize("name", ["", "a b", "-a", "../x", "a" * 65, "a\n", "@a"])
def test_a_name_is_of_letters_and_digits(folder: Path, name: str) -> None:
    with pytest.raises(UsageError, match="can't be the name"):
        save_subcorpus(folder, name, "year>=2022")


def test_mistakes_change_nothing(folder: Path) -> None:
    save_subcorpus(folder, "a", "year>=2022")
    for wrong in (
        lambda: save_subcorpus(folder, "a", "year>=2023"),
        lambda: save_subcorpus(folder, "b", "year>="),
        lambda: save_subcorpus(folder, "b", ""),
        lambda: rename_subcorpus(folder, "b", "c"),
        lambda: rename_subcorpus(folder, "a", "b c"),
        lambda: remove_subcorpus(folder, "b"),
    ):
        with pytest.raises(UsageError):
            wrong()
    assert [item.where for item in read_subcorpora(folder).values()] == ["year>=2022"]
    assert save_subcorpus(folder, "a", "year>=2023", replace=True).where == "year>=2023"


@pytest.mark.parametrize("text", ["a = 1", "[a]\nwhere = 1", "[a]\nby = 'x'", "[[", '["a b"]\nwhere="x"', "\ufeff\x00"])
def test_a_damaged_file_is_told_of(folder: Path, text: str) -> None:
    (folder / NAME).write_text(text, "utf-8")
    with pytest.raises(GristmillError, match=r"subcorpora\.toml"):
        read_subcorpora(folder)


def test_nobody_overwrites_what_others_save(folder: Path) -> None:
    def save(number: int) -> None:
        save_subcorpus(folder, f"s{number}", f"year>={number}")

    threads = [threading.Thread(target=save, args=(number,)) for number in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(read_subcorpora(folder)) == 20
    assert not list(folder.glob(".subcorpora*"))


def test_a_watch_keeps_the_condition_itself(folder: Path) -> None:
    save_subcorpus(folder, "english", 'lang="en"')
    assert watch(folder, "mill", where="@english", name="mills").where == '(lang="en")'
    unwatch(folder, "mills")


def test_the_command_and_python_save_list_describe_and_remove(own: gristmill.Corpus, folder: Path) -> None:
    assert b"there are none: save one with" in run("subcorpus", "list", folder).stderr
    english = own.subcorpus('lang="en"')
    assert english is not None
    said = run("subcorpus", "save", folder, "english", 'lang="en"').stderr.decode()
    assert said == f"@english has {english.documents} documents, {english.size:,} tokens\n"
    assert run("subcorpus", "save", folder, "english", "year>=2022").returncode == 2
    assert run("subcorpus", "save", folder, "x", 'lagn="en"').returncode == 2
    assert run("subcorpus", "save", folder, "new", "@english & year>=2022").returncode == 0
    listed = json.loads(run("subcorpus", "list", folder, "--json").stdout)["subcorpora"]
    assert [item["name"] for item in listed] == ["english", "new"]
    assert listed == [item.to_json() for item in own.subcorpora]
    shown = run("subcorpus", "show", folder, "english").stdout.decode()
    assert f"tokens     {english.size:,}\n" in shown
    assert run("subcorpus", "rename", folder, "new", "newer").returncode == 0
    assert own.subcorpora["newer"].where == '(lang="en") & year>=2022'
    exported = run("export", folder, "--format", "jsonl", "--where", "@newer").stdout
    assert len(exported.splitlines()) == own.subcorpora["newer"].documents
    assert run("subcorpus", "remove", folder, "newer").returncode == 0
    assert run("subcorpus", "show", folder, "newer").returncode == 2
    assert repr(own.subcorpora) == "<subcorpora: english>"
    (folder / NAME).write_text('[old]\nwhere = "gone=1"\n', "utf-8")
    assert [item.documents for item in own.subcorpora] == [None]
    assert b"@old can't be used: <doc> has no attribute 'gone'" in run("subcorpus", "list", folder).stderr
