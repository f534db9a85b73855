"""The command line as a user types it: results on standard output, messages on standard error, exit codes."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import get_args

import pytest
from command import run

import gristmill
from gristmill import sample
from gristmill.cli.program import COMMANDS, EVERYDAY, GROUPS, HEADINGS, load
from gristmill.config import identifier_and_version
from gristmill.corpus import CorpusReader
from gristmill.kernel import COMPILED
from gristmill.operations.declaration import Group

PARAGRAPH = (
    "It was the miller who said that the river would rise in the night, and it was the river that did what he had "
    "said it would do. "
)
PAGE = f"<title>T</title><ul><li><a href=/>Home</a></ul><h1>A mill</h1><p>{PARAGRAPH * 3}</p>"


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["clean", "-"], 0, ""),
        (["build", "sample", "-o", "/dev/null/x"], 1, "gristmill: can't write to /dev/null/x"),
        (["clean", "none.html"], 2, "gristmill: can't read none.html"),
    ],
)
def test_how_a_process_ends(tmp_path: Path, arguments: list[str], code: int, message: str) -> None:
    """The command in a process of its own, as where signals and pipes matter; the tests below call it in theirs."""
    command = [sys.executable, "-m", "gristmill", *arguments]
    result = subprocess.run(command, input=PAGE.encode(), cwd=tmp_path, capture_output=True, check=False)
    assert (result.returncode, bool(result.stdout)) == (code, code == 0)
    assert result.stderr.decode().startswith(message)
    assert b"Traceback" not in result.stderr


def test_build_then_stats_then_export(tmp_path: Path) -> None:
    built = run("build", "sample", "-o", "corpus", cwd=tmp_path)
    assert (built.returncode, built.stderr) == (0, b"")
    text = built.stdout.decode()
    assert re.search(r"^pages read +166$", text, re.MULTILINE)
    assert re.search(r"^  - not HTML +30 +18.1%$", text, re.MULTILINE)
    assert re.search(r"^kept +\d+$", text, re.MULTILINE)
    assert re.search(r"^boilerplate +\d+\.\d% of words, without repeated text$", text, re.MULTILINE)
    following = re.search(r"gristmill (export .*?) {2,}", text)
    assert following
    exported = run(*following[1].split(), cwd=tmp_path)
    assert exported.returncode == 0
    corpus = CorpusReader(tmp_path / "corpus")
    assert len((tmp_path / "corpus.jsonl").read_text("utf-8").splitlines()) == corpus.counts["kept"]
    assert run("stats", "corpus", cwd=tmp_path).stdout.decode() in text
    assert json.loads(run("stats", "corpus", "--json", cwd=tmp_path).stdout) == {
        "counts": corpus.counts,
        "size": corpus.size,
    }


def test_the_word_sample_means_the_bundled_one_even_beside_a_folder_of_that_name(tmp_path: Path) -> None:
    (tmp_path / "sample").mkdir()
    built = run("build", "sample", "-o", "corpus", "--json", cwd=tmp_path)
    assert built.returncode == 0
    assert b"for the folder of that name say ./sample" in built.stderr
    assert run("build", "./sample", "-o", "other", cwd=tmp_path).returncode == 2


def test_options_reach_the_settings(tmp_path: Path) -> None:
    settings = tmp_path / "settings.toml"
    settings.write_text("[filter]\nfilters = ['length:min=500', 'size:max=5000']\n")
    options: list[str | Path] = [
        "--lang",
        "cs,EL",
        "--max-bytes",
        "100000",
        "--max-boilerplate",
        "0.3",
        "--config",
        settings,
        "-j",
        "1",
    ]
    result = run("build", "sample", "-o", tmp_path / "corpus", "--json", *options)
    assert result.returncode == 0
    corpus = CorpusReader(tmp_path / "corpus")
    assert corpus.config.filter.filters == ("length:min=500,max=1000000", "size:min=100,max=100000")
    assert corpus.config.clean.max_boilerplate == 0.3
    assert set(corpus.size["languages"]) == {"cs", "el"}
    assert corpus.counts["dropped"]["language"] > 50


def test_export_to_standard_output(corpus: gristmill.Corpus) -> None:
    result = run("export", corpus.folder, "--format", "text", "--lang", "el", "--max-boilerplate", "0.1")
    assert result.returncode == 0
    assert "Ο " in result.stdout.decode()
    assert result.stderr == b""


def test_a_reader_that_has_seen_enough(indexed: gristmill.Corpus) -> None:
    command = f"{sys.executable} -m gristmill export {indexed.folder} --format vertical | head -1"
    result = subprocess.run(["bash", "-c", command], capture_output=True, check=False)  # noqa: S607
    assert result.stdout.startswith(b"<doc ")
    assert result.stderr == b""


@pytest.mark.parametrize(
    ("output_format", "expected"),
    [
        ("text", PARAGRAPH.strip()),
        ("markup", f"<p>{PARAGRAPH}"),
        ("json", '"title": "T"'),
        ("html", '<p dir="auto">It was'),
    ],
)
def test_clean(tmp_path: Path, output_format: str, expected: str) -> None:
    path = tmp_path / "page.html"
    path.write_text(PAGE)
    result = run("clean", path, "--format", output_format)
    assert result.returncode == 0
    assert expected in result.stdout.decode()
    assert run("clean", "-", "-f", output_format, stdin=PAGE.encode()).stdout == result.stdout


def test_clean_as_json_is_the_whole_document() -> None:
    found = json.loads(run("clean", "-", "-f", "json", "--url", "http://a.example/", stdin=PAGE.encode()).stdout)
    document = gristmill.clean(PAGE.encode(), url="http://a.example/")
    assert (found["url"], found["text"]) == ("http://a.example/", document.text)
    assert [block["quantile"] for block in found["blocks"]] == [block.quantile for block in document.blocks]
    assert [block["text"] for block in found["blocks"]] == [block.text for block in document.blocks]
    assert found["digest"] == document.digest.hex()


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["bild"], 2, "No such command 'bild'"),
        (["build", "sample"], 2, "Missing option '--output'"),
        (["build", "-o", "x"], 2, "Missing argument"),
        (["build", "nothing.warc", "-o", "x"], 2, "there is no file or folder 'nothing.warc'"),
        (["build", "*.none", "-o", "x"], 2, "there is no file or folder '*.none'"),
        (["build", "sample", "-o", "x", "--workers", "0"], 2, "--workers"),
        (
            ["build", "sample", "-o", "x", "--method", "magic"],
            2,
            "there is no cleaning method 'magic' (there are: mill, all, ",
        ),
        (["build", "sample", "-o", "x", "--dedup", "exat"], 2, "did you mean 'exact'?"),
        (["build", "sample", "-o", "x", "--lang", "english"], 2, "did you mean 'en'?"),
        (
            ["build", "sample", "-o", "x", "--min-bytes", "9", "--max-bytes", "3"],
            2,
            "size: min must not be more than max, but they are 9 and 3",
        ),
        (["build", "sample", "-o", "x", "--config", "none.toml"], 2, "can't read the settings in none.toml"),
        (["build", "sample", "-o", "/dev/null/x"], 1, "can't write to /dev/null/x"),
        (["stats", "."], 2, "there is no corpus in ."),
        (["export", ".", "-f", "text"], 2, "there is no corpus in ."),
        (["clean", "none.html"], 2, "can't read none.html"),
        (["clean", "."], 2, ". is a folder: give an HTML file"),
        (["clean", "-", "--method", "jutext"], 2, "did you mean 'justext'?"),
        (["clean", "-", "--max-boilerplate", "1.5"], 2, "--max-boilerplate"),
        (["clean", "-", "--lang", "english"], 2, "did you mean 'en'?"),
        (["clean", str(sample.WARC)], 2, "is an archive of pages, not a page: gristmill build"),
        (["train", "texrx", "--gold", "."], 2, "did you mean 'texrex'?"),
        (["train", "texrex", "--gold", "none"], 2, "there is no folder 'none' of gold standards"),
        (["train", "texrex", "--gold", "."], 2, "there is no texrex-features.parquet in ."),
        (["train", "texrex", "--gold", ".", "-o", str(sample.WARC)], 2, "is there already, and is no model"),
        (
            ["clean", "-", "--format", "pdf"],
            2,
            "there is no output format 'pdf' (there are: text, html, json, markdown, markup)",
        ),
    ],
)
def test_wrong_usage(tmp_path: Path, arguments: list[str], code: int, message: str) -> None:
    result = run(*arguments, cwd=tmp_path)
    assert result.returncode == code
    assert message in result.stderr.decode()
    assert result.stdout == b""
    assert list(tmp_path.iterdir()) == []


def test_export_needs_a_format(corpus: gristmill.Corpus) -> None:
    result = run("export", corpus.folder)
    assert result.returncode == 2
    assert b"--format (vertical, conllu, jsonl, markdown, markup, parquet, text)" in result.stderr


def test_nothing_kept_is_said(tmp_path: Path) -> None:
    (tmp_path / "x.warc").write_bytes(b"")
    result = run("build", tmp_path / "x.warc", "-o", tmp_path / "corpus")
    assert result.returncode == 1
    assert b"nothing was kept" in result.stderr
    listed = run("dropped", tmp_path / "corpus", "--csv").stdout.decode()
    assert listed == f"reason,finding,url,id\nbroken,the file is empty,,{tmp_path}/x.warc:0\n"


def test_an_export_of_nothing_and_of_one_document(corpus: gristmill.Corpus, tmp_path: Path) -> None:
    result = run("export", corpus.folder, "-o", tmp_path / "x.txt", "--lang", "cy")
    assert result.returncode == 0
    assert result.stderr.decode().startswith(f"0 documents written to {tmp_path / 'x.txt'}\nNo document passes.")
    assert f"gristmill stats {corpus.folder}" in result.stderr.decode()
    longest = max(document.length for document in corpus.documents())
    one = run("export", corpus.folder, "-o", tmp_path / "x.txt", "--force", "--min-length", str(longest))
    assert one.stderr.decode() == f"1 document written to {tmp_path / 'x.txt'}\n"


def test_languages_are_lifted(tmp_path: Path) -> None:
    for name, text in (
        ("en", "The miller went down to the river. "),
        ("cs", "Mlynář se vrátil do mlýna a viděl, že tam nic není. "),
    ):
        (tmp_path / f"{name}.html").write_text(f"<p>{text * 20}", "utf-8")
    assert run("build", tmp_path, "-o", tmp_path / "corpus", "--lang", "cs").returncode == 0
    for options, count in (
        ([], 1),
        (["--preset", "none"], 2),
        (["--preset", "none", "--lang", "en"], 1),
        (["--preset", "none", "--lang", "cy"], 0),
        (["--filter", "no-language"], 2),
        (["--preset", "default"], 1),
    ):
        result = run("export", tmp_path / "corpus", "-o", tmp_path / "x.txt", "--force", *options)
        assert result.stderr.decode().startswith(f"{count} document"), options
    built = run("build", tmp_path / "en.html", "-o", tmp_path / "other", "--preset", "none", "--lang", "cs")
    assert re.search(r"^kept +0$", built.stdout.decode(), re.MULTILINE)


def test_what_was_dropped_is_listed(corpus: gristmill.Corpus) -> None:
    rows = json.loads(run("dropped", corpus.folder, "--limit", "0", "--json").stdout)["rows"]
    assert [tuple(row.values()) for row in rows] == list(corpus.dropped())
    reasons = Counter(row["reason"] for row in rows)
    counts = corpus.counts
    assert reasons == Counter(
        {**counts["dropped"], "duplicate": counts["duplicates"], "revisit": counts["skipped"]["revisit"]}
    )


def test_what_was_dropped_for_a_reason(corpus: gristmill.Corpus) -> None:
    copies = corpus.list_dropped(reason="duplicate", limit=0)
    assert [row.id for row in copies.rows] == [fields[3] for fields in corpus.dropped() if fields[0] == "duplicate"]
    second = corpus.list_dropped(reason="duplicate", offset=1, limit=1)
    assert (second.rows, second.has_more) == (copies.rows[1:2], len(copies.rows) > 2)
    assert not corpus.list_dropped(reason="length").rows  # a filter that found nothing
    shown = run("dropped", corpus.folder, "--limit", "2")
    assert len(shown.stdout.splitlines()) == 3
    assert b"There are more" in shown.stderr
    wrong = run("dropped", corpus.folder, "--reason", "lenght")
    assert (wrong.returncode, wrong.stdout) == (2, b"")
    assert b"there is no reason 'lenght'; did you mean 'length'?" in wrong.stderr


@pytest.mark.parametrize(
    ("page", "message"),
    [
        (b"", "no text: the page is empty\n"),
        (b"<script>x</script>", "no text: nothing on the page is shown to a reader\n"),
        (b"<p>short", "no text: 1 block, all taken for boilerplate (--format html shows them)\n"),
        (b"\x00\x01\xff\xfe\x93" * 100, "this does not look like HTML; it is cleaned all the same\n"),
    ],
)
def test_a_page_without_text_is_said_to_be_one(page: bytes, message: str) -> None:
    result = run("clean", "-", "--method", "justext", stdin=page)
    assert (result.returncode, result.stdout) == (0, b"")
    assert result.stderr.decode().startswith(message)


def test_the_threshold_can_be_chosen() -> None:
    page = b"<p>short"
    assert run("clean", "-", "--method", "justext", "--max-boilerplate", "1", stdin=page).stdout == b"short\n"


def test_a_method_for_sites_says_what_it_does_with_one_page() -> None:
    alone = run("clean", "-", "--method", "site-dom:least=2", stdin=PAGE.encode())
    density = run("clean", "-", "--method", "density", stdin=PAGE.encode())
    assert alone.stdout == density.stdout != b""
    assert b"one page is cleaned by density" in alone.stderr
    assert b"density" not in density.stderr


def test_a_terminal_that_knows_ascii_only() -> None:
    assert "é" in run("clean", "-", "-f", "json", stdin="<p>é".encode(), encoding="ascii").stdout.decode()


def test_exit_codes_are_told() -> None:
    assert re.search(r"Exit codes:\n +0 .*\n +1 .*\n +2 .*\n +130 ", run("--help").stdout.decode())


@pytest.mark.parametrize(
    ("typed", "completed"),
    [
        ("gristmill sea", ["search"]),
        ("gristmill search --shu", ["--shuffle"]),
        ("gristmill clean --method ju", ["justext", "justext-b", "justext-c", "justext-d"]),
        ("gristmill build --preset go", ["gopher"]),
        ("gristmill export corpus --format co", ["conllu"]),
        ("gristmill watch re", ["remove"]),
        ("gristmill keywords --order l", ["ll"]),
    ],
)
def test_completion(monkeypatch: pytest.MonkeyPatch, typed: str, completed: list[str]) -> None:
    monkeypatch.setenv("_GRISTMILL_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", typed)
    monkeypatch.setenv("COMP_CWORD", str(len(typed.split()) - 1))
    assert run().stdout.decode().split() == completed


def test_clean_does_not_download() -> None:
    result = run("clean", "https://example.org/?a=1&b=2")
    assert result.returncode == 2
    assert "curl -sL 'https://example.org/?a=1&b=2' | gristmill clean - --url" in result.stderr.decode()


def test_clean_writes_to_a_file(tmp_path: Path) -> None:
    result = run("clean", "-", "--format", "html", "-o", "judged.html", stdin=PAGE.encode(), cwd=tmp_path)
    assert (result.returncode, result.stdout, result.stderr) == (0, b"", b"written to judged.html\n")
    assert (tmp_path / "judged.html").read_bytes() == run("clean", "-", "--format", "html", stdin=PAGE.encode()).stdout
    assert run("clean", "-", "-o", "none/x.txt", stdin=PAGE.encode(), cwd=tmp_path).returncode == 2


@pytest.mark.parametrize("command", COMMANDS)
def test_help_has_an_example(command: str) -> None:
    result = run(command, "--help")
    assert result.returncode == 0
    assert f"Examples:\n    gristmill {command} " in result.stdout.decode()


def test_the_list_of_commands_says_what_their_help_says() -> None:
    for name, (_, summary) in COMMANDS.items():
        assert str(load(name).help).splitlines()[0] == summary


def test_commands_are_imported_when_they_are_called() -> None:
    code = "import sys, gristmill.cli; sys.exit(bool({'numpy', 'pyarrow', 'rich.progress'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_summaries_are_not_cut() -> None:
    longest = max(map(len, COMMANDS))
    assert all(longest + 4 + len(summary) < 79 and len(summary) <= 60 for _, summary in COMMANDS.values())


def test_help_shows_each_command_once_in_its_group() -> None:
    assert ("", *HEADINGS, "watch") == get_args(Group)  # the last is a command with others below it
    assert list(GROUPS) == list(HEADINGS)
    assert Counter(name for names in GROUPS.values() for name in names) == Counter(list(COMMANDS))
    shown = run("--help").stdout.decode().partition("\nEvery day:\n")[2].partition("\n\n  Examples:")[0]
    everyday, *groups = shown.split("\n\n")
    assert [line.split()[0] for line in everyday.splitlines()] == list(EVERYDAY)
    for text, (group, heading) in zip(groups, HEADINGS.items(), strict=True):
        first, *lines = text.splitlines()
        assert first == f"{heading}:"
        assert [line.split()[0] for line in lines] == [name for name in GROUPS[group] if name not in EVERYDAY]
    assert all(about in shown for _, about in COMMANDS.values())


def test_help_can_be_asked_for_in_words() -> None:
    assert run("help").stdout == run("--help").stdout
    assert run("help", "watch", "add").stdout == run("watch", "add", "--help").stdout
    assert "Did you mean 'build'?" in run("help", "bild").stderr.decode()


def test_help_says_how_to_start() -> None:
    assert "Examples:\n    gristmill build sample -o corpus\n" in run("--help").stdout.decode()


def test_version() -> None:
    kernel = "compiled" if COMPILED else "not compiled"
    said = f"gristmill {gristmill.__version__} (kernel {kernel}, languages by {identifier_and_version()})\n"
    assert run("--version").stdout.decode() == said
