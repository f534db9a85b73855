"""Presets of filters: the default one, and those of well-known corpora.

A filter is one line of text, with its name and its thresholds; the package `filter` has the filters themselves.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from gristmill.errors import UsageError
from gristmill.registry import Registry, did_you_mean, format_spec, parse_spec, part, parts_of

PRESETS: Registry[tuple[str, ...]] = parts_of("preset")

_HTML = "content-type:types=text/html"
_HTML_AND_XHTML = "content-type:types=text/html,application/xhtml+xml"
_ANY_SIZE = "size:min=100,max=10000000"
LANGUAGE = "language"
"""The filter that drops documents in other languages than those of the corpus."""
_LANGUAGE = f"{LANGUAGE}:confidence=0.0"

DEFAULT = (
    "status",
    _HTML_AND_XHTML,
    _ANY_SIZE,
    _LANGUAGE,
    "length:min=200,max=1000000",
    "invalid-characters:max=0.01",
    "repeated-lines:lines=1.0,characters=0.7",
)
"""The default preset: what surely is no text is dropped; what may be of use to somebody is kept."""
part("preset", "default")(DEFAULT)

NOTHING = "none"
"""The preset without filters, not even for the languages of the corpus."""
part("preset", "none")(())

# Ferraresi, Zanchetta, Baroni and Bernardini 2008, 2.2. Their list of pornographic words is for the user to give:
# `word-list:file=...`.
part("preset", "ukwac")(
    ("status", _HTML, "size:min=5000,max=200000", _LANGUAGE, "function-words:types=10,tokens=30,share=0.25,list=151"),
)

# PRESEMT D3.1.3, 3.1.
part("preset", "presemt")(("status", _HTML, "size:min=5000,max=2000000", _LANGUAGE))

# Leturia, San Vicente, Saralegi and Lopez de Lacalle 2008, 4.1 and 5.1. Texts on the topic are for the user to give:
# `topic:sample=...`.
part("preset", "basque")(
    ("status", _HTML_AND_XHTML, _ANY_SIZE, "foreign:run=0.1,share=0.4", _LANGUAGE, "length:min=1000,max=100000"),
)

# Rae et al. 2021, A.1.1 and Table A1.
_GOPHER_QUALITY = (
    "min_words=50,max_words=100000,min_length=3.0,max_length=10.0,"
    "symbols=0.1,bullets=0.9,ellipses=0.3,letters=0.8,frequent=2"
)
part("preset", "gopher")(
    (
        "status",
        _HTML_AND_XHTML,
        _ANY_SIZE,
        _LANGUAGE,
        f"gopher-quality:{_GOPHER_QUALITY}",
        "repeated-lines:lines=0.3,characters=0.2",
        "repeated-ngrams:top2=0.2,top3=0.18,top4=0.16,all5=0.15,all6=0.14,all7=0.13,all8=0.12,all9=0.11,all10=0.1",
    ),
)

# Raffel et al. 2020, 2.2. Their list of bad words is for the user to give: `word-list:file=...,types=1,tokens=1`.
part("preset", "c4")(
    (
        "status",
        _HTML_AND_XHTML,
        _ANY_SIZE,
        "c4-lines:words=5,longest=1000,punctuation=yes,javascript=yes,policy=yes",
        _LANGUAGE,
        "c4-page:sentences=3,placeholder=yes,braces=yes",
    ),
)

# FineWeb (Penedo et al. 2024) as its published program has it, and the defaults of the same filters in DataTrove 0.10,
# where every line has to end as sentences do, and quotation marks are no such end. Block lists of addresses are for the
# user to give: `blocklist:lists=...`.
_AS_DATATROVE_COUNTS = (
    "language:confidence=0.65",
    "repeated-lines:lines=0.3,characters=0.2",
    "datatrove-ngrams:top2=0.2,top3=0.18,top4=0.16,all5=0.15,all6=0.14,all7=0.13,all8=0.12,all9=0.11,all10=0.1",
    f"datatrove-quality:{_GOPHER_QUALITY}",
    "c4-page:sentences=5,placeholder=yes,braces=yes",
)
_FINEWEB_QUALITY = "fineweb-quality:punctuation=0.12,short_lines=0.67,short=30,repeated=0.01,breaks=0.3"
part("preset", "fineweb")(
    (
        "status",
        _HTML_AND_XHTML,
        _ANY_SIZE,
        "c4-lines:words=3,longest=1000,punctuation=no,javascript=yes,policy=yes",
        *_AS_DATATROVE_COUNTS,
        f"{_FINEWEB_QUALITY},quotes=yes",
    ),
)
part("preset", "datatrove")(
    (
        "status",
        _HTML_AND_XHTML,
        _ANY_SIZE,
        "c4-lines:words=3,longest=1000,punctuation=yes,javascript=yes,policy=yes",
        *_AS_DATATROVE_COUNTS,
        f"{_FINEWEB_QUALITY},quotes=no",
    ),
)


def changed(filters: Iterable[str], changes: Iterable[str]) -> tuple[str, ...]:
    """Change some filters: a filter replaces the one of its name or comes last; `-name` or `no-name` removes one."""
    found = {parse_spec(spec)[0]: spec for spec in filters}
    for change in changes:
        removed = taken_out(change)
        if removed and removed not in found and removed != LANGUAGE:  # languages may be asked for without the filter
            hint = did_you_mean(removed, found, "no-")
            raise UsageError(
                f"there is no filter {removed!r} to take out{hint} (there are: {', '.join(found) or 'none'})"
            )
        if removed:
            found.pop(removed, None)
        else:
            found[parse_spec(change)[0]] = change
    return tuple(found.values())


def taken_out(change: str) -> str:
    """The filter that a change removes; empty if it sets one."""
    name, parameters = parse_spec(change)
    removed = next((name.removeprefix(prefix) for prefix in ("-", "no-") if name.startswith(prefix)), "")
    if removed and parameters:
        raise UsageError(f"{change!r} takes out a filter, so it has no settings: say {name!r}")
    return removed


def with_default(filters: Iterable[str], name: str, key: str, value: str) -> tuple[str, ...]:
    """Set a parameter of one of the filters, if that filter is there and the parameter was not given."""
    specs = [(spec, *parse_spec(spec)) for spec in filters]
    return tuple(
        format_spec(name, {**parameters, key: value}) if other == name and key not in parameters else spec
        for spec, other, parameters in specs
    )


def with_thresholds(filters: Iterable[str], name: str, thresholds: Mapping[str, Any]) -> tuple[str, ...]:
    """Change thresholds of one of the filters, which is added if it is not there; None changes nothing."""
    filters = tuple(filters)
    given = {key: value for key, value in thresholds.items() if value is not None}
    if not given:
        return filters
    before: dict[str, Any] = dict(
        next((parameters for other, parameters in map(parse_spec, filters) if other == name), {})
    )
    return changed(filters, [format_spec(name, before | given)])
