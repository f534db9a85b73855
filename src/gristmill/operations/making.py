"""What changes a corpus: it is de-duplicated again, its text is annotated, its index is made."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gristmill.errors import UsageError
from gristmill.operations.declaration import operation
from gristmill.operations.selected import Selected, Tagged
from gristmill.operations.work import DividedWork, MemoryWork, Unfinished
from gristmill.parameters import asked, param
from gristmill.registry import parts_of

if TYPE_CHECKING:
    from gristmill.corpus.repetition import Repetition
    from gristmill.pipeline import Corpus, PartDone
    from gristmill.search.index.index import Index


@asked
class DedupAsked(MemoryWork):
    """By which method a corpus is de-duplicated, and against what."""

    method: str | None = param(
        f"{parts_of('de-duplication method').everyday} [as before].",
        default=None,
        short="-m",
        metavar="NAME[:SETTINGS]",
    )
    n: int | None = param("Tokens of an n-gram [10].", default=None, minimum=1, short="-n")
    threshold: float | None = param(
        "Drop blocks with a higher duplicate share [0.5].", default=None, minimum=0, maximum=1
    )
    level: str | None = param("What is kept or dropped: block or document [block].", default=None)
    exclude: str | None = param(
        "Tokens to leave out: punctuation, stopwords, punctuation+stopwords, none.", default=None
    )
    against: tuple[str | os.PathLike[str], ...] = param(
        "Another corpus: its text counts as duplicate here.", default=(), kind="file", metavar="FOLDER"
    )


@operation(
    DedupAsked,
    name="dedup",
    room="report",
    group="make",
    effect="writes",
    needs_index=False,
    needs_complete=False,
    examples=(
        "gristmill dedup corpus --threshold 0.25",
        "gristmill dedup new --against old",
        "gristmill dedup corpus --method minhash:k=6,s=14,r=2",
        "gristmill dedup corpus --method onion:n=7,exclude=none --memory 4GB",
    ),
)
def deduplicate(corpus: Corpus | Unfinished, asked: DedupAsked) -> Repetition:
    """De-duplicate a corpus again, or against others.

    Choose another method or other settings, or name other corpora whose text counts as duplicate here.

    Nothing is thrown away: each block gets a duplicate share, a verdict and the place of its first copy, which
    `gristmill duplicates` shows. If it was stopped, the same command continues.
    """
    from gristmill import dedup
    from gristmill.corpus import Manifest
    from gristmill.corpus.repetition import repetition
    from gristmill.pipeline.deduplicating import deduplicate

    given = {name: getattr(asked, name) for name in ("n", "threshold", "level", "exclude")}
    changed = {name: str(value) for name, value in given.items() if value is not None}
    method = asked.method
    if changed:
        before = method or Manifest.read(corpus.folder).config.dedup.method
        name = before.partition(":")[0].strip()
        method = dedup.spec_of(name, dedup.replace(dedup.parse(before), name, changed))
    done = deduplicate(corpus, method, asked.against, memory=asked.memory, **asked.means(corpus))
    corpus.refresh()
    return repetition(done.reader)


@dataclass(frozen=True, slots=True)
class Annotations:
    """How much text is annotated."""

    counts: dict[str, int]
    """Documents, blocks, sentences, tokens."""
    languages: dict[str, int]
    """Tokens by language."""
    taggers: dict[str, int]
    """Tokens by tagger."""

    def lines(self) -> Iterator[str]:
        """Yield the counts, in a line for each kind."""
        for name, counts in (("", self.counts), ("by language: ", self.languages), ("by tagger: ", self.taggers)):
            yield name + ", ".join(f"{what} {count:,}" for what, count in counts.items())

    def to_json(self) -> dict[str, dict[str, int]]:
        """Return it as one record."""
        return dataclasses.asdict(self)


@asked
class AnnotateAsked(Tagged, DividedWork):
    """By what text is annotated."""

    parsers: tuple[str, ...] = param(
        "Use another parser for a language, by gristmill train parser, or LANG=none, or LANG=default for the one that "
        "comes with Gristmill; none or default alone is for all.",
        default=(),
        option="parser",
        metavar="LANG=FILE",
    )
    no_parse: bool = param("Find no heads and relations: no language is parsed.", default=False)
    memory: str | None = param(
        "Memory for words that are kept between texts, of all workers together [384MB for each].",
        default=None,
        kind="machine",
        metavar="SIZE",
    )


@operation(
    AnnotateAsked,
    room="search",
    group="make",
    effect="writes",
    needs_index=False,
    examples=(
        "gristmill annotate corpus",
        "gristmill annotate corpus --tagger de=own:my.tagger --memory 500MB",
        "gristmill annotate corpus --no-parse",
        "gristmill annotate corpus --parser none --parser en=default --parser de=my.parser",
        "gristmill annotate corpus --tagger de=spacy:model=de_core_news_sm --tagger cs=udpipe:model=czech.udpipe",
    ),
)
def annotate(corpus: Corpus, asked: AnnotateAsked) -> Annotations:
    """Tokenise, tag, lemmatise and parse the text of a corpus.

    Every language has a default tagger; `taggers` choose others, which the corpus then keeps. Text that is annotated is
    annotated again only if its tagger changed. The first search does this by itself.

    Heads and relations are found where there is a parser for the language (16 come with Gristmill), or the tagger finds
    them; `no_parse` and `parsers` choose otherwise, and the parser `default` parses as by default again. The corpus
    keeps this, too.

    With a `part` such as 3/16 only that part of the shards is annotated and counted, as by one of sixteen machines;
    `merge` checks that none is missing, and counts all.
    """
    from gristmill.annotation.parsing.choice import NONE
    from gristmill.pipeline.annotating import annotate

    if asked.no_parse and asked.parsers:
        raise UsageError("--no-parse is without --parser: say --parser LANG=none for single languages")
    found = annotate(
        corpus,
        asked.taggers or None,
        parsers=NONE if asked.no_parse else asked.parsers or None,
        memory=asked.memory,
        part=asked.part,
        merge=asked.merge,
        **asked.means(corpus),
    )
    corpus.refresh()
    return Annotations(**found)


@asked
class IndexAsked(Selected, DividedWork):
    """What is indexed, and how."""

    check: bool = param("Make nothing: read all files of the index and say whether one is damaged.", default=False)
    compact: bool = param("Merge all segments of the index into one, which is searched fastest.", default=False)


@operation(
    IndexAsked,
    name="index",
    room="search",
    group="make",
    effect="writes",
    needs_index=False,
    examples=(
        "gristmill index corpus",
        "gristmill index corpus --max-boilerplate 0.2 --where 'year>=2010'",
        "gristmill index corpus --roles all",
        "gristmill index corpus --compact",
        "gristmill index corpus --part 3/16",
        "gristmill index corpus --check",
    ),
)
def make_index(corpus: Corpus, asked: IndexAsked) -> Index | PartDone:
    """Make the index in which a corpus is searched.

    A search makes the index by itself if there is none or the corpus has changed; only shards that are new or have
    changed are indexed. Do it before to have the index before the first search, or to search another selection of the
    corpus than the one it was built with: with all `roles`, comments and captions, too, as `<p role="comment">`.

    It also merges segments when they are many and small, and makes again what is damaged. Use `compact` when no more
    pages will be added, and `check` after copying, or if the disk is not to be trusted.

    Several machines can index one corpus, in a folder that all of them see: each does a `part`, such as 3/16, and when
    all are done, one of them does the rest with `merge`.
    """
    from gristmill.pipeline.indexing import check_index, index, index_part

    part, means = asked.chosen_part(), asked.means(corpus)
    if asked.check:
        return check_index(corpus)
    selection = asked.selection(corpus.folder)
    if part and asked.compact:
        raise UsageError("--compact merges all segments: give it with --merge, when all parts are done")
    if part:
        return index_part(corpus, part, selection, **means)
    made = index(corpus, selection, compact=asked.compact, merge=asked.merge, say=corpus.say, **means)
    corpus.refresh()
    return made
