"""Dictionaries: learned from beads, added up over tasks, read from files."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest
from aligned import pair, sentences

from gristmill.alignment import Beads, Cooccurrences, Dictionary, align, read_dictionary
from gristmill.alignment.dictionary_files import translations_of
from gristmill.errors import UsageError


def _counted(seeds: range, most_pairs: int = 1 << 16) -> Cooccurrences:
    counted = Cooccurrences(most_pairs)
    for seed in seeds:
        source, target, _ = pair(80, seed)
        counted.add(source, target, align(source, target), min_score=0)
    return counted


def test_learned_translations() -> None:
    source = sentences([["the", "mill"], ["the", "river"], ["a", "mill"], ["a", "river"], ["the", "mill", "river"]] * 3)
    target = sentences(
        [["die", "mühle"], ["der", "fluss"], ["eine", "mühle"], ["ein", "fluss"], ["mühle", "fluss"]] * 3
    )
    ones = np.ones(15, np.int64)
    counted = Cooccurrences()
    counted.add(source, target, Beads.of_counts(ones, ones, np.ones(15, np.float32)))
    counted.add(
        sentences([["x"]] * 60),
        sentences([["y"]] * 60),
        Beads.of_counts(np.ones(60, int), np.ones(60, int), np.ones(60, np.float32)),
    )
    dictionary = counted.dictionary()
    assert dictionary.translations("RIVER")[0][0] == "fluss"
    assert dictionary.translations("nothing") == []
    assert dictionary.reversed().translations("fluss")[0][0] == "river"


def test_counts_add_up(tmp_path: Path) -> None:
    together = _counted(range(4))
    merged = _counted(range(2))
    merged.merge(_counted(range(2, 4)))
    together.write(tmp_path / "together.parquet")
    merged.write(tmp_path / "merged.parquet")
    assert (tmp_path / "together.parquet").read_bytes() == (tmp_path / "merged.parquet").read_bytes()
    again = Cooccurrences.read(tmp_path / "merged.parquet")
    again.write(tmp_path / "again.parquet")
    assert (tmp_path / "again.parquet").read_bytes() == (tmp_path / "merged.parquet").read_bytes()
    assert again.beads == together.beads
    one, other = again.dictionary(), together.dictionary()
    assert (one.sources, one.targets) == (other.sources, other.targets)


def test_memory_of_counts_is_bounded() -> None:
    counted, again = _counted(range(3), 2000), _counted(range(3), 2000)
    assert counted.dropped > 0
    assert len(counted.pairs()[0]) <= 4096  # the smallest table is not pruned before it is full
    assert all(map(np.array_equal, counted.pairs(), again.pairs()))


def test_dictionary_is_written_and_read(tmp_path: Path) -> None:
    dictionary = _counted(range(2)).dictionary()
    dictionary.write(tmp_path / "d.parquet")
    read = read_dictionary(tmp_path / "d.parquet")
    assert read.sources == dictionary.sources
    assert np.array_equal(read.probability, dictionary.probability)
    read.write(tmp_path / "e.parquet")
    assert (tmp_path / "e.parquet").read_bytes() == (tmp_path / "d.parquet").read_bytes()


def test_tsv(tmp_path: Path) -> None:
    file = tmp_path / "words.tsv"
    file.write_text("Mill\tMühle\t0.9\nriver\tFluss\nriver\tStrom\n\n", "utf-8")
    dictionary = read_dictionary(file)
    assert [(word, round(share, 4)) for word, share in dictionary.translations("mill")] == [("mühle", 0.9)]
    assert [word for word, _ in dictionary.translations("river")] == ["fluss", "strom"]


def _dictd(folder: Path) -> Path:
    """A small dictionary in the format of dictd, as freedict's are."""
    digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    entries = {
        "00databaseinfo": "about the dictionary\n",
        "mill": "mill /mˈɪl/ <n>\nMühle <fem>, Fabrik <fem> [techn.]\n see: {mills}\n\n",
        "river": "river /rˈɪvə/\n1. Fluss <masc>\na large stream\n2. Strom\n",
        "run": "run /rˈʌn/ <v>\nlaufen, sich bewegen, rennen (schnell)\n",
        "water mill": "water mill\nWassermühle\n",
    }
    data, index = b"", []
    for word, entry in entries.items():
        numbers = []
        for number in (len(data), len(entry.encode())):
            text = ""
            while True:
                number, digit = divmod(number, 64)  # noqa: PLW2901
                text = digits[digit] + text
                if not number:
                    break
            numbers.append(text)
        index.append("\t".join([word, *numbers]) + "\n")
        data += entry.encode()
    (folder / "x.index").write_text("".join(index), "utf-8")
    (folder / "x.dict.dz").write_bytes(gzip.compress(data))
    return folder / "x.index"


def test_dictd(tmp_path: Path) -> None:
    index = _dictd(tmp_path)
    for path in (index, tmp_path / "x.dict.dz"):
        dictionary = read_dictionary(path)
        assert [word for word, _ in dictionary.translations("mill")] == ["fabrik", "mühle"]
        assert [word for word, _ in dictionary.translations("river")] == ["fluss", "strom"]
        assert [word for word, _ in dictionary.translations("run")] == ["bewegen", "laufen", "rennen"]
        assert not dictionary.translations("water")


def test_translations_of_entries() -> None:
    assert translations_of("Berg /bɛʁk/ <n, masc>\nmontagne, mont\ngroße Erhebung\n") == ["montagne", "mont"]
    assert translations_of("") == []


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.tsv", "mill\n", "line 1: a line is a source word"),
        ("a.tsv", "mill\tMühle\tmuch\n", "a number from 0 to 1, not 'much'"),
        ("a.tsv", "", "has no pairs of single words"),
        ("a.index", "mill\t!\tB\n", "No such file"),
        ("missing.tsv", None, "can't read the dictionary"),
    ],
)
def test_wrong_files(tmp_path: Path, name: str, text: str | None, message: str) -> None:
    if text is not None:
        (tmp_path / name).write_text(text, "utf-8")
    with pytest.raises(UsageError, match=message):
        read_dictionary(tmp_path / name)


def test_broken_dictd(tmp_path: Path) -> None:
    index = _dictd(tmp_path)
    (tmp_path / "x.dict.dz").write_bytes(gzip.compress(b"short"))
    with pytest.raises(UsageError, match="has no pairs"):
        read_dictionary(index)
    (tmp_path / "x.dict.dz").write_bytes(b"no gzip")
    with pytest.raises(UsageError, match="can't read the dictionary"):
        read_dictionary(index)


def test_joined() -> None:
    one = Dictionary.of([("a", "b", 0.5, 0.2), ("a", "c", 0.1, 0.1)])
    other = Dictionary.of([("A", "B", 0.3, 0.4)])
    joined = Dictionary.joined(one, other)
    assert [(word, round(share, 4)) for word, share in joined.translations("a")] == [("b", 0.5), ("c", 0.1)]
    assert joined.reverse.tolist() == [pytest.approx(0.4), pytest.approx(0.1)]
