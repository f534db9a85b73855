"""Which attributes of tokens a query asks for: what it finds depends on the taggers that provide them."""

from __future__ import annotations

from gristmill.condition import AllOf, AnyOf, Comparison, Condition, Negation
from gristmill.corpus.attributes import DEPREL
from gristmill.search.cql.query import Ahead, Constrained, Gaps, Meet, Node, Relation, Token, Tree, parts_of
from gristmill.search.cql.terms import Call, Compared, Holds, Listed, Of, Sketched, Swapped, Term, Value

_OF_SKETCHES = frozenset({"lemma", "tag"})
"""What word sketches, and so `ws`, `term` and `~`, are made of."""


def attributes_of(node: Node) -> frozenset[str]:
    """Name the attributes of tokens in the conditions of a query.

    A query of words asks for words everywhere, and for lemmas only besides: it has none. A tree asks for relations,
    whether or not it names one.
    """
    found = _asked(node.condition) if isinstance(node, Token | Ahead | Constrained) else frozenset()
    others: tuple[Node, ...] = ()
    match node:
        case Tree():
            found, others = frozenset({DEPREL}), tuple(branch.node for branch in node.branches)
        case Relation() | Meet():
            others = (node.other,)
        case Gaps():
            others = (node.part,)
    return found.union(*(attributes_of(part) for part in (*parts_of(node), *others)))


def _asked(condition: Condition) -> frozenset[str]:
    """Name the attributes in a condition on a token, or on the labelled tokens of a match."""
    found = frozenset[str]()
    match condition:
        case Comparison() | Listed():
            found = frozenset({condition.name})
        case Negation():
            found = _asked(condition.part)
        case AllOf() | AnyOf():
            found = found.union(*map(_asked, condition.parts))
        case Of():
            found = _asked(condition.comparison)
        case Compared():
            found = _used(condition.left) | _used(condition.right)
        case Holds():
            found = _used(condition.term)
        case Sketched() | Swapped():
            found = _OF_SKETCHES
    return found


def _used(term: Term) -> frozenset[str]:
    """Name the attributes in a term such as `f(1.lemma)`."""
    match term:
        case Value():
            return frozenset({term.name})
        case Call():
            return frozenset().union(*map(_used, term.arguments))
        case _:
            return frozenset()
