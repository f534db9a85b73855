"""Dates as pages write them, in numbers or words, turned into ISO 8601. A wrong date is worse than none."""

from __future__ import annotations

import re
from datetime import date

from gristmill.cleaning.metadata.months import MONTHS, OTHER_MEANING

_MAX_CHARACTERS = 300
"""Characters of a text in which a date is looked for."""
_FIRST_YEAR, _LAST_YEAR = 1800, 2100
_FIRST_YEAR_OF_WEB = 1993
_TIME = r"(?:[T ](?P<time>[0-2]\d:[0-5]\d(?::[0-5]\d)?)(?:[.,]\d{1,9})? ?(?P<zone>Z|[+-]\d\d:?\d\d)?)?"
_YEAR = re.compile(r"(?:19|20)\d\d")
_ISO = re.compile(rf"(\d{{4}})-(\d\d?)-(\d\d?)(?!\d){_TIME}")
_YEAR_FIRST = re.compile(r"(\d{4})[/.](\d\d?)[/.](\d\d?)(?!\d)|((?:19|20)\d\d)(\d\d)(\d\d)(?=$|T\d|\D)")
_DAY_AND_WORD = re.compile(
    r"(?<!\d)(\d{1,2})(?:st|nd|rd|th|er|\.|º|ª)?[\s-](?:de\s|of\s|di\s)?([^\W\d_]{3,13})\.?,?[\s-](?:de\s|del\s)?"
    r"((?:19|20)\d\d)(?!\d)"
)
_WORD_AND_DAY = re.compile(r"(?<!\w)([^\W\d_]{3,13})\.?\s(\d{1,2})(?:st|nd|rd|th)?,?\s((?:19|20)\d\d)(?!\d)")
_EAST_ASIAN = re.compile(r"((?:19|20)\d\d)\s?[年년]\s?(\d{1,2})\s?[月월]\s?(\d{1,2})\s?[日일]")
_NUMBERS = re.compile(r"(?<![\d./-])(\d{1,2})(\.\s?|/|-)(\d{1,2})\2((?:19|20)\d\d)(?![\d/-])")
_YEAR_FIRST_INSIDE = re.compile(r"(?<![\d./-])((?:19|20)\d\d)([-/.])(\d\d?)\2(\d\d?)(?!\d)")
_IN_ADDRESS = re.compile(
    r"/((?:19|20)\d\d)(?:([/_-])(\d\d?|[a-z]{3})\2(\d\d?)|(\d\d)(\d\d))(?=[/_.-]|[a-z]?$|[a-z]\d|\?)", re.IGNORECASE
)
_MONTH_FIRST = frozenset({"en-us", "en-ca", "en-ph", "es-us"})


def valid(year: str | int, month: str | int, day: str | int) -> str:
    """Return a date in ISO 8601; empty if there is no such day, or it can't be the date of a text on the web."""
    if not _FIRST_YEAR <= int(year) <= _LAST_YEAR:
        return ""
    try:
        found = date(int(year), int(month), int(day))
    except ValueError:
        return ""
    return "" if found.timetuple()[:3] == (1970, 1, 1) else found.isoformat()  # the time of a clock that was not set


def declared_date(text: str, lang: str = "") -> str:
    """Read a value that is declared to be a date, with the time if that is there; empty if it is none or ambiguous."""
    text = text[:_MAX_CHARACTERS].strip()
    if match := _ISO.match(text):
        day = valid(*match.group(1, 2, 3))
        zone = match["zone"] or ""
        if len(zone) == len("+0100"):
            zone = f"{zone[:3]}:{zone[3:]}"
        return f"{day}T{match['time']}{zone}" if day and match["time"] else day
    if match := _YEAR_FIRST.match(text):
        return valid(*(part for part in match.groups() if part))
    return date_in_words(text, lang) or date_in_numbers(text, lang)


def has_year(text: str) -> bool:
    """Tell whether a text has four digits that may be a year: without them no date is found in it."""
    return _YEAR.search(text) is not None


def date_in_words(text: str, lang: str = "") -> str:
    """Find the first date in words, such as `21 March 2015` or `2015年3月21日`; empty if there is none."""
    text = text[:_MAX_CHARACTERS]
    if not _YEAR.search(text) or lang[:2].lower() in OTHER_MEANING:
        return ""
    found = []
    for pattern, order in ((_DAY_AND_WORD, (3, 2, 1)), (_WORD_AND_DAY, (3, 1, 2)), (_EAST_ASIAN, (1, 2, 3))):
        for match in pattern.finditer(text):
            year, month, day = match.group(*order)
            number = month if month.isdecimal() else MONTHS.get(month.lower())
            iso = valid(year, number, day) if number else ""
            if iso:
                found.append((match.start(), iso))
                break
    return min(found, default=(0, ""))[1]


def date_in_numbers(text: str, lang: str = "", near: str = "") -> str:
    """Find the first date in numbers with a year of four digits; empty if day and month can't be told apart.

    The language, with its country, decides on `03/04/2015`; or another date of the page that is `near` it.
    """
    text = text[:_MAX_CHARACTERS]
    is_there = has_year(text)
    if is_there and (match := _YEAR_FIRST_INSIDE.search(text)):
        return valid(match[1], match[3], match[4])
    match = _NUMBERS.search(text) if is_there else None
    if not match:
        return ""
    first, sign, second, year = match.groups()
    day_first, month_first = valid(year, second, first), valid(year, first, second)
    if sign[0] == "." or not (day_first and month_first) or day_first == month_first:
        return day_first or (month_first if sign[0] != "." else "")
    if near[:10] in (day_first, month_first):
        return near[:10]
    lang = lang.lower().replace("_", "-")
    if lang in _MONTH_FIRST:
        return month_first
    return day_first if lang and (not lang.startswith("en") or len(lang) > len("en")) else ""


def date_in_address(url: str) -> str:
    """Find the date that addresses of news and blogs hold, as in `/2015/03/21/`; empty if there is none."""
    match = _IN_ADDRESS.search(url[:_MAX_CHARACTERS])
    if not match:
        return ""
    year, _, month, day, *digits = match.groups()
    if digits[0]:
        month, day = digits
    number = month if month.isdecimal() else MONTHS.get(month.lower())
    return valid(year, number, day) if number and int(year) >= _FIRST_YEAR_OF_WEB else ""


def days_between(one: str, other: str) -> int:
    """Count the days between two dates in ISO 8601."""
    return abs(date.fromisoformat(one[:10]).toordinal() - date.fromisoformat(other[:10]).toordinal())


def is_later(found: str, limit: str) -> bool:
    """Tell whether a date is more than two days after a time in ISO 8601; False if one of them is not known."""
    try:
        last = date.fromisoformat(limit[:10]).toordinal()
    except ValueError:
        return False
    return bool(found) and date.fromisoformat(found[:10]).toordinal() > last + 2
