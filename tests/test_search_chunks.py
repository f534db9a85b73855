"""Chunks in queries: `<nc/>`, `<vc/>` and `<pc/>` are what rules find, in one segment or several, in any language."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from segmented import open_segments, split, write_segments

from gristmill.annotation.chunks import KINDS, Words, find_chunks
from gristmill.errors import UsageError
from gristmill.search.completion import complete_query
from gristmill.search.cql.matching import find
from gristmill.search.index import chunked
from gristmill.search.index.index import Index
from gristmill.search.index.plain import PlainDocument, PlainParagraph, Token, make_index

TAGS = "ADJ ADP ADV AUX DET NOUN PRON PUNCT VERB".split()
Plain = list[tuple[str, list[list[tuple[str, str]]]]]
"""Paragraphs: their language, and the tags and features of the tokens of each sentence."""
SENTENCES = st.lists(
    st.lists(st.tuples(st.sampled_from(TAGS), st.sampled_from(["", "Poss=Yes"])), min_size=1, max_size=8),
    min_size=1,
    max_size=3,
)
CORPORA = st.lists(st.tuples(st.sampled_from(["en", "fr", "tr"]), SENTENCES), min_size=1, max_size=4)


def documents(corpus: Plain) -> list[PlainDocument]:
    """A document for each paragraph."""
    made = []
    for lang, sentences in corpus:
        tokens: list[list[Token]] = [
            [(tag.lower(), tag, tag, "", False, feats) for tag, feats in sentence] for sentence in sentences
        ]
        made.append(PlainDocument([PlainParagraph(tokens, {"lang": lang})], {"lang": lang}))
    return made


def truth(corpus: Plain, kind: str) -> list[tuple[int, int]]:
    """All chunks of a kind, found paragraph by paragraph."""
    found, base = [], 0
    for lang, sentences in corpus:
        tags, feats = zip(*(token for sentence in sentences for token in sentence), strict=True)
        words = Words.of(list(tags), list(feats), list(map(len, sentences)))
        starts, ends = find_chunks(words, lang)[kind]
        found += [(start + base, end + base) for start, end in zip(starts.tolist(), ends.tolist(), strict=True)]
        base += len(tags)
    return found


def hits(index: Index, query: str) -> list[tuple[int, int]]:
    found = find(index, query)
    return list(zip(found.starts.tolist(), found.ends.tolist(), strict=True))


@settings(max_examples=30)
@given(CORPORA, st.lists(st.integers(0, 3), max_size=2))
def test_queries_find_chunks(corpus: Plain, cuts: list[int]) -> None:
    tags = [tag for _, sentences in corpus for sentence in sentences for tag, _ in sentence]
    with tempfile.TemporaryDirectory() as name, pytest.MonkeyPatch.context() as patches:
        patches.setattr(chunked, "_BLOCK_TOKENS", 5)
        folder = Path(name)
        if cuts:
            index = open_segments(folder, write_segments(folder, split(documents(corpus), cuts)))
        else:
            index = make_index(folder, documents(corpus))
        if not any(truth(corpus, kind) for kind in KINDS):
            with pytest.raises(UsageError, match="no text of this corpus has tags"):
                find(index, "<nc/>")
            return
        for opened in (index, Index.open(folder)):  # the second time they are stored
            for kind in KINDS:
                check(opened, kind, truth(corpus, kind), tags)


def check(index: Index, kind: str, chunks: list[tuple[int, int]], tags: list[str]) -> None:
    """Every answer is that of a list of chunks."""
    assert hits(index, f"<{kind}/>") == chunks
    inside = {place for start, end in chunks for place in range(start, end)}
    nouns = [place for place, tag in enumerate(tags) if tag == "NOUN"]
    assert hits(index, f'[tag="NOUN"] within <{kind}/>') == [(at, at + 1) for at in nouns if at in inside]
    assert hits(index, f'[tag="NOUN"] !within <{kind}/>') == [(at, at + 1) for at in nouns if at not in inside]
    assert hits(index, f'<{kind}/> containing [tag="NOUN"]') == [
        (start, end) for start, end in chunks if "NOUN" in tags[start:end]
    ]
    assert hits(index, f"<{kind}> []") == [(start, start + 1) for start, _ in chunks]
    assert hits(index, f"[] </{kind}>") == [(end - 1, end) for _, end in chunks]


SENTENCE = [("DET", ""), ("NOUN", ""), ("VERB", ""), ("ADP", ""), ("NOUN", "")]


def test_what_chunks_can_not_do(tmp_path: Path) -> None:
    index = make_index(tmp_path, documents([("en", [SENTENCE])]))
    assert hits(index, '<nc/> containing [tag="DET"]') == [(0, 2)]
    assert hits(index, "<nc/> within <pc/>") == [(4, 5)]
    for query in ('[tag="NOUN"] expand to nc', "(meet [] [] nc)"):
        with pytest.raises(UsageError, match="tokens may be in no <nc>"):
            find(index, query)
    with pytest.raises(UsageError, match="<nc> has no attribute 'type'"):
        find(index, '<nc type="x"/>')
    with pytest.raises(UsageError, match=r"there is no structure 'np'.* \(there are: doc, p, s, nc, vc, pc\)"):
        find(index, "<np/>")
    assert {*KINDS} <= {one.label for one in complete_query(index, '"a" within <').items}
    assert "<nc/>" in {one.label for one in complete_query(index, '"a" within n').items}


def test_chunks_are_stored_where_that_can_be(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    index = make_index(tmp_path, documents([("en", [SENTENCE])]))
    assert hits(index, "<vc/>") == [(2, 3)]
    (file,) = tmp_path.glob("chunks-*.arrays")
    file.write_bytes(b"damaged")
    assert hits(Index.open(tmp_path), "<vc/>") == [(2, 3)]
    file.unlink(missing_ok=True)

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError

    monkeypatch.setattr(chunked, "save_arrays", refuse)
    assert hits(Index.open(tmp_path), "<vc/>") == [(2, 3)]
    assert not list(tmp_path.glob("chunks-*.arrays"))
