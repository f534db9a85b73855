"""Reading of parallel corpora, in both directions, and samples of their sentence pairs."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from parallel_corpora import EN_DE, PagePair, make_pairs, many_pairs

import gristmill
from gristmill.errors import GristmillError, UsageError
from gristmill.parallel.reader import FOUND_SCHEMA, ParallelCorpus, is_parallel
from gristmill.parallel.records import DESCRIPTION, PAIRS_SCHEMA
from gristmill.parallel.sampling import for_balance, sample_beads
from gristmill.parallel.selection import PairSelection

ALL = PairSelection(None, None, None, False, None, None, None, None, ("1-1", "2-1", "1-2", "1-0", "0-1", "2-2", "3-1"))


@pytest.fixture(scope="module")
def pairs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_pairs(tmp_path_factory.mktemp("parallel") / "pairs", (EN_DE[:2], EN_DE[2:]))


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three sites, of which one has most of the pages."""
    folder = tmp_path_factory.mktemp("parallel") / "many"
    return make_pairs(
        folder, (many_pairs(12, 1, "a.example"), many_pairs(2, 2, "b.example"), many_pairs(2, 3, "c.example"))
    )


def test_all_beads_come_in_order_with_where_they_are_from(pairs: Path) -> None:
    corpus = ParallelCorpus(pairs)
    assert corpus.languages == ("en", "de")
    assert [shard.name for shard in corpus.shards] == ["00000", "00001"]
    rows = [row for batch in corpus.beads(ALL) for row in batch.to_pylist()]
    wanted = [bead for pair in EN_DE for paragraph in pair.paragraphs for bead in paragraph]
    assert [(row["source_text"], row["target_text"]) for row in rows] == [
        (" ".join(one), " ".join(two)) for one, two in wanted
    ]
    assert rows[0]["id"] == "00000-000000"
    assert rows[-1]["source_url"] == EN_DE[-1].url("en")
    assert rows[-1]["target_document"] == "00001-000001"
    assert rows[-1]["target_id"] == "of-1"
    assert all(batch.schema == FOUND_SCHEMA for batch in corpus.beads())
    assert "ParallelCorpus" in repr(corpus)


def test_what_is_left_out_is_counted(pairs: Path) -> None:
    why: Counter[str] = Counter()
    kept = sum(batch.num_rows for batch in ParallelCorpus(pairs).beads(why=why))
    assert why == {"one-sided": 2, "right_languages": 1, "min_numbers": 1, "max_repeats": 1}
    assert kept + why.total() == sum(len(paragraph) for pair in EN_DE for paragraph in pair.paragraphs)


def test_the_other_direction(pairs: Path) -> None:
    corpus = ParallelCorpus(pairs)
    there = [row for batch in corpus.beads(ALL) for row in batch.to_pylist()]
    back = [row for batch in corpus.directed("de", "en").beads(ALL) for row in batch.to_pylist()]
    for one, other in zip(there, back, strict=True):
        for name, value in one.items():
            swapped = name.replace("source", "?").replace("target", "source").replace("?", "target")
            if name == "length_ratio":
                assert other[name] == pytest.approx(1 / value if value else 0)
            else:
                assert other[swapped] == value
    assert [row["id"] for batch in corpus.beads() for row in batch.to_pylist()] == [
        row["id"] for batch in corpus.directed("de", "en").beads() for row in batch.to_pylist()
    ]
    assert corpus.directed("de", "en").usual_ratio == pytest.approx(1 / corpus.usual_ratio)
    (batch, *_) = corpus.directed("de", "en").pairs()
    assert batch.column("source_id").to_pylist() == ["of-1", "of-3"]


def test_pairs_of_pages(pairs: Path) -> None:
    corpus = ParallelCorpus(pairs)
    assert sum(batch.num_rows for batch in corpus.pairs()) == len(EN_DE)
    assert sum(batch.num_rows for batch in corpus.pairs(dropped=True)) == len(EN_DE) + 2
    assert all(batch.schema.names == PAIRS_SCHEMA.names for batch in corpus.pairs())


def test_a_corpus_without_pairs(corpus: gristmill.Corpus) -> None:
    assert not is_parallel(corpus.folder)
    with pytest.raises(UsageError, match=r"has no pairs of pages and sentences: make some with `gristmill parallel"):
        ParallelCorpus(corpus)


def test_languages_that_it_does_not_have(pairs: Path) -> None:
    assert is_parallel(pairs)
    with pytest.raises(UsageError, match="are of en and de, not of en and fr"):
        ParallelCorpus(pairs, ("en", "fr"))


def test_a_description_that_says_nothing(tmp_path: Path) -> None:
    folder = make_pairs(tmp_path / "pairs", [EN_DE[:1]])
    for wrong in ("3", '["en"]', '["en", 3]', '["en", "../de"]', '["en", "de/.."]'):
        (folder / DESCRIPTION).write_text(f"languages = {wrong}")
        with pytest.raises(GristmillError, match="does not say which two languages"):
            ParallelCorpus(folder)
    (folder / DESCRIPTION).write_text("languages = [")
    with pytest.raises(GristmillError, match="can't read"):
        ParallelCorpus(folder)


def test_the_usual_ratio_is_that_of_the_corpus(tmp_path: Path) -> None:
    beads = [(["The mill grinds the flour of the whole village every day."], ["磨坊每天磨面粉给全村的人吃。"])] * 3
    folder = make_pairs(tmp_path / "pairs", [[PagePair("a", [beads[:1], beads[1:]])]], ("en", "zh"))
    corpus = ParallelCorpus(folder)
    assert corpus.usual_ratio == pytest.approx(14 / 57, rel=0.02)
    why: Counter[str] = Counter()
    assert sum(batch.num_rows for batch in corpus.beads(PairSelection(max_repeats=None), why)) == 3, why


def chosen(folder: Path, count: int, *, balanced: bool = False, seed: int = 0) -> list[tuple[str, str, int]]:
    """The texts, hosts and lengths of a sample."""
    corpus = ParallelCorpus(folder)
    selection = for_balance(PairSelection(min_score=0.0)) if balanced else PairSelection(min_score=0.0)
    rows = sample_beads(corpus, selection, count, balanced=balanced, seed=seed)
    found = []
    for shard in corpus.shards:
        for beads in corpus.shard_beads(shard, selection):
            wanted = beads.take(np.flatnonzero(np.isin(beads.numbers, rows.get(shard.name, []))))
            rows_of = wanted.beads.to_pylist()
            found += [(row["source_text"], row["source_url"].split("/")[2], len(row["source_text"])) for row in rows_of]
    assert len(found) == sum(map(len, rows.values()))
    return found


def test_a_random_sample(many: Path) -> None:
    small, large = chosen(many, 10), chosen(many, 20)
    assert (len(small), len(large)) == (10, 20)
    assert set(small) <= set(large)
    assert small == chosen(many, 10)
    assert small != chosen(many, 10, seed=1)
    assert len(chosen(many, 100_000)) < 1_000


def test_a_sample_does_not_depend_on_the_division_into_shards(many: Path, tmp_path: Path) -> None:
    parts = (many_pairs(12, 1, "a.example"), many_pairs(2, 2, "b.example"), many_pairs(2, 3, "c.example"))
    folder = make_pairs(tmp_path / "one", [[pair for part in parts for pair in part]])
    for balanced in (False, True):
        assert sorted(chosen(folder, 25, balanced=balanced)) == sorted(chosen(many, 25, balanced=balanced))


def test_a_balanced_sample_has_varied_lengths_of_many_sites(many: Path) -> None:
    found = chosen(many, 30, balanced=True)
    assert len(found) == 30
    hosts = Counter(host for _, host, _ in found)
    assert set(hosts) == {"a.example", "b.example", "c.example"}
    assert max(hosts.values()) - min(hosts.values()) <= 4  # though three quarters of all are of one site
    lengths = sorted(length for *_, length in chosen(many, 100_000, balanced=True))
    bounds = [lengths[len(lengths) * tenth // 10] for tenth in range(1, 10)]
    classes = Counter(int(np.searchsorted(bounds, length)) for *_, length in found)
    assert len(classes) >= 9
    assert max(classes.values()) <= 5
    assert found == chosen(many, 30, balanced=True)
    assert found != chosen(many, 30, balanced=True, seed=3)


def test_a_sample_of_nothing(many: Path) -> None:
    with pytest.raises(UsageError, match="at least one"):
        sample_beads(ParallelCorpus(many), PairSelection(), 0)
    assert for_balance(PairSelection()).kinds == ("1-1",)
    assert for_balance(PairSelection(min_score=0.2, kinds=("1-2",))) == PairSelection(min_score=0.2, kinds=("1-2",))
