"""Queries that give the same counts in Sketch Engine, CQP and here, by what each manager reads out of our export."""

from __future__ import annotations

from pathlib import Path

import pytest
from agreeing import Counting, agreed
from managers_reading import Encode, Registry, read_by_cwb, read_by_manatee

import gristmill
from gristmill.search.cql.matching import find

QUERIES = agreed()
PAGE = Path(__file__).parents[1] / "docs" / "cql.md"


@pytest.fixture(scope="module")
def loaded(indexed: gristmill.Corpus, tmp_path_factory: pytest.TempPathFactory) -> tuple[Counting, Counting]:
    """The sample as Manatee and as CWB have it."""
    folder = tmp_path_factory.mktemp("managers")
    for name in ("a.vert", "a.vrt"):
        gristmill.export(indexed, folder / name)
    registry, encode = (
        Registry.parse((folder / "a.registry").read_text()),
        Encode.parse((folder / "a.cwb.sh").read_text()),
    )
    return (
        Counting(read_by_manatee(registry, (folder / "a.vert").read_bytes())),
        Counting(read_by_cwb(encode, (folder / "a.vrt").read_bytes())),
    )


def test_there_are_a_hundred() -> None:
    assert len({one.query for one in QUERIES}) == len(QUERIES) == 100


def test_managers_have_the_tokens_of_the_index(indexed: gristmill.Corpus, loaded: tuple[Counting, Counting]) -> None:
    for name, attribute in indexed.index.attributes.items():
        if name in {"feats", "deprel"}:  # which the columns of managers don't have
            continue
        values = attribute.lexicon.strings(attribute.ids)
        for manager in loaded:
            assert [token[name] for token in manager.loaded.tokens] == values, name
    for name in ("doc", "p", "s"):
        structure = indexed.index.structures[name]
        places = list(zip(structure.bounds[:-1].tolist(), structure.bounds[1:].tolist(), strict=True))
        for manager in loaded:
            regions = manager.loaded.structures[name]
            assert [(region.start, region.end) for region in regions] == places
            for own in regions[0].attributes.keys() & structure.attributes.keys():  # not all are in the index
                expected = structure.attributes[own].values(range(len(places)))
                if not any(value != value.strip(" ") or "\n" in value for value in expected):
                    assert [region.attributes[own] for region in regions] == expected, own


def test_counts_are_the_same(indexed: gristmill.Corpus, loaded: tuple[Counting, Counting]) -> None:
    """Sketch Engine finds all spans; CQP, as these are all of one length, one for each start."""
    sketch_engine, cwb = loaded
    counts = {
        one.query: (
            len(find(indexed.index, one.query)),
            len(sketch_engine.spans(one.pattern)),
            len({start for start, _ in cwb.spans(one.pattern)}),
        )
        for one in QUERIES
    }
    assert {query: found for query, found in counts.items() if len(set(found)) > 1 or not found[0]} == {}


def test_the_page_lists_them() -> None:
    text = PAGE.read_text("utf-8").partition(
        "## Queries that give the same counts in Sketch Engine, CQP and Gristmill"
    )[2]
    lines = {line.strip() for line in text.splitlines()}
    for one in QUERIES:
        assert one.query in lines or any(
            line.startswith(f"{one.query}  ") and line.endswith(f" {one.cqp}") for line in lines
        )
