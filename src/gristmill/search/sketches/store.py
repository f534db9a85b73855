"""Sketch bases on disk: made when they are first asked for, kept in the folder `sketches` of a corpus (`made.py`)."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from gristmill.arrays.dtypes import Ids
from gristmill.corpus.attributes import DEPREL
from gristmill.engine import Report, silent
from gristmill.errors import GristmillError, UsageError
from gristmill.registry import did_you_mean
from gristmill.search.index.attribute import Attribute
from gristmill.search.index.derived import NO_RELATIONS
from gristmill.search.index.index import Index
from gristmill.search.made import keep_made, load_made, made_path
from gristmill.search.sketches.base import Base, build_base
from gristmill.search.sketches.grammar import DEPENDENCIES, Grammar, dependency_grammar, grammar_for
from gristmill.search.sketches.pairs import GrammarPairs
from gristmill.search.subcorpora import expanded
from gristmill.search.subcorpus import Subcorpus

FOLDER = "sketches"
"""Where the sketches of a corpus are, in its folder."""
TAGS = "tags"
SOURCES = (DEPENDENCIES, TAGS)
"""What pairs can be found by."""
AUTOMATIC_TOKENS = 8_000_000
"""Tokens of which sketches are made while somebody waits, in some ten seconds; more are made by a command."""
_FORMAT = 1
"""To be raised when other arrays are stored, or what they mean has changed."""
_OPEN_CLASSES = ("NOUN", "VERB", "ADJ")
_SEEN_TOKENS = 20_000
"""Tokens of a language that are looked at to see whether they have tags."""


@dataclass(frozen=True)
class Sketches:
    """The sketches of a language, or of those of its documents for which a condition holds."""

    index: Index
    base: Base
    grammar: Grammar
    lang: str
    alone: bool
    """Whether all documents of the index are in this language."""

    @property
    def source(self) -> str:
        """What its pairs are found by: `dependencies`, or `tags`."""
        return DEPENDENCIES if self.grammar.needs_relations else TAGS


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
    languages = tagged_languages(index)
    lang = _chosen(lang, languages, index)
    grammar = grammar or chosen_grammar(index, lang, source)
    if grammar.needs_relations and index.heads is None:
        raise UsageError(NO_RELATIONS)
    condition = expanded(where, index.folder.parent) if where else ""  # a saved subcorpus may be changed later
    part = part_of(index, lang, condition)
    path = made_path(folder / FOLDER, index, lang, [_FORMAT, lang, condition, grammar.digest])
    base = _stored(path)
    if base is None:
        if max_tokens is not None and part.size > max_tokens:
            raise GristmillError(
                f"there are no sketches of these {part.size:,} tokens yet, and to make them takes long: "
                f"run gristmill sketch {folder.name} --build --lang {lang}" + (f" --where '{where}'" if where else "")
            )
        arrays = build_base(index, part, GrammarPairs(grammar), {"lang": lang, "where": condition}, report)
        base = Base(keep_made(path, arrays))
    langs = index.structure("doc").attribute("lang")
    return Sketches(index, base, grammar, lang, alone=bool((langs.counts > 0).sum() == 1))


def chosen_grammar(index: Index, lang: str, source: str | None = None) -> Grammar:
    """Choose the grammar of a language: of trees if its tokens have relations, otherwise of tags; or as it is said."""
    if source is not None and source not in SOURCES:
        raise UsageError(f"sketches are made by {' or by '.join(SOURCES)}, and not by {source!r}")
    if source == TAGS:
        return grammar_for(lang)
    if has_relations(index, lang):
        return dependency_grammar()
    if source is None:
        return grammar_for(lang)
    raise UsageError(f"no token in the language {lang} has a relation to its head: {NO_RELATIONS.partition(': ')[2]}")


def has_relations(index: Index, lang: str) -> bool:
    """Tell whether tokens of the texts in a language have relations to their heads."""
    relations = index.attributes.get(DEPREL)
    if relations is None:
        return False
    langs = index.structure("doc").attribute("lang")
    wanted = np.ones(len(relations.lexicon), np.bool_)
    wanted[[number for number in [relations.lexicon.find("")] if number >= 0]] = False
    return _have(index, relations, np.flatnonzero(langs.ids == langs.lexicon.find(lang)), wanted)


def tagged_languages(index: Index) -> dict[str, int]:
    """The languages of an index whose texts have parts of speech, with their tokens, the largest first."""
    docs = index.structure("doc")
    langs = docs.attribute("lang")
    lengths = np.diff(docs.bounds.astype(np.int64))
    sizes = np.bincount(langs.ids, lengths, len(langs.lexicon)).astype(np.int64)
    tags = index.attribute("tag")
    wanted = np.zeros(max(len(tags.lexicon), 1), np.bool_)
    wanted[[number for number in map(tags.lexicon.find, _OPEN_CLASSES) if number >= 0]] = True
    found = {}
    for number in np.argsort(-sizes, kind="stable").tolist():
        if sizes[number] and _have(index, tags, np.flatnonzero(langs.ids == number), wanted):
            found[langs.lexicon[number]] = int(sizes[number])
    return found


def _have(index: Index, attribute: Attribute, documents: Ids, wanted: Any) -> bool:
    """Whether some of the first tokens of documents have one of the wanted values of an attribute."""
    bounds = index.structure("doc").bounds
    seen = 0
    for number in documents.tolist():
        start, stop = int(bounds[number]), int(bounds[number + 1])
        if wanted[attribute.ids[start : min(stop, start + _SEEN_TOKENS)]].any():
            return True
        seen += stop - start
        if seen >= _SEEN_TOKENS:
            return False
    return False


def no_tags(index: Index, made: str = "word sketches") -> UsageError:
    """The error if no text has tags, of which something is made; or if there is no text."""
    if not index.size:
        return UsageError("the corpus has no text: gristmill stats says what was read and dropped")
    return UsageError(
        f"no text of this corpus has tags for parts of speech, and {made} are made of them: "
        "annotate it with a tagger for its language (gristmill annotate --tagger)"
    )


def _chosen(lang: str | None, tagged: dict[str, int], index: Index) -> str:
    """The language that is meant; raises if its texts have no tags."""
    if lang is None:
        if not tagged:
            raise no_tags(index)
        return next(iter(tagged))
    if lang in tagged:
        return lang
    known = index.structure("doc").attribute("lang").lexicon
    if known.find(lang) < 0:
        raise UsageError(f"no text is in the language {lang!r}{did_you_mean(lang, tagged)}")
    raise UsageError(
        f"the texts in the language {lang} have no tags for parts of speech, and word sketches are made of them: "
        "annotate the corpus with a tagger for it (gristmill annotate --tagger)"
    )


def part_of(index: Index, lang: str, where: str) -> Subcorpus:
    """The documents in a language for which a condition holds."""
    langs = index.structure("doc").attribute("lang")
    chosen = langs.ids == langs.lexicon.find(lang)
    if where:
        chosen = chosen & Subcorpus(index, where).chosen
    return Subcorpus(index, f'lang=="{lang}"' + (f" & ({where})" if where else ""), chosen=chosen).check()


def _stored(path: Path) -> Base | None:
    """Open what is there; None if there is nothing, or nothing whole."""
    arrays = load_made(path)
    if arrays is not None:
        with suppress(GristmillError):
            return Base(arrays)
    return None
