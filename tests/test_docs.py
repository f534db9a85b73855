"""The examples in the README and the docs run as they stand, and print what the pages show."""

from __future__ import annotations

import contextlib
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from examples import check, examples, matches

from gristmill import Corpus
from gristmill.cli.choices import CLEANING_METHODS
from gristmill.dedup import METHODS
from gristmill.dedup.onion.finders import FINDERS
from gristmill.engine import InlineEngine
from gristmill.pipeline import starting
from gristmill.stages import Runner

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"
HOW_TO = sorted((ROOT / "docs").glob("*.md"))
FIGURES = sorted((ROOT / "docs" / "figures").glob("*.md"))
WEB = sorted((ROOT / "docs" / "web").glob("*.md"))
TUTORIALS = sorted((ROOT / "docs" / "tutorials").glob("*.md"))
DEDUPLICATION_METHODS = tuple(METHODS)
PAGES = [README, *HOW_TO, *FIGURES, *WEB, *TUTORIALS]


def _name(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def _with_examples(pages: list[Path]) -> list[Path]:
    return [page for page in pages if examples(page.read_text("utf-8"))]


def test_nearly_all_pages_have_examples() -> None:
    without = {page.name for page in HOW_TO} - {page.name for page in _with_examples(HOW_TO)}
    assert without == {"README.md"}


@pytest.mark.parametrize("page", _with_examples([*HOW_TO, *FIGURES, *WEB]), ids=_name)
def test_examples(page: Path, indexed: Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In the order of the page, in a folder where corpora, pages and an archive lie ready.

    Worker processes, which take longer to start than these examples to run, are left to the README and the tutorials.
    """
    monkeypatch.setattr(Runner, "engine_for", lambda runner, *_: runner._engine or InlineEngine())
    monkeypatch.setattr(starting, "early_worker", lambda _: contextlib.nullcontext())
    _lay_ready(tmp_path, indexed)
    shutil.copytree(indexed.folder, tmp_path / "corpus")
    for example in examples(page.read_text("utf-8")):
        # A corpus lies ready under the name `corpus`: what an example builds goes elsewhere.
        code = (
            example.code.replace("-o corpus", "-o built")
            if example.code.startswith("gristmill build")
            else example.code
        )
        check(example._replace(code=code), tmp_path)


def test_readme(indexed: Corpus, tmp_path: Path) -> None:
    """Its first example makes the corpus that the later ones use, and is one line for a fresh machine."""
    _lay_ready(tmp_path, indexed)
    text = README.read_text("utf-8")
    first, *others = examples(text)
    assert first.code == "gristmill build sample -o corpus"
    assert f"$ pip install . && {first.code}\n" in text
    for example in (first, *others):
        check(example, tmp_path)


@pytest.mark.parametrize("page", TUTORIALS, ids=_name)
def test_tutorials(page: Path, tmp_path: Path) -> None:
    """From top to bottom, in a folder that is empty but for the files of the tutorial, if it has any."""
    files = page.with_suffix("")
    if files.is_dir():
        shutil.copytree(files, tmp_path, dirs_exist_ok=True)
    for example in examples(page.read_text("utf-8")):
        check(example, tmp_path)


def _lay_ready(folder: Path, indexed: Corpus) -> None:
    for name in ("old", "new"):
        shutil.copytree(indexed.folder, folder / name)
    (folder / "page.html").write_text("<p>It was the best of mills, it was the worst of mills.")
    for name in ("crawl", "saved-pages", "my-pages"):
        (folder / name).mkdir()
    (folder / "crawl" / "a.warc.gz").write_bytes((ROOT / "src/gristmill/sample/web.warc.gz").read_bytes())
    (folder / "saved-pages" / "a.html").write_text("<p>A page")
    (folder / "chapter.en.txt").write_text("The mill is old. It still works.")
    (folder / "chapter.de.txt").write_text("Die Mühle ist alt. Sie geht noch.", "utf-8")
    for name, text in (("a", "It was the best of mills."), ("b", "It was the worst of mills.")):
        (folder / "my-pages" / f"{name}.html").write_text(f"<p>{text}<p>Home")
        (folder / "my-pages" / f"{name}.txt").write_text(text)
    # What is taught from a sample does not have to be the language that the example names.
    polish = [document.text for document in indexed.documents() if document.lang == "pl"]
    (folder / "upper-sorbian.txt").write_text("\n".join(polish), "utf-8")


@pytest.mark.parametrize(
    ("shown", "printed", "same"),
    [
        ("a 1\nb 2\n", "a 1\nb 2\n", True),
        ("a 1\nb 2\n", "a 1  \nb 2\n\n", True),
        ("a 1\nb 2\n", "a 1\nb 3\n", False),
        ("a 1\n", "a 1\nb 2\n", False),
        ("", "a 1\n", False),
        ("a 1\n...\n", "a 1\nb 2\nc 3\n", True),
        ("...\nc 3\n", "a 1\nb 2\nc 3\n", True),
        ("a 1\n...\nc 3\n", "a 1\nc 3\n", True),
        ("a 1\n...\nc 3\n", "a 1\nc 4\n", False),
        ("in ... seconds (a)\n", "in 1.5 seconds (a)\n", True),
        ("in ... seconds\n", "in 1.5\nseconds\n", False),
    ],
)
def test_shown_output_must_be_what_is_printed(shown: str, printed: str, same: bool) -> None:
    assert matches(shown, printed) == same


def test_pages_are_taken_apart() -> None:
    page = (
        "```sh\npip install x\ngristmill clean a \\\n  -b\n```\n```console\n$ ls\na\nb\n$ gristmill x \\\n  -y\n```\n"
    )
    page += "```html a/b.html\n<p>\n```\n```toml\na = 1\n```\n"
    page += "```console\n$ pip install . && gristmill x\n...\n```\n"
    page += "```python\nprint(1)\n```\n\n```output\n1\n```\n```\nplain\n```\n"
    assert [tuple(example) for example in examples(page)] == [
        ("sh", "gristmill clean a   -b", None),
        ("sh", "ls", "a\nb\n"),
        ("sh", "gristmill x   -y", ""),
        ("file", "a/b.html", "<p>\n"),
        ("sh", "gristmill x", "...\n"),
        ("python", "print(1)\n", "1\n"),
    ]


@pytest.mark.parametrize(
    "page",
    [
        "```console\n$ gristmill --version\ngristmill 0.0.0\n```\n",
        "```console\n$ gristmill parts length\n```\n",
        "```console\n$ echo a | cat\nb\n```\n",
        "```sh\ngristmill clean not-there.html\n```\n",
        "```console\n$ gristmill clean --no-such-option\n...\n```\n",
        "```python\nprint(1)\n```\n```output\n2\n```\n",
    ],
)
def test_a_page_that_shows_something_else_fails(page: str, tmp_path: Path) -> None:
    [example] = examples(page)
    with pytest.raises(AssertionError):
        check(example, tmp_path)


def test_links_lead_somewhere() -> None:
    for page in [*PAGES, ROOT / "CONTRIBUTING.md", ROOT / "benchmarks" / "README.md"]:
        for target, anchor in _links(page):
            assert target.exists(), f"{page.name}: {target}"
            assert not anchor or anchor in _anchors(target), f"{page.name}: {target.name}#{anchor}"


def _links(page: Path) -> Iterator[tuple[Path, str]]:
    for link in re.findall(r"\]\((?!https?:)([^)]+)\)", page.read_text("utf-8")):
        path, _, anchor = link.partition("#")
        yield (page.parent / path if path else page), anchor


def _anchors(page: Path) -> set[str]:
    """Of its headings, as GitHub makes them."""
    headings = re.findall(
        r"^#+ (.+)$", re.sub(r"^```.*?^```$", "", page.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL), re.MULTILINE
    )
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_every_method_has_a_row_and_the_figure_of_its_document() -> None:
    evaluation, methods, deduplication = (
        (ROOT / "docs" / f"{name}.md").read_text("utf-8") for name in ("evaluation", "methods", "deduplication")
    )
    figures = _first_cells(evaluation)
    rows = _first_cells(methods) | {"justext-c", "justext-d"}  # in the row of justext-b
    for name in CLEANING_METHODS:
        assert name in rows, name
        assert name in figures | {"mill", "density-sparse"}, name  # ours; and the old name of density:sparse=yes
    sections = set(re.findall(r"^### (\S+)$", deduplication, re.MULTILINE)) | {
        "onion"
    }  # which has a chapter of its own
    for name in DEDUPLICATION_METHODS:
        assert name in sections, name
        assert name in figures | {"none"}, name
    assert figures >= set(FINDERS)


def _first_cells(page: str) -> set[str]:
    """The names in the first column of all tables, without parameters."""
    return set(re.findall(r"`([\w-]+)", "\n".join(line.split("|")[1] for line in page.split("\n") if line[:1] == "|")))


def test_the_architecture_has_every_room() -> None:
    """Every folder and every file of the package's root is in a table, and every file that is named is there."""
    package = ROOT / "src" / "gristmill"
    text = (ROOT / "docs" / "architecture.md").read_text("utf-8")
    named = set(re.findall(r"`([\w/]+(?:\.py|/))`", text))
    folders = {f"{path.name}/" for path in package.iterdir() if (path / "__init__.py").exists()}
    files = {path.name for path in package.glob("*.py") if not path.stem.startswith("__")} - {"version.py"}
    assert folders | files <= named
    there = [f"/{path.relative_to(ROOT)}" for path in ROOT.rglob("*.py")]
    assert [
        name for name in named if name.endswith(".py") and not any(path.endswith(f"/{name}") for path in there)
    ] == []
