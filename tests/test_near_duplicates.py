"""Near-duplicates with known truth: what is said of them is so."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gristmill.dedup.tokens import shingle, tokenise
from gristmill.document import document_id
from gristmill.evaluation.near_duplicates import (
    RESEMBLANCES,
    Made,
    Settings,
    change_rate,
    make,
    repeat,
    sample_texts,
    write_shards,
)


def texts(count: int, blocks: int = 4, words: int = 60) -> list[list[str]]:
    """Texts of which no two have a word in common."""
    return [
        [" ".join(f"w{text}x{block}y{word}" for word in range(words)) for block in range(blocks)]
        for text in range(count)
    ]


def only(kind: str, **more: int | tuple[float, ...]) -> Settings:
    return Settings(weights={kind: 1.0}, **more)  # type: ignore[arg-type]


def by_cluster(documents: list[Made]) -> list[list[Made]]:
    clusters: defaultdict[int, list[Made]] = defaultdict(list)
    for document in documents:
        clusters[document.cluster].append(document)
    return list(clusters.values())


def resemblance(one: Made, other: Made) -> float:
    texts = [document.text.replace("\n", " ") for document in (one, other)]
    grams = [set(shingle(tokenise([text], punctuation=False), 10).hashes.tolist()) for text in texts]
    return len(grams[0] & grams[1]) / len(grams[0] | grams[1])


@pytest.fixture(scope="module")
def sample_made() -> list[Made]:
    return list(make(sample_texts(), 1))


def test_the_same_seed_makes_the_same_documents(sample_made: list[Made]) -> None:
    assert list(make(sample_texts(), 1)) == sample_made
    assert list(make(sample_texts(), 2)) != sample_made
    assert len({document.url for document in sample_made}) == len(sample_made)
    assert {document.kind for document in sample_made} == set(Settings().weights)
    assert {"en", "zh", "ru"} <= {document.lang for document in sample_made}


def test_blocks_of_one_origin_are_copies_of_one_text(sample_made: list[Made]) -> None:
    whole: dict[int, str] = {}
    for document in sample_made:
        for block in document.blocks:
            if not block.changed and block.part == 1:
                assert whole.setdefault(block.origin, block.text) == block.text
    assert len(set(whole.values())) == len(whole)
    for document in sample_made:
        for block in document.blocks:
            if not block.changed and block.part < 1:
                assert whole[block.origin].startswith(block.text)


def test_every_text_goes_into_documents_of_one_kind() -> None:
    kinds: defaultdict[int, set[str]] = defaultdict(set)
    for document in make(texts(60), 3):
        for block in document.blocks:
            if block.kind != "h":
                kinds[block.origin].add(document.kind)
    assert all(len(found) == 1 for found in kinds.values())


def test_unique_documents_are_as_they_were() -> None:
    made = list(make(texts(5), 0, only("unique")))
    assert sorted([block.text for block in document.blocks] for document in made) == sorted(texts(5))
    assert len(by_cluster(made)) == 5


def test_mirrors_are_the_same_on_other_hosts() -> None:
    for cluster in by_cluster(list(make(texts(5), 0, only("mirror")))):
        assert 2 <= len(cluster) <= 4
        assert len({document.blocks for document in cluster}) == 1
        assert len({document.url.split("/")[2] for document in cluster}) == len(cluster)


def test_print_versions_have_the_same_long_blocks_and_other_lines() -> None:
    sources = [["A heading of this text", *text] for text in texts(5)]
    for one, other in by_cluster(list(make(sources, 0, only("print")))):
        lines = [[block.text for block in document.blocks if block.kind == "h"] for document in (one, other)]
        long = [[block.text for block in document.blocks if block.kind != "h"] for document in (one, other)]
        assert long[0] == long[1]
        assert not set(lines[0]) & set(lines[1])
        assert min(one.resemblance, other.resemblance) == pytest.approx(resemblance(one, other), abs=0.1)


def test_revisions_have_the_resemblance_that_was_aimed_at() -> None:
    made = list(make(texts(20, 5, 300), 0, only("revision", revisions=2)))
    levels = Counter()  # type: Counter[float]
    for cluster in by_cluster(made):
        [first] = [
            document
            for document in cluster
            if not any(block.changed for block in document.blocks) and "page" in document.url
        ]
        for document in cluster:
            if document is not first:
                levels[document.resemblance] += 1
                assert resemblance(first, document) == pytest.approx(document.resemblance, abs=0.08)
    assert levels == dict.fromkeys(RESEMBLANCES, 4)


def test_more_changes_less_resemblance() -> None:
    rates = [change_rate(resemblance) for resemblance in RESEMBLANCES]
    assert rates == sorted(rates, reverse=True)
    assert rates[-1] == 0
    with pytest.raises(ValueError, match="more than 0"):
        change_rate(0)


def test_threads_quote_earlier_posts() -> None:
    made = list(make(texts(9, 6), 0, only("forum")))
    within = across = 0
    for document in made:
        counts = Counter(block.origin for block in document.blocks if block.kind != "h")
        within += sum(count > 1 for count in counts.values())
    pages = Counter(
        origin for document in made for origin in {block.origin for block in document.blocks if block.kind != "h"}
    )
    across = sum(count > 1 for count in pages.values())
    assert within > 5
    assert across > 5
    assert len(pages) == 9 * 6  # every post is there
    assert len(by_cluster(made)) == len(made)


def test_index_pages_have_the_first_words_of_their_articles() -> None:
    made = list(make(texts(16, 2, 100), 0, only("index")))
    indexes = [document for document in made if "index" in document.url]
    assert len(indexes) == 2
    assert len(made) == 18
    teasers = [block for document in indexes for block in document.blocks if block.kind == "l"]
    assert len(teasers) == 16
    assert all(20 <= len(block.text.split()) <= 50 and block.part == len(block.text.split()) / 100 for block in teasers)
    assert any(made.index(index) < len(made) - 1 for index in indexes)


def test_legal_text_is_on_all_pages_of_its_host() -> None:
    made = list(make(texts(16), 0, only("legal")))
    hosts: defaultdict[str, list[Made]] = defaultdict(list)
    for document in made:
        hosts[document.url.split("/")[2]].append(document)
    assert sorted(map(len, hosts.values())) == [7, 7]
    for pages in hosts.values():
        common = set.intersection(*({block.text for block in page.blocks} for page in pages))
        assert len(common) == 1
        assert len(common.pop().split()) == 240


def test_copies_are_not_side_by_side() -> None:
    made = list(make(texts(300, 1, 12), 0, only("mirror", mirrors=1)))
    distances = [abs(made.index(one) - made.index(other)) for one, other in by_cluster(made)]
    assert sum(distance > 20 for distance in distances) > 150


@settings(max_examples=50)
@given(st.lists(st.lists(st.text(max_size=60), max_size=4), max_size=12), st.integers(0, 5))
def test_any_texts_will_do(sources: list[list[str]], seed: int) -> None:
    for document in make(sources, seed):
        assert all(block.text.strip() for block in document.blocks)


@pytest.mark.parametrize(("first", "width"), [(0x4E00, 2), (0x1000, 5)])
def test_scripts_without_spaces_are_revised_by_pieces_as_long_as_words(first: int, width: int) -> None:
    """Ten words are twenty characters of Han, and fifty of Burmese."""
    rng = random.Random(0)
    text = "".join(chr(first + rng.randrange(32)) for _ in range(6000))
    versions = [document.text for document in make([[text]], 0, only("revision", resemblances=(0.5,)))]
    grams = [{version[at : at + 10 * width] for at in range(len(version) - 10 * width + 1)} for version in versions]
    assert len(grams[0] & grams[1]) / len(grams[0] | grams[1]) == pytest.approx(0.5, abs=0.08)


def test_repeated_texts_are_new_but_for_the_duplicates() -> None:
    sources = texts(20, 3, 50)
    made = list(repeat(sources, 60_000, 0, 0.0))
    assert 60_000 <= sum(len(document.text.split()) for document in made) < 60_000 + 300
    grams = shingle(tokenise([document.text for document in made]), 10).hashes
    assert len(set(grams.tolist())) > 0.999 * len(grams)
    assert [block.text for block in made[3].blocks] == sources[3]


def test_repeated_texts_have_the_stated_share_of_duplicates() -> None:
    made = list(repeat(texts(20, 3, 50), 300_000, 1, 0.3))
    assert made == list(repeat(texts(20, 3, 50), 300_000, 1, 0.3))
    seen: set[int] = set()
    duplicates = 0
    for document in made:
        origins = {block.origin for block in document.blocks}
        duplicates += bool(origins & seen)
        seen |= origins
    assert duplicates / len(made) == pytest.approx(0.3, abs=0.03)
    with pytest.raises(ValueError, match="no text"):
        next(repeat([[" "]], 10))


def test_shards_hold_the_documents(tmp_path: Path, sample_made: list[Made]) -> None:
    shards = write_shards(iter(sample_made), tmp_path, 60)
    assert [shard.name for shard in shards] == [f"{number:05d}" for number in range(-(-len(sample_made) // 60))]
    read = [document for shard in shards for document in shard.read_documents()]
    assert [document.text for document in read] == [document.text for document in sample_made]
    assert [document.id for document in read] == [document_id(f"{at // 60:05d}", at % 60) for at in range(len(read))]
    assert all(document.words == sum(block.words for block in document.blocks) > 0 for document in read)
    assert len({document.digest for document in read}) == len({document.text for document in read})


def test_nothing_makes_one_empty_shard(tmp_path: Path) -> None:
    [shard] = write_shards([], tmp_path)
    assert list(shard.read_documents()) == []
