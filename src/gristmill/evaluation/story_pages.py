"""Pages that tell the same stories: the content of one page in the place of the content of others.

CEDAR's pages (Gibson, Wellner and Lubar 2008, section 4) were never published: news stories as different sites tell
them. Here the texts of gold pages are put into the sources of a few other pages, each of another site, where their own
text was. So the pages of a site have their boilerplate in common, and it is known which pages tell the same story, and
which words are the story. Some tell it as it is, others in a revised form.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from html import escape

import numpy as np

from gristmill.cleaning.cleaner import decode_page
from gristmill.cleaning.languages import Languages
from gristmill.columns import Int32
from gristmill.document import Page
from gristmill.evaluation.gold import GoldPage
from gristmill.evaluation.near_duplicates.edit import revise
from gristmill.evaluation.training.pages import LabelledPage
from gristmill.language import Models

_COPIES = (1, 1, 1, 2, 2, 3, 4, 6)  # how many pages tell a story, by turns
_REVISED = 0.25  # the share of copies that are near-duplicates: 1,231 of 4,822 pairs in CEDAR
_CHANGES = (0.02, 0.1)  # the share of words that a revision changes, at least and at most
_LEFT_OUT = 0.3  # the share of revisions that leave out the end of the story
_MIN_WORDS = 100  # of a story, and of the boilerplate of a host
SITES = 27
"""How many sites there were in CEDAR."""


@dataclass(frozen=True, slots=True)
class StoryPage:
    """A page with a story that was put into it."""

    page: GoldPage
    """The address and site of the page, the source with the story in it, and the story as its gold text."""
    story: int
    """The number of the page that the story is from, among the pages that were given."""
    host: int
    """The number of the page around it."""


def tell_stories(pages: Sequence[LabelledPage], seed: int = 0, sites: int = SITES) -> list[StoryPage]:
    """Put the stories of pages into so many pages of different sites, the hosts, which tell about as many each.

    Hosts are pages with enough boilerplate. All other pages with enough text give a story each.
    """
    rng = random.Random(seed)
    usable = [at for at, page in enumerate(pages) if page.features.words[page.is_text].sum() >= _MIN_WORDS]
    rng.shuffle(usable)
    hosts: dict[str, int] = {}
    for at in usable:
        if pages[at].features.words[~pages[at].is_text].sum() >= _MIN_WORDS and len(hosts) < sites:
            hosts.setdefault(pages[at].gold.site, at)
    told = dict.fromkeys(hosts.values(), 0)
    made = []
    for number, story in enumerate(at for at in usable if at not in told):
        texts = [pages[story].features.texts[at] for at in np.flatnonzero(pages[story].is_text).tolist()]
        some = sorted(told, key=lambda host: (told[host], rng.random()))[: _COPIES[number % len(_COPIES)]]
        for first, host in zip((True, *[False] * len(told)), some, strict=False):
            told[host] += 1
            made.append(_told(pages, story, host, texts if first else _version(texts, rng)))
    return made


def _version(texts: list[str], rng: random.Random) -> list[str]:
    """Return the story as it is, or a revision of it."""
    if rng.random() >= _REVISED:
        return texts
    if len(texts) > 3 and rng.random() < _LEFT_OUT:
        texts = texts[: rng.randrange(len(texts) // 2 + 1, len(texts))]
    return [text for text, _ in revise(texts, rng.uniform(*_CHANGES), rng) if text]


def _told(pages: Sequence[LabelledPage], story: int, host: int, texts: Sequence[str]) -> StoryPage:
    """Write a story into the source of a page."""
    gold, found = pages[host].gold, pages[host].features
    source = decode_page(Page(gold.url or "", gold.html), Languages(Models.load(), gold.lang or "")).text
    places = np.flatnonzero(pages[host].is_text)
    html = _with_texts(source, found.columns.start[places], found.columns.end[places], texts)
    told = replace(gold, html=html.encode("utf-8", "replace"), gold="\n".join(texts))
    return StoryPage(told, story, host)


def _with_texts(source: str, starts: Int32, ends: Int32, texts: Sequence[str]) -> str:
    """Put texts in the places of blocks: one into each, all that are left into the last.

    With the blocks at 3 to 4 and 7 to 8 of `<p>a<p>b<hr>` and the texts x, y, z it is `<p>x<p>y</p><p>z<hr>`.
    """
    number = len(starts)
    paragraphs = [escape(text) for text in texts]
    filled = [*paragraphs[: number - 1], "</p><p>".join(paragraphs[number - 1 :])]
    filled += [""] * (number - len(filled))
    parts, at = [], 0
    for start, end, text in zip(starts.tolist(), ends.tolist(), filled, strict=True):
        parts += [source[at:start], text]
        at = max(at, end)
    return "".join(parts) + source[at:]
