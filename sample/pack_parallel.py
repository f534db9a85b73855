"""Write the multilingual sites into a WARC file, and which pages and sentences translate each other into JSON lines."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from gristmill import sample as bundled
from gristmill.archive import WarcWriter
from sample import units
from sample.multilingual import PageOfSite, Site, translations
from sample.units import LANGUAGES

_HOME = Path(__file__).parents[1] / "src" / "gristmill" / "sample"
WARC, TRUTH = _HOME / bundled.PARALLEL_WARC.name, _HOME / bundled.PARALLEL_TRUTH.name


def warc(sites: list[Site]) -> bytes:
    """Write all pages, site by site."""
    stream = io.BytesIO()
    with WarcWriter(stream) as writer:
        writer.write_info(
            "2024-12-01T00:00:00Z", {"description": "the multilingual sample of Gristmill, every text written for it"}
        )
        for page in (page for site in sites for page in site.pages):
            headers = {"Content-Type": "text/html; charset=utf-8"}
            writer.write_response(page.url, f"{page.date}T12:00:00Z", 200, headers, page.html.encode())
    return stream.getvalue()


def truth(sites: list[Site]) -> bytes:
    """Write the truth: a line for each page, then a line for each pair of pages."""
    lines = [json.dumps(line, ensure_ascii=False) for line in (*_pages(sites), *_pairs(sites))]
    return ("\n".join(lines) + "\n").encode()


def _pages(sites: list[Site]) -> Iterator[dict[str, Any]]:
    for site in sites:
        pairs = translations(site)
        for page in site.pages:
            others = [other for pair in pairs if page in pair for other in pair if other is not page]
            found = {other.text_lang: other.url for other in others}
            yield {
                "url": page.url,
                "lang": page.text_lang,
                "site": site.name,
                "topic": page.topic.name,
                "title": page.title,
                "translation": _completeness(page),
                "translations": {lang: found.get(lang) for lang in LANGUAGES if lang != page.text_lang},
                "sentences": page.version.sentences(),
                "blocks": [{"text": block.text, "kind": block.kind, "role": block.role} for block in page.blocks],
            }


def _completeness(page: PageOfSite) -> str:
    """How much of the page is in the language of its address; `summary` is said by the topic."""
    own = page.version.langs.count(page.lang)
    if own < len(page.version.langs):
        return "partly" if own else "untranslated"
    return page.topic.fields.get("translation", "whole")


def _pairs(sites: list[Site]) -> Iterator[dict[str, Any]]:
    for one, other in (pair for site in sites for pair in translations(site)):
        yield {
            "pair": [one.url, other.url],
            "langs": [one.text_lang, other.text_lang],
            "beads": units.beads(one.version, other.version),
        }
