"""Cleaning of one page: decode it, segment it into blocks, identify the language, score the blocks.

`clean` is for users, `clean_page` for the pipeline. Both are `prepare`, a method's scores, and `finish`; `site` calls
these steps for many pages.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from types import MappingProxyType

import numpy as np

from gristmill.arguments import as_path, check_type
from gristmill.cleaning.features import Features
from gristmill.cleaning.given import Given, content_of
from gristmill.cleaning.hints import HEADLINE, hinted
from gristmill.cleaning.languages import Languages
from gristmill.cleaning.markup import Markup
from gristmill.cleaning.metadata import absolute_links, alternates_of, complete
from gristmill.cleaning.methods import Scores
from gristmill.cleaning.methods.chosen import method_named, method_of
from gristmill.cleaning.page_kind import kind_of
from gristmill.cleaning.roles import roles_of
from gristmill.cleaning.segmentation import segment, segment_markup, segment_text
from gristmill.cleaning.segmented import MAX_BLOCKS, Segmentation, Segmented
from gristmill.columns import Coded
from gristmill.config import CleanConfig
from gristmill.decoding import Decoded, decode
from gristmill.decoding.normalisation import tidy_text
from gristmill.document import Document, Page
from gristmill.language import Models
from gristmill.roles import ROLES, Names, as_text, check_roles, chosen

DEFAULT_METHOD = CleanConfig().method
TOO_MANY_BLOCKS = "blocks"
"""The reason of documents of pages with more blocks than a page may have; they have none, and no method."""
_SAME_NAMES = (
    "headline",
    "author",
    "modified",
    "site_name",
    "description",
    "categories",
    "keywords",
    "licence",
    "image",
)
"""Fields that documents and the metadata of pages have under the same name."""
_RENAMED = {"date": "published", "lang": "declared_lang"}


def clean(
    html: Given,
    url: str | None = None,
    lang: str | None = None,
    method: str = DEFAULT_METHOD,
    models: Models | str | os.PathLike[str] | None = None,
    *,
    model: str | os.PathLike[str] | None = None,
    roles: Names | None = None,
    without: Names = (),
) -> Document:
    """Clean one page, and return a document with all its blocks, scored; `.text` is what is not boilerplate.

    The page is its HTML as text or bytes, a `pathlib.Path` of a file, or a `Page`. No content makes it raise. `lang`
    is identified if it is not given. `models`, or the folder that has them, replace the models of languages that are
    shipped; `model`, a file that `gristmill train` made, replaces that of the method. `roles` say which blocks are
    text, those of the method if they are not given; `without` leaves out some: names of roles, or one text with commas
    between them, such as `"text,heading"`, or `"all"`. A page of more than 500,000 blocks is not cleaned: `.dropped`
    and `.detail` of its document say so.
    """
    if isinstance(models, str | os.PathLike):
        models = Models.load(os.fspath(models))
    for value, name in ((url, "url"), (lang, "lang"), (method, "method")):
        check_type(value, str, name, "text")
    content = content_of(html, url or "")
    if isinstance(content, Page):
        return clean_page(content, lang, method, models=models, model=model, roles=roles, without=without)
    config = settings_of(method, roles, without, model=model)
    document = Document(url=url or "", size=len(content.encode("utf-8", "replace")))
    segmented = segment(tidy_text(content), method_of(config).segmentation)
    languages = Languages(models or Models.load(), lang or "")
    _describe(document, segmented, languages)
    return _score(document, segmented, languages, config)


def clean_page(
    page: Page,
    lang: str | None = None,
    method: str = DEFAULT_METHOD,
    max_boilerplate: float = 0.5,
    models: Models | None = None,
    *,
    model: str | os.PathLike[str] | None = None,
    roles: Names | None = None,
    without: Names = (),
) -> Document:
    """Clean a page from an archive; the language is identified if it is not given, and roles are those of `clean`."""
    config = settings_of(method, roles, without, max_boilerplate, model)
    return clean_alone(page, Languages(models or Models.load(), lang or ""), config)


def clean_alone(page: Page, languages: Languages, config: CleanConfig) -> Document:
    """Clean a page by itself, whatever other pages of its site there are; `languages` has the language, if given."""
    document, segmented = prepare(page, languages, method_of(config).segmentation)
    return _score(document, segmented, languages, config, page.attributes)


def clean_markup(
    page: Page, decoded: Decoded, markup: Markup, length: int, languages: Languages, method: str
) -> Document:
    """Clean a page that has been decoded, and whose markup has been found: for those who need the markup, too."""
    segmented = segment_markup(markup, length, method_named(method).segmentation)
    segmented.source = decoded.utf8
    return _score(_document(page, decoded, segmented, languages), segmented, languages, CleanConfig(method))


def prepare(page: Page, languages: Languages, segmentation: Segmentation = "block") -> tuple[Document, Segmented]:
    """Do the first step, which needs no method: decode and segment a page, read metadata, identify the language.

    Returns a document whose blocks have no scores yet, and the blocks with the elements around them.
    """
    decoded = decode_page(page, languages)
    segmented = segment_text(decoded.text) if page.is_text else segment(decoded.utf8, segmentation, decoded.characters)
    return _document(page, decoded, segmented, languages), segmented


def decode_page(page: Page, languages: Languages) -> Decoded:
    """Decode a page, with the charset that the server named and the language that the user gave as hints."""
    charset = _charset(page.headers.get("content-type", ""))
    return decode(page.body, languages.given or None, charset, languages.models)


def finish(document: Document, scores: Scores, languages: Languages, config: CleanConfig) -> Document:
    """Do the last step: give the blocks their scores, and the document the figures that depend on them.

    The language of the document becomes that of the text that is kept: before, it was identified from the whole page.
    """
    document.method = method = config.method
    columns = document.as_columns()
    if not len(columns) == len(scores.values) == len(scores.labels):
        raise ValueError(f"the method {method!r} gave {len(scores.values)} scores to {len(columns)} blocks")
    columns.score = np.asarray(scores.values, np.float64)
    columns.label = scores.labels if isinstance(scores.labels, Coded) else Coded.of(scores.labels)
    document.columns = columns
    document.roles = as_text(text_roles(config, document.page_kind))
    document.measure(config.max_boilerplate)
    languages.label_kept(document)
    return document


def settings_of(
    method: str,
    roles: Names | None,
    without: Names,
    max_boilerplate: float = 0.5,
    model: str | os.PathLike[str] | None = None,
) -> CleanConfig:
    """Make the settings of cleaning of what a user asks for; None stands for the roles of the method, and its model."""
    named = () if roles is None else chosen(roles)
    path = str(as_path(model, "model").absolute()) if model is not None else ""
    return CleanConfig(method, max_boilerplate, roles=named, without=check_roles(without, "without"), model=path)


def text_roles(config: CleanConfig, kind: str) -> tuple[str, ...]:
    """Return the roles that count as text on a kind of page by settings; empty if all do, as nothing was asked for."""
    roles = config.roles or method_of(config).roles_on(kind)
    return chosen(roles or ROLES, config.without) if config.without else roles


def _document(page: Page, decoded: Decoded, segmented: Segmented, languages: Languages) -> Document:
    """Make the document of a page, whose blocks have no scores yet."""
    document = Document.of(page)
    document.encoding, document.encoding_from, document.repaired = (
        decoded.encoding,
        decoded.decided_by,
        decoded.repaired,
    )
    _describe(document, segmented, languages, page.headers)
    return document


def _score(
    document: Document,
    segmented: Segmented,
    languages: Languages,
    config: CleanConfig,
    attributes: Mapping[str, str] = MappingProxyType({}),
) -> Document:
    """Score the blocks of a document by a method that looks at one page alone, and by the hints that the page has."""
    if document.dropped:
        return document
    features = Features(segmented, languages.models)
    segmented.columns.role = roles_of(features, document.page_kind)
    add_metadata(document, segmented)
    scores = method_of(config).score(features, document.lang)
    if attributes.get(HEADLINE):
        scores = hinted(scores, segmented, attributes, config.max_boilerplate)
    return finish(document, scores, languages, config)


def add_metadata(document: Document, segmented: Segmented) -> None:
    """Give a document the metadata of its page, also what only its text and its address tell; it needs the roles."""
    found = segmented.metadata
    complete(found, segmented.columns, document.url, document.date)
    for name in _SAME_NAMES:
        setattr(document, name, getattr(found, name))
    document.published = found.date
    document.metadata_from = {_RENAMED.get(name, name): source for name, source in found.sources.items()}


def _describe(
    document: Document, segmented: Segmented, languages: Languages, headers: Mapping[str, str] | None = None
) -> None:
    """Give a document its blocks, its kind and what it declares, and identify the language of its blocks and itself."""
    found = segmented.metadata
    if segmented.has_too_many_blocks:
        document.dropped, document.detail = TOO_MANY_BLOCKS, f"more than {MAX_BLOCKS:,} blocks"
    document.title, document.canonical, document.declared_lang = found.title, found.canonical, found.lang
    address = document.url or document.canonical
    document.links = absolute_links(segmented.links, address)
    document.alternates = alternates_of(segmented.links, address, headers)
    document.page_kind, document.page_kind_confidence = kind_of(segmented, document.url)
    languages.label_blocks(segmented.columns)
    document.columns = segmented.columns
    languages.label_page(document)


def _charset(content_type: str) -> str | None:
    """Return the charset parameter of a Content-Type header, if it has one."""
    _, found, value = content_type.lower().partition("charset=")
    return value.partition(";")[0].strip(" \"'") if found else None
