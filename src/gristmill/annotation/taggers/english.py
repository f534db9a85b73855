"""Corrections of English parts of speech by context, for `hanta`: the tags of the words that follow, and capitals."""

from __future__ import annotations

from collections.abc import Sequence

_HAVE = frozenset(("VHB", "VHD", "VHZ"))
_DO = frozenset(("VDB", "VDD", "VDZ"))
_PARTICIPLES = frozenset(("VBN", "VDN", "VHN", "VVN", "VVD"))
_INFINITIVES = frozenset(("VBI", "VDI", "VHI", "VVI", "VVB"))
_BETWEEN = frozenset(("AV0", "XX0", "PNP", "NP0", "PNI", "EX0", "DT0", "AT0", "NN1", "NN2", "PNQ"))
_NOMINAL = frozenset(("AJ0", "AJC", "AJS", "CRD", "NN", "NN0", "NN1", "NN2", "NP0", "ORD", "UNC", "VVG", "VVN"))
_NOUNS = frozenset(("NN", "NN1", "NN2", "UNC"))
_DEMONSTRATIVES = frozenset(("this", "that", "these", "those"))
_DEPEND = _HAVE | _DO | _NOUNS | {"DT0"}
_MAX_WORDS_AHEAD = 4  # in which a participle or an infinitive must follow
_MAX_CAPITALISED_SHARE = 0.75  # of the longer words of a sentence; more have a capital in titles and headings


def corrections(words: Sequence[str], tags: Sequence[str]) -> list[tuple[int, str]]:
    """Return the places in a sentence where the context contradicts the tag of HanTa, with the right part of speech.

    `have` and `do` are auxiliaries only if a participle or an infinitive follows; `this` and `that` are determiners
    only before nouns; a noun with a capital inside a sentence is part of a name, unless nearly all words have one.
    """
    found = []
    for at, tag in enumerate(tags):
        if tag in _DEPEND:
            other = _other(words, tags, at)
            if other:
                found.append((at, other))
    if any(other == "PROPN" for _, other in found) and _is_title(words):
        return [(at, other) for at, other in found if other != "PROPN"]
    return found


def _other(words: Sequence[str], tags: Sequence[str], at: int) -> str:
    """Return the part of speech of a word by its context; empty if that of its tag is right."""
    tag, word = tags[at], words[at]
    if tag in _HAVE:
        return "" if _follows(tags, at, _PARTICIPLES) else "VERB"
    if tag in _DO:
        return "" if _follows(tags, at, _INFINITIVES) else "VERB"
    if tag == "DT0":
        return "PRON" if word.lower() in _DEMONSTRATIVES and not _NOMINAL.intersection(tags[at + 1 : at + 2]) else ""
    return "PROPN" if at and word[0].isupper() and not word.isupper() else ""


def _follows(tags: Sequence[str], at: int, wanted: frozenset[str]) -> bool:
    """Tell whether one of the tags follows soon, with only tags between that may stand inside a verb phrase."""
    for tag in tags[at + 1 : at + 1 + _MAX_WORDS_AHEAD]:
        if tag not in _BETWEEN:
            return tag in wanted
    return False


def _is_title(words: Sequence[str]) -> bool:
    """Tell whether nearly all longer words have a capital."""
    long = [word for word in words if len(word) > 3 and word.isalpha()]
    return sum(word[0].isupper() for word in long) > _MAX_CAPITALISED_SHARE * len(long)
