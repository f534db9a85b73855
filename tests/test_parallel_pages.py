"""Pairs of pages, on made-up sites of many shapes: what is paired, what is not, and that the work is linear."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable
from itertools import pairwise

import numpy as np
import pytest
from made_up_sites import SHAPES, WordByWord, made_up_site

from gristmill.document import Alternate
from gristmill.parallel.addresses import AddressPatterns, address_key, parts_of, plain_address, site_of
from gristmill.parallel.comparable import comparable
from gristmill.parallel.matching import match
from gristmill.parallel.outline import OUTLINE_SCHEMA, Outline, from_batch, outline_of, to_arrow
from gristmill.parallel.pages import MAX_DROPPED, PagePair, pair_pages

PAGES = 24


def pairs(found: Iterable[PagePair]) -> set[tuple[str, str]]:
    return {(pair.source, pair.target) for pair in found if not pair.dropped}


def f1(found: set[tuple[str, str]], truth: set[tuple[str, str]]) -> float:
    return 2 * len(found & truth) / max(len(found) + len(truth), 1)


@pytest.mark.parametrize("shape", SHAPES)
def test_sites_of_many_shapes(shape: str) -> None:
    site = made_up_site(shape, PAGES, random.Random(1))
    dictionary = WordByWord() if shape == "none" else None
    assert f1(pairs(pair_pages(site.source, site.target, dictionary)), site.truth) >= 0.95


@pytest.mark.parametrize("shape", SHAPES)
def test_the_order_of_pages_does_not_matter(shape: str) -> None:
    site = made_up_site(shape, PAGES, random.Random(2))
    expected = pair_pages(site.source, site.target, WordByWord())
    for seed in range(3):
        chance = random.Random(seed)
        source, target = (chance.sample(side, len(side)) for side in (site.source, site.target))
        assert pair_pages(source, target, WordByWord()) == expected


def test_a_page_is_in_one_pair_and_others_say_why_not() -> None:
    site = made_up_site("declared", PAGES, random.Random(3))
    found = pair_pages(site.source, site.target)
    for side in ("source", "target"):
        counts = Counter(getattr(pair, side) for pair in found if not pair.dropped)
        assert set(counts.values()) == {1}
    dropped = Counter(pair.source for pair in found if pair.dropped)
    assert all(count <= MAX_DROPPED for count in dropped.values())
    assert all(0 <= pair.score <= 1 and pair.reasons for pair in found)
    best = next(pair for pair in found if not pair.dropped)
    assert "declared by hreflang or a language switcher, both ways" in best.reasons
    assert best.features["declared"] == 1


def test_the_same_template_is_no_translation() -> None:
    """Pages of one template, with other texts and without declarations, are not paired by their structure."""
    site = made_up_site("none", PAGES, random.Random(4))
    half = PAGES // 2
    kept = {source for source, _ in sorted(site.truth)[:half]}, {target for _, target in sorted(site.truth)[half:]}
    source = [page for page in site.source if page.id in kept[0]]
    target = [page for page in site.target if page.id in kept[1]]
    assert len(pairs(pair_pages(source, target, WordByWord()))) <= 1
    assert len(pairs(pair_pages(source, target))) <= 1


def test_all_pages_declare_the_home_page() -> None:
    site = made_up_site("none", PAGES, random.Random(5))
    homes = site.source[0].url, site.target[0].url
    for page in site.source:
        page.alternates = [Alternate("de", homes[1])]
    for page in site.target:
        page.alternates = [Alternate("en", homes[0])]
    found = pairs(pair_pages(site.source, site.target, WordByWord()))
    assert f1(found, site.truth) >= 0.95
    assert len(pairs(pair_pages(site.source, site.target)) - site.truth) <= 1


def test_declarations_that_go_in_circles() -> None:
    """Each page declares the translation of the next one, or itself: texts and addresses decide."""
    site = made_up_site("folder", PAGES, random.Random(6))
    truth = dict(site.truth)
    by_id = {page.id: page for page in (*site.source, *site.target)}
    for page, following in zip(site.source, (*site.source[1:], site.source[0]), strict=True):
        page.alternates = [
            Alternate("de", by_id[truth.get(following.id, next(iter(truth.values())))].url),
            Alternate("de", page.url),
        ]
    assert f1(pairs(pair_pages(site.source, site.target)), site.truth) >= 0.9


def test_a_summary_is_no_translation() -> None:
    site = made_up_site("declared", PAGES, random.Random(7))
    short = dict(site.truth)[site.source[3].id]
    page = next(page for page in site.target if page.id == short)
    page.lengths, page.kinds = [60], "p"
    page.length, page.words, page.counts = 60, page.words[:6], page.counts[:6]
    page.numbers, page.names = page.numbers[:0], page.names[:0]
    assert (site.source[3].id, short) not in pairs(pair_pages(site.source, site.target))


def test_a_copy_is_no_translation() -> None:
    """A German address that has the English text would be English; if it is taken for German, it is a copy."""
    site = made_up_site("folder", PAGES, random.Random(8))
    page = site.source[0]
    other = next(other for other in site.target if (page.id, other.id) in site.truth)
    other.words, other.counts = list(page.words), list(page.counts)
    found = [pair for pair in pair_pages(site.source, site.target) if pair.source == page.id]
    assert found[0].dropped == "both pages have the same text"


def test_hostile_sites_stay_linear() -> None:
    """Everything links to everything and declares everything: what is looked at grows with the pages."""
    looked_at = []
    for size in (100, 200, 400):
        site = made_up_site("none", size, random.Random(9))
        everything = np.unique(np.array([address_key(page.url) for page in (*site.source, *site.target)], np.uint64))
        for side, other, lang in ((site.source, site.target, "de"), (site.target, site.source, "en")):
            for page in side:
                page.alternates = [Alternate(lang, one.url) for one in other[:40]]
                page.links = everything
        counts: Counter[str] = Counter()
        pair_pages(site.source, site.target, counts=counts)
        looked_at.append(counts["comparisons"] + counts["candidates"])
        assert counts["declarations left out"] > 0
    assert looked_at[2] < 2.6 * looked_at[1] < 2.6 * 2.6 * looked_at[0]


def test_nothing_to_pair() -> None:
    site = made_up_site("folder", 3, random.Random(10))
    assert pair_pages([], site.target) == []
    assert pair_pages(site.source, []) == []
    empty = [Outline("a", "", "en")], [Outline("b", "", "de")]
    assert not pairs(pair_pages(*empty))


def test_one_page_that_declares_its_translation() -> None:
    site = made_up_site("declared", 1, random.Random(11))
    assert pairs(pair_pages(site.source, site.target)) == site.truth


def test_outlines_are_stored_and_read_again() -> None:
    site = made_up_site("declared", 5, random.Random(12))
    batch = to_arrow(site.source)
    assert batch.schema.equals(OUTLINE_SCHEMA)
    assert to_arrow(from_batch(batch)).equals(batch)
    assert pair_pages(from_batch(batch), site.target) == pair_pages(site.source, site.target)
    assert batch.nbytes / len(site.source) < 8_000


def test_an_outline_of_a_document() -> None:
    import gristmill  # noqa: PLC0415 (the other tests need none of it)

    html = (
        "<title>T</title><h1>The mill of Ann Miller</h1><p>In 1,234 years the mill of Ann Miller has ground corn "
        "for the administration of the town, and for many others who came by the river.</p><a href=/de/>Deutsch</a>"
    )
    document = gristmill.clean(html, "https://example.org/en/", lang="en")
    outline = outline_of(document, languages=("de",))
    assert outline.alternates == [Alternate("de", "https://example.org/de/")]
    assert outline.kinds == "hp"
    assert len(outline.numbers) == 1
    assert "mill" in outline.words
    assert outline.site == "example.org"


@pytest.mark.parametrize(
    ("url", "site"),
    [
        ("https://de.example.org/x", "example.org"),
        ("https://www.example.co.uk/", "example.co.uk"),
        ("http://192.168.0.1:80/", "192.168.0.1"),
        ("http://localhost/", "localhost"),
        ("file:///a/b.html", ""),
        ("http://[", ""),
    ],
)
def test_sites(url: str, site: str) -> None:
    assert site_of(url) == site


def test_spellings_of_an_address() -> None:
    spellings = ["http://www.example.org/a/index.html", "https://Example.org/a/#top", "https://example.org/a"]
    assert len(set(map(plain_address, spellings))) == 1
    assert plain_address("https://example.org/m%C3%BChle") == plain_address("https://example.org/mühle")


def test_patterns_are_learned_from_the_site() -> None:
    words = "mill river stone bread".split()
    source = [parts_of(f"https://example.org/shop/{word}?L=0") for word in words]
    target = [parts_of(f"https://example.org/laden/{word}?L=1") for word in words]
    patterns = AddressPatterns.learned(source, target, ("en", "de"))
    assert patterns.trust == {("l=0", "l=1"): 2 / 3, ("shop", "laden"): 2 / 3}
    source = [parts_of(f"https://example.org/{word}?L=0") for word in words]
    target = [parts_of(f"https://example.org/{word}?L=1") for word in words]
    patterns = AddressPatterns.learned(source, target, ("en", "de"))
    assert patterns.trust == {("l=0", "l=1"): 2 / 3}
    assert patterns.common(source[0], is_source=True) == patterns.common(target[0], is_source=False)


def test_greedy_matching_is_deterministic_and_near_the_best() -> None:
    chance = random.Random(13)
    for _ in range(50):
        size = chance.randrange(2, 6)
        matrix = np.array([[chance.random() for _ in range(size)] for _ in range(size)])
        source, target = (places.ravel() for places in np.indices((size, size)))
        chosen = match(source, target, matrix.ravel(), 0.0)
        assert len(chosen) == size
        assert matrix.ravel()[chosen].sum() >= best_sum(matrix) / 2


def best_sum(matrix: np.ndarray[tuple[int, int], np.dtype[np.float64]]) -> float:
    if not len(matrix):
        return 0.0
    return max(
        float(matrix[0, column]) + best_sum(np.delete(matrix[1:], column, axis=1)) for column in range(len(matrix))
    )


def test_comparable_documents_are_ranked() -> None:
    site = made_up_site("none", 60, random.Random(14))
    truth = dict(site.truth)
    counts: Counter[str] = Counter()
    ranked = comparable(site.source, site.target, WordByWord(), 5, counts=counts)
    first = [
        found[0].target == truth[page.id] for page, found in zip(site.source, ranked, strict=True) if page.id in truth
    ]
    assert sum(first) / len(first) > 0.9
    assert all(len(found) <= 5 for found in ranked)
    assert all(one.similarity >= other.similarity for found in ranked for one, other in pairwise(found))
    assert counts["comparisons"] > 0
    backwards = comparable(site.source, site.target[::-1], WordByWord(), 5)
    assert backwards == ranked
    assert comparable([], site.target) == []
    assert comparable(site.source[:1], []) == [[]]
