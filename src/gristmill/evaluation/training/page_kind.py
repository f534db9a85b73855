"""Train the trees that tell the kind of a page, by gradient boosting with the softmax of all kinds.

The trees are oblivious, as those of `boosting`, but have a number for each kind in their leaves. Every page is learned
twice, with its address and without.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from gristmill.arrays.dtypes import Floats, Ints, Matrix
from gristmill.cleaning.cleaner import decode_page
from gristmill.cleaning.languages import Languages
from gristmill.cleaning.page_kind import IS_ADDRESS_KNOWN, PAGE_KINDS, KindTrees, describe, is_root
from gristmill.cleaning.segmentation import segment
from gristmill.document import Page
from gristmill.errors import UsageError
from gristmill.evaluation.cross_validation import by_site, folds
from gristmill.evaluation.gold import GoldPage, read_gold
from gristmill.evaluation.training.registry import Model, gold_file, versions
from gristmill.evaluation.training.registry import describe as describe_file
from gristmill.language import Models
from gristmill.registry import part

TYPES = {
    "article": "article",
    "blog": "article",
    "forum": "forum",
    "listing": "listing",
    "collection": "listing",
    "product": "product",
    "documentation": "documentation",
    "service": "other",
}
"""The kind for each type of page that a gold standard names in `split`; a page at the root of its site is `home`."""
TYPED = "wcxb-a"
"""The gold standard with types."""
JUDGED = "page_kinds.tsv"
"""The file beside this one with the kinds of pages of other gold standards, judged by their addresses and titles."""
ALL_PAGES = "*"
"""Stands there for the ids of all pages of a gold standard."""
MAX_ALIKE = 3
"""Pages of a site and kind that are learned."""
FOLDS = 5
_MIN_CURVE = 1e-6


@dataclass(frozen=True, slots=True)
class Settings:
    """The parameters of boosting."""

    trees: int = 400
    depth: int = 2
    rate: float = 0.07
    bins: int = 16
    rows: float = 0.6
    """The share of the rows that a tree is grown on."""
    columns: float = 0.25
    """The share of the columns that a tree is grown on."""
    smoothing: float = 3.0
    """Added to second derivatives, so that leaves with few rows have smaller values."""
    balance: float = 0.6
    """How much kinds with few pages weigh more: 0 not at all, 1 so that all kinds weigh the same."""


@dataclass(frozen=True, slots=True)
class Example:
    """A page whose kind is known, with its features."""

    gold: GoldPage
    site: str
    kind: int
    with_address: Matrix
    without_address: Matrix


SETTINGS = Settings()


@part("trained method", "page-kind")
def train(pages: Sequence[GoldPage], gold: Path | None, seed: int) -> Model:
    """Train on the pages whose kinds are known, with scores of a cross-validation on folds that share no site."""
    if pages or gold is None:
        raise UsageError("page-kind is learned from public gold standards alone: name their folder with --gold")
    kinds = judged_kinds()
    names = list(dict.fromkeys([TYPED, *sorted(kinds)]))
    files = [gold_file(gold, f"{name}.parquet") for name in names]
    examples = a_few_of_each_site(
        read_examples([page for gold_set in read_gold(files) for page in gold_set.pages], kinds)
    )
    if not examples:
        raise UsageError(f"there are no pages in {gold} whose kind is known")
    counts = np.bincount([example.kind for example in examples], minlength=len(PAGE_KINDS)).tolist()
    card = {
        "method": "page-kind",
        "trained_on": [describe_file(path) for path in files],
        "pages": dict(zip(PAGE_KINDS, counts, strict=True)),
        "seed": seed,
        "settings": dataclasses.asdict(SETTINGS),
        "cross_validation": scores(cross_validate(examples, seed)),
        "versions": versions(),
    }
    return Model(fit(examples, seed).arrays(), card)


def judged_kinds() -> dict[str, dict[str, str]]:
    """Read the kinds of pages that were judged by hand: for each gold standard, the kind of each page by its id."""
    lines = resources.files(__package__).joinpath(JUDGED).read_text("utf-8").splitlines()
    found: dict[str, dict[str, str]] = {}
    for line in lines:
        name, page, kind = line.split("\t")
        found.setdefault(name, {})[page] = kind
    return found


def known_kind(page: GoldPage, kinds: dict[str, dict[str, str]]) -> str:
    """Return the kind of a page: that by judgement, or by its type; empty if it is not known."""
    judged = kinds.get(page.gold_set, {})
    if page.id in judged or ALL_PAGES in judged:
        return judged.get(page.id, judged.get(ALL_PAGES, ""))
    if page.gold_set != TYPED or page.split not in TYPES:
        return ""
    return "home" if is_root(page.url or "") else TYPES[page.split]


def read_examples(pages: Sequence[GoldPage], kinds: dict[str, dict[str, str]]) -> list[Example]:
    """Compute the features of all pages whose kind is known."""
    examples = []
    for page in pages:
        kind = known_kind(page, kinds)
        if kind:
            address = page.url or ""
            decoded = decode_page(Page(address, page.html), Languages(Models.load(), page.lang or ""))
            segmented = segment(decoded.utf8, characters=decoded.characters)
            without = describe(segmented, with_address=False)
            examples.append(Example(page, page.site, PAGE_KINDS.index(kind), describe(segmented, address), without))
    return examples


def a_few_of_each_site(examples: Sequence[Example]) -> list[Example]:
    """Return the first pages of each site and kind: more of the same teach nothing, and take their time."""
    seen: Counter[tuple[str, int]] = Counter()
    chosen = []
    for example in examples:
        seen[example.site, example.kind] += 1
        if seen[example.site, example.kind] <= MAX_ALIKE:
            chosen.append(example)
    return chosen


def fit(examples: Sequence[Example], seed: int, settings: Settings = SETTINGS) -> KindTrees:
    """Train on pages, each with its address and without.

    All sites weigh the same for a kind, and each kind weighs as much with addresses as without: most pages whose
    address is not known are articles, which is so in these gold standards only.
    """
    rows = np.array([view for example in examples for view in (example.with_address, example.without_address)])
    kinds = np.repeat([example.kind for example in examples], 2)
    alike = Counter((example.site, example.kind) for example in examples)
    weights = np.repeat([1 / alike[example.site, example.kind] for example in examples], 2)
    totals = np.maximum(np.bincount(kinds, weights, len(PAGE_KINDS)), 1)
    groups = kinds * 2 + (rows[:, IS_ADDRESS_KNOWN] > 0)
    weights *= (totals ** (1 - settings.balance))[kinds] / np.bincount(groups, weights)[groups]
    return boost(rows, kinds, weights * len(weights) / weights.sum(), settings, seed)


def boost(rows: Matrix, kinds: Ints, weights: Floats, settings: Settings, seed: int) -> KindTrees:
    """Train trees that tell the kinds of rows apart."""
    random = np.random.default_rng(seed)
    borders = [_borders(column, settings.bins) for column in rows.T]
    bins = np.stack(
        [np.searchsorted(border, column).astype(np.intp) for border, column in zip(borders, rows.T, strict=True)]
    )
    number = len(PAGE_KINDS)
    target = np.eye(number)[kinds]
    shares = (target * weights[:, None]).sum(axis=0) + 1
    start = np.log(shares / shares.sum())
    odds = np.tile(start, (len(rows), 1))
    size = 1 << settings.depth
    columns, cuts, leaves = [], [], []
    for _ in range(settings.trees):
        chances = np.exp(odds - odds.max(axis=1, keepdims=True))
        chances /= chances.sum(axis=1, keepdims=True)
        slopes = weights[:, None] * (target - chances)
        curves = weights[:, None] * np.maximum(chances * (1 - chances), _MIN_CURVE)
        questions = _grow(bins, slopes, curves, settings, random)
        places = np.zeros(len(rows), np.intp)
        for level, (column, cut) in enumerate(questions):
            places |= (bins[column] > cut).astype(np.intp) << level
        values = settings.rate * _sums(places, slopes, size) / (_sums(places, curves, size) + settings.smoothing)
        odds += values[places]
        columns.append([column for column, _ in questions])
        cuts.append([borders[column][cut] for column, cut in questions])
        leaves.append(values)
    return KindTrees(
        np.array(columns, np.int32),
        np.array(cuts, np.float32),
        np.concatenate(leaves).astype(np.float16).astype(np.float32),
        start.astype(np.float32),
    )


def _borders(column: Matrix, bins: int) -> Matrix:
    """The values between the bins of a column.

    Bins have about equally many rows that are not 0, as most features are 0 on most pages.
    """
    some = column[column != 0]
    if not len(some):
        return np.full(bins - 1, np.inf, np.float32)
    shares = np.linspace(0, 1, bins)[1:-1]
    border = np.unique(np.append(np.quantile(some, shares, method="lower"), 0).astype(np.float32))
    return np.pad(border, (0, bins - 1 - len(border)), constant_values=np.inf)


def _grow(
    bins: npt.NDArray[np.intp], slopes: Floats, curves: Floats, settings: Settings, random: np.random.Generator
) -> list[tuple[int, int]]:
    """Choose the questions of one tree: for each level a column and the bin up to which the answer is no."""
    chosen = np.flatnonzero(random.random(bins.shape[1]) < settings.rows)
    columns = np.sort(random.permutation(len(bins))[: max(1, round(settings.columns * len(bins)))])
    part = bins[np.ix_(columns, chosen)]
    slopes, curves = slopes[chosen], curves[chosen]
    places = np.zeros(len(chosen), np.intp)
    questions = []
    for level in range(settings.depth):
        gains = [_gains(places * settings.bins + column, slopes, curves, 1 << level, settings) for column in part]
        best = max(range(len(gains)), key=lambda at: float(gains[at].max()))
        cut = int(np.argmax(gains[best]))
        questions.append((int(columns[best]), cut))
        places |= (part[best] > cut).astype(np.intp) << level
    return questions


def _gains(keys: npt.NDArray[np.intp], slopes: Floats, curves: Floats, leaves: int, settings: Settings) -> Floats:
    """The gain of splitting all leaves after each of the bins, as in `boosting`, summed up over the kinds."""
    size = leaves * settings.bins
    slope = _sums(keys, slopes, size).reshape(leaves, settings.bins, -1).cumsum(axis=1)
    curve = _sums(keys, curves, size).reshape(leaves, settings.bins, -1).cumsum(axis=1)
    rest, rest_curve = slope[:, -1:] - slope, curve[:, -1:] - curve
    gains: Floats = slope**2 / (curve + settings.smoothing) + rest**2 / (rest_curve + settings.smoothing)
    return np.asarray(gains.sum(axis=(0, 2))[:-1])


def _sums(keys: npt.NDArray[np.intp], values: Floats, size: int) -> Floats:
    """Sum up rows of values by their keys."""
    number = values.shape[1]
    wide = (keys[:, None] * number + np.arange(number)).ravel()
    return np.bincount(wide, values.ravel(), size * number).astype(np.float64).reshape(size, number)


@dataclass(frozen=True, slots=True)
class Told:
    """The probabilities of the kinds of a page, with its address and without."""

    example: Example
    with_address: Matrix
    without_address: Matrix


def cross_validate(examples: Sequence[Example], seed: int, settings: Settings = SETTINGS) -> list[Told]:
    """Tell the kinds of all pages by trees that were trained on other sites; nothing if there is only one site."""
    places = {id(example.gold): example for example in examples}
    pages = [example.gold for example in examples]
    number = min(FOLDS, len(by_site(pages)))
    dealt = folds(pages, number, seed) if number > 1 else []
    found = []
    for at, held_out in enumerate(dealt):
        trees = fit([places[id(page)] for other in dealt[:at] + dealt[at + 1 :] for page in other], seed, settings)
        found += [tell(trees, places[id(page)]) for page in held_out]
    return found


def tell(trees: KindTrees, example: Example) -> Told:
    """Tell the kind of a page, with its address and without."""
    with_address, without = map(trees.probabilities, (example.with_address, example.without_address))
    return Told(example, with_address, without)


def scores(found: Sequence[Told]) -> dict[str, Any]:
    """The share of pages whose kind is right, for all of them and for each kind, with and without addresses."""
    kinds = np.array([told.example.kind for told in found], np.int64)
    table: dict[str, Any] = {}
    for name, chances in (
        ("with address", [told.with_address for told in found]),
        ("without address", [told.without_address for told in found]),
    ):
        right = np.array([chance.argmax() for chance in chances], np.int64) == kinds
        each = {
            kind: round(float(right[kinds == at].mean()), 3)
            for at, kind in enumerate(PAGE_KINDS)
            if (kinds == at).any()
        }
        table[name] = {"right": round(float(right.mean()), 3) if len(right) else 0.0, "by kind": each}
    return table
