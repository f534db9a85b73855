"""Sketch bases on disk: made when they are first asked for, kept in the folder `sketches` of a corpus (`made.py`)."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gristmill.engine import Report, silent
from gristmill.errors import GristmillError, UsageError
from gristmill.registry import did_you_mean
from gristmill.search.index.derived import NO_RELATIONS
from gristmill.search.index.index import Index
from gristmill.search.made import keep_made, load_made, made_path
from gristmill.search.sketches.base import Base, build_base
from gristmill.search.sketches.grammar import DEPENDENCIES, Grammar, dependency_grammar, grammar_for
from gristmill.search.sketches.pairs import GrammarPairs
from gristmill.search.subcorpora import expanded
from gristmill.search.text_languages import TextLanguages, no_tags
from gristmill.wording import plural

FOLDER = "sketches"
"""Where the sketches of a corpus are, in its folder."""
TAGS = "tags"
SOURCES = (DEPENDENCIES, TAGS)
"""What pairs can be found by."""
AUTOMATIC_TOKENS = 8_000_000
"""Tokens of which sketches are made while somebody waits, in some ten seconds; more are made by a command."""
_FORMAT = 2
"""To be raised when other arrays are stored, or what they mean has changed."""


@dataclass(frozen=True, repr=False)
class Sketches:
    """The sketches of the paragraphs in a language, or of those in documents for which a condition holds."""

    index: Index
    base: Base
    grammar: Grammar
    lang: str
    within: str
    """What a query stays within to find these paragraphs; empty if all of the index are in this language."""

    @property
    def source(self) -> str:
        """What its pairs are found by: `dependencies`, or `tags`."""
        return DEPENDENCIES if self.grammar.needs_relations else TAGS

    def __repr__(self) -> str:
        return f"<Sketches: {self.lines()[0]}>"

    def lines(self) -> list[str]:
        """Say of what they are."""
        words = plural(len(self.base.units), "word")
        return [f"{plural(self.base.size, 'token')} ({self.lang}): sketches of {words}, by {self.source}"]

    def to_json(self) -> dict[str, Any]:
        """Say of what they are, as a record."""
        size, words = self.base.size, len(self.base.units)
        relations = [kind.name for kind in self.base.kinds.values()]
        return {"lang": self.lang, "source": self.source, "size": size, "words": words, "relations": relations}


def open_sketches(
    index: Index,
    folder: Path,
    *,
    lang: str | None = None,
    where: str | None = None,
    grammar: Grammar | None = None,
    source: str | None = None,
    max_tokens: int | None = None,
    report: Report = silent,
) -> Sketches:
    """Open the sketches of a language, by default that with the most tokens; they are made if they are not there.

    `folder` is that of the corpus. `source` is what pairs are found by, if there is no grammar of one's own: trees
    (`dependencies`), which is the default where tokens have relations, or patterns of `tags`. If they
    are not there and the documents have more than `max_tokens`, nothing is made, and an error says how to make them.
    """
    texts = TextLanguages(index)
    lang = _chosen(lang, texts, index)
    grammar = grammar or chosen_grammar(texts, lang, source)
    if grammar.needs_relations and index.heads is None:
        raise UsageError(NO_RELATIONS)
    condition = expanded(where, index.folder.parent) if where else ""  # a saved subcorpus may be changed later
    part = texts.part(lang, condition)
    path = made_path(folder / FOLDER, index, lang, [_FORMAT, lang, condition, grammar.digest])
    base = _stored(path)
    if base is None:
        if max_tokens is not None and part.size > max_tokens:
            raise GristmillError(
                f"there are no sketches of these {part.size:,} tokens yet, and to make them takes long: "
                f"run gristmill sketches {folder.name} --lang {lang}" + (f" --where '{where}'" if where else "")
            )
        arrays = build_base(index, part, GrammarPairs(grammar), {"lang": lang, "where": condition}, report)
        base = Base(keep_made(path, arrays))
    return Sketches(index, base, grammar, lang, texts.within(lang))


def chosen_grammar(texts: TextLanguages, lang: str, source: str | None = None) -> Grammar:
    """Choose the grammar of a language: of trees if most of its text is parsed, otherwise of tags; or as it is said."""
    if source is not None and source not in SOURCES:
        raise UsageError(f"sketches are made by {' or by '.join(SOURCES)}, and not by {source!r}")
    if source == TAGS:
        return grammar_for(lang)
    if source is None:
        return dependency_grammar() if texts.are_parsed(lang) else grammar_for(lang)
    if texts.have_relations(lang):
        return dependency_grammar()
    raise UsageError(f"no token in the language {lang} has a relation to its head: {NO_RELATIONS.partition(': ')[2]}")


def _chosen(lang: str | None, texts: TextLanguages, index: Index) -> str:
    """The language that is meant; raises if its texts have no tags."""
    tagged = texts.tagged()
    if lang is None:
        if not tagged:
            raise no_tags(index)
        return next(iter(tagged))
    if lang in tagged:
        return lang
    if not texts.has(lang):
        raise UsageError(f"no text is in the language {lang!r}{did_you_mean(lang, tagged)}")
    raise UsageError(
        f"the texts in the language {lang} have no tags for parts of speech, and word sketches are made of them: "
        "annotate the corpus with a tagger for it (gristmill annotate --tagger)"
    )


def _stored(path: Path) -> Base | None:
    """Open what is there; None if there is nothing, or nothing whole."""
    arrays = load_made(path)
    if arrays is not None:
        with suppress(GristmillError):
            return Base(arrays)
    return None
