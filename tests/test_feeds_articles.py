"""The articles of the items of feeds: whole texts in one archive, whatever their sites are like, and after kills."""

from __future__ import annotations

import shutil
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from crawl_runs import Forked, on_disk
from localweb import NewspaperWeb, ServedWeb
from localweb.newspapers import Story
from news_items import AT_ONCE, access, new_items
from warcio.archiveiterator import ArchiveIterator

import gristmill
from gristmill.archive import find_sources, read
from gristmill.cleaning import clean_page
from gristmill.document import Page
from gristmill.evaluation.metrics import by_bag
from gristmill.feeds.articles import ArticlesSummary, gather


@pytest.fixture(scope="module", params=[0, 1], ids=["semantic", "tabular"])
def served(request: pytest.FixtureRequest) -> Iterator[ServedWeb]:
    with ServedWeb(NewspaperWeb(1, request.param, 1)) as web:
        yield web


@dataclass
class Gathered:
    """What was gathered from a web."""

    summary: ArticlesSummary
    fetched: Path
    output: Path
    pages: dict[str, Page]
    """By the keys of items."""
    truth: dict[str, tuple[str, Story]]
    """The kind of the site and the article, by the keys of items."""


@pytest.fixture(scope="module")
def gathered(served: ServedWeb, tmp_path_factory: pytest.TempPathFactory) -> Gathered:
    assert isinstance(served.web, NewspaperWeb)
    folder = tmp_path_factory.mktemp("gathered")
    fetched, output = folder / "fetched", folder / "articles.warc.gz"
    summary = gather(new_items(served.web), fetched, output, access(served), AT_ONCE)
    truth = {story.url: (paper.kind, story) for paper in served.web.papers.values() for story in paper.stories}
    return Gathered(summary, fetched, output, {page.attributes["item"]: page for page in _pages(output)}, truth)


def _pages(path: Path) -> list[Page]:
    return [item for source in find_sources([path]) for item in read(source) if isinstance(item, Page)]


def test_every_item_has_its_article(gathered: Gathered) -> None:
    kinds = Counter((gathered.truth[key][0], page.attributes["text_from"]) for key, page in gathered.pages.items())
    assert kinds == {
        ("plain", "page"): 5,
        ("teasers", "page"): 5,
        ("related", "page"): 5,
        ("pages", "joined"): 5,
        ("next", "joined"): 5,
        ("print", "print"): 5,
        ("blog", "page"): 5,
        ("cut", "feed"): 5,
        ("gone", "feed"): 5,
        ("moved", "page"): 5,
    }
    assert gathered.summary.sources == {"page": 25, "joined": 10, "print": 5, "feed": 10}
    assert gathered.summary.articles == gathered.summary.items == 50
    assert gathered.summary.reasons == {}


def test_the_text_is_whole(gathered: Gathered) -> None:
    for key, page in gathered.pages.items():
        kind, story = gathered.truth[key]
        scores = by_bag(clean_page(page).text, "\n".join(story.text))
        assert scores is not None
        assert scores[1] > 0.98, (kind, story.url)
        assert kind == "related" or scores[2] > 0.98, (kind, story.url)


def test_records_say_what_they_are(gathered: Gathered) -> None:
    for key, page in gathered.pages.items():
        kind, story = gathered.truth[key]
        assert page.url == story.url
        said = page.attributes
        assert said["headline"] == story.title
        assert said["summary"] == story.summary
        assert said["feed"] == f"http://{story.url.split('/')[2]}/feed.xml"
        assert (said["version"], said["parts"].isdecimal()) == ("1", True)
        assert (int(said["parts"]) > 1) == (kind in {"pages", "next"})


def test_the_archive_is_sound(gathered: Gathered) -> None:
    fetched = set()
    for path in gathered.fetched.rglob("*.warc.gz"):
        with path.open("rb") as file:
            fetched |= {record.rec_headers["WARC-Record-ID"] for record in ArchiveIterator(file)}
    kinds: Counter[str] = Counter()
    with gathered.output.open("rb") as file:
        for record in ArchiveIterator(file, check_digests="raise"):
            kinds[record.rec_type] += 1
            refers = record.rec_headers["WARC-Refers-To"]
            assert refers is None or refers in fetched
            assert record.rec_headers["WARC-Date"].endswith("Z")
    assert kinds == {"warcinfo": 1, "response": 25, "conversion": 25}


def test_called_again_it_asks_for_nothing_and_writes_the_same(
    served: ServedWeb, gathered: Gathered, tmp_path: Path
) -> None:
    assert isinstance(served.web, NewspaperWeb)
    size = len(served.visits())
    shutil.copytree(gathered.fetched, tmp_path / "elsewhere")
    again = gather(new_items(served.web), tmp_path / "elsewhere", tmp_path / "b.warc.gz", access(served), AT_ONCE)
    assert again == gathered.summary
    assert (tmp_path / "b.warc.gz").read_bytes() == gathered.output.read_bytes()
    assert len(served.visits()) == size


def test_articles_become_documents(gathered: Gathered, tmp_path: Path) -> None:
    corpus = gristmill.build([gathered.output], tmp_path / "corpus", workers=1)
    found = {document.url: document for document in corpus.documents()}
    blog = [story for kind, story in gathered.truth.values() if kind == "blog"]
    for story in blog:
        assert " ".join(found[story.url].text.split()) == " ".join(story.text)


@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="looks for processes in /proc")
def test_killed_at_any_moment_it_goes_on(served: ServedWeb, gathered: Gathered, tmp_path: Path) -> None:
    assert isinstance(served.web, NewspaperWeb)
    items, who = new_items(served.web), access(served)
    fetched, output = tmp_path / "fetched", tmp_path / "articles.warc.gz"
    begun = len(served.visits())
    there: list[tuple[int, set[str]]] = []
    for pause in (0.2, 0.6):
        forked = Forked(lambda: gather(items, fetched, output, who, AT_ONCE), f"articles-{pause}")
        time.sleep(pause)
        forked.kill()
        assert forked.left_processes() == []
        rounds = sorted(fetched.glob("*/")) if fetched.exists() else []
        there.append((time.monotonic_ns(), {url for folder in rounds for url in on_disk(folder)}))
    assert gather(items, fetched, output, who, AT_ONCE) == gathered.summary
    pages = {page.attributes["item"]: page for page in _pages(output)}
    for key, page in gathered.pages.items():
        assert pages[key].body == page.body
    for when, known in there:
        later = {visit.url for visit in served.visits()[begun:] if visit.began > when}
        assert not later & known
    assert not list(tmp_path.glob("*.tmp"))
