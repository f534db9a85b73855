"""Read gold standards: pages and the text that people say is on them.

A gold standard is a Parquet file (columns `id`, `html`, `gold`, and if there are any `lang`, `url`, `split`,
`annotated`), or a folder of pairs: `page.html` and `page.txt`. Pages that can't be used are left out and counted with
the reason.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from gristmill.decoding import decode
from gristmill.errors import UsageError
from gristmill.evaluation.site import address, site

_NEEDED = ("id", "html", "gold")
_OPTIONAL = ("lang", "url", "split", "annotated")
_PAGES = {".html", ".htm", ".xhtml"}

# The manual clean-up of these has the text of other pages (Pomikálek 2011, 2.9.7).
_BAD_GOLD = {"cleaneval": frozenset({"final/103", "final/250"})}

# What KrdWrd put around each text node of the pages of Canola.
_MARKS = re.compile(rb"</?kw(?:\s[^>]*)?>", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class GoldPage:
    """A page as crawled, and its gold text."""

    gold_set: str
    id: str
    html: bytes
    gold: str
    """The text of the page, without boilerplate."""
    lang: str | None = None
    url: str | None = None
    split: str | None = None
    annotated: str | None = None
    """The gold text with annotation: CleanEval's markup, or HTML with the annotators' classes."""

    @property
    def site(self) -> str:
        """The site that the page is from, or a name of its own if the site is unknown."""
        return site(self.url, self.id, self.html) or f"{self.gold_set}/{self.id}"

    @property
    def unmarked(self) -> bytes:
        """The page without tags of annotators, as it is cleaned to be measured (Pomikálek 2011, 2.9).

        Methods that cut pages at all tags, or count them, would see these: links would be blocks of their own.
        """
        return _MARKS.sub(b"", self.html)


@dataclass(slots=True)
class GoldSet:
    """The pages of one gold standard that can be used, and how many can't, by reason."""

    name: str
    pages: list[GoldPage] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)

    def select(self, langs: Sequence[str] | None = None, split: str | None = None, limit: int | None = None) -> GoldSet:
        """Select pages: of some languages, of a split, and at most `limit` of those, evenly spaced over the set."""
        pages = [
            page
            for page in self.pages
            if (langs is None or page.lang in langs) and (split is None or page.split == split)
        ]
        if limit is not None and limit < len(pages):
            pages = [pages[at * len(pages) // limit] for at in range(limit)]
        return GoldSet(self.name, pages, self.left_out)


def read_gold(paths: Sequence[str | Path]) -> list[GoldSet]:
    """Read the gold standards in files and folders; a folder may hold pairs of files, or Parquet files."""
    sets = [gold_set for path in paths for gold_set in _read(Path(path))]
    names = Counter(gold_set.name for gold_set in sets)
    twice = [name for name, count in names.items() if count > 1]
    if twice:
        raise UsageError(f"two gold standards have the name {twice[0]!r}; rename one of them")
    return sets


def _read(path: Path) -> list[GoldSet]:
    if path.is_dir():
        files = [file for file in sorted(path.glob("*.parquet")) if _has_pages(file)]
        return [_read_parquet(file) for file in files] or [_read_folder(path)]
    if not path.exists():
        raise UsageError(f"there is no gold standard {str(path)!r}")
    return [_read_parquet(path)]


def _has_pages(path: Path) -> bool:
    return set(_schema(path).names) >= set(_NEEDED)


def _schema(path: Path) -> pa.Schema:
    try:
        return pq.read_schema(path)
    except (pa.ArrowException, OSError) as error:
        raise UsageError(
            f"can't read {path}: a gold standard is a Parquet file, or a folder of page.html and page.txt"
        ) from error


def _read_parquet(path: Path) -> GoldSet:
    schema = _schema(path)
    missing = [name for name in _NEEDED if name not in schema.names]
    if missing:
        raise UsageError(f"{path} is no gold standard of pages: it has no column {', '.join(missing)}")
    _check_types(path, schema)
    try:
        table = pq.read_table(path, columns=[name for name in (*_NEEDED, *_OPTIONAL) if name in schema.names])
    except (pa.ArrowException, OSError) as error:
        raise UsageError(f"can't read {path}: {getattr(error, 'strerror', None) or error}") from error
    return _gather(path.stem, (row for batch in table.to_batches(max_chunksize=100) for row in batch.to_pylist()))


def _check_types(path: Path, schema: pa.Schema) -> None:
    """Raise if pages are not bytes or gold is not text, before pages are read one by one."""
    is_bytes = pa.types.is_binary(schema.field("html").type) or pa.types.is_large_binary(schema.field("html").type)
    is_text = pa.types.is_string(schema.field("gold").type) or pa.types.is_large_string(schema.field("gold").type)
    if not (is_bytes and is_text):
        raise UsageError(f"{path} is no gold standard of pages: html must be bytes, and gold text")


def _read_folder(folder: Path) -> GoldSet:
    pages = {path.with_suffix(""): path for path in sorted(folder.rglob("*")) if path.suffix.lower() in _PAGES}
    texts = {path.with_suffix(""): path for path in sorted(folder.rglob("*.txt"))}
    pairs = [stem for stem in pages if stem in texts]
    if not pairs:
        raise UsageError(
            f"there is no gold standard in {folder}: "
            "no page.html beside a page.txt of the same name, and no Parquet file"
        )
    rows = (
        {
            "id": stem.relative_to(folder).as_posix(),
            "html": pages[stem].read_bytes(),
            "gold": decode(texts[stem].read_bytes()).text,
        }
        for stem in pairs
    )
    gold_set = _gather(folder.resolve().name, rows)
    gold_set.left_out.update({"no gold": len(pages) - len(pairs), "no page": len(texts) - len(pairs)})
    gold_set.left_out = +gold_set.left_out
    return gold_set


def _gather(name: str, rows: Iterator[dict[str, Any]]) -> GoldSet:
    gold_set = GoldSet(name)
    for row in rows:
        page = _page(name, row)
        reason = _fault(page)
        if reason:
            gold_set.left_out[reason] += 1
        else:
            gold_set.pages.append(page)
    return gold_set


def _page(name: str, row: dict[str, Any]) -> GoldPage:
    html = row["html"] or b""
    annotated = decode(row["annotated"]).text if row.get("annotated") else None
    url = row.get("url") or address(annotated, html)
    return GoldPage(
        name, str(row["id"]), html, row["gold"] or "", row.get("lang") or None, url, row.get("split") or None, annotated
    )


def _fault(page: GoldPage) -> str:
    """The reason why a page can't be used; empty if it can.

    A page without gold text is of use if its annotation says of each piece that it is boilerplate.
    """
    if not page.html:
        return "no page"
    if page.id in _BAD_GOLD.get(page.gold_set, ()):
        return "bad gold"
    if not page.gold.strip() and "krdwrd-tag" not in (page.annotated or ""):
        return "empty gold"
    return ""
