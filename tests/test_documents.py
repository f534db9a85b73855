"""Documents of word processors, e-books and PDF files become pages with their structure; damaged ones are skipped."""

from __future__ import annotations

import faulthandler
import gzip
import importlib.util
import io
import os
import tracemalloc
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from command import run

import gristmill
from gristmill.archive import Skip, find_sources, read
from gristmill.archive.documents import container, pdf
from gristmill.archive.documents.html import Html
from gristmill.archive.documents.layout import Line, lay_out
from gristmill.document import Document, Page
from gristmill.engine import InlineEngine, Report

WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
STORY = (
    "It was the miller who said that the river would rise in the night, and it was the river that did what he had "
    "said it would do."
)


def packed(files: dict[str, str]) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(
                zipfile.ZipInfo(name), text, zipfile.ZIP_STORED if name == "mimetype" else zipfile.ZIP_DEFLATED
            )
    return stream.getvalue()


def docx(body: str) -> bytes:
    styles = (
        f'<w:styles xmlns:w="{WORD}"><w:style w:styleId="Nadpis1"><w:name w:val="heading 1"/></w:style>'
        '<w:style w:styleId="Own"><w:name w:val="My own"/><w:pPr><w:outlineLvl w:val="1"/></w:pPr></w:style></w:styles>'
    )
    core = (
        '<cp:coreProperties xmlns:cp="c" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:t="t"><dc:title>The '
        "Mill</dc:title>"
        "<dc:creator>Jan Mlynář</dc:creator><t:created>2020-05-06T00:00:00Z</t:created></cp:coreProperties>"
    )
    document = f'<?xml version="1.0"?><w:document xmlns:w="{WORD}" xmlns:mc="m"><w:body>{body}</w:body></w:document>'
    return packed(
        {
            "[Content_Types].xml": "<x/>",
            "word/document.xml": document,
            "word/styles.xml": styles,
            "docProps/core.xml": core,
        }
    )


def paragraph(text: str, properties: str = "") -> str:
    return f"<w:p><w:pPr>{properties}</w:pPr><w:r><w:t>{text}</w:t></w:r></w:p>"


DOCX = docx(
    paragraph("The <![CDATA[Mill & ]]>River", '<w:pStyle w:val="Nadpis1"/>')
    + paragraph(STORY[:60])[:-6]
    + (
        f"<w:r><w:t>{STORY[60:]}</w:t><w:br/><w:t>A second "
        f"line.</w:t></w:r><w:del><w:r><w:delText>gone</w:delText></w:r></w:del></w:p>"
    )
    + paragraph("Second", '<w:pStyle w:val="Own"/>')
    + paragraph("One of a list", "<w:numPr/>")
    + f"<w:tbl><w:tr><w:tc>{paragraph('left')}</w:tc><w:tc>{paragraph('right')}</w:tc></w:tr></w:tbl>"
    + "<w:p><w:r><w:instrText>PAGE</w:instrText></w:r></w:p><w:p/><w:sectPr/>"
)

ODT = packed(
    {
        "mimetype": "application/vnd.oasis.opendocument.text",
        "meta.xml": (
            '<m xmlns:dc="d"><dc:title>The Mill</dc:title><dc:creator>Jan '
            "Mlynář</dc:creator><dc:language>en</dc:language></m>"
        ),
        "content.xml": (
            '<o:document xmlns:o="o" xmlns:text="t" '
            'xmlns:table="tb"><o:body><o:text><text:tracked-changes><text:p>gone</text:p>'
            '</text:tracked-changes><text:h text:outline-level="1">The Mill &amp; River</text:h>'
            f"<text:p>{STORY}<text:line-break/>A <text:span>second</text:span><text:s/>line.</text:p>"
            '<text:h text:outline-level="2">Second</text:h>'
            "<text:list><text:list-item><text:p>One of a list</text:p></text:list-item></text:list>"
            "<table:table><table:table-row><table:table-cell><text:p>left</text:p></table:table-cell>"
            "<table:table-cell><text:p>right</text:p></table:table-cell></table:table-row></table:table></o:text></o:body></o:document>"
        ),
    }
)

EPUB = packed(
    {
        "mimetype": "application/epub+zip",
        "META-INF/container.xml": '<c xmlns="urn:c"><rootfiles><rootfile full-path="OPS/book.opf"/></rootfiles></c>',
        "OPS/book.opf": (
            '<package xmlns="http://www.idpf.org/2007/opf" xmlns:dc="d"><metadata><dc:title>The Mill</dc:title>'
            "<dc:creator>Jan "
            "Mlynář</dc:creator><dc:language>en</dc:language><dc:date>2020-05-06</dc:date></metadata><manifest>"
            '<item id="nav" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>'
            '<item id="two" href="ch%202.xhtml" media-type="application/xhtml+xml"/>'
            '<item id="one" href="ch1.xhtml" media-type="application/xhtml+xml"/>'
            '<item id="css" href="x.css" media-type="text/css"/></manifest>'
            '<spine><itemref idref="nav"/><itemref idref="one"/><itemref idref="two"/><itemref '
            'idref="css"/></spine></package>'
        ),
        "OPS/nav.xhtml": "<html><body><p>Contents</p></body></html>",
        "OPS/ch1.xhtml": (
            "<?xml version='1.0'?><html><head><title>x</title></head><body class='a'>"
            f"<h1>The Mill &amp; River</h1><p>{STORY}</p></body></html>"
        ),
        "OPS/ch 2.xhtml": "<html><body><h2>Second</h2><ul><li>One of a list</li></ul></body></html>",
    }
)


def pdf_file(*pages: str) -> bytes:
    """A PDF file of pages of drawing commands."""
    objects = ["<< /Type /Catalog /Pages 2 0 R >>", ""]
    kids = []
    for commands in pages:
        objects.append(f"<< /Length {len(commands)} >>\nstream\n{commands}\nendstream")
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents {len(objects)} 0 R /Resources << /Font "
            f"<< /F "
            "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >> >> >>"
        )
        kids.append(f"{len(objects)} 0 R")
    objects[1] = f"<< /Type /Pages /Kids [{' '.join(kids)}] /Count {len(kids)} >>"
    objects.append("<< /Title (The Mill) /Author (Jan) /CreationDate (D:20200506000000Z) >>")
    data, places = "%PDF-1.4\n", []
    for number, content in enumerate(objects, 1):
        places.append(len(data))
        data += f"{number} 0 obj\n{content}\nendobj\n"
    table = "".join(f"{place:010d} 00000 n \n" for place in places)
    size = len(objects) + 1
    data += (
        f"xref\n0 {size}\n0000000000 65535 f \n{table}trailer\n<< /Size {size} /Root 1 0 R /Info {size - 1} 0 R "
        f">>\nstartxref\n"
    )
    return f"{data}{data.index('xref')}\n%%EOF\n".encode("latin-1")


def text_at(size: int, x: int, y: int, text: str) -> str:
    return f"BT /F {size} Tf {x} {y} Td ({text}) Tj ET\n"


LINES = (
    "It was the miller who said that the river would rise in the night,",
    "and it was the river that did what he had said it would do, as al-",
    "ways.",
)
PDF = pdf_file(
    text_at(20, 50, 700, "The Mill and River")
    + "".join(text_at(10, 50, 650 - 12 * number, line) for number, line in enumerate(LINES))
    + text_at(10, 50, 580, "A second paragraph begins here, below a gap."),
)

DOCUMENTS = {"a.docx": DOCX, "a.odt": ODT, "a.epub": EPUB}
needs_pdf = pytest.mark.skipif(importlib.util.find_spec("pypdfium2") is None, reason="pypdfium2 is not installed")


def document(tmp_path: Path, name: str, data: bytes) -> Document:
    path = tmp_path / name
    path.write_bytes(data)
    corpus = gristmill.build(
        [path], tmp_path / "corpus", gristmill.Config().with_filters(preset="none"), engine=InlineEngine()
    )
    (found,) = corpus.pages()
    return found


def shown(found: Document) -> list[tuple[str, str]]:
    return [(block.kind, block.text) for block in found.blocks]


def items(path: Path) -> list[Page | Skip]:
    return [item for source in find_sources([path]) for item in read(source)]


@pytest.mark.parametrize("name", ["a.docx", "a.odt", "a.epub", "name-says-nothing"])
def test_structure(tmp_path: Path, name: str) -> None:
    found = document(tmp_path, name, DOCUMENTS.get(name, DOCX))
    blocks = shown(found)
    assert blocks[0] == ("h", "The Mill & River")
    assert blocks[1][0] == "p"
    assert blocks[1][1].startswith(STORY)
    assert ("h", "Second") in blocks
    assert ("l", "One of a list") in blocks
    assert (found.title, found.url, found.content_type) == ("The Mill", f"file:{tmp_path / name}", "text/html")
    assert "gone" not in found.text
    assert "PAGE" not in found.text
    if not name.endswith(".epub"):
        assert "A second line." in blocks[1][1]
        assert any("left" in text for _, text in blocks)
    if name != "a.odt":
        assert found.published.startswith("2020-05-06")
    assert found.author == "Jan Mlynář"


@needs_pdf
def test_pdf(tmp_path: Path) -> None:
    found = document(tmp_path, "a.pdf", PDF)
    assert shown(found) == [
        ("h", "The Mill and River"),
        ("p", f"{LINES[0]} and it was the river that did what he had said it would do, as always."),
        ("p", "A second paragraph begins here, below a gap."),
    ]
    assert (found.title, found.author, found.published) == ("The Mill", "Jan", "2020-05-06")


@needs_pdf
def test_running_titles_are_no_part_of_paragraphs(tmp_path: Path) -> None:
    pages = [
        text_at(10, 50, 780, "The Mill: a History")
        + "".join(
            text_at(10, 50, 700 - 12 * line, f"On page {number} this is line {line} of a story that goes on and on")
            for line in range(9)
        )
        + text_at(10, 300, 30, f"{number}")
        for number in range(1, 6)
    ]
    blocks = shown(document(tmp_path, "a.pdf", pdf_file(*pages)))
    assert [text for _, text in blocks].count("The Mill: a History") == 1
    assert "On page 1 this is line 0" in blocks[0][1]


def test_lines_of_two_columns() -> None:
    html = Html()
    left = [Line(f"left {number} goes on", 0, 90, 700 - 12 * number, 690 - 12 * number) for number in range(3)]
    right = [
        Line("and on in the right one.", 100, 190, 700, 690),
        Line("A new one.", 100, 150, 660, 650),
        Line("• an item", 100, 150, 640, 630),
    ]
    lay_out([left + right], html)
    assert html.parts == [
        "<p>left 0 goes on left 1 goes on left 2 goes on and on in the right one.</p>\n",
        "<p>A new one.</p>\n",
        "<li>an item</li>\n",
    ]


def test_scripts_without_spaces_have_none_at_line_ends() -> None:
    html = Html()
    lay_out([[Line("水車小屋の", 0, 90, 700, 690), Line("話です。", 0, 90, 688, 678)]], html)
    assert html.parts == ["<p>水車小屋の話です。</p>\n"]


def test_without_the_library_it_is_said_how_to_get_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gristmill.archive.documents.reading.can_read_pdf", lambda: False)
    (tmp_path / "a.pdf").write_bytes(PDF)
    (skip,) = items(tmp_path / "a.pdf")
    assert isinstance(skip, Skip)
    assert (skip.reason, 'pip install "gristmill[documents]"' in skip.detail) == ("unreadable", True)
    ran = run("clean", tmp_path / "a.pdf")
    assert ran.returncode == 2
    assert b'pip install "gristmill[documents]"' in ran.stderr


@pytest.mark.parametrize("name", DOCUMENTS)
def test_damage(tmp_path: Path, name: str) -> None:
    path, data = tmp_path / name, DOCUMENTS[name]
    for at in range(4, len(data) - 4, 41):
        path.write_bytes(data[:at] + b"\xff\x00\xff" + data[at + 3 :])
        assert items(path)
        path.write_bytes(data[:at])
        assert items(path)


@needs_pdf
def test_damaged_pdf(tmp_path: Path) -> None:
    for at in range(8, len(PDF), 97):
        (tmp_path / "a.pdf").write_bytes(PDF[:at])
        assert len(items(tmp_path / "a.pdf")) == 1
    (tmp_path / "a.pdf").write_bytes(b"%PDF-1.7\n" + os.urandom(3000))
    (skip,) = items(tmp_path / "a.pdf")
    assert isinstance(skip, Skip)
    assert skip.detail.startswith("a PDF document that can't be read: ")


@needs_pdf
def test_a_pdf_that_crashes_the_library_costs_itself(tmp_path: Path) -> None:
    for name in ("a.pdf", "c.pdf"):
        (tmp_path / name).write_bytes(PDF)
    (outcome,) = pdf._engine().run([Crash(0)], lambda _: None)
    assert "SIGSEGV" in outcome.error
    assert [type(item) for item in items(tmp_path)] == [Page, Page]  # by another helper process


class Crash(int):
    """A task that ends its process when it arrives there, as a fault in a library would."""

    name = "crash"
    cost = 1

    def run(self, report: Report) -> None:
        """Never reached: the process dies when the task is unpickled."""

    def __reduce__(self) -> tuple[Callable[..., object], tuple[object, ...]]:
        return faulthandler._sigsegv, ()  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    "xml",
    [
        '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;">]><x>&b;</x>',
        '<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]><x>&a;</x>',
        "<x>" * 100_000,
        "not XML",
        "",
    ],
)
def test_hostile_xml(tmp_path: Path, xml: str) -> None:
    (tmp_path / "a.docx").write_bytes(packed({"[Content_Types].xml": "", "word/document.xml": xml}))
    (skip,) = items(tmp_path / "a.docx")
    assert isinstance(skip, Skip)
    assert skip.reason == "broken"


def test_a_document_that_unpacks_without_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(container, "_MAX_PART_BYTES", 100_000)
    (tmp_path / "a.docx").write_bytes(docx(paragraph("x" * 200_000)))
    (skip,) = items(tmp_path / "a.docx")
    assert isinstance(skip, Skip)
    assert "more than 100,000 bytes" in skip.detail


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("<w:tbl>" * 300_000, "more than 1,000 elements inside each other"),
        ("".join(f"<w:a{number}/>" for number in range(150_000)), "more than 10,000 names"),
        (f'<w:p a="{"x" * 2_000_000}"/>', "a tag of more than 1,000,000 bytes"),
        ("<w:p " + "".join(f"a{number}='' " for number in range(200_000)) + "/>", "a tag of more than 1,000,000 bytes"),
        (paragraph("x" * 16_000_000), "word/document.xml has more than 16,000,000 bytes"),
    ],
    ids=["deep", "names", "attribute", "attributes", "large"],
)
def test_a_document_that_would_take_much_memory(tmp_path: Path, body: str, reason: str) -> None:
    (tmp_path / "a.docx").write_bytes(docx(body))
    tracemalloc.start()
    try:
        (skip,) = items(tmp_path / "a.docx")
        assert tracemalloc.get_traced_memory()[1] < (40_000_000 if "16,000,000" in reason else 12_000_000)
    finally:
        tracemalloc.stop()
    assert isinstance(skip, Skip)
    assert reason in skip.detail


def test_tables_within_tables_and_long_texts_are_read(tmp_path: Path) -> None:
    deep = "<w:tbl><w:tr><w:tc>" * 100 + paragraph("inside") + "</w:tc></w:tr></w:tbl>" * 100
    long = "".join(f"{number} mills " for number in range(300_000))
    (tmp_path / "a.docx").write_bytes(docx(deep + paragraph(long)))
    (page,) = items(tmp_path / "a.docx")
    assert isinstance(page, Page)
    assert b"<p>inside</p>" in page.body
    assert f"<p>{long.strip()}</p>".encode() in page.body


def test_in_a_zip_file(tmp_path: Path) -> None:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr("a.docx", DOCX)
        archive.writestr("b.epub", EPUB)
    (tmp_path / "x.zip").write_bytes(stream.getvalue())
    assert [item.url for item in items(tmp_path / "x.zip")] == [
        f"file:{tmp_path}/x.zip/a.docx",
        f"file:{tmp_path}/x.zip/b.epub",
    ]


def test_clean(tmp_path: Path) -> None:
    (tmp_path / "a.docx").write_bytes(DOCX)
    assert gristmill.clean(tmp_path / "a.docx").title == "The Mill"
    assert (
        run("clean", tmp_path / "a.docx", "-f", "markup")
        .stdout.decode()
        .startswith("<h>The Mill & River\n<p>It was the miller")
    )
    (tmp_path / "b.html.gz").write_bytes(gzip.compress(f"<p>{STORY * 3}".encode()))
    assert STORY in run("clean", tmp_path / "b.html.gz").stdout.decode()
