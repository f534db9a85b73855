"""Read a document as one page: choose the converter of its format, and say what is wrong with a broken one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import BinaryIO

from gristmill.archive.documents.container import BrokenDocument
from gristmill.archive.documents.docx import docx
from gristmill.archive.documents.epub import epub
from gristmill.archive.documents.odt import odt
from gristmill.archive.documents.pdf import MISSING, can_read_pdf, pdf
from gristmill.archive.kind import Kind
from gristmill.archive.skip import Skip
from gristmill.archive.source import Source
from gristmill.document import Page

_FORMATS: dict[Kind, tuple[str, Callable[[BinaryIO], bytes]]] = {
    "pdf": ("PDF document", pdf),
    "docx": ("Word document", docx),
    "odt": ("OpenDocument text", odt),
    "epub": ("e-book", epub),
}


def read_document(file: BinaryIO, source: Source, limit: int) -> Iterator[Page | Skip]:
    """Convert a document to a page."""
    name, convert = _FORMATS[source.kind]
    if source.kind == "pdf" and not can_read_pdf():
        yield Skip("unreadable", source.name, 0, detail=MISSING)
        return
    try:
        body = convert(file)
    except BrokenDocument as error:
        yield Skip("broken", source.name, 0, detail=f"a {name} that can't be read: {error}")
        return
    headers = {"content-type": "text/html; charset=utf-8"}
    yield Page(f"file:{source.name}", body[: limit + 1], headers=headers, source=source.name)
