"""Trees in queries: by hand, by errors, in several segments; random ones are compared with a scan elsewhere."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from command import run
from segmented import merged, open_segments, write_segments

import gristmill
from gristmill.annotation.table import from_arrow, to_arrow
from gristmill.corpus import CorpusReader
from gristmill.errors import UsageError
from gristmill.search.completion import complete_query
from gristmill.search.concordance.concordance import Concordance
from gristmill.search.concordance.hints import why_nothing
from gristmill.search.cql import trees as cql_trees
from gristmill.search.cql.matching import find, find_labels
from gristmill.search.cql.parsing import parse
from gristmill.search.index.building import build_index
from gristmill.search.index.heads import offset_type, within_sentences
from gristmill.search.index.index import Index
from gristmill.search.index.plain import PlainDocument, PlainParagraph, Token, make_index
from gristmill.shards import ShardWriter, facts

EATS = "the/DET/1/det child/NOUN/1/nsubj eats/VERB/0/root red/ADJ/1/amod apples/NOUN/-2/obj in/ADP/1/case"
ACTIVE = f"{EATS} gardens/NOUN/-4/obl:loc"
PASSIVE = "apples/NOUN/2/nsubj:pass are/AUX/1/aux:pass eats/VERB/0/root"


def sentence(text: str) -> list[Token]:
    parts = [token.split("/") for token in text.split()]
    return [(word, tag, word, "", False, "", int(head), relation) for word, tag, head, relation in parts]


def document(*texts: str) -> PlainDocument:
    return PlainDocument([PlainParagraph([sentence(text) for text in texts], {"kind": "p"})], {"lang": "en"})


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Index:
    return make_index(tmp_path_factory.mktemp("index"), [document(ACTIVE, PASSIVE)])


@pytest.mark.parametrize(
    ("query", "spans"),
    [
        ('"eats" >obj [tag="NOUN"]', [(2, 5)]),
        ('[tag="NOUN"] <obj "eats"', [(2, 5)]),
        ('"eats" >nsubj []', [(1, 3), (7, 10)]),
        ('"eats" >"nsubj" []', [(1, 3)]),
        ('"eats" >nsubj:pass []', [(7, 10)]),
        ('"eats" >obl:loc a:[]', [(2, 7)]),
        ('"eats" >"NSUBJ|obj"%c []', [(1, 3), (2, 5)]),
        ('"eats" > "apples"', [(2, 5), (7, 10)]),
        ('[] >> "red"', [(2, 4), (3, 5)]),
        ('"red" << "eats"', [(2, 4)]),
        ('[] >>obj "red"', []),
        ('"eats" !>obj []', [(9, 10)]),
        ('"eats" !>obj ([] >amod "red") > []', [(7, 10), (8, 10)]),
        ('"eats" >nsubj [] >obj []', [(1, 5)]),
        ('"eats" >obj ([] >amod [])', [(2, 5)]),
        ('("eats" >obj []) >nsubj []', [(1, 5)]),
        ('"eats" >obj ("apples" | "pears")', [(2, 5)]),
        ('[tag="NOUN"] < ([] >obj [])', [(1, 5), (2, 7)]),
        ("a:[] > b:[tag = a.tag]", []),
        ('a:[] > b:[] & a.word = "eats" & b.tag != "NOUN"', [(8, 10)]),
        ('"the" < [] "eats"', [(0, 3)]),
        ('<s> ("the" < [])', [(0, 2)]),
        ('[] <s> "apples"', [(6, 8)]),
        ('("eats" > []) containing "are"', [(7, 10), (8, 10)]),
        ('[deprel="nsubj.*"]', [(1, 2), (7, 8)]),
        ("[] >root []", []),
    ],
)
def test_trees(index: Index, query: str, spans: list[tuple[int, int]]) -> None:
    assert find(index, query).spans() == spans


@pytest.mark.parametrize("share", [0.0, 1e9])
def test_each_step_of_a_far_relation_has_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, share: float
) -> None:
    """c hangs on b, b on a and a on the root; whether heads are looked up in a table makes no difference."""
    monkeypatch.setattr(cql_trees, "_MIN_SHARE_TO_MARK", share)
    chain = "r/X/0/root a/X/-1/{} b/X/-1/x c/X/-1/x"
    for first, down in (("x", [(0, 2), (0, 3), (0, 4)]), ("y", [])):
        index = make_index(tmp_path / first, [document(chain.format(first))])
        assert find(index, '"r" >>x []').spans() == down
        assert find(index, '"a" >>x []').spans() == [(1, 3), (1, 4)]
        assert find(index, '"c" <<x []').spans() == [*([(0, 4)] if first == "x" else []), (1, 4), (2, 4)]
        assert find(index, '"c" << []').spans() == [(0, 4), (1, 4), (2, 4)]


def test_labels_of_trees(index: Index) -> None:
    query = "2:[] >obj (1:[] >amod [])"
    assert {label: at.tolist() for label, at in find_labels(index, query, find(index, query)).items()} == {
        "2": [2],
        "1": [4],
    }


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ('"eats" >obj ([] >amod [])', [{"1": "eats", "2": "apples", "3": "red"}]),
        ('("eats" !>nsubj:pass [] >nsubj []) within <s/>', [{"1": "eats", "2": "child"}]),
        ('"eats" > 3:"are"', [{"3": "are"}]),
        ('"the" ("child" < []) | ("are" < [])', [{"1": "child", "2": "eats"}, {"3": "are", "4": "eats"}]),
        ('(meet "red" ([] >amod []) -2 2)', [{"1": "apples", "2": "red"}]),
        ('("eats" >obj []) expand to s', [{}]),
        ('"eats"', [{}, {}]),
    ],
)
def test_lines_show_the_tokens_of_trees(index: Index, query: str, words: list[dict[str, str]]) -> None:
    """Without labels, tokens of trees are numbered; with some, these are shown alone."""
    found = Concordance.of(index, query)
    assert [{name: label.word for name, label in line.labels.items()} for line in found] == words


def test_tokens_of_trees_can_be_counted(index: Index) -> None:
    found = Concordance.of(index, '"eats" >"nsubj.*" []')
    assert [(row.values, row.count) for row in found.frequency("2.word").rows] == [(("apples",), 1), (("child",), 1)]


@pytest.mark.parametrize(
    ("query", "message", "at"),
    [
        ('"eats" >obj', "expected a token", 11),
        ("[] >obj <s>", "a token, or in brackets", 8),
        ("[] >obj []+", "in brackets", 10),
        ("[] !>obj 1:[]", "no label", 9),
        ("<s> > []", "relations go from a token", 0),
        ('[] >"(" []', "regular expression", 4),
        ('"x" <foo> []', "no structure", 5),
        ("[] " + "> [] " * 20, "at most 20 tokens", 0),
    ],
)
def test_errors_point_at_their_place(index: Index, query: str, message: str, at: int) -> None:
    with pytest.raises(UsageError, match=message) as error:
        find(index, query)
    assert str(error.value).splitlines()[-1].index("^") == at + 2


@pytest.mark.parametrize(
    ("query", "hint"),
    [
        ('"eats" >objj []', 'No token has the deprel "objj" (there are: amod, '),
        ('"eats" >obl:place []', 'No token has the deprel "obl:place" (there are: amod, '),
        ('"eats" >obj ("apple" !>amodd [])', 'No token has the word "apple"'),
        ('"eat" >obj []', 'No token has the word "eat"'),
        ('"red" >obj []', "Every value of the query occurs"),
    ],
)
def test_why_a_tree_is_not_found(index: Index, query: str, hint: str) -> None:
    assert why_nothing(Concordance.of(index, query))[0].startswith(hint)


def test_an_index_without_relations_says_so(tmp_path: Path) -> None:
    plain = PlainDocument([PlainParagraph([[("a", "X", "a", "", False)]])])
    found = make_index(tmp_path, [plain])
    assert found.heads is None
    for query in ("[] > []", '[deprel="obj"]', '1:[] & 1.deprel = "x"'):
        with pytest.raises(UsageError, match="no token of this index has a relation"):
            find(found, query)


def test_segments_with_and_without_relations(tmp_path: Path) -> None:
    """Some know heads and some do not; merged, they find the same."""
    plain = PlainDocument([PlainParagraph([[("a", "X", "a", "", False)] * 5], {"kind": "p"})], {"lang": "en"})
    parts = [[document(ACTIVE)], [plain], [document(PASSIVE), document(ACTIVE)]]
    places = write_segments(tmp_path, parts)
    joined = open_segments(tmp_path, places)
    spans = [(1, 3), (12, 15), (16, 18)]
    assert find(joined, '"eats" >nsubj []').spans() == spans
    assert Index.open(merged(tmp_path, places)).heads is not None
    for numbers in ([0, 1, 2], [1, 2], [0, 1]):
        whole = Index.open(merged(tmp_path, [places[number] for number in numbers]))
        shift, last = (7 if numbers[0] else 0), (12 if 2 not in numbers else 22)
        assert find(whole, '"eats" >nsubj []').spans() == [
            (start - shift, end - shift) for start, end in spans if start >= shift and end <= last
        ]


def test_circles_and_heads_elsewhere_do_no_harm(tmp_path: Path) -> None:
    circle = [document("a/X/1/x b/X/-1/x c/X/-1/y")]
    found = make_index(tmp_path, circle)
    assert find(found, '"c" << []').spans() == [(0, 3), (1, 3)]
    assert within_sentences(np.array([1, 3, -1, 0, -2]), np.array([0, 3, 5])).tolist() == [1, 0, -1, 0, 0]
    assert offset_type(np.array([-40_000])) == np.int32
    assert offset_type(np.array([-3, 3])) == np.int16


def test_completion_knows_relations(index: Index) -> None:
    assert [item.label for item in complete_query(index, '"eats" >ns').items] == ["nsubj", "nsubj:pass"]
    assert "obj" in [item.label for item in complete_query(index, '"eats" <o').items]
    assert complete_query(index, '<doc lang="en">').kind != "relation"


def test_a_tree_is_a_part_like_others() -> None:
    assert parse('[] >obj 1:[] & 1.tag = "X"').labels == ["1"]
    assert parse('("a" > "b" | "c")+ within <s/>').labels == []


def test_tokens_of_a_corpus_with_relations(indexed: gristmill.Corpus, tmp_path: Path) -> None:
    """Each token depends on the first of its sentence; what a file says of other sentences is left out."""
    folder = tmp_path / "corpus"
    shutil.copytree(indexed.folder, folder, ignore=shutil.ignore_patterns("index"))
    for shard in CorpusReader(folder).shards:
        table, about = pq.read_table(shard.tokens), facts(shard.tokens)
        rows = []
        for batch in table.to_batches():
            for document_ in from_arrow(batch):
                for annotation in document_.values():
                    first = [at for size in annotation.sentences for at in range(size)]
                    annotation.heads = [-at for at in first]
                    annotation.heads[0] = -3
                    annotation.deprels = ["dep" if at else "root" for at in first]
                rows.append(document_)
        with ShardWriter(shard.tokens, table.schema) as writer:
            writer.write(to_arrow(rows))
            writer.finish(about)
    index = build_index(CorpusReader(folder))
    sentences = index.structure("s").bounds.astype(np.int64)
    assert index.heads is not None
    expected = np.repeat(sentences[:-1], np.diff(sentences))
    assert index.heads.at(np.arange(index.size)).tolist() == expected.tolist()
    assert len(find(index, "[] >dep []")) == index.size - len(sentences) + 1
    listed = ("--attribute", "word", "--limit", "2", "--json")  # all tokens have a word: lemmas are missing in Chinese
    words = run("collocations", folder, "[]", "--relation", "dep", *listed)
    assert json.loads(words.stdout)["hits"] == index.size - len(sentences) + 1
    tree = run("collocations", folder, "[] >dep 1:[]", "--of", "1", *listed)
    assert json.loads(tree.stdout)["rows"] == json.loads(words.stdout)["rows"]
    assert b"leave window" in run("collocations", folder, "[]", "--relation", "dep", "--window", "3").stderr
    counted = run("frequency", folder, "[] >dep 1:[]", "--by", "1.deprel")
    assert counted.stdout.splitlines()[1].split()[0] == b"dep"
