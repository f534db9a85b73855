"""Filters on cleaned documents."""

from __future__ import annotations

from gristmill.config import FilterConfig
from gristmill.document import Document
from gristmill.filter.registry import DOCUMENT_FILTERS


@DOCUMENT_FILTERS.register("language")
def language(document: Document, config: FilterConfig) -> str | None:
    """Only the languages that were asked for."""
    if not config.languages or document.lang in config.languages:
        return None
    return f"{document.lang} ({document.lang_confidence:.2f}), not {' or '.join(config.languages)}"


@DOCUMENT_FILTERS.register("length")
def length(document: Document, config: FilterConfig) -> str | None:
    """Enough text left after cleaning, and not too much for one page."""
    if document.length < config.min_length:
        return f"{document.length:,} characters of text, fewer than {config.min_length:,}"
    if document.length > config.max_length:
        return f"{document.length:,} characters of text, more than {config.max_length:,}"
    return None
