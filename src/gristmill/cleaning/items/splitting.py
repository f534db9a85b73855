"""Cut a page into its items: the main region, its titles and paragraphs, and where items begin among these."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from gristmill.arrays.dtypes import Flags, Ints
from gristmill.cleaning.cleaner import clean_alone, prepare
from gristmill.cleaning.items.entities import BY_RULES
from gristmill.cleaning.items.labelling import WITH_WORDS, by_field, by_titles, spans
from gristmill.cleaning.items.lists import entities_in
from gristmill.cleaning.items.nodes import are_titles
from gristmill.cleaning.items.region import main_region
from gristmill.cleaning.items.vectors import WORD_NAMES, feature_names, vectors
from gristmill.cleaning.languages import Languages
from gristmill.cleaning.methods.chosen import method_of
from gristmill.cleaning.models import check_features, load, read
from gristmill.cleaning.page_kind import PAGE_KINDS
from gristmill.cleaning.segmented import Segmented
from gristmill.config import CleanConfig
from gristmill.document import Document, Page
from gristmill.errors import UsageError
from gristmill.language import Models
from gristmill.registry import did_you_mean, parse_spec, with_parameters

WAYS = ("crf", "rules")
"""How items are found: by the conditional random field, or by titles alone."""
MODEL = "items"
"""The name of the model, and of the method that `gristmill train` knows."""
NAMES = (*feature_names(BY_RULES), *WORD_NAMES)
_CAPTION = "caption"


@dataclass(frozen=True, slots=True)
class Splitting:
    """How items are found."""

    way: str = WAYS[0]
    linked_titles: bool = False
    """Whether headings that are links count, as in lists of articles; in the paper, no text that is a link does."""
    kinds: tuple[str, ...] = ()
    """The kinds of pages that are cut, such as `listing`; all if there are none, as in the paper."""
    min_items: int = 2
    """A page of fewer items is one document, as it is."""
    model: str = ""
    """A file that `gristmill train items` made; if empty, the model that comes with Gristmill."""
    entities: str = ""
    """A file with lists of named entities (`lists`), for `crf`; if empty, names and numbers are found by rules."""
    words: bool = False
    """Whether words that nodes have in common count, too, for `crf`; in the paper, only named entities do."""


@dataclass(frozen=True, slots=True)
class Item:
    """One item of a page."""

    title: str
    """Its titles; empty if it has none."""
    places: tuple[int, ...]
    """The numbers of its blocks."""


@dataclass(frozen=True, slots=True)
class Items:
    """The items of a page, and the blocks that are in none."""

    items: list[Item] = field(default_factory=list)
    rest: tuple[int, ...] = ()
    reasons: tuple[str, ...] = ()
    """Why each block of the rest is in no item: `boilerplate`, `region`, `link`, `caption`, `outside` or `kind`."""

    def to_json(self, texts: Sequence[str]) -> dict[str, Any]:
        """Return the items with the texts of their blocks, and the rest with reasons; `texts` are of all blocks."""
        return {
            "items": [
                {"title": item.title, "blocks": list(item.places), "text": "\n".join(texts[at] for at in item.places)}
                for item in self.items
            ],
            "rest": [
                {"block": place, "reason": reason, "text": texts[place]}
                for place, reason in zip(self.rest, self.reasons, strict=True)
            ],
        }


class Nodes(NamedTuple):
    """Titles and paragraphs of the main region: the numbers of their blocks, their texts, and which are titles."""

    places: Ints
    texts: list[str]
    titles: Flags


def splitting_of(spec: str, model: str = "") -> Splitting:
    """Read how items are found: `crf`, `rules`, or with parameters, as in `crf:linked_titles=yes`."""
    name, parameters = parse_spec(spec)
    if name not in WAYS:
        raise UsageError(f"items are found by {' or '.join(WAYS)}, not {name!r}{did_you_mean(name, WAYS)}")
    if {"way", "model"} & set(parameters):
        raise UsageError("items: a model is named by --items-model")
    kinds = {kind.strip() for kind in parameters.get("kinds", "").split(",")} - {""}
    if not kinds <= set(PAGE_KINDS):
        raise UsageError(f"items: the kinds of pages are {', '.join(PAGE_KINDS)}, not {', '.join(sorted(kinds))}")
    made = with_parameters(Splitting(name, model=model), f"items {name!r}", parameters)
    if made.way == WAYS[0]:
        weights_of(model)
        if made.entities:
            entities_in(made.entities)
    elif made.entities or made.words:
        raise UsageError("items: only crf knows named entities and words, so these are not for rules")
    return made


def split_page(
    page: Page, lang: str | None = None, models: Models | None = None, config: CleanConfig | None = None
) -> tuple[Document, Items]:
    """Clean a page, and find its items."""
    settings = config or CleanConfig()
    languages = Languages(models or Models.load(), lang or "")
    document = clean_alone(page, languages, settings)
    return document, split(document, segmented_again(page, languages, settings), of_config(settings))


def of_config(config: CleanConfig) -> Splitting:
    """Take how items are found from the settings of cleaning."""
    return splitting_of(config.items or WAYS[0], config.items_model)


def segmented_again(page: Page, languages: Languages, config: CleanConfig) -> Segmented:
    """Segment a page as cleaning did: documents do not keep the elements around their blocks."""
    return prepare(page, languages, method_of(config).segmentation)[1]


def split(document: Document, segmented: Segmented, splitting: Splitting | None = None) -> Items:
    """Find the items of a page that was cleaned, given the elements around its blocks.

    Blocks that cleaning or a filter dropped are in no item: the paper has no other way to tell boilerplate than the
    main region, and that is asked for in addition.
    """
    how = splitting or Splitting()
    if how.kinds and document.page_kind not in how.kinds:
        return Items([], tuple(range(document.block_count)), ("kind",) * document.block_count)
    nodes, reasons = nodes_of(document, segmented, linked_titles=how.linked_titles)
    if how.way == "rules":
        labels = by_titles(nodes.titles)
    else:
        entities = entities_in(how.entities) if how.entities else BY_RULES
        values = vectors(nodes.texts, nodes.titles.tolist(), entities, words=how.words)
        labels = by_field(values, weights_of(how.model), WITH_WORDS if how.words else "")
    items = [
        Item(" ".join(nodes.texts[begin:head]), tuple(nodes.places[begin:stop].tolist()))
        for begin, stop in spans(labels)
        for head in [next((at for at in range(begin, stop) if not nodes.titles[at]), stop)]
        if head < stop  # a title alone is no item
    ]
    inside = [place for item in items for place in item.places]
    rest = np.setdiff1d(np.arange(len(reasons)), inside)
    return Items(items, tuple(rest.tolist()), tuple(reasons[rest].tolist()))


def nodes_of(
    document: Document, segmented: Segmented, *, linked_titles: bool = False
) -> tuple[Nodes, npt.NDArray[Any]]:
    """Return the titles and paragraphs of the main region of a page, and why each other block is none of them."""
    columns, kept = document.kept_columns()
    reasons = np.full(len(columns), "boilerplate", object)
    if not len(kept) or len(segmented) != len(columns):
        return Nodes(np.zeros(0, np.int64), [], np.zeros(0, np.bool_)), reasons
    reasons[kept] = "outside"
    linked = columns.link_words[kept] >= np.maximum(columns.words[kept], 1)
    if linked_titles:
        linked &= ~columns.kind.take(kept).flags(lambda kind: kind == "h")
    captions = columns.role.take(kept).flags(lambda role: role == _CAPTION)
    reasons[kept[linked]], reasons[kept[captions]] = "link", _CAPTION
    leaves = kept[~linked & ~captions]
    weights = np.zeros(len(columns), np.int64)
    weights[leaves] = columns.folded.lengths()[leaves]
    first, end = main_region(segmented, weights)
    is_in = (leaves >= first) & (leaves < end)
    reasons[leaves[~is_in]] = "region"
    places = leaves[is_in]
    texts = columns.folded.some(places)
    return Nodes(places, texts, are_titles(texts, columns.words[places].astype(np.int64))), reasons


@lru_cache(8)
def weights_of(model: str) -> Mapping[str, npt.NDArray[Any]]:
    """Read the weights of the field, from a user's file or those that come with Gristmill."""
    if not model:
        return load(MODEL, NAMES)
    found = read(model)
    if found.method != MODEL:
        raise UsageError(f"{model} is a model of {found.method}, not of {MODEL}: gristmill train {MODEL} makes one")
    check_features(MODEL, found.arrays, NAMES)
    return found.arrays


def forget_weights() -> None:
    """Read models and lists again from now on: files may have changed."""
    weights_of.cache_clear()
    entities_in.cache_clear()
