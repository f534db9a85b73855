"""The kinds of near-duplicates that are hard to get right: what is said of them is so."""

from __future__ import annotations

import itertools
import unicodedata
from collections import Counter, defaultdict

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gristmill.evaluation.near_duplicates import (
    EVERY_KIND,
    KINDS,
    WAYS,
    Made,
    MadeBlock,
    Settings,
    make,
    make_by_language,
    sample_texts,
    to_document,
)
from gristmill.text.words import count_words, pieces


def texts(count: int, blocks: int = 4, words: int = 60) -> list[list[str]]:
    """Texts of which no two have a word in common."""
    return [
        [" ".join(f"w{text}x{block}y{word}" for word in range(words)) for block in range(blocks)]
        for text in range(count)
    ]


def made(kind: str, count: int = 18, blocks: int = 4, words: int = 60) -> list[Made]:
    return list(make(texts(count, blocks, words), 0, Settings(weights={kind: 1.0})))


def occurrences(documents: list[Made]) -> Counter[int]:
    return Counter(block.origin for document in documents for block in document.blocks)


def pages_of_hosts(documents: list[Made]) -> list[list[Made]]:
    hosts: defaultdict[str, list[Made]] = defaultdict(list)
    for document in documents:
        hosts[document.url.split("/")[2]].append(document)
    return list(hosts.values())


def folded(text: str) -> str:
    text = unicodedata.normalize("NFKC", text).casefold()
    return unicodedata.normalize("NFC", "".join(letter for letter in text if unicodedata.category(letter) != "Cf"))


def test_all_kinds_are_made() -> None:
    documents = list(make(sample_texts(), 1, EVERY_KIND))
    assert set(EVERY_KIND.weights) == set(KINDS) == {document.kind for document in documents}
    assert documents == list(make(sample_texts(), 1, EVERY_KIND))
    assert len({document.url for document in documents}) == len(documents)


@settings(max_examples=50)
@given(st.lists(st.lists(st.text(max_size=60), max_size=4), max_size=30), st.integers(0, 5))
def test_any_texts_will_do_for_all_kinds(sources: list[list[str]], seed: int) -> None:
    for document in make(sources, seed, EVERY_KIND):
        assert document.blocks
        assert all(block.text.strip() for block in document.blocks)


def test_pages_with_a_template_have_a_headline_of_their_own_and_a_notice() -> None:
    documents = made("template")
    often = occurrences(documents)
    clusters: defaultdict[int, list[Made]] = defaultdict(list)
    for document in documents:
        clusters[document.cluster].append(document)
        assert 3 <= len(document.blocks[0].text.split()) <= 7
    assert sorted(map(len, clusters.values())) == [1] * 9 + [2] * 6
    for copies in clusters.values():
        headlines = {document.blocks[0].origin for document in copies}
        assert len(headlines) == 1
        assert often[headlines.pop()] == len(copies)
        own = [[block for block in document.blocks if len(block.text.split()) == 60] for document in copies]
        assert all(blocks == own[0] for blocks in own)
    for pages in pages_of_hosts(documents):
        [notice] = set.intersection(
            *({block.text for block in page.blocks if len(block.text.split()) < 60} for page in pages)
        )
        assert 20 <= len(notice.split()) <= 40


def test_short_paragraphs_stand_between_copied_ones_everywhere() -> None:
    documents = made("short", 12)
    often = occurrences(documents)
    short = {block.origin for document in documents for block in document.blocks if len(block.text.split()) <= 30}
    assert len(short) == 20
    assert {often[origin] for origin in short} == {1, 2, 3}
    for document in documents:
        flags = [block.origin in short for block in document.blocks]
        if any(flags):
            assert flags == [at % 2 == 1 for at in range(len(flags))]
            assert all(often[block.origin] > 1 for block in document.blocks if block.origin not in short)
    assert all(count_words(block.text) >= 10 for document in documents for block in document.blocks)


def test_quotations_are_paragraphs_of_other_pages() -> None:
    documents = made("quotation", 9)
    often = occurrences(documents)
    quoting = [document for document in documents if len(document.blocks) > 4]
    assert len(quoting) == 3
    assert all(sum(often[block.origin] > 1 for block in document.blocks) in (1, 2) for document in quoting)
    assert all(often[document.blocks[0].origin] == 1 for document in quoting)
    assert set(often.values()) == {1, 2}


def test_chained_pages_begin_with_half_of_the_page_before() -> None:
    pages = sorted(made("chain", 6), key=lambda document: document.cluster)
    assert [len(page.blocks) for page in pages] == [4, 6, 7, 8, 8, 8]
    for before, page in itertools.pairwise(pages):
        half = before.blocks[len(before.blocks) // 2 :]
        assert page.blocks[: len(half)] == half


def test_growing_threads_have_all_posts_so_far() -> None:
    pages = sorted(made("growing", 3), key=lambda document: len(document.blocks))
    assert [len(page.blocks) for page in pages] == list(range(2, 26, 2))
    assert all(longer.blocks[: len(page.blocks)] == page.blocks for page, longer in itertools.pairwise(pages))


def test_tables_repeat_cells_that_are_texts_of_their_own() -> None:
    documents = made("table", 12)
    copied = {
        document.cluster for document in documents if [other.cluster for other in documents].count(document.cluster) > 1
    }
    assert 0 < len(copied) < 12
    often = occurrences(documents)
    for document in documents:
        cells = [block for block in document.blocks if block.row]
        assert {cell.path for cell in cells} == {"html/body/table/tr/td"}
        assert Counter(cell.row for cell in cells) == dict.fromkeys(range(1, max(cell.row for cell in cells) + 1), 4)
        assert max(Counter(cell.text for cell in cells if len(cell.text.split()) >= 10).values()) > 1
        assert {often[block.origin] for block in document.blocks} == {2 if document.cluster in copied else 1}
        stored = to_document(document, "00000-000000").blocks
        assert [(block.path, block.row) for block in stored if block.row] == [(cell.path, cell.row) for cell in cells]


def test_listings_are_lists_ratings_and_code() -> None:
    documents = made("listing", 30)
    lines = [block for document in documents for block in document.blocks if block.path]
    assert {line.path for line in lines} == {"html/body/ul/li", "html/body/div", "html/body/pre", "html/body/pre/code"}
    assert {line.kind for line in lines if line.path.endswith("li")} == {"l"}
    assert any(line.text.startswith("★★★★★(") for line in lines)
    words = {document.cluster: set(document.text.replace("★", "").split()) for document in documents}
    clusters = sorted(words)
    shared = [
        one & other
        for at, one in enumerate(map(words.get, clusters))
        for other in map(words.get, clusters[at + 1 :])
        if one and other
    ]
    assert max(len([word for word in both if len(word) > 5]) for both in shared) < 10  # no two pages share a line


def test_variants_are_the_same_but_for_the_way_of_writing() -> None:
    sources = [
        [f"Über Ångström {at} schrieb man im Café von Ōsaka viel, noch mehr aber in Zürich am Zeughaus ça et là"]
        for at in range(8)
    ]
    clusters: defaultdict[int, list[MadeBlock]] = defaultdict(list)
    for document in make(sources, 0, Settings(weights={"variant": 1.0})):
        clusters[document.cluster] += document.blocks
    ways = Counter()  # type: Counter[str]
    for blocks in clusters.values():
        one, other = sorted(blocks, key=lambda block: block.written)
        assert one.origin == other.origin
        assert one.written == ""
        assert one.text != other.text
        assert folded(one.text) == folded(other.text)
        ways[other.written] += 1
    assert ways == dict.fromkeys(WAYS, 2)


def test_turkish_has_its_own_capitals() -> None:
    upper = {
        block.text
        for document in make_by_language(
            {"tr": [["ışık ile su iki ayrı şey değil midir diye sordu bir gün"]]}, 0, Settings({"variant": 1})
        )
        for block in document.blocks
        if block.written == "upper case"
    }
    assert upper == {"IŞIK İLE SU İKİ AYRI ŞEY DEĞİL MİDİR DİYE SORDU BİR GÜN"}


def test_languages_are_not_mixed_within_a_document() -> None:
    by_language = {"aa": texts(200)[:100], "bb": texts(200)[100:]}
    documents = list(make_by_language(by_language, 0, EVERY_KIND))
    of_language = {
        lang: {word for text in found for block in text for word in block.split()}
        for lang, found in by_language.items()
    }
    for document in documents:
        other = of_language["bb" if document.lang == "aa" else "aa"]
        assert not other & set(document.text.split())
    assert {lang: {document.kind for document in documents if document.lang == lang} for lang in by_language} == {
        "aa": set(KINDS),
        "bb": set(KINDS),
    }


@given(st.text(st.characters(categories=["L", "M", "P", "Z", "N"]) | st.sampled_from("กะ้าមុខ်မြန好好の "), max_size=60))
def test_pieces_are_all_of_the_text(text: str) -> None:
    assert "".join(pieces(text)) == text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("好好学习，天天向上。", ["好好", "学习，", "天天", "向上。"]),
        ("ทั้งหมดนี้", ["ทั้งห", "มดนี้"]),
        ("Python で書く", ["Python", " で書", "く"]),
        ("one, two", ["one,", " two"]),
    ],
)
def test_pieces_are_as_long_as_words(text: str, expected: list[str]) -> None:
    assert pieces(text) == expected
