"""Make a corpus of a handful of words: queries of them find pages, and keywords of these pages find more.

A round makes queries of words, asks a search provider, fetches what it found, and builds that into the corpus. Each of
these steps is stored when it is done, so that what was killed goes on where it was, and no query is asked twice.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractAsyncContextManager, contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from gristmill.arguments import as_path, as_paths, check_type
from gristmill.bootstrapping.addresses import Chooser
from gristmill.bootstrapping.asking import Asking, opened
from gristmill.bootstrapping.config import NAME as SETTINGS
from gristmill.bootstrapping.config import BootstrapConfig
from gristmill.bootstrapping.given import Given
from gristmill.bootstrapping.keywords import Keyword
from gristmill.bootstrapping.providers import Provider, trusted_of
from gristmill.bootstrapping.query import Query, parse_query
from gristmill.bootstrapping.rounds import ending
from gristmill.bootstrapping.seeds import Seeds
from gristmill.bootstrapping.store import ASK, BUILD, DONE, FETCH, GIVEN_UP, Round, Store
from gristmill.bootstrapping.store import NAME as STORE
from gristmill.config import Config
from gristmill.consent import Named, Origin, UntrustedError, allow, not_allowed
from gristmill.corpus.links import check_links
from gristmill.corpus.manifest import NAME as MANIFEST
from gristmill.crawling import Address, CrawlProgress, fetch
from gristmill.engine import Engine
from gristmill.errors import GristmillError, UsageError
from gristmill.fetching.access import Access
from gristmill.fetching.loop import run_in_loop
from gristmill.filter.texts import read_texts
from gristmill.language.codes import check_code
from gristmill.leases import locked
from gristmill.locks import LOCK
from gristmill.pipeline.adding import add, can_add
from gristmill.pipeline.bootstrap_filters import build_settings, can_have_topic, has_topic, with_topic
from gristmill.pipeline.building import checked
from gristmill.pipeline.corpus import Corpus
from gristmill.pipeline.starting import build
from gristmill.pipeline.topic_sample import short_texts, topic_sample
from gristmill.progress import Advance, Progress, shown
from gristmill.wording import plural

PROVIDER = "GRISTMILL_PROVIDER"
"""The environment variable that has the search provider if none is given."""
DEFAULT_PROVIDER = "commoncrawl:latest"
"""The provider if there is none in the environment, either: the only one that needs no server of the user's own."""
_PAGES = "pages"
_BUILD_SETTINGS, _GENERAL = "build", "general"
"""Names of what is stored: the settings of the corpus, and whether it is one of general language."""

Revise = Callable[[Sequence[Keyword]], Sequence[str]]
"""What lets the user strike out keywords of a sample before they are asked for."""


def bootstrap(
    words: str | os.PathLike[str] | Sequence[str] = (),
    corpus: str | os.PathLike[str] = "",
    config: BootstrapConfig | None = None,
    *,
    lang: str | None = None,
    provider: str | None = None,
    sample: str | os.PathLike[str] | None = None,
    rounds: int | None = None,
    tuples: str | os.PathLike[str] | Sequence[Sequence[str]] = (),
    urls: str | os.PathLike[str] | Sequence[str] = (),
    local: str | os.PathLike[str] | Sequence[str | os.PathLike[str]] = (),
    build_config: Config | None = None,
    access: Access | None = None,
    revise: Revise | None = None,
    workers: int | None = None,
    engine: Engine | str | None = None,
    progress: bool | Progress = False,
) -> Corpus:
    """Make a corpus of words in the folder `corpus`, or go on with one that was stopped.

    `words` are a list, or a file with one on each line. Without any, keywords of the `sample` are taken, or
    mid-frequency words of the language. `tuples` are combinations of words that are asked for as they are, `urls`
    addresses that are fetched in the first round, `local` files and folders that are built into the corpus first.
    `revise` is called with the keywords of the sample, and returns those to use. `build_config` has the filters of the
    corpus and all else of it. To go on, only `corpus` is given, or also another number of `rounds`, another `config`
    or `provider`.
    """
    if not corpus:
        raise UsageError("say in which folder the corpus is made, or goes on: bootstrap(words, corpus)")
    folder = as_path(corpus, "corpus")
    check_type(config, BootstrapConfig, "config", "a BootstrapConfig")
    check_type(build_config, Config, "build_config", "a gristmill.Config")
    given = Given.of(words, tuples, urls, as_paths(local, "local"))
    check_links(folder)
    begun = is_begun(folder)
    if begun and (given or build_config or lang or sample):
        begun = not forget_failed(folder)
    if begun and (given or build_config or lang or sample):
        raise UsageError(f"{folder} has begun already: to go on, give its folder alone; else give another folder")
    known = config or (BootstrapConfig.from_file(folder / SETTINGS) if begun else BootstrapConfig())
    settings = known.replace(_changes(lang, provider, sample, rounds))
    with shown(progress) as begin:
        work = _Work(folder, settings, access or Access(), workers, engine, begin)
        if begun:
            before = set(_named(BootstrapConfig.from_file(folder / SETTINGS)))
            allow({*_named(settings)} - before | ({Named("provider", provider)} if provider else set()))
            work.go_on()
        else:
            work.begin(given, build_config, revise)
    return Corpus(folder)


def is_begun(folder: Path) -> bool:
    """Tell whether a folder has a bootstrap that can go on: its first queries are known."""
    if not (folder / SETTINGS).is_file() or not (folder / STORE).is_file():
        return False
    with Store(folder) as store:
        return bool(store.rounds())


def forget_failed(folder: Path) -> bool:
    """Remove what a bootstrap has left that found nothing, so that another one can begin; false if it goes on.

    That is one whose queries brought no results, or whose addresses have all been asked and gave no page.
    """
    check_links(folder)
    with _alone(folder):
        with Store(folder) as store:
            rounds = store.rounds()
            found = any(store.outcomes(item.number) for item in rounds)
        is_waiting = found and any(item.stage != DONE for item in rounds)
        if is_waiting or any(item.pages for item in rounds) or _has_corpus(folder):
            return False
        for crawl in (folder / _PAGES).glob("bootstrap-*"):
            shutil.rmtree(crawl)
        for path in (folder / SETTINGS, *folder.glob(f"{STORE}*")):
            path.unlink()
    return True


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Keep other bootstraps out of a folder; raises if its files are elsewhere."""
    pages = folder / _PAGES
    for path in (folder / SETTINGS, pages):
        if path.is_symlink():
            raise UsageError(f"{path} is a link, and it would be written to: put the file itself there")
    pages.mkdir(parents=True, exist_ok=True)
    with locked(pages):
        yield


def _changes(
    lang: str | None, provider: str | None, sample: str | os.PathLike[str] | None, rounds: int | None
) -> dict[str, dict[str, Any]]:
    """Put arguments into tables as settings have them."""
    places: dict[str, dict[str, Any]] = {
        "seeds": {"lang": lang, "sample": None if sample is None else str(as_path(sample, "sample").absolute())},
        "queries": {"provider": provider},
        "stop": {"rounds": rounds},
    }
    return {
        section: {key: value for key, value in values.items() if value is not None}
        for section, values in places.items()
    }


def has_no_topic(corpus: Corpus, settings: BootstrapConfig) -> bool:
    """Tell whether documents should have been filtered by topic, but could not be.

    There were too few short ones in the first round, or it is not known how frequent words are in the language.
    """
    with Store(corpus.folder) as store:
        is_general = bool(store.state(_GENERAL))
    return settings.topic.min > 0 and not is_general and not has_topic(corpus.config)


@dataclass
class _Work:
    """A bootstrap at work."""

    folder: Path
    settings: BootstrapConfig
    access: Access
    workers: int | None
    engine: Engine | str | None
    progress: Progress
    store: Store = field(init=False)

    def begin(self, given: Given, build_config: Config | None, revise: Revise | None) -> None:
        """Make the first queries, and go on with them."""
        if not self.settings.queries.provider and _is_asking(self.settings, given):
            provider = os.environ.get(PROVIDER) or DEFAULT_PROVIDER
            self.settings = self.settings.replace({"queries": {"provider": provider}})
        _check(self.settings, given)
        self.access.check()
        _refuse_used(self.folder)
        allow([*_named(self.settings), *_files(given.local)])
        config = checked(build_settings(build_config, self.settings))
        words, queries = self._first(given, revise)
        with self._writing():
            self.store.set_state(_BUILD_SETTINGS, json.dumps(config.to_table()))
            self.store.set_state(_GENERAL, "yes" if self._is_general(given) else "")
            is_first = bool(words or queries or given.urls)
            self.store.begin(int(is_first), words, queries, given.urls, local=given.local)
            self._run()

    def go_on(self) -> None:
        """Go on with what was stopped; raises if its settings name what the user has not allowed."""
        self._check_allowed(SETTINGS, _named(self.settings))
        self.access.check()
        with self._writing():
            self._check_allowed(STORE, _files(self.store.local))
            self._run()

    def _check_allowed(self, name: str, named: Sequence[Named]) -> None:
        if refused := not_allowed(named, Origin(str(self.folder), str(self.folder))):
            kind, what = refused[0]
            raise UntrustedError(
                f"{self.folder / name} names the {kind} {what}, which was not allowed here. If you know where it "
                f"is from, give it again as an option, as --provider; or begin anew in a folder of your own"
            )

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """Open the folder, for this process alone."""
        with _alone(self.folder):
            self.settings.write(self.folder / SETTINGS)
            with Store(self.folder) as self.store:
                yield

    def _run(self) -> None:
        steps = {ASK: self._ask, FETCH: self._fetch, BUILD: self._build}
        while current := self._current():
            steps[current.stage](current)
        if not any(item.pages for item in self.store.rounds()):
            raise GristmillError(self._why_nothing())

    def _why_nothing(self) -> str:
        """Say why no page was found, and what to do."""
        chosen = [(item.number, len(self.store.chosen(item.number))) for item in self.store.rounds()]
        count = sum(addresses for _, addresses in chosen)
        if not count:
            why = next((f": {why}" for _, why in self.store.not_asked() if why), "")
            return f"no page was found{why}; try other words, fewer words in a query, or another provider"
        last = self._pages(max(number for number, addresses in chosen if addresses))
        return f"{plural(count, 'address')} found, and none gave a page: `gristmill crawl stats {last}` says why"

    def _current(self) -> Round | None:
        """Return the round that is at work, or the next one; None if there is none any more."""
        rounds = self.store.rounds()
        undone = next((item for item in rounds if item.stage != DONE), None)
        if undone or ending(self.store, self.settings.stop) or not self.settings.queries.provider:
            return undone
        words, queries = self._next(rounds[-1].number + 1)
        if not queries and not self.store.states(rounds[-1].number)[GIVEN_UP]:
            return None
        self.store.begin(rounds[-1].number + 1, words, queries)
        return self.store.rounds()[-1]

    # Words and queries

    @cached_property
    def _seeds(self) -> Seeds:
        return Seeds(self.settings, lambda place: Corpus(place, progress=self.progress).index)

    def _first(self, given: Given, revise: Revise | None) -> tuple[list[str], list[Query]]:
        """Choose the words of the first round, and make its queries."""
        max_words = self._max_words()
        own = self._seeds.of_tuples(given.tuples, max_words) if given.tuples else []
        words = list(given.words)
        if not given and self.settings.seeds.sample:
            found = self._seeds.keywords(read_texts(self.settings.seeds.sample))
            words = list(revise(found)) if revise else [keyword.word for keyword in found]
        elif self._is_general(given):
            return self._seeds.of_language(1, max_words)
        elif not given:
            return [], self._queries_of_file
        return words, [*own, *(self._seeds.queries(words, 1, own, max_words) if words else ())]

    def _next(self, number: int) -> tuple[list[str], list[Query]]:
        """Choose the words of a later round, and make its queries; none if too little was found."""
        before, max_words = self.store.queries(), self._max_words()
        if self.store.state(_GENERAL):
            return self._seeds.of_language(number, max_words)
        texts = short_texts(Corpus(self.folder)) if _has_corpus(self.folder) else []
        words = [keyword.word for keyword in self._seeds.keywords(texts)] if texts else []
        is_enough = len(words) >= self.settings.queries.n
        return words, self._seeds.queries(words, number, before, max_words) if is_enough else []

    def _is_general(self, given: Given) -> bool:
        """Tell whether there is nothing that names a topic, so that words of the language are asked for."""
        return not given and not self.settings.seeds.sample and not self._queries_of_file

    @cached_property
    def _queries_of_file(self) -> list[Query]:
        """Return the queries of a provider that knows which it has answers to."""
        return [parse_query(text) for text in self._of_provider("queries", [])]

    def _max_words(self) -> int:
        return int(self._of_provider("max_words", 0))

    def _of_provider(self, name: str, default: Any) -> Any:
        if not self.settings.queries.provider:
            return default

        async def look() -> Any:
            async with self._provider() as provider:
                return getattr(provider, name, default)

        return run_in_loop(look)

    def _provider(self) -> AbstractAsyncContextManager[Provider]:
        queries = self.settings.queries
        return opened(queries.provider, self.access, self.settings.seeds.lang, queries.delay)

    @contextmanager
    def _hint(self) -> Iterator[None]:
        """Add to an error how to go on."""
        try:
            yield
        except GristmillError as error:
            raise GristmillError(
                f"{error}. What was found is kept, and this goes on: gristmill bootstrap {self.folder} "
                "(with --provider if another one is to be asked)"
            ) from error

    # The steps of a round

    def _ask(self, current: Round) -> None:
        """Ask the queries of a round, and choose of what was found."""
        number = current.number
        waiting = len(self.store.to_ask(number))
        if waiting:
            advance = self.progress(f"round {number}: asking", waiting)

            async def ask() -> None:
                async with self._provider() as provider:
                    asking = Asking(self.store, provider, self.settings.queries, advance=advance)
                    await asking.run(number, self.settings.addresses.per_query)

            with self._hint():
                run_in_loop(ask)
        seed = self.settings.queries.seed + number
        chooser = Chooser(self.settings.addresses, self.store.addresses(), networks=self.access.networks, seed=seed)
        self.store.decide(number, chooser.choose(self.store.undecided(number)))

    def _fetch(self, current: Round) -> None:
        """Fetch the pages of a round."""
        number = current.number
        addresses = [
            Address(chosen.address, {"query": chosen.query, "round": str(number), "rank": str(chosen.rank)})
            for chosen in self.store.chosen(number)
        ]
        bar = _FetchBar(self.progress(f"round {number}: fetching", len(addresses)), len(addresses))
        summary = fetch(addresses, self._pages(number), self.access, self.settings.crawl, progress=bar)
        self.store.advance(number, BUILD, pages=summary.pages)

    def _build(self, current: Round) -> None:
        """Build what was fetched into the corpus."""
        number = current.number
        common: dict[str, Any] = {"workers": self.workers, "engine": self.engine, "progress": self.progress}
        is_first = not any(item.pages for item in self.store.rounds() if item.number < number)
        is_first = is_first and not can_add(self.folder)  # it may have been killed when all was built
        sources = [str(self._pages(number))] if number else self.store.local
        if is_first and (current.pages or not number):
            config = self._build_settings()
            if not self.store.state(_GENERAL) and can_have_topic(config, self.settings):
                sample = topic_sample(sources, self.folder, config, **common)
                config = with_topic(config, sample, self.settings) if sample else config
            build(sources, self.folder, config, **common)
        elif current.pages or not number:
            add(self.folder, sources, **common)
        if not _has_corpus(self.folder):
            self.store.advance(number, DONE)
            return
        corpus = Corpus(self.folder)
        self.store.advance(
            number,
            DONE,
            pages=current.pages if number else corpus.counts["pages"],
            documents=corpus.size["documents"],
            words=corpus.size["words"],
        )

    def _build_settings(self) -> Config:
        """Return the settings of the corpus, as they were when the bootstrap began."""
        table = json.loads(self.store.state(_BUILD_SETTINGS))
        return Config.from_table(table, str(self.folder / STORE), Origin.of(self.folder))

    def _pages(self, number: int) -> Path:
        return self.folder / _PAGES / f"bootstrap-{number}"


class _FetchBar:
    """Shows how many of some addresses are done with."""

    def __init__(self, advance: Advance, total: int) -> None:
        self._advance = advance
        self._total = total
        self._done = 0

    def __call__(self, progress: CrawlProgress) -> None:
        done = max(self._total - progress.queued - progress.in_flight, self._done)
        self._advance(done - self._done)
        self._done = done


def _has_corpus(folder: Path) -> bool:
    return (folder / MANIFEST).is_file()


def _check(settings: BootstrapConfig, given: Given) -> None:
    """Raise if something is missing to begin with."""
    if settings.seeds.lang:
        check_code(settings.seeds.lang)
    elif _is_asking(settings, given):
        raise UsageError("say in which language the pages are to be: --lang cs")
    if settings.queries.provider:
        trusted_of(settings.queries.provider)


def _is_asking(settings: BootstrapConfig, given: Given) -> bool:
    """Tell whether queries will be made, so that not only given addresses and files are taken."""
    return bool(given.words or given.tuples or not given) or settings.stop.max_rounds != 1


def _refuse_used(folder: Path) -> None:
    """Raise if a folder can't become that of a new corpus; what a bootstrap left that never began is no hindrance."""
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"{folder} is a file: give a folder")
    own = (SETTINGS, STORE, _PAGES, LOCK)
    if folder.is_dir() and any(not item.name.startswith(own) for item in folder.iterdir()):
        raise UsageError(f"{folder} is not empty, and has no bootstrap to go on with: give a new folder")


def _files(places: Iterable[str]) -> list[Named]:
    """Name files that are read as what the user allows."""
    return [Named.at("file", place) for place in places if place]


def _named(settings: BootstrapConfig) -> list[Named]:
    """List what settings name outside of the corpus: whom they ask, and what they read."""
    places = [settings.seeds.sample, settings.seeds.reference, settings.queries.forms_from]
    provider = settings.queries.provider
    return [
        *([Named("provider", provider)] if provider else ()),
        *_files(places),
    ]
