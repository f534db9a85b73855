"""Every command that writes can be killed at any moment: run again, it gives the same result and no other files."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from command import run
from killing import changes_of, contents, is_killed, some_of

import gristmill
from gristmill import Config, Corpus, Selection, annotate, deduplicate, index
from gristmill.archive.writer import WarcWriter
from gristmill.consent import Named, allow
from gristmill.corpus.formats import FORMATS
from gristmill.drafts import Draft, temporary_name
from gristmill.engine import InlineEngine
from gristmill.errors import GristmillError, UsageError
from gristmill.evaluation.training import Model
from gristmill.html.report import make_report
from gristmill.pipeline import add, build, run_watches, sort_archives, unwatch, watch
from gristmill.pipeline.reporting import count_figures
from gristmill.search.watch.watches import TEXT, read_watches
from gristmill.shards import exclusive, write_atomically

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs to fork")

MOST = int(os.environ.get("GRISTMILL_KILLS", "3"))
"""The number of moments at which each command is killed; there are up to some hundred."""
ENGINE = InlineEngine()
FORMS = Config().replace(annotate_taggers=("forms",))
ENGLISH, CZECH = Selection(languages=("en",)), Selection(languages=("cs",))


@dataclass(frozen=True)
class Sites:
    """Pages to build from, and to add, and corpora that were made of them."""

    first: Path
    more: Path
    later: Path
    corpora: Path


def _page(folder: Path, subject: str) -> None:
    text = " ".join(
        (
            f"In chapter {number} the {subject} stood by the river, a {subject} that every other {subject} in the "
            f"land was built after."
        )
        for number in range(1, 9)
    )
    folder.mkdir(exist_ok=True)
    (folder / f"{subject}.html").write_text(f"<html lang=en><body><p>{text}</p></body></html>", "utf-8")


@pytest.fixture(scope="module")
def sites(tmp_path_factory: pytest.TempPathFactory) -> Sites:
    root = tmp_path_factory.mktemp("sites")
    made = Sites(root / "first", root / "more", root / "later", root / "corpora")
    for folder, subject in [(made.first, "mill"), (made.first, "bridge"), (made.more, "tower"), (made.more, "mill")]:
        _page(folder, subject)
    for subject in ("tower", "well"):
        _page(made.later, subject)
    (made.corpora / "nothing").mkdir(parents=True)
    built = build(made.first, made.corpora / "built/corpus", FORMS, engine=ENGINE).folder
    _changed(built, made.corpora / "two", lambda corpus: add(corpus, made.more, engine=ENGINE))
    two = made.corpora / "two/corpus"
    _changed(two, made.corpora / "annotated", lambda corpus: annotate(corpus, engine=ENGINE))
    _changed(
        made.corpora / "annotated/corpus", made.corpora / "indexed", lambda corpus: index(corpus, CZECH, engine=ENGINE)
    )
    _changed(
        made.corpora / "indexed/corpus",
        made.corpora / "stale",
        lambda corpus: deduplicate(corpus, "onion:n=6", engine=ENGINE),
    )
    _changed(built, made.corpora / "searched", lambda corpus: index(corpus, engine=ENGINE))
    _changed(
        made.corpora / "searched/corpus", made.corpora / "grown", lambda corpus: add(corpus, made.more, engine=ENGINE)
    )
    _changed(made.corpora / "grown/corpus", made.corpora / "segments", lambda corpus: index(corpus, engine=ENGINE))
    _changed(two, made.corpora / "without n-grams", lambda corpus: shutil.rmtree(corpus / "ngrams"))
    _changed(two, made.corpora / "minhash", lambda corpus: deduplicate(corpus, "minhash", engine=ENGINE))
    _changed(built, made.corpora / "watched", _watch_two)
    _changed(two, made.corpora / "asked", _watch_two_and_run)
    return made


def _changed(before: Path, after: Path, change: Callable[[Path], object]) -> None:
    shutil.copytree(before, after / "corpus")
    change(after / "corpus")


def _watch_two(corpus: Path) -> None:
    watch(corpus, "mill that", name="mill", everything=True)
    watch(corpus, "tower", name="tower")


def _watch_two_and_run(corpus: Path) -> None:
    _watch_two(corpus)
    run_watches(corpus, engine=ENGINE)


@dataclass(frozen=True)
class Command:
    """What is done to a folder that holds a corpus in some state; and what is done if it was killed."""

    state: str
    run: Callable[[Path, Sites], object]
    again: Callable[[Path, Sites], object] | None = None


def _export(name: str) -> Command:
    return Command("annotated", lambda work, _: gristmill.export(Corpus(work / "corpus"), work / name))


def _export_folder(work: Path, _: Sites) -> None:
    gristmill.export(work / "corpus", work / "x", "jsonl.zst", shard_size=500)


def _export_folder_again(work: Path, sites: Sites) -> None:
    try:
        _export_folder(work, sites)
    except UsageError as error:
        assert "x is there already" in str(error)  # noqa: PT017 (it may also have to be filled yet)


def _replace_folder(work: Path, _: Sites) -> None:
    (work / "x").mkdir(exist_ok=True)
    (work / "x" / "00000.jsonl").touch()
    gristmill.export(work / "corpus", work / "x", "jsonl.zst", shard_size=500, force=True)


def _unwatch_again(work: Path, _: Sites) -> None:
    try:
        unwatch(work / "corpus", "mill")
    except UsageError as error:
        assert "no watch 'mill'" in str(error)  # noqa: PT017 (it may also have to be removed yet)


def _watch_again(work: Path, _: Sites) -> None:
    try:
        watch(work / "corpus", "river", everything=True)
    except UsageError as error:
        assert "already" in str(error)  # noqa: PT017 (it may also have to be added yet)
    run_watches(work / "corpus", engine=ENGINE)


def _watch(work: Path, _: Sites) -> None:
    watch(work / "corpus", "river", everything=True)
    run_watches(work / "corpus", engine=ENGINE)


def _save_model(work: Path, _: Sites) -> None:
    Model({"weights": np.arange(5)}, {"method": "none"}).save_with_card(work / "models", "none")


def _stop_list(work: Path, _: Sites) -> None:
    assert run("stoplist", "--from", work / "corpus", "-o", work / "lists/en.stoplist.txt").returncode == 0


def _compare(work: Path, _: Sites) -> None:
    assert run("duplicates", work / "corpus", "00001-000000", "--html", work / "compared.html").returncode == 0


def _report(work: Path, _: Sites) -> None:
    for path in (work / "corpus").glob("shards/*/figures.arrays"):
        path.unlink()
    (work / "corpus/report.html").unlink(missing_ok=True)
    count_figures(work / "corpus", engine=ENGINE)
    write_atomically(work / "corpus/report.html", make_report(Corpus(work / "corpus").reader))


def _allow(work: Path, _: Sites) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GRISTMILL_HOME", str(work / "settings"))
        patch.setattr(sys.modules[allow.__module__], "_allowed", {})
        allow([Named("program", "/bin/tagger")])


def _add_and_merge(work: Path, sites: Sites) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("gristmill.search.index.compaction.MERGE_FACTOR", 2)
        add(work / "corpus", sites.more, engine=ENGINE)


def _archives(sites: Sites) -> list[Path]:
    """Make two archives, if they are not there, each with all pages of a folder and a request for each."""
    made = [sites.first.with_suffix(".warc.gz"), sites.more.with_suffix(".warc.gz")]
    for path, folder in zip(made, (sites.first, sites.more), strict=True):
        if not path.exists():
            with path.open("wb") as file, WarcWriter(file) as writer:
                for page in sorted(folder.iterdir()):
                    url = f"http://{page.stem}.example/{folder.name}"
                    writer.write_response(url, "2026-01-01T00:00:00Z", 200, {}, page.read_bytes())
                    writer.write_revisit(f"{url}/2", "2026-01-01T00:00:00Z", url)
    return made


def _build_archives_by_site(work: Path, sites: Sites) -> None:
    build(_archives(sites), work / "corpus", FORMS.replace(clean_method="site-diff"), engine=ENGINE)


def _sort_archives(work: Path, sites: Sites) -> None:
    sort_archives(_archives(sites), work / "sorted", archive_bytes=1, engine=ENGINE)


COMMANDS = {
    "build": Command(
        "nothing", lambda work, sites: build([sites.first, sites.more], work / "corpus", FORMS, engine=ENGINE)
    ),
    "build by site": Command(
        "nothing",
        lambda work, sites: build(
            [sites.first], work / "corpus", FORMS.replace(clean_method="site-diff"), engine=ENGINE
        ),
    ),
    "build by site, of two shards": Command("nothing", _build_archives_by_site),
    "sort archives": Command("nothing", _sort_archives),
    "add": Command("built", lambda work, sites: add(work / "corpus", sites.more, engine=ENGINE)),
    "add, to what was added": Command("two", lambda work, sites: add(work / "corpus", sites.later, engine=ENGINE)),
    "add, without n-grams": Command(
        "without n-grams", lambda work, sites: add(work / "corpus", sites.later, engine=ENGINE)
    ),
    "add, by minhash": Command("minhash", lambda work, sites: add(work / "corpus", sites.later, engine=ENGINE)),
    "add, with watches": Command("watched", lambda work, sites: add(work / "corpus", sites.more, engine=ENGINE)),
    "dedup": Command("two", lambda work, _: deduplicate(work / "corpus", "onion:n=5", engine=ENGINE)),
    "dedup minhash": Command("two", lambda work, _: deduplicate(work / "corpus", "minhash", engine=ENGINE)),
    "dedup exact": Command("two", lambda work, _: deduplicate(work / "corpus", "exact", engine=ENGINE)),
    "annotate": Command("two", lambda work, _: annotate(work / "corpus", engine=ENGINE)),
    "annotate otherwise": Command(
        "annotated", lambda work, _: annotate(work / "corpus", ["en=simplemma"], engine=ENGINE)
    ),
    "index": Command("annotated", lambda work, _: index(work / "corpus", engine=ENGINE)),
    "index a selection": Command("indexed", lambda work, _: index(work / "corpus", ENGLISH, engine=ENGINE)),
    "search, with an index of before": Command("stale", lambda work, _: Corpus(work / "corpus").search("mill")),
    "search, after an addition": Command("grown", lambda work, _: Corpus(work / "corpus").search("mill")),
    "index, after an addition": Command("grown", lambda work, _: index(work / "corpus", engine=ENGINE)),
    "index and merge": Command("grown", lambda work, _: index(work / "corpus", engine=ENGINE, compact=True)),
    "merge": Command("segments", lambda work, _: index(work / "corpus", engine=ENGINE, compact=True)),
    "add, and merge": Command("segments", _add_and_merge),
    "watch add": Command("two", _watch, _watch_again),
    "watch remove": Command("asked", lambda work, _: unwatch(work / "corpus", "mill"), _unwatch_again),
    "watch run": Command("watched", lambda work, _: run_watches(work / "corpus", engine=ENGINE)),
    "train": Command("nothing", _save_model),
    "stoplist": Command("built", _stop_list),
    "duplicates": Command("two", _compare),
    "report": Command("two", _report),
    "trust": Command("nothing", _allow),
    **{f"export {name}": _export(f"x{made.suffixes[0]}") for name, made in FORMATS.items()},
    "export gz": _export("x.txt.gz"),
    "export zst": _export("x.vert.zst"),
    "export folder": Command("annotated", _export_folder, _export_folder_again),
    "export folder by force": Command("annotated", _replace_folder),
}


@pytest.mark.parametrize("name", COMMANDS)
def test_killed_and_run_again(name: str, sites: Sites, tmp_path: Path) -> None:
    command = COMMANDS[name]
    before = sites.corpora / command.state
    whole = shutil.copytree(before, tmp_path / "whole")
    changes = len(changes_of(lambda: command.run(whole, sites), tmp_path))
    expected = contents(whole)
    assert not [path for path in expected if path.endswith((".tmp", ".lock"))]
    assert changes > 1
    for step in some_of(changes, MOST):
        work = shutil.copytree(before, tmp_path / str(step))
        assert is_killed(lambda: command.run(work, sites), step, tmp_path)  # noqa: B023 (it is called at once)
        (command.again or command.run)(work, sites)
        found = contents(work)
        assert sorted(found) == sorted(expected), step
        assert found == expected, step
        shutil.rmtree(work)


def _killed(
    command: Callable[[Path], object], before: Path, folder: Path, after: str = "", most: int = MOST
) -> Iterator[Path]:
    """What a command leaves that is killed, from a change on, at all moments or some."""
    whole = shutil.copytree(before, folder / "whole")
    changes = [change.replace(f"{whole}/", "") for change in changes_of(lambda: command(whole), folder)]
    first = next(number for number, change in enumerate(changes) if change.startswith(after))
    for step in some_of(len(changes) - first, most):
        work = shutil.copytree(before, folder / str(step))
        assert is_killed(lambda: command(work), first + step, folder)  # noqa: B023 (as above)
        yield work
        shutil.rmtree(work)


@pytest.mark.parametrize("after", ["", "os.rename corpus/index/index.toml"])
def test_an_index_keeps_its_selection(sites: Sites, tmp_path: Path, after: str) -> None:
    """Made anew, because the corpus has changed, it is over what it was of, whenever that is interrupted."""
    for work in _killed(lambda work: Corpus(work / "corpus").search("mill"), sites.corpora / "stale", tmp_path, after):
        assert Corpus(work / "corpus").index.selection == CZECH
        assert not list((work / "corpus").glob("*.tmp"))


def test_an_index_of_another_selection_is_the_old_or_the_new_one(sites: Sites, tmp_path: Path) -> None:
    """A new card takes the place of the old one, and then what is left is removed."""

    def index_english(work: Path) -> None:
        index(work / "corpus", ENGLISH, engine=ENGINE)

    found = [
        Corpus(work / "corpus").index.selection
        for work in _killed(index_english, sites.corpora / "indexed", tmp_path, "os.rename corpus/index/index.toml", 12)
    ]
    assert found == [CZECH, *[ENGLISH] * 11]


def _names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def test_a_report_is_the_old_one_or_the_new_one(sites: Sites, tmp_path: Path) -> None:
    """A report has times in it, so no two are the same."""
    pairs = shutil.copytree(sites.first, tmp_path / "pairs")
    (pairs / "mill.txt").write_text("In chapter 1 the mill stood by the river", "utf-8")

    def evaluate(work: Path) -> None:
        assert run("evaluate", pairs, "--method", "all", "--html", work / "report.html").returncode == 0

    (tmp_path / "before").mkdir()
    (tmp_path / "before/report.html").write_bytes(b"old")
    for work in _killed(evaluate, tmp_path / "before", tmp_path):
        assert (work / "report.html").read_bytes() == b"old"
        evaluate(work)
        assert list(contents(work)) == ["report.html"]
        assert (work / "report.html").read_bytes().endswith(b"</html>\n")


def test_a_removed_watch_leaves_nothing_to_a_new_one(sites: Sites, tmp_path: Path) -> None:
    """Whatever is done after the kill: a new one of the same name has its own lines only, and all of them."""
    for work in _killed(lambda work: unwatch(work / "corpus", "mill"), sites.corpora / "asked", tmp_path, most=100):
        corpus = work / "corpus"
        if "mill" in [watch.name for watch in read_watches(corpus)]:
            unwatch(corpus, "mill")
        added = watch(corpus, "bridge that", name="mill", everything=True)
        assert list(added.lines()) == []
        run_watches(corpus, engine=ENGINE)
        lines = (added.folder / TEXT).read_text("utf-8").splitlines()
        assert len(lines) == 8
        assert all("<bridge that>" in line for line in lines)


def test_lines_that_were_found_are_published_by_the_next_run(sites: Sites, tmp_path: Path) -> None:
    """Also if nothing is left to ask, and if somebody has deleted them."""
    corpus = shutil.copytree(sites.corpora / "asked/corpus", tmp_path / "corpus")
    whole = contents(corpus / "watches")
    for name in ("lines.txt", "feed.xml"):
        (corpus / "watches/mill" / name).unlink()
        assert run_watches(corpus, engine=ENGINE) == {"mill": 0, "tower": 0}
        assert contents(corpus / "watches") == whole
    (corpus / "watches/tower/lines.txt").write_bytes(b"")
    add(corpus, sites.more, engine=ENGINE)
    assert contents(corpus / "watches") == whole


def test_what_was_left_of_a_run_with_more_buckets_is_removed(sites: Sites, tmp_path: Path) -> None:
    """The index of n-grams is taken away before the run is begun that makes it anew, not after."""
    for step in range(6, 18):  # about then
        work = shutil.copytree(sites.corpora / "two", tmp_path / str(step))
        (work / "corpus/ngrams/00000-00001").mkdir()
        (work / "corpus/ngrams/00000-00001/00001").write_bytes(b"of a larger corpus")
        assert is_killed(lambda: deduplicate(work / "corpus", "onion:n=5", engine=ENGINE), step, tmp_path)  # noqa: B023 (as above)
        deduplicate(work / "corpus", "onion:n=5", engine=ENGINE)
        assert _names(work / "corpus/ngrams") == {"00000-00001", "ngrams.json"}
        assert _names(work / "corpus/ngrams/00000-00001") == {"00000", "blocks", "documents"}


def test_what_another_method_had_put_aside_is_removed(sites: Sites, tmp_path: Path) -> None:
    work = shutil.copytree(sites.corpora / "two", tmp_path / "work")
    assert is_killed(lambda: deduplicate(work / "corpus", "onion:n=5", engine=ENGINE), 60, tmp_path)
    assert (work / "corpus/dedup").exists()
    deduplicate(work / "corpus", "exact", engine=ENGINE)
    assert not (work / "corpus/dedup").exists()


def test_what_a_living_process_writes_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "x.txt"
    dead, mine = temporary_name(path), tmp_path / "x.txt.y.tmp"
    for file in (dead, mine, tmp_path / "y.txt.1.tmp"):
        file.write_bytes(b"half")
    with Draft(path) as draft:
        os.write(draft.descriptor, b"slowly")
        (living,) = tmp_path.glob(f"x.txt.*-{os.getpid()}-*.tmp")
        write_atomically(path, b"at once")
        assert living.read_bytes() == b"slowly"
    assert path.read_bytes() == b"slowly"
    assert _names(tmp_path) == {"x.txt", "x.txt.y.tmp", "y.txt.1.tmp"}


def test_a_folder_of_the_users_own_is_left_alone(sites: Sites, tmp_path: Path) -> None:
    """Whatever it is called: temporary names are none that a user would choose."""
    corpus = shutil.copytree(sites.corpora / "annotated/corpus", tmp_path / "corpus")
    for name in ("x.tmp", "x.old.tmp", "x.lock.tmp"):
        (tmp_path / name).mkdir()
    gristmill.export(corpus, tmp_path / "x", "jsonl", shard_size=500)
    assert _names(tmp_path) == {"corpus", "x", "x.toml", "x.tmp", "x.old.tmp", "x.lock.tmp"}


def test_two_commands_at_once(tmp_path: Path) -> None:
    with exclusive(tmp_path):
        with pytest.raises(GristmillError, match="another command is writing"), exclusive(tmp_path):
            pytest.fail("both are in")
        assert _names(tmp_path) == {".lock"}
    assert _names(tmp_path) == set()


def test_a_lock_goes_with_its_process(tmp_path: Path) -> None:
    def die() -> None:
        with exclusive(tmp_path):
            (tmp_path / "begun").touch()
            (tmp_path / "more").touch()

    assert is_killed(die, 6, tmp_path)  # its folder, the lock in four steps, and one file are there
    assert _names(tmp_path) == {".lock", "begun"}
    with exclusive(tmp_path):
        pass
    assert _names(tmp_path) == {"begun"}
