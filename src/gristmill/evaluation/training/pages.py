"""Read gold pages with a label for each block, and cross-validate methods on them; trainers use both."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from gristmill.arrays.dtypes import Floats
from gristmill.cleaning.cleaner import prepare
from gristmill.cleaning.features import Features
from gristmill.cleaning.languages import Languages
from gristmill.cleaning.segmented import Segmentation
from gristmill.document import Page
from gristmill.errors import UsageError
from gristmill.evaluation.cross_validation import by_site, folds
from gristmill.evaluation.gold import GoldPage, read_gold
from gristmill.evaluation.labels import block_labels
from gristmill.evaluation.metrics import by_bag, f_score
from gristmill.evaluation.training.registry import describe, describe_pages, gold_file
from gristmill.language import UNKNOWN, Models

MIN_TEXT_SHARE = 0.5
"""The share of its words above which a block counts as text if they stand in the gold text."""


@dataclass(frozen=True, slots=True)
class LabelledPage:
    """A gold page with the features of its blocks, and which of them are text."""

    gold: GoldPage
    features: Features
    is_text: npt.NDArray[np.bool_]


Fit = Callable[[Sequence[LabelledPage]], Callable[[LabelledPage], Floats]]
"""A function that trains on pages and gives a function that scores the blocks of another page as boilerplate."""


def pages_and_data(
    pages: Sequence[GoldPage], gold: Path | None, name: str, segmentation: Segmentation = "block"
) -> tuple[list[LabelledPage], list[dict[str, Any]]]:
    """Label the pages of the user and, if a folder is given, those of a gold standard in it.

    Returns the pages, and a description of all that they come from, for the model card.
    """
    path = gold_file(gold, name) if gold is not None else None
    of_gold = read_gold([path])[0].pages if path else []
    found = label_pages([*of_gold, *pages], segmentation)
    return found, [*([describe(path)] if path else []), *describe_pages(pages)]


def label_pages(pages: Sequence[GoldPage], segmentation: Segmentation = "block") -> list[LabelledPage]:
    """Take the pages that have blocks, and label these by alignment with the gold text.

    The language of a page is identified, as for cleaning, if the gold standard does not say which it is.
    """
    found = []
    for given in pages:
        languages = Languages(Models.load(), given.lang or "")
        document, segmented = prepare(Page(given.url or "", given.html), languages, segmentation)
        features = Features(segmented)
        page = given if given.lang or document.lang == UNKNOWN else replace(given, lang=document.lang)
        if len(features):
            found.append(LabelledPage(page, features, block_labels(features.texts, page.gold) > MIN_TEXT_SHARE))
    if not found:
        raise UsageError("there are no pages with text to train from")
    return found


def summary_of(scores: Mapping[str, Any]) -> str:
    """Say how good a model is by what `cross_validate` found."""
    if not scores:
        return "All pages are of one site, so how good it is elsewhere can't be said."
    found = scores["words"]
    return (
        f"On sites that were held out ({scores['folds']} folds): precision {found['precision']:.3f}, "
        f"recall {found['recall']:.3f}, F1 {found['f1']:.3f} of words."
    )


def cross_validate(pages: Sequence[LabelledPage], fit: Fit, seed: int, k: int = 5) -> dict[str, Any]:
    """Cross-validate on folds that share no site: precision, recall and F1 of words (page means), and of blocks."""
    places = {id(page.gold): page for page in pages}
    gold = [page.gold for page in pages]
    k = min(k, len(by_site(gold)))
    if k < 2:
        return {}
    dealt = folds(gold, k, seed)
    words, blocks = [], np.zeros(3)
    for at, held_out in enumerate(dealt):
        score = fit([places[id(page)] for other in dealt[:at] + dealt[at + 1 :] for page in other])
        for page in (places[id(page)] for page in held_out):
            kept = score(page) <= 0.5
            text = "\n".join(text for text, keep in zip(page.features.texts, kept.tolist(), strict=True) if keep)
            words.append(by_bag(text, page.gold.gold) or (0.0, 0.0, 0.0))
            blocks += (np.sum(kept & page.is_text), np.sum(kept), np.sum(page.is_text))
    precision, recall = blocks[0] / max(1, blocks[1]), blocks[0] / max(1, blocks[2])
    return {
        "folds": k,
        "words": _rounded(np.mean(words, 0)),
        "blocks": _rounded((precision, recall, f_score(precision, recall))),
    }


def _rounded(scores: Sequence[float] | Floats) -> dict[str, float]:
    return {name: round(float(score), 4) for name, score in zip(("precision", "recall", "f1"), scores, strict=True)}
