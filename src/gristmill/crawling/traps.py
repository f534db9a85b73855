"""Addresses without end: rules by which one address shows what it is, and patterns by which many of them do.

A calendar, a faceted search or a loop of session ids makes new addresses for ever. `trap_of` refuses an address that
looks like a step in such a loop. What it lets pass is caught by what it gives: `pattern_of` names the template that an
address was probably made of, and a pattern whose pages give no new text is left.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

import xxhash

from gristmill.crawling.config import TrapsConfig

PATTERNS_PER_HOST = 4096
"""How many patterns a host can have: `pattern_number` is below."""

_AUTHORITY_AT = 8  # no slash of the scheme stands behind this place
_YEARS_AHEAD = 2  # pages may announce something
_OLD_YEARS = range(1900, 1990)  # before the web; older ones are mostly no years
_LAST_YEAR = 2100  # what goes on from year to year must come through the years before; larger ones are mostly no years
_LITERAL_FOLDERS = 2  # of a path that are part of its pattern; deeper ones are one part, however many
_MAX_NAME_CHARACTERS = 32  # of a folder or parameter that is part of a pattern

_DATE_IN_PATH = re.compile(
    r"/(?P<year>\d{4})(?:[/-](?:0[1-9]|1[0-2])(?:[/-](?:0?[1-9]|[12]\d|3[01]))?|(?P<sign>[/-])\d(?P=sign)\d{1,2})(?![^/.])"
)
_DATE_IN_QUERY = re.compile(r"(?P<year>\d{4})-\d{1,2}(?:-\d{1,2}(?:\D.*)?)?|(?:\d{1,2}[-.])?\d{1,2}[-.](?P<last>\d{4})")
_MONTH_IN_QUERY = re.compile(r"(?P<year>\d{4})(?P<last>)(?:0[1-9]|1[0-2])(?:[0-2]\d|3[01])?")
_YEAR_NAMES = frozenset("year yr y jahr annee ano anno rok god jaar ar vuosi ev yil".split())
_MONTH_NAMES = frozenset("month m ym yearmonth date datum fecha".split())

_DIGITS = re.compile(r"\d+")
_NUMBER = re.compile(r"\d+(?:[-_.,:]\d+)*")
_ID = re.compile(  # a number alone is none: `_NUMBER` is looked for first
    r"(?=\D*\d)[0-9a-f]{5,}"  # hexadecimal
    r"|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"  # UUID
    r"|(?=\D*\d)[0-9a-z]{16,}",  # a session id
    re.IGNORECASE,
)
_BETWEEN_WORDS = re.compile(r"[-_+]|%20")
_SUFFIX = re.compile(r"\.[a-z]{1,5}\d?$", re.IGNORECASE)
# Parameters whose values are names of programs, so that they are part of the pattern.
_PROGRAMS = frozenset("action act do cmd option view task module mod controller op func".split())
_PROGRAM = re.compile(r"[a-z][a-z_.-]{0,23}", re.IGNORECASE)


def trap_of(url: str, rules: TrapsConfig, year: int = 0) -> str:
    """Name the rule by which a normalised address belongs to a trap: `trap-depth`...; empty if there is none.

    Dates are judged only if it is known which year it is.
    """
    if len(url) > rules.max_length:
        return "trap-length"
    place, _, query = url.partition("?")
    path = place[place.find("/", _AUTHORITY_AT) :]
    if path.count("/") > rules.max_depth + path.endswith("/"):
        return "trap-depth"
    if query.count("&") >= rules.max_parameters:
        return "trap-parameters"
    segments = path.split("/")[1:]
    if len(set(segments)) < len(segments) and _repeats(segments, rules.max_repeats):
        return "trap-repeat"
    return "trap-calendar" if year and _is_far(path, query, year) else ""


def _repeats(segments: Sequence[str], most: int) -> bool:
    """Tell whether a segment comes more than so many times, or a sequence of segments so many times in a row."""
    if Counter(segments).most_common(1)[0][1] > most:
        return True
    for length in range(1, len(segments) // most + 1):
        run = 0  # segments up to here that equal the one so many places before
        for before, segment in zip(segments, segments[length:], strict=False):
            run = run + 1 if segment == before else 0
            if run >= length * (most - 1):
                return True
    return False


def _is_far(path: str, query: str, year: int) -> bool:
    """Tell whether an address has a date that no page is about: far in the future, or before the web.

    An old date with a name behind it is the address of an article: archives of newspapers have such ones.
    """
    ahead = range(year + _YEARS_AHEAD + 1, _LAST_YEAR)
    for date in _DATE_IN_PATH.finditer(path):
        found = int(date["year"])
        if found in ahead or (found in _OLD_YEARS and not any(map(str.isalpha, path[date.end() :]))):
            return True
    return "=" in query and any(found in ahead or found in _OLD_YEARS for found in map(_year_of, query.split("&")))


def _year_of(parameter: str) -> int:
    """Return the year of the date that a parameter of a query holds; 0 if it holds none."""
    name, _, value = parameter.partition("=")
    if not value[:1].isdecimal():
        return 0
    if value.isdecimal():
        name = name.lower()
        if name in _YEAR_NAMES:
            return int(value) if len(value) == 4 else 0
        date = _MONTH_IN_QUERY.fullmatch(value) if name in _MONTH_NAMES else None
    else:
        date = _DATE_IN_QUERY.fullmatch(value)
    return int(date["year"] or date["last"]) if date else 0


def pattern_of(url: str) -> str:
    """Return the shape of a normalised address within its host: what is different from page to page is left out.

    `/2024/05/my-nice-post` and all other posts have the pattern `/#/#/*`; `/shop/list?color=red&size=5&sort=price` and
    all other choices `/shop/list?**`.
    """
    place, _, query = url.partition("?")
    segments = place[place.find("/", _AUTHORITY_AT) + 1 :].rstrip("/").split("/")
    folders = list(map(_shape, segments[: min(_LITERAL_FOLDERS, len(segments) - 1)]))
    deeper = ["**"] if len(segments) > _LITERAL_FOLDERS + 1 else []
    return "/" + "/".join([*folders, *deeper, _last(segments[-1], has_query=bool(query))]) + _query(query)


def pattern_number(pattern: str) -> int:
    """Return the number of a pattern: however many addresses a host makes up, there are not more than these."""
    return xxhash.xxh3_64_intdigest(pattern.encode()) % PATTERNS_PER_HOST


def _last(segment: str, *, has_query: bool) -> str:
    """Return what stands for the last part of a path: with a query it mostly names a program, else the page."""
    if not segment:
        return ""
    suffix = _SUFFIX.search(segment)
    stem = segment[: suffix.start()] if suffix else segment
    shape = _shape(stem)
    if not has_query and shape not in {"#", "%"}:
        shape = "*"
    return shape + (suffix[0].lower() if suffix else "")


def _shape(name: str) -> str:
    """Return a name with digits left out: `#` for a number, `%` for an id, `*` for a phrase, else the name."""
    name = name.partition(";")[0]
    if _NUMBER.fullmatch(name):
        return "#"
    if _ID.fullmatch(name):
        return "%"
    if len(name) > _MAX_NAME_CHARACTERS or len(_BETWEEN_WORDS.findall(name)) > 1:
        return "*"
    return _DIGITS.sub("#", name)


def _query(query: str) -> str:
    """Return what stands for a query: the name of a single parameter; of several, only those that name a program.

    Any choice of parameters is one pattern, as each combination of them would be one else.
    """
    if not query:
        return ""
    parameters = query.split("&")
    if len(parameters) == 1:
        return "?" + _shape(parameters[0].partition("=")[0])
    pairs = (parameter.partition("=")[::2] for parameter in parameters)
    programs = sorted(
        f"{name}={value}&" for name, value in pairs if name.lower() in _PROGRAMS and _PROGRAM.fullmatch(value)
    )
    return f"?{''.join(programs)}**"
