"""Damaged files of a corpus: its manifest, its tables, its index."""

from __future__ import annotations

import os
import shutil
import tomllib
from abc import ABC, abstractmethod
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any

import tomli_w

import gristmill
from fuzzing.corpora import small_corpus
from fuzzing.pages import damage
from fuzzing.target import Target
from gristmill.engine import InlineEngine
from gristmill.errors import GristmillError

_VALUES = [
    "", "x", "../../etc", "/", "\0", -1, 0, 1, 2**63 - 1, 1e300, float("nan"), True, [], {}, ["x"], [1], [{}], {"x": 1},
    "00000", "onion:n=0", "length:min=-1", "mill", "nothing", "en", "size:max=x",
]  # fmt: skip


def _nodes(table: Any) -> list[tuple[Any, Any]]:
    """Every place of a nested table, as a container and a key in it."""
    pairs = (
        list(table.items()) if isinstance(table, dict) else list(enumerate(table)) if isinstance(table, list) else []
    )
    return [(table, key) for key, _ in pairs] + [node for _, value in pairs for node in _nodes(value)]


def _changed(table: dict[str, Any], random: Random) -> None:
    """Put something else into some places, take some out, add some."""
    for _ in range(random.choice([1, 1, 2, 4])):
        container, key = random.choice(_nodes(table) or [(table, "x")])
        match random.randrange(4):
            case 0 if isinstance(container, dict):
                container.pop(key, None)
            case 1 if isinstance(container, dict):
                container[random.choice(["x", "name", "format", "method", "against"])] = random.choice(_VALUES)
            case _:
                container[key] = random.choice(_VALUES)


class _Damaged(Target, ABC):
    """A corpus of which some file is damaged, on which all that reads is called: results, or an error in words."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.whole = small_corpus(folder)
        self.corpus = folder / f"damaged-{self.name}"

    def make(self, random: Random) -> tuple[str, bytes]:
        """The name of a file in the corpus, and what is to be in it."""
        file = random.choice([file for file in sorted(self.whole.rglob("*")) if file.is_file() and self.wants(file)])
        data = file.read_bytes()
        if file.suffix == ".toml" and random.random() < 0.8:
            table = tomllib.loads(data.decode())
            _changed(table, random)
            with suppress(TypeError, ValueError, AttributeError):  # what TOML can't have is damaged as bytes
                return str(file.relative_to(self.whole)), tomli_w.dumps(table).encode()
        return str(file.relative_to(self.whole)), damage(data, random)

    @abstractmethod
    def wants(self, file: Path) -> bool:
        """Whether it is one of the files to damage."""

    def attempt(self, case: tuple[str, bytes]) -> None:
        """Each way to read it ends with a result or with an error for users."""
        name, data = case
        shutil.rmtree(self.corpus, ignore_errors=True)
        shutil.copytree(self.whole, self.corpus)
        (self.corpus / name).write_bytes(data)
        for read in (self.read, self.search, self.change):
            with suppress(GristmillError):
                read()

    def read(self) -> None:
        """Documents, what was dropped, counts and an export."""
        corpus = gristmill.Corpus(self.corpus)
        list(corpus.pages())
        list(corpus.dropped())
        list(corpus.documents())
        gristmill.export(corpus, os.devnull, "vertical")

    def search(self) -> None:
        """A search, a word list and collocations."""
        corpus = gristmill.Corpus(self.corpus)
        list(corpus.search('[lemma="mill"] []{0,3} [tag="VERB"] within <s/>').lines())
        list(corpus.search("the mill").sort("right").lines())
        corpus.wordlist("lemma")
        corpus.collocations('[lemma="mill"]')

    def change(self) -> None:
        """Annotation, index and de-duplication again."""
        gristmill.index(self.corpus, engine=InlineEngine())
        gristmill.deduplicate(self.corpus, engine=InlineEngine())


class Manifests(_Damaged):
    """`corpus.toml`, and the card of the index."""

    name = "corpus.toml"

    def wants(self, file: Path) -> bool:
        """TOML."""
        return file.suffix == ".toml"


class Tables(_Damaged):
    """The Parquet files of a shard."""

    name = "parquet"

    def wants(self, file: Path) -> bool:
        """Parquet."""
        return file.suffix == ".parquet"


class Indexes(_Damaged):
    """The files of the index, and those that de-duplication keeps."""

    name = "index"

    def wants(self, file: Path) -> bool:
        """Arrays."""
        return file.suffix == ".arrays" or "ngrams" in file.parts
