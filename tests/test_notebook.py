"""Results in notebooks and scripts: one line as text, well-formed and harmless HTML, progress bars on request."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

import gristmill
from gristmill.document import Block, Document
from gristmill.engine import InlineEngine
from gristmill.notebook import MOST_ROWS, excerpt, html_table, link
from gristmill.search import Concordance, PlainDocument, PlainParagraph, make_index

INLINE: dict[str, Any] = {"engine": InlineEngine()}
EVIL = "<script>alert('x')</script>\"><img src=x onerror=alert(1)>&amp;"

RESULTS: dict[str, Callable[[gristmill.Corpus], Any]] = {
    "corpus": lambda corpus: corpus,
    "document": lambda corpus: next(corpus.documents()),
    "concordance": lambda corpus: corpus.search("[]"),
    "sorted": lambda corpus: corpus.search('[tag="NOUN"]').sort("right"),
    "sample": lambda corpus: corpus.search('[tag="NOUN"]').sample(5),
    "nothing": lambda corpus: corpus.search("xyzzy"),
    "frequency": lambda corpus: corpus.search('[tag="NOUN"]').frequency("lemma,host"),
    "wordlist": lambda corpus: corpus.wordlist(),
    "no words": lambda corpus: corpus.wordlist(matching="xyzzy"),
    "ngrams": lambda corpus: corpus.wordlist(n=2),
    "dispersion": lambda corpus: corpus.wordlist("lemma", dispersion=True, limit=5),
    "collocations": lambda corpus: corpus.collocations("mill"),
    "keywords": lambda corpus: corpus.keywords(where='lang="en"'),
    "comparison": lambda corpus: corpus.compare(where='lang="en"', other_where='lang="cs"'),
}


class Reader(HTMLParser):
    """Reads HTML, and raises if elements are not closed in their order."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text: list[str] = []
        self.feed(html)
        self.close()
        assert not self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.open.append(tag)
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text.append(data)


ALLOWED = {"table", "thead", "tbody", "tr", "th", "td", "p", "b", "span", "a"}


def check(html: str) -> Reader:
    read = Reader(html)
    assert {tag for tag, _ in read.elements} <= ALLOWED
    attributes = {name for _, given in read.elements for name in given}
    assert attributes <= {"style", "dir", "href", "title", "target", "rel"}
    assert all(str(given["href"]).startswith("http") for _, given in read.elements if "href" in given)
    assert "color:#" not in html  # it would be for light or for dark only
    return read


@pytest.mark.parametrize("name", RESULTS)
def test_short_and_well_formed(indexed: gristmill.Corpus, name: str) -> None:
    result = RESULTS[name](indexed)
    shown = repr(result)
    assert shown.startswith(f"<{type(result).__name__}")
    assert len(shown) < 200
    assert "\n" not in shown
    assert check(result._repr_html_()).text
    assert len(result._repr_html_()) < 80_000


def test_what_they_say(indexed: gristmill.Corpus) -> None:
    assert re.fullmatch(r"<Corpus \S*indexed: 103 documents, [\d,]+ words; en, cs, ru, el, ja, \.\.\.>", repr(indexed))
    assert re.fullmatch(r"<Concordance: 7 hits in [\d,]+ tokens, [\d.]+ per million>", repr(indexed.search("mill")))
    assert repr(indexed.search("mill").sample(2)).endswith("; a sample of 2>")
    assert re.fullmatch(
        r"<Frequency: 7 hits, \d different values of host>", repr(indexed.search("mill").frequency("host"))
    )
    assert re.fullmatch(
        r"<Keywords: [\d,]+ tokens, compared with [\d,]+ tokens>",
        repr(RESULTS["keywords"](indexed)),
    )


def test_a_corpus_is_shown_without_an_index(corpus: gristmill.Corpus) -> None:
    opened = gristmill.Corpus(corpus.folder)
    assert "103 of 166 pages" in opened._repr_html_()
    assert repr(opened)
    assert "index" not in vars(opened)


def test_records(sample_pages: dict[str, gristmill.Page]) -> None:
    page = next(iter(sample_pages.values()))
    document = gristmill.clean(page)
    assert repr(page) == f"<Page {page.url}: {len(page.body):,} bytes>"
    assert re.match(rf"<Document {re.escape(page.url)} '.+': zh, \d+ words in \d+ of \d+ blocks>", repr(document))
    assert re.match(r"<Block [phl] \d\.\d\d: '.*'>", repr(document.blocks[0]))
    assert repr(Document(id="x", dropped="length")) == "<Document x: und, dropped, length>"
    read = check(document._repr_html_())
    assert document.title in read.text
    assert document.kept()[0].text in read.text


def test_a_concordance_looks_like_one(indexed: gristmill.Corpus) -> None:
    found = indexed.search("mill")
    read = check(found._repr_html_())
    rows = [given for tag, given in read.elements if tag == "tr"]
    assert len(rows) == len(found) == 7
    sides = [re.findall(r"text-align:(\w+)", str(given.get("style")))[0] for tag, given in read.elements if tag == "td"]
    assert sides[:5] == ["left", "right", "center", "left", "left"]
    assert [tag for tag, _ in read.elements].count("b") == 7
    links = [given for tag, given in read.elements if tag == "a"]
    line = next(found.lines())
    assert links[0]["href"] == line.url
    assert str(links[0]["title"]).endswith(line.url)
    assert line.doc in read.text
    many = indexed.search("[]")
    assert f"lines 1–25 of {len(many):,}" in many._repr_html_()


def test_from_right_to_left_and_wide_characters(tmp_path: Path) -> None:
    words = ["הטחנה", "הישנה", "עמדה", "ליד", "הנהר"]
    chinese = list("磨坊在河边已经很久了" * 10)
    texts = [words, chinese]
    documents = [
        PlainDocument(
            [PlainParagraph([[(word, "X", word, "", False) for word in text]])],
            {"id": f"d{number}", "url": "u", "title": "t"},
        )
        for number, text in enumerate(texts)
    ]
    index = make_index(tmp_path / "index", documents)
    hebrew = check(Concordance.of(index, f'"{words[2]}"')._repr_html_()).text
    assert hebrew[2:5] == [" ".join(words[3:]), words[2], " ".join(words[:2])]
    for part in check(Concordance.of(index, '"河"')._repr_html_()).text:
        assert len(part) <= 60


def test_nothing_of_a_page_becomes_markup(tmp_path: Path) -> None:
    page = (
        f"<title>{EVIL.replace('<', '&lt;')}</title><p>{'It was the best of mills. ' * 20}{EVIL.replace('<', '&lt;')}"
    )
    (tmp_path / "page.html").write_text(page)
    corpus = gristmill.build(tmp_path / "page.html", tmp_path / EVIL.replace("/", ""), **INLINE)
    gristmill.annotate(corpus, "forms", **INLINE)
    for result in (
        corpus,
        next(corpus.documents()),
        corpus.search("mills"),
        corpus.search('".*script.*"'),
        corpus.wordlist(),
    ):
        read = check(result._repr_html_())
        assert not any("onerror" in given for _, given in read.elements)
    assert "alert" in "".join(check(corpus.search("alert")._repr_html_()).text)
    block = Block(EVIL, "p", "", 0, 0, 1, 0, 0, 0)
    check(
        Document(
            url=f"javascript:{EVIL}", title=EVIL, author=EVIL, detail=EVIL, dropped="x", blocks=[block]
        )._repr_html_()
    )
    for address in (
        "javascript:alert(1)",
        "data:text/html,x",
        "file:///x",
        EVIL,
        f'https://x.example/"{EVIL}',
        " https://x.example",
    ):
        check(link(address, EVIL, EVIL))


def test_tables_have_their_first_rows_only(indexed: gristmill.Corpus) -> None:
    found = indexed.wordlist(limit=0)
    read = check(found._repr_html_())
    assert len([1 for tag, _ in read.elements if tag == "tr"]) == MOST_ROWS + 1
    assert f"{MOST_ROWS} of {len(found.rows):,} rows" in read.text
    assert "documents" not in read.text
    assert "documents" in check(RESULTS["dispersion"](indexed)._repr_html_()).text
    cells = check(html_table(["a", "b"], [["x", None], ["y", 1234.5], ["z", 5000]])).text
    assert cells == ["a", "b", "x", "–", "y", "1,234.50", "z", "5,000"]


def test_excerpts() -> None:
    assert excerpt("short") == "short"
    assert excerpt(" a\n b\tc ") == "a b c"
    assert excerpt("x" * 60) == "x" * 60
    assert excerpt("x" * 61) == "x" * 59 + "…"
    assert excerpt("x " * 1_000_000) == "x " * 29 + "x…"
    assert excerpt(" " * 1000 + "x").endswith("…")


def test_progress_is_shown_if_it_is_asked_for(
    corpus: gristmill.Corpus, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "page.html").write_text("<p>" + "It was the best of mills, it was the worst of mills. " * 20)
    folder = tmp_path / "corpus"
    shutil.copytree(corpus.folder, folder)
    calls: dict[str, Callable[[bool], Any]] = {
        "building": lambda progress: gristmill.build(
            tmp_path / "page.html", tmp_path / str(progress), progress=progress, **INLINE
        ),
        "de-duplicating": lambda progress: gristmill.deduplicate(folder, progress=progress, **INLINE),
        "annotating": lambda progress: gristmill.annotate(
            folder, "en=simplemma" if progress else "forms", progress=progress, **INLINE
        ),
        "indexing": lambda progress: gristmill.index(
            folder, gristmill.Selection(languages=("cs",) if progress else ("en",)), progress=progress, **INLINE
        ),
    }
    for name, call in calls.items():
        call(False)
        assert capfd.readouterr().err == "", name
        call(True)
        shown = capfd.readouterr().err
        assert name in shown
        assert "100%" in shown or name == "de-duplicating" or "bytes" in shown or "kB" in shown
    gristmill.add(folder, tmp_path / "page.html", progress=True, **INLINE)
    assert "building" in capfd.readouterr().err


def test_the_first_search_shows_what_it_has_to_do(
    corpus: gristmill.Corpus, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "page.html").write_text("<p>" + "It was the best of mills, it was the worst of mills. " * 20)
    asking: list[Callable[[Path], Any]] = [
        lambda folder: gristmill.Corpus(folder, progress=True).wordlist(),
        lambda folder: gristmill.Corpus(folder).search("mill", progress=True),
    ]
    for number, ask in enumerate(asking):
        gristmill.build(tmp_path / "page.html", tmp_path / str(number), **INLINE)
        ask(tmp_path / str(number))
        shown = capfd.readouterr().err
        assert "annotating" in shown
        assert "indexing" in shown
        ask(tmp_path / str(number))
        assert capfd.readouterr().err == ""
    gristmill.build(tmp_path / "page.html", tmp_path / "quiet", **INLINE).search("mill")
    assert capfd.readouterr().err == ""
    assert corpus.progress is False
