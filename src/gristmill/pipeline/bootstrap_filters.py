"""The filters of a corpus that is made of words: language, length, and the topic of a sample."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

from gristmill.bootstrapping.config import BootstrapConfig
from gristmill.config import Config
from gristmill.corpus.manifest import NAME as MANIFEST
from gristmill.language.stoplist import word_frequencies
from gristmill.registry import format_spec, parse_spec

PRESET = "basque"
"""The filters of a bootstrap, if none are given: languages of paragraphs, and 1,000 to 100,000 characters."""
_TOPIC = "topic"


def build_settings(given: Config | None, settings: BootstrapConfig) -> Config:
    """Add to the filters of the corpus those of the language, and of the topic if there is a sample of it."""
    config = given or Config().with_filters(preset=PRESET)
    lang, sample = settings.seeds.lang, settings.seeds.sample
    if lang and not config.filter.languages:
        config = config.with_filters(languages=(lang,))
    return with_topic(config, sample, settings) if sample and can_have_topic(config, settings) else config


def has_topic(config: Config) -> bool:
    """Tell whether documents are filtered by topic."""
    return _TOPIC in [parse_spec(spec)[0] for spec in config.filter.filters]


def can_have_topic(config: Config, settings: BootstrapConfig) -> bool:
    """Tell whether documents are to be filtered by topic and can be, but are not yet."""
    reference = settings.seeds.reference
    is_known = bool(word_frequencies(settings.seeds.lang)) or bool(reference and (Path(reference) / MANIFEST).is_file())
    return is_known and settings.topic.min > 0 and not has_topic(config)


def with_topic(config: Config, sample: str, settings: BootstrapConfig) -> Config:
    """Add the filter of the topic that a sample has."""
    parameters: dict[str, Any] = {"sample": sample, "min": settings.topic.min, "lang": settings.seeds.lang}
    if not word_frequencies(settings.seeds.lang):
        parameters["general"] = settings.seeds.reference
    filters = config.filter.replace(changes=[format_spec(_TOPIC, parameters)])
    return dataclasses.replace(config, filter=filters)  # a sample that a file names is not the user's word
