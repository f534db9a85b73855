"""Cleaning of all pages of a site together, for methods that find what its pages have in common.

Text that many pages of a site share (menus, footers) is not what any of them is about. The pipeline uses this to build
a corpus by site.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from urllib.parse import urlsplit

from gristmill.cleaning.cleaner import DEFAULT_METHOD, add_metadata, clean_alone, finish, prepare, settings_of
from gristmill.cleaning.features import Features
from gristmill.cleaning.hints import hinted
from gristmill.cleaning.languages import Languages
from gristmill.cleaning.methods.chosen import method_of
from gristmill.cleaning.roles import roles_of
from gristmill.config import CleanConfig
from gristmill.document import Document, Page
from gristmill.language import Models
from gristmill.roles import Names

_WWW_PREFIX = re.compile(r"^www\d?\.")


def clean_site(
    pages: Sequence[Page],
    lang: str | None = None,
    method: str = DEFAULT_METHOD,
    max_boilerplate: float = 0.5,
    models: Models | None = None,
    *,
    model: str | os.PathLike[str] | None = None,
    roles: Names | None = None,
    without: Names = (),
) -> list[Document]:
    """Clean all pages of one site, and return the documents in the order of the pages.

    A site method compares the pages with each other, and holds the blocks of all of them in memory at once. Any other
    method cleans one page after the other. Roles are those of `clean`.
    """
    config = settings_of(method, roles, without, max_boilerplate, model)
    return clean_together(pages, Languages(models or Models.load(), lang or ""), config)


def clean_together(pages: Sequence[Page], languages: Languages, config: CleanConfig) -> list[Document]:
    """Clean all pages of one site; `languages` identifies theirs, and filters can use it for the documents next."""
    chosen = method_of(config)
    if chosen.score_site is None or not pages:
        return [clean_alone(page, languages, config) for page in pages]
    prepared = [prepare(page, languages, chosen.segmentation) for page in pages]
    sound = [(*found, page) for found, page in zip(prepared, pages, strict=True) if not found[0].dropped]
    features = [
        Features(segmented, languages.models, document.url or document.canonical) for document, segmented, _ in sound
    ]
    for (document, segmented, _), found in zip(sound, features, strict=True):
        segmented.columns.role = roles_of(found, document.page_kind)
        add_metadata(document, segmented)
        segmented.source = b""  # the blocks of all pages are in memory at once; their markup need not be
    for (document, segmented, page), scores in zip(sound, chosen.score_site(features) if sound else [], strict=True):
        finish(document, hinted(scores, segmented, page.attributes, config.max_boilerplate), languages, config)
    return [document for document, _ in prepared]


def sites(pages: Iterable[Page]) -> dict[str, list[Page]]:
    """Group pages by site: sites in the order of their first page, pages in their own order."""
    found: dict[str, list[Page]] = {}
    for page in pages:
        found.setdefault(site_of(page.url), []).append(page)
    return found


def site_of(url: str) -> str:
    """Name the site of an address: its host in lower case, without port and `www.`.

    For an address without a host, such as that of a file, it is the folder.
    """
    try:
        host = urlsplit(url).hostname or ""
    except ValueError:  # brackets that hold no IPv6 address
        host = url.partition("//")[2].partition("/")[0].lower()
    return _WWW_PREFIX.sub("", host) if host else url.rpartition("/")[0]
