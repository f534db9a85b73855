"""The examples in the README and the docs run as they stand."""

from __future__ import annotations

import contextlib
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from command import run

from gristmill import Corpus

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
_FENCE = re.compile(r"^```(\w+)\n(.*?)^```", re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_examples(page: Path, indexed: Corpus, tmp_path: Path) -> None:
    """In the order of the page, in a folder where a corpus, pages and an archive lie ready."""
    for name in ("corpus", "old", "new"):
        shutil.copytree(indexed.folder, tmp_path / name)
    (tmp_path / "page.html").write_text("<p>It was the best of mills, it was the worst of mills.")
    for folder in ("crawl", "saved-pages", "my-pages"):
        (tmp_path / folder).mkdir()
    (tmp_path / "crawl" / "a.warc.gz").write_bytes((ROOT / "src/gristmill/sample/web.warc.gz").read_bytes())
    (tmp_path / "saved-pages" / "a.html").write_text("<p>A page")
    (tmp_path / "my-pages" / "a.html").write_text("<p>It was the best of mills.<p>Home")
    (tmp_path / "my-pages" / "a.txt").write_text("It was the best of mills.")
    # What is taught from a sample does not have to be the language that the example names.
    polish = [document.text for document in indexed.documents() if document.lang == "pl"]
    (tmp_path / "upper-sorbian.txt").write_text("\n".join(polish), "utf-8")
    ran = 0
    for language, code in _FENCE.findall(page.read_text("utf-8")):
        if language == "python":
            _run_python(code, tmp_path)
        elif language == "sh":
            for line in code.splitlines():
                if line.startswith("gristmill "):
                    _run_command(_with_new_folder(line), tmp_path)
        else:
            continue
        ran += 1
    assert ran


def _with_new_folder(line: str) -> str:
    """A corpus lies ready under the name `corpus`: what an example builds goes elsewhere."""
    return line.replace("-o corpus", "-o built") if line.startswith("gristmill build") else line


def _run_python(code: str, folder: Path) -> None:
    """In this process, but for what files a part under a name, which other tests should not find there."""
    if re.search("^@", code, re.MULTILINE):
        _run_process([sys.executable, "-c", code], folder)
    else:
        with contextlib.chdir(folder):
            exec(compile(code, "example", "exec"), {"__name__": "__main__"})  # noqa: S102


def _run_command(line: str, folder: Path) -> None:
    """In this process, but for what needs a shell."""
    words = shlex.split(line, comments=True)
    if {"|", ">", "<"} & set(words):
        _run_process(["bash", "-c", line.replace("gristmill", f"{sys.executable} -m gristmill")], folder)
    else:
        result = run(*words[1:], cwd=folder)
        assert result.returncode == 0, result.stderr.decode()


def _run_process(command: list[str], folder: Path) -> None:
    result = subprocess.run(command, cwd=folder, capture_output=True, check=False)
    assert result.returncode == 0, result.stderr.decode()


def test_links_lead_somewhere() -> None:
    for page in [*PAGES, ROOT / "CONTRIBUTING.md", ROOT / "benchmarks" / "README.md"]:
        for target in re.findall(r"\]\((?!https?:)([^)#]+)", page.read_text("utf-8")):
            assert (page.parent / target).exists(), f"{page.name}: {target}"
