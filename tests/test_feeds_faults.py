"""Runs of feeds that were killed go on whatever happened meanwhile: to the corpus, its files, the clock, servers."""

from __future__ import annotations

import os
import shutil
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from crawl_runs import Forked
from newspaper import Newspaper, newspaper

import gristmill
from gristmill.crawling import CrawlConfig
from gristmill.engine import InlineEngine
from gristmill.feeds.store import Store
from gristmill.fetching.access import Access
from gristmill.pipeline import FeedsRun, feeding
from gristmill.pipeline.feed_runs import MAX_TRIES, Run, Tries
from gristmill.pipeline.replacing import Replacing
from gristmill.search.watch.schedule import is_due

ACCESS = Access(networks=("127.0.0.0/16",))
QUICK = CrawlConfig().replace(
    {
        "fetch": {"min_bytes": 0},
        "manners": {"delay": 0.0, "ip_delay": 0.0, "answer_delay": 0.0, "retries": 2, "back_off": 0.0},
    }
)
DAY = 86_400.0
HOUR = 3_600.0
START = 20_000 * DAY
OTHER = "<html lang=en><title>Other</title><body><h1>Other</h1>" + "".join(
    f"<p>There was a ship with number {number} in the harbour, and the captain had never seen the like of it.</p>"
    for number in range(12)
)


@pytest.fixture
def paper() -> Iterator[Newspaper]:
    with newspaper() as served:
        served.print("mill")
        served.print("bridge")
        yield served


@pytest.fixture
def corpus(paper: Newspaper, tmp_path: Path) -> Path:
    gristmill.follow(tmp_path / "corpus", paper.feed, discover=False, now=START)
    return tmp_path / "corpus"


def run(corpus: Path, days: float = 0, **options: Any) -> FeedsRun:
    return gristmill.run_feeds(
        corpus, access=ACCESS, crawl=QUICK, engine=InlineEngine(), clock=lambda: START + days * DAY, **options
    )


def documents(corpus: Path) -> list[str]:
    return sorted(document.url.rpartition("/")[2] for document in gristmill.Corpus(corpus).documents())


def die(*_: object) -> Any:
    os.kill(os.getpid(), signal.SIGKILL)


def killed_at(place: type, name: str, corpus: Path, days: float = 0) -> None:
    """Run the feeds in a process of its own, which dies when it calls a method."""

    def action() -> None:
        setattr(place, name, die)
        run(corpus, days)

    assert Forked(action, f"{corpus} {name}").wait() == -signal.SIGKILL


def dedup(corpus: Path, _folder: Path) -> None:
    gristmill.deduplicate(corpus, "onion:n=5", engine=InlineEngine())


def add(corpus: Path, folder: Path) -> None:
    (folder / "other.html").write_text(OTHER)
    gristmill.add(corpus, folder / "other.html", engine=InlineEngine())


@pytest.mark.parametrize("change", [dedup, add])
def test_a_first_build_that_others_changed_before_it_was_marked(
    corpus: Path, paper: Newspaper, tmp_path: Path, change: Callable[[Path, Path], None]
) -> None:
    killed_at(feeding._Building, "_settled", corpus)
    change(corpus, tmp_path)
    assert run(corpus).articles.articles == 2
    assert [name for name in documents(corpus) if name.endswith("-1")] == ["bridge-1", "mill-1"]
    paper.print("school")
    run(corpus, 1)
    assert "school-1" in documents(corpus)
    assert {paper.asked[f"/{name}-1"] for name in ("mill", "bridge", "school")} == {1}


def test_articles_that_are_being_added_stay_as_they_are(
    corpus: Path, paper: Newspaper, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Raw pages that are gone are not asked for again, and the articles are not made again, maybe otherwise."""
    run(corpus)
    paper.print("school")
    killed_at(Replacing, "work", corpus, 1)
    left = Run.under_way(corpus)
    assert left is not None
    assert left.found is not None
    before = left.articles.read_bytes()
    shutil.rmtree(left.fetched)
    monkeypatch.setattr(feeding, "gather", die)
    assert run(corpus, 1).articles.articles == 1
    assert left.articles.read_bytes() == before
    assert documents(corpus) == ["bridge-1", "mill-1", "school-1"]
    assert paper.asked["/school-1"] == 1


def test_articles_that_are_gone_are_made_again(corpus: Path, paper: Newspaper) -> None:
    killed_at(Replacing, "work", corpus)
    shutil.rmtree(corpus / "pages")
    run(corpus)
    assert documents(corpus) == ["bridge-1", "mill-1"]
    assert paper.asked["/mill-1"] == 1


def test_a_corpus_that_was_moved_meanwhile(corpus: Path, paper: Newspaper, tmp_path: Path) -> None:
    run(corpus)
    paper.print("school")
    killed_at(Replacing, "work", corpus, 1)
    moved = corpus.rename(tmp_path / "moved")
    run(moved, 1)
    assert documents(moved) == ["bridge-1", "mill-1", "school-1"]
    assert paper.asked["/school-1"] == 1


def test_a_clock_that_goes_back(corpus: Path, paper: Newspaper) -> None:
    run(corpus, 4_000)
    paper.print("school")
    assert run(corpus).polled.new == 1
    assert documents(corpus) == ["bridge-1", "mill-1", "school-1"]
    assert run(corpus).polled.asked == 0


def test_digests_after_a_clock_that_goes_back() -> None:
    assert is_due("daily", START + 400 * DAY, START)
    assert not is_due("daily", START + HOUR, START)
    assert not is_due("weekly", START, START + 6 * DAY)
    assert is_due("weekly", START, START + 7 * DAY)


def test_pages_of_busy_servers_are_tried_for_days(tmp_path: Path) -> None:
    """However often the feeds are run, an item is not given up after some hours."""
    (tmp_path / "fetched").mkdir()
    item, tried = ("key", 1), []
    for hour in range(24 * 10):
        now = START + hour * HOUR
        tries = Tries(tmp_path)
        if tries.is_due(item, now):
            run_of = Run.begin(tmp_path, now, [], first=False)
            tried.append(hour)
            if not tries.failed(item, run_of.name):
                break
            tries.settle([])
    assert len(tried) == MAX_TRIES
    assert tried[1] == 1
    assert tried[-1] > 40
    assert Tries(tmp_path).is_due(item, START - 400 * DAY)


def test_a_server_that_wants_to_be_left_alone_holds_nobody_up(corpus: Path, paper: Newspaper) -> None:
    run(corpus)
    paper.print("school")
    paper.print("market")
    paper.busy["/school-1"] = 50_000
    found = run(corpus, 1)
    assert (found.again, paper.asked["/school-1"] + paper.asked["/market-1"]) == (2, 1)
    paper.busy.clear()
    run(corpus, 2)
    assert documents(corpus) == ["bridge-1", "market-1", "mill-1", "school-1"]


def test_a_server_whose_rules_can_not_be_read_for_a_while(corpus: Path, paper: Newspaper) -> None:
    """Then nothing is asked of it, and nothing of it is lost."""
    run(corpus)
    paper.print("school")
    paper.print("market")
    with Store(corpus / "feeds.sqlite") as store:  # so that the feed is asked for
        known = dict(store.robots)
    paper.broken.add("/robots.txt")
    assert (len(known), run(corpus, 1).again) == (1, 2)
    assert paper.asked["/school-1"] + paper.asked["/market-1"] == 0
    paper.broken.clear()
    run(corpus, 2)
    assert documents(corpus) == ["bridge-1", "market-1", "mill-1", "school-1"]


@pytest.mark.parametrize("text", ["[]", '{"a 1": 1}', '{"a 1": ["../x"]}', '{"a 1": ["20261399T000000Z"]}', "{"])
def test_damaged_tries_are_said(tmp_path: Path, text: str) -> None:
    (tmp_path / "fetched").mkdir()
    (tmp_path / "fetched/tries.json").write_text(text)
    with pytest.raises(gristmill.GristmillError, match=r"tries\.json is damaged"):
        Tries(tmp_path)


def test_built_anew_from_its_pages(corpus: Path, paper: Newspaper, tmp_path: Path) -> None:
    """The same pages always make the same corpus, and it shows what the one has that grew by and by."""
    run(corpus)
    paper.print("school")
    paper.articles[1].text = paper.articles[1].text.replace("for a week", "for a fortnight")
    run(corpus, 1)
    twice = [gristmill.build(corpus / "pages", tmp_path / name, engine=InlineEngine()) for name in ("one", "two")]
    assert _shown(twice[0]) == _shown(gristmill.Corpus(corpus))
    assert len(_shown(twice[0])) == 3
    files = [path.relative_to(tmp_path / "one") for path in (tmp_path / "one").rglob("*") if path.is_file()]
    assert len(files) > 4
    assert all((tmp_path / "one" / file).read_bytes() == (tmp_path / "two" / file).read_bytes() for file in files)


def _shown(corpus: gristmill.Corpus) -> list[tuple[str, str, tuple[tuple[str, str], ...]]]:
    return sorted((item.url, item.text, tuple(sorted(item.attributes.items()))) for item in corpus.documents())


@pytest.mark.parametrize("rules", ["short", "long"])
def test_a_full_disk_is_said_and_loses_nothing(
    corpus: Path, paper: Newspaper, monkeypatch: pytest.MonkeyPatch, rules: str
) -> None:
    """Wherever the file of the feeds can't grow: where robots.txt is kept, and where items are."""
    paper.rules = "User-agent: *\n" + "".join(f"Disallow: /{number}\n" for number in range(9_999) if rules == "long")
    opened = Store.__init__

    def full(store: Store, path: Path) -> None:
        opened(store, path)
        store._db.execute("PRAGMA max_page_count = 1")  # as many as there are

    monkeypatch.setattr(Store, "__init__", full)
    for subject in ("school", "market", "theatre"):
        for number in range(1, 40):
            paper.print(subject, number)
    with pytest.raises(gristmill.GristmillError, match=r"feeds\.sqlite: database or disk is full"):
        run(corpus)
    monkeypatch.setattr(Store, "__init__", opened)
    paper.articles = paper.articles[-2:]
    run(corpus)
    assert documents(corpus) == ["bridge-1", "mill-1"]


def test_a_host_with_many_items_does_not_hold_up_a_run(
    corpus: Path, paper: Newspaper, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(feeding, "_MAX_ITEMS_OF_A_HOST", 3)
    for number in range(1, 6):
        paper.print("market", number)
    runs = [run(corpus, day) for day in range(4)]
    assert [done.later for done in runs] == [4, 1, 0, 0]
    assert [done.articles.articles for done in runs] == [3, 3, 1, 0]
    assert len(documents(corpus)) == 7
