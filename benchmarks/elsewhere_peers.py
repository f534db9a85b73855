"""The cleaners that `elsewhere.py` compares with, each with all its settings that a guideline can ask for."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import justext
import lxml.html
import readability
import trafilatura
import turbohtml
from resiliparse.extract.html2text import extract_plain_text
from resiliparse.parse.encoding import bytes_to_str, detect_encoding

from gristmill.evaluation.gold import GoldPage
from gristmill.evaluation.metrics import by_bag

Extract = Callable[[bytes, str], str | None]

_STOP_LISTS = {
    "de": "German",
    "el": "Greek",
    "en": "English",
    "es": "Spanish",
    "fr": "French",
    "pl": "Polish",
    "ru": "Russian",
}
_TRAFILATURA: dict[str, dict[str, Any]] = {
    "": {},
    "precision": {"favor_precision": True},
    "recall": {"favor_recall": True},
    "no tables": {"include_tables": False},
}


@dataclass(frozen=True, slots=True)
class Setting:
    """A peer with one of its settings."""

    peer: str
    name: str
    """What is set; what is not named is as the peer has it by itself."""
    extract: Extract


def settings() -> list[Setting]:
    """All settings of all peers; the first one of each peer is what it does by itself."""
    return [
        *(
            _trafilatura(fast, comments, name)
            for fast in (False, True)
            for comments in (True, False)
            for name in (("",) if comments else _TRAFILATURA)
        ),
        Setting("readability-lxml", "", _readability),
        Setting("resiliparse", "", lambda html, _: _resiliparse(html, comments=True)),
        Setting("resiliparse", "no comments", lambda html, _: _resiliparse(html, comments=False)),
        Setting("jusText", "", lambda html, lang: _justext(html, lang, no_headings=False)),
        Setting("jusText", "no headings", lambda html, lang: _justext(html, lang, no_headings=True)),
        Setting("turbohtml", "", lambda html, _: turbohtml.parse(html).main_text()),
    ]


def score_peers(page: GoldPage) -> tuple[list[tuple[float, float, float]], list[bool]]:
    """Precision, recall and F1 of each setting on a page, and whether it raised an error; then it found nothing."""
    logging.disable(logging.CRITICAL)  # the peers speak of every page that they find strange
    results, raised = [], []
    for setting in settings():
        try:
            text = setting.extract(page.html, page.lang or "en") or ""
            raised.append(False)
        except Exception:  # noqa: BLE001 - whatever a peer raises, it found nothing
            text = ""
            raised.append(True)
        results.append(by_bag(text, page.gold) or (0.0, 0.0, 0.0))
    return results, raised


def _trafilatura(fast: bool, comments: bool, name: str) -> Setting:
    def extract(html: bytes, _: str) -> str | None:
        found: str | None = trafilatura.extract(html, fast=fast, include_comments=comments, **_TRAFILATURA[name])
        return found

    named = [part for part in ("" if comments else "no comments", name) if part]
    return Setting("trafilatura fast" if fast else "trafilatura", ", ".join(named), extract)


def _readability(html: bytes, _: str) -> str:
    summary = readability.Document(html.decode("utf-8", "replace")).summary()
    return "\n".join(lxml.html.fromstring(summary).itertext())


def _resiliparse(html: bytes, *, comments: bool) -> str:
    text = bytes_to_str(html, detect_encoding(html))
    found: str = extract_plain_text(text, main_content=True, alt_texts=False, list_bullets=False, comments=comments)
    return found


def _justext(html: bytes, lang: str, *, no_headings: bool) -> str:
    if lang in _STOP_LISTS:
        found = justext.justext(html, justext.get_stoplist(_STOP_LISTS[lang]), no_headings=no_headings)
    else:
        # As its authors advise for languages without a stop list.
        found = justext.justext(html, frozenset(), stopwords_low=0, stopwords_high=0, no_headings=no_headings)
    return "\n".join(paragraph.text for paragraph in found if not paragraph.is_boilerplate)
