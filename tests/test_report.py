"""The figures of a report: they add up, are exact for any threshold, and are the same read from files or counted."""

from __future__ import annotations

import dataclasses
import itertools
import re
import shutil
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from attributed import archive, article, story
from command import run

import gristmill
from gristmill import Selection
from gristmill.corpus import Manifest
from gristmill.corpus.repetition import repetition
from gristmill.corpus.tally import tally
from gristmill.engine import InlineEngine
from gristmill.errors import GristmillError, UsageError
from gristmill.html.report import make_report
from gristmill.pipeline.reporting import count_figures
from gristmill.report.breakdown import KEYS, breakdown
from gristmill.report.copies import copies
from gristmill.report.figures import month_of
from gristmill.report.overview import overview
from gristmill.report.samples import draw_samples, reasons
from gristmill.report.storing import NAME as FIGURES
from gristmill.report.threshold import Kept, Thresholds, scores
from gristmill.report.totals import CorpusFigures
from gristmill.stages import running
from gristmill.stages.times import FILE as TIMES
from gristmill.stages.times import note_time, times_of

ENGINE = InlineEngine()
EVIL = "</script><script>alert(1)</script><img src=x onerror=alert(2)>\"'&amp;"


@pytest.fixture(scope="module")
def figures(corpus: gristmill.Corpus) -> CorpusFigures:
    return CorpusFigures(corpus.reader)


@pytest.fixture(scope="module")
def strict(tmp_path_factory: pytest.TempPathFactory) -> gristmill.Corpus:
    """The sample in two shards, with filters of pages, blocks and documents that drop a lot."""
    root = tmp_path_factory.mktemp("strict")
    archives = [root / "a.warc.gz", root / "b.warc.gz"]
    data = (Path(gristmill.__file__).parent / "sample/web.warc.gz").read_bytes()
    archives[0].write_bytes(data)
    archives[1].write_bytes(data[: len(data) // 3])
    config = gristmill.Config().replace(
        filter_filters=("status", "content-type", "foreign:run=0,share=0", "length:min=2000"),
        filter_languages=("en", "de", "cs"),
    )
    french = (
        "Le meunier disait toujours que la rivière monterait pendant la nuit, et la rivière a fait ce qu'il disait. "
    )
    (root / "c.html").write_text(f"<p>{'It was the miller who said that it would rain. ' * 60}</p><p>{french * 12}</p>")
    return gristmill.build([*archives, root / "c.html"], root / "corpus", config, engine=ENGINE)


@pytest.fixture(scope="module")
def versions(tmp_path_factory: pytest.TempPathFactory) -> gristmill.Corpus:
    """A corpus in which a page replaces an earlier version of it."""
    root = tmp_path_factory.mktemp("versions")
    archive(root / "one.warc", article("news", 1, story("mistake")))
    archive(root / "two.warc", article("news", 2, story("correction")), article("more", 1, story("ferry")))
    return gristmill.build([root / "one.warc", root / "two.warc"], root / "corpus", engine=ENGINE)


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> gristmill.Corpus:
    """A corpus of which nothing is kept."""
    root = tmp_path_factory.mktemp("empty")
    (root / "a.html").write_text("")
    return gristmill.build([root / "a.html"], root / "corpus", engine=ENGINE)


@pytest.fixture(params=["corpus", "strict", "versions", "empty"])
def some(request: pytest.FixtureRequest) -> gristmill.Corpus:
    found: gristmill.Corpus = request.getfixturevalue(request.param)
    return found


def test_the_stages_end_with_the_corpus(some: gristmill.Corpus) -> None:
    found = CorpusFigures(some.reader)
    stages = {stage.name: stage for stage in overview(found).stages}
    kept, size = stages["kept"], some.size
    assert (kept.pages, kept.blocks, kept.words) == (size["documents"], size["blocks"], size["words"])
    assert stages["records"].pages == some.counts["records"]
    assert stages["text"].blocks == some.counts["text_blocks"]
    assert stages["filters"].pages == some.counts["passed"]
    assert kept.pages == some.counts["kept"]


def test_what_a_stage_is_given_is_what_it_keeps_and_leaves_out(some: gristmill.Corpus) -> None:
    stages = overview(CorpusFigures(some.reader)).stages
    for before, after in itertools.pairwise(stages):
        assert before.pages - sum(loss.pages or 0 for loss in after.losses) == after.pages, after.name
    dropped = {loss.reason: loss.pages for stage in stages[2:] for loss in stage.losses if loss.pages}
    expected = dict(some.counts["dropped"])
    expected |= {"replaced": some.counts["replaced"]} if some.counts["replaced"] else {}
    expected |= {"duplicate": some.counts["duplicates"]} if some.counts["duplicates"] else {}
    assert dropped == expected


def test_the_strict_corpus_has_all_kinds_of_reasons(strict: gristmill.Corpus) -> None:
    """Otherwise the tests above would show little."""
    losses = {loss.reason: loss for stage in overview(CorpusFigures(strict.reader)).stages for loss in stage.losses}
    for reason in ("status", "boilerplate", "foreign", "length", "language", "duplicate"):
        loss = losses[reason]
        assert loss.pages or loss.blocks, reason
    assert losses["length"].words
    assert losses["foreign"].blocks == strict.counts["dropped_blocks"]["foreign"]


def _kept(corpus: gristmill.Corpus, selection: Selection) -> Kept:
    documents = list(corpus.documents(selection))
    return Kept(len(documents), sum(item.text_blocks for item in documents), sum(item.words for item in documents))


@pytest.mark.parametrize("threshold", [0, 0.037, 0.5, 0.812, 1])
@pytest.mark.parametrize("roles", [None, "text", "text,navigation,teaser", "all"])
def test_thresholds_are_exact(some: gristmill.Corpus, threshold: float, roles: str | None) -> None:
    selection = Selection(max_boilerplate=threshold, roles=roles, preset="none", max_duplicate=1)
    cut = Thresholds(CorpusFigures(some.reader)).cut(threshold, roles)
    assert cut.before == _kept(some, selection)


def test_a_threshold_of_the_build_gives_the_corpus(some: gristmill.Corpus) -> None:
    cut = Thresholds(CorpusFigures(some.reader)).cut(some.config.clean.max_boilerplate)
    size = some.size
    assert cut.after == Kept(size["documents"], size["blocks"], size["words"])


def test_without_filters_a_threshold_is_exact_after_de_duplication(tmp_path: Path) -> None:
    config = gristmill.Config().replace(filter_filters=())
    made = gristmill.build(["sample"], tmp_path / "corpus", config, engine=ENGINE)
    thresholds = Thresholds(CorpusFigures(made.reader))
    for threshold in (0.1, 0.3, 0.7):
        assert thresholds.cut(threshold).after == _kept(made, Selection(max_boilerplate=threshold))


def test_a_threshold_is_from_0_to_1(figures: CorpusFigures) -> None:
    thresholds = Thresholds(figures)
    with pytest.raises(UsageError, match="from 0 to 1"):
        thresholds.cut(1.5)
    with pytest.raises(UsageError, match="no role"):
        thresholds.cut(0.5, "nonsense")
    assert thresholds.cut(0.12345).max_boilerplate == 0.123


def test_the_data_of_the_slider_are_those_of_thresholds(figures: CorpusFigures) -> None:
    """As the script adds them up."""
    data, thresholds = scores(figures), Thresholds(figures)
    for step in (0, 1, 37, 50, 100):
        for roles in (None, ("text", "heading")):
            cut = thresholds.cut(step / 100, roles)
            chosen = [
                row
                for row in data["rows"]
                if row[3] <= step and (row[1] if roles is None else data["roles"][row[0]] in ("", *roles))
            ]
            assert (cut.before.blocks, cut.before.words) == (sum(r[4] for r in chosen), sum(r[5] for r in chosen))
            left = [row for row in chosen if row[2]]
            assert (cut.after.blocks, cut.after.words) == (sum(r[4] for r in left), sum(r[5] for r in left))
        assert (data["pages"][0][step], data["pages"][1][step]) == (
            thresholds.cut(step / 100).before.pages,
            thresholds.cut(step / 100).after.pages,
        )


@pytest.mark.parametrize("by", KEYS)
def test_groups_add_up(some: gristmill.Corpus, by: str) -> None:
    found = breakdown(CorpusFigures(some.reader), by, limit=500)
    assert found.total == len(found.rows)
    for name in ("blocks", "kept_blocks", "words", "kept_words"):
        assert sum(getattr(row, name) for row in found.rows) == getattr(found.sums, name)
    assert found.sums.kept_words == some.size["words"]
    if by != "role":
        assert (found.sums.pages, found.sums.kept) == (some.counts["pages"], some.counts["kept"])


def test_groups_are_those_of_the_documents(corpus: gristmill.Corpus, figures: CorpusFigures) -> None:
    by_lang = {row.value: row.kept for row in breakdown(figures, "lang", limit=500).rows if row.kept}
    assert by_lang == corpus.size["languages"]
    rows = breakdown(figures, "host", "value", descending=False, limit=3).rows
    assert [row.value for row in rows] == ["chaye.example", "crumb.example", "gazette.example"]
    shares = [row.share or 0 for row in breakdown(figures, "host", "share", limit=500).rows]
    assert shares == sorted(shares, reverse=True)
    second = breakdown(figures, "host", "value", descending=False, start=1, limit=1)
    assert [row.value for row in second.rows] == ["crumb.example"]
    assert second.total == 15


@pytest.mark.parametrize(
    ("date", "month"),
    [("2024-05-01T10:00:00Z", "2024-05"), ("2024", "2024"), ("2024-13-01", "2024"), ("20240501", ""), ("", "")],
)
def test_months_of_dates(date: str, month: str) -> None:
    assert month_of(date) == month


def test_copies_are_those_of_de_duplication(strict: gristmill.Corpus) -> None:
    found, known = copies(CorpusFigures(strict.reader), 5), repetition(strict.reader, 5)
    assert [(block.id, block.block, block.copies) for block in found.repeated] == [
        (block.document, block.block, block.copies) for block in known.repeated
    ]
    assert {host.host: (host.words, host.repeated) for host in found.hosts}.keys() <= {
        row.value for row in breakdown(CorpusFigures(strict.reader), "host", limit=500).rows
    }
    assert sum(found.where.values()) == strict.manifest.dedup["words"]["duplicate"]
    assert found.repeated[0].text


def test_hosts_that_repeat_each_other(figures: CorpusFigures) -> None:
    [pair] = copies(figures).pairs
    assert pair.hosts == ("gazette.example", "riverpost.example")
    assert pair.words == copies(figures).where["other"] > 0


def test_copies_of_whole_documents(tmp_path: Path, corpus: gristmill.Corpus) -> None:
    folder = shutil.copytree(corpus.folder, tmp_path / "corpus")
    made = gristmill.deduplicate(folder, "minhash", engine=ENGINE)
    found = copies(CorpusFigures(made.reader))
    assert sum(found.where.values()) == made.manifest.dedup["words"]["duplicate"] > 0
    assert found.where["elsewhere"] == 0


def test_copies_of_another_corpus(tmp_path: Path, corpus: gristmill.Corpus) -> None:
    folder = shutil.copytree(corpus.folder, tmp_path / "corpus")
    made = gristmill.deduplicate(folder, against=[corpus.folder], engine=ENGINE)
    assert copies(CorpusFigures(made.reader)).where["elsewhere"] > 0
    assert made.counts["kept"] == 0
    assert b"in another corpus" in (folder / "report.html").read_bytes()


def test_samples_are_of_their_reasons(strict: gristmill.Corpus) -> None:
    figures = CorpusFigures(strict.reader)
    found = draw_samples(figures, seed=3, count=4)
    pages = {document.id: document for document in strict.pages()}
    assert [item.reason for item in found] == [item.reason for item in reasons(figures)]
    units = {item.unit for item in found}
    assert units == {"block", "page", "record"}
    for item in found:
        assert len(item.samples) == min(4, item.count) or item.reason == "skipped/other", item.reason
        for sample in item.samples:
            if item.unit == "record":
                continue
            page = pages[sample.id]
            if item.unit == "page":
                assert page.dropped == item.reason
                continue
            assert sample.block is not None
            block = page.blocks[sample.block]
            assert " ".join(block.text.split()).startswith(sample.text[:40].rstrip())
            name, _, role = item.reason.partition("/")
            if name == "boilerplate":
                assert block.role == role
                assert block.score > page.max_boilerplate
            elif name == "foreign":
                assert block.dropped == "foreign"
            elif name == "kept":
                assert block.is_kept(page.max_boilerplate, page.roles)


def test_samples_depend_on_the_seed_alone(strict: gristmill.Corpus) -> None:
    figures = CorpusFigures(strict.reader)
    first = draw_samples(figures, seed=1)
    assert first == draw_samples(CorpusFigures(strict.reader), seed=1)
    assert first != draw_samples(figures, seed=2)
    [alone] = draw_samples(figures, seed=1, only=["kept"])
    assert alone == first[0]


def test_stored_figures_are_those_that_are_counted(strict: gristmill.Corpus, tmp_path: Path) -> None:
    folder = shutil.copytree(strict.folder, tmp_path / "corpus")
    stored = CorpusFigures(gristmill.Corpus(folder).reader)
    assert stored.missing() == []
    expected = make_report(stored.corpus)
    assert expected == (folder / "report.html").read_bytes()
    for path in folder.glob(f"shards/*/{FIGURES}"):
        path.unlink()
    counted = CorpusFigures(gristmill.Corpus(folder).reader)
    assert len(counted.missing()) == 3
    assert make_report(counted.corpus) == expected
    count_figures(folder, engine=ENGINE)
    assert counted.missing() == []


def test_damaged_documents_get_an_error_in_words(corpus: gristmill.Corpus, tmp_path: Path) -> None:
    folder = shutil.copytree(corpus.folder, tmp_path / "corpus")
    shard = gristmill.Corpus(folder).shards[0]
    table = pq.read_table(shard.documents)
    urls = table.schema.names.index("url")
    for damaged in (
        table.drop_columns(["max_boilerplate"]),
        table.slice(1),
        table.drop_columns(["blocks"]),
        table.set_column(urls, "url", pa.array([3] * table.num_rows)),
    ):
        pq.write_table(damaged, shard.documents)
        with pytest.raises(GristmillError):
            make_report(gristmill.Corpus(folder).reader)


@pytest.mark.parametrize("length", [0, 10, 60, 3000])
def test_damaged_figures_are_counted_again(corpus: gristmill.Corpus, tmp_path: Path, length: int) -> None:
    folder = shutil.copytree(corpus.folder, tmp_path / "corpus")
    path = folder / "shards/00000" / FIGURES
    path.write_bytes(path.read_bytes()[:length])
    assert make_report(gristmill.Corpus(folder).reader) == (folder / "report.html").read_bytes()


def test_made_up_figures_are_counted_again(corpus: gristmill.Corpus, tmp_path: Path) -> None:
    """The numbers in a file lead to places in arrays, so they must not be believed."""
    folder = shutil.copytree(corpus.folder, tmp_path / "corpus")
    path = folder / "shards/00000" / FIGURES
    data = path.read_bytes()
    for old, new in ((b"crumb.example", b"chaye.example"), (b'"hosts"', b'"ghost"'), (b'"00000"', b'"0000\xff"')):
        assert old in data
        path.write_bytes(data.replace(old, new))
        assert make_report(gristmill.Corpus(folder).reader) == (folder / "report.html").read_bytes()


def test_what_is_too_much_to_count_while_somebody_waits(corpus: gristmill.Corpus, tmp_path: Path) -> None:
    folder = shutil.copytree(corpus.folder, tmp_path / "corpus")
    (folder / "shards/00000" / FIGURES).unlink()
    with pytest.raises(GristmillError, match="run `gristmill report"):
        _ = CorpusFigures(gristmill.Corpus(folder).reader, max_bytes=1000).totals


def test_de_duplication_makes_figures_and_report_anew(corpus: gristmill.Corpus, tmp_path: Path) -> None:
    folder = shutil.copytree(corpus.folder, tmp_path / "corpus")
    before = (folder / "report.html").read_bytes()
    made = gristmill.deduplicate(folder, "exact", engine=ENGINE)
    after = (folder / "report.html").read_bytes()
    assert before != after
    assert CorpusFigures(made.reader).missing() == []
    assert overview(CorpusFigures(made.reader)).stages[-1].words == made.size["words"]


def test_an_addition_counts_new_shards_only(versions: gristmill.Corpus, tmp_path: Path) -> None:
    folder = shutil.copytree(versions.folder, tmp_path / "corpus")
    before = {path: path.stat().st_mtime_ns for path in folder.glob(f"shards/*/{FIGURES}")}
    archive(tmp_path / "three.warc", article("news", 3, story("end")))
    made = gristmill.add(folder, tmp_path / "three.warc", engine=ENGINE)
    figures = CorpusFigures(made.reader)
    assert figures.missing() == []
    assert overview(figures).stages[-1].words == made.size["words"]
    changed = [path.parent.name for path, time in before.items() if path.stat().st_mtime_ns != time]
    assert changed == ["00001"]  # a page of it is replaced now


def test_the_report_is_the_same_byte_by_byte_wherever_the_corpus_is(corpus: gristmill.Corpus, tmp_path: Path) -> None:
    other = gristmill.build(["sample"], tmp_path / "elsewhere", workers=2)
    assert (other.folder / "report.html").read_bytes() == (corpus.folder / "report.html").read_bytes()


def test_hostile_text_is_escaped(tmp_path: Path) -> None:
    page = f"<title>{EVIL}</title><body><p>{'The miller said so, and so it was done. ' * 20}{EVIL.replace('<', '&lt;')}"
    (tmp_path / "pages").mkdir()
    for number in range(3):
        (tmp_path / "pages" / f"{number}<script>alert(3)<script>.html").write_text(page)
    made = gristmill.build([tmp_path / "pages"], tmp_path / EVIL.replace("/", ""), engine=ENGINE)
    text = make_report(made.reader, made.folder.name).decode()
    assert "The miller said so" in text
    assert "&lt;script&gt;alert" in text
    assert len(re.findall(r"<script", text)) == 2  # the data of the slider, and the script
    assert "<img" not in text
    assert text.count("</script>") == 2


def test_a_report_stands_alone(figures: CorpusFigures) -> None:
    text = make_report(figures.corpus, "sample").decode()
    assert not re.findall(r'(?:src|href)="(?!#)', text)
    assert "url(" not in text
    assert "@import" not in text
    assert "Report of sample" in text
    assert str(figures.corpus.folder) not in text


def test_command(corpus: gristmill.Corpus, tmp_path: Path) -> None:
    folder = shutil.copytree(corpus.folder, tmp_path / "corpus")
    written = (folder / "report.html").read_bytes()
    (folder / "report.html").unlink()
    (folder / "shards/00000" / FIGURES).unlink()
    assert run("report", folder).returncode == 0
    assert (folder / "report.html").read_bytes() == written
    assert (folder / "shards/00000" / FIGURES).exists()
    done = run("report", folder, "-o", tmp_path / "x.html")
    assert done.returncode == 0
    assert b"Report of corpus" in (tmp_path / "x.html").read_bytes()
    assert run("report", folder, "-o", tmp_path / "no" / "x.html").returncode == 2
    assert run("report", tmp_path / "nothing").returncode == 2


def test_a_corpus_of_other_shards_is_stale(versions: gristmill.Corpus, tmp_path: Path) -> None:
    """Figures of one shard are not taken for those of another one."""
    folder = shutil.copytree(versions.folder, tmp_path / "corpus")
    shutil.copy(folder / "shards/00000" / FIGURES, folder / "shards/00001" / FIGURES)
    assert [shard.name for shard in CorpusFigures(gristmill.Corpus(folder).reader).missing()] == ["00001"]
    [stage] = [stage for stage in gristmill.status(folder).stages if stage.name == "report"]
    assert stage.named("stale") == ["00001"]
    assert stage.command == f"gristmill report {folder}"


def test_many_shards_are_added_up(corpus: gristmill.Corpus, tmp_path: Path) -> None:
    folder = shutil.copytree(corpus.folder, tmp_path / "corpus")
    manifest = Manifest.read(folder)
    for number in range(1, 30):
        shutil.copytree(folder / "shards/00000", folder / "shards" / f"{number:05d}")
        manifest.entries.append(dataclasses.replace(manifest.entries[0], name=f"{number:05d}"))
    manifest.finish(tally(manifest.shards), {})
    many = CorpusFigures(gristmill.Corpus(folder).reader)
    assert many.missing() == []
    assert overview(many).stages[-1].words == 30 * corpus.size["words"]
    assert copies(many).where["same"] == 30 * copies(CorpusFigures(corpus.reader)).where["same"]
    assert all(item.samples for item in draw_samples(many) if item.reason != "skipped/other")


def test_times_of_stages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRISTMILL_HOME", str(tmp_path / "home"))
    (tmp_path / "a.html").write_text("<p>" + "The miller said so, and so it was done. " * 20)
    made = gristmill.build([tmp_path / "a.html"], tmp_path / "corpus", engine=ENGINE)
    assert [time.stage for time in times_of(made.folder)] == ["build", "dedup", "report"]
    assert times_of(tmp_path / "other") == []
    gristmill.deduplicate(made.folder, engine=ENGINE)  # the same again, so the figures stay
    assert [time.stage for time in times_of(made.folder)] == ["build", "report", "dedup"]
    with (tmp_path / "home" / TIMES).open("ab") as file:
        file.write(b'{"corpus": 3}\n[]\n{"half')
    note_time(made.folder, "index", 1.5, 1, 2)
    assert len(times_of(made.folder)) == 3  # the line behind the half one is lost with it
    note_time(made.folder, "index", 1.5, 1, 2)
    last = times_of(made.folder)[-1]
    assert (last.stage, last.seconds, last.done, last.units) == ("index", 1.5, 1, 2)


def test_times_are_forgotten_in_the_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRISTMILL_HOME", str(tmp_path))
    (tmp_path / TIMES).write_text('{"corpus": "x"}\n' * 20_000)
    note_time(tmp_path / "corpus", "index", 1, 1, 1)
    assert (tmp_path / TIMES).stat().st_size < 200_000
    assert times_of(tmp_path / "corpus")


def test_times_that_can_not_be_written_are_no_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("GRISTMILL_HOME", str(tmp_path / "file"))
    note_time(tmp_path, "index", 1, 1, 1)
    assert times_of(tmp_path) == []
    with running(tmp_path / "corpus", engine=ENGINE):
        pass


def test_a_report_of_no_corpus_says_so(tmp_path: Path) -> None:
    ran = run("report", tmp_path / "nothing")
    assert ran.returncode == 2
    assert b"there is no corpus in" in ran.stderr
