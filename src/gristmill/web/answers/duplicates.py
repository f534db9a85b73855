"""Review of duplicates: pairs and clusters to judge, judgements, and how good de-duplication is by them."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from gristmill.errors import UsageError
from gristmill.judgements import duplicates as reviewing  # what takes long to import comes with its first use
from gristmill.judgements.duplicates import ORDERS, STRATA, VERDICTS, Judged, Reviews, read_reviews
from gristmill.judgements.duplicates.store import MAX_JUDGE_CHARACTERS, as_pair, check_judge
from gristmill.operations.declaration import File, operation
from gristmill.parameters import param
from gristmill.pipeline import Corpus

if TYPE_CHECKING:
    from gristmill.judgements.duplicates import Candidate, Candidates

ANONYMOUS = "me"
"""The judge where nobody has a name."""
_JUDGE = "Who judges; on a server with users it is who has logged in."
_ORDER = f"In which order pairs come: {', '.join(f'{name} ({about})' for name, about in ORDERS.items())}."
_NEAR = "Whether near-duplicates count as duplicates."
STATES = {"all": "all", "open": "not judged by you", "judged": "judged by anybody", "disputed": "judges differ"}


@dataclass(frozen=True, slots=True)
class PairsAsked:
    """Which pairs to list."""

    order: str = param(_ORDER, default="unsure", choices=tuple(ORDERS))
    state: str = param("Only pairs in this state.", default="all", choices=tuple(STATES))
    judge: str = param(_JUDGE, default="", max_characters=MAX_JUDGE_CHARACTERS)
    page: int = param("Which page.", default=1, minimum=1, maximum=1_000_000)
    lines: int = param("Pairs on a page.", default=25, minimum=1, maximum=200)


@dataclass(frozen=True, slots=True)
class ClustersAsked:
    """Which clusters to list."""

    page: int = param("Which page.", default=1, minimum=1, maximum=1_000_000)
    lines: int = param("Clusters on a page.", default=25, minimum=1, maximum=200)
    judge: str = param(_JUDGE, default="", max_characters=MAX_JUDGE_CHARACTERS)


@dataclass(frozen=True, slots=True)
class ClusterAsked:
    """Which cluster to show."""

    id: str = param(about="The id of one of its documents.", max_characters=60)
    judge: str = param(_JUDGE, default="", max_characters=MAX_JUDGE_CHARACTERS)
    page: int = param("Which page.", default=1, minimum=1, maximum=1_000_000)
    lines: int = param("Documents on a page.", default=50, minimum=1, maximum=200)


@dataclass(frozen=True, slots=True)
class PairAsked:
    """Which pair to show."""

    first: str = param(about="The id of a document.", max_characters=60)
    second: str = param(about="The id of the other document.", max_characters=60)
    words: int = param("So many words of each are compared.", default=1000, minimum=100, maximum=3000)


@dataclass(frozen=True, slots=True)
class NextAsked:
    """Where one is, to find the next pair."""

    order: str = param(_ORDER, default="random", choices=tuple(ORDERS))
    judge: str = param(_JUDGE, default="", max_characters=MAX_JUDGE_CHARACTERS)
    first: str = param("The pair after which to look: the id of a document.", default="", max_characters=60)
    second: str = param("The id of the other document.", default="", max_characters=60)


@dataclass(frozen=True, slots=True)
class JudgeAsked:
    """A judgement."""

    first: str = param(about="The id of a document.", max_characters=60)
    second: str = param(about="The id of the other document.", max_characters=60)
    verdict: str = param(about="Duplicates (yes), near-duplicates, or different texts (no).", choices=VERDICTS)
    judge: str = param(_JUDGE, default="", max_characters=MAX_JUDGE_CHARACTERS)


@dataclass(frozen=True, slots=True)
class UndoAsked:
    """Whose last judgement is taken back."""

    judge: str = param(_JUDGE, default="", max_characters=MAX_JUDGE_CHARACTERS)


@dataclass(frozen=True, slots=True)
class FiguresAsked:
    """How to count."""

    near: bool = param(_NEAR, default=True)


@dataclass(frozen=True, slots=True)
class ExportAsked:
    """Which file."""

    format: str = param(
        "clusters (documents with texts, for `gristmill evaluate dedup`), csv or json (a row for each judgement).",
        default="clusters",
        choices=("clusters", "csv", "json"),
    )
    near: bool = param(_NEAR, default=True)


def judge_of(asked: str, user: str) -> str:
    """Tell who judges: the user who has logged in, else the name that is given."""
    return check_judge(user or asked or ANONYMOUS)


_last: list[tuple[Corpus, Candidates]] = []
"""The candidates of the corpus that was asked about last: to find them takes longer than to answer."""


def _candidates(corpus: Corpus) -> Candidates:
    if not _last or _last[0][0] is not corpus:
        _last[:] = [(corpus, reviewing.Candidates(corpus.shards))]
    return _last[0][1]


@operation(PairsAsked, room="duplicates")
def duplicate_pairs(corpus: Corpus, asked: PairsAsked, user: str) -> dict[str, Any]:
    """List pairs of documents that de-duplication found alike, almost alike, or missed though the titles are the same.

    `strata` says how many pairs there are of each kind, `judges` how many each judge has judged.
    """
    candidates, judged = _candidates(corpus), read_reviews(corpus.folder)
    judge = judge_of(asked.judge, user)
    chosen = candidates.ordered(asked.order)
    if asked.state != "all":
        by_state = {"open": judged.by(judge), "judged": judged.verdicts, "disputed": judged.disputed()}
        is_in = np.isin(chosen, candidates.numbers_of(by_state[asked.state]))
        chosen = chosen[~is_in if asked.state == "open" else is_in]
    shown = [candidates[int(number)] for number in chosen[(asked.page - 1) * asked.lines : asked.page * asked.lines]]
    return {
        "total": len(chosen),
        "page": asked.page,
        "pages": max(math.ceil(len(chosen) / asked.lines), 1),
        "judge": judge,
        "judges": judged.judges,
        "method": corpus.config.dedup.method,
        "strata": _strata(candidates),
        "pairs": _described(corpus, shown, judged, judge),
    }


def _strata(candidates: Candidates) -> list[dict[str, Any]]:
    return [{"name": name, "about": STRATA[name], "pairs": count} for name, count in candidates.sizes.items()]


def _described(corpus: Corpus, shown: list[Candidate], judged: Judged, judge: str) -> list[dict[str, Any]]:
    about = _describe(corpus, {identifier for item in shown for identifier in item.pair})
    rows = []
    for item in shown:
        verdicts = judged.of(item.pair)
        others = {name: verdict for name, verdict in verdicts.items() if name != judge}
        rows.append(
            {
                "first": about[item.pair[0]],
                "second": about[item.pair[1]],
                "score": round(item.score, 4),
                "stratum": item.stratum,
                "found": item.found,
                "verdict": verdicts.get(judge, ""),
                "others": others,
            }
        )
    return rows


def _describe(corpus: Corpus, ids: Iterable[str]) -> dict[str, dict[str, Any]]:
    """What is known of documents, without the rest of titles and addresses that are very long."""
    from gristmill.judgements.duplicates.pair import describe  # noqa: PLC0415 (as above)

    found = describe(corpus.reader, ids).values()
    return {item.id: asdict(replace(item, title=item.title[:300], url=item.url[:2000])) for item in found}


@operation(ClustersAsked, room="duplicates")
def duplicate_clusters(corpus: Corpus, asked: ClustersAsked, user: str) -> dict[str, Any]:
    """List the clusters of documents that de-duplication found alike, the largest first."""
    candidates, judged = _candidates(corpus), read_reviews(corpus.folder)
    found = candidates.clusters()
    shown = found[(asked.page - 1) * asked.lines : asked.page * asked.lines]
    about = _describe(corpus, {cluster[0] for cluster in shown})
    by_judge = judged.by(judge_of(asked.judge, user))
    return {
        "total": len(found),
        "documents": sum(map(len, found)),
        "page": asked.page,
        "pages": max(math.ceil(len(found) / asked.lines), 1),
        "clusters": [
            {
                "first": about[cluster[0]],
                "documents": len(cluster),
                "judged": sum((cluster[0], other) in by_judge for other in cluster[1:]),
            }
            for cluster in shown
        ],
    }


@operation(ClusterAsked, room="duplicates")
def duplicate_cluster(corpus: Corpus, asked: ClusterAsked, user: str) -> dict[str, Any]:
    """List the documents of a cluster, each with its pair: how much it has in common with the first one."""
    candidates, judged = _candidates(corpus), read_reviews(corpus.folder)
    members = candidates.cluster_of(asked.id)
    if not members:
        raise UsageError(f"there is no document {asked.id[:60]!r}")
    others = members[1:]
    shown = others[(asked.page - 1) * asked.lines : asked.page * asked.lines]
    pairs = [found for other in shown if (found := candidates.find((members[0], other)))]
    return {
        "first": _describe(corpus, members[:1])[members[0]],
        "documents": len(members),
        "page": asked.page,
        "pages": max(math.ceil(len(others) / asked.lines), 1),
        "pairs": _described(corpus, pairs, judged, judge_of(asked.judge, user)),
    }


@operation(PairAsked, room="duplicates")
def duplicate_pair(corpus: Corpus, asked: PairAsked) -> dict[str, Any]:
    """Compare two documents: their texts in pieces that are in both, only here (first), or only there (second)."""
    pair = as_pair(asked.first, asked.second)
    candidate = _candidates(corpus).find(pair)
    if candidate is None:
        raise UsageError("there is no such pair of documents in this corpus")
    compared = reviewing.compare_documents(corpus.reader, pair, asked.words)
    return {
        "first": asdict(compared.first),
        "second": asdict(compared.second),
        "score": round(candidate.score, 4),
        "stratum": candidate.stratum,
        "found": candidate.found,
        "common": round(compared.common, 4),
        "here": {"pieces": [asdict(piece) for piece in compared.comparison.of("here")], **_cut(compared, "here")},
        "there": {"pieces": [asdict(piece) for piece in compared.comparison.of("there")], **_cut(compared, "there")},
        "verdicts": read_reviews(corpus.folder).of(pair),
    }


def _cut(compared: Any, side: str) -> dict[str, int]:
    return asdict(getattr(compared.comparison, side))


@operation(NextAsked, room="duplicates")
def duplicate_next(corpus: Corpus, asked: NextAsked, user: str) -> dict[str, Any]:
    """Find the next pair in an order that the judge has not judged; `pair` is null if there is none."""
    candidates, judged = _candidates(corpus), read_reviews(corpus.folder)
    judge = judge_of(asked.judge, user)
    own = judged.by(judge)
    after = as_pair(asked.first, asked.second) if asked.first or asked.second else None
    found = candidates.next_pair(asked.order, own, after)
    is_judged = np.isin(candidates.ordered(asked.order), candidates.numbers_of(own))
    return {
        "pair": list(found.pair) if found else None,
        "judge": judge,
        "judged": len(own),
        "left": int((~is_judged).sum()),
    }


@operation(JudgeAsked, room="duplicates", role="annotator", effect="writes")
def judge_duplicates(corpus: Corpus, asked: JudgeAsked, user: str) -> dict[str, Any]:
    """Judge a pair; it is stored when this is answered, and takes the place of what the same judge said before."""
    pair, judge = as_pair(asked.first, asked.second), judge_of(asked.judge, user)
    if _candidates(corpus).find(pair) is None:
        raise UsageError("there is no such pair of documents in this corpus")
    with Reviews(corpus.folder) as reviews:
        reviews.judge(pair, judge, asked.verdict)
    return {"first": pair[0], "second": pair[1], "judge": judge, "verdict": asked.verdict}


@operation(UndoAsked, room="duplicates", role="annotator", effect="writes")
def undo_duplicates(corpus: Corpus, asked: UndoAsked, user: str) -> dict[str, Any]:
    """Take back the last judgement of a judge; `pair` is the one that it was of, or null."""
    judge = judge_of(asked.judge, user)
    with Reviews(corpus.folder) as reviews:
        pair = reviews.undo(judge)
    return {"judge": judge, "pair": list(pair) if pair else None}


@operation(FiguresAsked, room="duplicates")
def duplicate_figures(corpus: Corpus, asked: FiguresAsked) -> dict[str, Any]:
    """Say how good de-duplication is by the pairs that were judged: precision, recall, B-cubed, AU-ROC.

    `precision`, `recall` and `estimated_au_roc` are estimates for all candidates of the corpus, by the pairs that were
    judged in random order; `pairs`, `b_cubed` and `au_roc` are of the judged pairs alone. Duplicates that share neither
    text that de-duplication saw nor a title are in no figure.
    """
    judged = read_reviews(corpus.folder)
    figures = reviewing.measure(_candidates(corpus), judged, near_counts=asked.near)
    found = asdict(figures)
    for name in ("pairs", "b_cubed"):
        agreement = getattr(figures, name)
        found[name] = {**found[name], "f1": agreement.f1} if agreement else None
    return {**found, "judged_by": judged.judges, "method": corpus.config.dedup.method}


@operation(ExportAsked, room="duplicates", content_types=("application/x-ndjson", "text/csv"))
def export_duplicates(corpus: Corpus, asked: ExportAsked) -> File:
    """Download what was judged: as a truth for `gristmill evaluate dedup`, or a row for each judgement."""
    from gristmill.judgements.duplicates.exporting import (  # noqa: PLC0415 (as above)
        as_csv,
        as_json_lines,
        known_clusters,
    )

    judged = read_reviews(corpus.folder)
    if asked.format == "clusters":
        text = known_clusters(corpus.reader, judged, near_counts=asked.near)
        return File(text.encode("utf-8", "replace"), "application/x-ndjson", "duplicates.jsonl")
    if asked.format == "csv":
        text = as_csv(_candidates(corpus), judged)
        return File(text.encode("utf-8", "replace"), "text/csv; charset=utf-8", "judged-pairs.csv")
    text = as_json_lines(_candidates(corpus), judged)
    return File(text.encode("utf-8", "replace"), "application/x-ndjson", "judged-pairs.jsonl")
