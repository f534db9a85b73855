"""The pages on which duplicates are reviewed: lists of pairs and clusters, two documents side by side, figures."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from starlette.responses import Response

from gristmill.judgements.duplicates import ORDERS, STRATA
from gristmill.judgements.duplicates.store import MAX_JUDGE_CHARACTERS
from gristmill.parameters import param, read, to_query
from gristmill.web.answers.duplicates import (
    STATES,
    ClusterAsked,
    ClustersAsked,
    FiguresAsked,
    JudgeAsked,
    NextAsked,
    PairAsked,
    PairsAsked,
    UndoAsked,
)
from gristmill.web.pages import page
from gristmill.web.visit import Visit

_ROOM = "duplicates"
_WORDS: dict[str, Any] = {"strata": STRATA, "orders": ORDERS, "states": STATES}


@dataclass(frozen=True, slots=True)
class ReviewAsked:
    """A pair to judge, and the order in which the next ones come; without a pair, the next one is shown."""

    first: str = param("The id of a document.", default="", max_characters=60)
    second: str = param("The id of the other document.", default="", max_characters=60)
    order: str = param("In which order pairs come.", default="random", choices=tuple(ORDERS))
    judge: str = param("Who judges.", default="", max_characters=MAX_JUDGE_CHARACTERS)
    words: int = param("So many words of each are compared.", default=1000, minimum=100, maximum=3000)


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the form below a pair sends: a judgement, or that the pair is skipped."""

    first: str = param(default="", max_characters=60)
    second: str = param(default="", max_characters=60)
    order: str = param(default="random", choices=tuple(ORDERS))
    judge: str = param(default="", max_characters=MAX_JUDGE_CHARACTERS)
    verdict: str = param(default="", choices=("yes", "near", "no", "skip", "undo"))


def _pager(visit: Visit, path: str, asked: Any) -> Callable[[int], str]:
    def link(number: int) -> str:
        query = to_query(asked, page=number)
        return visit.link(path) + (f"?{query}" if query else "")

    return link


@page("duplicates", room=_ROOM)
async def pairs(visit: Visit) -> Response:
    """List pairs."""
    asked = visit.read(PairsAsked)
    found = await visit.ask("duplicate-pairs", asked)
    return visit.page("duplicates.html", asked=asked, found=found, link=_pager(visit, "duplicates", asked), **_WORDS)


@page("duplicates/clusters", room=_ROOM)
async def clusters(visit: Visit) -> Response:
    """List clusters."""
    asked = visit.read(ClustersAsked)
    found = await visit.ask("duplicate-clusters", asked)
    link = _pager(visit, "duplicates/clusters", asked)
    return visit.page("duplicates_clusters.html", asked=asked, found=found, link=link)


@page("duplicates/cluster", room=_ROOM)
async def cluster(visit: Visit) -> Response:
    """Show a cluster."""
    asked = visit.read(ClusterAsked)
    found = await visit.ask("duplicate-cluster", asked)
    link = _pager(visit, "duplicates/cluster", asked)
    return visit.page("duplicates_cluster.html", asked=asked, found=found, link=link, **_WORDS)


@page("duplicates/review", room=_ROOM)
async def review(visit: Visit) -> Response:
    """Show a pair side by side; without one, lead to the next that is to be judged."""
    asked = visit.read(ReviewAsked)
    ahead = await visit.ask(
        "duplicate-next", NextAsked(order=asked.order, judge=asked.judge, first=asked.first, second=asked.second)
    )
    if not asked.first and not asked.second:
        return visit.go(_review_address(visit, asked, ahead["pair"]))
    pair = await visit.ask("duplicate-pair", PairAsked(asked.first, asked.second, asked.words))
    return visit.page("duplicates_review.html", asked=asked, pair=pair, ahead=ahead, **_WORDS)


def _review_address(visit: Visit, asked: ReviewAsked | Verdict, pair: list[str] | None) -> str:
    """Where the next pair is shown; the figures if there is none left."""
    if pair is None:
        return visit.link("duplicates/figures", done=1)
    given = {"order": asked.order if asked.order != "random" else "", "judge": asked.judge}
    return visit.link("duplicates/review", first=pair[0], second=pair[1], **given)


@page("duplicates/review", room=_ROOM, method="POST", role="annotator")
async def judge(visit: Visit) -> Response:
    """Store a judgement, take one back, or skip a pair, and go on with the next pair."""
    asked = read(Verdict, await visit.form())
    if asked.verdict == "undo":
        undone = await visit.ask("undo-duplicates", UndoAsked(judge=asked.judge))
        return visit.go(_review_address(visit, asked, undone["pair"] or [asked.first, asked.second]))
    if asked.verdict != "skip":
        await visit.ask("judge-duplicates", JudgeAsked(asked.first, asked.second, asked.verdict, asked.judge))
    then = NextAsked(order=asked.order, judge=asked.judge, first=asked.first, second=asked.second)
    return visit.go(_review_address(visit, asked, (await visit.ask("duplicate-next", then))["pair"]))


@dataclass(frozen=True, slots=True)
class FiguresShown:
    """How to count, and whether the last pair was just judged."""

    near: bool = param("Whether near-duplicates count as duplicates.", default=True)
    counted: bool = param("Whether the form was sent, in which a box that is not ticked is missing.", default=False)
    done: bool = param("Whether there is no pair left.", default=False)


@page("duplicates/figures", room=_ROOM)
async def figures(visit: Visit) -> Response:
    """Show how good de-duplication is by what was judged."""
    given = visit.given
    asked = visit.read(FiguresShown)
    near = asked.near if "near" in given or not asked.counted else False
    found = await visit.ask("duplicate-figures", FiguresAsked(near=near))
    return visit.page("duplicates_figures.html", found=found, near=near, done=asked.done, **_WORDS)
