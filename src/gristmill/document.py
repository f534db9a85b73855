"""The records that stages pass to each other, and how they are stored.

A `Page` is what was fetched, a `Document` is what became of it, and a `Block` is a piece of it such as a paragraph.
Nothing is thrown away: a dropped document or block says why in `dropped`, a boilerplate block in `score` and `label`.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from itertools import pairwise
from operator import attrgetter
from typing import Any, Literal

import numpy as np
import pyarrow as pa
import xxhash

from gristmill.arrays.dtypes import Ints
from gristmill.columns import Coded, Columns, Int32, Texts
from gristmill.notebook import document_html, excerpt
from gristmill.roles import Names, as_text, chosen, from_text, is_chosen
from gristmill.text.characters import CONTROLS

Kind = Literal["p", "h", "l"]

_QUANTILE_BOUNDS = [number / 10 for number in range(1, 10)]
"""The scores at which the letter of `Block.quantile` changes."""
_MAX_ATTRIBUTES = 32
"""Attributes of a page that its document gets, in the order of their names."""
_MAX_ATTRIBUTE_CHARACTERS = 1000
"""Characters of an attribute; a longer one is cut off, and a hash of the whole tells it from others."""
_IP = re.compile(r"[0-9A-Fa-f:.]{2,45}")
_ATTRIBUTE_NAME = re.compile(r"[a-z][a-z0-9_]{0,31}")
UNKNOWN_BADNESS = -1.0
"""The badness of a document that the filter `badness` did not look at, or could not judge."""
_UNREADABLE = re.compile(f"[{re.escape(CONTROLS)}\u2028\u2029\ud800-\udfff]+")


@dataclass(slots=True)
class Page:
    """A page as it was fetched: address, time, headers and bytes, and where in which archive it stands."""

    url: str
    body: bytes
    date: str = ""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    """HTTP headers, names in lower case."""
    source: str = ""
    offset: int = 0
    is_text: bool = False
    """The body is plain text already (WET records): no markup to read."""
    attributes: dict[str, str] = field(default_factory=dict)
    """What those who fetched it say of it, such as the query that found it; documents have it, too."""
    ip: str = ""
    """The IP address of the server, as the archive says; empty if it does not."""

    @property
    def content_type(self) -> str:
        """The media type that the server named, in lower case, without its parameters."""
        return self.headers.get("content-type", "").partition(";")[0].strip().lower()

    def __repr__(self) -> str:
        return f"<Page {self.url or self.source}: {len(self.body):,} bytes>"


@dataclass(slots=True)
class Block:
    """A piece of a page that browsers show as one block, and what each stage found out about it."""

    text: str
    """Its text, with single spaces between words, and line ends where the page shows lines.

    In preformatted text there are indents, too.
    """
    kind: Kind
    """`p` paragraph, `h` heading, `l` list item."""
    path: str
    """The block elements that it stands in, outermost first: `html/body/div/p`."""
    start: int
    end: int
    """Where its text begins and ends in the decoded source, in characters."""
    words: int
    link_words: int
    """Number of its words that stand inside links."""
    links: int
    tags: int
    """Number of tags inside it."""
    score: float = 0.0
    """Boilerplate score: 0 is text, 1 is boilerplate."""
    label: str = ""
    """The class that the cleaning method put it into."""
    lang: str = ""
    """The language it is in; empty if it is too short to tell."""
    dropped: str = ""
    """Name of the filter that dropped it, empty if none did."""
    row: int = 0
    """Number of the table row of the page that it is a cell of, from 1.

    It is 0 for a block that is no cell, or whose row is there for the layout only.
    """
    role: str = ""
    """What it is on its page, one of `gristmill.roles.ROLES`; empty if nobody has asked."""

    def is_text(self, max_boilerplate: float, roles: str = "") -> bool:
        """Tell whether it is text by a threshold, and by its role if roles are given as `Document.roles` has them."""
        return self.score <= max_boilerplate and is_chosen(self.role, roles)

    def is_kept(self, max_boilerplate: float, roles: str = "") -> bool:
        """Tell whether it is text, and no filter dropped it; `Columns.kept` and `kept.py` do this for columns."""
        return not self.dropped and self.is_text(max_boilerplate, roles)

    @property
    def link_density(self) -> float:
        """Share of its words that stand inside links."""
        return min(1.0, self.link_words / self.words) if self.words else 0.0

    @property
    def quantile(self) -> str:
        """The score as one of ten letters, from `a` (below 0.1) to `j` (0.9 and more), as in texrex.

        Corpus managers find letters faster than numbers (Schäfer 2016, on non-destructive cleaning).
        """
        return "abcdefghij"[bisect_right(_QUANTILE_BOUNDS, self.score)]

    def __repr__(self) -> str:
        return f"<Block {self.kind} {self.score:.2f}: {excerpt(self.text)!r}>"


@dataclass(frozen=True, slots=True)
class Alternate:
    """A translation that a page declares: the language, as `de` or `pt-br`, and the address."""

    lang: str
    url: str


class Addresses(Texts):
    """The addresses that a page links to, which are made strings when they are asked for."""

    __slots__ = ()
    __hash__ = None  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        return self.tolist() == list(other) if isinstance(other, Sequence) and not isinstance(other, str) else False

    def __reduce__(self) -> tuple[type[Addresses], tuple[bytes, Int32]]:
        return Addresses, (self.data, self.offsets)

    def __repr__(self) -> str:
        return repr(self.tolist())


@dataclass(slots=True)
class Document:
    """A page after cleaning: its metadata, its blocks, and the reason if it was dropped."""

    id: str = ""
    """Its place in the corpus, shard and row: `00000-000017`."""
    url: str = ""
    date: str = ""
    source: str = ""
    offset: int = 0
    status: int = 200
    content_type: str = ""
    size: int = 0
    """Size of the page's body in bytes."""
    page_digest: bytes = bytes(16)
    """A 128-bit hash of the page's body as it was fetched; zeros if nobody knows it."""
    encoding: str = ""
    encoding_from: str = ""
    """The step that decided on the encoding: `bom`, `zeros`, `http`, `meta`, `xml`, `utf-8`, `escapes`, `model`."""
    repaired: bool = False
    """Whether mojibake was repaired: text that somebody had taken for windows-1252, though it was UTF-8."""
    lang: str = "und"
    lang_confidence: float = 0.0
    title: str = ""
    headline: str = ""
    """Headline of its text, as the page says itself: the title often has the name of the site, too."""
    canonical: str = ""
    """Address under which the page wants to be known, as it says itself."""
    declared_lang: str = ""
    """Language of the page, as it says itself."""
    author: str = ""
    """Author of the page, as it says itself."""
    published: str = ""
    """Time of publication in ISO 8601, as the page says itself; `date` is when it was fetched."""
    modified: str = ""
    """Time of the last change in ISO 8601, as the page says itself."""
    site_name: str = ""
    description: str = ""
    categories: list[str] = field(default_factory=list)
    keywords: list[str] = field(default_factory=list)
    licence: str = ""
    image: str = ""
    """Site name, description, categories, keywords, licence, and picture, as the page says itself."""
    metadata_from: dict[str, str] = field(default_factory=dict)
    """For each field that the page itself said, where: `json-ld`, `opengraph`, `meta`, `byline` and others."""
    page_kind: str = ""
    """What kind of page it is: `article`, `forum`, `listing`, `product`, `documentation`, `home`, `other`."""
    page_kind_confidence: float = 0.0
    method: str = ""
    """Cleaning method that scored the blocks."""
    max_boilerplate: float = 0.5
    """Highest score of a block that counts as text."""
    roles: str = ""
    """The roles of blocks that count as text, with commas between them; if empty, all do."""
    length: int = 0
    """Characters of the kept text, which is what cleaning and the filters for blocks have left."""
    words: int = 0
    """Words of the kept text."""
    text_blocks: int = 0
    """Blocks of the kept text."""
    boilerplate_words: int = 0
    """Words in blocks that cleaning did not keep, for their score or their role."""
    filtered_words: int = 0
    """Words in blocks that cleaning kept and a filter for blocks dropped."""
    text_bytes: int = 0
    """Bytes of the kept text in UTF-8."""
    digest: bytes = bytes(16)
    """A 128-bit hash of the kept text; equal texts have equal digests, whatever white space is in their blocks."""
    dropped: str = ""
    """Name of the filter that dropped it, empty if none did."""
    detail: str = ""
    """What the filter found."""
    attributes: dict[str, str] = field(default_factory=dict)
    """What those who fetched the page say of it, such as the query that found it, by name."""
    ip: str = ""
    """The IP address of the server, as the archive says; empty if it does not."""
    country: str = ""
    """The country of the server as a code such as `DE`, if the filter `country` found it."""
    badness: float = UNKNOWN_BADNESS
    """How far frequent words are below their usual frequency, from 0, if the filter `badness` found it; else -1."""
    alternates: list[Alternate] = field(default_factory=list)
    """Translations of the page, as it says itself: `hreflang`, and links whose text is the name of a language."""
    links: Sequence[str] = field(default_factory=list)
    """The addresses that the page links to, absolute and without fragments, each once."""
    blocks: list[Block] = field(default_factory=list)
    columns: Columns | None = field(default=None, init=False, repr=False, compare=False)
    """Its blocks as columns, until `blocks` is asked for or set: from then on the blocks count, and this is None."""

    def as_columns(self) -> Columns:
        """Return its blocks as columns; changes of these count only if it has no blocks as objects."""
        return columns_of(self.blocks) if self.columns is None else self.columns

    @property
    def block_count(self) -> int:
        """How many blocks it has, kept or not."""
        return len(self.blocks if self.columns is None else self.columns)

    def __getstate__(self) -> tuple[None, dict[str, Any]]:
        """Pickle columns as columns."""
        has_blocks = self.columns is None
        names = [item.name for item in fields(self) if item.name != "blocks" or has_blocks]
        return None, {name: getattr(self, name) for name in names}

    @classmethod
    def of(cls, page: Page) -> Document:
        """Make a document without blocks, with what is known of its page before that is read."""
        return cls(
            url=page.url,
            date=page.date,
            source=page.source,
            offset=page.offset,
            status=page.status,
            content_type=page.content_type,
            size=len(page.body),
            page_digest=xxhash.xxh3_128_digest(page.body),
            attributes=_readable(page.attributes) if page.attributes else {},
            ip=page.ip if _IP.fullmatch(page.ip) else "",
        )

    def kept_columns(self) -> tuple[Columns, Ints]:
        """Return its blocks as columns, and the numbers of those that are kept."""
        columns = self.as_columns()
        return columns, columns.kept(self.max_boilerplate, self.roles)

    def measure(self, max_boilerplate: float = 0.5, roles: Names | None = None) -> None:
        """Set the threshold, and the counts and the digest of the text that it keeps.

        With `roles` it also sets which blocks are text: names of roles, or one text with commas; `all` for all.
        """
        self.max_boilerplate = max_boilerplate
        if roles is not None:
            self.roles = as_text(chosen(roles))
        columns, kept = self.kept_columns()
        text = columns.joined(kept)
        is_folded = columns.folded is columns.text
        self.text_bytes, self.text_blocks = len(text), len(kept)
        if text.isascii():
            self.length = len(text)
        elif is_folded:  # with line ends and tabs between blocks
            self.length = int(columns.folded.lengths()[kept].sum()) + len(kept) - 1
        else:
            self.length = len(text.decode())
        self.words = int(columns.words[kept].sum())
        others = int(columns.words.sum()) - self.words
        self.boilerplate_words = (
            others
            if columns.dropped.values == [""]
            else int(columns.words[~columns.are_text(max_boilerplate, self.roles)].sum())
        )
        self.filtered_words = others - self.boilerplate_words
        # Where folding changes nothing, tabs are only between the cells of a row.
        lines = text.replace(b"\t", b"\n") if is_folded else b"\n".join(columns.folded.parts(kept))
        self.digest = xxhash.xxh3_128_digest(lines)

    def kept(
        self, max_boilerplate: float | None = None, roles: Names | None = None, without: Names = ()
    ) -> list[Block]:
        """Return the blocks that no filter dropped, whose score is at most the threshold, and whose role is text.

        Without a threshold, or without roles, those of the document count. Roles are names, or one text with commas.
        """
        threshold = self.max_boilerplate if max_boilerplate is None else max_boilerplate
        as_it_is = roles is None and not without
        wanted = self.roles if as_it_is else as_text(chosen(roles, without, from_text(self.roles)))
        return [block for block in self.blocks if block.is_kept(threshold, wanted)]

    @property
    def text(self) -> str:
        """The clean text: one block below the other, but the cells of a table row side by side, with tabs between."""
        columns, kept = self.kept_columns()
        return columns.joined(kept).decode()

    @property
    def folded(self) -> str:
        """The clean text with white space folded, one line for each block: words, filters and languages go by it."""
        columns, kept = self.kept_columns()
        return b"\n".join(columns.folded.parts(kept)).decode()

    def lines(self) -> list[str]:
        """Return the texts of the kept blocks with white space folded, each on one line."""
        columns, kept = self.kept_columns()
        return columns.folded.some(kept)

    def to_json(self, *, derived: bool = False) -> dict[str, Any]:
        """Return all fields as JSON has them; with `derived` also the text, and the quantiles of blocks."""
        record = asdict(self)  # makes the blocks, so that there are no columns
        del record["columns"]
        record["links"] = list(self.links)
        record["digest"], record["page_digest"] = self.digest.hex(), self.page_digest.hex()
        if derived:
            record["text"] = self.text
            for item, block in zip(record["blocks"], self.blocks, strict=True):
                item["quantile"] = block.quantile
        return record

    def __repr__(self) -> str:
        name = " ".join(filter(None, (self.id, self.url, repr(excerpt(self.title)) if self.title else "")))
        text = f"{self.words:,} words in {self.text_blocks:,} of {self.block_count:,} blocks"
        return f"<Document {name}: {self.lang}, {f'dropped, {self.dropped}' if self.dropped else text}>"

    def _repr_html_(self) -> str:
        return document_html(self)


_BLOCKS = vars(Document)["blocks"]
"""The place of the blocks in a document, behind the property that follows."""


def _get_blocks(document: Document) -> list[Block]:
    """Return the blocks of a document, which are made of its columns if it has these."""
    if document.columns is not None:
        _set_blocks(document, blocks_of(document.columns))
    blocks: list[Block] = _BLOCKS.__get__(document)
    return blocks


def _set_blocks(document: Document, blocks: list[Block]) -> None:
    """Give a document blocks, in place of its columns."""
    _BLOCKS.__set__(document, blocks)
    document.columns = None


# Behind the class: as part of it, the property would be taken for the default of the field.
Document.blocks = property(_get_blocks, _set_blocks)  # type: ignore[assignment, misc]


def blocks_of(columns: Columns) -> list[Block]:
    """Make the blocks that columns describe."""
    return list(map(Block, *(column.tolist() for column in _BLOCK_FIELDS(columns))))


def columns_of(blocks: Sequence[Block]) -> Columns:
    """Make the columns that describe blocks."""
    text, *others = ([getattr(block, item.name) for block in blocks] for item in BLOCK_TYPE)
    made = [_column(values, item.type) for values, item in zip(others, list(BLOCK_TYPE)[1:], strict=True)]
    return Columns(Texts.of(text, "strict"), *made)


def _column(values: list[Any], kind: pa.DataType) -> Any:
    """Make a column of values of a type of Arrow, any but the texts."""
    return Coded.of(values) if kind == pa.string() else np.array(values, kind.to_pandas_dtype())


def _readable(attributes: Mapping[str, str]) -> dict[str, str]:
    """Return attributes that are safe to store, show and index: names of a simple form, and one line of text each."""
    named = sorted(name for name in attributes if _ATTRIBUTE_NAME.fullmatch(name))
    values = {name: _value(attributes[name]) for name in named[:_MAX_ATTRIBUTES]}
    return {name: value for name, value in values.items() if value}


def _value(text: str) -> str:
    value = _UNREADABLE.sub(" ", text).strip()
    if len(value) <= _MAX_ATTRIBUTE_CHARACTERS:
        return value
    end = f"#{xxhash.xxh3_128_hexdigest(value.encode())}"
    return value[: _MAX_ATTRIBUTE_CHARACTERS - len(end)] + end


def document_id(shard: str, row: int) -> str:
    """Return the id of a document, which says where it stands in the corpus: `00000-000017`."""
    return f"{shard}-{row:06d}"


def _struct(record: type, types: dict[str, pa.DataType]) -> list[pa.Field]:
    """Return the Arrow fields of a dataclass, in its own order, so that the two can't drift apart."""
    return [pa.field(item.name, types[item.name], nullable=False) for item in fields(record) if item.name != "columns"]


# Floats are stored in full: a score of 0.2 must still be at most 0.2 when it is read again.
BLOCK_TYPE: pa.DataType = pa.struct(
    _struct(
        Block,
        {
            "text": pa.string(),
            "kind": pa.string(),
            "path": pa.string(),
            "start": pa.int32(),
            "end": pa.int32(),
            "words": pa.int32(),
            "link_words": pa.int32(),
            "links": pa.int32(),
            "tags": pa.int32(),
            "score": pa.float64(),
            "label": pa.string(),
            "lang": pa.string(),
            "dropped": pa.string(),
            "row": pa.int32(),
            "role": pa.string(),
        },
    ),
)

ALTERNATE_TYPE: pa.DataType = pa.struct(_struct(Alternate, {"lang": pa.string(), "url": pa.string()}))

_BLOCK_FIELDS = attrgetter(*BLOCK_TYPE.names)
"""Returns all fields of a block, or all columns of blocks."""
_MAX_OFFSET = 2**31 - 1
"""The last place in a column of Arrow, whose offsets have 32 bits."""
_NO_NUMBERS = np.zeros(0, np.int32)
_NO_OFFSETS = np.zeros(1, np.int32)
_MAPS = frozenset({"attributes", "metadata_from"})
"""Fields of documents that are stored as maps."""

DOCUMENT_SCHEMA: pa.Schema = pa.schema(
    _struct(
        Document,
        {
            "id": pa.string(),
            "url": pa.string(),
            "date": pa.string(),
            "source": pa.string(),
            "offset": pa.int64(),
            "status": pa.int16(),
            "content_type": pa.string(),
            "size": pa.int64(),
            "page_digest": pa.binary(16),
            "encoding": pa.string(),
            "encoding_from": pa.string(),
            "repaired": pa.bool_(),
            "lang": pa.string(),
            "lang_confidence": pa.float64(),
            "title": pa.string(),
            "headline": pa.string(),
            "canonical": pa.string(),
            "declared_lang": pa.string(),
            "author": pa.string(),
            "published": pa.string(),
            "modified": pa.string(),
            "site_name": pa.string(),
            "description": pa.string(),
            "categories": pa.list_(pa.string()),
            "keywords": pa.list_(pa.string()),
            "licence": pa.string(),
            "image": pa.string(),
            "metadata_from": pa.map_(pa.string(), pa.string()),
            "page_kind": pa.string(),
            "page_kind_confidence": pa.float64(),
            "method": pa.string(),
            "max_boilerplate": pa.float64(),
            "roles": pa.string(),
            "length": pa.int32(),
            "words": pa.int32(),
            "text_blocks": pa.int32(),
            "boilerplate_words": pa.int32(),
            "filtered_words": pa.int32(),
            "text_bytes": pa.int64(),
            "digest": pa.binary(16),
            "dropped": pa.string(),
            "detail": pa.string(),
            "attributes": pa.map_(pa.string(), pa.string()),
            "ip": pa.string(),
            "country": pa.string(),
            "badness": pa.float64(),
            "alternates": pa.list_(pa.field("item", ALTERNATE_TYPE, nullable=False)),
            "links": pa.list_(pa.string()),
            "blocks": pa.list_(pa.field("item", BLOCK_TYPE, nullable=False)),
        },
    ),
)


def to_arrow(documents: list[Document]) -> pa.RecordBatch:
    """Convert documents to Arrow columns."""
    columns = []
    for item in DOCUMENT_SCHEMA:
        if item.name == "blocks":
            columns.append(_blocks_array([document.as_columns() for document in documents]))
            continue
        if item.name == "links":
            columns.append(_links_array([document.links for document in documents]))
            continue
        values = list(map(attrgetter(item.name), documents))
        if item.name in _MAPS:
            values = [list(attributes.items()) for attributes in values]
        elif item.name == "alternates":
            values = [[(alternate.lang, alternate.url) for alternate in alternates] for alternates in values]
        columns.append(pa.array(values, item.type))
    return pa.RecordBatch.from_arrays(columns, schema=DOCUMENT_SCHEMA)


def _links_array(pages: list[Sequence[str]]) -> pa.Array:
    """Put the links of documents together, without objects for those that are columns."""
    parts = [links if isinstance(links, Texts) else Texts.of(list(links)) for links in pages]
    offsets = _offsets([len(part) for part in parts])
    return pa.ListArray.from_arrays(pa.array(offsets), _texts_array(parts), type=DOCUMENT_SCHEMA.field("links").type)


def _read_links(lists: pa.ListArray) -> list[Addresses]:
    """Take the links of the documents of a batch apart."""
    values = lists.flatten()
    if not len(values):
        return [Addresses(b"", _NO_OFFSETS)] * len(lists)
    _, places, data = values.buffers()
    offsets = np.frombuffer(places, np.int32)[values.offset : values.offset + len(values) + 1]
    begins = (lists.offsets.to_numpy() - lists.offsets[0].as_py()).tolist()
    found = []
    for begin, end in pairwise(begins):
        some = offsets[begin : end + 1]
        first, last = int(some[0]), int(some[-1])
        found.append(Addresses(data.slice(first, last - first).to_pybytes(), some - np.int32(first)))
    return found


def _blocks_array(pages: list[Columns]) -> pa.Array:
    """Put the columns of the blocks of documents together, without objects for blocks."""
    offsets = _offsets([len(page) for page in pages])
    columns = []
    for item in BLOCK_TYPE:
        parts = [getattr(page, item.name) for page in pages]
        if item.name == "text":
            columns.append(_texts_array(parts))
        elif item.type == pa.string():
            columns.append(_strings_array(parts))
        else:
            columns.append(pa.array(np.concatenate([_NO_NUMBERS, *parts]), item.type))
    struct = pa.StructArray.from_arrays(columns, fields=list(BLOCK_TYPE))
    return pa.ListArray.from_arrays(pa.array(offsets), struct, type=DOCUMENT_SCHEMA.field("blocks").type)


def _offsets(sizes: Sequence[int] | Ints) -> Int32:
    """Return where each of some parts begins when they are put together, and where the last one ends."""
    offsets = np.zeros(len(sizes) + 1, np.int64)
    np.cumsum(sizes, out=offsets[1:])
    if offsets[-1] > _MAX_OFFSET:
        raise OverflowError(f"{offsets[-1]:,} blocks or bytes of text are too many for a batch of documents")
    return offsets.astype(np.int32)


def _texts_array(parts: Sequence[Texts]) -> pa.Array:
    """Put texts together: their bytes, and their offsets behind those before them."""
    before = _offsets([len(part.data) for part in parts])
    begins = [part.offsets[:-1] + start for part, start in zip(parts, before, strict=False)]
    offsets = np.concatenate([*begins, before[-1:]])
    data = b"".join([part.data for part in parts])
    return pa.Array.from_buffers(pa.string(), len(offsets) - 1, [None, pa.py_buffer(offsets), pa.py_buffer(data)])


def _strings_array(parts: Sequence[Coded]) -> pa.Array:
    """Put columns of strings that repeat together: each different string is converted once for the batch."""
    numbers: dict[str, int] = {}
    known: dict[int, Int32] = {}  # the numbers of a list of values; documents that were read together share one
    for part in parts:
        if id(part.values) not in known:
            found = [numbers.setdefault(value, len(numbers)) for value in part.values]
            known[id(part.values)] = np.array(found, np.int32)
    codes = np.concatenate([_NO_NUMBERS, *(known[id(part.values)][part.codes] for part in parts)])
    return _texts_array([_taken([value.encode() for value in numbers], codes)])


def _taken(values: Sequence[bytes], codes: Int32) -> Texts:
    """Return values by their numbers: Arrow could do it, too, with a library that takes long to load."""
    sizes = np.fromiter(map(len, values), np.int64, len(values))
    return Texts(b"".join(map(values.__getitem__, codes.tolist())), _offsets(sizes[codes]))


def from_arrow(batch: pa.RecordBatch) -> list[Document]:
    """Make documents of Arrow columns; fields whose columns were not read keep their defaults."""
    names = [name for name in batch.schema.names if name != "blocks"]
    columns = [_read_links(batch.column(name)) if name == "links" else batch.column(name).to_pylist() for name in names]
    for name in _MAPS.intersection(names):
        columns[names.index(name)] = list(map(dict, columns[names.index(name)]))
    if "alternates" in names:
        place = names.index("alternates")
        columns[place] = [[Alternate(**item) for item in some] for some in batch.column("alternates").to_pylist()]
    documents = [Document(**dict(zip(names, row, strict=True))) for row in zip(*columns, strict=True)]
    if "blocks" in batch.schema.names:
        lists = batch.column("blocks")
        blocks = _Blocks.of(lists.flatten())
        offsets = (lists.offsets.to_numpy() - lists.offsets[0].as_py()).tolist()
        for document, start, end in zip(documents, offsets, offsets[1:], strict=False):
            document.columns = blocks.between(start, end)
    return documents


@dataclass(frozen=True, slots=True)
class _Blocks:
    """The blocks of all documents of a batch that was read, as columns."""

    data: pa.Buffer
    """The texts of all blocks, perhaps with others before and behind them."""
    offsets: Int32
    """Where the text of each block begins in the data, and where the last one ends."""
    columns: list[Any]
    """All columns but the texts."""

    @classmethod
    def of(cls, struct: pa.StructArray) -> _Blocks:
        """Take the columns of Arrow apart; fields whose columns were not read are empty or zero."""
        read = {item.name for item in struct.type}
        data, offsets = pa.py_buffer(b""), np.zeros(len(struct) + 1, np.int32)
        columns = []
        for item in BLOCK_TYPE:
            found = struct.field(item.name) if item.name in read else None
            if item.name != "text":
                columns.append(_read_column(found, item.type, len(struct)))
            elif found is not None and len(found):
                _, places, data = found.buffers()
                offsets = np.frombuffer(places, np.int32)[found.offset : found.offset + len(found) + 1]
        return cls(data, offsets, columns)

    def between(self, start: int, end: int) -> Columns:
        """Return the columns of the blocks of one document."""
        offsets = self.offsets[start : end + 1]
        first, last = int(offsets[0]), int(offsets[-1])
        texts = Texts(self.data.slice(first, last - first).to_pybytes(), offsets - np.int32(first))
        rows = slice(start, end)
        others: list[Any] = [
            column.take(rows) if isinstance(column, Coded) else column[rows] for column in self.columns
        ]
        return Columns(texts, *others)


def _read_column(found: pa.Array | None, kind: pa.DataType, length: int) -> Any:
    """Make a column of one of Arrow, any but the texts, or of nothing."""
    if kind != pa.string():
        return np.zeros(length, kind.to_pandas_dtype()) if found is None else found.to_numpy()
    if found is None:
        return Coded.same("", length)
    return Coded.of_arrow(found)
