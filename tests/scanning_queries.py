"""Queries and corpora at random, for comparing search with the scan of scanning.py."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import Any
from unittest.mock import patch

from hypothesis import strategies as st
from scanning import (
    ANY,
    Branch,
    Pattern,
    PlainCorpus,
    Span,
    TreeNode,
    ahead,
    alternatives,
    closing,
    constrained,
    expanded,
    gaps,
    glue,
    meet,
    opening,
    related,
    repeated,
    scan,
    scan_labels,
    sequence,
    strategic,
    token,
    tree,
    union,
    whole,
    word,
)
from scanning_checks import LISTS, NAMES, STRUCTURE_NAMES, VALUES, WORDS, CheckMaker, Pick
from scanning_conditions import Check, Doc, Rule, attribute, listed, of_token, without_brackets

from gristmill.search.cql import binding, bounds, compounds, elements, matching, scanned, selecting, special, trees
from gristmill.search.cql.matching import find, find_labels
from gristmill.search.index.index import Index

TIMES = [
    ("?", 0, 1),
    ("*", 0, 100),
    ("+", 1, 100),
    ("{2}", 2, 2),
    ("{0,3}", 0, 3),
    ("{,2}", 0, 2),
    ("{2,}", 2, 100),
    ("{1,2}", 1, 2),
    ("{3}", 3, 3),
    ("{2,3}", 2, 3),
]
RELATIONS = ["within", "containing", "!within", "!containing", "not within", "not containing"]
STRATEGIES = ["all", "traditional", "standard", "shortest", "longest"]
TARGETS = ["target", "keyword"]
TREE_RELATIONS: list[tuple[str, Callable[[str], bool]]] = [
    ("", lambda _: True),
    ("", lambda _: True),
    ("x", lambda name: name in {"x", "x:a"}),
    ("x:a", lambda name: name == "x:a"),
    ('"x"', lambda name: name == "x"),
    ('"x|y.*"', lambda name: name == "x" or name.startswith("y")),
]
"""Relations as they are written, and what they mean."""
LABELS = ["1", "2", "a", "b", *TARGETS]


@dataclass
class Query:
    """A whole query: how it is written, its pattern, and which of its spans are found."""

    text: str
    pattern: Pattern
    strategy: str = "all"
    cut: int | None = None
    expansion: tuple[str, int, str | None] | None = None

    def answer(self, docs: list[Doc]) -> list[Span]:
        """What the scan finds."""
        spans = strategic(self.strategy, scan(self.pattern, docs))[: self.cut]
        return spans if self.expansion is None else expanded(spans, docs, *self.expansion)


@dataclass
class Maker(CheckMaker):
    """Makes queries of all forms, each within each."""

    most: int = 3
    """How deep parts are within parts."""
    taken: set[str] = field(default_factory=set)
    """Labels that no other token of the same match may have."""

    def query(self) -> Query:
        """A whole query."""
        pattern = self.whole_pattern()
        text = pattern.bare or pattern.text
        made = Query(text if set('"[<') & set(text) else text.replace("$few", "[word = $few]", 1), pattern)
        if self.pick([False, False, True]):
            made.strategy = self.pick(STRATEGIES)
            made.text = f"(?{made.strategy}) {made.text}"
        if self.pick([False] * 5 + [True]):
            made.cut = self.pick([0, 1, 2, 5])
            made.text += f" cut {made.cut}"
        if self.pick([False] * 4 + [True]):
            side, count = self.pick(["", "left", "right"]), self.pick([1, 2, 3])
            structure = self.pick(["s", "p", "doc", None])
            made.expansion = side, count, structure
            shown = structure or self.pick(["words", ""])
            made.text += " ".join([" expand", side, "to", "" if count == 1 and structure else str(count), shown])
        return made

    def whole_pattern(self) -> Pattern:
        """A pattern that can match tokens, with conditions on the whole match."""
        made = self.filled(lambda: self.part(self.most))
        for _ in range(self.pick([0, 0, 0, 1, 1, 2])):
            made = self.pick([self.related, self.concluded])(made, 2)
        return made

    def filled(self, make: Callable[[], Pattern]) -> Pattern:
        """A part that can match a token; the rest is refused."""
        made = make()
        return made if made.fills else sequence(self.pick([[made, ANY], [ANY, made]]))

    def part(self, depth: int) -> Pattern:
        """A part of a query."""
        if depth <= 0:
            return self.single()
        kinds = [self.single] * 5 + [lambda: self.sequence(depth)] * 5 + [lambda: self.repeated(depth)] * 3
        kinds += [lambda: self.alternatives(depth)] * 2 + [lambda: self.related(self.part(depth - 1), depth - 1)]
        kinds += [lambda: self.gaps(depth), lambda: self.near(depth), lambda: self.constrained(depth)]
        kinds += [lambda: self.tree(depth)] * 2
        made: Pattern = self.pick(kinds)()
        return made

    def single(self) -> Pattern:
        """A token, a structure, or what lies between tokens."""
        kinds = [self.token] * 9 + [self.structure] + [self.edge] * 3
        made: Pattern = self.pick(kinds)()
        return made

    def token(self) -> Pattern:
        """A token, perhaps with labels."""
        kind = self.pick(["word", "any", "word", "any", "rule", "rule", "check", "list"])
        check = self.check(True) if kind == "check" else None
        labels = [label for label in LABELS if label not in self.taken]
        own = [self.pick(labels)] if labels and self.pick([False, False, True]) else []
        if own and own[0] not in TARGETS and self.pick([False] * 4 + [True]):
            own = [self.pick(TARGETS), *own]
        self.taken |= set(own) - set(TARGETS)
        self.visible += [label for label in own if label not in self.visible]
        if check is not None:
            return token(check, *own)
        if kind == "list":
            check = listed(attribute("", "word"), "=", ("few", LISTS["few"]), False, "")
            return token(check, *own, text="$few")
        if kind == "word":
            return word(self.pick([*["a", "b"] * 3, *VALUES]), *own)
        return token(Check("", lambda _: True) if kind == "any" else self.rule(NAMES), *own)

    def tree(self, depth: int) -> Pattern:
        """A token with relations to others."""
        root = self.tree_node(min(depth, 2), labelled=True)
        root.branches = root.branches or [self.branch(0, labelled=True)]
        return tree(root)

    def tree_node(self, depth: int, *, labelled: bool) -> TreeNode:
        """A token of a tree, which may have relations of its own."""
        check = of_token(self.rule(NAMES)) if self.pick([True, False]) else Check("", lambda _: True)
        if labelled and self.pick([False] * 3 + [True]):
            check = self.check(True)
        labels = [label for label in LABELS if label not in {*self.taken, *TARGETS}]
        own = (self.pick(labels),) if labelled and labels and self.pick([False, True]) else ()
        self.taken |= set(own)
        self.visible += [label for label in own if label not in self.visible]
        node = TreeNode(check, own, "".join(f"{label}:" for label in own) + f"[{without_brackets(check)}]")
        if depth:
            node.branches = [self.branch(depth - 1, labelled=labelled) for _ in range(self.pick([0, 1, 1, 2]))]
        return node

    def branch(self, depth: int, *, labelled: bool) -> Branch:
        """A relation to another token."""
        negated = self.pick([False] * 4 + [True])
        name, relation = self.pick(TREE_RELATIONS)
        node = self.tree_node(depth, labelled=labelled and not negated)
        return Branch(self.pick([">", "<", ">", "<", ">>", "<<"]), name, relation, node, negated)

    def edge(self) -> Pattern:
        """An edge of a structure, a place without a space, or a look at the next token."""
        kind = self.pick(["opening", "closing", "opening", "closing", "glue", "ahead"])
        if kind == "glue":
            return glue()
        if kind == "ahead":
            return ahead(self.check(True))
        return (opening if kind == "opening" else closing)(*self.chosen())

    def structure(self) -> Pattern:
        return whole(*self.chosen())

    def chosen(self) -> tuple[str, Rule | None]:
        structure = self.pick(["s", "p", "doc"])
        names = STRUCTURE_NAMES[structure]
        return structure, self.rule(names) if names and self.pick([False, True]) else None

    def sequence(self, depth: int) -> Pattern:
        return sequence([self.part(depth - 1) for _ in range(self.pick([2, 2, 3, 4]))])

    def repeated(self, depth: int) -> Pattern:
        made = self.part(depth - 1)
        return repeated(made, self.pick(TIMES))

    def alternatives(self, depth: int) -> Pattern:
        """Alternatives; a label may be in several of them."""
        visible, taken = list(self.visible), set(self.taken)
        all_visible, all_taken, parts = list(visible), set(taken), []
        for _ in range(self.pick([2, 2, 3])):
            self.visible, self.taken = list(visible), set(taken)
            parts.append(self.part(depth - 1))
            all_visible += [label for label in self.visible if label not in all_visible]
            all_taken |= self.taken
        self.visible, self.taken = all_visible, all_taken
        return alternatives(parts)

    @contextmanager
    def apart(self, keep_taken: bool) -> Iterator[None]:
        """A part that is matched by itself: it sees no labels, and shows none."""
        before = self.visible, self.taken
        self.visible, self.taken = [], set(self.taken) if keep_taken else set()
        yield
        after = self.taken
        self.visible, self.taken = before
        if keep_taken:
            self.taken = after

    def gaps(self, depth: int) -> Pattern:
        with self.apart(keep_taken=True):
            return gaps(self.filled(lambda: self.part(depth - 1)))

    def related(self, made: Pattern, depth: int) -> Pattern:
        """A part within, or containing, another one."""
        relation = self.pick(RELATIONS)
        kind = self.pick(["structure", "structure", "part", "part", "gaps", "length", "rows", "name"])
        if kind == "length":
            return related(made, relation, (self.pick([1, 2, 3, 5]), None))
        if kind == "rows":
            return related(made, relation, (self.pick([1, 2, 3]), self.pick(["s", "p"])))
        with self.apart(keep_taken=False):
            if kind == "structure":
                return related(made, relation, self.structure())
            if kind == "name":
                structure = self.pick(["s", "p", "doc"])
                return related(made, relation, Pattern(structure, whole(structure, None).ways))
            if kind == "gaps":
                other = self.gaps(depth)
                return related(made, relation, Pattern(other.bare, other.ways))
            return related(made, relation, self.filled(lambda: self.part(max(0, depth - 1))))

    def near(self, depth: int) -> Pattern:
        """Parts near each other, or one of two."""
        if self.pick([False, True]):
            one = self.filled(lambda: self.part(depth - 1))
            return union(one, self.filled(lambda: self.part(depth - 1)))
        one = self.filled(lambda: self.part(depth - 1))
        other = self.filled(lambda: self.part(depth - 1))
        near = self.pick([None, "s", "p", "doc", (-5, 5), (0, 0), (1, 2), (-2, -1), (-1, 3), (2, 1)])
        return meet(one, other, near, self.pick(["", "", "MU"]))

    def constrained(self, depth: int) -> Pattern:
        """A part with a condition on its labelled tokens."""
        return self.concluded(self.part(depth - 1), depth)

    def concluded(self, made: Pattern, _depth: int) -> Pattern:
        return constrained(made, self.pick(["&", "::"]), self.check(False))


def make_corpus(pick: Pick) -> PlainCorpus:
    """A small corpus."""
    words = [*["a", "b"] * 6, *VALUES, *WORDS]

    def some(most: int, make: Callable[[], Any]) -> list[Any]:
        return [make() for _ in range(pick(range(1, most + 1)))]

    def sentence() -> Any:
        tokens = some(5, lambda: (pick(words), pick(["a", "b"]), pick(["a", "b", "x"])))
        root = pick(range(len(tokens)))
        attached, heads = [root], {root: root}
        for at in range(len(tokens)):
            if at != root:
                heads[at] = pick(attached)
                attached.append(at)
        relations = ["root" if at == root else pick(["x", "x", "y", "x:a"]) for at in range(len(tokens))]
        return [(*token, heads[at] - at, relations[at]) for at, token in enumerate(tokens)]

    return some(
        4,
        lambda: (
            some(2, lambda: (some(3, sentence), pick(["a", "b"]))),
            pick(["a", "ab"]),
            pick(["7", "12", ""]),
        ),
    )


def check_answer(index: Index, docs: list[Doc], query: Query) -> None:
    """Raise if search finds anything else than the scan, or gives labels to tokens that no way to match gives."""
    hits = find(index, query.text, lists=LISTS)
    assert hits.spans() == query.answer(docs), query.text
    if query.expansion is None:
        places = find_labels(index, query.text, hits, lists=LISTS)
        ways = scan_labels(query.pattern, docs)
        for number, span in enumerate(hits.spans()):
            own = {(label, int(found[number])) for label, found in places.items() if found[number] >= 0}
            assert own in ways[span], (query.text, span)


@contextmanager
def at_limits(pick: Pick) -> Iterator[None]:
    """Search in one of the ways that it chooses by sizes, whatever the sizes are."""
    listed = pick([4.0, 0.0, 1e9])
    limits: list[tuple[Any, str, Any]] = [
        (selecting, "LIST_NANOSECONDS", listed),
        (selecting, "MERGE_NANOSECONDS", listed),
        (elements, "LIST_NANOSECONDS", listed),
        (selecting, "BLOCK_TOKENS", pick([1 << 17, 2])),
        (bounds, "_MIN_EDGES_PER_BOUND", pick([4, 0])),
        (matching, "_STRETCH_SPANS", pick([1 << 20, 1])),
        (matching, "_MIN_STRETCH_TOKENS", pick([1 << 18, 1])),
        (compounds, "_MIN_GAP_TO_LOOK_UP", pick([5, 2, 1000])),
        (binding, "_MAX_WRITTEN_OUT_TOKENS", pick([20, 1])),
        (scanned, "_MIN_TOKENS", pick([1 << 16, 1])),
        (scanned, "_MAX_TOKENS_PER_SPAN", 1 << 40),
        (scanned, "BLOCK_TOKENS", pick([1 << 17, 2])),
        (scanned, "_MIN_ROOM", pick([1 << 16, 110])),
        (special, "_TEST_NANOSECONDS", pick([50.0, 0.0, 1e9])),
        (trees, "_MIN_SHARE_TO_MARK", pick([0.0, 1e9])),
    ]
    with ExitStack() as patches:
        for module, name, value in limits:
            patches.enter_context(patch.object(module, name, value))
        yield


def _drawn(draw: st.DrawFn) -> Pick:
    return lambda options: options[draw(st.integers(0, len(options) - 1))]


@st.composite
def corpora(draw: st.DrawFn) -> PlainCorpus:
    """Small corpora."""
    return make_corpus(_drawn(draw))


@st.composite
def queries(draw: st.DrawFn) -> Query:
    """Queries of all forms."""
    pick = _drawn(draw)
    return Maker(pick, most=pick([1, 2, 3])).query()


@st.composite
def limits(draw: st.DrawFn) -> Any:
    """Ways to search: a context."""
    return at_limits(_drawn(draw))
