"""What was kept and dropped, and why: stages, groups, thresholds, copies, samples."""

from __future__ import annotations

import weakref
from dataclasses import asdict, dataclass
from typing import Any

from gristmill.corpus import CorpusReader
from gristmill.html.report import report_file
from gristmill.operations.common import NoParameters
from gristmill.operations.declaration import File, operation
from gristmill.parameters import param
from gristmill.pipeline import Corpus
from gristmill.report.breakdown import COLUMNS, KEYS, breakdown
from gristmill.report.copies import copies
from gristmill.report.overview import overview
from gristmill.report.samples import draw_samples, reasons
from gristmill.report.threshold import Thresholds, scores
from gristmill.report.totals import CorpusFigures
from gristmill.roles import ROLES
from gristmill.stages.times import times_of

_MAX_COUNTED_BYTES = 400_000_000
"""Documents that are counted while somebody waits, if a corpus has no figures."""
_MAX_SEED = 1_000_000


class _Opened:
    """What is counted of a corpus in this process, as long as the corpus is as it was."""

    def __init__(self, corpus: CorpusReader) -> None:
        self.figures = CorpusFigures(corpus, max_bytes=_MAX_COUNTED_BYTES)
        self.thresholds = Thresholds(self.figures)
        self.copies: dict[int, dict[str, Any]] = {}


_opened: weakref.WeakKeyDictionary[Corpus, _Opened] = weakref.WeakKeyDictionary()


def _of(corpus: Corpus) -> _Opened:
    if corpus not in _opened:
        _opened[corpus] = _Opened(corpus.reader)
    return _opened[corpus]


@operation(NoParameters, room="report")
def report(corpus: Corpus, asked: NoParameters) -> dict[str, Any]:
    """Say what is left after each stage, in pages, blocks and words, what each left out and why, and how long it took.

    `times` has what is known on the machine of the server: the last run of each stage there.
    """
    del asked
    return overview(_of(corpus).figures).to_json() | {"times": [asdict(time) for time in times_of(corpus.folder)]}


@dataclass(frozen=True, slots=True)
class BreakdownAsked:
    """How pages are grouped and sorted."""

    by: str = param("What pages are grouped by; by role, blocks are.", default="host", choices=KEYS)
    order: str = param("The column to sort by.", default="words", choices=COLUMNS)
    ascending: bool = param("The lowest values first.", default=False)
    page: int = param("Which page of the rows.", default=1, minimum=1, maximum=1_000_000)
    lines: int = param("Rows on a page.", default=50, minimum=1, maximum=500)


@operation(BreakdownAsked, room="report", name="breakdown")
def groups(corpus: Corpus, asked: BreakdownAsked) -> dict[str, Any]:
    """Count pages and words, and what is kept of them, by host, language, year, month, kind, reason or role."""
    return breakdown(
        _of(corpus).figures,
        asked.by,
        asked.order,
        descending=not asked.ascending,
        start=(asked.page - 1) * asked.lines,
        limit=asked.lines,
    ).to_json()


@dataclass(frozen=True, slots=True)
class ThresholdAsked:
    """A threshold, and roles."""

    max_boilerplate: float | None = param(
        "Blocks with a higher score are dropped; to three decimals. Empty: as built.",
        default=None,
        minimum=0,
        maximum=1,
    )
    roles: tuple[str, ...] = param("Roles that count as text; none: those of the build.", default=(), choices=ROLES)


@operation(ThresholdAsked, room="report")
def threshold(corpus: Corpus, asked: ThresholdAsked) -> dict[str, Any]:
    """Count what a threshold and a choice of roles would keep: pages, blocks and words.

    `before` is of all cleaned pages, before filters and de-duplication; `after` takes what these decided in the build
    for granted; `of` is all that there is.
    """
    built = corpus.config.clean.max_boilerplate
    limit = built if asked.max_boilerplate is None else asked.max_boilerplate
    return _of(corpus).thresholds.cut(limit, asked.roles or None).to_json()


@operation(NoParameters, room="report", name="scores")
def score_bins(corpus: Corpus, asked: NoParameters) -> dict[str, Any]:
    """Give blocks and words by role and boilerplate score, in a hundred bins.

    A row is `[role, built, left, bin, blocks, words]`: the place of the role in `roles`, whether it is text as built,
    whether filters and de-duplication left the blocks, and the bin. `pages` has what each threshold keeps with the
    roles of the build, before and after filters.
    """
    del asked
    return scores(_of(corpus).figures)


@dataclass(frozen=True, slots=True)
class RepetitionAsked:
    """How much is listed."""

    most: int = param("Blocks, pairs of hosts and hosts that are listed.", default=20, minimum=1, maximum=200)


@operation(RepetitionAsked, room="report")
def repetition(corpus: Corpus, asked: RepetitionAsked) -> dict[str, Any]:
    """Say how much is repeated, which blocks most often, and which hosts repeat each other."""
    opened = _of(corpus)
    if asked.most not in opened.copies:
        opened.copies = {asked.most: copies(opened.figures, asked.most).to_json()}
    return opened.copies[asked.most]


@dataclass(frozen=True, slots=True)
class SamplesAsked:
    """Which samples."""

    seed: int = param("The same seed gives the same samples.", default=0, minimum=0, maximum=_MAX_SEED)
    count: int = param("Samples of each reason.", default=3, minimum=1, maximum=20)
    reason: tuple[str, ...] = param("Only of these reasons; none: of all.", default=(), max_characters=100)


@operation(SamplesAsked, room="report")
def samples(corpus: Corpus, asked: SamplesAsked) -> dict[str, Any]:
    """Draw random samples of kept text, and of what was dropped, for every reason."""
    figures = _of(corpus).figures
    found = draw_samples(figures, asked.seed, asked.count, [name for name in asked.reason if name] or None)
    known = [{"reason": item.reason, "label": item.label, "count": item.count} for item in reasons(figures)]
    return {"seed": asked.seed, "known": known, "reasons": [reason.to_json() for reason in found]}


@operation(NoParameters, room="report", content_types=("text/html",), name="report-file")
def file(corpus: Corpus, asked: NoParameters) -> File:
    """Give the report as one file of HTML that needs nothing else."""
    del asked
    name = corpus.folder.resolve().name
    text = report_file(_of(corpus).figures, name)
    return File(text.encode("utf-8", "replace"), "text/html; charset=utf-8", "report.html")
