"""What classes are looked for with: the patterns of a language, a WordNet or the thesaurus, the documents."""

from __future__ import annotations

import os
from collections.abc import Callable

from gristmill.errors import UsageError
from gristmill.registry import did_you_mean
from gristmill.search.classes.classes import ENOUGH, Searched
from gristmill.search.classes.clustering import ByDistribution, ByHypernyms, Clustering, read_hypernyms
from gristmill.search.classes.pattern import TAGS, TREE
from gristmill.search.classes.pattern_files import KINDS, ClassPatterns, pattern_files, patterns_for, read_patterns
from gristmill.search.classes.wordnet import WordNet
from gristmill.search.index.index import Index
from gristmill.search.sketches.store import Sketches
from gristmill.search.text_languages import TextLanguages, no_tags


def open_classes(
    index: Index,
    sketches: Callable[[str], Sketches],
    *,
    lang: str | None = None,
    where: str | None = None,
    patterns: str | os.PathLike[str] | None = None,
    wordnet: str | os.PathLike[str] | None = None,
    hypernyms: str | os.PathLike[str] | None = None,
    senses: int = 1,
    enough: int | None = ENOUGH,
) -> Searched:
    """Make ready to look for classes of names.

    `patterns` is `tree`, `tags`, or a file of patterns; without it, see `default_kind`. With a WordNet, classes are
    clustered by hypernyms; without one by distribution, for which `sketches` is called with the language.
    """
    if hypernyms is not None and wordnet is None:
        raise UsageError("hypernyms are those of a WordNet: give its folder, too")
    texts = TextLanguages(index)
    languages = texts.tagged()
    if not languages:
        raise no_tags(index, "classes of names")
    lang = next(iter(languages)) if lang is None else lang
    if lang not in languages:
        raise UsageError(f"no text with tags is in the language {lang!r}{did_you_mean(lang, languages)}")
    chosen = _patterns(texts, lang, patterns)
    known = WordNet(wordnet) if wordnet is not None else None
    clustering: Clustering
    if known is not None:
        clustering = ByHypernyms(known, senses, read_hypernyms(hypernyms) if hypernyms is not None else None)
    else:
        clustering = ByDistribution(sketches(lang).base)
    part, within = texts.part(lang, where or ""), texts.within(lang)
    return Searched(index, part, lang, within, chosen, clustering, known, enough)


def _patterns(texts: TextLanguages, lang: str, given: str | os.PathLike[str] | None) -> ClassPatterns:
    if given is None:
        return patterns_for(lang, default_kind(texts, lang))
    if os.fspath(given) in KINDS:
        return patterns_for(lang, os.fspath(given))
    return read_patterns(given)


def default_kind(texts: TextLanguages, lang: str) -> str:
    """What classes are found by if nobody says: tags where a language has patterns by them, otherwise trees, if any.

    Of English names more have a class by trees, but more of these are wrong (docs/figures/classes.md).
    """
    by_tags = any(file.kind == TAGS and lang in file.languages for file in pattern_files().values())
    return TREE if not by_tags and texts.are_parsed(lang) else TAGS
