"""How many pages on a topic are found by words, and how many of what is found are on it, round by round.

A web of pages on topics in three languages stands on the loopback, and a search engine over it, which knows no
languages. Plain BootCaT asks for given words and takes what comes. Ours begins with texts on the topic, asks for forms
of words and for words that show the language, and filters what comes. Beside it are the figures for Basque of Leturia,
San Vicente, Saralegi and Lopez de Lacalle (2008).
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from random import Random

from harness import at_least_one, print_table, tell

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from localweb import ServedWeb, TopicWeb
from localweb.topics import TOPICS
from localweb.vocabularies import forms_of

import gristmill
from gristmill.bootstrapping.config import BootstrapConfig
from gristmill.config import Config
from gristmill.crawling import Address, CrawlConfig, fetch
from gristmill.engine import InlineEngine
from gristmill.fetching.access import Access
from gristmill.pipeline.bootstrapping import bootstrap
from gristmill.web.app import Site
from gristmill.web.serving import running
from gristmill.web.shelf import Shelf

_MANNERS = {"delay": 0.0, "ip_delay": 0.0, "answer_delay": 0.0}
_PLAIN, _OURS = "BootCaT", "ours"
_WAYS = {
    _PLAIN: {"forms": 1, "filter_words": 0},
    "ours, no forms": {"forms": 1},
    "ours, no filter words": {"filter_words": 0},
    _OURS: {},
}
_GIVEN_WORDS = 10  # of plain BootCaT: base forms of words of the topic
_BASQUE = {
    "BootCaT (table 1)": {"2": "30.67", "3": "36.26", "4": "47.06", "all": "35.27"},
    "theirs, before the topic filter (table 4)": {"2": "51.11", "3": "59.21", "4": "86.14", "all": "65.49"},
}


@dataclass(frozen=True, slots=True)
class Figures:
    """What some rounds have given: pages, those on the topic, those that were kept, and those on the topic of these."""

    way: str
    topic: str
    n: int
    round: int
    found: int
    found_right: int
    kept: int
    kept_right: int
    known: int
    """Pages on the topic in the language that there are."""


def main() -> None:
    """Bootstrap corpora on all topics, each way, and print precision and recall."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1, help="the seed of the web and of queries (default: 1)")
    parser.add_argument("--scale", type=float, default=1.0, help="times the pages of the web (default: 1, about 1,000)")
    parser.add_argument("--n", default="3", help="words of a query: 2 to 4, or several as in 2,3,4 (default: 3)")
    parser.add_argument("--rounds", type=at_least_one, default=3)
    parser.add_argument("--queries", type=at_least_one, default=20, help="queries of a round (default: 20)")
    parser.add_argument("--lang", default="cs", help="the wanted language: cs, sk or en (default: cs)")
    parser.add_argument("--topics", default=",".join(TOPICS), help="topics, with commas between")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON instead of tables")
    options = parser.parse_args()
    figures: list[Figures] = []
    with tempfile.TemporaryDirectory(prefix="bootstrap-") as name, _engine(options, Path(name)) as bench:
        for topic in options.topics.split(","):
            for n in map(int, options.n.split(",")):
                for way in _WAYS:
                    tell(f"{topic}, {n} words, {way}...")
                    figures += bench.run(way, topic, n)
    if options.json:
        print(json.dumps([asdict(item) for item in figures]))
    else:
        show(figures)


@dataclass(frozen=True)
class Bench:
    """A web and a search engine over it."""

    web: TopicWeb
    folder: Path
    access: Access
    engine_file: Path
    options: argparse.Namespace

    def run(self, way: str, topic: str, n: int) -> list[Figures]:
        """Bootstrap a corpus, and count after each round."""
        options, lang = self.options, self.options.lang
        place = self.folder / f"{topic}-{n}-{way.replace(' ', '-')}"
        plain = way == _PLAIN
        config = BootstrapConfig().replace(
            {
                "queries": {"n": n, "count": options.queries, "seed": options.seed, "delay": 0.0, **_WAYS[way]},
                "addresses": {"per_host": 0},
                "manners": _MANNERS,
            }
        )
        corpus = bootstrap(
            self._words(topic) if plain else (),
            place,
            config,
            lang=lang,
            provider=f"json:{self.engine_file}",
            sample=None if plain else self._sample(topic),
            rounds=options.rounds,
            build_config=Config().with_filters(preset="none") if plain else None,
            access=self.access,
            engine=InlineEngine(),
        )
        return list(self._counted(corpus, way, topic, n))

    def _counted(self, corpus: gristmill.Corpus, way: str, topic: str, n: int) -> Iterator[Figures]:
        right = self.web.on_topic(topic, self.options.lang)
        pages = [
            (int(page.attributes["round"]), page.url, way == _PLAIN or not page.dropped) for page in corpus.pages()
        ]
        for number in range(1, self.options.rounds + 1):
            found = {url for at, url, _ in pages if at <= number}
            kept = {url for at, url, is_kept in pages if at <= number and is_kept}
            counts = len(found), len(found & right), len(kept), len(kept & right)
            yield Figures(way, topic, n, number, *counts, len(right))

    def _words(self, topic: str) -> list[str]:
        """Choose words of the topic, as a user would write them down."""
        base = [forms[0] for forms in forms_of(topic, self.options.lang)]
        return Random(f"{self.options.seed}/{topic}").sample(base, _GIVEN_WORDS)

    def _sample(self, topic: str) -> Path:
        """Write ten texts on the topic that are not on the web."""
        folder = self.folder / f"sample-{topic}"
        folder.mkdir(exist_ok=True)
        for at, text in enumerate(self.web.sample(topic, self.options.lang, 10)):
            (folder / f"{at}.txt").write_text(text, encoding="utf-8")
        return folder


@contextmanager
def _engine(options: argparse.Namespace, folder: Path) -> Iterator[Bench]:
    """Serve a web, and a search engine over a corpus of all its pages in all languages."""
    web = TopicWeb(options.seed, options.scale)
    tell(f"{len(web.pages):,} pages...")
    with ServedWeb(web) as served:
        access = Access(networks=("127.0.0.0/8",), hosts_file=str(served.hosts_file))
        crawl = CrawlConfig().replace({"manners": _MANNERS})
        fetch([Address(url) for url in web.pages], folder / "pages", access, crawl)
        config = Config().with_filters(preset="none")
        corpus = gristmill.build([str(folder / "pages")], folder / "engine", config, engine=InlineEngine())
        gristmill.index(corpus.folder, engine=InlineEngine())
        with running(Site(Shelf([corpus.folder]), workers=1)) as address:
            engine_file = folder / "engine.toml"
            engine_file.write_text(f'address = "{address}/search?q={{query}}&page={{page}}&count={{count}}"\n')
            yield Bench(web, folder, access, engine_file, options)


def show(figures: Sequence[Figures]) -> None:
    """Print precision and recall of all topics together by way, words of a query and round; and those for Basque."""
    rows = []
    for way, n, number in dict.fromkeys((item.way, item.n, item.round) for item in figures):
        of_all = [item for item in figures if (item.way, item.n, item.round) == (way, n, number)]
        found, found_right, kept, kept_right, known = (
            sum(getattr(item, name) for item in of_all)
            for name in ("found", "found_right", "kept", "kept_right", "known")
        )
        rows.append(
            [
                way,
                str(n),
                str(number),
                f"{found:,}",
                _percent(found_right, found),
                f"{kept:,}",
                _percent(kept_right, kept),
                _percent(kept_right, known),
            ]
        )
    print_table(["way", "n", "round", "found", "on topic", "kept", "precision", "recall"], sorted(rows))
    print()
    print("Leturia et al. 2008, in Basque: pages on the topic of those found, in per cent, by words of a query")
    print_table(["way", "2", "3", "4", "all"], [[way, *values.values()] for way, values in _BASQUE.items()])


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f}" if whole else "-"


if __name__ == "__main__":
    main()
