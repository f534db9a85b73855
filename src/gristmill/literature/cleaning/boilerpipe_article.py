"""The method `boilerpipe-article`: boilerpipe's ArticleExtractor, for news.

Kohlschütter, Fankhauser and Nejdl (2010), "NumWords/LinkDensity + Main Content Filter"; Pomikálek (2011), 2.6.4. The
tree of `boilerpipe` decides first. Then rules for news take one coherent stretch. The thesis names one of them, strings
such as "User comments:" at which an article ends; all rules here are those of boilerpipe 1.1, the version of its time:

1. Content ends at a block that says so ("Have your say"), if 60 words of running text stand before it.
2. A content block is fused with the block before it, whatever that is, so that headlines are kept.
3. All other blocks are removed, and what is left is fused where at most one removed block lies between.
4. The fused block with most words is the article.
5. If an earlier one holds the title of the page, all from there to the article is kept too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

from gristmill.arrays.dtypes import Flags, Ints
from gristmill.cleaning.features import Features
from gristmill.cleaning.methods.boilerpipe import default_margins
from gristmill.cleaning.methods.registry import Scores
from gristmill.registry import part

_JUST_OUTSIDE = np.nextafter(0.5, 1.0)
_ENDS = re.compile(
    r"comments|\d+ (?:comments|users responded in)|© reuters|please rate this|post a comment"
    r"|.*(?:what you think\.\.\.|add your comment|add comment|reader views|have your say|reader comments"
    r"|rätta artikeln)|thanks for your comments - this feedback is now closed$"
)
_MIN_END_CHARACTERS, _MAX_END_WORDS = 8, 14
_MIN_WORDS_BEFORE_END = 60
_MIN_TEXT_DENSITY = 9.0  # words a line, of running text
_LINE_CHARACTERS = 80
# What parts of a title are divided by; of each division the longest part may be the headline.
_DIVIDERS = [re.compile(rf" *[|»{marks}] *") for marks in ("-", ":", ":()", ":()-", ",:()-", ",:()\xa0-")]
_SPACED_DIVIDERS = [re.compile(f" +{re.escape(mark)} +") for mark in "|-"]
_MIN_TITLE_WORDS = 4  # of a part between spaced dividers
_NOT_IN_TITLES = re.compile(r"[?!.\-:]+")


@part("cleaning method", "boilerpipe-article", segmentation="all-but-links")
def boilerpipe_article(page: Features, lang: str) -> Scores:  # noqa: ARG001
    """Score blocks by the tree; those on which the rules decide otherwise score 0.5, or just over it."""
    if not len(page):
        return Scores(np.zeros(0), [])
    margins = default_margins(page.words, page.link_density)
    content = _up_to_end(page, margins >= 0)
    kept = _article(content, page.words, _are_titles(page))
    tree = 0.5 - margins / 2
    scores = np.where(kept, np.minimum(tree, 0.5), np.maximum(tree, _JUST_OUTSIDE))
    return Scores(scores, np.where(kept, "content", "boilerplate").tolist())


def _up_to_end(page: Features, content: Flags) -> Flags:
    """Return the content before the first block that ends the article (rule 1)."""
    short = np.flatnonzero(page.words <= _MAX_END_WORDS).tolist()
    ends = [at for at in short if _is_end(page.texts[at], page.link_density[at])]
    if not ends:
        return content
    words = np.zeros(len(page), np.int64)
    for at in np.flatnonzero(content).tolist():
        words[at] = page.words[at] * (_text_density(page.texts[at]) >= _MIN_TEXT_DENSITY)
    enough = np.cumsum(words)[ends] >= _MIN_WORDS_BEFORE_END
    end = ends[int(np.argmax(enough))] if enough.any() else len(page)
    return content & (np.arange(len(page)) < end)


def _is_end(text: str, link_density: float) -> bool:
    if len(text) < _MIN_END_CHARACTERS:
        return text == "Comment" and link_density == 1
    return _ENDS.match(text.lower()) is not None


def _text_density(text: str) -> float:
    """Return the words a line, if lines have at most 80 characters; the last of several lines does not count."""
    words, lines, of_line, width = 0, 0, 0, 0
    for word in text.split():
        words, of_line, width = words + 1, of_line + 1, width + len(word) + 1
        if width > _LINE_CHARACTERS:
            lines, of_line, width = lines + 1, 1, len(word)
    return (words - of_line) / lines if lines else float(words)


def _article(content: Flags, words: Ints, titles: Flags) -> Flags:
    """Tell which blocks are kept (rules 2 to 5).

    The blocks 3, 4 and 7 of ten are content. With those before them, 2, 3, 4, 6 and 7 are left. Only block 5 is removed
    between 4 and 6, so all are one: fused block 0. Were 8 content and not 7, the fused blocks would be 2 to 4, and 7 to
    8, as two are removed between them.
    """
    left = np.flatnonzero(content | np.append(content, False)[1:])
    if not len(left):
        return np.zeros(len(content), np.bool_)
    fused = np.cumsum(np.diff(left, prepend=left[0]) > 2)
    largest = first = int(np.argmax(np.bincount(fused, words[left])))
    with_title = fused[titles[left]]
    if len(with_title) and largest not in with_title:
        first = int(with_title[with_title < largest].max(initial=-1))
        first = largest if first < 0 else first
    kept = np.zeros(len(content), np.bool_)
    kept[left[(fused >= first) & (fused <= largest)]] = True
    return kept


def _are_titles(page: Features) -> Flags:
    """Tell which blocks are the title of the page or the likely headline in it, but for some punctuation."""
    wanted = set(_titles(_plain(page.page.metadata.title)))
    texts = map(_plain, page.texts)
    return np.array([text in wanted or _NOT_IN_TITLES.sub("", text).strip() in wanted for text in texts], np.bool_)


def _plain(text: str) -> str:
    return text.replace("\xa0", " ").replace("'", "").strip().lower()


def _titles(title: str) -> Iterator[str]:
    """Give a title, and the parts of it that may be the headline: not those that name a site (`.com`)."""
    if not title:
        return
    yield title
    for divider in _DIVIDERS:
        parts = divider.split(title)
        named = [part for part in parts if ".com" not in part and part]
        if len(parts) > 1 and named:
            yield max(named, key=len).strip()
    for divider in _SPACED_DIVIDERS:
        parts = divider.split(title)
        if len(parts) > 1:
            yield from (part for part in parts if ".com" not in part and len(part.split()) >= _MIN_TITLE_WORDS)
    yield re.sub(r" - [^-]+$", "", title)
    yield re.sub(r"^[^-]+ - ", "", title)
