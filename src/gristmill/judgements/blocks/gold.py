"""A gold standard of what was judged: a Parquet file that `gristmill evaluate` and `gristmill train` read.

A page is in it if somebody has finished it. Its gold text are the blocks that the majority calls good; the column
`annotated` has all blocks with the class and the reliability of KrdWrd, as Canola does, and `blocks` has the votes.
"""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from html import escape
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from gristmill.corpus import CorpusReader
from gristmill.document import Document
from gristmill.errors import GristmillError, UsageError
from gristmill.evaluation.gold import GoldPage
from gristmill.judgements.blocks.majority import Merged, merge_page
from gristmill.judgements.blocks.originals import page_bytes
from gristmill.judgements.blocks.pages import JudgedPage, read_pages, refresh
from gristmill.judgements.blocks.store import BlockStore
from gristmill.shards import write_atomically
from gristmill.wording import plural

_BLOCK = pa.struct(
    [
        ("text", pa.string()),
        ("verdict", pa.string()),
        ("reliability", pa.int8()),
        ("votes", pa.int16()),
        ("role", pa.string()),
    ]
)
SCHEMA = pa.schema(
    [
        *((name, pa.string()) for name in ("id", "url", "lang")),
        ("html", pa.large_binary()),
        ("gold", pa.string()),
        ("annotated", pa.large_binary()),
        ("original", pa.bool_()),
        ("blocks", pa.list_(_BLOCK)),
    ]
)
"""The columns of a gold standard; `original` is false for pages that were put together from their blocks."""


@dataclass(frozen=True, slots=True)
class Choice:
    """Which judgements count: of which annotators (all, if none is named), and how far they must agree."""

    annotators: tuple[str, ...] = ()
    min_agreement: int = 0
    """The reliability in per cent that a block needs: below, it counts as undecided."""
    min_annotators: int = 1
    """How many must have finished a page."""


@dataclass(frozen=True, slots=True)
class GoldBlockPage:
    """A page with the majority of each block."""

    page: JudgedPage
    merged: list[Merged]
    html: bytes
    original: bool
    name: str

    def gold_page(self) -> GoldPage:
        """Return it as trainers and evaluations take it."""
        document = self.page.document
        return GoldPage(
            self.name, document.id, self.html, self.text, document.lang, document.url or None, None, self.annotated
        )

    @property
    def text(self) -> str:
        """The blocks that are good, one on a line."""
        lines = zip(self.page.document.as_columns().folded.tolist(), self.merged, strict=True)
        return "\n".join(text for text, merged in lines if merged.verdict == "good")

    @property
    def annotated(self) -> str:
        """All blocks as HTML, in elements with the classes of KrdWrd."""
        lines = zip(self.page.document.as_columns().folded.tolist(), self.merged, strict=True)
        parts = [f'<p><kw class="{merged.tag}">{escape(text)}</kw></p>' for text, merged in lines]
        return "<!DOCTYPE html>\n<html><body>\n" + "\n".join(parts) + "\n</body></html>\n"


@dataclass(slots=True)
class GoldExport:
    """What a gold standard holds."""

    pages: int = 0
    rebuilt: int = 0
    """Pages whose archive is gone, so that they were put together from their blocks."""
    verdicts: Counter[str] = field(default_factory=Counter)
    """Blocks by verdict, ties included."""
    changed: int = 0
    """Judgements that are left out since the corpus has another text at their place."""

    def __str__(self) -> str:
        rebuilt = f", {self.rebuilt:,} of them rebuilt from blocks (their archives are gone)" if self.rebuilt else ""
        blocks = ", ".join(f"{count:,} {name}" for name, count in sorted(self.verdicts.items()))
        changed = f"; {plural(self.changed, 'judgement')} left out, as the text has changed" if self.changed else ""
        return f"{plural(self.pages, 'page')}{rebuilt}: {blocks or 'no blocks'}{changed}"


def gold_pages(
    corpus: CorpusReader, store: BlockStore, choice: Choice | None = None, name: str = "judged"
) -> Iterator[GoldBlockPage]:
    """Merge the judgements of the pages that were finished; raises if an annotator is not known."""
    choice = choice or Choice()
    refresh(corpus, store)
    known = {visit.annotator for visit in store.visits()}
    for annotator in choice.annotators:
        if annotator not in known:
            others = f"there are: {', '.join(sorted(known))}" if known else "nobody has"
            raise UsageError(f"nobody by the name {annotator!r} has judged pages ({others})")
    finished: dict[str, list[str]] = {}
    for visit in store.visits():
        if visit.finished and (not choice.annotators or visit.annotator in choice.annotators):
            finished.setdefault(visit.page, []).append(visit.annotator)
    wanted = [page for page, annotators in finished.items() if len(annotators) >= choice.min_annotators]
    for page in read_pages(corpus, wanted):
        identifier = page.document.id
        found = store.of_page(identifier, page.outline)
        own = {annotator: found.get(annotator, {}) for annotator in finished[identifier]}
        merged = [_decided(item, choice.min_agreement) for item in merge_page(own, len(page.outline.hashes))]
        if any(item.verdict for item in merged):
            html, original = page_bytes(corpus, page.document)
            yield GoldBlockPage(page, merged, html, original, name)


def _decided(merged: Merged, min_agreement: int) -> Merged:
    """Take a majority that is too small for undecided."""
    if merged.verdict and merged.reliability < min_agreement:
        return Merged("undecided", merged.reliability, merged.votes, merged.role)
    return merged


def gold_table(pages: Sequence[GoldBlockPage]) -> pa.Table:
    """Put pages into the columns of a gold standard."""
    return pa.Table.from_pylist([_row(page) for page in pages], SCHEMA)


def _row(page: GoldBlockPage) -> dict[str, object]:
    document: Document = page.page.document
    texts = document.as_columns().text.tolist()
    return {
        "id": document.id,
        "url": document.url,
        "lang": document.lang,
        "html": page.html,
        "gold": page.text,
        "annotated": page.annotated.encode("utf-8", "replace"),
        "original": page.original,
        "blocks": [
            {"text": text, "verdict": one.verdict, "reliability": one.reliability, "votes": one.votes, "role": one.role}
            for text, one in zip(texts, page.merged, strict=True)
        ],
    }


def gold_bytes(corpus: CorpusReader, store: BlockStore, choice: Choice | None = None) -> tuple[bytes, GoldExport]:
    """Make the file of a gold standard; raises if no page is finished."""
    pages = list(gold_pages(corpus, store, choice))
    if not pages:
        raise GristmillError("there is no finished page to export: judge some first, with `gristmill serve`")
    export = GoldExport(len(pages), sum(not page.original for page in pages))
    export.verdicts.update(one.verdict for page in pages for one in page.merged if one.verdict)
    export.changed = sum(number for _, _, number in store.changed())
    target = io.BytesIO()
    pq.write_table(gold_table(pages), target, compression="zstd")
    return target.getvalue(), export


def write_gold(corpus: CorpusReader, path: Path, choice: Choice | None = None) -> GoldExport:
    """Write a gold standard, a Parquet file, of what was judged in a corpus."""
    if path.suffix != ".parquet":
        raise UsageError(f"a gold standard is a Parquet file: name it {path.with_suffix('.parquet')}")
    with BlockStore(corpus.folder) as store:
        data, export = gold_bytes(corpus, store, choice)
    write_atomically(path, data)
    return export
