"""`gristmill why` and `gristmill parts` say what was found and what there is; `stats` shows each filter's share."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path

import pytest
from command import run
from web_server import served

import gristmill
from gristmill import sample
from gristmill.config import Config
from gristmill.corpus import CorpusReader
from gristmill.engine import InlineEngine
from gristmill.filter import FILTERS
from gristmill.presets import PRESETS
from gristmill.shards import read_rows


@pytest.fixture(scope="module")
def strict(tmp_path_factory: pytest.TempPathFactory) -> CorpusReader:
    """The sample with filters of all three stages, some of which drop something."""
    config = Config().with_filters("length:min=1000", "c4-lines", "c4-page", preset="presemt")
    return gristmill.build(
        ["sample"], tmp_path_factory.mktemp("corpora") / "strict", config, engine=InlineEngine()
    ).reader


def why(corpus: CorpusReader | gristmill.Corpus, name: str, *options: str) -> str:
    result = run("why", corpus.folder, name, *options)
    assert (result.returncode, result.stderr) == (0, b"")
    return result.stdout.decode()


def first(corpus: CorpusReader, reason: str) -> gristmill.Document:
    return next(page for page in corpus.pages() if page.dropped == reason)


def test_a_kept_page(strict: CorpusReader) -> None:
    kept = next(iter(strict.documents()))
    text = why(strict, kept.id)
    assert text.startswith("kept\n\n")
    for line in (
        rf"id +{kept.id}",
        r"fetched +HTTP status 200, text/html, [\d,]+ bytes, from sample:\d+, \d{4}-.*",
        r"decoded +[\w-]+, told by [\w-]+",
        r"language +\w+ \(\d\.\d\d\).*",
        (
            r"cleaned +by mill: \d+ of \d+ blocks are text \(score at most 0\.5\), \d+ words, [\d,]+ characters left "
            r"after filters"
        ),
        r"roles +[a-z, ]*\btext\b[a-z, ]* are text; \d+ blocks? left out for other roles",
        r"  passed +status +HTTP status 200",
        r"  passed +size +[\d,]+ bytes",
        r"  passed +length +[\d,]+ characters of text",
        r"  \d+ blocks? dropped +c4-lines +.*without terminal punctuation",
        r"repeated +\d+% of its text.*; left are \d+ of \d+ blocks and \d+ of \d+ words",
        r" +\d+  \d\.\d\d  [a-z]+ +dropped by c4-lines .*",
        r" +\d+  \d\.\d\d  [a-z]+ +boilerplate.*",
    ):
        assert re.search(f"^{line}$", text, re.MULTILINE), line


def test_a_page_that_was_dropped_after_cleaning_has_all_its_faults(strict: CorpusReader) -> None:
    page = next(page for page in strict.pages() if page.dropped == "length" and page.url == "https://chaye.example/")
    text = why(strict, page.id)
    assert re.search(r"^  failed +length +\d+ characters of text, fewer than 1,000$", text, re.MULTILINE)
    assert re.search(r"^  failed +c4-page +2 sentences, fewer than 3$", text, re.MULTILINE)
    assert text.startswith(f"dropped by length: {page.detail}\n")
    assert "repeated " not in text


def test_a_page_that_was_dropped_before_cleaning(strict: CorpusReader) -> None:
    page = first(strict, "size")
    text = why(strict, page.id)
    assert "the page was not cleaned, so filters for text were not asked" in text
    assert "decoded" not in text
    assert text.startswith(f"dropped by size: {page.detail}\n")
    error = why(strict, first(strict, "status").id)
    assert re.search(r"^  failed +status +HTTP status \d+$", error, re.MULTILINE)


def test_a_duplicate(corpus: gristmill.Corpus) -> None:
    reason, detail, url, name = next(dropped for dropped in corpus.dropped() if dropped[0] == "duplicate")
    found = json.loads(why(corpus, name, "--json"))
    assert found["document"]["url"] == url
    assert (found["kept"], found["reason"], found["detail"]) == (False, reason, detail)
    assert found["repeated"]["blocks_left"] == 0


def test_a_skipped_record(corpus: gristmill.Corpus) -> None:
    place = f"sample:{next(iter(read_rows(corpus.shards[0].skipped)))['offset']}"
    assert why(corpus, place).startswith("skipped: a revisit of a page that is stored elsewhere\n")
    found = json.loads(why(corpus, place, "--json"))
    assert (found["kept"], found["skipped"]["reason"]) == (False, "revisit")


def test_a_place_in_an_archive(corpus: gristmill.Corpus, tmp_path: Path) -> None:
    row = next(iter(read_rows(corpus.shards[0].skipped)))
    page = next(corpus.pages())
    assert f"\nid         {page.id}\n" in why(corpus, f"sample:{page.offset}")
    (tmp_path / "crawl").mkdir()
    (tmp_path / "crawl" / "web.warc.gz").write_bytes(sample.WARC.read_bytes())
    built = gristmill.build([tmp_path], tmp_path / "corpus", engine=InlineEngine())
    assert why(built, f"web.warc.gz:{row['offset']}").startswith("skipped: a revisit")
    assert why(built, f"crawl/web.warc.gz:{page.offset}").startswith(why(corpus, page.id).partition("\n")[0])
    assert run("why", built.folder, f"eb.warc.gz:{page.offset}").returncode == 2


def test_all_pages_and_records_of_an_address_are_listed(strict: CorpusReader) -> None:
    result = run("why", strict.folder, "https://chaye.example/")
    assert result.returncode == 2
    first, *lines = result.stderr.decode().splitlines()
    assert first.startswith(
        "gristmill: 2 pages and records match 'https://chaye.example/'; which one? Give its id or place"
    )
    names = {line.split()[0]: " ".join(line.split()[1:-1]) for line in lines}
    assert sorted(names.values()) == ["dropped by length", "skipped (revisit)"]
    for name, state in names.items():
        assert why(strict, name).startswith(state.split()[0])


def test_what_was_dropped_can_be_asked_for(strict: CorpusReader) -> None:
    rows = csv.reader(run("dropped", strict.folder, "--limit", "0", "--csv").stdout.decode().splitlines()[1:])
    listed = list(rows)
    first_of = {reason: (detail, url, name) for reason, detail, url, name in reversed(listed)}
    assert {"revisit", "size", "length"} <= set(first_of)
    for reason, (_, url, name) in first_of.items():
        found = why(strict, name)
        assert url in found
        assert found.startswith("skipped: " if ":" in name else f"dropped by {reason}")


def test_a_filter_whose_file_is_gone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("bad.txt").write_text("xyzzy\n")
    Path("page.html").write_text(f"<p>{'The miller went down to the river. ' * 20}")
    built = gristmill.build(
        ["page.html"], "corpus", Config().with_filters("word-list:file=bad.txt"), engine=InlineEngine()
    )
    assert f"word-list:file={tmp_path / 'bad.txt'},types=3,tokens=10" in built.config.filter.filters
    assert re.search(r"^  passed  word-list +0 words of the list, 0 times$", why(built, "page.html"), re.MULTILINE)
    Path("bad.txt").unlink()
    text = why(built, "page.html")
    assert re.search(
        rf"word-list +not judged: can't read the word list {tmp_path}/bad.txt: No such file or directory$",
        text,
        re.MULTILINE,
    )
    assert re.search(r"^fetched +a file, text/html, 7\d\d bytes", text, re.MULTILINE)
    assert re.search(r"^  passed  status +a file$", text, re.MULTILINE)


def test_the_size_of_a_page_that_was_not_read_to_its_end(tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text(f"<p>{'The miller went down to the river. ' * 20}")
    built = gristmill.build(
        [tmp_path], tmp_path / "corpus", Config().with_filters("size:max=300"), engine=InlineEngine()
    )
    text = why(built, "page.html")
    assert text.startswith("dropped by size: more than 300 bytes\n")
    assert "a file, text/html, more than 300 bytes, from" in text


def test_an_unknown_page_and_those_like_it(corpus: gristmill.Corpus) -> None:
    result = run("why", corpus.folder, "https://crumb.example/recipes/index.htm")
    assert result.returncode == 2
    assert b"the closest:\n" in result.stderr
    assert b"crumb.example" in result.stderr
    assert b"FILE:OFFSET" in result.stderr


def test_why_as_json(strict: CorpusReader) -> None:
    kept = next(iter(strict.documents()))
    found = json.loads(why(strict, kept.id, "--json"))
    assert (found["kept"], found["reason"], found["document"]["url"]) == (True, "", kept.url)
    assert [item["name"] for item in found["filters"]] == [
        "status",
        "content-type",
        "size",
        "c4-lines",
        "language",
        "length",
        "c4-page",
    ]
    assert found["filters"][3]["dropped_blocks"] == sum(
        block["dropped"] == "c4-lines" for block in found["document"]["blocks"]
    )
    assert found["filters"][5]["spec"] == "length:min=1000,max=1000000"


def test_stats_show_the_share_of_each_filter(strict: CorpusReader) -> None:
    text = run("stats", strict.folder).stdout.decode()
    counts = strict.counts
    for label, number, total in (
        ("redirects and errors", counts["dropped"]["status"], counts["pages"]),
        ("too short or too long", counts["dropped"]["length"], counts["pages"]),
        ("c4-page", counts["dropped"].get("c4-page", 0), counts["pages"]),
        ("duplicates", counts["duplicates"], counts["pages"]),
        ("c4-lines", counts["dropped_blocks"]["c4-lines"], counts["text_blocks"]),
    ):
        assert re.search(rf"^  - {label} +{number:,} +{number / total:.1%}$", text, re.MULTILINE), label


def test_words_of_dropped_blocks_are_no_boilerplate(strict: CorpusReader) -> None:
    kept = list(strict.documents())
    boilerplate, filtered = sum(page.boilerplate_words for page in kept), sum(page.filtered_words for page in kept)
    assert (strict.size["boilerplate_words"], strict.size["filtered_words"]) == (boilerplate, filtered)
    pages = {page.id: page for page in strict.pages()}
    for page in kept:
        blocks = pages[page.id].blocks
        assert page.boilerplate_words == sum(block.words for block in blocks if not block.is_text(0.5, page.roles))
        assert page.filtered_words == sum(block.words for block in blocks if block.dropped)
    total = strict.size["words"] + boilerplate + filtered
    text = run("stats", strict.folder).stdout.decode()
    assert re.search(rf"^boilerplate +{boilerplate / total:.1%} of words, without repeated text$", text, re.MULTILINE)
    assert re.search(rf"^dropped blocks +{filtered / total:.1%} of words$", text, re.MULTILINE)


def test_no_dropped_blocks_no_line_on_them(corpus: gristmill.Corpus) -> None:
    assert "dropped blocks" not in run("stats", corpus.folder).stdout.decode()


def test_one_filter() -> None:
    text = run("parts", "word-list").stdout.decode()
    assert text.startswith("word-list, a filter of documents\n\nDocuments with several words")
    assert "  word-list:file=FILE (needed),types=3,tokens=10\n" in text
    assert "  in the presets: gopher\n" in run("parts", "gopher-quality").stdout.decode()
    assert json.loads(run("parts", "topic", "--json").stdout)["filter"]["topic"]["needed"] == ["sample"]
    assert "did you mean 'length'?" in run("parts", "lenght").stderr.decode()
    assert "there is no filter 'lenght'; did you mean 'length'?" in run("parts", "filter", "lenght").stderr.decode()


def test_the_lists_of_filters_and_presets() -> None:
    text = run("parts", "filters").stdout.decode()
    for name in FILTERS:
        assert re.search(rf"^  {name}(:|$)", text, re.MULTILINE)
    text = run("parts", "preset").stdout.decode()
    assert re.search(r"^  ukwac\n      status\n      content-type:types=text/html\n", text, re.MULTILINE)
    filters = json.loads(run("parts", "filters", "--json").stdout)["filter"]
    assert list(filters) == list(FILTERS)
    assert filters["length"]["parameters"] == {"min": 200, "max": 1_000_000}
    assert all(item["about"] for item in filters.values())
    presets = json.loads(run("parts", "presets", "--json").stdout)["preset"]
    assert {name: preset["filters"] for name, preset in presets.items()} == {
        name: list(specs) for name, specs in PRESETS.items()
    }


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--preset", "ukwack"], "there is no preset 'ukwack'; did you mean 'ukwac'?"),
        (["--filter", "lenght"], "there is no filter 'lenght'; did you mean 'length'?"),
        (["--filter", "length:min=x"], "min must be a whole number, not 'x'"),
        (["--filter", "no-topic"], "there is no filter 'topic' to take out"),
        (["--filter", "no-lenght"], "there is no filter 'lenght' to take out; did you mean 'no-length'?"),
        (
            ["--filter", "no-length:min=3"],
            "'no-length:min=3' takes out a filter, so it has no settings: say 'no-length'",
        ),
        (["--filter", "word-list:file=none.txt"], "can't read the word list none.txt: No such file or directory"),
    ],
)
def test_wrong_filters_are_refused_before_anything_is_written(
    corpus: CorpusReader, tmp_path: Path, options: list[str], message: str
) -> None:
    for command, source, output in (("build", "sample", "new"), ("export", corpus.folder, "x.txt")):
        result = run(command, source, "-o", tmp_path / output, *options)
        assert result.returncode == 2
        assert message in result.stderr.decode()
    assert list(tmp_path.iterdir()) == []


def test_export_with_other_filters(strict: CorpusReader, tmp_path: Path) -> None:
    result = run(
        "export",
        strict.folder,
        "-o",
        tmp_path / "x.jsonl",
        "--preset",
        "default",
        "--filter",
        "length:min=2000",
        "--filter",
        "-status",
    )
    assert result.returncode == 0
    assert b"10 pages pass these filters for pages" not in result.stderr
    lost = strict.out_of_reach(gristmill.Selection(preset="default", filters=("-status",)))
    assert (
        f"{lost:,} pages pass these filters for pages, but were dropped before they were cleaned".encode()
        in result.stderr
    )
    assert all(len(json.loads(line)["text"]) > 500 for line in (tmp_path / "x.jsonl").read_text("utf-8").splitlines())


def test_python_and_the_web_app_explain_a_page_as_the_command_does(corpus: gristmill.Corpus) -> None:
    _, _, _, name = next(dropped for dropped in corpus.dropped() if dropped[0] == "duplicate")
    found = corpus.why(name)
    assert list(found.lines()) == why(corpus, name).splitlines()
    with served(corpus.folder) as client:
        record = client.get(f"/api/{corpus.folder.name}/why", page=name).json()
        assert record == json.loads(why(corpus, name, "--json"))
        against = client.get(f"/api/{corpus.folder.name}/why", page=name, against=corpus.folder.name).json()
        assert against["repeated"] == corpus.why(name, against=(corpus,)).to_json()["repeated"]
        unknown = client.get(f"/api/{corpus.folder.name}/why", page=name, against="nowhere")
        assert (unknown.status, "there is no corpus 'nowhere'" in unknown.text) == (400, True)
    by_folder = corpus.why(name, against=(str(corpus.folder),))
    assert why(corpus, name, "--against", str(corpus.folder)).splitlines() == list(by_folder.lines())
