"""What public functions take: all take what their siblings take, and what they can't take they refuse in words."""

from __future__ import annotations

import inspect
import io
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from command import run
from hypothesis import given
from hypothesis import strategies as st

import gristmill
from gristmill.arguments import as_bytes
from gristmill.corpus import CorpusReader
from gristmill.engine import InlineEngine

PAGE = "<html><body><p>It was the best of mills, it was the worst of mills, and the miller knew it.</p></body></html>"
INLINE: dict[str, Any] = {"engine": InlineEngine()}


class Folder(NamedTuple):
    """A path that is neither text nor a Path."""

    name: str

    def __fspath__(self) -> str:
        return self.name


CORPUS_FUNCTIONS: dict[str, Callable[[Any, Path], Any]] = {
    "trust": lambda corpus, _: gristmill.trust(corpus),
    "add": lambda corpus, folder: gristmill.add(corpus, folder / "more.html", **INLINE),
    "annotate": lambda corpus, _: gristmill.annotate(corpus, "forms", **INLINE),
    "deduplicate": lambda corpus, _: gristmill.deduplicate(corpus, **INLINE),
    "export": lambda corpus, folder: gristmill.export(corpus, folder / "x.txt"),
    "index": lambda corpus, _: gristmill.index(corpus, **INLINE),
    "mail_watches": lambda corpus, _: gristmill.mail_watches(corpus),
    "push": lambda corpus, folder: gristmill.push(corpus, f"file://{folder}/mirror"),
    "run_feeds": lambda corpus, _: gristmill.run_feeds(corpus),
    "list_feeds": lambda corpus, _: gristmill.list_feeds(corpus),
    "unfollow": lambda corpus, _: gristmill.unfollow(corpus, "https://example.org/feed"),
    "run_watches": lambda corpus, _: gristmill.run_watches(corpus, **INLINE),
    "status": lambda corpus, _: gristmill.status(corpus),
    "watch": lambda corpus, _: gristmill.watch(corpus, "mill"),
    "unwatch": lambda corpus, _: gristmill.unwatch(corpus, gristmill.watch(corpus, "mill").name),
    "Corpus": lambda corpus, _: gristmill.Corpus(corpus),
}
CORPUS_KINDS: dict[str, Callable[[Path], Any]] = {
    "text": str,
    "Path": Path,
    "PathLike": lambda folder: Folder(str(folder)),
    "Corpus": gristmill.Corpus,
    "stored corpus": CorpusReader,
}
WRONG: dict[str, Any] = {"None": None, "number": 5, "bytes": b"corpus", "list": ["corpus"], "file": io.BytesIO(b"x")}


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("small")
    (folder / "page.html").write_text(PAGE)
    config = gristmill.Config().with_filters(preset="none")
    gristmill.build(folder / "page.html", folder / "corpus", config, **INLINE)
    gristmill.annotate(folder / "corpus", ["forms"], **INLINE)
    return folder / "corpus"


@pytest.fixture
def own(small: Path, tmp_path: Path) -> Path:
    """A corpus to write to."""
    shutil.copytree(small, tmp_path / "corpus")
    (tmp_path / "more.html").write_text(PAGE.replace("mill", "quern"))
    return tmp_path / "corpus"


def test_every_public_function_is_in_the_matrix() -> None:
    functions = {name for name in gristmill.__all__ if inspect.isfunction(getattr(gristmill, name))}
    assert functions - set(CORPUS_FUNCTIONS) == {
        "align",
        "bootstrap",
        "build",
        "build_parallel",  # these three need two languages: test_parallel_corpus.py
        "clean",
        "crawl",
        "decode",
        "export_pairs",
        "fetch_commoncrawl",
        "follow",
        "identify",
        "load_plugin",
        "markdown",
        "part",
        "pull",
        "structure",
    }


@pytest.mark.parametrize("kind", CORPUS_KINDS)
@pytest.mark.parametrize("name", CORPUS_FUNCTIONS)
def test_a_corpus_in_every_form(own: Path, name: str, kind: str) -> None:
    CORPUS_FUNCTIONS[name](CORPUS_KINDS[kind](own), own.parent)


@pytest.mark.parametrize("kind", WRONG)
@pytest.mark.parametrize("name", CORPUS_FUNCTIONS)
def test_what_is_no_corpus(own: Path, name: str, kind: str) -> None:
    with pytest.raises(
        TypeError, match=r"corpus must be a gristmill.Corpus, or its folder as text or a pathlib.Path, not \w+"
    ):
        CORPUS_FUNCTIONS[name](WRONG[kind], own.parent)


@pytest.mark.parametrize("name", [*CORPUS_FUNCTIONS])
def test_a_folder_without_a_corpus(tmp_path: Path, name: str) -> None:
    (tmp_path / "more.html").write_text(PAGE)
    (tmp_path / "empty").mkdir()
    with pytest.raises(gristmill.UsageError, match="there is no corpus in"):
        CORPUS_FUNCTIONS[name](tmp_path / "empty", tmp_path)


@pytest.mark.parametrize("other", [str, Path, gristmill.Corpus, CorpusReader])
def test_two_corpora(own: Path, other: Callable[[Path], Any]) -> None:
    shutil.copytree(own, own.parent / "other")
    there = other(own.parent / "other")
    corpus = gristmill.Corpus(own)
    assert corpus.keywords(there).rows
    assert corpus.compare(there).vocabulary.shared_types
    assert gristmill.deduplicate(own, against=there, memory="400MB", **INLINE).counts["kept"] == 0
    assert gristmill.deduplicate(own, against=[there], **INLINE).counts["kept"] == 0


@pytest.mark.parametrize(
    "many", [lambda path: path, str, lambda path: [path], lambda path: (str(path),), lambda path: iter([path])]
)
def test_sources(tmp_path: Path, many: Callable[[Path], Any]) -> None:
    (tmp_path / "page.html").write_text(PAGE)
    built = gristmill.build(many(tmp_path / "page.html"), str(tmp_path / "corpus"), **INLINE)
    assert built.counts["pages"] == 1


@pytest.mark.parametrize("wrong", [None, 5, b"page.html", [b"page.html"], ["page.html", None], io.BytesIO(b"")])
def test_what_is_no_source(own: Path, wrong: Any) -> None:
    calls: list[Callable[[], Any]] = [
        lambda: gristmill.build(wrong, own.parent / "new"),
        lambda: gristmill.add(own, wrong),
    ]
    for call in calls:
        with pytest.raises(TypeError, match=r"sources must be a path, .* or a list of these, (not|but there is) \w+"):
            call()


def test_other_wrong_arguments(own: Path) -> None:
    page, corpus = own.parent / "more.html", gristmill.Corpus(own)
    wrong: dict[str, Callable[[], Any]] = {
        "config must be a gristmill.Config, not dict": lambda: gristmill.build(page, own.parent / "new", {"clean": {}}),  # type: ignore[arg-type]
        "output must be a path, as text or a pathlib.Path, not NoneType": lambda: gristmill.build(page, None),  # type: ignore[arg-type]
        "progress must be True or False, not str": lambda: gristmill.build(page, own.parent / "new", progress="yes"),  # type: ignore[arg-type]
        "output must be a path, as text or a pathlib.Path, not BytesIO": lambda: gristmill.export(own, io.BytesIO()),  # type: ignore[arg-type]
        "selection must be a gristmill.Selection, not dict": lambda: gristmill.export(
            own,
            own.parent / "x.txt",
            selection={},  # type: ignore[arg-type]
        ),
        "selection must be a gristmill.Selection, not str": lambda: gristmill.index(own, 'lang="en"'),  # type: ignore[arg-type]
        "selection must be a gristmill.Selection, not list": lambda: corpus.documents([]),  # type: ignore[arg-type]
        "taggers must be text, or a list of texts, not 5": lambda: gristmill.annotate(own, 5),  # type: ignore[arg-type]
        r"taggers must be text, or a list of texts, not \[5\]": lambda: gristmill.export(
            own,
            own.parent / "x.txt",
            taggers=[5],  # type: ignore[list-item]
        ),
        "the size of memory must be a number of bytes, or text such as 500MB, not float": lambda: gristmill.deduplicate(
            own,
            memory=1.5,  # type: ignore[arg-type]
        ),
        "a query must be text: words, or CQL, not bytes": lambda: corpus.search(b"mill"),  # type: ignore[arg-type]
        "a query must be text: words, or CQL, not list": lambda: gristmill.watch(own, ["mill"]),  # type: ignore[arg-type]
        "a condition must be text such as 'year>=2005', not int": lambda: corpus.search("mill", where=5),  # type: ignore[arg-type]
        "max_boilerplate must be a number between 0 and 1, not str": lambda: gristmill.Selection(max_boilerplate="0.5"),  # type: ignore[arg-type]
        "max_duplicate must be a number between 0 and 1, not list": lambda: gristmill.Selection(max_duplicate=[]),  # type: ignore[arg-type]
        "min_length must be a number of characters, not str": lambda: gristmill.Selection(min_length="5"),  # type: ignore[arg-type]
        "data must be bytes, or a pathlib.Path of a file, not NoneType": lambda: gristmill.decode(None),  # type: ignore[arg-type]
        r"text must be text \(decode it first: gristmill.decode\(data\).text\), not bytes": lambda: gristmill.identify(
            b"mill"  # type: ignore[arg-type]
        ),
        "text must be text, not NoneType": lambda: gristmill.identify(None),  # type: ignore[arg-type]
        "url must be text, not int": lambda: gristmill.clean(PAGE, 5),  # type: ignore[arg-type]
        "method must be text, not function": lambda: gristmill.clean(PAGE, method=lambda: 0),  # type: ignore[arg-type]
        "workers must be a number of processes, not str": lambda: gristmill.build(
            page,
            own.parent / "new",
            workers="2",  # type: ignore[arg-type]
        ),
    }
    for message, call in wrong.items():
        with pytest.raises(TypeError, match=message):
            call()
    assert not (own.parent / "new").exists()
    with pytest.raises(gristmill.UsageError, match="a corpus is no source"):
        gristmill.add(own, corpus)
    with pytest.raises(gristmill.UsageError, match="workers must be at least 1"):
        gristmill.deduplicate(own, workers=-1)


@pytest.mark.parametrize(
    "page",
    [
        PAGE,
        PAGE.encode(),
        bytearray(PAGE.encode()),
        memoryview(PAGE.encode()),
        gristmill.Page("https://mill.example/", PAGE.encode()),
    ],
    ids=lambda page: type(page).__name__,
)
def test_a_page_in_every_form(tmp_path: Path, page: Any) -> None:
    (tmp_path / "page.html").write_text(PAGE)
    expected = gristmill.clean(tmp_path / "page.html").text
    assert "best of mills" in expected
    assert gristmill.clean(page).text == expected
    assert gristmill.clean(page, "https://quern.example/").url == "https://quern.example/"


def test_the_file_behind_a_path_is_read(tmp_path: Path) -> None:
    (tmp_path / "page.html").write_bytes(PAGE.replace("mills", "m\xfchlen").encode("windows-1252"))
    assert "mühlen" in gristmill.clean(tmp_path / "page.html").text
    assert "mühlen" in gristmill.decode(tmp_path / "page.html").text
    (tmp_path / "a.warc").write_bytes(b"WARC/1.0\r\n")
    with pytest.raises(gristmill.UsageError, match=r"a\.warc is an archive of pages, not a page: gristmill\.build"):
        gristmill.clean(tmp_path / "a.warc")
    for function in (gristmill.clean, gristmill.decode):
        with pytest.raises(gristmill.UsageError, match=r"can't read .*missing\.html: No such file"):
            function(tmp_path / "missing.html")


@pytest.mark.parametrize(
    "wrong", [None, 5, ["<p>"], io.StringIO(PAGE), io.BytesIO(PAGE.encode())], ids=lambda wrong: type(wrong).__name__
)
def test_what_is_no_page(wrong: Any) -> None:
    opened = "pass what its read" if isinstance(wrong, io.IOBase) else "as text or bytes"
    with pytest.raises(TypeError, match=rf"html must be a page.*{opened}.*not \w+"):
        gristmill.clean(wrong)


def test_decode_of_text() -> None:
    with pytest.raises(TypeError, match=r"data must be bytes.*text is decoded already.*not str"):
        gristmill.decode("text")  # type: ignore[arg-type]
    assert (
        gristmill.decode(bytearray(b"\xc3\xa9"))
        == gristmill.decode(memoryview(b"\xc3\xa9"))
        == gristmill.decode(b"\xc3\xa9")
    )


@pytest.mark.parametrize(
    "name", ["page.html", "pages/a.HTM", "../x.xhtml", "C:\\pages\\a.html", "a.mhtml", "part.warc.gz", " page.html\n"]
)
def test_the_name_of_a_page_is_no_page(name: str) -> None:
    with pytest.raises(gristmill.UsageError, match=r"is the name of a file: pass pathlib\.Path\("):
        gristmill.clean(name)


@pytest.mark.parametrize("address", ["https://example.org", "http://example.org/a?b=c&d#e"])
def test_the_address_of_a_page_is_no_page(address: str) -> None:
    with pytest.raises(gristmill.UsageError, match="is an address, and nothing is downloaded"):
        gristmill.clean(address)


def test_the_name_of_a_file_that_is_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("My page.page", "Mühle.html", "LICENSE"):
        (tmp_path / name).write_text(PAGE)
    for name in ("My page.page", "Mühle.html", str(tmp_path / "LICENSE"), "./LICENSE"):
        with pytest.raises(gristmill.UsageError, match="is the name of a file"):
            gristmill.clean(name)
    assert gristmill.clean("LICENSE").blocks  # a word, which happens to be one


@pytest.mark.parametrize(
    "text",
    [
        "class=x",
        "",
        "   ",
        "a",
        "See index.html",
        "index.html is missing",
        "https://example.org is down",
        "https://example.org https://example.com",
        "<p>page.html",
        "<page.html",
        "page.html?x=<b>",
        "text\nindex.html",
        "请看index.html",
        "style=page.html",
        "\ud800.html",
        "\0.html",
        "//server/share",
        "\\\\server\\share",
        "a." * 400 + "b",
        "x" * 100_000 + ".html",
        ".",
        "..",
        "/",
    ],
)
def test_text_that_is_no_name_is_cleaned(text: str) -> None:
    assert gristmill.clean(text).size == len(text.encode("utf-8", "replace"))


@given(
    st.text(st.sampled_from("aZ0. /\\:=<>\"'\n\t\0ü\ud800"), max_size=30).filter(
        lambda text: "<" in text or " " in text.strip()
    )
)
def test_no_text_with_tags_or_spaces_is_refused(text: str) -> None:
    gristmill.clean(text)


def test_sizes() -> None:
    assert [as_bytes(value, "x") for value in (5, "5", "1kB", "1.5 MB", "2GiB", "3t")] == [
        5,
        5,
        1000,
        1_500_000,
        2_000_000_000,
        3 * 10**12,
    ]
    for wrong in ("", "much", "-1", "0", 0, "1e9"):
        with pytest.raises(gristmill.UsageError, match="size of x"):
            as_bytes(wrong, "x")


def test_an_address_is_no_local_folder(tmp_path: Path) -> None:
    """Else a folder `s3:` would be made here; the address may have a password in it."""
    commands = [
        ["build", "sample", "-o"],
        ["build", "sample", "-o", "corpus", "--scratch"],
        ["crawl", "http://a.example/", "-o"],
        ["bootstrap", "flour", "bread", "--lang", "en", "-o"],
        ["commoncrawl", "a.example", "-o"],
        ["sort-archives", "x.warc.gz", "-o"],
        ["pull", "s3://bucket/corpus", "-o"],
        ["feeds", "add"],
        ["dedup", "corpus", "--against"],
        ["report", "corpus", "-o"],
        ["clean", "page.html", "-o"],
        ["train", "quality", "good", "bad", "-o"],
        ["stoplist", "--from", "text.txt", "-o"],
        ["search"],
    ]
    (tmp_path / "text.txt").write_text("flour and bread\n" * 100)
    (tmp_path / "page.html").write_text("<p>flour</p>")
    for command in commands:
        done = run(*command, "s3://me:secret@bucket/x", cwd=tmp_path)
        assert done.returncode == 2, command
        said = done.stderr.decode()
        assert "must be a file or a folder on this machine, not an address (s3://...)" in said, (command, said)
        assert "--mirror" in said
        assert "secret" not in said, command
    with pytest.raises(gristmill.UsageError, match="output must be a file or a folder on this machine"):
        gristmill.build("sample", "s3://bucket/x")
    with pytest.raises(gristmill.UsageError, match="corpus must be a file or a folder on this machine"):
        gristmill.Corpus("gs://bucket/x")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["page.html", "text.txt"]
