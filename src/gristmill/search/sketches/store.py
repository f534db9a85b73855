"""Sketch bases on disk: made when they are first asked for, kept in the folder `sketches` of a corpus.

A file is named by what it was made of: the language, the state of the index, and a hash of the grammar and of the
condition on documents. So whatever changes, another file is looked for. Those of other states of the index, and the
oldest if there are many, are removed when a new one is written. Two processes that make the same one write the same
bytes, and the file appears under its name when it is whole.
"""

from __future__ import annotations

import json
import re
import time
from collections import OrderedDict
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import xxhash

from gristmill.arrays.dtypes import Array, Ids
from gristmill.arrays.storing import load_arrays, save_arrays
from gristmill.corpus.links import check_links
from gristmill.drafts import SUFFIX
from gristmill.engine import Report, silent
from gristmill.errors import GristmillError, UsageError
from gristmill.registry import did_you_mean
from gristmill.search.index.index import Index
from gristmill.search.sketches.base import Base, build_base
from gristmill.search.sketches.grammar import Grammar, grammar_for
from gristmill.search.sketches.pairs import TagPatterns
from gristmill.search.subcorpora import expanded
from gristmill.search.subcorpus import Subcorpus

FOLDER = "sketches"
"""Where the sketches of a corpus are, in its folder."""
AUTOMATIC_TOKENS = 8_000_000
"""Tokens of which sketches are made while somebody waits, in some ten seconds; more are made by a command."""
_FORMAT = 1
"""To be raised when other arrays are stored, or what they mean has changed."""
_SUFFIX = ".arrays"
_MAX_FILES = 16
_LEFTOVER_SECONDS = 3600
"""Age of a temporary file from which on nobody is writing it any more."""
_MAX_IN_MEMORY = 2
"""Bases that are kept in memory where no file can be written."""
NO_TAGS = (
    "no text of this corpus has tags for parts of speech, and word sketches are made of them: "
    "annotate it with a tagger for its language (gristmill annotate --tagger)"
)
_OPEN_CLASSES = ("NOUN", "VERB", "ADJ")
_SEEN_TOKENS = 20_000
"""Tokens of a language that are looked at to see whether they have tags."""

_in_memory: OrderedDict[Path, dict[str, Array]] = OrderedDict()


@dataclass(frozen=True)
class Sketches:
    """The sketches of a language, or of those of its documents for which a condition holds."""

    index: Index
    base: Base
    grammar: Grammar
    lang: str
    alone: bool
    """Whether all documents of the index are in this language."""


def open_sketches(
    index: Index,
    folder: Path,
    *,
    lang: str | None = None,
    where: str | None = None,
    grammar: Grammar | None = None,
    max_tokens: int | None = None,
    report: Report = silent,
) -> Sketches:
    """Open the sketches of a language, by default that with the most tokens; they are made if they are not there.

    `folder` is that of the corpus. If they are not there and the documents have more than `max_tokens`, nothing is
    made, and an error says how to make them.
    """
    languages = tagged_languages(index)
    lang = _chosen(lang, languages, index)
    grammar = grammar or grammar_for(lang)
    condition = expanded(where, index.folder.parent) if where else ""  # a saved subcorpus may be changed later
    part = part_of(index, lang, condition)
    state = xxhash.xxh3_64_hexdigest(json.dumps(_state(index), sort_keys=True, default=str).encode())
    key = xxhash.xxh3_64_hexdigest(json.dumps([_FORMAT, state, lang, condition, grammar.digest]).encode())
    path = folder / FOLDER / f"{re.sub('[^a-z0-9]', '', lang.lower())[:12]}-{state}-{key}{_SUFFIX}"
    base = _stored(path)
    if base is None:
        if max_tokens is not None and part.size > max_tokens:
            raise GristmillError(
                f"there are no sketches of these {part.size:,} tokens yet, and to make them takes long: "
                f"run gristmill sketch {folder.name} --build --lang {lang}" + (f" --where '{where}'" if where else "")
            )
        arrays = build_base(index, part, TagPatterns(grammar), {"lang": lang, "where": condition}, report)
        base = Base(_kept(path, arrays))
    langs = index.structure("doc").attribute("lang")
    return Sketches(index, base, grammar, lang, alone=bool((langs.counts > 0).sum() == 1))


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
        if sizes[number] and _has_tags(index, np.flatnonzero(langs.ids == number), wanted):
            found[langs.lexicon[number]] = int(sizes[number])
    return found


def _has_tags(index: Index, documents: Ids, wanted: Any) -> bool:
    bounds, tags = index.structure("doc").bounds, index.attribute("tag")
    seen = 0
    for number in documents.tolist():
        start, stop = int(bounds[number]), int(bounds[number + 1])
        if wanted[tags.ids[start : min(stop, start + _SEEN_TOKENS)]].any():
            return True
        seen += stop - start
        if seen >= _SEEN_TOKENS:
            return False
    return False


def _chosen(lang: str | None, tagged: dict[str, int], index: Index) -> str:
    """The language that is meant; raises if its texts have no tags."""
    if lang is None:
        if not tagged:
            raise UsageError(NO_TAGS)
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


def _state(index: Index) -> Any:
    """What tells one state of an index from another: the corpus that it is of, or else its own digests."""
    return [index.card.get("corpus", {}), index.card.get("digests", {}), index.size]


def _stored(path: Path) -> Base | None:
    """Open what is there; None if there is nothing, or nothing whole."""
    if path in _in_memory:
        _in_memory.move_to_end(path)
        return Base(_in_memory[path])
    if path.is_file():
        with suppress(GristmillError):
            return Base(load_arrays(path))
    return None


def _kept(path: Path, arrays: dict[str, Array]) -> dict[str, Array]:
    """Store arrays, and open them as stored; where that can't be, keep them in memory for a while."""
    try:
        check_links(path.parents[1])
        save_arrays(path, arrays)
        _tidy(path)
        return load_arrays(path)
    except (GristmillError, OSError):
        _in_memory[path] = arrays
        while len(_in_memory) > _MAX_IN_MEMORY:
            _in_memory.popitem(last=False)
        return arrays


def _tidy(path: Path) -> None:
    """Remove the files of other states of the index, and the oldest if there are many."""
    state = path.name.split("-")[1]
    files = [file for file in path.parent.iterdir() if file.name.endswith(_SUFFIX) and file != path]
    with suppress(OSError):  # another process removes the same, or reads it
        current = sorted((file for file in files if f"-{state}-" in file.name), key=lambda file: file.stat().st_mtime)
        for file in [*(file for file in files if f"-{state}-" not in file.name), *current[: -_MAX_FILES + 1]]:
            file.unlink(missing_ok=True)
        for file in path.parent.iterdir():  # a process that was killed left it
            if file.name.endswith(SUFFIX) and file.stat().st_mtime < time.time() - _LEFTOVER_SECONDS:
                file.unlink(missing_ok=True)
