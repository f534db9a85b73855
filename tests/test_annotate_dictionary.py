"""The dictionaries of the tagger `own`: as those of simplemma, and kept as files, damaged or not."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from simplemma.strategies.dictionaries import DefaultDictionaryFactory

from gristmill import locks
from gristmill.annotation.tagging import dictionary
from gristmill.annotation.tagging.dictionary import Dictionary, _arrays_of, dictionary_of
from gristmill.annotation.tagging.words import lowered
from gristmill.arrays.storing import load_arrays, save_arrays
from gristmill.errors import GristmillError

LANG = "en"


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty folder for caches."""
    monkeypatch.setenv("GRISTMILL_CACHE", str(tmp_path / "cache"))
    dictionary_of.cache_clear()
    yield tmp_path / "cache"
    dictionary_of.cache_clear()


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """A small dictionary, which is made at once."""
    monkeypatch.setattr(dictionary, "_entries", lambda _: iter([("mills", "mill"), ("Mice", "mouse")]))


@settings(deadline=None)
@given(st.dictionaries(st.text(min_size=1, max_size=8), st.text(max_size=8), max_size=30))
def test_forms_are_found(entries: dict[str, str]) -> None:
    lower = {lowered(form): lowered(lemma) for form, lemma in entries.items() if form == lowered(form)}
    found = Dictionary(_arrays_of(lower.items()))
    assert bool(found) == bool(lower)
    assert {form: found.find(form) for form in lower} == lower
    assert found.find("not-in-it-at-all") == ""


def test_capitals() -> None:
    found = Dictionary(_arrays_of([("Rosen", "Rose"), ("rosen", "rosa"), ("Berge", "Berg")]))
    assert (found.find("rosen"), found.find("berge"), found.find("Berge")) == ("rosa", "berg", "berg")


def test_as_it_is_in_simplemma() -> None:
    forms = DefaultDictionaryFactory(cache_max_size=1).get_dictionary(LANG)
    found = dictionary_of(LANG)
    some = Random(0).sample(sorted(form for form in forms if form == lowered(form)), 3000)
    assert [found.find(form) for form in some] == [lowered(forms[form]) for form in some]
    assert not dictionary_of("zh")


@pytest.mark.usefixtures("few")
def test_a_damaged_file_is_made_again(cache: Path) -> None:
    assert dictionary_of(LANG).find("mills") == "mill"
    (path,) = cache.glob("dictionaries/*.arrays")
    whole = path.read_bytes()
    other_types = whole.replace(b'"checks": ["<u4"', b'"checks": ["<i4"')
    assert other_types != whole
    for data in (b"", whole[:-1], whole[:100], b"x" * len(whole), other_types, bytes(len(whole))):
        path.write_bytes(data)
        dictionary_of.cache_clear()
        assert dictionary_of(LANG).find("mice") == "mouse"
        assert path.read_bytes() == whole


@pytest.mark.usefixtures("few")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of NumPy, about old names of types
def test_any_byte_may_be_damaged(cache: Path) -> None:
    dictionary_of(LANG)
    (path,) = cache.glob("dictionaries/*.arrays")
    whole, random = path.read_bytes(), Random(0)
    for place in range(random.randrange(3), len(whole), 3):
        changed = bytearray(whole)
        changed[place] ^= 1 << random.randrange(8)
        path.write_bytes(bytes(changed))
        try:
            found = Dictionary(load_arrays(path))
        except GristmillError:
            continue
        assert {type(found.find(word)) for word in ("mills", "mice", "Mice", "x", "")} == {str}


@pytest.mark.usefixtures("few")
def test_a_folder_that_can_not_be_written_to(tmp_path: Path, cache: Path) -> None:
    cache.write_text("no folder")
    assert dictionary_of(LANG).find("mills") == "mill"
    assert [path.name for path in tmp_path.iterdir()] == ["cache"]
    cache.unlink()
    cache.mkdir()
    dictionary_of.cache_clear()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(dictionary, "save_arrays", lambda *_: (_ for _ in ()).throw(PermissionError("read-only")))
        assert dictionary_of(LANG).find("mills") == "mill"
    assert not [*cache.rglob("*.arrays")]


@pytest.mark.usefixtures("few")
def test_a_damaged_file_in_such_a_folder(cache: Path) -> None:
    (cache / "dictionaries").mkdir(parents=True)
    dictionary_of(LANG)
    (path,) = cache.glob("dictionaries/*.arrays")
    path.unlink()
    path.mkdir()  # neither read nor replaced
    (path / "in it").touch()
    dictionary_of.cache_clear()
    assert dictionary_of(LANG).find("mills") == "mill"


def test_where_caches_are(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("GRISTMILL_CACHE", "GRISTMILL_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path))
    assert dictionary.cache_folder() == tmp_path / "gristmill"
    monkeypatch.setenv("GRISTMILL_HOME", str(tmp_path / "home"))
    assert dictionary.cache_folder() == tmp_path / "home" / "cache"
    monkeypatch.setenv("GRISTMILL_CACHE", str(tmp_path / "own"))
    assert dictionary.cache_folder() == tmp_path / "own"


def test_arrays_that_are_not_those_of_a_dictionary(tmp_path: Path) -> None:
    arrays = _arrays_of([(f"mice{number}", f"mouse{number}") for number in range(20)])
    for name in arrays:
        for wrong in ({}, {name: arrays[name][:-1]}, {name: arrays[name].astype("f8")}, {name: arrays[name][None]}):
            save_arrays(tmp_path / "a", {key: value for key, value in arrays.items() if key != name} | wrong)
            with pytest.raises(GristmillError, match="a dictionary is damaged"):
                Dictionary(load_arrays(tmp_path / "a"))


@pytest.mark.usefixtures("few")
def test_who_comes_while_another_makes_it_waits_and_takes_it(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    dictionary_of(LANG)
    (made,) = (cache / "dictionaries").iterdir()
    ready = made.rename(cache / "ready")
    lock = made.with_name(f"{made.name}.lock")
    descriptor = locks.claim(lock)
    assert descriptor is not None
    dictionary_of.cache_clear()
    monkeypatch.setattr(dictionary, "_entries", lambda _: pytest.fail("it is made twice"))
    with ThreadPoolExecutor(1) as other:
        found = other.submit(dictionary_of, LANG)
        with pytest.raises(TimeoutError):
            found.result(0.2)
        ready.rename(made)
        locks.remove(lock, descriptor)
        assert found.result().find("mills") == "mill"
    assert list((cache / "dictionaries").iterdir()) == [made]
