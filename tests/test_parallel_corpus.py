"""Parallel corpora from HTML to beads: against the truth of the bundled multilingual sample, whoever does the work."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from command import run
from killing import changes_of, contents, is_killed, some_of

import gristmill
from gristmill import sample
from gristmill.engine import InlineEngine
from gristmill.parallel.reader import ParallelCorpus
from gristmill.parallel.records import UNPAIRED, beads_of, pairs_of
from gristmill.shards import read_rows

_KILLS = int(os.environ.get("GRISTMILL_KILLS", "5"))
_LANGUAGE_PAIRS = [("en", "de"), ("en", "cs"), ("de", "cs")]


@pytest.fixture(scope="module")
def multilingual(tmp_path_factory: pytest.TempPathFactory) -> gristmill.Corpus:
    """The multilingual sample as a corpus, with its annotations."""
    folder = tmp_path_factory.mktemp("multilingual") / "corpus"
    corpus = gristmill.build(["sample-parallel"], folder, engine=InlineEngine())
    gristmill.annotate(corpus, engine=InlineEngine())
    return corpus


@pytest.fixture(scope="module")
def pairs(multilingual: gristmill.Corpus, tmp_path_factory: pytest.TempPathFactory) -> dict[str, ParallelCorpus]:
    """Parallel corpora of all pairs of languages, such as `en-de`."""
    folder = tmp_path_factory.mktemp("pairs")
    return {
        f"{source}-{target}": gristmill.build_parallel(
            multilingual, source, target, folder / f"{source}-{target}", engine=InlineEngine()
        )
        for source, target in _LANGUAGE_PAIRS
    }


def found_pairs(corpus: ParallelCorpus) -> set[tuple[str, str]]:
    """The addresses of pages that are a pair."""
    return {(str(one), str(other)) for _, one, other in _pages(corpus)}


def _pages(corpus: ParallelCorpus) -> Iterator[tuple[dict[str, Any], str, str]]:
    for shard in corpus.shards:
        urls = [document.url for document in shard.read_documents(["url"])]
        for pair in read_rows(pairs_of(shard)):
            if not pair["dropped"]:
                yield pair, urls[pair["source"]], urls[pair["target"]]


def f1(found: set[Any], right: set[Any]) -> float:
    """Harmonic mean of precision and recall."""
    return 2 * len(found & right) / (len(found) + len(right))


def test_pages_are_paired(pairs: dict[str, ParallelCorpus]) -> None:
    truth = sample.parallel_truth()
    found = set().union(*map(found_pairs, pairs.values()))
    right = set(truth["pairs"])
    assert len(right) >= 40
    assert f1(found, right) >= 0.95, (sorted(found - right), sorted(right - found))


def test_sentences_are_aligned(pairs: dict[str, ParallelCorpus]) -> None:
    """Beads with both sides, over all pairs of pages, end to end: a page that is not paired has all of them missing."""
    truth = sample.parallel_truth()["beads"]
    right = {
        (pair, _squeezed(source), _squeezed(target))
        for pair, beads in truth.items()
        for source, target in beads
        if source and target
    }
    found = set()
    for corpus in pairs.values():
        for shard in corpus.shards:
            urls = [document.url for document in shard.read_documents(["url"])]
            rows = list(read_rows(pairs_of(shard)))
            for bead in read_rows(beads_of(shard)):
                if bead["source_count"] and bead["target_count"]:
                    pair = rows[bead["pair"]]
                    page = urls[pair["source"]], urls[pair["target"]]
                    found.add((page, _squeezed([bead["source_text"]]), _squeezed([bead["target_text"]])))
    assert f1(found, right) >= 0.95


def _squeezed(sentences: list[str]) -> str:
    return "".join("".join(sentences).split())


def test_it_is_a_corpus(pairs: dict[str, ParallelCorpus]) -> None:
    corpus = gristmill.Corpus(pairs["en-de"].folder)
    languages = corpus.size["languages"]
    assert languages == {"de": pairs["en-de"].counts["pairs"], "en": pairs["en-de"].counts["pairs"]}
    origins = [document.attributes["origin"] for document in corpus.documents()]
    assert len(set(origins)) == len(origins) == 2 * pairs["en-de"].counts["pairs"]
    states = {stage.name: stage for stage in gristmill.status(corpus).stages}
    assert not states["annotate"].named("stale")
    assert not states["annotate"].named("missing")
    assert not states["annotate"].named("outdated")


def test_beads_say_where_they_are_from(pairs: dict[str, ParallelCorpus]) -> None:
    """The text of each side stands in its blocks at the places that are stored; all sentences are in one bead each."""
    for shard in pairs["en-cs"].shards:
        documents = list(shard.read_documents())
        rows = list(read_rows(pairs_of(shard)))
        covered: dict[int, list[int]] = {}
        for bead in read_rows(beads_of(shard)):
            for side in ("source", "target"):
                document = documents[rows[bead["pair"]][side]]
                first, count = bead[f"{side}_first"], bead[f"{side}_count"]
                covered.setdefault(rows[bead["pair"]][side], []).extend(range(first, first + count))
                if not count:
                    assert (bead[f"{side}_text"], bead[f"{side}_block"], bead[f"{side}_end"]) == ("", -1, -1)
                    continue
                begin, end = bead[f"{side}_block"], bead[f"{side}_end_block"]
                texts = [block.text for block in document.blocks[begin : end + 1]]
                texts[-1] = texts[-1][: bead[f"{side}_end"]]
                texts[0] = texts[0][bead[f"{side}_start"] :]
                kept = "".join("".join(texts).split())
                assert kept.startswith(_squeezed([bead[f"{side}_text"]])[:20])
                assert kept.endswith(_squeezed([bead[f"{side}_text"]])[-20:])
        for sentences in covered.values():
            assert sentences == list(range(len(sentences)))


def test_pages_without_a_pair_say_why(multilingual: gristmill.Corpus, pairs: dict[str, ParallelCorpus]) -> None:
    corpus = pairs["en-de"]
    rows = list(read_rows(corpus.folder / UNPAIRED))
    paired = {url for pair in found_pairs(corpus) for url in pair}
    everybody = {document.url for document in multilingual.documents() if document.lang in {"en", "de"}}
    assert {row["url"] for row in rows} == everybody - paired
    assert all(row["reason"] for row in rows)
    assert sum(corpus.counts["unpaired"].values()) == len(rows)


def test_the_same_bytes_by_any_number_of_workers(
    multilingual: gristmill.Corpus, pairs: dict[str, ParallelCorpus], tmp_path: Path
) -> None:
    origin = _copied(multilingual, tmp_path)
    again = gristmill.build_parallel(origin, "en", "de", tmp_path / "pairs", workers=2)
    here, there = contents(again.folder), contents(pairs["en-de"].folder)
    assert here.keys() == there.keys()
    # The path to the corpus differs, and with it the entry of each shard that names it.
    assert [name for name in here if here[name] != there[name]] in (["corpus.toml", "parallel.toml"], [])


@pytest.mark.parametrize("number", range(_KILLS))
def test_killed_and_run_again(
    multilingual: gristmill.Corpus, tmp_path_factory: pytest.TempPathFactory, number: int
) -> None:
    """Killed before some change of a file, it goes on, and nothing differs from a run that was not killed."""
    folder = tmp_path_factory.mktemp("kills")
    origin = _copied(multilingual, folder)

    def made(name: str) -> object:
        return gristmill.build_parallel(origin, "de", "cs", folder / name, engine=InlineEngine())

    steps = list(some_of(len(changes_of(lambda: made("whole"), folder)), _KILLS))
    assert is_killed(lambda: made("killed"), steps[number], folder) or number == len(steps) - 1
    made("killed")
    whole, killed = (contents(folder / name) for name in ("whole", "killed"))
    assert killed.keys() == whole.keys()
    assert [name for name in whole if killed[name] != whole[name]] == []


def test_what_is_done_is_not_done_again(multilingual: gristmill.Corpus, tmp_path: Path) -> None:
    origin = _copied(multilingual, tmp_path)
    first = gristmill.build_parallel(origin, "en", "de", engine=InlineEngine())
    assert first.folder == origin / "parallel" / "en-de"
    before = {path: path.stat().st_mtime_ns for path in first.folder.rglob("*") if path.is_file()}
    gristmill.build_parallel(origin, "en", "de", engine=InlineEngine())
    assert {path: path.stat().st_mtime_ns for path in before} == before
    with pytest.raises(gristmill.UsageError, match="holds another parallel corpus"):
        gristmill.build_parallel(origin, "en", "de", min_score=0.9, engine=InlineEngine())
    with pytest.raises(gristmill.UsageError, match="holds another parallel corpus"):
        gristmill.build_parallel(origin, "en", "cs", first.folder, engine=InlineEngine())
    with pytest.raises(gristmill.UsageError, match="parallel corpus"):
        gristmill.add(first.folder, ["sample"], engine=InlineEngine())


def test_wrong_usage(multilingual: gristmill.Corpus, tmp_path: Path) -> None:
    for arguments, message in (
        (("en", "en"), "two languages"),
        (("en", "xx"), "no documents in 'xx' (it has: "),
        (("en", "de", multilingual.folder), "the corpus itself"),
        (("en", "de", _written(tmp_path / "file")), "is a file"),
        (("en", "de", _written(tmp_path / "full" / "file").parent), "not empty"),
    ):
        with pytest.raises(gristmill.UsageError) as raised:
            gristmill.build_parallel(multilingual, *arguments, engine=InlineEngine())
        assert message in str(raised.value)


def test_corpora_can_be_given_in_many_ways(multilingual: gristmill.Corpus, pairs: dict[str, ParallelCorpus]) -> None:
    folder = pairs["en-de"].folder
    for given in (str(multilingual.folder), multilingual.folder, multilingual, multilingual.reader):
        assert gristmill.build_parallel(given, "en", "de", folder, engine=InlineEngine()).folder == folder
    for wrong in (None, 5, b"corpus"):
        with pytest.raises(TypeError, match="corpus must be"):
            gristmill.build_parallel(wrong, "en", "de")  # type: ignore[arg-type]


def test_comparable_documents(multilingual: gristmill.Corpus, tmp_path: Path) -> None:
    found = multilingual.comparable("en", "de", documents=1, limit=3)
    assert len(found.rows) == 3 < found.total
    assert [row.rank for row in found.rows] == [1, 1, 1]
    dictionary = tmp_path / "words.tsv"
    dictionary.write_text("mill\tMühle\n", "utf-8")
    shown = run(
        "comparable", multilingual.folder, "en", "de", "-n", "1", "-l", "3", "--dictionary", dictionary, "--json"
    )
    record = json.loads(shown.stdout)
    assert (len(record["rows"]), record["has_dictionary"], record["total"]) == (3, True, found.total)
    plain = run("comparable", multilingual.folder, "en", "de", "-n", "1", "-l", "2", "--offset", "1")
    assert f"rows 2-3 of {found.total:,}; --limit 0 shows all" in plain.stderr.decode()
    assert ("without a dictionary" in plain.stderr.decode()) == (not found.has_dictionary)
    assert run("comparable", multilingual.folder, "en", "xx").returncode == 2
    with pytest.raises(gristmill.UsageError, match="dictionary must be a list of values"):
        multilingual.comparable("en", "de", dictionary=str(dictionary))  # type: ignore[arg-type]


def test_on_the_command_line(pairs: dict[str, ParallelCorpus], multilingual: gristmill.Corpus, tmp_path: Path) -> None:
    origin = _copied(multilingual, tmp_path)
    said = run("parallel", origin, "en", "de", cwd=tmp_path)
    assert said.returncode == 0
    assert b"pairs of pages" in said.stdout
    assert run("parallel", origin, "en", "de", "-o", "out.tmx", cwd=tmp_path).returncode == 0
    assert (tmp_path / "out.tmx").read_text("utf-8").count("<tu ") > 100
    again = run("parallel", origin, "en", "de", "-o", "out.tmx", cwd=tmp_path)
    assert (again.returncode, b"is there already" in again.stderr) == (2, True)
    lines = run("parallel", origin, "en", "de", "--sample", "20", "--balanced", cwd=tmp_path).stdout.decode()
    assert len(lines.splitlines()) == 21
    swapped = run("parallel", pairs["en-de"].folder, "de", "en", "--format", "tsv", "--beads", "1-1", cwd=tmp_path)
    assert swapped.returncode == 0
    for arguments, message in (
        ((origin, "en", "de", "--balanced"), b"is for --sample"),
        ((origin, "en", "de", "--min-score", "0.9"), b"Give -o FILE"),
        ((origin, "en", "de", "--format", "tmxx"), b"tmxx"),
        ((tmp_path / "nothing", "en", "de"), b"there is no corpus"),
    ):
        failed = run("parallel", *arguments, cwd=tmp_path)
        assert (failed.returncode, message in failed.stderr) == (2, True), failed.stderr


def _copied(corpus: gristmill.Corpus, folder: Path) -> Path:
    """A corpus that may be written to."""
    return Path(shutil.copytree(corpus.folder, folder / "corpus"))


def _written(path: Path) -> Path:
    path.parent.mkdir(exist_ok=True)
    path.write_text("something")
    return path
