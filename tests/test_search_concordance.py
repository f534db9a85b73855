"""A concordance says what a plain walk over lists of tokens says: order, filters, text, counts."""

from __future__ import annotations

import itertools
import tempfile
import unicodedata
from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gristmill.errors import UsageError
from gristmill.search.concordance import lines, sorting
from gristmill.search.concordance.concordance import Concordance
from gristmill.search.concordance.contexts import has_in_context
from gristmill.search.concordance.keys import Key
from gristmill.search.concordance.lines import Context, cut_end, cut_start
from gristmill.search.concordance.occurrences import Occurrences
from gristmill.search.hits import Hits
from gristmill.search.index.index import Index
from gristmill.search.index.plain import PlainDocument, PlainParagraph, Token, make_index
from gristmill.search.subcorpus import Subcorpus
from gristmill.text.collation import collator_of

WORDS = [
    "a",
    "A",
    "b",
    "é",
    "E",
    "Straße",
    "STRASSE",
    "的",
    "😀",
    "ab",
    "ba",
    ".",
    "a\u0301",
    "Σ",
    "ς",
    "supercalifragilistic",
]
EVERY = collator_of("und")
"""What sorts documents without a language."""
KEYS = [
    "word",
    "lemma/nocase",
    "-1:word",
    "2:tag",
    "node.2:lemma",
    "node.-1:word/nocase",
    "host",
    "p.kind",
    "year",
    "1:word/retrograde",
]
FEW = settings(max_examples=30)  # each writes an index
WAYS = st.fixed_dictionaries(
    {"_MAX_TOKENS_SORTED_AT_ONCE": st.sampled_from([0, 2, 8]), "_MAX_VALUES_PER_ID": st.sampled_from([1, 16])}
)
"""Of sorting whole hits, and of ranking values."""


class Place(NamedTuple):
    """A token with all that is around it."""

    token: Token
    doc: int
    p: int
    s: int


class Made(NamedTuple):
    """A concordance, and the lists that it was made of."""

    found: Concordance
    places: list[Place]
    spans: list[tuple[int, int]]
    documents: list[PlainDocument]


tokens = st.builds(
    lambda word, tag, glued: (word, tag, word.lower(), "", glued),
    st.sampled_from(WORDS),
    st.sampled_from("NVX"),
    st.booleans(),
)
sentences = st.lists(st.lists(tokens, min_size=1, max_size=5), min_size=1, max_size=3)
hosts, years = st.sampled_from(["a.example", "b.example", "B.example"]), st.sampled_from(["9", "10", "2005", ""])
paragraphs = st.builds(
    PlainParagraph,
    st.lists(st.lists(tokens, min_size=1, max_size=5), min_size=1, max_size=3),
    st.fixed_dictionaries({"kind": st.sampled_from("ph")}),
)
facts = st.fixed_dictionaries({"host": hosts, "year": years})
documents = st.lists(
    st.builds(PlainDocument, st.lists(paragraphs, min_size=1, max_size=3), facts), min_size=1, max_size=4
)


@st.composite
def concordances(draw: st.DrawFn, of: st.SearchStrategy[list[PlainDocument]] = documents) -> Made:
    """Some spans of some documents."""
    texts = [
        PlainDocument(
            text.paragraphs,
            {**text.attributes, "id": f"doc-{number}", "url": f"https://x.example/{number}", "date": "2005-01-01"},
        )
        for number, text in enumerate(draw(of))
    ]
    with tempfile.TemporaryDirectory() as folder:
        index = make_index(folder, texts)
        places = _places(texts)
        possible = [
            (start, end)
            for start in range(len(places))
            for end in range(start + 1, min(start + 4, len(places)) + 1)
            if places[start].doc == places[end - 1].doc
        ]
        spans = sorted(draw(st.lists(st.sampled_from(possible), unique=True, max_size=30)))
        return Made(Concordance(Occurrences(index, _hits(spans))), places, spans, texts)


def _hits(spans: Sequence[tuple[int, int]]) -> Hits:
    return Hits(np.array([start for start, _ in spans], np.int64), np.array([end for _, end in spans], np.int64))


def _places(texts: Sequence[PlainDocument]) -> list[Place]:
    places: list[Place] = []
    p = s = -1
    for doc, text in enumerate(texts):
        for paragraph in text.paragraphs:
            p += 1
            for sentence in paragraph.sentences:
                s += 1
                places += [Place(token, doc, p, s) for token in sentence]
    return places


def _values(made: Made, key: str, span: tuple[int, int]) -> list[str]:
    """The values of a key, by a walk over lists: one a token of the hit, or one, or none."""
    body = key.split("/", maxsplit=1)[0]
    place, colon, attribute = body.partition(":")
    if not colon:
        place, attribute = "node", body
    start, end = span
    here = made.places[start]
    if attribute in {"host", "year"}:
        return [made.documents[here.doc].attributes[attribute]]
    if attribute == "p.kind":
        return [_paragraph(made, here.p).attributes["kind"]]
    number = ["word", "tag", "lemma", "xpos"].index(attribute)
    if place.startswith("node"):
        chosen = list(range(start, end))
        if "." in place:
            nth = int(place.partition(".")[2])
            chosen = (
                chosen[nth - 1 : nth] if nth > 0 else chosen[len(chosen) + nth :][:1] if len(chosen) + nth >= 0 else []
            )
    else:
        offset = int(place)
        chosen = [start + offset if offset < 0 else end + offset - 1]
        chosen = [at for at in chosen if 0 <= at < len(made.places) and made.places[at].doc == here.doc]
    return [str(made.places[at].token[number]) for at in chosen]


def _paragraph(made: Made, number: int) -> PlainParagraph:
    return [paragraph for document in made.documents for paragraph in document.paragraphs][number]


def _sort_key(made: Made, key: str, span: tuple[int, int]) -> list[Any]:
    values = _values(made, key, span)
    if "retrograde" in key:
        return [EVERY.key_backwards(value) for value in values]
    if key in {"host", "year"}:
        return [(0, int(value), "") if value.isdigit() else (1, 0, EVERY.key(value)) for value in values]
    return [EVERY.key(value) for value in values]


def _order(found: Concordance) -> list[tuple[int, int]]:
    starts, ends = found.spans.starts.tolist(), found.spans.ends.tolist()
    return [(starts[at], ends[at]) for at in (range(len(found)) if found.order is None else found.order.tolist())]


@FEW
@given(concordances(), st.lists(st.sampled_from(KEYS), min_size=1, max_size=3, unique=True), WAYS)
def test_sorting(made: Made, keys: list[str], ways: dict[str, Any]) -> None:
    with patch.multiple(sorting, **ways):
        found = _order(made.found.sort(",".join(keys)))
    assert found == sorted(made.spans, key=lambda span: [_sort_key(made, key, span) for key in keys])


@FEW
@given(concordances())
def test_sorting_by_a_side_is_by_its_three_tokens(made: Made) -> None:
    assert _order(made.found.sort("left:lemma")) == _order(made.found.sort("-1:lemma,-2:lemma,-3:lemma"))
    assert _order(made.found.sort("right")) == _order(made.found.sort("1,2,3"))
    assert _order(made.found.sort("node")) == _order(made.found.sort("word"))
    by_case = sorted(made.spans, key=lambda span: _values(made, "word", span))
    assert _order(made.found.sort("node/case", "codepoints")) == by_case
    backwards = [_values(made, "host", span) for span in _order(made.found.sort("host/case/descending", "codepoints"))]
    assert backwards == sorted(backwards, reverse=True)


@FEW
@given(concordances(), st.lists(st.sampled_from(KEYS), min_size=1, max_size=3, unique=True), st.integers(1, 40), WAYS)
def test_frequency(made: Made, keys: list[str], limit: int, ways: dict[str, Any]) -> None:
    def values(span: tuple[int, int], *, shown: bool) -> tuple[Any, ...]:
        return tuple(_shown(made, key, span) if shown else _counted(made, key, span) for key in keys)

    counts = Counter(values(span, shown=False) for span in made.spans)
    with patch.multiple(sorting, **ways):
        result = made.found.frequency(",".join(keys), limit)
    assert (result.total, result.distinct) == (len(made.spans), len(counts))
    assert [row.count for row in result.rows] == sorted(counts.values(), reverse=True)[:limit]
    labels = {values(span, shown=True): counts[values(span, shown=False)] for span in reversed(made.spans)}
    for row in result.rows:
        assert row.count == labels[row.values]
        assert row.share == row.count / len(made.spans)
        assert row.per_million == row.count * 1_000_000 / len(made.places)
        assert row.per_million_within == _rate_within(made, keys, row.values, row.count)
    every = made.found.frequency(",".join(keys))
    assert every.rows[:limit] == result.rows
    assert sum(row.count for row in every.rows) == len(made.spans)
    ranking = [(-row.count, row.values) for row in made.found.frequency("-1:word,host").rows]
    assert ranking == sorted(ranking)


def _counted(made: Made, key: str, span: tuple[int, int]) -> tuple[Any, ...]:
    return tuple(value.casefold() if "nocase" in key else value for value in _values(made, key, span))


def _shown(made: Made, key: str, span: tuple[int, int]) -> str:
    text = " ".join(_values(made, key, span))
    return text.lower() if "nocase" in key else text


def _rate_within(made: Made, keys: list[str], values: tuple[str, ...], count: int) -> float | None:
    wanted = {key: value for key, value in zip(keys, values, strict=True) if key in {"host", "year", "p.kind"}}
    if not wanted:
        return None
    tokens = sum(
        all(_values(made, key, (at, at + 1)) == [value] for key, value in wanted.items())
        for at in range(len(made.places))
    )
    return count * 1_000_000 / tokens


def _text(made: Made, start: int, end: int) -> str:
    """The text of tokens, each but the first with what stands before it."""
    text = made.places[start].token[0]
    for before, place in itertools.pairwise(made.places[start:end]):
        text += ("\n" if place.p != before.p else "" if place.token[4] else " ") + place.token[0]
    return text


@FEW
@given(concordances(), st.integers(1, 20), st.integers(1, 3))
def test_lines_are_the_same_however_many_are_looked_up_at_once(made: Made, tokens: int, at_once: int) -> None:
    expected = list(made.found.lines())
    with patch.multiple(lines, _MAX_TOKENS_AT_ONCE=tokens, _MAX_LINES_AT_ONCE=at_once):
        assert list(made.found.lines()) == expected


@FEW
@given(concordances(), st.integers(0, 12))
def test_text_around_hits_by_tokens(made: Made, count: int) -> None:
    for line, (start, end) in zip(made.found.lines(context=Context(tokens=count)), made.spans, strict=True):
        doc = made.places[start].doc
        inside = [
            at for at in range(start - count, end + count) if 0 <= at < len(made.places) and made.places[at].doc == doc
        ]
        assert line.left + line.node + line.right == _text(made, inside[0], inside[-1] + 1)
        assert line.node == _text(made, start, end)
        assert (line.doc, line.url, line.position) == (f"doc-{doc}", f"https://x.example/{doc}", start)


@FEW
@given(concordances(), st.integers(0, 30))
def test_text_around_hits_by_characters(made: Made, characters: int) -> None:
    wide = made.found.lines(context=Context(tokens=100))
    for line, full in zip(made.found.lines(context=Context(characters=characters)), wide, strict=True):
        assert max(len(line.left), len(line.right)) <= characters
        assert full.left.endswith(line.left)
        assert full.right.startswith(line.right)
        if (
            line.left != full.left
        ):  # what is left out would not have fitted, or leaves at most half of the context empty
            assert len(line.left) * 2 >= characters - 2
        assert not (line.left and unicodedata.combining(line.left[0])) or full.left == line.left


@FEW
@given(concordances())
def test_sentences(made: Made) -> None:
    for line, (start, end) in zip(made.found.lines(context=Context("sentence")), made.spans, strict=True):
        wanted = {made.places[at].s for at in (start, end - 1)}
        inside = [at for at, place in enumerate(made.places) if min(wanted) <= place.s <= max(wanted)]
        assert line.left + line.node + line.right == _text(made, inside[0], inside[-1] + 1)


@FEW
@given(concordances(), st.data(), st.sampled_from([0, 1, 2, "1,3", "s", "p", "doc"]))
def test_what_is_in_the_context(made: Made, data: st.DataObject, window: int | str) -> None:
    others = sorted(data.draw(st.lists(st.sampled_from(made.spans), unique=True, max_size=5))) if made.spans else []
    found = has_in_context(made.found.spans, _hits(others), window).tolist()
    assert found == [any(_beside(made, span, other, window) for other in others) for span in made.spans]


def _beside(made: Made, span: tuple[int, int], other: tuple[int, int], window: int | str) -> bool:
    (start, end), inside = span, range(other[0], other[1])
    if not (inside.stop <= start or inside.start >= end) or made.places[other[0]].doc != made.places[start].doc:
        return False
    if isinstance(window, str) and window in {"s", "p", "doc"}:
        first, last = (getattr(made.places[at], window) for at in (start, end - 1))
        return all(first <= getattr(made.places[at], window) <= last for at in inside)
    left, _, right = str(window).partition(",")
    return inside.start >= start - int(left) and inside.stop <= end + int(right or left)


@FEW
@given(concordances(), st.integers(0, 35), st.integers(0, 3))
def test_samples(made: Made, count: int, seed: int) -> None:
    sample, larger = made.found.sample(count, seed), made.found.sample(count + 3, seed)
    assert len(sample) == min(count, len(made.spans))
    assert set(_order(sample)) <= set(_order(larger)) <= set(made.spans)
    assert _order(sample) == sorted(_order(sample))
    assert (sample.total, sample.per_million) == (len(made.spans), made.found.per_million)
    assert sorted(_order(made.found.shuffle(seed))) == made.spans
    by_right = made.found.sort("right")
    assert [span for span in _order(by_right) if span in set(_order(sample))] == _order(by_right.sample(count, seed))


@FEW
@given(concordances())
def test_counts_and_first_hits(made: Made) -> None:
    assert (made.found.total, made.found.size) == (len(made.spans), len(made.places))
    assert made.found.per_million == len(made.spans) * 1_000_000 / len(made.places)
    assert made.found.documents == len({made.places[start].doc for start, _ in made.spans})
    for structure in ("doc", "p", "s"):
        firsts: dict[int, tuple[int, int]] = {}
        for start, end in made.spans:
            firsts.setdefault(getattr(made.places[start], structure), (start, end))
        assert _order(made.found.first_in(structure)) == list(firsts.values())


@FEW
@given(concordances(), st.integers(1, 7))
def test_pages(made: Made, size: int) -> None:
    found = made.found.sort("right")
    pages = [found.page(number, size) for number in range(1, len(made.spans) // size + 3)]
    assert [line for page in pages for line in page] == list(found)
    assert all(len(page) == size for page in pages[: len(made.spans) // size])
    assert [line.position for line in found] == [start for start, _ in _order(found)]


@FEW
@given(concordances())
def test_parts_of_a_corpus(made: Made) -> None:
    part = Subcorpus(made.found.spans.index, 'host="a.*"')
    found = Concordance(Occurrences(part.index, part.restrict(made.found.spans.hits)), part)
    inside = [place for place in made.places if made.documents[place.doc].attributes["host"] == "a.example"]
    hits = [span for span in made.spans if made.documents[made.places[span[0]].doc].attributes["host"] == "a.example"]
    assert (len(found), found.size) == (len(hits), len(inside))
    for row in found.frequency("year").rows:
        tokens = sum(made.documents[place.doc].attributes["year"] == row.values[0] for place in inside)
        assert row.per_million == row.count * 1_000_000 / len(inside)
        assert row.per_million_within == row.count * 1_000_000 / tokens


@pytest.fixture
def index(tmp_path_factory: pytest.TempPathFactory) -> Index:
    sentence = [("We", "PRON", "we", "", False), ("went", "VERB", "go", "", False), (".", "PUNCT", ".", "", True)]
    texts = [
        PlainDocument([PlainParagraph([sentence, sentence], {"kind": "p", "number": "4"})], {"id": "x", "lang": "en"})
    ] * 3
    return make_index(tmp_path_factory.mktemp("index"), texts)


def test_lots_are_the_same_everywhere(index: Index) -> None:
    every = Concordance(Occurrences(index, Hits(np.arange(18))))
    for seed in (0, 1, 2**70):
        shuffled = sorted(range(18), key=lambda start: _lot(start, seed))
        assert [line.position for line in every.shuffle(seed)] == shuffled
        assert [line.position for line in every.sample(5, seed)] == sorted(shuffled[:5])


def _lot(start: int, seed: int) -> int:
    """SplitMix64, in Python's whole numbers."""
    word, step = 2**64 - 1, 0x9E3779B97F4A7C15

    def mix(number: int) -> int:
        number = (number + step) & word
        number = (number ^ number >> 30) * 0xBF58476D1CE4E5B9 & word
        number = (number ^ number >> 27) * 0x94D049BB133111EB & word
        return number ^ number >> 31

    return mix(mix((start + (seed + 1) * step) & word) ^ (start + 1))


def test_the_block_is_that_of_the_document(index: Index) -> None:
    assert {line.block for line in Concordance(Occurrences(index, Hits(np.arange(18))))} == {4}


def test_one_long_word_does_not_leave_the_context_empty(tmp_path_factory: pytest.TempPathFactory) -> None:
    sentence = [(word, "X", word, "", False) for word in ("see", "https://" + "x" * 100, "mill", "y" * 100, "so")]
    index = make_index(tmp_path_factory.mktemp("index"), [PlainDocument([PlainParagraph([sentence])])])
    (line,) = Concordance(Occurrences(index, Hits(np.array([2])))).lines(context=Context(characters=20))
    assert (line.left, line.node, line.right) == ("x" * 19 + " ", "mill", " " + "y" * 19)


def test_cuts_do_not_part_letters_and_their_accents() -> None:
    assert cut_end("ae\u0301b", 2) == "a"
    assert cut_start("ae\u0301b", 2) == "b"
    family = "👨\u200d👩"
    assert cut_end(f"a{family}", 3) == "a"
    assert cut_start(f"{family}b", 2) == "b"
    assert (cut_end("abc", 9), cut_start("abc", 9)) == ("abc", "abc")


def test_one_long_hit_does_not_make_all_others_long(tmp_path_factory: pytest.TempPathFactory) -> None:
    lengths = [*range(1, 60), 59, 3000]
    texts = [PlainDocument([PlainParagraph([[("x", "X", "x", "", False)] * length])]) for length in lengths]
    index = make_index(tmp_path_factory.mktemp("index"), texts)
    documents = index.structures["doc"]
    found = Concordance(Occurrences(index, Hits(documents.starts, documents.ends)))
    looked_up: list[int] = []
    ids_of = Key.ids

    def counted(key: Key, spans: Occurrences) -> Any:
        looked_up.append(len(spans))
        return ids_of(key, spans)

    with patch.object(Key, "ids", counted):
        assert [end - start for start, end in _order(found.sort("node/descending"))] == sorted(lengths, reverse=True)
    assert len(looked_up) == 60
    assert sum(looked_up) <= sum(lengths)
    rows = found.frequency("word").rows
    assert [(row.values[0].count("x"), row.count) for row in rows] == [
        (59, 2),
        *((length, 1) for length in sorted({*lengths} - {59})),
    ]


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ("wrd", "did you mean 'word'"),
        ("0:word", "is no place"),
        ("99999:word", "is no place"),
        ("-1:lang", "give it alone"),
        ("p.kin", "did you mean 'kind'"),
        ("word/reverse", "there is no flag"),
        ("word,", "there is no attribute ''"),
    ],
)
def test_wrong_keys(index: Index, keys: str, message: str) -> None:
    found = Concordance(Occurrences(index, Hits(np.arange(3))))
    with pytest.raises(UsageError, match=message):
        found.sort(keys)
    with pytest.raises(UsageError, match=message):
        found.frequency(keys)


def test_wrong_use(index: Index) -> None:
    found = Concordance(Occurrences(index, Hits(np.arange(3))))
    with pytest.raises(UsageError, match="no window"):
        has_in_context(found.spans, found.spans.hits, "x")
    with pytest.raises(UsageError, match="numbers from 1"):
        found.page(0)
    with pytest.raises(UsageError, match="negative"):
        found.sample(-1)
    with pytest.raises(UsageError, match="no view"):
        Context("line")
    with pytest.raises(UsageError, match="before a sample"):
        found.sample(1).first_in("doc")
    with pytest.raises(UsageError, match="no structure"):
        found.first_in("page")
