"""Search for documents: ranked as a plain computation of BM25 ranks them; queries are parsed whatever is typed."""

from __future__ import annotations

import math
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from segmented import open_segments, split, write_segments

import gristmill
from gristmill.errors import UsageError
from gristmill.search.documents import DocumentSearch
from gristmill.search.index.plain import PlainDocument, PlainParagraph, make_index
from gristmill.search.terms import Terms, parse_terms

WORDS = ["a", "A", "b", "ß", "É", "é", "Σ", "σ", "的", "x1", "."]
TEXTS = st.lists(st.lists(st.sampled_from(WORDS), min_size=1, max_size=9), min_size=1, max_size=8)
FORMS = st.lists(st.sampled_from([*WORDS[:-1], "zz", "a b", "b a a", "é ß"]), min_size=1, max_size=3, unique=True)
QUERIES = st.lists(FORMS.map(tuple), min_size=1, max_size=3).map(tuple)


def plain(number: int, words: list[str], lang: str = "und") -> PlainDocument:
    tokens = [(word, "", word, "", False) for word in words]
    attributes = {"url": f"http://{number}.example/", "id": str(number), "title": f"Title {number}", "lang": lang}
    return PlainDocument([PlainParagraph([tokens])], attributes)


def searching(folder: str | Path, *texts: str, lang: str = "und") -> DocumentSearch:
    return DocumentSearch(make_index(folder, [plain(number, text.split(), lang) for number, text in enumerate(texts)]))


def count(words: list[str], forms: tuple[str, ...]) -> int:
    """Count where one of the forms begins; two that are the same but for case are one, and so are spans."""
    lower = [word.lower() for word in words]
    wanted = {tuple(form.lower().split()) for form in forms}
    return sum(tuple(lower[at : at + len(form)]) == form for form in wanted for at in range(len(lower)))


def ranked(texts: list[list[str]], query: Terms) -> list[tuple[int, float]]:
    """Rank documents, one by one, word by word."""
    mean = sum(map(len, texts)) / len(texts)
    scores: dict[int, float] = {}
    for number, words in enumerate(texts):
        if not all(count(words, forms) for forms in query):
            continue
        scores[number] = 0.0
        for forms in query:
            having = sum(count(other, forms) > 0 for other in texts)
            often = count(words, forms)
            rarity = math.log(1 + (len(texts) - having + 0.5) / (having + 0.5))
            scores[number] += rarity * often * 2.2 / (often + 1.2 * (0.25 + 0.75 * len(words) / mean))
    return sorted(scores.items(), key=lambda item: (-round(item[1], 9), item[0]))


@settings(max_examples=60)
@given(texts=TEXTS, query=QUERIES, cuts=st.lists(st.integers(0, 8), max_size=2))
def test_documents_are_ranked_as_by_hand(texts: list[list[str]], query: Terms, cuts: list[int]) -> None:
    documents = [plain(number, words) for number, words in enumerate(texts)]
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        index = open_segments(place, write_segments(place, split(documents, cuts))) if cuts else None
        found = DocumentSearch(index or make_index(place, documents)).search(query)
    expected = ranked(texts, query)
    assert found.total == len(expected)
    assert [item.number for item in found.rows] == [number for number, _ in expected]
    assert [item.score for item in found.rows] == pytest.approx([score for _, score in expected])
    assert all(item.url == f"http://{item.number}.example/" for item in found.rows)


def test_pages_of_documents_are_those_of_the_whole_list(tmp_path: Path) -> None:
    search = searching(tmp_path, *("corn mill " + "x " * number for number in range(25)))
    whole = search.search("mill", limit=100).rows
    pages = [search.search("mill", limit=10, offset=start).rows for start in (0, 10, 20, 30)]
    assert [item for page in pages for item in page] == whole
    assert [item.number for item in whole] == list(range(25))  # the shorter, the better
    assert search.search("mill", limit=0).total == 25
    with pytest.raises(UsageError, match="negative"):
        search.search("mill", offset=-1)


def test_an_extract_shows_the_rarest_word(tmp_path: Path) -> None:
    search = searching(tmp_path, "the " * 100 + "miller sang of the Sluice gate by night", "the brook", "the mill")
    (found,) = search.search("the sluice").rows
    assert "sang of the Sluice gate by night" in found.extract
    assert len(found.extract) < 250
    assert (found.id, found.title) == ("0", "Title 0")


def test_only_documents_of_a_language(tmp_path: Path) -> None:
    documents = [plain(0, ["war"], "de"), plain(1, ["war"], "en")]
    search = DocumentSearch(make_index(tmp_path, documents))
    assert [item.number for item in search.search("war", lang="en").rows] == [1]
    assert search.search("war").total == 2
    assert search.search("war", lang="fr").total == 0
    assert search.search("war", lang="no such \x00 language" * 1000).total == 0


def test_words_are_divided_as_in_the_texts(indexed: gristmill.Corpus) -> None:
    """A word that is several tokens is found as these; capitals don't count."""
    search = DocumentSearch(indexed.index)
    for text in ("don't", "DON'T", '"the mill"', "miller's"):
        expected = {line.doc for line in indexed.search(text.strip('"')).lines()}
        found = {item.id for item in search.search(text, limit=1000).rows}
        assert found <= expected  # simple queries find lemmas, too
        assert bool(found) == bool(expected)


def test_an_index_without_documents_has_none(tmp_path: Path) -> None:
    assert DocumentSearch(make_index(tmp_path, [])).search("mill").total == 0


def test_many_threads_search_at_a_time(indexed: gristmill.Corpus) -> None:
    search = DocumentSearch(gristmill.Corpus(indexed.folder).index)
    queries = ["the", "mill", '"of the"', "(bread OR flour) the"] * 10
    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(search.search, queries))
    assert together == list(map(DocumentSearch(indexed.index).search, queries))


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("guitar fret", (("guitar",), ("fret",))),
        (
            '(guitar OR guitars) fret "slide guitar" and',
            (("guitar", "guitars"), ("fret",), ("slide guitar",), ("and",)),
        ),
        ("a OR b c", (("a", "b"), ("c",))),
        ("a AND b or", (("a",), ("b",), ("or",))),
        ('("bass drum" OR drum)', (("bass drum", "drum"),)),
        ("OR a OR", (("a",),)),
        ("((a OR (b)) ) (", (("a", "b"),)),
        ('a "not closed  here', (("a",), ("not closed here",))),
        ('"OR" a', (("OR",), ("a",))),
        ("a a !!! - b", (("a",), ("b",))),
        ("a OR a", (("a",),)),
        ("rock'n'roll\tcafé\u3000的", (("rock'n'roll",), ("café",), ("的",))),
    ],
)
def test_queries_are_parsed(text: str, terms: Terms) -> None:
    assert parse_terms(text) == terms


@pytest.mark.parametrize(
    "text", ["", '""', "OR", "()", "!!!", "a" * 5_000, "a1 " * 300 + " ".join(map(str, range(300)))]
)
def test_what_is_no_query_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="query"):
        parse_terms(text)


@given(st.text(max_size=60))
def test_any_text_is_a_query_or_has_no_word(text: str) -> None:
    try:
        terms = parse_terms(text)
    except UsageError as error:
        assert "no word" in str(error)  # noqa: PT017
    else:
        assert all(forms and all(form.strip() for form in forms) for forms in terms)


def test_wildcard_in_a_phrase(tmp_path: Path) -> None:
    search = searching(
        tmp_path, "a golfer that drives a ball", "a golfer that drives that golf ball", "a that drives ball"
    )
    assert [item.number for item in search.search('"a * that drives * ball"').rows] == [0]
    assert [item.number for item in search.search('"that drives * * ball"').rows] == [1]
    assert search.search('"a * that" ball').total == 2
    assert search.search('"* ball"').total == 3
    assert search.search('"ball *"').total == 0  # no token follows in any document
    assert search.search("ball *").total == 3
