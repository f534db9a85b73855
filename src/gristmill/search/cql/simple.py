"""Simple queries: words as people type them, divided as the tokeniser divides the texts of the corpus."""

from __future__ import annotations

from gristmill.condition import AnyOf, Comparison
from gristmill.errors import UsageError
from gristmill.search.cql.query import Alternatives, Node, Sequence, Token
from gristmill.search.index.index import Index

_ATTRIBUTES = ("word", "lemma")
_ANY_LANGUAGE = "und"


def simple_query(text: str, index: Index) -> Node:
    """The words of a text one after the other, each as word or lemma, ignoring case; divided as each language of the index divides them."""
    from gristmill.annotate.tokeniser import tokenise  # noqa: PLC0415 (queries in CQL need none)

    divided = dict.fromkeys(tuple(tokenise(text, language).words) for language in _languages(index))
    sequences = [_sequence(words, index) for words in divided if words]
    if not sequences:
        raise UsageError(f"there is no word in the query {text!r}")
    return sequences[0] if len(sequences) == 1 else Alternatives(tuple(sequences))


def _languages(index: Index) -> list[str]:
    found = index.structures["doc"].attributes.get("lang")
    return [_ANY_LANGUAGE] if found is None or not len(found.lexicon) else found.lexicon.array.to_pylist()


def _sequence(words: tuple[str, ...], index: Index) -> Node:
    attributes = [name for name in _ATTRIBUTES if name in index.attributes]
    return Sequence(tuple(Token(AnyOf(tuple(Comparison(name, "==", word, ignore_case=True) for name in attributes))) for word in words))
