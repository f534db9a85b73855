"""Classes of names: the examples of RoDEO by tags and by trees, clusters, WordNet, what queries find, mistakes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from wordnet_files import write_wordnet

from gristmill.errors import UsageError
from gristmill.search import Index, find
from gristmill.search.classes.classes import Classes, Searched, classes_of, names_with_classes
from gristmill.search.classes.clustering import ByDistribution, ByHypernyms, Clusters, read_hypernyms
from gristmill.search.classes.evaluation import evaluate, is_correct, read_expected
from gristmill.search.classes.names import frequent_names, name_of
from gristmill.search.classes.nouns import Noun
from gristmill.search.classes.opening import default_kind
from gristmill.search.classes.pattern_files import pattern_files, patterns_for, read_patterns
from gristmill.search.classes.wordnet import WordNet
from gristmill.search.index.plain import PlainDocument, PlainParagraph, Token, make_index
from gristmill.search.sketches.store import open_sketches
from gristmill.search.sketches.thesaurus import similarities, thesaurus
from gristmill.search.subcorpus import Subcorpus
from gristmill.search.text_languages import TextLanguages

# word/TAG/how far the head is/relation; the lemma is the word, or what stands before it with =.
PAPER = {
    "predicate": "Margaret/PROPN/5/nsubj Thatcher/PROPN/-1/flat be=was/AUX/3/cop the/DET/2/det prime/ADJ/1/amod "
    "minister/NOUN/0/root ./PUNCT/-1/punct",
    "appositive": "Rudy/PROPN/8/nsubj Giuliani/PROPN/-1/flat ,/PUNCT/4/punct New/PROPN/1/compound "
    "York/PROPN/1/compound City/PROPN/1/compound "
    "mayor=Mayor/NOUN/-6/appos ,/PUNCT/-1/punct be=is/VERB/0/root here/ADV/-1/advmod ./PUNCT/-2/punct",
    "such_as": "We/PRON/1/nsubj read/VERB/0/root columnist=Columnists/NOUN/-1/obj ,/PUNCT/3/punct such/ADJ/2/case "
    "as/ADP/-1/fixed Paul/PROPN/-4/nmod Krugman/PROPN/-1/flat ./PUNCT/-7/punct",
    "such_class_as": "Work/NOUN/0/root by/ADP/2/case such/ADJ/1/amod columnist/NOUN/-3/nmod as/ADP/1/case "
    "Paul/PROPN/-2/nmod Krugman/PROPN/-1/flat ,/PUNCT/2/punct and/CCONJ/1/cc Paul/PROPN/-4/conj Romer/PROPN/-1/flat "
    "./PUNCT/-11/punct",
    "or_other": "Ask/VERB/0/root Paul/PROPN/-1/obj Krugman/PROPN/-1/flat ,/PUNCT/4/punct or/CCONJ/3/cc any/DET/2/det "
    "other/ADJ/1/amod columnist/NOUN/-6/conj in/ADP/3/case the/DET/2/det N.Y./PROPN/1/compound Times/PROPN/-4/nmod "
    "./PUNCT/-12/punct",
    "and_other": "Read/VERB/0/root Paul/PROPN/-1/obj Krugman/PROPN/-1/flat and/CCONJ/2/cc other/ADJ/1/amod "
    "economist=economists/NOUN/-4/conj and/CCONJ/2/cc healthcare/NOUN/1/compound expert=experts/NOUN/-3/conj "
    "./PUNCT/-9/punct",
}
EXPECTED = {
    "predicate": ("Margaret Thatcher", "prime minister"),
    "appositive": ("Rudy Giuliani", "mayor"),
    "such_as": ("Paul Krugman", "columnist"),
    "such_class_as": ("Paul Krugman", "columnist"),
    "or_other": ("Paul Krugman", "columnist"),
    "and_other": ("Paul Krugman", "economist"),
}
_KRUGMAN = "Paul/PROPN/{}/nsubj Krugman/PROPN/-1/flat"
_SINGER = "a/DET/1/det singer/NOUN/0/root ./PUNCT/-1/punct"
LEFT_OUT = [
    f"be=Is/AUX/4/cop {_KRUGMAN.format(3)} the/DET/1/det singer/NOUN/0/root ?/PUNCT/-1/punct",
    f"{_KRUGMAN.format(5)} be=is/AUX/3/cop not/PART/2/advmod {_SINGER}",
    f"if=If/SCONJ/5/mark {_KRUGMAN.format(4)} be=is/AUX/2/cop {_SINGER}",
]


class Unclustered:
    """Each noun is a cluster of its own, the most frequent first."""

    about = "nothing"

    def clusters(self, nouns: Sequence[Noun]) -> Clusters:
        ordered = sorted(nouns, key=lambda noun: (-noun.count, noun.key))
        return Clusters([[noun] for noun in ordered], [""] * len(ordered))


def _relatedness(wordnet: WordNet, one: str, other: str) -> float:
    return wordnet.most_similar(wordnet.senses(one), wordnet.senses(other))


NOUNS = {
    "entity": "",
    "person": "entity",
    "communicator": "person",
    "columnist": "communicator",
    "economist": "person",
    "head of state": "person",
    "prime minister": "head of state",
    "mayor": "person",
    "guy": "person",
    "creature": "entity",
    "animal": "creature",
    "dog": "animal",
    "feeling": "entity",
    "love": "feeling",
}


def sentence(text: str) -> list[Token]:
    tokens: list[Token] = []
    for part in text.split():
        form, tag, head, relation = part.split("/")
        lemma, _, word = form.rpartition("=")
        tokens.append((word, tag, lemma or word, "", False, "", int(head), relation))
    return tokens


def index_of(folder: Path, *texts: str, lang: str = "en") -> Index:
    documents = [PlainDocument([PlainParagraph([sentence(text)], {"kind": "p"})], {"lang": lang}) for text in texts]
    return make_index(folder / "index", documents)


def said(name: str, noun: str) -> str:
    """A sentence that says that a name of one word is something."""
    return f"{name}/PROPN/3/nsubj be=is/AUX/2/cop a/DET/1/det {noun}/NOUN/0/root ./PUNCT/-1/punct"


def searched(index: Index, kind: str = "tags", wordnet: WordNet | None = None, enough: int | None = None) -> Searched:
    clustering = ByHypernyms(wordnet) if wordnet else Unclustered()
    return Searched(
        index, Subcorpus(index, 'lang="..*"'), "en", "", patterns_for("en", kind), clustering, wordnet, enough
    )


def classes(index: Index, name: str, kind: str = "tags", *, last: bool = False, **options: object) -> Classes:
    where = searched(index, kind, **options)  # type: ignore[arg-type]
    return classes_of(where, name_of(name, "en", where.patterns.titles, last=last))


@pytest.fixture(scope="module")
def wordnet(tmp_path_factory: pytest.TempPathFactory) -> WordNet:
    folder = tmp_path_factory.mktemp("wordnet")
    write_wordnet(folder, NOUNS, {"Paul Krugman": "economist"})
    return WordNet(folder)


@pytest.mark.parametrize("kind", ["tags", "tree"])
@pytest.mark.parametrize("pattern", PAPER)
def test_examples_of_the_paper(tmp_path: Path, wordnet: WordNet, pattern: str, kind: str) -> None:
    index = index_of(tmp_path, PAPER[pattern])
    name, noun = EXPECTED[pattern]
    found = classes(index, name, kind, wordnet=wordnet)
    assert [(row.noun, row.patterns) for row in found.best] == [(noun, f"{pattern} 1")]
    assert len(find(index, found.query(noun))) == 1
    assert len(find(index, found.query(noun, pattern))) == 1
    assert not classes(index, name.split()[-1], kind, wordnet=wordnet).rows  # it is part of a longer name


@pytest.mark.parametrize("kind", ["tags", "tree"])
def test_the_other_member_of_a_list(tmp_path: Path, kind: str) -> None:
    index = index_of(tmp_path, PAPER["such_class_as"])
    assert [row.noun for row in classes(index, "Paul Romer", kind).rows] == ["columnist"]


@pytest.mark.parametrize("kind", ["tags", "tree"])
def test_questions_denials_and_conditions_are_left_out(tmp_path: Path, kind: str) -> None:
    index = index_of(tmp_path, *LEFT_OUT, PAPER["and_other"])
    found = classes(index, "Paul Krugman", kind)
    assert found.left_out == {"interrogative": 1, "negated": 1, "conditional": 1}
    assert "singer" not in [row.noun for row in found.rows]
    assert (found.frequency, found.sentences) == (4, 4)


def test_patterns_are_run_until_there_is_enough(tmp_path: Path) -> None:
    index = index_of(
        tmp_path, said("Ada", "miller"), said("Ada", "baker"), "a/DET/1/det miller/NOUN/0/root Ada/PROPN/-1/appos"
    )
    found = classes(index, "Ada", enough=2)
    assert [run.found for run in found.patterns] == [2, None, None, None, None, None]
    assert sum(row.count for row in found.rows) == 2
    found = classes(index, "Ada", enough=3)
    assert [run.found for run in found.patterns] == [2, 1, None, None, None, None]
    assert {row.noun: (row.count, row.documents, row.patterns) for row in found.rows} == {
        "miller": (2, 2, "predicate 1, appositive 1"),
        "baker": (1, 1, "predicate 1"),
    }
    assert len(find(index, found.query("miller"))) == 2


def test_clusters_by_hypernyms(tmp_path: Path, wordnet: WordNet) -> None:
    nouns = ["guy", "guy", "columnist", "dog", "dog", "love", "gizmo"]
    found = classes(index_of(tmp_path, *(said("Ada", noun) for noun in nouns)), "Ada", wordnet=wordnet)
    assert [(row.noun, row.count, row.cluster) for row in found.rows] == [
        ("guy", 2, 1),
        ("columnist", 1, 1),
        ("dog", 2, 2),
        ("gizmo", 1, 3),
    ]
    assert found.clusters[:2] == ["person", "animal"]
    assert found.filtered == {"feeling": {"love": 1}}
    assert found.rows[1].hypernyms == "communicator, person, entity"
    assert [row.noun for row in found.best] == ["guy", "columnist"]
    assert found.clustered_by == "hypernyms of WordNet"


def test_own_hypernyms(tmp_path: Path, wordnet: WordNet) -> None:
    own = tmp_path / "own.toml"
    own.write_text('clusters = ["entity"]\nfiltered = ["communicator"]\n')
    index = index_of(tmp_path, said("Ada", "guy"), said("Ada", "dog"), said("Ada", "columnist"))
    where = searched(index)
    clustering = ByHypernyms(wordnet, hypernyms=read_hypernyms(own))
    where = Searched(index, where.part, "en", "", where.patterns, clustering, wordnet, None)
    found = classes_of(where, name_of("Ada", "en"))
    assert [(row.noun, row.cluster) for row in found.rows] == [("dog", 1), ("guy", 1)]
    assert found.filtered == {"communicator": {"columnist": 1}}
    own.write_text("clusters = 1\n")
    with pytest.raises(UsageError, match="clusters must be a list of nouns"):
        read_hypernyms(own)


def test_the_last_word_stands_for_the_name(tmp_path: Path) -> None:
    index = index_of(tmp_path, PAPER["and_other"], said("Krugman", "author"), said("Romer", "author"))
    assert [row.noun for row in classes(index, "Paul Krugman").rows] == ["economist"]
    found = classes(index, "Paul Krugman", last=True)
    assert {row.noun for row in found.rows} == {"economist", "author"}
    assert len(find(index, found.query("author"))) == 1


def test_titles_and_names_of_a_corpus(tmp_path: Path) -> None:
    titled = "president=President/PROPN/1/compound " + said("Ada", "miller")
    index = index_of(tmp_path, titled, said("Ada", "baker"), PAPER["predicate"])
    where = searched(index)
    names = frequent_names(index, where.part, where.patterns, min_count=1)
    assert [(one.name.text, one.count) for one in names] == [("Ada", 2), ("Margaret Thatcher", 1)]
    found = names_with_classes(where, names)
    assert [(row.name, row.classes) for row in found.rows] == [("Ada", "baker 1"), ("Margaret Thatcher", "minister 1")]
    assert {row.noun for row in classes(index, "Ada").rows} == {"baker", "miller", "president"}


def test_german(tmp_path: Path) -> None:
    texts = (
        "Ada/PROPN/3/nsubj sein=ist/AUX/2/cop eine/DET/1/det Müllerin/NOUN/0/root ./PUNCT/-1/punct",
        "Städte/NOUN/0/root wie/ADP/1/case Ulm/PROPN/-2/nmod und/CCONJ/1/cc Ada/PROPN/-2/conj ./PUNCT/-5/punct",
    )
    index = index_of(tmp_path, *texts, lang="de")
    for kind in ("tags", "tree"):
        where = Searched(index, Subcorpus(index, 'lang="de"'), "de", "", patterns_for("de", kind), Unclustered())
        found = classes_of(where, name_of("Ada", "de"))
        assert {row.noun: row.patterns for row in found.rows} == {"Müllerin": "predicate 1", "Städte": "such_as 1"}


def test_trees_are_known_by_language(tmp_path: Path) -> None:
    assert TextLanguages(index_of(tmp_path / "with", PAPER["predicate"])).are_parsed("en")
    plain = PlainDocument([PlainParagraph([[("Ada", "PROPN", "Ada", "", False)]])], {"lang": "en"})
    assert not TextLanguages(make_index(tmp_path / "without" / "index", [plain])).are_parsed("en")
    assert patterns_for("cs", "tree").name == "tree"
    assert default_kind(TextLanguages(index_of(tmp_path / "parsed", PAPER["predicate"])), "en") == "tags"
    assert default_kind(TextLanguages(index_of(tmp_path / "czech", said("Ada", "mlynářka"), lang="cs")), "cs") == "tree"
    with pytest.raises(UsageError, match="no patterns by tags for classes of names in the language cs, only in de, en"):
        patterns_for("cs", "tags")


def test_accuracy(tmp_path: Path, wordnet: WordNet) -> None:
    texts = [said("Ada", "columnist"), said("Ada", "guy"), said("Bob", "dog"), said("Cid", "gizmo")]
    index = index_of(tmp_path, *texts)
    file = tmp_path / "expected.tsv"
    file.write_text("# names\nAda\tcommunicator\nBob\tperson\nDan\tperson\n")
    expected = read_expected(file)
    where = searched(index, wordnet=wordnet)
    result = evaluate(expected, lambda name: classes_of(where, name_of(name, "en")), wordnet)
    assert [(row.type, row.names, row.without, row.accuracy) for row in result.rows] == [
        ("all", 2, 1, 0.5),
        ("communicator", 1, 0, 1.0),
        ("person", 1, 1, 0.0),
    ]
    assert is_correct("gizmo", ["Gizmo"], wordnet)
    assert not is_correct("columnist", ["dog"], wordnet)
    file.write_text("Ada\n")
    with pytest.raises(UsageError, match="line 1: write a name, a tab, and types"):
        read_expected(file)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('kind = "x"', "kind must be one of tree, tags"),
        ("", r"there must be a \[\[pattern\]\]"),
        ("x = 1", "x"),
        ("[[pattern]]\nname = 'Ä'", "a .* needs a name"),
        ("[[pattern]]\nname = 'a'\nqueries = ['1:[]']", r"needs one token 2:\[...\]"),
        ("[[pattern]]\nname = 'a'\nqueries = ['1:[] 2:[']", "the pattern 'a'"),
        ("[[pattern]]\nname = 'a'\nqueries = ['@b 1:[] 2:[]']", "@b is not defined"),
        ("[define]\nb='@c'\nc='@b'\n[[pattern]]\nname = 'a'\nqueries = ['@b 1:[] 2:[]']", "in a circle"),
        ("titles = [1]\n[[pattern]]\nname = 'a'\nqueries = ['1:[] 2:[]']", "titles must be a list"),
        (
            "[[pattern]]\nname = 'a'\nqueries = ['1:[] 2:[]']\n[[pattern]]\nname = 'a'\nqueries = ['1:[] 2:[]']",
            "two patterns",
        ),
    ],
)
def test_wrong_patterns_are_told_of(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "own.toml"
    file.write_text(text, "utf-8")
    with pytest.raises(UsageError, match=message):
        read_patterns(file)


def test_own_patterns(tmp_path: Path) -> None:
    file = tmp_path / "own.toml"
    file.write_text('[[pattern]]\nname = \'called\'\nqueries = [\'1:[tag="NOUN"] [word="called"] 2:[tag="PROPN"]\']\n')
    index = index_of(tmp_path, "a/DET/1/det mill/NOUN/0/root called/VERB/-1/acl Ada/PROPN/-1/xcomp ./PUNCT/-3/punct")
    part = Subcorpus(index, 'lang="en"')
    found = classes_of(Searched(index, part, "en", "", read_patterns(file), Unclustered()), name_of("Ada", "en"))
    assert [(row.noun, row.patterns, row.example) for row in found.rows] == [
        ("mill", "called 1", "a mill called Ada .")
    ]
    with pytest.raises(UsageError, match="Ada has no class 'mil'; did you mean 'mill'"):
        found.query("mil")
    assert set(pattern_files()) == {"tags-de", "tags-en", "tree", "tree-de", "tree-en"}


def test_wordnet_of_princeton() -> None:
    folder = Path("/usr/share/wordnet")
    if not (folder / "data.noun").is_file():
        pytest.skip("no WordNet is installed")
    wordnet = WordNet(folder)
    assert _relatedness(wordnet, "actor", "artist") == 0.25  # these three are in the paper
    assert _relatedness(wordnet, "chain", "company") == _relatedness(wordnet, "person", "set") == 0.2
    assert [wordnet.synset(offset).words[0] for offset in wordnet.senses("Paris")[0].classes] == ["national capital"]


def test_a_wordnet_that_is_none(tmp_path: Path, wordnet: WordNet) -> None:
    with pytest.raises(UsageError, match="can't read WordNet's"):
        WordNet(tmp_path)
    for name in ("index.noun", "data.noun"):
        (tmp_path / name).write_bytes((wordnet.folder / name).read_bytes().replace(b"00000", b"00009"))
    with pytest.raises(UsageError, match="is not a WordNet in Princeton's format, or damaged"):
        WordNet(tmp_path).senses("dog")
    assert wordnet.senses("zebra") == wordnet.senses("aa") == wordnet.senses(" ") == ()
    assert _relatedness(wordnet, "columnist", "economist") == 0.25
    assert wordnet.senses("Paul Krugman")[0].classes == (wordnet.senses("economist")[0].offset,)


def test_distribution_joins_nouns_that_are_used_alike(tmp_path: Path) -> None:
    verbs = ("eat", "bake", "sell", "buy")
    texts = [
        f"we/PRON/1/nsubj {verb}/VERB/0/root the/DET/1/det {noun}/NOUN/-2/obj ./PUNCT/-3/punct"
        for noun, some in (("bread", verbs), ("cake", verbs), ("road", ("build", "cross", "sweep", "pave")))
        for verb in some
        for _ in range(3)
    ]
    texts += [said("Ada", "bread"), said("Ada", "cake"), said("Ada", "road")]
    index = index_of(tmp_path, *texts)
    base = open_sketches(index, tmp_path, lang="en").base
    part = Subcorpus(index, 'lang="en"')
    where = Searched(index, part, "en", "", patterns_for("en", "tags"), ByDistribution(base))
    found = classes_of(where, name_of("Ada", "en"))
    assert [(row.noun, row.cluster) for row in found.rows] == [("bread", 1), ("cake", 1), ("road", 2)]
    similar = {row.word: row.similarity for row in thesaurus(open_sketches(index, tmp_path, lang="en"), "bread").rows}
    units = [base.find(noun, "NOUN") for noun in ("bread", "cake", "road")]
    matrix = similarities(base, [*units, -1])
    assert matrix[0, 1] == pytest.approx(similar["cake"], rel=1e-3)
    assert matrix[0, 2] < matrix[0, 1]
    assert matrix[3].tolist() == [0, 0, 0, 1]
