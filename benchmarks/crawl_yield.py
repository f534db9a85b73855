"""Words of clean text for the megabytes downloaded, by yield and breadth-first, on a synthetic web on the loopback.

What was downloaded and in which order is in the log of the servers, and what text is in it is known of every page: the
figures do not depend on what the crawler says of itself.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import cast

from harness import at_least_one, print_table, tell

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from localweb import LocalWeb, ServedWeb, Visit, trapped, violations

import gristmill
from gristmill.crawling.config import CrawlConfig

_STRATEGIES = ("breadth-first", "yield")
_BUDGETS = (0.1, 0.2, 0.4, 0.6, 1.0)
_MEGABYTE = 1_000_000
_TEMPO = 0.1  # slow servers are ten times as fast, so that less time is spent waiting for them
_LATER = {"too-many", "!too-many", "retry-date"}  # sites that ask for hours of waiting are not visited
_ASKED_RATIO, _ASKED_SHARE, _ASKED_BUDGET = 3.0, 0.9, 0.4


@dataclass(frozen=True, slots=True)
class Course:
    """How the text grew with the bytes: after each request, the bytes sent and the words of new wanted text."""

    sent: list[int]
    words: list[int]

    def words_at(self, size: float) -> int:
        """Words within so many bytes."""
        last = 0
        for sent, words in zip(self.sent, self.words, strict=True):
            if sent > size:
                break
            last = words
        return last


def main() -> None:
    """Crawl by both strategies, print words at equal budgets, and draw the courses."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1, help="the seed that the web is made from (default: 1)")
    parser.add_argument("--scale", type=float, default=1.0, help="times the pages of sites (default: 1, about 370 MB)")
    parser.add_argument("--workers", type=at_least_one, default=2, help="processes, as for gristmill.crawl")
    parser.add_argument("--picture", type=Path, help="where to draw the courses: an SVG or PNG file; needs matplotlib")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON instead of tables")
    options = parser.parse_args()
    web = LocalWeb(options.seed, options.scale)
    tell("finding out what there is...")
    totals = web.totals
    courses, notes = {}, {}
    for strategy in _STRATEGIES:
        tell(f"{strategy}...")
        visits = crawl(web, strategy, options.workers)
        courses[strategy] = course(web, visits)
        notes[strategy] = {
            "requests": len(visits),
            "megabytes": sum(visit.sent for visit in visits) / _MEGABYTE,
            "violations": {kind: len(cases) for kind, cases in violations(web, visits).items()},
            "in traps": sum(trapped(web, visits).values()),
            "largest trap": max(trapped(web, visits).values(), default=0),
            "kinds": by_kind(web, visits),
        }
    figures = at_budgets(courses, totals.size)
    if options.json:
        print(json.dumps({"budgets": figures, "runs": notes, "words": totals.words, "bytes": totals.size}))
    else:
        show(figures, notes, web)
    if options.picture:
        draw(courses, web, options.picture)


def crawl(web: LocalWeb, strategy: str, workers: int) -> list[Visit]:
    """Crawl until somewhat more than the bytes of the whole web are downloaded; gives the servers' log."""
    come_back_later = [site.host for site in web.sites.values() if site.plan.variant in _LATER]
    config = CrawlConfig().replace(
        {
            "scope": {"languages": [web.wanted], "forbid": come_back_later},
            "strategy": {"name": strategy},
            "stop": {"megabytes": round(web.totals.size * 1.02 / _MEGABYTE) + 1},
            "manners": {"delay": 0.0, "ip_delay": 0.0, "answer_delay": 0.0, "back_off": 0.1, "retries": 0},
            "fetch": {"networks": ["127.0.0.0/16"], "read_seconds": 2.0, "total_seconds": 5.0, "connections": 64},
        }
    )
    folder = Path(tempfile.mkdtemp(prefix="crawl-yield-"))
    try:
        with ServedWeb(web, tempo=_TEMPO) as served:
            gristmill.crawl(
                web.seeds,
                folder / "crawl",
                config,
                workers=workers,
                resolver=served.resolver,
                ssl_context=served.ssl_context,
            )
            return served.visits()
    finally:
        shutil.rmtree(folder)


def course(web: LocalWeb, visits: list[Visit]) -> Course:
    """Bytes and new words in the order in which answers ended."""
    result = Course([], [])
    seen: set[str] = set()
    sent = words = 0
    for visit in sorted(visits, key=lambda visit: visit.ended):
        sent += visit.sent
        truth = web.truth(visit.url) if visit.whole else None
        if truth and truth.text_key and truth.text_key not in seen:
            seen.add(truth.text_key)
            words += truth.words
        result.sent.append(sent)
        result.words.append(words)
    return result


def by_kind(web: LocalWeb, visits: list[Visit]) -> dict[str, int]:
    """Bytes within the budget that matters, by kind of site, the most first."""
    result: Counter[str] = Counter()
    for visit in sorted(visits, key=lambda visit: visit.ended):
        site = web.site(visit.host)
        result[site.plan.kind if site else "none"] += visit.sent
        if result.total() > _ASKED_BUDGET * web.totals.size:
            break
    return dict(result.most_common())


def at_budgets(courses: dict[str, Course], size: int) -> dict[float, dict[str, int]]:
    """Words of each strategy within shares of the bytes of the whole web."""
    return {budget: {name: each.words_at(budget * size) for name, each in courses.items()} for budget in _BUDGETS}


def show(figures: dict[float, dict[str, int]], notes: dict[str, dict[str, object]], web: LocalWeb) -> None:
    """Print words a megabyte and shares of all words at equal budgets."""
    totals = web.totals
    print(
        f"{len(web.sites)} sites, {totals.pages:,} pages, {totals.size / _MEGABYTE:,.0f} MB (without traps), "
        f"{totals.words:,} words of wanted text on pages that are {totals.wanted_size / totals.size:.0%} of the bytes"
    )
    rows = []
    for budget, words in figures.items():
        megabytes = budget * totals.size / _MEGABYTE
        row = [f"{budget:.0%}", f"{megabytes:.0f}"]
        for name in _STRATEGIES:
            row += [f"{words[name] / megabytes:,.0f}", f"{words[name] / totals.words:.1%}"]
        rows.append([*row, f"{words['yield'] / max(1, words['breadth-first']):.1f}x"])
    print_table(["budget", "MB", "breadth-first: words/MB", "of all", "yield: words/MB", "of all", "ratio"], rows)
    print(f"Asked: {_ASKED_RATIO:g}x, and {_ASKED_SHARE:.0%} of all within {_ASKED_BUDGET:.0%}.")
    for name, note in notes.items():
        counts = ", ".join(f"{key} {value:,.0f}" for key, value in note.items() if isinstance(value, int | float))
        print(f"{name}: {counts}, violations {note['violations'] or 'none'}")
        kinds = cast("dict[str, int]", note["kinds"])
        most = ", ".join(f"{kind} {size / _MEGABYTE:.0f}" for kind, size in list(kinds.items())[:12])
        print(f"  MB within {_ASKED_BUDGET:.0%}, by kind of site: {most}")


def draw(courses: dict[str, Course], web: LocalWeb, path: Path) -> None:
    """Draw the share of all wanted words over the share of all bytes."""
    from matplotlib import pyplot as plt  # noqa: PLC0415 (needed for the picture alone)

    plt.rcParams["svg.hashsalt"] = "crawl-yield"
    figure, axes = plt.subplots(figsize=(6.4, 3.6), layout="constrained")
    for (name, each), style in zip(courses.items(), ("--", "-"), strict=True):
        points = thinned([(0, 0), *zip(each.sent, each.words, strict=True)])
        xs = [100 * sent / web.totals.size for sent, _ in points]
        axes.plot(xs, [100 * words / web.totals.words for _, words in points], style, label=name)
    axes.axvline(100 * _ASKED_BUDGET, color="grey", linewidth=0.6)
    axes.axhline(100 * _ASKED_SHARE, color="grey", linewidth=0.6)
    axes.set(xlim=(0, 100), ylim=(0, 100), xlabel="% of the bytes of the web downloaded", ylabel="% of its clean text")
    axes.legend(loc="lower right", frameon=False)
    figure.savefig(path, metadata={"Date": None} if path.suffix == ".svg" else None)
    tell(f"written: {path}")


def thinned(points: list[tuple[int, int]], count: int = 400) -> list[tuple[int, int]]:
    """Some of the points, the last one among them."""
    step = max(1, len(points) // count)
    kept = points[::step]
    assert all(before <= after for before, after in pairwise(kept))
    return [*kept, points[-1]]


if __name__ == "__main__":
    main()
