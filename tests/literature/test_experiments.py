"""Experiments on corpora: figures worked by hand, figures that add up, and the same for any number of workers."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pytest
from command import run

import gristmill
from gristmill.corpus import CorpusReader
from gristmill.curves import Axis, Curve, Panel, curves_svg
from gristmill.engine import InlineEngine
from gristmill.errors import UsageError
from gristmill.literature.experiments import domains, fragments, ngrams, resemblance, stages
from gristmill.literature.experiments.domain_spread import site_of, top_level_of
from gristmill.literature.experiments.fragmentation import measured
from gristmill.literature.experiments.repeated_ngrams import labelled
from gristmill.literature.experiments.resembling_pairs import resemblances

MILL = (
    "The old mill stands where the river leaves the wood, and it has stood there for longer than anyone can tell, "
    "though the wheel has not turned since the last miller locked the door behind him and walked down to the village."
)
BAKER = (
    "Every morning before the sun is up the baker lights the oven and carries in the flour that was ground the day "
    "before, and by the time that the first children go to school there is a queue from the counter to the street."
)
FERRY = (
    "Nobody could remember a winter in which the ferry had not run, because the old man who owned it said that people "
    "who have to wait for a boat will always find another way, and then they never come back to the boat again."
)
BRIDGE = (
    "When they built the bridge they promised that the toll would be gone in ten years, and it was, but by then the "
    "town had grown used to the money and found that it could not live without it, so it came back as a fee."
)
SCHOOL = (
    "The school has forty pupils and two teachers, one of whom also leads the choir, drives the bus on Tuesdays and "
    "looks after the library that was given to the town by a man who had never read a book in his whole life."
)


def page(*paragraphs: str) -> str:
    return f"<html lang=en><title>A page</title><body>{''.join(f'<p>{text}</p>' for text in paragraphs)}</body></html>"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> CorpusReader:
    """Five pages on two hosts: a repeats within its host, d across hosts, e is an exact copy of a."""
    root = tmp_path_factory.mktemp("made")
    pages = {
        "http://a.example/1": page(MILL, BAKER),
        "http://a.example/2": page(FERRY, MILL, BRIDGE),
        "http://www.b.test/3": page(BRIDGE, SCHOOL),
        "http://www.b.test/4": page(SCHOOL),
        "http://www.b.test/5": page(MILL, BAKER),
    }
    source = root / "pages.jsonl"
    source.write_text("".join(json.dumps({"url": url, "html": html}) + "\n" for url, html in pages.items()))
    config = gristmill.Config().replace(clean_method="all").with_filters("no-length", "no-size")
    return gristmill.build([source], root / "corpus", config, engine=InlineEngine()).reader


def rows(experiment: object, name: str) -> list[dict[str, object]]:
    found: list[dict[str, object]] = experiment.to_json()[name]  # type: ignore[attr-defined]
    return found


def test_sizes_after_each_stage_add_up(corpus: gristmill.Corpus) -> None:
    found = {str(row["stage"]): row for row in rows(stages(corpus.reader), "stages")}
    names = list(found)
    assert names[:3] == ["records read", "pages read", "all text of cleaned pages"]
    last = found["after removing repeated blocks"]
    size = corpus.size
    assert (last["documents"], last["words"]) == (size["documents"], size["words"])
    assert found["pages read"]["documents"] == corpus.counts["pages"]
    assert found["after removing boilerplate"]["share"] == pytest.approx(
        found["after removing boilerplate"]["words"] / found["all text of cleaned pages"]["words"]  # type: ignore[operator]
    )
    words = [row["words"] for row in found.values() if row["words"] is not None]
    assert words == sorted(words, reverse=True)  # type: ignore[type-var]
    assert all(row["tokens"] >= row["words"] for row in found.values() if row["words"] is not None)  # type: ignore[operator]


def test_whole_copies_have_a_stage_of_their_own(made: CorpusReader) -> None:
    """Page 5 is a copy of page 1: its words go at the copies, those of blocks that are repeated at the blocks."""
    found = {str(row["stage"]): row for row in rows(stages(made), "stages")}
    words = {name: len(text.split()) for name, text in (("mill", MILL), ("baker", BAKER))}
    filtered, copies, blocks = (
        found[f"after {name}"] for name in ("other filters", "removing whole copies", "removing repeated blocks")
    )
    assert filtered["words"] - copies["words"] == words["mill"] + words["baker"]  # type: ignore[operator]
    assert (filtered["documents"], copies["documents"]) == (5, 4)
    assert blocks["words"] == sum(len(text.split()) for text in (MILL, BAKER, FERRY, BRIDGE, SCHOOL))
    assert blocks["documents"] == 3  # of page 4 nothing is left


def test_times_of_stages_are_shown(made: CorpusReader) -> None:
    assert [row["stage"] for row in rows(stages(made), "times")][:2] == ["build", "dedup"]


def test_domains(made: CorpusReader) -> None:
    """Host b.test has three pages, a.example two; of each host two pages keep some text but b.test, which keeps one."""
    found = domains(made)
    assert [(row["domain"], row["pages"]) for row in rows(found, "hosts")] == [("www.b.test", 3), ("a.example", 2)]
    assert [row["domain"] for row in rows(found, "sites")] == ["b.test", "a.example"]
    assert [(row["domain"], row["kept"]) for row in rows(found, "top_level")] == [("test", 1), ("example", 2)]
    assert [(row["pages"], row["hosts"]) for row in rows(found, "sizes")] == [(1, 0), (2, 1), (3, 1)]
    assert sum(row["kept_words"] for row in rows(found, "hosts")) == made.size["words"]  # type: ignore[misc]


@pytest.mark.parametrize(
    ("host", "top"),
    [
        ("a.co.uk", "uk"),
        ("localhost", ""),
        ("192.0.2.1", "(address)"),
        ("2001:db8::1", "(address)"),
        ("x.de.", "de"),
        ("", ""),
    ],
)
def test_top_level_domains(host: str, top: str) -> None:
    assert top_level_of(host) == top


def test_sites_are_hosts_without_www() -> None:
    assert [site_of(host) for host in ("www.a.de", "www2.a.de", "wwwa.de")] == ["a.de", "a.de", "wwwa.de"]


def test_fragments_worked_by_hand() -> None:
    owners, lengths = np.array([0, 0, 0, 1]), np.array([5, 9, 4, 7])
    some = measured(owners, lengths, np.array([True, False, True, True]))
    assert (some[0].tolist(), some[1].tolist()) == ([0, 0, 1], [5, 4, 7])
    every = measured(owners, lengths, np.ones(4, np.bool_))
    assert (every[0].tolist(), every[1].tolist()) == ([0, 1], [20, 7])
    none = measured(owners, lengths, np.zeros(4, np.bool_))
    assert (none[0].tolist(), none[1].tolist()) == ([], [])


def test_deduplication_breaks_documents(made: CorpusReader) -> None:
    """Pages 1 to 4 are one fragment each; of page 2 the middle goes, of page 3 the first block, of page 4 all.

    So 4 fragments in 4 documents become 1 + 2 + 1 in 3.
    """
    before, after = rows(fragments(made), "fragmentation")
    assert (before["documents"], before["fragments"], before["per_document"]) == (4, 4, 1.0)
    assert (after["documents"], after["fragments"], after["per_document"]) == (3, 4, pytest.approx(4 / 3))
    lengths = sorted([len(MILL) + 1 + len(BAKER), len(FERRY), len(BRIDGE), len(SCHOOL)])
    assert (after["mean"], after["median"]) == (sum(lengths) / 4, (lengths[1] + lengths[2]) / 2)


def test_ngrams_worked_by_hand() -> None:
    a, b, c = 11, 22, 33
    assert labelled(np.array([a, b, a, c, b], np.uint64), np.array([1, 1, 2, 1, 1])) == (1, 1)
    assert labelled(np.zeros(0, np.uint64), np.zeros(0, np.int64)) == (0, 0)


def test_ngrams_within_and_across_domains(made: CorpusReader) -> None:
    """The mill is on two pages of one host (page 5 is a copy, and does not count), the bridge on both hosts.

    The school is on two pages of b.test. A text of w words without punctuation has w - 9 different 10-grams.
    """
    (row,) = rows(ngrams(made, lengths=[10]), "ngrams")
    mill, bridge, school = (len(text.split()) - 9 for text in (MILL, BRIDGE, SCHOOL))
    assert (row["cross_words"], row["single_words"]) == (bridge, mill + school)
    (kept,) = rows(ngrams(made, lengths=[10], only_kept=True), "ngrams")
    assert (kept["cross_words"], kept["single_words"]) == (0, 0)
    with pytest.raises(UsageError, match="numbers from 1 on"):
        ngrams(made, lengths=[0])


def test_some_ngrams_stand_for_all(corpus: gristmill.Corpus) -> None:
    every, some = (ngrams(corpus.reader, lengths=[5], max_ngrams=most) for most in (10**9, 5000))
    assert some.facts["sampled"]["all"] > 1
    (whole,), (estimated,) = (rows(found, "ngrams") for found in (every, some))
    assert estimated["single_all"] == pytest.approx(whole["single_all"], rel=0.25)
    assert "Estimated" in some.note


def test_resemblances_worked_by_hand() -> None:
    """Documents 0: a b c, 1: b c d, 2: d. 0 and 1 share 2 of 4, 1 and 2 share 1 of 3."""
    documents, shingles = np.array([0, 0, 0, 1, 1, 1, 2]), np.array([7, 8, 9, 8, 9, 5, 5], np.uint64)
    found = [values.tolist() for values in resemblances(documents, shingles, np.array([3, 3, 1]))]
    assert found == [[0.5], [pytest.approx(1 / 3)]]
    assert not list(resemblances(np.zeros(0, np.int64), np.zeros(0, np.uint64), np.zeros(3, np.int64)))


def test_resemblance_of_pages(made: CorpusReader) -> None:
    """Pages 1 and 2 share the mill, 2 and 3 the bridge, 3 and 4 the school; all others share nothing.

    Pages 3 and 4 have s of b + s + 9 10-grams in common, where s and b are those of the school and the bridge, and 9
    go from one block to the next. That is less than a half; the copy of page 1 is not compared.
    """
    found = resemblance(made)
    bridge, school = len(BRIDGE.split()) - 9, len(SCHOOL.split()) - 9
    assert found.facts["highest"] == pytest.approx(school / (bridge + school + 9))
    assert (found.facts["compared"], found.facts["above"][0], found.facts["above"][50]) == (4, 3, 0)
    assert resemblance(made, only_kept=True).facts["above"][0] == 0
    some = resemblance(made, max_documents=2)
    assert (some.facts["documents"], some.facts["drawn"]) == (4, 2)
    with pytest.raises(UsageError, match="at least one"):
        resemblance(made, max_documents=0)


def test_any_number_of_workers_gives_the_same(tmp_path: Path) -> None:
    for name, text in (("a", MILL), ("b", BAKER), ("c", MILL)):
        (tmp_path / f"{name}.jsonl").write_text(
            json.dumps({"url": f"http://{name}.example/", "html": page(text)}) + "\n"
        )
    sources = [tmp_path / f"{name}.jsonl" for name in "abc"]
    config = gristmill.Config().with_filters("no-length", "no-size")
    made = gristmill.build(sources, tmp_path / "corpus", config, engine=InlineEngine()).reader
    one, two = ([run(made, workers=number).to_json() for run in (stages, ngrams)] for number in (1, 2))
    assert one == two


def test_a_corpus_without_pages_is_counted(tmp_path: Path) -> None:
    (tmp_path / "empty.jsonl").write_text(json.dumps({"url": "http://a.example/", "html": ""}) + "\n")
    made = gristmill.build([tmp_path / "empty.jsonl"], tmp_path / "corpus", engine=InlineEngine()).reader
    for run_it in (stages, fragments, ngrams, resemblance, domains):
        found = run_it(made)
        assert json.dumps(found.to_json())
        assert not found.panels or ET.fromstring(found.to_svg()) is not None  # noqa: S314 (our own)


def test_commands(made: CorpusReader, tmp_path: Path) -> None:
    shown = run("experiment", made.folder, "stages")
    assert b"after removing repeated blocks" in shown.stdout
    assert json.loads(run("experiment", made.folder, "fragments", "--json").stdout)["experiment"] == "fragments"
    run("experiment", made.folder, "ngrams", "--picture", tmp_path / "ngrams.svg", "-j", "1")
    assert ET.parse(tmp_path / "ngrams.svg").getroot().tag.endswith("svg")  # noqa: S314
    for name in ("domains", "resemblance"):
        assert run("experiment", made.folder, name, "-j", "1").returncode == 0
    wrong = run("experiment", made.folder, "fragment")
    assert (wrong.returncode, b"fragments" in wrong.stderr) == (2, True)
    assert run("experiment", made.folder, "domains", "--deduplicated").returncode == 2


def test_pictures_are_svg(made: CorpusReader, tmp_path: Path) -> None:
    """Another ending is refused before any work is done, and so is a folder that is not there."""
    for name, said in (("x.png", b"ends in .svg"), ("x", b"ends in .svg"), ("none/x.svg", b"no folder")):
        for command in (("experiment", made.folder, "domains"), ("evaluate", tmp_path, "--show", "coherence")):
            refused = run(*command, "--picture", tmp_path / name)
            assert (refused.returncode, said in refused.stderr, refused.stdout) == (2, True, b"")
    run("experiment", made.folder, "domains", "--picture", tmp_path / "X.SVG", "-j", "1")
    assert (tmp_path / "X.SVG").exists()


def test_what_can_not_be_drawn_or_shown_is_said_before_any_work(made: CorpusReader, tmp_path: Path) -> None:
    experiment, evaluate = ("experiment", made.folder), ("evaluate", tmp_path / "none.parquet")
    picture = ("--picture", tmp_path / "x.svg")
    for command, said in (
        ((*experiment, "stages", *picture), b"there is no picture of stages, but of domains"),
        ((*experiment, "fragments", *picture), b"there is no picture of fragments, but of domains"),
        ((*evaluate, *picture), b"--format html draws the methods"),
        ((*evaluate, "--show", "coherence", *picture), b"there is no picture of coherence, but of features"),
        ((*evaluate, "--show", "ranking", "--format", "html"), b"--show ranking writes a table or json"),
        ((*evaluate, "--show", "ranking"), b"there is no file"),
    ):
        refused = run(*command)
        assert (refused.returncode, said in refused.stderr, refused.stdout) == (2, True, b""), command
    assert not (tmp_path / "x.svg").exists()


def test_experiments_on_gold_pages_are_written_to_a_file(tmp_path: Path) -> None:
    gold = tmp_path / "gold"
    gold.mkdir()
    (gold / "a.html").write_text("<p>The mill stands where the river leaves the wood.<p><a href=/>Home</a>")
    (gold / "a.txt").write_text("The mill stands where the river leaves the wood.")
    command = ("evaluate", gold, "--show", "coherence", "-o", tmp_path / "found")
    assert run(*command).stdout == b""
    assert (tmp_path / "found").read_text().startswith("Mixed blocks\n")
    run(*command, "--json")
    assert json.loads((tmp_path / "found").read_text())["experiment"] == "coherence"


def test_pictures_of_anything() -> None:
    """Empty curves, one point, equal points, zeros on a logarithmic axis: all are pictures, and names are escaped."""
    for points in ([], [(1, 1)], [(2, 3), (2, 3)], [(0, 0), (1, 10), (2, float("nan"))]):
        for logarithmic in (False, True):
            axis = Axis("a <b>", logarithmic=logarithmic)
            svg = curves_svg("x & y", [Panel("p", axis, axis, [Curve("<c>", points)])] * 4)
            assert ET.fromstring(svg).get("aria-label") == "x & y"  # noqa: S314


def test_deviations_are_bars() -> None:
    """Two points of which one has a deviation of 1: a bar as high as the axis, from 1 to 3 (ticks are #e4e4de)."""
    panel = Panel("p", Axis("x"), Axis("y"), [Curve("c", [(0, 2), (1, 2)], deviations=[1, float("nan")])])
    root = ET.fromstring(curves_svg("x", [panel]))  # noqa: S314
    lines = [item for item in root.iter() if item.tag.endswith("line") and item.get("stroke") not in {None, "#e4e4de"}]
    bars = [item for item in lines if item.get("x1") and item.get("x1") == item.get("x2")]
    frame = [item for item in root.iter() if item.tag.endswith("rect")][1]
    assert [float(bar.get("y1", "")) - float(bar.get("y2", "")) for bar in bars] == [float(frame.get("height", ""))]


def test_dots_and_names_across() -> None:
    """A line and dots over three names: two dots of the curve and one in the key, and each name once."""
    axis = Axis("feature", names=["Length", "Window <1>", "Year"])
    curves = [Curve("mean", [(1, 0.3), (2, 0.2), (3, 0)]), Curve("de", [(1, 0.4), (3, 0.1)], dots=True)]
    panel = Panel("p", axis, Axis("merit"), curves)
    root = ET.fromstring(curves_svg("x", [panel]))  # noqa: S314
    names = {kind: [item for item in root.iter() if item.tag.endswith(kind)] for kind in ("circle", "polyline", "text")}
    assert [len(names[kind]) for kind in ("circle", "polyline")] == [3, 1]
    assert [item.text for item in names["text"]].count("Window <1>") == 1
    many = Panel("p", Axis("feature", names=["a" * 20] * 60), Axis("merit"), curves)
    assert (many.width > 60 * 12, many.bottom > panel.bottom) == (True, True)
