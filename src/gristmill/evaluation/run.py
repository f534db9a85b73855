"""Run an evaluation: clean the pages of gold standards with some methods, and score the results."""

from __future__ import annotations

import heapq
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from gristmill.cleaning import clean
from gristmill.cleaning.methods.chosen import method_of
from gristmill.cleaning.site import clean_site
from gristmill.config import CleanConfig
from gristmill.document import Document, Page
from gristmill.engine import Engine, LocalEngine, Report, engine_of
from gristmill.errors import GristmillError, UsageError
from gristmill.evaluation.align import common
from gristmill.evaluation.cross_validation import by_site
from gristmill.evaluation.gold import GoldPage, GoldSet
from gristmill.evaluation.inspect import Inspection, inspect
from gristmill.evaluation.scores import PageScore, score
from gristmill.registry import format_spec, parse_spec


@dataclass(frozen=True, slots=True)
class Cleaned:
    """A cleaned page: a document, which has no blocks if the method raised an exception."""

    page: GoldPage
    document: Document
    seconds: float
    error: str = ""


@dataclass(slots=True)
class Result:
    """The result of a method on a gold standard: every page's scores, and the worst pages to look at."""

    method: str
    gold_set: str
    pages: list[PageScore] = field(default_factory=list)
    worst: list[Inspection] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The results by method and gold standard, in the order in which they were requested."""

    sets: list[GoldSet]
    methods: list[str]
    results: dict[tuple[str, str], Result]

    def of(self, method: str) -> list[Result]:
        """The results of one method, one for each gold standard."""
        return [self.results[method, gold_set.name] for gold_set in self.sets]


def evaluate(
    sets: Sequence[GoldSet],
    methods: Sequence[str],
    *,
    workers: int = 1,
    engine: Engine | str | None = None,
    worst: int = 0,
    report: Report | None = None,
) -> Evaluation:
    """Score methods on gold standards; `worst` is the number of worst pages of each that are kept to look at.

    A method is named as in `mill`, or with a model of one's own as in `mill:model=my.mill`.
    With one worker all happens in this process, so that the times are not those of processes that compete for cores,
    unless an `engine` is given that does it elsewhere; with it, `workers` is not looked at.
    """
    for method in methods:
        method_of(settings_of(method))
    common((), ())  # raises if rapidfuzz is not installed, before the work
    sets = [gold_set for gold_set in sets if gold_set.pages]
    if not sets:
        raise UsageError("no page is left to evaluate on; is there one of that language, or of that split?")
    tasks = [_Task(method, gold_set, worst) for method in methods for gold_set in sets]
    chosen = engine_of(engine)
    results = (
        [task.run(report or _no_report) for task in tasks]
        if workers == 1 and chosen is None
        else _results(tasks, chosen or LocalEngine(workers), report or _no_report)
    )
    found = {(result.method, result.gold_set): result for result in results}  # as they ended
    ordered = {(task.method, task.gold_set.name): found[task.method, task.gold_set.name] for task in tasks}
    return Evaluation(sets, list(methods), ordered)


def settings_of(method: str) -> CleanConfig:
    """Make settings of a method with its parameters: `mill`, `mill:model=my.mill`, `justext:length_low=7`."""
    name, parameters = parse_spec(method)
    model = parameters.pop("model", "")
    return CleanConfig(format_spec(name, parameters), model=model).with_whole_path()


@dataclass(frozen=True, slots=True)
class _Task:
    """The task of running one method on one gold standard."""

    method: str
    gold_set: GoldSet
    worst: int

    @property
    def name(self) -> str:
        return f"{self.method} on {self.gold_set.name}"

    @property
    def cost(self) -> int:
        return sum(len(page.html) for page in self.gold_set.pages)

    def run(self, report: Report) -> Result:
        result = Result(self.method, self.gold_set.name)
        worst: list[_Ranked] = []
        for number, cleaned in enumerate(_documents(self.gold_set.pages, settings_of(self.method))):
            scores = score(cleaned.page, cleaned.document, cleaned.seconds, cleaned.error)
            result.pages.append(scores)
            _keep_worst(worst, (-scores.f1, -number, cleaned, scores), self.worst)
            report(1)
        result.worst = [
            inspect(seen.page, seen.document, scores) for _, _, seen, scores in sorted(worst, key=_rank, reverse=True)
        ]
        return result


_Ranked = tuple[float, int, Cleaned, PageScore]
"""A page ranked by badness: its negative F1, its negative number (of equals the earlier is worse), and the page."""


def _rank(item: _Ranked) -> tuple[float, int]:
    return item[:2]


def _keep_worst(worst: list[_Ranked], item: _Ranked, size: int) -> None:
    """Keep the worst pages in a heap of bounded size, the best of them on top."""
    if len(worst) < size:
        heapq.heappush(worst, item)
    elif size:
        heapq.heappushpop(worst, item)


def _results(tasks: Sequence[_Task], engine: Engine, report: Report) -> list[Result]:
    results = []
    for outcome in engine.run(tasks, report):
        if outcome.error:
            raise GristmillError(f"{outcome.task.name}: {outcome.error}")
        results.append(outcome.result)
    return results


def _documents(pages: Sequence[GoldPage], config: CleanConfig) -> Iterator[Cleaned]:
    """Clean all pages of a gold standard: one by one, or site by site if the method compares the pages of a site."""
    if method_of(config).score_site is not None:
        for group in by_site(pages).values():
            yield from _clean_site(group, config)
        return
    for page in {page.lang: page for page in pages}.values():
        _clean(page, config)  # warm-up for each language, so that the loading of models is not in the times
    for page in pages:
        yield _clean(page, config)


def _clean(page: GoldPage, config: CleanConfig) -> Cleaned:
    model, html = config.model or None, page.unmarked
    documents, seconds, error = _timed(lambda: [clean(html, page.url, page.lang, config.method, model=model)])
    return Cleaned(page, documents[0] if documents else Document(), seconds, error)


def _clean_site(group: Sequence[GoldPage], config: CleanConfig) -> list[Cleaned]:
    """Clean all pages of one site; each gets the same share of the time."""
    pages = [Page(page.url or "", page.unmarked) for page in group]
    documents, seconds, error = _timed(lambda: clean_site(pages, group[0].lang, config.method))
    found = documents or [Document() for _ in group]
    return [Cleaned(page, document, seconds / len(group), error) for page, document in zip(group, found, strict=True)]


def _timed(run: Callable[[], list[Document]]) -> tuple[list[Document], float, str]:
    """Run a method, and give its documents, seconds and exception: one that raises must not end the evaluation."""
    start = time.perf_counter()
    try:
        documents, error = run(), ""
    except Exception as raised:  # noqa: BLE001 (whatever it is, it is counted)
        documents, error = [], f"{type(raised).__name__}: {raised}"
    return documents, time.perf_counter() - start, error


def _no_report(amount: int) -> None:
    del amount
