"""Convert PDF files to HTML by pypdfium2 (the extra `documents`).

That runs in a process of its own, so that a crash or a hang costs one document and not the build.
"""

from __future__ import annotations

import atexit
import contextlib
import ctypes
import faulthandler
import importlib.util
import os
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, BinaryIO

from gristmill.archive.documents.container import BrokenDocument
from gristmill.archive.documents.html import About, Html
from gristmill.archive.documents.layout import Line, lay_out
from gristmill.engine import LocalEngine, Report, silent

if TYPE_CHECKING:
    import pypdfium2

_MAX_SECONDS = 120
_MAX_MEMORY_BYTES = 4 << 30  # of address space
_MAX_FILE_BYTES = 200_000_000
_MAX_PAGES = 5000
_MAX_CHARACTERS = 20_000_000
_DATE = re.compile(r"D:(\d{4})(\d\d)?(\d\d)?")
MISSING = 'a PDF document: to read it, install pypdfium2 with pip install "gristmill[documents]"'


def can_read_pdf() -> bool:
    """Whether the library that reads PDF files is installed."""
    return importlib.util.find_spec("pypdfium2") is not None


def pdf(file: BinaryIO) -> bytes:
    """Convert a PDF file: paragraphs, headings and list items by the positions and sizes of lines."""
    file.seek(0)
    data = file.read(_MAX_FILE_BYTES + 1)
    if len(data) > _MAX_FILE_BYTES:
        raise BrokenDocument(f"it has more than {_MAX_FILE_BYTES:,} bytes")
    (outcome,) = _engine().run([PdfTask(data)], silent)
    if outcome.error:
        raise BrokenDocument(outcome.error)
    page: bytes = outcome.result
    return page


_engines: dict[int, LocalEngine] = {}


def _engine() -> LocalEngine:
    """The engine with the one helper process of this process; it serves all documents and ends with the parent."""
    if os.getpid() not in _engines:
        engine = _engines[os.getpid()] = LocalEngine(1).__enter__()
        atexit.register(engine.__exit__)
    return _engines[os.getpid()]


@dataclass(frozen=True, slots=True)
class PdfTask:
    """The task of converting one file."""

    data: bytes

    @property
    def name(self) -> str:
        """The name of the task in messages."""
        return "a PDF document"

    @property
    def cost(self) -> int:
        """The size of the file in bytes."""
        return len(self.data)

    def run(self, report: Report) -> bytes:
        """Convert the file to HTML; the process ends if that takes too long or too much memory."""
        del report
        import pypdfium2  # noqa: PLC0415 (an extra)

        with open(os.devnull, "w") as nowhere, _bounded():  # noqa: PTH123 (no path of the user's)
            faulthandler.dump_traceback_later(_MAX_SECONDS, exit=True, file=nowhere)
            try:
                document = pypdfium2.PdfDocument(self.data)
                try:
                    return _html(document)
                finally:
                    document.close()
            except pypdfium2.PdfiumError as error:
                raise BrokenDocument(str(error)) from error
            finally:
                faulthandler.cancel_dump_traceback_later()


@contextlib.contextmanager
def _bounded() -> Iterator[None]:
    """Limit the memory of this process, on systems that can."""
    if sys.platform == "win32":  # it has no such limits
        yield
        return
    import resource  # noqa: PLC0415 (not on Windows)

    before = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(
        resource.RLIMIT_AS,
        (_MAX_MEMORY_BYTES if before[1] == resource.RLIM_INFINITY else min(_MAX_MEMORY_BYTES, before[1]), before[1]),
    )
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)


def _html(document: pypdfium2.PdfDocument) -> bytes:
    said = document.get_metadata_dict()
    made = _DATE.match(said.get("CreationDate", ""))
    html = Html(
        About(
            said.get("Title", ""),
            said.get("Author", ""),
            "-".join(part for part in made.groups() if part) if made else "",
        )
    )
    pages: list[list[Line]] = []
    length = 0
    for number in range(min(len(document), _MAX_PAGES)):
        pages.append(_lines(document, number))
        length += sum(len(line.text) for line in pages[-1])
        if length > _MAX_CHARACTERS:
            break
    lay_out(pages, html)
    return html.page()


def _lines(document: pypdfium2.PdfDocument, number: int) -> list[Line]:
    page = document[number]
    text_page = page.get_textpage()
    lines = []
    at = 0
    for text in text_page.get_text_range().split("\r\n"):
        stripped = text.strip()
        if stripped:
            first = at + len(text) - len(text.lstrip())
            boxes = [_box(text_page, index) for index in (first, first + len(stripped) - 1)]
            (left, _, bottom, top), (_, right, _, _) = boxes
            lines.append(Line(stripped, left, right, top, bottom))
        at += len(text) + 2
    text_page.close()
    page.close()
    return lines


def _box(text_page: pypdfium2.PdfTextPage, index: int) -> tuple[float, float, float, float]:
    """The left, right, bottom and top of a character's box, as high as its font; zeros if there is none."""
    import pypdfium2.raw  # noqa: PLC0415

    rectangle = pypdfium2.raw.FS_RECTF()
    pypdfium2.raw.FPDFText_GetLooseCharBox(text_page.raw, index, ctypes.byref(rectangle))
    return rectangle.left, rectangle.right, rectangle.bottom, rectangle.top
