"""Where the repeated blocks of a document come from.

This is what `duplicates.parquet` has on the document, with the texts of the first copies.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from gristmill.corpus.lookup import read_by_id
from gristmill.corpus.reader import CorpusReader
from gristmill.corpus.similar import alike, most_similar
from gristmill.dedup.result import DUPLICATE, VERDICTS
from gristmill.document import Block
from gristmill.errors import GristmillError, UsageError
from gristmill.registry import parse_spec
from gristmill.shards import DOCUMENTS, DUPLICATES

if TYPE_CHECKING:
    from gristmill.corpus.passages import Passage

_ABOUT = ("url", "title", "lang", "words", "dropped", "detail")
_BLOCKS = ("max_boilerplate", "roles", *(f"blocks.{name}" for name in ("text", "score", "dropped", "role")))
_SOURCE = ("url", "lang", *_BLOCKS)
_BLANK = Block("", "p", "", 0, 0, 0, 0, 0, 0)
"""A block whose fields were not read."""
_FOUND = ("share", "copy_of", "text_blocks", "words")
_MARKS = ("share", "verdict", "copy_of", "copy_block")
_WITH_PASSAGES = "intervals"
"""The method of de-duplication that finds which parts of documents are the same."""


@dataclass(frozen=True, slots=True)
class FirstCopy:
    """The place where most of what a block repeats stands first."""

    id: str
    block: int
    """Number among all blocks of the document there, from 0; -1 if it is not known."""
    url: str = ""
    text: str | None = None
    """Text of the block; None if the document is not at hand, or none of its blocks is similar."""
    guessed: bool = False
    """Whether the block was not known, or has nothing in common, so that the most similar one was taken."""


@dataclass(frozen=True, slots=True)
class TracedBlock:
    """A block that cleaning kept, and what de-duplication found out about it."""

    number: int
    """Number among all blocks of the document, from 0."""
    text: str
    words: int
    verdict: str
    """`unique`, `duplicate` or `stub`; empty if it was not compared, as a filter dropped the document."""
    share: float
    copy: FirstCopy | None


@dataclass(frozen=True, slots=True)
class Relative:
    """Another document with the same text in it."""

    id: str
    url: str
    blocks: int
    """Number of blocks that are wholly or partly in both."""
    words: int
    """Number of words of these, each block counted by its duplicate share."""


@dataclass(frozen=True, slots=True)
class TracedDocument:
    """A document with its blocks, each with its first copy if there is one."""

    id: str
    url: str
    title: str
    lang: str
    dropped: str
    """The filter that dropped it; empty if none did."""
    detail: str
    """What that filter found."""
    share: float
    copy_of: str
    copy_url: str
    words: int
    """Number of words that cleaning kept."""
    words_left: int
    """Number of words after de-duplication."""
    blocks_left: int
    """Number of blocks after de-duplication."""
    blocks: list[TracedBlock]
    not_kept: int
    """Number of blocks that cleaning did not keep."""
    relatives: list[Relative]
    """The documents in which the first copies stand, those with the most words first."""
    passages: list[Passage] = field(default_factory=list)
    """Which parts are in the document that it is a copy of, if it was compared by valid intervals."""


def trace(corpus: CorpusReader, identifier: str, against: Sequence[CorpusReader] = ()) -> TracedDocument:
    """Look up where the blocks of a document come from.

    First copies are looked up in the corpus itself, and in those that it was de-duplicated against.
    """
    about = _row(corpus, DOCUMENTS, identifier, (*_ABOUT, *_BLOCKS, "blocks.words"))
    found = _row(corpus, DUPLICATES, identifier, (*_FOUND, *(f"blocks.{name}" for name in _MARKS)))
    kept = _kept_blocks(about)
    marks = dict(zip(kept, map(_marks_of(corpus, about, found).__getitem__, kept), strict=True))
    texts = {number: about["blocks"][number]["text"] for number in kept}
    copies = {
        number: FirstCopy(mark["copy_of"], mark["copy_block"]) for number, mark in marks.items() if mark["copy_of"]
    }
    by_source: dict[str, list[int]] = {found["copy_of"]: []}
    for number, copy in copies.items():
        by_source.setdefault(copy.id, []).append(number)
    urls = {}
    common: list[Passage] = []
    for source, row in _sources(_by_name(corpus, against), by_source):
        urls[source] = row["url"]
        if source == found["copy_of"]:
            common = _common(corpus, texts, row, (about["lang"], row["lang"]))
        copies |= _copies_in(row, {number: copies[number] for number in by_source[source]}, texts)
    blocks = [
        TracedBlock(
            number, texts[number], about["blocks"][number]["words"], mark["verdict"], mark["share"], copies.get(number)
        )
        for number, mark in marks.items()
    ]
    return TracedDocument(
        id=identifier,
        **{name: about[name] for name in _ABOUT},
        share=found["share"],
        copy_of=found["copy_of"],
        copy_url=urls.get(found["copy_of"], ""),
        words_left=found["words"],
        blocks_left=found["text_blocks"],
        blocks=blocks,
        not_kept=len(about["blocks"]) - len(kept),
        relatives=_relatives(blocks),
        passages=common,
    )


def _row(corpus: CorpusReader, file: str, identifier: str, columns: Sequence[str]) -> dict[str, Any]:
    """The row of a document in a file of the shards; its blocks are a list, be it empty."""
    for _, row in read_by_id(corpus, file, [identifier], columns):
        row["blocks"] = row["blocks"] or []
        return row
    raise UsageError(f"there is no document {identifier} in {corpus.folder / 'shards'}")


def _common(
    corpus: CorpusReader, texts: Mapping[int, str], source: Mapping[str, Any], langs: tuple[str, str]
) -> list[Passage]:
    """Which parts of a document are in the one that it is a copy of, if the method of de-duplication finds parts."""
    spec = corpus.config.dedup.method
    if parse_spec(spec)[0] != _WITH_PASSAGES:
        return []
    from gristmill.corpus.passages import method_of, passages  # noqa: PLC0415 (it needs all methods, rarely)

    there = {number: source["blocks"][number]["text"] for number in _kept_blocks(source)}
    return passages(method_of(spec), texts, there, langs)


def _kept_blocks(row: Mapping[str, Any]) -> list[int]:
    """Numbers of the blocks of a document that cleaning and filters kept."""
    return [
        number
        for number, block in enumerate(row["blocks"] or [])
        if replace(_BLANK, **block).is_kept(row["max_boilerplate"], row["roles"])
    ]


def _marks_of(corpus: CorpusReader, about: Mapping[str, Any], found: Mapping[str, Any]) -> list[dict[str, Any]]:
    """What de-duplication found on each block; if it compared whole documents, what that means for their blocks."""
    if len(found["blocks"]) == len(about["blocks"]):
        marks: list[dict[str, Any]] = found["blocks"]
        return marks
    if found["blocks"]:
        raise GristmillError(
            f"{DUPLICATES} and {DOCUMENTS} in {corpus.folder} don't belong together: de-duplicate it again"
        )
    verdict = VERDICTS[DUPLICATE] if found["copy_of"] else ""
    return [dict(zip(_MARKS, (found["share"], verdict, found["copy_of"], -1), strict=True))] * len(about["blocks"])


def _by_name(corpus: CorpusReader, against: Sequence[CorpusReader]) -> dict[str, CorpusReader]:
    """Corpora by what stands before the slash in ids of their documents: nothing, or the name of their folder."""
    corpora = {"": corpus} | {other.folder.resolve().name: other for other in against}
    if len(corpora) <= len(against):
        raise UsageError(
            "two of the corpora to look into have folders of the same name, so ids don't tell which is meant"
        )
    return corpora


def _sources(corpora: Mapping[str, CorpusReader], ids: Iterable[str]) -> Iterator[tuple[str, dict[str, Any]]]:
    """The documents of some ids that are at hand, each once."""
    wanted: dict[str, set[str]] = {}
    for identifier in ids:
        name, _, bare = identifier.rpartition("/")
        wanted.setdefault(name, set()).add(bare)
    for name in sorted(wanted.keys() & corpora.keys()):
        for bare, row in read_by_id(corpora[name], DOCUMENTS, wanted[name], _SOURCE):
            yield (f"{name}/{bare}" if name else bare), row


def _copies_in(
    row: Mapping[str, Any], copies: Mapping[int, FirstCopy], texts: Mapping[int, str]
) -> dict[int, FirstCopy]:
    """The first copies that stand in one document, with their texts."""
    there = [block["text"] for block in row["blocks"] or []]
    kept = _kept_blocks(row)
    doubtful = _doubtful(copies, texts, there)
    places = (
        most_similar([texts[number] for number in doubtful], [there[number] for number in kept]) if doubtful else []
    )
    guesses = {number: kept[place] for number, place in zip(doubtful, places, strict=True) if place >= 0}
    found = {}
    for number, copy in copies.items():
        block = guesses.get(number, copy.block if copy.block < len(there) else -1)
        found[number] = FirstCopy(copy.id, block, row["url"], there[block] if block >= 0 else None, number in guesses)
    return found


def _doubtful(copies: Mapping[int, FirstCopy], texts: Mapping[int, str], there: Sequence[str]) -> list[int]:
    """List the blocks whose first copy is not known, or has nothing in common with them.

    It may have nothing: a short block is found by n-grams that begin before it.
    """
    known = [number for number, copy in copies.items() if 0 <= copy.block < len(there)]
    like = alike([texts[number] for number in known], [there[copies[number].block] for number in known])
    fine = {number for number, is_like in zip(known, like.tolist(), strict=True) if is_like}
    return [number for number in copies if number not in fine]


def _relatives(blocks: Iterable[TracedBlock]) -> list[Relative]:
    """Documents in which the first copies of blocks stand, with the sums of these."""
    sums: dict[str, tuple[str, int, float]] = {}
    for block in blocks:
        if block.copy:
            _, count, words = sums.get(block.copy.id, ("", 0, 0.0))
            sums[block.copy.id] = block.copy.url, count + 1, words + block.words * block.share
    return ranked(Relative(identifier, url, count, round(words)) for identifier, (url, count, words) in sums.items())


def ranked(relatives: Iterable[Relative]) -> list[Relative]:
    """Sort documents by shared words, the most first."""
    return sorted(relatives, key=lambda relative: (-relative.words, relative.id))
