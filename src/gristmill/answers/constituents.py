"""Heads of constituents, and what they govern: by the relations of a parser, or by chunks where there is none.

A predicate governs arguments (`arg`) and adjuncts (`adj`), and any of these its modifiers (`mod`), as in the Partial
Logical Form of GReG (Delmonte, section 3):

    the 16th President of the United States     President -mod-> 16th, President -mod-> States
    Bell invented the telephone in Boston       invented -arg-> Bell, -arg-> telephone, -adj-> Boston

Without relations, chunks are the constituents. A noun chunk beside a verb chunk, on either side, is its argument; a
prepositional chunk is a modifier of the noun chunk right before it, and an adjunct of the verb chunk before it. In a
chunk, all content words modify the head. This is less than a parser knows, and no clause is found by it.
"""

from __future__ import annotations

from collections.abc import Sequence

from gristmill.annotation.chunks import Words, find_chunks

_NOMINAL = frozenset(("NOUN", "PROPN", "PRON", "NUM"))
_VERBAL = frozenset(("VERB", "AUX"))
_CLOSED = frozenset("ADP AUX CCONJ DET INTJ PART PUNCT SCONJ SYM".split())
_ARGUMENTS = frozenset("nsubj obj iobj csubj ccomp xcomp expl".split())
_ADJUNCTS = frozenset("obl advcl advmod vocative dislocated".split())
_MODIFIERS = frozenset("nmod appos nummod acl amod compound flat list".split())
_INNER = frozenset("flat fixed compound goeswith".split())
_TITLES = frozenset(("flat", "compound"))
"""How a noun before a name is linked to it: *foreign minister Bonar*."""
_NOUN_FIRST = frozenset("es it fr pt ca gl ro he cy ga fa id vi th".split())
"""Languages in which the first noun of a chunk is its head, not the last."""
Links = list[tuple[int, int, str]]


def by_relations(tags: Sequence[str], heads: Sequence[int], relations: Sequence[str]) -> tuple[dict[int, str], Links]:
    """Read heads and links from relations: a word that is no part of a name or compound heads a constituent.

    A noun with a clause is an argument of its verb, too: *the telephone that Bell invented*, *invented by Bell*. An
    apposition, and a title before a name, says what a sentence with *be* would: each is an argument of the other.
    """
    labels, links = {}, []
    for at, (tag, offset, relation) in enumerate(zip(tags, heads, relations, strict=True)):
        kind = relation.partition(":")[0]
        label = "n" if tag in _NOMINAL else "v" if tag == "VERB" else "a" if tag in {"ADJ", "ADV"} else ""
        is_title = tag == "NOUN" and kind in _TITLES and tags[at + offset] == "PROPN"
        if label and (is_title or kind not in _INNER | {"amod", "nummod", "advmod"}):
            labels[at] = label
        functor = _functor(kind, tags[at + offset])
        if offset and functor and tag not in _CLOSED:
            links.append((at + offset, at, functor))
        if offset and ((kind == "acl" and tag == "VERB") or is_title or (kind == "appos" and label == "n")):
            links.append((at, at + offset, "arg"))
        if kind == "conj" and offset:
            links += [(head, at, same) for head, other, same in links if other == at + offset]
    return labels, links


def _functor(kind: str, head_tag: str) -> str:
    if kind in _ARGUMENTS:
        return "arg"
    if kind in _ADJUNCTS:
        return "adj" if head_tag in _VERBAL or kind == "obl" else "mod"
    return "mod" if kind in _MODIFIERS else ""


def by_chunks(tags: list[str], feats: list[str], lengths: list[int], lang: str) -> tuple[dict[int, str], Links]:
    """Find heads and links by the chunks of sentences."""
    found = find_chunks(Words.of(tags, feats, lengths), lang)
    spans = {kind: list(zip(starts.tolist(), ends.tolist(), strict=True)) for kind, (starts, ends) in found.items()}
    sentence_of = [number for number, length in enumerate(lengths) for _ in range(length)]
    with_adposition = {end: start for start, end in spans["pc"]}
    labels: dict[int, str] = {}
    links: Links = []
    chunks = []
    for start, end in spans["nc"]:
        head = _noun_head(tags, start, end, lang)
        labels[head] = "n"
        links += [(head, at, "mod") for at in range(start, end) if at != head and tags[at] not in _CLOSED | {"PRON"}]
        is_prepositional = with_adposition.get(end, start) < start
        chunks.append((start, end, head, "p" if is_prepositional else "n"))
    for start, end in spans["vc"]:
        verbs = [at for at in range(start, end) if tags[at] == "VERB"] or [end - 1]
        labels[verbs[-1]] = "v"
        chunks.append((start, end, verbs[-1], "v"))
    links += _between(sorted(chunks), sentence_of)
    return labels, links


def _noun_head(tags: Sequence[str], start: int, end: int, lang: str) -> int:
    nouns = [at for at in range(start, end) if tags[at] in {"NOUN", "PROPN"}] or [end - 1]
    return nouns[0] if lang.partition("-")[0] in _NOUN_FIRST else nouns[-1]


def _between(chunks: Sequence[tuple[int, int, int, str]], sentence_of: Sequence[int]) -> Links:
    """Link the heads of chunks with each other, within sentences."""
    links: Links = []
    verb, noun, waiting = -1, -1, list[tuple[int, str]]()
    sentence, last_end = -1, -1
    for start, end, head, kind in chunks:
        if sentence_of[start] != sentence:
            sentence, verb, noun, waiting = sentence_of[start], -1, -1, []
        if kind == "v":
            links += [(head, other, functor) for other, functor in waiting]
            verb, noun, waiting = head, -1, []
        elif kind == "p" and noun >= 0 and start <= last_end + 2:
            links.append((noun, head, "mod"))
            if verb >= 0:
                links.append((verb, head, "adj"))
            else:
                waiting.append((head, "adj"))
        else:
            functor = "adj" if kind == "p" else "arg"
            if verb >= 0:
                links.append((verb, head, functor))
            waiting.append((head, functor))
        if kind != "v":
            noun = head
        last_end = end
    return links
