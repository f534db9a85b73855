"""Articles of sites that are hostile or broken: what is fetched is bounded, and nothing is lost without a reason."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from crawl_runs import SwitchedWeb
from localweb.answer import Answer, moved, not_found
from news_items import AT_ONCE

from gristmill.archive import find_sources, read
from gristmill.cleaning import clean_page
from gristmill.document import Page
from gristmill.feeds.articles import MAX_PAGES, ArticlesSummary, gather
from gristmill.feeds.item import Item, NewItem
from gristmill.fetching.access import Access

TEXT = (
    "After a long debate the council decided on Monday that the old bridge stays open to walkers, and to those who "
    "come by bicycle, though not to cars, which have had to go around by the new road since the flood of last year. "
)


@dataclass
class OddWeb:
    """A web of some answers by address; what begins with the path of an endless site has pages without end."""

    answers: dict[str, Answer] = field(default_factory=dict)
    spec = "odd"
    faulty_tls: dict[str, str] = field(default_factory=dict)
    hosts: dict[str, str] = field(
        default_factory=lambda: {
            "odd.example": "127.0.8.1",
            "other.example": "127.0.8.2",
            "inner.example": "127.99.0.1",
        }
    )

    @property
    def names(self) -> dict[str, str]:
        return self.hosts

    def answer(self, host: str, target: str, scheme: str, port: str = "") -> Answer | None:
        del scheme, port
        if target.startswith("/endless"):
            number = int(target.partition("=")[2] or "1")
            return _html(f'<a href="/endless?page={number + 1}">Next page</a>', text=f"{TEXT} Page {number}. " * 3)
        return self.answers.get(host + target, not_found())


def _html(links: str = "", text: str = TEXT * 3, title: str = "The old bridge") -> Answer:
    body = f"<title>{title}</title><body><h1>{title}</h1><p>{text}</p>{links}"
    return Answer(f"<!DOCTYPE html><html><head>{body}</html>".encode())


def _gather(web: OddWeb, folder: Path, *items: Item) -> tuple[ArticlesSummary, list[Page], list[str]]:
    folder.mkdir(exist_ok=True)
    new = [NewItem(f"key-{at}", 1, "http://odd.example/feed", item) for at, item in enumerate(items)]
    with SwitchedWeb(web, folder) as switched:
        who = Access(networks=("127.0.0.0/16",), hosts_file=str(switched.hosts_file))
        config = AT_ONCE.replace({"manners": {"retries": 0}})
        summary = gather(new, folder / "fetched", folder / "a.warc.gz", who, config)
        switched.stop()
        visits = [visit.url for visit in switched.visits() if not visit.url.endswith("robots.txt")]
    found = [item for source in find_sources([folder / "a.warc.gz"]) for item in read(source)]
    return summary, [page for page in found if isinstance(page, Page)], visits


def _item(path: str = "/a", **fields: str) -> Item:
    return Item(link=f"http://odd.example{path}", title="The old bridge", description=TEXT[:80], **fields)


def test_endless_pages_end(tmp_path: Path) -> None:
    summary, pages, visits = _gather(OddWeb(), tmp_path, _item("/endless"))
    assert summary.sources == {"joined": 1}
    assert len(visits) == MAX_PAGES
    assert pages[0].attributes["parts"] == str(MAX_PAGES)


def test_articles_are_not_joined_without_end(tmp_path: Path) -> None:
    long = "".join(f"<p>{TEXT} {number}</p>" for number in range(3_000))
    answers = {"odd.example/a": _html('<a href="/a?page=2">2</a> <a href="/a?page=3">3</a>', text=long)}
    for number in (2, 3):
        answers[f"odd.example/a?page={number}"] = _html(text=long.replace("council", f"council of {number}"))
    summary, pages, _ = _gather(OddWeb(answers), tmp_path, _item())
    assert summary.sources == {"joined": 1}
    assert pages[0].attributes["parts"] == "2"


def test_pages_that_lead_back_are_taken_once(tmp_path: Path) -> None:
    links = '<a href="/a">1</a> <a href="/a?page=2">2</a> <a href="/a?page=3">3</a>'
    web = OddWeb(
        {
            "odd.example/a": _html(links),
            "odd.example/a?page=2": moved("http://odd.example/a"),
            "odd.example/a?page=3": _html(links),
        }
    )
    summary, _, visits = _gather(web, tmp_path, _item())
    assert summary.sources == {"page": 1}
    assert len(set(visits)) == 3
    assert len(visits) == 4  # a redirect is followed, wherever it leads


def test_links_to_other_hosts_and_private_addresses_are_not_followed(tmp_path: Path) -> None:
    links = (
        '<a href="http://other.example/a?page=2">2</a> <a href="http://inner.example/a?page=3">3</a>'
        '<a href="http://other.example/a?print=1">Print</a> <a href="http://127.99.0.1/a?page=4">4</a>'
        '<a href="/a?page=5">5</a>'
    )
    web = OddWeb({"odd.example/a": _html(links), "odd.example/a?page=5": moved("http://inner.example/a?page=5")})
    summary, _, visits = _gather(web, tmp_path, _item())
    assert summary.sources == {"page": 1}
    assert visits == ["http://odd.example/a", "http://odd.example/a?page=5"]


def test_a_print_version_with_less_text_is_not_taken(tmp_path: Path) -> None:
    web = OddWeb(
        {
            "odd.example/a": _html('<a href="/a?print=1">Print</a>'),
            "odd.example/a?print=1": _html(text="Log in to print."),
        }
    )
    summary, _, visits = _gather(web, tmp_path, _item())
    assert summary.sources == {"page": 1}
    assert len(visits) == 2


def test_items_without_text_are_counted_with_their_reasons(tmp_path: Path) -> None:
    web = OddWeb(
        {
            "odd.example/robots.txt": Answer(b"User-agent: *\nDisallow: /no/\n", content_type="text/plain"),
            "odd.example/noindex": _html('<meta name="robots" content="noindex">'),
            "odd.example/picture": Answer(b"\x89PNG", content_type="image/png"),
        }
    )
    links = ["/gone", "/no/way", "/noindex", "/picture"]
    items = [_item(link) for link in links]
    items += [Item(title="x"), Item(link="javascript:alert(1)"), Item(link="http://inner.example/")]
    summary, pages, _ = _gather(web, tmp_path, *items)
    assert pages == []
    assert summary.articles == 0
    assert [(item.item, item.reason) for item in summary.missing] == [
        ("key-0", "status-404"),
        ("key-1", "robots"),
        ("key-2", "noindex"),
        ("key-3", "type"),
        ("key-4", "no-link"),
        ("key-5", "no-link"),
        ("key-6", "network"),
    ]
    assert summary.to_json()["reasons"]["no-link"] == 2


def test_what_a_feed_has_is_taken_if_it_is_more(tmp_path: Path) -> None:
    web = OddWeb(
        {
            "odd.example/long": _html(text=TEXT * 9),
            "odd.example/wall": _html(
                text="We and our partners store cookies on your device, to show you what you want to buy. " * 9
            ),
        }
    )
    whole = f"<p>{TEXT * 4}</p>"
    summary, pages, _ = _gather(
        web,
        tmp_path,
        _item("/long", content=whole),
        _item("/wall", content=whole),
        _item("/gone", content=whole),
        Item(title="The old bridge", content=whole),
        _item("/gone-1", content=f"<p>{TEXT[:80]}</p>"),
        _item("/gone-2", content=f"<p>{TEXT * 2} Read more…</p>"),
    )
    assert [page.attributes["text_from"] for page in pages] == ["page", "feed", "feed", "feed"]
    assert [page.url for page in pages][3] == "http://odd.example/feed#key-3"
    assert [item.item for item in summary.missing] == ["key-4", "key-5"]


def test_items_that_share_a_page_each_have_a_record(tmp_path: Path) -> None:
    posts = "".join(
        f'<div class="post"><h2><a href="/x">{title}</a></h2><p>{text}</p></div>'
        for title, text in (("A new roof", f"The school. {TEXT * 2}"), ("The old bridge", f"The council. {TEXT * 2}"))
    )
    web = OddWeb({"odd.example/": Answer(f"<!DOCTYPE html><title>Blog</title>{posts}".encode())})
    roof, bridge = (
        Item(link="http://odd.example/", title=title, description=f"{beginning} {TEXT[:80]}")
        for title, beginning in (("A new roof", "The school."), ("The old bridge", "The council."))
    )
    _, pages, visits = _gather(web, tmp_path, roof, bridge)
    assert visits == ["http://odd.example/"]
    texts = [clean_page(page, "en").text for page in pages]
    assert "The school." in texts[0]
    assert "The council." not in texts[0]
    assert "The council." in texts[1]


def test_hostile_titles_do_not_break_records(tmp_path: Path) -> None:
    title = "\x1b[2J\r\nWARC-Type: request\r\n\r\n" + "x" * 100_000
    item = Item(link="http://odd.example/a", title=title, description="\0\ud800" * 9_000, content="<script>" + title)
    summary, pages, _ = _gather(OddWeb({"odd.example/a": _html()}), tmp_path, item)
    assert summary.sources == {"page": 1}
    assert pages[0].attributes["headline"].isprintable()
    link = f"http://odd.example/{'x' * 10_000}"
    long = Item(link=link, title="y" * 50_000, description="😀" * 50_000, content=TEXT * 3)
    summary, pages, visits = _gather(OddWeb(), tmp_path / "long", long)
    assert summary.sources == {"feed": 1}
    assert pages[0].attributes["summary"].startswith("😀")
    assert visits == []


def test_no_items(tmp_path: Path) -> None:
    summary, pages, visits = _gather(OddWeb(), tmp_path)
    assert (summary, pages, visits) == (ArticlesSummary(), [], [])
