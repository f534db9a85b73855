"""`gristmill why` and `gristmill filters` tell what was found and what there is; `stats` shows the share of each filter."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from command import run

import gristmill
from gristmill.config import Config
from gristmill.corpus import Corpus
from gristmill.engine import InlineEngine
from gristmill.filter import FILTERS
from gristmill.presets import PRESETS
from gristmill.shards import SKIPPED, read_rows


@pytest.fixture(scope="module")
def strict(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    """The sample with filters of all three stages, some of which drop something."""
    config = Config().with_filters("length:min=1000", "c4-lines", "c4-page", preset="presemt")
    return gristmill.build(["sample"], tmp_path_factory.mktemp("corpora") / "strict", config, engine=InlineEngine())


def why(corpus: Corpus, name: str, *options: str) -> str:
    result = run("why", corpus.folder, name, *options)
    assert (result.returncode, result.stderr) == (0, b"")
    return result.stdout.decode()


def first(corpus: Corpus, reason: str) -> gristmill.Document:
    return next(page for page in corpus.pages() if page.dropped == reason)


def test_a_kept_page(strict: Corpus) -> None:
    kept = next(iter(strict.documents()))
    text = why(strict, kept.id)
    assert text.endswith("\nkept\n")
    for line in (
        rf"id +{kept.id}",
        r"fetched +HTTP status 200, text/html, [\d,]+ bytes, from sample:\d+, \d{4}-.*",
        r"decoded +[\w-]+, told by [\w-]+",
        r"language +\w+ \(\d\.\d\d\).*",
        r"cleaned +by mill: \d+ of \d+ blocks are text \(score at most 0\.5\), \d+ words, [\d,]+ characters left after filters",
        r"  passed  status +HTTP status 200",
        r"  passed  size +[\d,]+ bytes",
        r"  passed  length +[\d,]+ characters of text",
        r"  -\d+ +c4-lines +.*without terminal punctuation",
        r"repeated +\d+% of its text.*; left are \d+ of \d+ blocks and \d+ of \d+ words",
        r" +\d+  \d\.\d\d  dropped by c4-lines .*",
        r" +\d+  \d\.\d\d  boilerplate.*",
    ):
        assert re.search(f"^{line}$", text, re.MULTILINE), line


def test_a_page_that_was_dropped_after_cleaning_has_all_its_faults(strict: Corpus) -> None:
    page = next(page for page in strict.pages() if page.dropped == "length" and page.url == "https://chaye.example/")
    text = why(strict, page.url)
    assert re.search(r"^  fault +length +\d+ characters of text, fewer than 1,000$", text, re.MULTILINE)
    assert re.search(r"^  fault +c4-page +2 sentences, fewer than 3$", text, re.MULTILINE)
    assert text.endswith(f"\ndropped by length: {page.detail}\n")
    assert "repeated " not in text


def test_a_page_that_was_dropped_before_cleaning(strict: Corpus) -> None:
    page = first(strict, "size")
    text = why(strict, page.id)
    assert "the page was not cleaned, so filters for text were not asked" in text
    assert "decoded" not in text
    assert text.endswith(f"dropped by size: {page.detail}\n")
    error = why(strict, first(strict, "status").id)
    assert re.search(r"^  fault +status +HTTP status \d+$", error, re.MULTILINE)


def test_a_duplicate(corpus: Corpus) -> None:
    reason, detail, url = next(dropped for dropped in corpus.dropped() if dropped[0] == "duplicate")
    found = json.loads(why(corpus, next(page.id for page in corpus.pages() if page.url == url and not page.dropped), "--json"))
    assert (found["kept"], found["reason"], found["detail"]) == (False, reason, detail)
    assert found["repeated"]["blocks_left"] == 0


def test_a_skipped_record(corpus: Corpus) -> None:
    place = f"sample:{next(iter(read_rows(corpus.shards[0] / SKIPPED)))['offset']}"
    assert why(corpus, place).endswith("skipped: a revisit of a page that is stored elsewhere\n")
    found = json.loads(why(corpus, place, "--json"))
    assert (found["kept"], found["skipped"]["reason"]) == (False, "revisit")


def test_an_unknown_page_and_those_like_it(corpus: Corpus) -> None:
    result = run("why", corpus.folder, "https://crumb.example/recipes/index.htm")
    assert result.returncode == 2
    assert b"the closest:\n" in result.stderr
    assert b"crumb.example" in result.stderr


def test_why_as_json(strict: Corpus) -> None:
    kept = next(iter(strict.documents()))
    found = json.loads(why(strict, kept.id, "--json"))
    assert (found["kept"], found["reason"], found["document"]["url"]) == (True, "", kept.url)
    assert [item["name"] for item in found["filters"]] == ["status", "content-type", "size", "c4-lines", "language", "length", "c4-page"]
    assert found["filters"][3]["dropped_blocks"] == sum(block["dropped"] == "c4-lines" for block in found["document"]["blocks"])
    assert found["filters"][5]["spec"] == "length:min=1000,max=1000000"


def test_stats_show_the_share_of_each_filter(strict: Corpus) -> None:
    text = run("stats", strict.folder).stdout.decode()
    counts = strict.counts
    for label, number, total in (
        ("redirects and errors", counts["dropped"]["status"], counts["pages"]),
        ("too short or too long", counts["dropped"]["length"], counts["pages"]),
        ("c4-page", counts["dropped"].get("c4-page", 0), counts["pages"]),
        ("duplicates", counts["duplicates"], counts["pages"]),
        ("c4-lines", counts["dropped_blocks"]["c4-lines"], counts["text_blocks"]),
    ):
        assert re.search(rf"^  - {label} +{number} +{number / total:.1%}$", text, re.MULTILINE), label


def test_the_list_of_filters() -> None:
    text = run("filters").stdout.decode()
    for name in FILTERS:
        assert re.search(rf"^  {name}(:|$)", text, re.MULTILINE)
    assert re.search(r"^  ukwac\n      status\n      content-type:types=text/html\n", text, re.MULTILINE)
    found = json.loads(run("filters", "--json").stdout)
    assert found["presets"] == {name: list(specs) for name, specs in PRESETS.items()}
    assert found["filters"]["length"]["thresholds"] == {"min": 200, "max": 1_000_000}
    assert all(item["about"] for item in found["filters"].values())


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--preset", "ukwack"], "there is no preset 'ukwack'; did you mean 'ukwac'?"),
        (["--filter", "lenght"], "there is no filter 'lenght'; did you mean 'length'?"),
        (["--filter", "length:min=x"], "min must be a whole number, not 'x'"),
        (["--filter", "no-topic"], "there is no filter 'topic' to take out"),
        (["--filter", "word-list:file=none.txt"], "can't read the word list none.txt"),
    ],
)
def test_wrong_filters_are_refused_before_anything_is_written(corpus: Corpus, tmp_path: Path, options: list[str], message: str) -> None:
    for command, source, output in (("build", "sample", "new"), ("export", corpus.folder, "x.txt")):
        result = run(command, source, "-o", tmp_path / output, *options)
        assert result.returncode == 2
        assert message in result.stderr.decode()
    assert list(tmp_path.iterdir()) == []


def test_export_with_other_filters(strict: Corpus, tmp_path: Path) -> None:
    result = run(
        "export", strict.folder, "-o", tmp_path / "x.jsonl", "--preset", "default", "--filter", "length:min=2000", "--filter", "-status"
    )
    assert result.returncode == 0
    assert b"10 pages pass these filters for pages" not in result.stderr
    lost = strict.out_of_reach(gristmill.Selection(preset="default", filters=("-status",)))
    assert f"{lost:,} pages pass these filters for pages, but were dropped before they were cleaned".encode() in result.stderr
    assert all(len(json.loads(line)["text"]) > 500 for line in (tmp_path / "x.jsonl").read_text("utf-8").splitlines())
