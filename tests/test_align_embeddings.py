"""Alignment by embeddings, with a small embedder that is made here."""

from __future__ import annotations

import functools
import zlib
from collections.abc import Sequence

import numpy as np
import pytest
from aligned import as_lists, f1, pair, sentences

from gristmill.alignment import align
from gristmill.alignment.embeddings import load_embedder
from gristmill.arrays.dtypes import Matrix
from gristmill.errors import UsageError
from gristmill.registry import forget_plugin, owned_by, part


class HashedWords:
    """Adds up a direction for each word, the same in both languages, and one for the text, which is not."""

    def embed(self, texts: Sequence[str], lang: str) -> Matrix:
        rows = np.zeros((len(texts), 64), np.float32)
        for row, text in zip(rows, texts, strict=True):
            for word in text.split():
                row[:] += _direction(word) * np.log1p(
                    int(word[1:] or 0) if word[1:].isdecimal() else 9
                )  # rare ones count more
            row[:] += _direction(f"{lang}: {text}") * 0.3 * np.linalg.norm(row) / 8
        return rows


@functools.cache
def _direction(word: str) -> Matrix:
    return np.random.default_rng(zlib.crc32(word.encode())).standard_normal(64).astype(np.float32)


class Wrong:
    def embed(self, texts: Sequence[str], lang: str) -> list[float]:
        del texts, lang
        return [1.0]


@pytest.mark.parametrize("size", [40, 700])
def test_embeddings(size: int) -> None:
    source, target, gold = pair(size, 3, shared=1.0)
    beads = align(source, target, embedder=HashedWords(), source_lang="en", target_lang="de")
    found = as_lists(beads)
    assert [number for one, _ in found for number in one] == list(range(len(source)))
    assert f1(found, gold)[0] > 0.9
    assert np.mean(beads.score[beads.source_end > beads.source_start]) > 0.5


@pytest.mark.parametrize(
    ("source", "target"), [([], []), ([], [["a"]]), ([["a"]], []), ([["a"]], [["b"], ["c"]]), ([[]], [[]])]
)
def test_small_texts(source: list[list[str]], target: list[list[str]]) -> None:
    beads = align(sentences(source), sentences(target), embedder=HashedWords())
    found = as_lists(beads)
    assert [number for one, _ in found for number in one] == list(range(len(source)))
    assert [number for _, other in found for number in other] == list(range(len(target)))


def test_loading() -> None:
    assert isinstance(load_embedder(f"{__name__}:HashedWords"), HashedWords)
    with owned_by("this test"):
        part("embedder", "hashed")(HashedWords)
    assert isinstance(load_embedder("hashed"), HashedWords)
    forget_plugin("this test")
    for name, message in [
        ("no_such_module:A", "can't be loaded"),
        (f"{__name__}:Nothing", "has no embedder 'Nothing'"),
        ("json:loads", "has no method embed"),
        ("nothing", "there is no embedder 'nothing'"),
    ]:
        with pytest.raises(UsageError, match=message):
            load_embedder(name)


def test_wrong_embedders() -> None:
    with pytest.raises(UsageError, match="a row of numbers for each text"):
        align(sentences([["a"]]), sentences([["b"]]), embedder=Wrong())
    with pytest.raises(UsageError, match="needs an embedder"):
        align(sentences([["a"]]), sentences([["b"]]), method="embeddings")
