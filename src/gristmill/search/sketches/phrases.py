"""Terms: noun phrases of several words, for `term("rye flour")` in queries.

What is one is said by the patterns `terms` of a grammar. Terms may overlap: `fine rye flour` is one, and so are `rye
flour` and `fine rye` in it.
"""

from __future__ import annotations

import re

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from gristmill.arrays.dtypes import Ids, Mask
from gristmill.arrays.ragged import spread
from gristmill.condition.values import matching
from gristmill.search.cql.marking import fixed_places
from gristmill.search.cql.matching import find, find_labels
from gristmill.search.cql.parsing import parse
from gristmill.search.hits import Hits, check_size, distinct
from gristmill.search.sketches.extract import Extract
from gristmill.search.sketches.grammar import grammar_for
from gristmill.search.sketches.pattern import HEAD
from gristmill.search.sketches.places import Places, joined

_IGNORE_CASE = "(?i)"
_GROUPING = re.compile(r"[\\^${}\[\]()]")
_WORD = re.compile(r"[\w'’-]+")


def term_tokens(places: Places, regex: str) -> tuple[Ids, Ids]:
    """Find the terms whose lemmas, or whose words, a regular expression matches, with a space between two of them.

    Returns the position of the head of each, once with each other token of the term.
    """
    sentences = _sentences(places, regex)
    found, total = [], 0
    for lang in places.languages():
        for extract in places.extracts(lang, sentences):
            for pattern in grammar_for(lang).terms:
                found.append(_found(extract, pattern, regex))
                total += len(found[-1]["at"])
                check_size(total)
    return joined(found)


def _sentences(places: Places, regex: str) -> Ids | None:
    """The sentences that may have a match, if they are known to be few; None for all."""
    found = []
    plain = regex.removeprefix(_IGNORE_CASE)
    for alternative in [] if _GROUPING.search(plain) else plain.split("|"):
        ignore_case = plain != regex
        rare = [
            tokens for word in _needed(alternative) if (tokens := _with_word(places, word, ignore_case)) is not None
        ]
        some = places.sentences(rare)
        if some is None:
            return None
        found.append(some)
    return distinct(np.concatenate(found)) if found else None


def _needed(regex: str) -> list[str]:
    """Words that every match has, as far as that is easily seen: those that stand between spaces as they are.

    `fine rye .*` needs fine and rye; of `fine ?rye`, nothing is seen, as the two may be one word.
    """
    parts = regex.split(" ")
    return [
        part
        for part, after in zip(parts, [*parts[1:], "."], strict=True)
        if _WORD.fullmatch(part) and after[:1] not in {"?", "*", "+"}
    ]


def _with_word(places: Places, word: str, ignore_case: bool) -> Ids | None:
    """Tokens with a word, as word or lemma, or in one that has spaces; None if they are many."""
    attributes = [places.index.attribute(name) for name in ("lemma", "word")]
    regex = f"(?s)(.* )?{re.escape(word)}( .*)?"
    ids = [attribute.lexicon.matching(regex, ignore_case) for attribute in attributes]
    if not places.are_few(sum(attribute.count(some) for attribute, some in zip(attributes, ids, strict=True))):
        return None
    lists = [attribute.positions_of(some) for attribute, some in zip(attributes, ids, strict=True)]
    return distinct(np.concatenate(lists).astype(np.int64))


def _found(extract: Extract, pattern: str, regex: str) -> dict[str, Ids]:
    """The terms of a pattern that a regular expression matches."""
    query = parse(f"({pattern}) within <s/>")
    hits = find(extract, query)
    chosen = np.flatnonzero(_is_wanted(extract, hits, regex))
    hits = Hits(hits.starts[chosen], hits.ends[chosen])
    label = str(HEAD)
    where = fixed_places(parse(pattern).node, {label}, hits) or find_labels(extract, query, hits)
    if not len(hits):
        return {"at": np.empty(0, np.int64), "other": np.empty(0, np.int64)}
    rows, tokens = spread(hits.starts, hits.ends - hits.starts)
    heads = where[label][rows]
    others = heads != tokens
    return {"at": extract.places[heads[others]], "other": extract.places[tokens[others]]}


def _is_wanted(extract: Extract, hits: Hits, regex: str) -> Mask:
    """Of which spans the lemmas or the words, with spaces between, are matched by a regular expression."""
    wanted = np.zeros(len(hits), np.bool_)
    lengths = hits.ends - hits.starts
    for length in np.unique(lengths).tolist():
        rows = np.flatnonzero(lengths == length)
        for name in ("lemma", "word"):
            attribute = extract.attributes[name]
            columns = [
                attribute.lexicon.array.take(pa.array(attribute.ids[hits.starts[rows] + place].astype(np.int64)))
                for place in range(length)
            ]
            text = pc.binary_join_element_wise(*columns, pa.scalar(" ", pa.large_string()))
            wanted[rows] |= matching(text, "=", regex, ignore_case=False)
    return wanted
