"""A bootstrap can be killed at any moment: when it goes on, nothing is asked or fetched again that is stored."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from crawl_runs import Forked, on_disk
from killing import changes_of, is_killed, some_of
from localweb import TopicWeb
from searched_web import SearchedWeb

from gristmill import Config, Corpus, deduplicate
from gristmill.bootstrapping.store import ASKED, DONE, NAME, Choice, Store
from gristmill.corpus import Manifest
from gristmill.engine import InlineEngine
from gristmill.pipeline.bootstrapping import bootstrap, is_begun

WORDS = ["hornina", "minerál", "sopka", "křemen"]
KILLS = int(os.environ.get("GRISTMILL_BOOTSTRAP_KILLS", "2"))


@pytest.fixture(scope="module")
def web(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SearchedWeb]:
    with SearchedWeb(TopicWeb(2, 0.15), tmp_path_factory.mktemp("engine")) as searched:
        yield searched


@pytest.fixture(scope="module")
def reference(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Frequencies of general words, a few, as those of the language take seconds to read."""
    path = tmp_path_factory.mktemp("reference") / "words.tsv"
    path.write_text("byl\t600000\njeho\t400000\nzřídka\t110\n", "utf-8")
    return path


@pytest.fixture(scope="module")
def run(web: SearchedWeb, reference: Path) -> Callable[[Path], None]:
    """What begins a bootstrap in a folder, or goes on with it."""
    config = web.settings(
        seeds={"reference": str(reference), "count": 12},
        queries={"n": 2, "count": 5, "forms": 1, "filter_words": 0},
        addresses={"per_query": 4},
    )

    def begin_or_go_on(folder: Path) -> None:
        options: dict[str, Any] = {"access": web.access, "engine": InlineEngine()}
        if is_begun(folder):
            bootstrap(corpus=folder, **options)
        else:
            bootstrap(WORDS, folder, config, lang="cs", rounds=2, **options)

    return begin_or_go_on


@dataclass(frozen=True)
class Whole:
    """A corpus that was made without a kill, and at how many moments it could have been killed."""

    folder: Path
    transactions: int
    """The moments before the end of each transaction, and after it."""
    changes: int
    """Those before each change of a file."""


@pytest.fixture(scope="module")
def unharmed(run: Callable[[Path], None], tmp_path_factory: pytest.TempPathFactory) -> Whole:
    folder, counted = tmp_path_factory.mktemp("whole") / "corpus", tmp_path_factory.mktemp("counted") / "count"
    changes = changes_of(lambda: _killed(lambda: run(folder), None, counted), folder.parent)
    with Store(folder) as store:
        assert len(store.rounds()) == 2
        assert all(item.documents for item in store.rounds()), store.rounds()
    return Whole(folder, counted.stat().st_size, len(changes))


@pytest.fixture(scope="module")
def whole(unharmed: Whole) -> Path:
    return unharmed.folder


def test_killed_around_each_transaction(
    web: SearchedWeb, run: Callable[[Path], None], unharmed: Whole, tmp_path: Path
) -> None:
    for step in some_of(unharmed.transactions, KILLS):
        folder = tmp_path / str(step)
        web.forget()
        code = Forked(lambda: _killed(lambda: run(folder), step, tmp_path / "x"), f"step-{step}").wait()  # noqa: B023
        assert code == -signal.SIGKILL
        _check_going_on(web, run, folder, unharmed.folder)


def test_killed_before_changes_of_files(
    web: SearchedWeb, run: Callable[[Path], None], unharmed: Whole, tmp_path: Path
) -> None:
    for step in some_of(unharmed.changes, KILLS):
        folder = tmp_path / str(step)
        web.forget()
        assert is_killed(lambda: run(folder), step, tmp_path)  # noqa: B023 (it is called at once)
        _check_going_on(web, run, folder, unharmed.folder)


def _killed(action: Callable[[], object], step: int | None, counted: Path) -> None:
    """Run an action, and die at a transaction: at even steps before its end, at odd ones just after it."""
    seen = 0
    inner = Store._transaction

    def tick() -> None:
        nonlocal seen
        with counted.open("ab") as file:
            file.write(b".")
        if seen == step:
            os.kill(os.getpid(), signal.SIGKILL)
        seen += 1

    @contextmanager
    def transaction(self: Store) -> Iterator[None]:
        with inner(self):
            yield
            tick()
        tick()

    Store._transaction = transaction  # type: ignore[method-assign, assignment]
    action()


def _check_going_on(web: SearchedWeb, run: Callable[[Path], None], folder: Path, whole: Path) -> None:
    """The result is the same as without a kill, and what was stored before it was not asked for again."""
    queries, pages = _stored(folder)
    web.forget()
    run(folder)
    assert not queries.intersection(web.asked)
    assert not pages.intersection(web.fetched())
    assert _result(folder) == _result(whole)
    asked, fetched = len(web.asked), len(web.fetched())
    run(folder)
    assert (len(web.asked), len(web.fetched())) == (asked, fetched), "it has come to its end"


def _stored(folder: Path) -> tuple[set[str], set[str]]:
    """The queries that are answered, and the pages that are on disk."""
    if not (folder / NAME).exists():
        return set(), set()
    with Store(folder) as store:
        rows = store._db.execute("SELECT text FROM query WHERE state = ?", (ASKED,)).fetchall()
    return {text for (text,) in rows}, {url for crawl in folder.glob("pages/*") for url in on_disk(crawl)}


def _result(folder: Path) -> tuple[Any, ...]:
    """Words, queries, and what became of addresses; and the documents, whatever their order is."""
    with Store(folder) as store:
        rounds = [(item.number, item.stage, item.pages, item.documents, item.words) for item in store.rounds()]
        words = [store.words(number) for number, *_ in rounds]
        queries, chosen = store.queries(), [store.chosen(number) for number, *_ in rounds]
    documents = sorted(
        (page.url, page.dropped, page.text, sorted(page.attributes.items())) for page in Corpus(folder).pages()
    )
    return rounds, words, queries, chosen, documents, (folder / "topic/sample.jsonl").read_bytes()


def test_built_and_changed_by_others_before_that_was_noted(
    run: Callable[[Path], None], whole: Path, tmp_path: Path
) -> None:
    """The first build is not done again with settings that the corpus no longer has."""
    folder = tmp_path / "corpus"

    def dies() -> None:
        advance = Store.advance

        def killed(self: Store, number: int, stage: str, **figures: int) -> None:
            if stage == DONE:
                os.kill(os.getpid(), signal.SIGKILL)
            advance(self, number, stage, **figures)

        Store.advance = killed  # type: ignore[method-assign]  # in a process of its own
        run(folder)

    assert Forked(dies, "build").wait() == -signal.SIGKILL
    deduplicate(folder, "onion:n=5", engine=InlineEngine())
    run(folder)
    assert {page.url for page in Corpus(folder).pages()} == {page.url for page in Corpus(whole).pages()}


def test_a_corpus_that_was_moved_goes_on(
    web: SearchedWeb, run: Callable[[Path], None], whole: Path, tmp_path: Path
) -> None:
    """The sample of the topic, which is in the corpus, is found where the corpus is now."""
    assert '"topic:sample={corpus}/topic/sample.jsonl' in (whole / "corpus.toml").read_text("utf-8")
    begun = tmp_path / "begun"

    def dies() -> None:
        decide = Store.decide

        def killed(self: Store, number: int, choices: Iterable[Choice]) -> None:
            if number > 1:
                os.kill(os.getpid(), signal.SIGKILL)
            decide(self, number, choices)

        Store.decide = killed  # type: ignore[method-assign]  # in a process of its own
        run(begun)

    assert Forked(dies, "moved").wait() == -signal.SIGKILL
    before = Manifest.read(begun).fingerprint
    moved = begun.rename(tmp_path / "moved")
    assert Manifest.read(moved).fingerprint == before, "its index holds"
    _check_going_on(web, run, moved, whole)
    settings = Config.from_file(moved / "corpus.toml").filter.filters
    assert any(spec.startswith(f"topic:sample={moved}/topic/sample.jsonl") for spec in settings)
