"""Crawls of the local web: what is fetched, what is not, and how servers are treated, by the servers' own log."""

import gzip
import io
import json
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from fastwarc.warc import ArchiveIterator, WarcRecordType
from localweb import LocalWeb, ServedWeb, UniformWeb, Visit, trapped, violations
from warcio.archiveiterator import ArchiveIterator as WarcioIterator

import gristmill
from gristmill.crawling import CrawlConfig, CrawlProgress, CrawlSummary, resume
from gristmill.crawling.statistics import CrawlStatistics
from gristmill.errors import UsageError

_LATER = {"too-many", "!too-many", "retry-date"}  # sites that ask for hours of waiting are not visited
QUICK: dict[str, dict[str, Any]] = {
    "manners": {"delay": 0.0, "ip_delay": 0.0, "answer_delay": 0.0, "back_off": 0.05, "retries": 0},
    "fetch": {"networks": ["127.0.0.0/16"], "connect_seconds": 12.0, "read_seconds": 9.0, "total_seconds": 18.0},
}


def _hosts_to_wait_for(web: LocalWeb) -> list[str]:
    """Hosts that ask for a pause of hours, and get it."""
    return [site.host for site in web.sites.values() if site.plan.variant in _LATER]


def _config(**sections: dict[str, Any]) -> CrawlConfig:
    return CrawlConfig.from_table(QUICK).replace(sections)


@dataclass(frozen=True)
class Crawled:
    """A crawl that has come to its end, and what the servers saw of it."""

    web: LocalWeb
    folder: Path
    summary: CrawlSummary
    visits: list[Visit]


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> Crawled:
    web = LocalWeb(1, 0.05)
    folder = tmp_path_factory.mktemp("crawled") / "crawl"
    with ServedWeb(web, tempo=0.05) as served:
        summary = gristmill.crawl(
            web.seeds,
            folder,
            _config(scope={"languages": [web.wanted], "forbid": _hosts_to_wait_for(web)}),
            resolver=served.resolver,
            ssl_context=served.ssl_context,
        )
        visits = served.visits()
    return Crawled(web, folder, summary, visits)


def _responses(folder: Path) -> dict[str, bytes]:
    """All responses in the archives, with all digests verified, each address once."""
    found: dict[str, bytes] = {}
    for path in sorted(folder.rglob("pages-*.warc.gz")):
        with path.open("rb") as file:
            for record in ArchiveIterator(file, parse_http=False, record_types=WarcRecordType.response):
                assert record.verify_block_digest()
                url = record.headers["WARC-Target-URI"]
                assert url not in found
                found[url] = record.reader.read()
    return found


def test_manners_and_safety_hold_on_every_kind_of_site(crawled: Crawled) -> None:
    assert violations(crawled.web, crawled.visits) == {}
    assert crawled.summary.ended == "nothing left"
    assert crawled.summary.queued == 0


def test_nearly_all_text_is_found(crawled: Crawled) -> None:
    found = {}
    for visit in crawled.visits:
        truth = crawled.web.truth(visit.url) if visit.whole else None
        if truth and truth.text_key:
            found[truth.text_key] = truth.words
    assert sum(found.values()) > 0.95 * crawled.web.totals.words
    assert crawled.summary.words > 0.85 * crawled.web.totals.words


def test_traps_are_left(crawled: Crawled) -> None:
    in_traps = trapped(crawled.web, crawled.visits)
    kinds = {kind for _, kind in in_traps}
    assert {"calendar", "facets", "growing", "endless", "soft-404", "subdomains", "deep"} <= kinds
    assert max(in_traps.values()) <= 150  # with a robots.txt for each name of a host of endless names


def test_the_archive_has_what_the_servers_sent(crawled: Crawled) -> None:
    checked = 0
    responses = _responses(crawled.folder)
    for visit in crawled.visits:
        truth = crawled.web.truth(visit.url) if visit.whole else None
        if truth and truth.text_key and visit.url in responses:
            site = crawled.web.site(visit.host)
            assert site is not None
            answer = site.answer(visit.target)
            head, _, body = responses[visit.url].partition(b"\r\n\r\n")
            assert head.startswith(b"HTTP/1.1 200")
            if b"chunked" not in head.lower():
                assert body == answer.payload
                checked += 1
    assert checked > 150


def test_warcio_reads_the_archive(crawled: Crawled) -> None:
    kinds = []
    for path in crawled.folder.glob("pages-*.warc.gz"):
        with path.open("rb") as file:
            kinds += [record.rec_type for record in WarcioIterator(file, check_digests="raise")]
        assert kinds[0] == "warcinfo"
        with gzip.open(path) as file:
            info = io.BytesIO(file.read(2000)).read().decode("latin-1")
        assert "software: gristmill/" in info
        assert "robots: obey" in info
    assert kinds.count("request") == kinds.count("response") > 500


def test_figures_agree_with_the_archive(crawled: Crawled) -> None:
    figures = CrawlStatistics.read(crawled.folder)
    assert figures.to_json()["totals"]["pages"] == crawled.summary.pages
    bodies = _responses(crawled.folder)
    assert sum(body.startswith(b"HTTP/1.1 200") for body in bodies.values()) == crawled.summary.pages


def test_the_log_is_plain_text_of_one_line_a_request(crawled: Crawled) -> None:
    lines = (crawled.folder / "log").read_text("utf-8").splitlines()
    assert len(lines) > len(crawled.visits) * 0.9
    assert all(line.replace("\t", "").isprintable() for line in lines)
    assert sorted(path.name for path in crawled.folder.parent.iterdir()) == ["crawl"]


def test_a_corpus_is_built_from_a_crawl(crawled: Crawled, tmp_path: Path) -> None:
    corpus = gristmill.build([crawled.folder], tmp_path / "corpus", CrawlTestConfig, workers=1)
    assert corpus.counts["pages"] == len(_responses(crawled.folder))
    assert {document.lang for document in corpus.documents()} == {"cs"}


CrawlTestConfig = gristmill.Config().with_filters(languages=("cs",))


def _small(web: UniformWeb) -> list[str]:
    return [web.url(0)]


def test_delays_are_kept(tmp_path: Path) -> None:
    web = UniformWeb(4, 12, 6_000, 3)
    with ServedWeb(web) as served:
        config = _config(manners={**QUICK["manners"], "delay": 0.3, "ip_delay": 0.1}, stop={"pages": 10})
        summary = gristmill.crawl(_small(web), tmp_path / "crawl", config, resolver=served.resolver)
        visits = served.visits()
    assert summary.pages == 10
    by_host: dict[str, list[Visit]] = {}
    for visit in visits:
        by_host.setdefault(visit.host, []).append(visit)
    gaps = [(after.began - before.ended) / 1e9 for group in by_host.values() for before, after in pairwise(group)]
    assert gaps
    assert min(gaps) >= 0.29


def test_a_crawl_stops_at_so_many_pages_and_goes_on(tmp_path: Path) -> None:
    web = UniformWeb(10, 60, 6_000, 5)
    shown: list[CrawlProgress] = []
    with ServedWeb(web) as served:
        config = _config(stop={"pages": 20}, strategy={"name": "breadth-first"})
        first = gristmill.crawl(
            _small(web), tmp_path / "crawl", config, resolver=served.resolver, progress=shown.append
        )
        assert (first.pages, first.ended) == (20, "pages")
        assert shown
        second = resume(tmp_path / "crawl", {"stop": {"pages": 0}}, resolver=served.resolver)
    assert (second.pages, second.ended) == (60, "nothing left")
    assert len(_responses(tmp_path / "crawl")) == 60
    with pytest.raises(UsageError, match="is a crawl already"):
        gristmill.crawl(_small(web), tmp_path / "crawl", config)


def test_one_site_is_not_left(tmp_path: Path) -> None:
    web = UniformWeb(10, 60, 6_000, 5)
    with ServedWeb(web) as served:
        summary = gristmill.crawl([web.url(0)], tmp_path / "crawl", _config(), same_site=True, resolver=served.resolver)
        hosts = {visit.host for visit in served.visits()}
    assert hosts == {"rovny-000.cz"}
    assert summary.pages >= 1


def test_a_forbidden_host_is_never_asked(tmp_path: Path) -> None:
    web = UniformWeb(5, 40, 6_000, 5)
    with ServedWeb(web) as served:
        config = _config(scope={"forbid": ["rovny-002.cz"]})
        gristmill.crawl(_small(web), tmp_path / "crawl", config, resolver=served.resolver)
        hosts = {visit.host for visit in served.visits()}
    assert "rovny-002.cz" not in hosts
    assert len(hosts) == 4


def test_seeds_of_a_wrong_type(tmp_path: Path) -> None:
    with pytest.raises(TypeError, match="seeds must be an address"):
        gristmill.crawl(5, tmp_path / "crawl")  # type: ignore[arg-type]


def test_who_crawls_says_who_it_is(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="--contact"):
        gristmill.crawl("https://example.org/", tmp_path / "crawl")
    assert not (tmp_path / "crawl").exists()


def test_without_a_contact_only_this_machine_is_crawled(tmp_path: Path) -> None:
    class Elsewhere:
        async def resolve(self, host: str, port: int) -> Any:
            from gristmill.fetching.exchange import Endpoint  # noqa: PLC0415

            del host
            return [Endpoint("198.51.100.7", port)]

    config = _config(fetch={**QUICK["fetch"], "networks": ["198.51.100.0/24"]})
    summary = gristmill.crawl("https://example.org/", tmp_path / "crawl", config, resolver=Elsewhere())
    assert (summary.pages, summary.requests) == (0, 1)
    assert "no contact" in (tmp_path / "crawl" / "log").read_text("utf-8")


def test_every_request_carries_the_contact(tmp_path: Path) -> None:
    web = UniformWeb(2, 4, 6_000, 3)
    with ServedWeb(web) as served:
        config = _config(manners={**QUICK["manners"], "contact": "corpus@example.org"})
        gristmill.crawl(_small(web), tmp_path / "crawl", config, resolver=served.resolver)
        agents = {json.dumps(visit.header("user-agent")) for visit in served.visits()}
    assert agents == {f'"gristmill/{gristmill.__version__} (+corpus@example.org)"'}
