"""Which tagger provides which attributes of tokens: the one table of it.

Every token has a lemma and a tag, but not all taggers know them. Where none is known, the lemma is the word in lower
case, the tag says only what characters show (X for words), and what else a tagger may say is empty. What is searched
and counted has to tell such tokens from others.

Heads and relations are of a parser, which needs tags: taggers without these have none. Whether others have them is up
to the parsers that were chosen; `search/coverage.py` sees it at the tokens.
"""

from __future__ import annotations

_LACKING: dict[str, frozenset[str]] = {
    "forms": frozenset({"lemma", "tag", "xpos", "feats", "head", "deprel"}),
    "simplemma": frozenset({"tag", "xpos", "feats", "head", "deprel"}),
    "hanta": frozenset({"feats"}),
    "treetagger": frozenset({"feats"}),
    "unidic": frozenset({"feats"}),
}
"""What taggers don't provide in any language; those that are not here, such as ones of plugins, provide all."""
_ONLY_IN: dict[tuple[str, str], frozenset[str]] = {
    ("treetagger", attribute): frozenset({"de", "en", "es", "fr", "it"}) for attribute in ("tag", "head", "deprel")
}
"""Attributes that a tagger provides in some languages only,"""
_NOT_IN: dict[tuple[str, str], frozenset[str]] = {
    ("own", "xpos"): frozenset("da el es fr grc hy".split()),
    ("own", "lemma"): frozenset({"mt"}),
    ("own", "feats"): frozenset({"mt"}),
}
"""and in all but some: the models that we have. In other languages they are users' own, of which nothing is known."""
_MADE_OF = {"lc": ("word",), "lemma_lc": ("lemma",), "lempos": ("lemma", "tag")}


def provides(tagger: str, attribute: str, lang: str = "") -> bool:
    """Tell whether a tagger, given by its name or specification, knows an attribute of tokens in a language.

    Of a tagger that is not known, such as one of a plugin, nothing bad is said.
    """
    name = tagger_name(tagger)
    languages = _ONLY_IN.get((name, attribute))
    code = lang.lower().replace("_", "-").partition("-")[0]
    if attribute in _LACKING.get(name, ()) or code in _NOT_IN.get((name, attribute), ()):
        return False
    return languages is None or code in languages


def tagger_name(spec: str) -> str:
    """Take the name of a tagger out of its specification, which may have paths of somebody's machine in it."""
    return spec.partition(":")[0].strip()


def made_of(attribute: str) -> tuple[str, ...]:
    """Name what an attribute of tokens is made of: `lempos` of `lemma` and `tag`, most attributes of themselves."""
    return _MADE_OF.get(attribute, (attribute,))
