"""What content extraction does for the detection of duplicates: the experiment of CEDAR.

Gibson, Wellner and Lubar, Identification of duplicate news stories in web pages (WAC4, 2008), sections 5.3 and 6. Pages
that tell known stories (`story_pages`) are reduced to their content in several ways, and resemblance must tell which of
them tell the same one. The extractors are trained on pages of other sites and other stories, in four folds.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gristmill.arrays.dtypes import Flags, Floats, Ints
from gristmill.cleaning.cleaner import decode_page
from gristmill.cleaning.languages import Languages
from gristmill.document import Page
from gristmill.engine import Report, silent
from gristmill.errors import UsageError
from gristmill.evaluation.clusters import Agreement, b_cubed, pairwise
from gristmill.evaluation.cross_validation import folds
from gristmill.evaluation.gold import GoldPage
from gristmill.evaluation.resemblance import Area, Document, Filters, area, resemblances
from gristmill.evaluation.story_pages import SITES, StoryPage, tell_stories
from gristmill.evaluation.training.pages import Fit, LabelledPage, label_pages
from gristmill.evaluation.words import plain_words
from gristmill.language import Models
from gristmill.literature.training import cedar
from gristmill.wording import plural

ENTIRE, HEURISTIC, SIMPLE, BEST, REFERENCE = "entire page", "heuristic", "CE-SIMPLE", "CE-BEST", "reference"
"""The ways to reduce a page.

Everything between its tags, scripts and styles too; its blocks; what `cedar:by=maxent` and `cedar` take for content;
and the story itself.
"""
THRESHOLDS = tuple(at / 20 for at in range(1, 19))
_FOLDS = 4
_FITS: dict[str, Fit] = {SIMPLE: cedar.fit_words, BEST: cedar.fit_field}
FITTINGS = _FOLDS * len(_FITS)
"""How often an extractor is trained."""
MAX_PAGES = 5_000
"""How many pages may tell stories: all pairs of them are compared, and a matrix of these has 200 MB."""
_TAG = re.compile(r"<[^<>]*>")


@dataclass(frozen=True, slots=True)
class Extraction:
    """How well an extractor found the story: the share of pages without any error, and the agreement of blocks."""

    pages: float
    blocks: Agreement


@dataclass(frozen=True, slots=True)
class Tuned:
    """What a threshold that was chosen on one half of the stories finds on the other half."""

    threshold: float | None
    clusters: Agreement
    pairs: Agreement


@dataclass(frozen=True, slots=True)
class Experiment:
    """Pages that tell stories, reduced in each way."""

    stories: Ints
    """The story that each page tells."""
    documents: dict[str, list[Document]]
    """The words of the blocks of each page that are left, for each way."""
    extractions: dict[str, Extraction]

    def area(self, way: str, filters: Filters | None = None) -> Area:
        """Measure how well resemblance tells pages of one story from others, by AU-ROC over all pairs (6.1.1)."""
        return area(resemblances(self.documents[way], filters or Filters()), self.stories)

    def tuned(self, way: str, filters: Filters | None = None) -> Tuned:
        """Choose the threshold with the best pairwise F on one half of the stories, and test it on the other (6.3).

        The shares of frequent shingles are those of each half by itself.
        """
        half = self._development()
        parts = []
        for own in (half, ~half):
            places = np.flatnonzero(own).tolist()
            matrix = resemblances([self.documents[way][at] for at in places], filters or Filters())
            parts.append((matrix, self.stories[own]))
        matrix, true = parts[0]
        threshold = max(THRESHOLDS, key=lambda at: pairwise(linked(matrix >= at), true).f1)
        found, true = linked(parts[1][0] >= threshold), parts[1][1]
        return Tuned(threshold, b_cubed(found, true), pairwise(found, true))

    def identical(self, way: str) -> Tuned:
        """Take pages for duplicates whose words are the same, on the half that is tested (6.3, string comparison)."""
        tested = np.flatnonzero(~self._development()).tolist()
        seen: dict[tuple[int, ...], int] = {}
        words = [tuple(word for block in self.documents[way][at] for word in block) for at in tested]
        found, true = np.array([seen.setdefault(text, len(seen)) for text in words]), self.stories[tested]
        return Tuned(None, b_cubed(found, true), pairwise(found, true))

    def _development(self) -> Flags:
        """Tell which pages are of the half of the stories on which thresholds are tuned."""
        return np.isin(self.stories, np.unique(self.stories)[::2])


def prepare(pages: Sequence[GoldPage], seed: int = 0, report: Report = silent) -> Experiment:
    """Make the experiment of gold pages of several sites: news pages with their stories, as far as possible.

    What is reported are trainings of extractors, `FITTINGS` of them.
    """
    told = tell_stories(label_pages(pages), seed)
    _check(told, len(pages))
    labelled = label_pages([page.page for page in told], "non-inline")
    of_page = {id(page.page): page for page in told}
    told = [of_page[id(page.gold)] for page in labelled]
    kept: dict[str, list[Flags]] = {HEURISTIC: [np.ones(len(page.features), np.bool_) for page in labelled]}
    kept |= {way: _extracted(labelled, told, fit, seed, report) for way, fit in _FITS.items()}
    kept[REFERENCE] = [page.is_text for page in labelled]
    numbers: dict[str, int] = {}
    blocks = [[_numbered(text, numbers) for text in page.features.texts] for page in labelled]
    documents: dict[str, list[Document]] = {ENTIRE: [_entire(page.gold, numbers) for page in labelled]}
    for way, flags in kept.items():
        documents[way] = [
            [words for words, keep in zip(page, own.tolist(), strict=True) if keep]
            for page, own in zip(blocks, flags, strict=True)
        ]
    found = {way: _extraction(kept[way], labelled) for way in _FITS}
    return Experiment(np.array([page.story for page in told]), documents, found)


def _check(told: Sequence[StoryPage], given: int) -> None:
    """Raise if there are too few pages to train and test on, or too many to compare all pairs."""
    stories, hosts = len({page.story for page in told}), len({page.host for page in told})
    if hosts < _FOLDS or stories < 2 * _FOLDS or stories == len(told):
        raise UsageError(
            f"of {plural(given, 'page')} too few have 100 words of text and as many of boilerplate: the first of each "
            f"of up to {SITES} sites tell the stories of the others, and there must be some stories for each"
        )
    if len(told) > MAX_PAGES:
        raise UsageError(
            f"{len(told):,} pages would tell a story, and all pairs of them are compared: choose fewer pages"
        )


def linked(alike: Flags) -> Ints:
    """Return the clusters of documents, of which a matrix tells which two are alike, by transitive closure.

    Every document takes the lowest number among those of the documents that it is like, until nothing changes.
    """
    alike = alike | np.eye(len(alike), dtype=np.bool_)
    numbers = np.arange(len(alike))
    while True:
        lowest = np.where(alike, numbers, len(alike)).min(1, initial=len(alike))
        if np.array_equal(lowest, numbers):
            return numbers
        numbers = lowest


def _extracted(labelled: list[LabelledPage], told: list[StoryPage], fit: Fit, seed: int, report: Report) -> list[Flags]:
    """Tell which blocks of each page are content, by extractors of which each was trained on other sites and stories.

    Pages that tell a story of the fold that is tested are left out of the training (5.3, Figure 2).
    """
    places = {id(page.gold): at for at, page in enumerate(labelled)}
    kept: list[Flags] = [np.zeros(0, np.bool_)] * len(labelled)
    dealt = folds([page.gold for page in labelled], _FOLDS, seed)
    for held_out in dealt:
        tested = {places[id(page)] for page in held_out}
        stories = {told[at].story for at in tested}
        others = [page for at, page in enumerate(labelled) if at not in tested and told[at].story not in stories]
        score = fit(others)
        for at in tested:
            kept[at] = np.asarray(score(labelled[at]) <= 0.5)
        report(1)
    return kept


def _extraction(kept: list[Flags], labelled: list[LabelledPage]) -> Extraction:
    """Compare what was kept with what is text."""
    right = sum(int(np.sum(own & page.is_text)) for own, page in zip(kept, labelled, strict=True))
    claimed = sum(int(own.sum()) for own in kept)
    text = sum(int(page.is_text.sum()) for page in labelled)
    whole: Floats = np.array([np.array_equal(own, page.is_text) for own, page in zip(kept, labelled, strict=True)])
    return Extraction(float(whole.mean()), Agreement(right / max(1, claimed), right / max(1, text)))


def _entire(page: GoldPage, numbers: dict[str, int]) -> Document:
    """Return all words between the tags of a page, scripts and styles among them."""
    text = decode_page(Page(page.url or "", page.html), Languages(Models.load(), page.lang or "")).text
    return [words for part in _TAG.split(text) if (words := _numbered(part, numbers))]


def _numbered(text: str, numbers: dict[str, int]) -> list[int]:
    return [numbers.setdefault(word, len(numbers)) for word in plain_words(text)]
