"""Ranked retrieval of units equals a look at every unit, on random corpora; and what users see of it."""

from __future__ import annotations

import math
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from ranked_by_hand import Asked, all_units, best_by_hand
from segmented import open_segments, split, write_segments

from gristmill.errors import GristmillError, UsageError
from gristmill.search.index.index import Index
from gristmill.search.index.plain import PlainDocument, PlainParagraph, Token, make_index
from gristmill.search.ranked import postings, searching
from gristmill.search.ranked.cells import codes_of, levels_of
from gristmill.search.ranked.dimensions import day_number, quantised
from gristmill.search.ranked.finding import find_units
from gristmill.search.ranked.found import FoundUnits
from gristmill.search.ranked.searching import UnitSearch
from gristmill.search.ranked.store import FOLDER

UNITS = ("document", "paragraph", "sentence", "window:3", "window:1")


@pytest.fixture(autouse=True, scope="module")
def small_steps() -> Iterator[None]:
    """Blocks and steps of a few units, so that small corpora have many, and searches stop early."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(postings, "_MIN_BLOCK_UNITS", 2)
        patch.setattr(postings, "_SORTED_TOKENS", 7)
        patch.setattr(postings, "_SCANNED_TOKENS", 5)
        patch.setattr(postings, "MANY", 3)
        patch.setattr(searching, "_FIRST_BLOCKS", 1)
        patch.setattr(searching, "_FIRST_UNITS", 1)
        patch.setattr(searching, "_SWEPT_UNITS", 5)
        yield


@contextmanager
def swept(share: float) -> Iterator[None]:
    """Look at all units if more than this share of blocks is left; at infinity, only at blocks that may be better."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(searching, "_SWEPT_SHARE", share)
        yield


SHARES = (0, 0.25, math.inf)


def _token(word: str) -> Token:
    return word, "NOUN", word.lower(), "", False


WORD = st.sampled_from("aaaAbbcdeF")
SENTENCE = st.lists(WORD.map(_token), min_size=1, max_size=7)
PARAGRAPH = st.builds(
    PlainParagraph,
    st.lists(SENTENCE, min_size=1, max_size=3),
    st.fixed_dictionaries({"bpc": st.sampled_from("abcj"), "dup": st.sampled_from(["0.00", "0.25", "0.90"])}),
)
ATTRIBUTES = st.fixed_dictionaries(
    {
        "published": st.sampled_from(["", "2011-02-03", "2012-05", "2013", "soon"]),
        "date": st.sampled_from(["2014-01-01T10:00:00Z", "2015-01-01T00:00:00Z"]),
        "year": st.sampled_from(["2011", "2012", "", "1999"]),
    }
)
DOCUMENTS = st.lists(
    st.builds(PlainDocument, st.lists(PARAGRAPH, min_size=1, max_size=4), ATTRIBUTES), min_size=1, max_size=8
)
TERM = st.lists(st.sampled_from("abcdefx"), min_size=1, max_size=2).map(tuple)
TERMS = st.lists(st.tuples(st.sampled_from(["", "", "+", "-"]), TERM), min_size=1, max_size=4).filter(
    lambda terms: any(sign != "-" for sign, _ in terms)
)
DIMENSIONS = st.lists(
    st.sampled_from(["length", "date", "quality", "yield", "dup", "year"]), min_size=1, max_size=3, unique=True
).flatmap(lambda names: st.tuples(*(st.sampled_from([name, f"-{name}"]) for name in names)))
BY = st.one_of(st.just(("bm25",)), DIMENSIONS, DIMENSIONS.map(lambda names: (*names, "bm25")))


def _typed(terms: Sequence[tuple[str, Sequence[str]]]) -> str:
    return " ".join(sign + (f'"{" ".join(words)}"' if len(words) > 1 else words[0].upper()) for sign, words in terms)


def _found(index: Index, folder: Path, **asked: Any) -> list[tuple[int, float]]:
    result = find_units(index, folder, **asked)
    assert [row.rank for row in result.rows] == list(
        range(asked.get("offset", 0) + 1, asked.get("offset", 0) + len(result.rows) + 1)
    )
    return [(row.unit, row.score) for row in result.rows]


@settings(max_examples=50, deadline=None)
@given(
    documents=DOCUMENTS,
    cuts=st.lists(st.integers(0, 8), max_size=2),
    unit=st.sampled_from(UNITS),
    terms=TERMS,
    by=BY,
    limit=st.integers(1, 12),
    offset=st.sampled_from([0, 0, 2]),
    match=st.sampled_from([None, "any", "all"]),
    where=st.sampled_from([None, 'year="2011|1999"']),
    parameters=st.sampled_from([(1.2, 0.75), (0.9, 0.4), (0.0, 1.0), (2.0, 0.0)]),
    share=st.sampled_from(SHARES),
)
def test_the_best_units_are_those_that_a_look_at_all_units_finds(
    documents: list[PlainDocument],
    cuts: list[int],
    unit: str,
    terms: Any,
    by: tuple[str, ...],
    limit: int,
    offset: int,
    match: str | None,
    where: str | None,
    parameters: tuple[float, float],
    share: float,
) -> None:
    has_years = any(document.attributes["year"] for document in documents)
    assume(has_years or not {"year", "-year"} & set(by))  # what no document has is no dimension
    match_all = match == "all" or (match is None and by != ("bm25",))
    units = all_units(documents, unit)
    allowed = [where is None or document.attributes["year"] in {"2011", "1999"} for document in documents]
    asked = Asked(tuple(terms), by, match_all, *parameters)
    expected = best_by_hand(units, asked, lambda number: allowed[number])[offset : offset + limit]
    with tempfile.TemporaryDirectory() as temporary, swept(share):
        folder = Path(temporary)
        place = folder / "index"
        if cuts:
            index = open_segments(place, write_segments(place, split(documents, cuts)))
        else:
            index = make_index(place, documents)
        options = {
            "query": _typed(terms),
            "unit": unit,
            "by": by,
            "limit": limit,
            "offset": offset,
            "match": match,
            "where": where,
            "k1": parameters[0],
            "b": parameters[1],
        }
        if not any(allowed):
            with pytest.raises(UsageError, match="no document"):
                _found(index, folder, **options)
            return
        assert _found(index, folder, **options) == expected
        assert _found(Index.open(place), folder, **options) == expected, "what was stored is what was made"


def test_a_search_of_many_blocks_stops_no_earlier_than_it_may(tmp_path: Path) -> None:
    """Units of few lengths and values, many of equal scores: what is best often stands in blocks nearly left out."""
    random = np.random.default_rng(2008)
    letters, shares = list("abcdefghi"), 1 / np.arange(1, 10) ** 1.5
    paragraphs = [
        PlainParagraph(
            [[_token(word) for word in random.choice(letters, size, p=shares / shares.sum())]],
            {"bpc": str(random.choice(["a", "c", "j"])), "dup": str(random.choice(["0.00", "0.90"]))},
        )
        for size in random.choice([1, 2, 3, 5, 9, 29], 160).tolist()
    ]
    dates = ["", "2011-02-03", "2012-05", "2013"]
    documents = [
        PlainDocument(paragraphs[at : at + 5], {"published": dates[at % 4], "year": str(2011 + at % 2)})
        for at in range(0, len(paragraphs), 5)
    ]
    index, units = make_index(tmp_path / "index", documents), all_units(documents, "paragraph")
    for number in range(16):
        where = 'year="2011"' if number % 6 == 5 else None
        terms: list[tuple[str, ...]] = [
            (word,) for word in random.choice(letters, random.integers(1, 4), replace=False)
        ]
        terms += [("a", "b")] if number % 4 == 3 else []
        signed = tuple((str(random.choice(["", "", "+"])), term) for term in terms)
        allowed = [where is None or not at % 2 for at in range(len(documents))]
        for by in (("bm25",), ("-date", "quality", "bm25"), ("dup", "-date")):
            expected = best_by_hand(units, Asked(signed, by, match_all=False), allowed.__getitem__)
            for limit in (1, 2, 4, 9) if by == ("bm25",) else (2, 100):
                for share in (0, math.inf) if by == ("bm25",) else (0.25,):
                    with swept(share):
                        asked = {"query": _typed(signed), "limit": limit, "by": by, "match": "any", "where": where}
                        found = _found(index, tmp_path, **asked)
                    assert found == expected[:limit], (number, signed, by, limit, share)


def test_a_sweep_looks_at_all_units_only_where_bounds_tell_little(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Common words are in all blocks; with other parameters, bounds are computed of rare words alone."""
    paragraphs = [
        PlainParagraph([[_token(word) for word in ("a", "b", "c", "d" if at == 40 else "e")]]) for at in range(60)
    ]
    index = make_index(tmp_path / "index", [PlainDocument(paragraphs)])
    looked: list[int] = []
    look = UnitSearch.look

    def counted(self: UnitSearch, starts: Any, ends: Any, *rest: Any, **named: Any) -> Any:
        looked.append(int((ends - starts).sum()))
        return look(self, starts, ends, *rest, **named)

    monkeypatch.setattr(UnitSearch, "look", counted)
    for query, parameters, expected in (
        ("a b c", {}, [2, *[5] * 12]),
        ("a b c", {"k1": 0.9}, [5] * 12),
        ("a b d", {}, [2]),
        ("d", {"k1": 0.9}, [2]),
    ):
        looked.clear()
        _found(index, tmp_path, query=query, limit=1, **parameters)
        assert looked == expected, (query, parameters)


def test_of_equal_scores_the_first_in_the_text_wins_whichever_block_it_is_in(tmp_path: Path) -> None:
    qualities = "cjajcaacjjca" * 3
    paragraphs = [PlainParagraph([[_token("a")]], {"bpc": letter}) for letter in qualities]
    index = make_index(tmp_path / "index", [PlainDocument(paragraphs)])
    for share in SHARES:
        for limit in (1, 2, 5):
            with swept(share):
                assert [unit for unit, _ in _found(index, tmp_path, query="a", limit=limit)] == list(range(limit))


@given(st.integers(1, 6), st.data())
def test_levels_are_found_again_from_the_codes_of_cells(dimensions: int, data: st.DataObject) -> None:
    given_levels = [
        np.array(data.draw(st.lists(st.integers(0, 15), min_size=4, max_size=4)), np.uint8) for _ in range(dimensions)
    ]
    codes = codes_of(given_levels, 4)
    assert [own.tolist() for own in levels_of(codes, dimensions)] == [own.tolist() for own in given_levels]


def test_cells_of_high_levels_come_first() -> None:
    codes = codes_of([np.array([15, 15, 0], np.uint8), np.array([15, 3, 0], np.uint8)], 3)
    assert codes.tolist() == sorted(codes.tolist())
    assert codes[0] == 0
    assert codes_of([np.array([13], np.uint8), np.array([14], np.uint8)], 1).tolist() == [0b1001]


def test_values_are_quantised_so_that_levels_have_as_many_units() -> None:
    levels, cuts = quantised(np.array([*range(150), np.nan]))
    assert levels[-1] == 0
    assert np.bincount(levels)[1:].tolist() == [10] * 15
    assert cuts.tolist() == list(range(10, 150, 10))
    assert quantised(np.full(5, np.nan))[0].tolist() == [0] * 5
    assert set(quantised(np.full(5, 7.0))[0].tolist()) == {1}


@pytest.mark.parametrize(
    ("text", "day"),
    [("0001-01-02", 2), ("0001", 1), ("0001-02", 32), ("", None), ("0", None), ("2011-13-01", None), ("x", None)],
)
def test_dates_are_numbers_of_days(text: str, day: int | None) -> None:
    assert day_number(text) == day if day else np.isnan(day_number(text))


@pytest.fixture
def small(tmp_path: Path) -> tuple[Index, Path]:
    """A corpus of two documents."""

    def paragraph(text: str) -> PlainParagraph:
        return PlainParagraph([[_token(word) for word in text.split()]], {"bpc": "a"})

    documents = [
        PlainDocument(
            [paragraph("The mill grinds corn"), paragraph("Corn corn Bread")], {"year": "2001", "lang": "en"}
        ),
        PlainDocument([paragraph("Ich mag die Mühle mill")], {"year": "2003", "lang": "de"}),
    ]
    return make_index(tmp_path / "index", documents), tmp_path


def _find(small: tuple[Index, Path], query: str, **options: Any) -> FoundUnits:
    return find_units(*small, query, **options)


def test_results_say_where_the_unit_is_and_what_was_found(small: tuple[Index, Path]) -> None:
    found = _find(small, 'corn "grinds corn"')
    first = found.rows[0]
    assert (first.text, first.start, first.end, first.unit, first.document) == ("The mill grinds corn", 0, 4, 0, 0)
    assert [text for text, marked in first.pieces if marked] == ["grinds corn"]
    assert found.terms == {"corn": 2, "grinds corn": 1}
    assert first.values == {"length": 4, "date": None, "yield": None, "quality": 0.95}
    assert found.to_json()["rows"][0]["marks"] == ((9, 20),)
    assert found.to_csv().startswith(
        "rank,score,length,date,yield,quality,id,unit,document,start,end,lang,url,title,text\n1,"
    )


def test_long_units_are_shown_around_the_rarest_term(small: tuple[Index, Path]) -> None:
    assert _find(small, "bread the", unit="document", tokens=2).rows[0].text == "corn Bread"


def test_a_language_has_its_units(small: tuple[Index, Path]) -> None:
    assert [row.unit for row in _find(small, "mill", lang="de").rows] == [2]
    with pytest.raises(UsageError, match="language 'fr'"):
        _find(small, "mill", lang="fr")


def test_attributes_other_than_words_are_compared_as_they_are(small: tuple[Index, Path]) -> None:
    assert len(_find(small, "NOUN", attribute="tag").rows) == 3
    assert not _find(small, "noun", attribute="tag").rows
    assert [row.unit for row in _find(small, "BREAD", attribute="lemma").rows] == [1]


@pytest.mark.parametrize(
    ("query", "options", "message"),
    [
        ("", {}, "no word"),
        ("-corn", {}, "no word"),
        ("...", {}, "no word"),
        ("corn", {"unit": "page"}, "no unit 'page'"),
        ("corn", {"unit": "window:0"}, "a window has"),
        ("corn", {"by": "lenght"}, "did you mean"),
        ("corn", {"by": "bm25,date"}, "last key"),
        ("corn", {"by": "-bm25"}, "without a minus"),
        ("corn", {"by": ""}, "by what"),
        ("corn", {"by": "date,-date"}, "twice"),
        ("corn", {"attribute": "lema"}, "no attribute 'lema'"),
        ("corn", {"b": 2.0}, "from 0 to 1"),
        ("corn", {"k1": float("nan")}, "0 or more"),
        ("corn", {"where": 'year="1900"'}, "no document"),
        ("a " * 3000, {}, "longer than"),
    ],
)
def test_mistakes_are_told(small: tuple[Index, Path], query: str, options: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        _find(small, query, **options)


def test_files_of_another_state_of_the_index_are_removed_and_damaged_ones_made_anew(small: tuple[Index, Path]) -> None:
    _, folder = small
    before = [(row.unit, row.score) for row in _find(small, "corn").rows]
    (file,) = (folder / FOLDER).iterdir()
    bytes_before = file.read_bytes()
    file.write_bytes(b"damaged")
    reopened = Index.open(folder / "index"), folder
    assert [(row.unit, row.score) for row in _find(reopened, "corn").rows] == before
    assert file.read_bytes() == bytes_before
    shutil.rmtree(folder / "index")
    more = PlainDocument([PlainParagraph([[_token("corn")]])])
    assert len(_find((make_index(folder / "index", [more]), folder), "corn").rows) == 1
    assert [one for one in (folder / FOLDER).iterdir() if one == file] == []


def test_nothing_is_made_of_more_tokens_than_allowed(small: tuple[Index, Path]) -> None:
    with pytest.raises(GristmillError, match=r"find .* --unit sentence --attribute lc with some word"):
        find_units(*small, "corn", unit="sentence", max_tokens=3)
    assert not (small[1] / FOLDER).exists()


@pytest.mark.parametrize("unit", UNITS)
def test_an_index_without_tokens_has_no_units(tmp_path: Path, unit: str) -> None:
    index = make_index(tmp_path / "index", [])
    for by in ("bm25", "date,quality", "length,bm25"):
        found = find_units(index, tmp_path, "corn", unit=unit, by=by)
        assert (found.units, found.rows) == (0, [])
