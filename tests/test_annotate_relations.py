"""Trees of relations: what is none becomes one, what is one stays one when tokens are joined."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from gristmill.annotation.relations import as_tree, as_trees, joined

HEADS, RELATIONS = [1, 1, 0, 1, -2, -3], ["det", "nsubj", "root", "case", "obl", "punct"]


def is_tree(heads: list[int]) -> bool:
    """Tell whether one token has no head, and all others have a way to it."""
    ends = set()
    for start in range(len(heads)):
        at = start
        for _ in heads:
            at += heads[at]
            assert 0 <= at < len(heads)
        ends.add(at)
    return len(ends) == 1 and heads.count(0) == 1


def test_trees_stay_as_they_are() -> None:
    assert as_tree(HEADS, RELATIONS) == (HEADS, RELATIONS)
    assert as_tree([0], ["root"]) == ([0], ["root"])
    assert as_tree([], []) == ([], [])
    assert as_tree([1, 0], ["", ""]) == ([0, 0], ["", ""])
    assert as_trees([0, 1, 0], ["root", "det", "root"], [1, 2]) == ([0, 1, 0], ["root", "det", "root"])


def test_what_is_no_tree_becomes_one() -> None:
    assert as_tree([0, 0, 0], ["root", "root", ""]) == ([0, -1, -2], ["root", "dep", "dep"])
    assert as_tree([5, 0, -1], ["nsubj", "root", "obj"]) == ([1, 0, -1], ["nsubj", "root", "obj"])
    assert as_tree([1, -1, 0, 1, -1], ["a", "b", "root", "c", "d"]) == (
        [2, -1, 0, -1, -1],
        ["a", "b", "root", "c", "d"],
    )
    assert as_tree([1, -1], ["nsubj", "root"]) == ([0, -1], ["root", "dep"])


@given(st.lists(st.tuples(st.integers(-5, 5), st.sampled_from(["", "root", "obj"])), min_size=1, max_size=9))
def test_it_is_always_a_tree(tokens: list[tuple[int, str]]) -> None:
    given_heads, given_relations = map(list, zip(*tokens, strict=True))
    heads, relations = as_tree(given_heads, given_relations)
    if any(given_relations):
        assert is_tree(heads)
        assert [relation == "root" for relation in relations] == [head == 0 for head in heads]
        assert all(relations)
        assert as_tree(heads, relations) == (heads, relations)
    else:
        assert (heads, relations) == ([0] * len(heads), given_relations)


def test_tokens_that_are_joined() -> None:
    # The mill stands at-dawn . : the head of `at` and `dawn` is that of `dawn`, whose own is not in the group.
    assert joined(HEADS, RELATIONS, [0, 1, 2, 3, 3, 4]) == ([1, 1, 0, -1, -2], ["det", "nsubj", "root", "obl", "punct"])
    assert joined(HEADS, RELATIONS, [0, 0, 0, 0, 0, 0]) == ([0], ["root"])
    # `a` hangs on `c`, which hangs on `b`; with the head of `a`, `a` and `b` joined would hang on what hangs on them
    assert joined([2, 2, -1, 0], ["x", "y", "z", "root"], [0, 0, 1, 2]) == ([2, -1, 0], ["y", "z", "root"])
    assert joined([-7, 9], ["x", "y"], [0, 1]) == ([0, 0], ["x", "y"])


@given(st.data())
def test_a_tree_of_joined_tokens_is_a_tree(data: st.DataObject) -> None:
    size = data.draw(st.integers(1, 10))
    order = data.draw(st.permutations(range(size)))
    heads = [0] * size
    for number, at in enumerate(order[1:], 1):
        heads[at] = order[data.draw(st.integers(0, number - 1))] - at
    relations = ["dep" if head else "root" for head in heads]
    steps = data.draw(st.lists(st.booleans(), min_size=size, max_size=size))
    groups = [sum(steps[1 : at + 1]) for at in range(size)]
    made, names = joined(heads, relations, groups)
    assert len(made) == len(names) == groups[-1] + 1
    assert is_tree(made)
