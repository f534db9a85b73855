"""What became of one page, stage by stage: what each found, and what decided. `gristmill why` shows it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from gristmill.corpus.copies import TracedDocument, trace
from gristmill.corpus.lookup import find_at, find_document, read_by_id, replaced_document, which_one
from gristmill.corpus.named import admit
from gristmill.corpus.reader import REPLACED, CorpusReader
from gristmill.document import BLOCK_TYPE, DOCUMENT_SCHEMA, Alternate, Block, Document
from gristmill.errors import UsageError
from gristmill.filter import Verdict, unchecked_chain
from gristmill.filter.registry import is_file
from gristmill.notebook import excerpt
from gristmill.roles import from_text
from gristmill.shards import DOCUMENTS
from gristmill.wording import plural

_COLUMNS = [name for name in DOCUMENT_SCHEMA.names if name != "blocks"]
_NOR = ", and it is no FILE:OFFSET of a record, as `gristmill dropped` lists them"
"""What else a page can be named by, for the message that there is none."""
_SKIPPED = {
    "broken": "the record is broken",
    "revisit": "a revisit of a page that is stored elsewhere",
    "other": "no page (a request, metadata...)",
}
_OF_DUPLICATES = ("share", "copy_of", "copy_url", "words", "words_left", "blocks_left")
_SAID = ("author", "published", "modified", "site_name", "categories", "licence")
"""Metadata that `facts` shows."""
_STATE_WIDTH = len("left out: its role is navigation")
_EXCERPT_CHARACTERS = 60
_BLOCK_COLUMNS = [f"blocks.{item.name}" for item in BLOCK_TYPE]


@dataclass(frozen=True, slots=True)
class Skipped:
    """A record of an archive that gave no page."""

    reason: str
    source: str
    offset: int
    url: str
    detail: str

    @property
    def words(self) -> str:
        """Why there is no page, in words."""
        return f"{_SKIPPED.get(self.reason, self.reason)}{f' ({self.detail})' if self.detail else ''}"

    def lines(self) -> Iterator[str]:
        """Yield what is known of it, line by line."""
        yield f"skipped: {self.words}"
        yield ""
        yield from _fact_lines({"address": self.url, "place": f"{self.source}:{self.offset}"})

    def to_json(self) -> dict[str, Any]:
        """All fields, for programs."""
        return {"kept": False, "skipped": asdict(self)}


@dataclass(frozen=True, slots=True)
class Explained:
    """A page of a corpus, what every filter finds in it, and what de-duplication found."""

    document: Document
    verdicts: list[Verdict]
    """Verdicts in the order in which filters are asked; those for text only if the page was cleaned."""
    repeated: TracedDocument
    limit: int
    """Bytes of a page that were read at most; one more was read to see whether it is longer."""
    replaced_by: str = ""
    """The id of the later version that replaces it; empty if none does."""

    @property
    def reason(self) -> str:
        """What dropped the page; empty if it is kept."""
        if self.document.dropped:
            return self.document.dropped
        if self.replaced_by:
            return REPLACED
        return "" if self.repeated.blocks_left else "duplicate"

    @property
    def detail(self) -> str:
        """What was found that dropped it."""
        if self.reason == REPLACED:
            return f"by {self.replaced_by}"
        if self.reason != "duplicate":
            return self.document.detail
        return f"copy of {self.repeated.copy_of}" if self.repeated.copy_of else "block by block"

    def facts(self) -> dict[str, str]:
        """What is known of the page, and what each stage before the filters for text found; empty if nothing."""
        document = self.document
        known = {"id": document.id, "address": document.url, "title": document.title, "fetched": self._fetched()}
        known["attributes"] = ", ".join(f"{name}={value!r}" for name, value in document.attributes.items())
        if not document.method:
            return known
        declared = f"; the page says {document.declared_lang}" if document.declared_lang else ""
        text = sum(block.is_text(document.max_boilerplate, document.roles) for block in document.blocks)
        repaired = ", mojibake repaired" if document.repaired else ""
        return known | {
            "metadata": self._metadata(),
            "decoded": f"{document.encoding}, told by {document.encoding_from}{repaired}",
            "language": f"{document.lang} ({document.lang_confidence:.2f}){declared}",
            "page kind": f"{document.page_kind} ({document.page_kind_confidence:.2f})" if document.page_kind else "",
            "cleaned": f"by {document.method}: {text:,} of {plural(len(document.blocks), 'block')} are text (score at "
            f"most {document.max_boilerplate}), {plural(document.words, 'word')}, "
            f"{plural(document.length, 'character')} left after filters",
            "roles": self._roles(),
        }

    def _metadata(self) -> str:
        """Tell what the page says of itself, and where: `author 'A. Miller' (json-ld)`."""
        found = ((name, getattr(self.document, name)) for name in _SAID)
        sources = self.document.metadata_from
        return ", ".join(
            f"{name} {value!r}{f' ({sources[name]})' if name in sources else ''}" for name, value in found if value
        )

    def _roles(self) -> str:
        """Which roles are text, and how many blocks were left out for theirs; empty if all roles are."""
        document = self.document
        if not document.roles:
            return ""
        left_out = sum(
            block.is_text(document.max_boilerplate) and not block.is_text(document.max_boilerplate, document.roles)
            for block in document.blocks
        )
        return f"{', '.join(from_text(document.roles))} are text; {plural(left_out, 'block')} left out for other roles"

    def _fetched(self) -> str:
        document = self.document
        place = f"from {document.source}:{document.offset}{f', {document.date}' if document.date else ''}"
        answer = "a file" if is_file(document) else f"HTTP status {document.status}"
        size = f"more than {self.limit:,} bytes" if document.size > self.limit else plural(document.size, "byte")
        return f"{answer}, {document.content_type or 'no content type'}, {size}, {place}"

    def duplicates(self) -> str:
        """What de-duplication found; empty if it was not asked, as a filter dropped the page, or it is replaced."""
        if self.document.dropped or self.replaced_by:
            return ""
        found = self.repeated
        copy = f", copy of {found.copy_of} {found.copy_url}".rstrip() if found.copy_of else ""
        blocks, words = plural(len(found.blocks), "block"), plural(found.words, "word")
        left = f"{found.blocks_left:,} of {blocks} and {found.words_left:,} of {words}"
        return f"{found.share:.0%} of its text{copy}; left are {left}"

    def lines(self) -> Iterator[str]:
        """Yield what became of the page, what filters found, and what decided on each block, line by line."""
        document = self.document
        if self.replaced_by and self.reason == REPLACED:
            yield f"replaced by a later version: {self.replaced_by}"
        else:
            yield f"dropped by {self.reason}: {self.detail}" if self.reason else "kept"
        yield ""
        yield from _fact_lines(self.facts())
        yield "filters"
        decisions = list(map(decision, self.verdicts))
        width = max(map(len, decisions), default=0)
        wide = max((len(verdict.name) for verdict in self.verdicts), default=0)
        for decided, verdict in zip(decisions, self.verdicts, strict=True):
            yield f"  {decided:{width}}  {verdict.name:{wide}}  {verdict.detail}"
        if not document.method:
            yield "  the page was not cleaned, so filters for text were not asked"
        yield from _fact_lines({"repeated": self.duplicates()})
        if document.blocks:
            yield "blocks"
        for number, block in enumerate(document.blocks):
            about = f"{block.score:.2f}  {block.role or '-':10}  {block_state(block, document):{_STATE_WIDTH}}"
            yield f"  {number:4}  {about}  {block.lang or '-':3}  {excerpt(block.text, _EXCERPT_CHARACTERS)}"

    def to_json(self) -> dict[str, Any]:
        """Everything that was found, for programs; of the blocks of de-duplication only the sums."""
        repeated = asdict(self.repeated)
        return {
            "kept": not self.reason,
            "reason": self.reason,
            "detail": self.detail,
            "replaced_by": self.replaced_by,
            "filters": [asdict(verdict) for verdict in self.verdicts],
            "repeated": {name: repeated[name] for name in _OF_DUPLICATES},
            "document": self.document.to_json(),
        }


def _fact_lines(facts: Mapping[str, str]) -> Iterator[str]:
    for name, value in facts.items():
        if value:
            yield f"{name:10} {value}".rstrip()


def decision(verdict: Verdict) -> str:
    """What a filter decided, in words."""
    if verdict.stage == "block":
        return f"{plural(verdict.dropped_blocks, 'block')} dropped"
    return "passed" if verdict.passed else "failed"


def block_state(block: Block, document: Document) -> str:
    """What decided on a block: its label, its role if it is left out for that, or the filter that dropped it."""
    if not block.is_text(document.max_boilerplate):
        return block.label or "boilerplate"
    if not block.is_text(document.max_boilerplate, document.roles):
        return f"left out: its role is {block.role}"
    return f"dropped by {block.dropped}" if block.dropped else block.label or "text"


KINDS = {"p": "paragraph", "h": "heading", "l": "list item"}
"""The kinds of blocks in words."""


def about_block(block: Block, document: Document, *, kept: bool) -> str:
    """Say in three lines what was decided on a block, and by which figures; pages of blocks show it at each."""
    for_role = block.is_text(document.max_boilerplate) and not block.is_text(document.max_boilerplate, document.roles)
    decided = "kept" if kept else f"left out, as its role is {block.role}" if for_role else "dropped"
    return (
        f"{decided}: {block.label}, score {block.score:.4f} ({block.quantile})\n"
        f"{KINDS[block.kind]}, {plural(block.words, 'word')}, {block.link_density:.0%} in links\n{block.path}"
    )


def explain(corpus: CorpusReader, name: str, against: Sequence[CorpusReader] = ()) -> Explained | Skipped:
    """Look up a page by its id, its address or a part of that, and ask all filters again.

    Or look up a record that was skipped, by its address or `FILE:OFFSET`. Raise `UsageError` with all of them if there
    are several, and with what comes closest if there is none.
    """
    found = find_at(corpus, name)
    if len(found) > 1:
        raise UsageError(which_one(found, name))
    if found and found[0].skipped:
        return Skipped(**found[0].skipped)
    identifier = found[0].name if found else find_document(corpus, name, _NOR)
    return explain_document(corpus, identifier, against)


def explain_document(corpus: CorpusReader, identifier: str, against: Sequence[CorpusReader] = ()) -> Explained:
    """Read a document by its id, and ask all filters again."""
    document = read_document(corpus, identifier)
    admit(corpus.config, "filter")
    filters = unchecked_chain(corpus.config.filter)
    return Explained(
        document,
        list(filters.verdicts(document, corpus.languages)),
        trace(corpus, identifier, against),
        filters.limit,
        replaced_document(corpus, identifier),
    )


def read_document(corpus: CorpusReader, identifier: str) -> Document:
    """Read one document with all its blocks."""
    for _, row in read_by_id(corpus, DOCUMENTS, [identifier], [*_COLUMNS, *_BLOCK_COLUMNS]):
        blocks: list[dict[str, Any]] = row.pop("blocks") or []
        for name in ("attributes", "metadata_from"):
            row[name] = dict(row[name])
        row["alternates"] = [Alternate(**item) for item in row["alternates"]]
        return Document(**row, blocks=[Block(**block) for block in blocks])
    raise UsageError(f"there is no document {identifier} in {corpus.folder}")
