"""Every method is as good on the bundled sample as it was: the mean multiset F1 of its pages is at least its floor."""

from __future__ import annotations

from statistics import fmean
from typing import Any

import pytest

from gristmill.cleaning import METHODS, clean_site, sites
from gristmill.document import Page
from gristmill.evaluation.metrics import by_bag

# A little below what each method has: a change that makes one worse by a point fails.
FLOORS: dict[str, float] = {
    "all": 0.653,
    "filter": 0.769,
    "boilerpipe": 0.710,
    "boilerpipe-article": 0.739,
    "boilerpipe-canola": 0.800,
    "bte": 0.720,
    "cedar": 0.826,
    "chakrabarti": 0.727,
    "density": 0.665,
    "density-sparse": 0.660,
    "hofmann": 0.759,
    "fiasco": 0.7,
    "genieknows": 0.735,
    "htmlcleaner": 0.777,
    "justext": 0.719,
    "justext-b": 0.720,
    "justext-c": 0.742,
    "justext-d": 0.805,
    "kimatu": 0.785,
    "maxsub": 0.780,
    "mill": 0.885,
    "ncleaner": 0.738,
    "site-diff": 0.896,
    "site-dom": 0.922,
    "site-pagelets": 0.862,
    "site-style-tree": 0.902,
    "site-text": 0.861,
    "texrex": 0.788,
    "victor": 0.820,
}


@pytest.fixture(scope="module")
def gold(truth: dict[str, dict[str, Any]]) -> dict[str, str]:
    """The text of the sample's pages that have any."""
    texts = {
        url: "\n".join(block["text"] for block in page["blocks"] if block["role"] != "boilerplate")
        for url, page in truth.items()
    }
    return {url: text for url, text in texts.items() if text.strip()}


def f1(method: str, pages: dict[str, Page], gold: dict[str, str]) -> float:
    """The mean over the pages, which are cleaned site by site."""
    documents = [document for site in sites(pages.values()).values() for document in clean_site(site, method=method)]
    found = [by_bag(document.text, gold[document.url]) for document in documents if document.url in gold]
    return fmean(scores[2] for scores in found if scores)


@pytest.mark.parametrize("method", list(METHODS))
def test_no_method_falls_below_its_floor(method: str, sample_pages: dict[str, Page], gold: dict[str, str]) -> None:
    found = f1(method, sample_pages, gold)
    assert method in FLOORS, (
        f"{method} has no floor: add one to FLOORS, a little below the {found:.3f} that it has on the sample"
    )
    assert found >= FLOORS[method], (
        f"{method} has an F1 of {found:.3f} on the sample; its floor is {FLOORS[method]:.3f}"
    )


def test_every_floor_belongs_to_a_method() -> None:
    assert set(FLOORS) <= set(METHODS)
