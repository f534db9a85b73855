"""The parser of our own: its actions and their costs by hand, learning, trees, models as files, and the command."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from random import Random

import numpy as np
import pytest
from command import run
from growth import check_growth
from hypothesis import given, settings
from hypothesis import strategies as st
from invented import sentences, with_tree, write_conllu

from gristmill.annotation import annotate
from gristmill.annotation.parsing import choice, training
from gristmill.annotation.parsing.evaluating import evaluate
from gristmill.annotation.parsing.measured import check_trees, train_measured
from gristmill.annotation.parsing.model import Model
from gristmill.annotation.parsing.parser import Parser
from gristmill.annotation.parsing.projective import lifted
from gristmill.annotation.parsing.shipped import FOLDER, SUFFIX, languages, model_of
from gristmill.annotation.parsing.templates import ACTION_TEMPLATES, RELATION_TEMPLATES
from gristmill.annotation.parsing.training import train
from gristmill.annotation.parsing.words import Reading, WordTable
from gristmill.annotation.relations import as_tree
from gristmill.annotation.tagger import check_choices, named_by, spec_for, with_whole_paths
from gristmill.annotation.tagging.treebank import TAGS, Sentence, Token, read_treebank
from gristmill.cleaning.models import pack, read
from gristmill.errors import UsageError
from gristmill.kernel import Features, KeyTable, costs_of, find_heads, find_relations, parse_learning, parse_paths
from gristmill.kernel.parse_features import Features as PlainFeatures
from gristmill.kernel.parse_features import KeyTable as PlainTable
from gristmill.kernel.parse_slots import ATOMS, LABEL_ATOMS, LEFT, REDUCE, RIGHT, SHIFT

LANG = "hsb"
"""A language without a dictionary, which stands for the invented one."""


def trees(number: int, seed: int = 0) -> list[Sentence]:
    return list(map(with_tree, sentences(number, seed)))


@pytest.fixture(scope="module")
def model() -> Model:
    """A model of the invented language."""
    return train(trees(200), LANG)


def readings_of(made: Sequence[Sentence]) -> tuple[list[Reading], list[int]]:
    words = [token for sentence in made for token in sentence.words]
    return [(token.word, token.lemma, token.tag, token.feats) for token in words], [len(one.words) for one in made]


def costs(heads: list[int], actions: list[int]) -> list[list[int]]:
    arrays = np.array(heads, np.int32), np.array(actions, np.int32)
    found: list[list[int]] = costs_of(*arrays).tolist()
    assert parse_learning.costs_of(*arrays).tolist() == found
    return found


def test_costs_of_actions_by_hand() -> None:
    # The mill stands .   Columns: SHIFT, REDUCE, LEFT, RIGHT; -1 where an action can't be done.
    assert costs([1, 1, 0, -1], [SHIFT, LEFT, SHIFT, LEFT, SHIFT, RIGHT]) == [
        [0, -1, -1, -1],  # nothing is on the stack
        [1, -1, 0, 2],  # The | mill: a shift loses `The`; `mill` under `The` loses both heads
        [0, -1, -1, -1],
        [1, -1, 0, 2],  # mill | stands: the same
        [0, -1, -1, -1],
        [1, -1, 2, 0],  # stands | . : `.` as the head loses the root and itself as a dependent
    ]


def test_costs_after_an_error() -> None:
    # `b` and `c` hang on `a`. With `b` shifted, its head is lost, and nothing that is done now costs that again.
    found = costs([0, -1, -2], [SHIFT, SHIFT, SHIFT, RIGHT, LEFT])
    assert found[:2] == [[0, -1, -1, -1], [1, -1, 3, 0]]
    assert found[2] == [1, -1, 0, 1]  # a b | c: `c` is to hang on `a`, below
    assert found[3:] == [[-1, -1, 0, 0], [-1, -1, 1, 0]]  # all are read: neither is right of b | c, but of a | b


def test_words_left_on_the_stack_are_joined() -> None:
    assert costs([1, 0], [SHIFT, SHIFT, LEFT])[1:] == [[1, -1, 0, 2], [-1, -1, 0, 1]]
    with pytest.raises(ValueError, match="no such action"):
        costs([1, 0], [SHIFT, REDUCE])
    with pytest.raises(ValueError, match="not in its sentence"):
        costs([5, 0], [SHIFT])


@given(st.integers(1, 9), st.randoms(use_true_random=False))
def test_the_right_actions_make_the_tree(size: int, random: Random) -> None:
    order = list(range(size))
    random.shuffle(order)
    heads = [0] * size
    for number, at in enumerate(order[1:], 1):
        heads[at] = order[random.randrange(number)] - at
    heads = lifted(heads)
    actions: list[int] = []
    arcs: dict[int, int] = {}
    stack: list[int] = []
    front = 0
    while front < size:
        options = costs(heads, [*actions, SHIFT])[-1]
        assert min(cost for cost in options if cost >= 0) == 0  # there is always a right one
        action = next(number for number in (LEFT, RIGHT, REDUCE, SHIFT) if options[number] == 0)
        actions.append(action)
        if action == LEFT:
            arcs[stack.pop()] = front
        elif action == REDUCE:
            stack.pop()
        else:
            if action == RIGHT:
                arcs[front] = stack[-1]
            stack.append(front)
            front += 1
    assert [arcs.get(at, at) - at for at in range(size)] == heads


def test_lifting() -> None:
    assert lifted([1, 0, -1]) == [1, 0, -1]
    # `a` hangs on `c` over the root `b`: it is lifted to the head of `c`
    assert lifted([2, 0, -1]) == [1, 0, -1]
    assert lifted([]) == []


def test_it_learns_a_language(model: Model) -> None:
    unseen = trees(60, seed=5)
    scores = evaluate(Parser(model), unseen)
    assert (scores.uas, scores.las) == (1.0, 1.0)
    assert scores.words == sum(len(one.words) for one in unseen)
    assert model.card["sentences"] == 200
    assert train(trees(30), LANG).to_bytes() == train(trees(30), LANG).to_bytes()


def test_models_are_files(model: Model, tmp_path: Path) -> None:
    path = tmp_path / f"x{SUFFIX}"
    path.write_bytes(model.to_bytes())
    again = Model.read(path)
    assert again.to_bytes() == model.to_bytes()
    assert (again.names, again.lang) == (["amod", "aux", "det", "nsubj", "obj", "punct"], LANG)
    assert Parser(again).parse(*readings_of(trees(9))) == Parser(model).parse(*readings_of(trees(9)))


@pytest.mark.parametrize("name", ["action_keys", "action_counts", "relation_columns", "names", "action_templates"])
def test_damaged_models(model: Model, tmp_path: Path, name: str) -> None:
    path = tmp_path / f"x{SUFFIX}"
    path.write_bytes(model.to_bytes())
    found = read(path)
    for value in (np.zeros(0, np.uint8), found.arrays[name] ^ 0xFF if name != "action_templates" else None):
        arrays = {**found.arrays, name: np.full((1, 4), 999, np.int16) if value is None else value}
        path.write_bytes(pack("parser", arrays, {}))
        with pytest.raises(UsageError, match="is damaged"):
            Model.read(path)
    path.write_bytes(pack("tagger", found.arrays, {}))
    with pytest.raises(UsageError, match="is a model of tagger, not of a parser"):
        Model.read(path)


def shuffled(model: Model, seed: int) -> Parser:
    """A parser whose weights are those of other features: it does anything."""
    generator = np.random.default_rng(seed)
    actions = replace(model.actions, rows=generator.permutation(model.actions.rows.ravel()).reshape(-1, 4))
    return Parser(replace(model, actions=actions))


@settings(max_examples=40, deadline=None)
@given(st.lists(st.integers(0, 12), max_size=6), st.integers(0, 99))
def test_it_is_always_a_tree(model: Model, lengths: list[int], seed: int) -> None:
    random = Random(seed)
    known = [token for one in trees(20) for token in one.words]
    words = [random.choice(known) for _ in range(sum(lengths))]
    readings = [(word.word, word.lemma, random.choice([word.tag, *TAGS, "?"]), word.feats) for word in words]
    heads, deprels = shuffled(model, seed).parse(readings, lengths)
    end = 0
    for length in lengths:
        start, end = end, end + length
        ours = heads[start:end], deprels[start:end]
        assert as_tree(*ours) == ours
        assert all(ours[1])


def test_long_sentences_are_trees_and_take_no_longer_a_word(model: Model) -> None:
    parser = shuffled(model, 3)
    readings, _ = readings_of(trees(700))
    for length in (1, 1000, len(readings)):
        found = parser.parse(readings[:length], [length])
        assert as_tree(*found) == found
    assert parser.parse([], []) == ([], [])
    check_growth(lambda size: lambda: parser.parse((readings * 8)[:size], [size]), 1000, 4000, 0.02)


def test_compiled_and_uncompiled_are_the_same(model: Model) -> None:
    readings, lengths = readings_of(trees(8, seed=3))
    for parser in (Parser(model), shuffled(model, 1)):
        table = WordTable()
        types = table.types_of(readings)
        starts = np.cumsum([0, *lengths]).astype(np.int32)
        arrays = (types, starts, table.attributes, table.tags)
        actions = PlainFeatures(ACTION_TEMPLATES, ATOMS, PlainTable(model.actions.keys.data))
        labels = PlainFeatures(RELATION_TEMPLATES, LABEL_ATOMS, PlainTable(model.relations.keys.data))
        heads = parse_paths.find_heads(*arrays, actions, parser._actions)
        assert heads.tolist() == find_heads(*arrays, parser._features, parser._actions).tolist()
        relations = parse_paths.find_relations(*arrays, heads, labels, parser._relations)
        compiled = find_relations(*arrays, heads, parser._labels, parser._relations)
        assert relations.tolist() == compiled.tolist()


def test_rows_are_found_for_all_templates(model: Model) -> None:
    """By the keys of each template alone; one with a gap, which a damaged file may have, ends there."""
    random = np.random.default_rng(1)
    templates = random.integers(-1, ATOMS, (60, 4)).astype(np.int32)
    templates[random.random((60, 4)) < 0.2] = -1
    nothing = PlainFeatures(templates, ATOMS, PlainTable(np.zeros(0, np.uint32).data))
    nothing.atoms[:] = random.integers(0, 1 << 32, ATOMS, np.uint32).data
    keys = np.array([nothing.key(number) for number in range(60)], np.uint32)
    known = np.unique(np.concatenate([keys[::2], random.integers(0, 1 << 32, 50, np.uint32)]))
    plain = PlainFeatures(templates, ATOMS, PlainTable(known.data))
    plain.atoms[:] = nothing.atoms
    plain.look_up()
    rows = {key: row for row, key in enumerate(known.tolist())}
    assert plain.rows[: plain.count].tolist() == [rows[key] for key in keys.tolist() if key in rows]
    readings, lengths = readings_of(trees(3))
    ours = replace(model.actions, templates=templates[: len(model.actions.templates)])
    table = WordTable()
    types, starts = table.types_of(readings), np.cumsum([0, *lengths]).astype(np.int32)
    arrays = (types, starts, table.attributes, table.tags)
    uncompiled = PlainFeatures(ours.templates, ATOMS, PlainTable(ours.keys.data))
    compiled = Features(ours.templates, ATOMS, KeyTable(ours.keys.data))
    heads = parse_paths.find_heads(*arrays, uncompiled, ours.rows)
    assert heads.tolist() == find_heads(*arrays, compiled, ours.rows).tolist()


def test_learning_is_the_same_compiled_and_uncompiled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(training, "ROUNDS", 4)
    made = trees(5, seed=5)
    compiled = train(made, LANG, seed=3)
    assert min(len(compiled.actions.keys), len(compiled.relations.keys)) > 100
    assert train(made, LANG, seed=4).to_bytes() != compiled.to_bytes()
    for name in ("describe_actions", "describe_relations", "learn_actions", "learn_relations"):
        monkeypatch.setattr(training, name, getattr(parse_learning, name))
    monkeypatch.setattr(training, "Features", PlainFeatures)
    monkeypatch.setattr(training, "KeyTable", PlainTable)
    assert train(made, LANG, seed=3).to_bytes() == compiled.to_bytes()


def test_words_are_forgotten(model: Model) -> None:
    parser = Parser(model)
    expected = parser.parse(*readings_of(trees(40)))
    assert parser.kept_bytes() > 0
    parser.max_types = 10
    assert parser.parse(*readings_of(trees(40))) == expected
    parser.forget()
    assert parser.kept_bytes() == 0


def conllu(*heads: str) -> str:
    return "".join(f"{at}\tw{at}\t_\tNOUN\t_\t_\t{head}\n" for at, head in enumerate(heads, 1)).replace(
        "\n", "\t_\t_\n"
    )


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (
            conllu("2\tdet", "1\tdet", "0\troot"),
            r"sentence 1 of the treebank \(w1 w2 w3...\) has heads that go in a circle",
        ),
        (conllu("0\troot", "7\tobj"), "word 2 has the head 7, which there is not"),
        (conllu("0\troot", "0\troot"), "has 2 words without a head; a tree has one"),
        (conllu("2\tdet", "1\tobj"), "has 0 words without a head"),
        (conllu("_\t_", "0\troot"), "has words without a head or relation"),
    ],
)
def test_what_is_no_tree_is_an_error(tmp_path: Path, text: str, reason: str) -> None:
    path = tmp_path / "x.conllu"
    path.write_text(text, "utf-8")
    with pytest.raises(UsageError, match=reason):
        check_trees(read_treebank(path))
    result = run("train", "parser", path, "--lang", LANG, "-o", tmp_path / "x.parser")
    assert result.returncode == 2
    assert b"Traceback" not in result.stderr


def test_relations_of_multiword_tokens(tmp_path: Path) -> None:
    path = tmp_path / "x.conllu"
    rows = ["1\tva\t_\tVERB\t_\t_\t0\troot", "2-3\tdu\t_\t_\t_\t_\t_\t_", "2\tde\t_\tADP\t_\t_\t4\tcase"]
    rows += ["3\tle\t_\tDET\t_\t_\t4\tdet", "4\tpont\t_\tNOUN\t_\t_\t1\tobl"]
    path.write_text("".join(f"{row}\t_\t_\n" for row in rows), "utf-8")
    (found,) = read_treebank(path)
    assert [(token.word, token.head, token.deprel) for token in found.tokens] == [
        ("va", 0, "root"),
        ("du", 1, "case"),
        ("pont", -2, "obl"),
    ]


def test_the_command_trains_a_parser_that_annotation_uses(tmp_path: Path) -> None:
    treebank = write_conllu(tmp_path / "x.conllu", trees(60))
    path = tmp_path / "x.parser"
    result = run("train", "parser", treebank, "--lang", LANG, "-o", path)
    assert result.returncode == 0, result.stderr
    assert b"of heads (UAS)" in result.stderr
    assert f"--parser {LANG}={path}".encode() in result.stderr
    tagger = tmp_path / "x.tagger"
    assert run("train", "tagger", treebank, "--lang", LANG, "-o", tagger).returncode == 0
    choices = [f"{LANG}=own:{tagger}", choice.as_choice(f"{LANG}={path}")]
    check_choices(choices)
    words = [token.word for token in trees(1)[0].words]
    (annotation,) = annotate([(" ".join(words), LANG)], choices)
    assert annotation.words == words
    assert annotation.heads == [token.head for token in trees(1)[0].words]
    assert annotation.deprels == [token.deprel for token in trees(1)[0].words]
    (without,) = annotate([(" ".join(words), LANG)], [choices[0]])
    assert not any(without.deprels)
    assert result.returncode == 0
    for arguments in (["--lang", LANG], [treebank]):
        assert run("train", "parser", *arguments, "-o", path).returncode == 2


def test_a_treebank_that_is_too_small() -> None:
    with pytest.raises(UsageError, match="a parser is learned from 20 sentences or more; here are 5"):
        train_measured(trees(5), LANG)


def test_choices(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    ours = [choice.as_choice("de=de.parser"), choice.as_choice("fr=none")]
    assert ours == ["de=parser:de.parser", "fr=parser:none"]
    assert choice.path_for("de-AT", ours) == Path("de.parser")
    assert choice.path_for("fr", ours) is None
    assert choice.path_for("en", ["parser:none"]) is None
    assert with_whole_paths(ours)[0] == f"de=parser:{tmp_path / 'de.parser'}"
    assert choice.with_whole_file("de=de.parser") == f"de={tmp_path / 'de.parser'}"
    assert [item.what for item in named_by(ours)] == [str((tmp_path / "de.parser").resolve())]
    assert spec_for("de", ours) == spec_for("de")
    for wrong in ("de.parser", "", "=x", "de="):
        with pytest.raises(UsageError, match="names no parser"):
            choice.as_choice(wrong)
    with pytest.raises(UsageError, match=r"there is no model de\.parser"):
        check_choices(ours)


def test_models_that_come_with_it() -> None:
    assert languages()
    for lang in languages():
        path = model_of(lang)
        assert path is not None
        card = Model.read(path).card
        assert card["language"] == lang
        assert card["held out"]["las"] >= 0.75
        assert path.stat().st_size < 1_300_000
    assert model_of("../en") is None
    assert f"`en{SUFFIX}`" in (FOLDER / "PARSERS.md").read_text("utf-8")


def test_english() -> None:
    annotation = annotate([("The old mill stands near the river.", "en")])[0]
    assert as_tree(annotation.heads, annotation.deprels) == (annotation.heads, annotation.deprels)
    assert annotation.deprels[:4] == ["det", "amod", "nsubj", "root"]
    assert annotation.heads[:4] == [2, 1, 1, 0]
    assert not any(annotate([("The old mill stands.", "en")], ["parser:none"])[0].deprels)


def test_unknown_attributes_do_no_harm() -> None:
    table = WordTable()
    types = table.types_of(
        [("\ud800", "", "?", "a|=|b="), ("x" * 5000, "y", "NOUN", ""), ("\ud800", "", "?", "a|=|b=")]
    )
    assert types.tolist() == [0, 1, 0]
    assert table.tags.tolist() == [TAGS.index("X"), TAGS.index("NOUN")]
    assert Token("a", "X").head == 0
