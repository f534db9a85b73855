"""Measure `mill` on pages from elsewhere: each gold standard with a model that was trained without it, next to peers.

All sets are measured four times: with models of the other sets and with models of the other sites of all sets, both
with the roles that the set's own guideline counts as text (chosen on the other half of its pages) and with the default
roles. A peer counts with that of its settings that is best on the set, and with the settings that it has by itself.
Scores are F1 of bags of words as a mean over pages; a page in which no block is found scores 0.

With `--write` the tables replace what is between two marks in a file of Markdown.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import multiprocessing
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from harness import at_least_one, tell

from gristmill.evaluation.gold import GoldPage, read_gold
from gristmill.evaluation.training.guidelines import counted_blocks, shares_of_roles
from gristmill.evaluation.training.leaving_out import (
    Odds,
    Result,
    Split,
    own_roles,
    score_split,
    splits_by_language,
    splits_by_set,
    splits_by_site,
    with_default_roles,
    with_own_roles,
    with_roles,
)
from gristmill.evaluation.training.mill import TRAINED_ON, Example, read_examples
from gristmill.evaluation.words import plain_words
from gristmill.roles import ROLES

BEGIN = "<!-- made by benchmarks/elsewhere.py: begin -->"
END = "<!-- made by benchmarks/elsewhere.py: end -->"

_SETS = (
    "cleaneval",
    "canola",
    "l3s-gn1",
    "cleanportaleval",
    "dragnet-a",
    "daniel-a",
    "wcxb-a",
    "andy-a",
    "googletrends-a",
    "ceed-a",
)
_OF_LANGUAGES = "daniel-a"
_FOLDS = 5
_READ_AT_ONCE = 25  # pages
_NOTHING = (0.0, 0.0, 0.0)

T = TypeVar("T")
Key = tuple[str, str]
"""The set and the id of a page."""
Results = dict[str, list[Result]]
"""Precision, recall and F1 of each page of each gold standard."""
_splits: list[Split] = []  # for the processes that are forked from this one, so that pages are in memory once


@dataclasses.dataclass(slots=True)
class Peers:
    """What the peers score."""

    names: list[tuple[str, str]] = dataclasses.field(default_factory=list)
    """Peer and setting; the first one of a peer is what it does by itself."""
    results: dict[Key, list[Result]] = dataclasses.field(default_factory=dict)
    """For each page, one result for each name."""
    raised: Counter[str] = dataclasses.field(default_factory=Counter)
    """The errors of each peer."""

    def means(self, keys: Iterable[Key]) -> list[float]:
        """The mean F1 of each setting on some pages."""
        found: list[float] = np.mean([[f1 for _, _, f1 in self.results[key]] for key in keys], axis=0).tolist()
        return found

    def save(self, path: Path) -> None:
        """Write all results to a file."""
        results = [[*key, *values] for key, values in self.results.items()]
        path.write_text(json.dumps({"names": self.names, "results": results, "raised": dict(self.raised)}), "utf-8")

    @classmethod
    def load(cls, path: Path) -> Peers:
        """Read the results that an earlier run has written."""
        found = json.loads(path.read_text("utf-8"))
        names = [(peer, setting) for peer, setting in found["names"]]
        results = {(name, page): [tuple(value) for value in values] for name, page, *values in found["results"]}
        return cls(names, results, Counter(found["raised"]))


@dataclasses.dataclass(slots=True)
class Figures:
    """All that is measured."""

    pages: dict[str, list[GoldPage]]
    examples: list[Example]
    by_set: Odds
    by_site: Odds
    by_language: Odds
    peers: Peers

    @property
    def sets(self) -> list[str]:
        """The names of the gold standards, in the order of the tables."""
        return list(self.pages)

    def keys(self, name: str) -> list[Key]:
        """The pages of a gold standard."""
        return [(name, page.id) for page in self.pages[name]]

    def ours(self, found: Results) -> Results:
        """Our results on all pages: those in which no block was found are added, with a score of 0."""
        return {
            name: [*found.get(name, ()), *[_NOTHING] * (len(pages) - len(found.get(name, ())))]
            for name, pages in self.pages.items()
        }


def read_arguments(given: Sequence[str] | None = None) -> argparse.Namespace:
    """The options of this run."""
    parser = argparse.ArgumentParser(description=f"Cleaning of pages from elsewhere. {__doc__}")
    parser.add_argument("gold", type=Path, metavar="GOLD_FOLDER", help="folder of gold standards")
    parser.add_argument("--write", type=Path, metavar="FILE", help="write the tables into this file, between its marks")
    parser.add_argument("--limit", type=at_least_one, metavar="N", help="pages of each gold standard (default: all)")
    parser.add_argument("--workers", type=at_least_one, default=2, help="processes (default: 2); a fit takes 1.5 GB")
    parser.add_argument(
        "--peers", action=argparse.BooleanOptionalAction, default=True, help="whether the peers are measured, too"
    )
    parser.add_argument(
        "--keep", type=Path, metavar="FILE", help="keep what the peers score in this file, and take it from there again"
    )
    parser.add_argument("--seed", type=int, default=0)
    return parser.parse_args(given)


def main() -> None:
    """Read pages, fit models, run the peers, and print or write the tables."""
    arguments = read_arguments()
    if arguments.write is not None:
        _divide(arguments.write)  # a file without marks is known before hours of work
    pages = read_pages(arguments.gold, arguments.limit)
    workers, seed = arguments.workers, arguments.seed
    # The peers come first: later on, each process that is forked has all examples.
    peers = run_peers(pages, workers, arguments.keep) if arguments.peers else Peers()
    examples = read_all_examples(pages, workers)
    trained_on = [name for name in TRAINED_ON if name in pages]
    sets = splits_by_set(examples, trained_on)
    languages = splits_by_language(examples, _OF_LANGUAGES, trained_on)
    sites = splits_by_site(examples, trained_on, seed, _FOLDS)
    scored = score_splits([*sets, *languages, *sites], seed, workers)
    figures = Figures(
        pages,
        examples,
        _joined(scored[: len(sets)]),
        _joined(scored[len(sets) + len(languages) :]),
        _joined(scored[len(sets) : len(sets) + len(languages)]),
        peers,
    )
    text = "\n".join(_report(figures))
    if arguments.write is None:
        print(text)
    else:
        before, after = _divide(arguments.write)
        arguments.write.write_text(f"{before}{BEGIN}\n\n{text}\n{END}{after}", "utf-8")


def read_pages(folder: Path, limit: int | None) -> dict[str, list[GoldPage]]:
    """The pages of each gold standard that have a text to be found."""
    missing = [name for name in _SETS if not (folder / f"{name}.parquet").is_file()]
    if missing:
        sys.exit(f"There is no {folder / missing[0]}.parquet.")
    found = {}
    for gold_set in read_gold([folder / f"{name}.parquet" for name in _SETS]):
        found[gold_set.name] = [page for page in gold_set.select(limit=limit).pages if plain_words(page.gold)]
    return found


def read_all_examples(pages: Mapping[str, Sequence[GoldPage]], workers: int) -> list[Example]:
    """Compute the features of all pages, in several processes."""
    parts = [found[at : at + _READ_AT_ONCE] for found in pages.values() for at in range(0, len(found), _READ_AT_ONCE)]
    examples = [example for part in _run("pages read, in parts", _read_part, parts, workers) for example in part]
    whole = {(page.gold_set, page.id): page for found in pages.values() for page in found}
    guidelines = shares_of_roles(examples)  # each process knew some pages of a set only
    for example in examples:
        example.gold = whole[example.gold_set, example.gold.id]
        example.learn_only(counted_blocks(example.roles, guidelines[example.gold_set]))
    return examples


def _read_part(pages: Sequence[GoldPage]) -> list[Example]:
    examples = list(read_examples(pages).values())
    for example in examples:
        example.gold = dataclasses.replace(example.gold, html=b"", annotated=None)  # what need not be sent back
    return examples


def run_peers(pages: Mapping[str, Sequence[GoldPage]], workers: int, keep: Path | None) -> Peers:
    """Run all peers with all settings on all pages; or take what an earlier run kept, as peers stay the same."""
    if keep is not None and keep.exists():
        return Peers.load(keep)
    from elsewhere_peers import score_peers, settings  # noqa: PLC0415 - peers need not be installed with --no-peers

    peers = Peers([(setting.peer, setting.name) for setting in settings()])
    every = [page for found in pages.values() for page in found]
    for page, (results, raised) in zip(every, _run("pages by peers", score_peers, every, workers), strict=True):
        peers.results[page.gold_set, page.id] = results
        peers.raised.update({peer for (peer, _), failed in zip(peers.names, raised, strict=True) if failed})
    if keep is not None:
        peers.save(keep)
    return peers


def score_splits(splits: Sequence[Split], seed: int, workers: int) -> list[Odds]:
    """Fit a model for each split, several at a time, and score the pages that are held out."""
    _splits[:] = splits
    jobs = [(at, seed) for at in range(len(splits))]
    found = _run("models", _score_one, jobs, workers)
    return [list(zip(held_out, odds, strict=True)) for (_, held_out), odds in zip(splits, found, strict=True)]


def _score_one(job: tuple[int, int]) -> list[Any]:
    at, seed = job
    return [odds for _, odds in score_split(_splits[at], seed)]


def _run(what: str, work: Callable[[Any], T], jobs: Sequence[Any], workers: int) -> Iterator[T]:
    """Do work in processes that are forked now, in the order of the jobs; says once a minute how far it is."""
    begun = told = time.monotonic()
    with ProcessPoolExecutor(workers, multiprocessing.get_context("fork")) as pool:
        for done, result in enumerate(pool.map(work, jobs), 1):
            yield result
            now = time.monotonic()
            if now - told > 60 or done == len(jobs):
                tell(f"{what}: {done} of {len(jobs)} after {(now - begun) / 60:.1f} minutes")
                told = now


def _joined(parts: Iterable[Odds]) -> Odds:
    return [item for part in parts for item in part]


def _divide(path: Path) -> tuple[str, str]:
    """What stands before and behind the marks of a file."""
    text = path.read_text("utf-8")
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        sys.exit(f"{path} does not have the lines {BEGIN} and {END}.")
    return before, after


def _report(figures: Figures) -> Iterator[str]:
    """The tables, as Markdown."""
    own_by_set, choices = with_own_roles(figures.by_set)
    own_by_site, _ = with_own_roles(figures.by_site)
    ours = {
        "each set left out, its own roles": figures.ours(own_by_set),
        "each set left out, default roles": figures.ours(with_default_roles(figures.by_set)),
        "folds by site, own roles": figures.ours(own_by_site),
        "folds by site, default roles": figures.ours(with_default_roles(figures.by_site)),
    }
    yield from _main_table(figures, ours)
    yield from _precision_table(figures, ours)
    yield from _roles_tables(figures, choices)
    yield from _language_table(figures)
    if figures.peers.names:
        yield from _settings_table(figures)


def _main_table(figures: Figures, ours: Mapping[str, Results]) -> Iterator[str]:
    yield "**F1 of words**, mean over pages.\n"
    rows = [
        [f"`mill`, {name}", *_with_mean([_means(found[gold_set])[2] for gold_set in figures.sets])]
        for name, found in ours.items()
    ]
    if figures.peers.names:
        means = {name: figures.peers.means(figures.keys(name)) for name in figures.sets}
        grouped = _by_peer(figures.peers.names)
        best = [max(means[name]) for name in figures.sets]
        first = next(iter(ours.values()))
        ahead = [_means(first[name])[2] - value for name, value in zip(figures.sets, best, strict=True)]
        rows.append(["best peer of each set", *_with_mean(best)])
        which = [_full_name(*figures.peers.names[means[name].index(max(means[name]))]) for name in figures.sets]
        rows.append(["which", *which, ""])
        rows.append(["`mill` ahead of it by", *_with_mean(ahead, "+")])
        rows += [
            [
                f"{peer}, best setting of each set",
                *_with_mean([max(means[name][at] for at in places) for name in figures.sets]),
            ]
            for peer, places in grouped.items()
            if len(places) > 1
        ]
        rows += [
            [f"{peer}, as it is", *_with_mean([means[name][places[0]] for name in figures.sets])]
            for peer, places in grouped.items()
        ]
    yield from _table(["", *figures.sets, "mean"], rows)
    yield from _pages_table(figures)


def _pages_table(figures: Figures) -> Iterator[str]:
    read = Counter(example.gold_set for example in figures.examples)
    known = {name: {page.site for page in pages} for name, pages in figures.pages.items() if name in TRAINED_ON}
    counts: dict[str, list[int]] = {"pages": [], "without any block": [], "of a site that is in another set, too": []}
    for name, pages in figures.pages.items():
        others = set().union(*(sites for other, sites in known.items() if other != name))
        found = (len(pages), len(pages) - read[name], sum(page.site in others for page in pages))
        for listed, number in zip(counts.values(), found, strict=True):
            listed.append(number)
    rows = [[what, *map(str, (*numbers, sum(numbers)))] for what, numbers in counts.items()]
    yield from _table(["", *figures.sets, "all"], rows)
    raised = ", ".join(f"{peer} {number}" for peer, number in sorted(figures.peers.raised.items()))
    if raised:
        yield f"Pages on which a peer raised an error and so found nothing: {raised}.\n"


def _precision_table(figures: Figures, ours: Mapping[str, Results]) -> Iterator[str]:
    yield "**Precision and recall of `mill`.**\n"
    rows = []
    for name, found in ours.items():
        for at, measure in enumerate(("precision", "recall")):
            values = [_means(found[gold_set])[at] for gold_set in figures.sets]
            rows.append([f"{measure}: {name}", *_with_mean(values)])
    yield from _table(["", *figures.sets, "mean"], rows)


def _roles_tables(figures: Figures, choices: Mapping[str, Sequence[tuple[str, ...]]]) -> Iterator[str]:
    yield (
        "**What the guidelines count as text**: of the words of each role, the share in the gold text, as a mean over"
        " the pages that have the role.\n"
    )
    shares = shares_of_roles(figures.examples)
    rows = [
        [role, *(_number(shares[name][role]) if role in shares[name] else "-" for name in figures.sets)]
        for role in ROLES
    ]
    yield from _table(["role", *figures.sets], rows)
    yield (
        "**Roles that are left out for each set** in the rows with own roles, as chosen on one half of its pages and"
        " used for the other.\n"
    )
    listed = [[", ".join(left_out) or "none" for left_out in choices.get(name, ())] for name in figures.sets]
    yield from _table(
        ["set", "for one half", "for the other"],
        [[name, *found] for name, found in zip(figures.sets, listed, strict=True)],
        "---|",
    )


def _language_table(figures: Figures) -> Iterator[str]:
    yield (
        f"**Languages of {_OF_LANGUAGES}**, with models of no page in the language and with models of no page of the"
        " set, both with the set's own roles. All other sets are in English: without English, a model has only the"
        f" other languages of {_OF_LANGUAGES} to learn from.\n"
    )
    pages = figures.pages[_OF_LANGUAGES]
    keys: defaultdict[str, list[Key]] = defaultdict(list)
    for page in pages:
        keys[page.lang or ""].append((_OF_LANGUAGES, page.id))
    columns = {"language left out": figures.by_language, "set left out": figures.by_set}
    found = {name: _by_language(scored) for name, scored in columns.items()}
    rows = []
    for lang in sorted(keys):
        values = [_number(sum(results.get(lang, ())) / len(keys[lang])) for results in found.values()]
        rows.append([lang, str(len(keys[lang])), *values, *_peers_on(figures.peers, keys[lang])])
    peers = ["best peer", "which", *_by_peer(figures.peers.names)] if figures.peers.names else []
    yield from _table(["language", "pages", *columns, *peers], rows)


def _by_language(scored: Odds) -> dict[str, list[float]]:
    """The F1 of pages by their language, with the roles of their set, which are chosen on all languages together."""
    results: defaultdict[str, list[float]] = defaultdict(list)
    for left_out, half in own_roles([item for item in scored if item[0].gold_set == _OF_LANGUAGES]):
        kept = [role for role in ROLES if role not in left_out]
        for item in half:
            results[item[0].gold.lang or ""] += [f1 for _, _, f1 in with_roles([item], kept)[_OF_LANGUAGES]]
    return results


def _peers_on(peers: Peers, keys: Sequence[Key]) -> list[str]:
    """The best peer on some pages, and the best setting of each peer."""
    if not peers.names:
        return []
    means = peers.means(keys)
    best = means.index(max(means))
    each = [max(means[at] for at in places) for places in _by_peer(peers.names).values()]
    return [_number(means[best]), _full_name(*peers.names[best]), *map(_number, each)]


def _settings_table(figures: Figures) -> Iterator[str]:
    yield (
        "**All settings of the peers**; in bold the best one of each peer on each set. By itself, trafilatura keeps"
        " comments and tables, resiliparse (for main content) comments, and jusText headings.\n"
    )
    means = np.array([figures.peers.means(figures.keys(name)) for name in figures.sets]).T
    rows = []
    for places in _by_peer(figures.peers.names).values():
        best = means[places].max(axis=0)
        for at in places:
            cells = [f"**{_number(x)}**" if x == top else _number(x) for x, top in zip(means[at], best, strict=True)]
            rows.append([_full_name(*figures.peers.names[at]), *cells, _number(means[at].mean())])
    yield from _table(["", *figures.sets, "mean"], rows)


def _by_peer(names: Sequence[tuple[str, str]]) -> dict[str, list[int]]:
    """The places of the settings of each peer."""
    found: dict[str, list[int]] = {}
    for at, (peer, _) in enumerate(names):
        found.setdefault(peer, []).append(at)
    return found


def _full_name(peer: str, setting: str) -> str:
    return f"{peer} ({setting})" if setting else peer


def _means(results: Sequence[Result]) -> Result:
    """Mean precision, recall and F1 over pages."""
    precision, recall, f1 = np.mean(results, axis=0).tolist()
    return precision, recall, f1


def _with_mean(values: Sequence[float], sign: str = "") -> list[str]:
    return [_number(value, sign) for value in (*values, float(np.mean(values)))]


def _number(value: float, sign: str = "") -> str:
    shown = f"{value:{sign}.3f}"
    return "1.00" if shown == "1.000" else shown.replace("0.", ".", 1)


def _table(header: Sequence[str], rows: Iterable[Sequence[str]], align: str = "---:|") -> Iterator[str]:
    yield f"| {' | '.join(header)} |"
    yield f"|---|{align * (len(header) - 1)}"
    for row in rows:
        yield f"| {' | '.join(row)} |"
    yield ""


if __name__ == "__main__":
    main()
