"""Make pages of records with named fields: which field of a data set is the text, the address, the date.

The readers of JSON lines and Parquet use it. The names are those of FineWeb and DataTrove (text, url, date), C4, mC4
and CulturaX (text, url, timestamp), OSCAR (content, warc_headers), GlotCC (content, warc-target-uri), HPLT (text, u,
ts; in the first versions url), CCNet and RedPajama (raw_content, url, date_download; text and meta), Dolma (text,
created, metadata), and of this program's own exports.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, date, datetime
from typing import Any

from gristmill.archive.kind import begins_like_html
from gristmill.document import Page

HTML_FIELDS = ("html", "raw_html", "html_content", "page_html")
TEXT_FIELDS = ("text", "content", "raw_content", "raw", "body", "plain_text")
_URL_FIELDS = ("url", "uri", "u", "warc-target-uri", "warc_target_uri", "target_uri", "source_url", "link")
_DATE_FIELDS = (
    "date",
    "timestamp",
    "ts",
    "date_download",
    "warc-date",
    "warc_date",
    "crawl_date",
    "fetch_time",
    "created",
    "crawl",
)
OUTER_FIELDS = ("metadata", "meta", "warc_headers")
"""Fields that hold other fields, up to two levels deep: `meta.warc_headers.warc-target-uri`."""
FIELDS = (*HTML_FIELDS, *TEXT_FIELDS, *_URL_FIELDS, "id", *_DATE_FIELDS, *OUTER_FIELDS)
"""All fields that are looked for."""

_DIGITS = re.compile(r"(\d{4})(\d\d)(\d\d)(\d\d)?(\d\d)?(\d\d)?")
_DATE = re.compile(r"(\d{4})[-/](\d\d)[-/](\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?)\s*(\S*))?")
_WEB = re.compile(r"[a-z][a-z0-9+.-]*://\S+", re.IGNORECASE)


def page_of(record: Mapping[str, Any], name: str, number: int, limit: int) -> Page | None:
    """Make a page of the record with this number in the source of this name; None if there is no text in it."""
    found = next(
        ((field, value) for field in (*HTML_FIELDS, *TEXT_FIELDS) if (value := _body(record.get(field)))), None
    )
    if not found:
        return None
    field, body = found
    is_text = field in TEXT_FIELDS and not begins_like_html(body)
    content_type = (
        "text/plain; charset=utf-8"
        if is_text
        else "text/html; charset=utf-8"
        if isinstance(record[field], str)
        else "text/html"
    )
    nested = [record, *_nested(record)]
    url = next((said for fields in nested for key in _URL_FIELDS if (said := _address(fields.get(key)))), "")
    url = url or _address(record.get("id")) or f"file:{name}#{number}"
    when = next((said for fields in nested for key in _DATE_FIELDS if (said := _iso(fields.get(key)))), "")
    return Page(url, body[: limit + 1], when, 200, {"content-type": content_type}, name, is_text=is_text)


def _nested(record: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    inner = [value for key in OUTER_FIELDS if isinstance(value := record.get(key), Mapping)]
    return inner + [value for fields in inner for key in OUTER_FIELDS if isinstance(value := fields.get(key), Mapping)]


def _body(value: Any) -> bytes:
    if isinstance(value, str):
        return value.encode("utf-8", "replace") if not value.isspace() else b""
    return value if isinstance(value, bytes) else b""


def _address(value: Any) -> str:
    if isinstance(value, str) and _WEB.fullmatch(value := value.strip().strip("<>")):
        return value
    return ""


def _iso(value: Any) -> str:
    """Convert text, a number of seconds or milliseconds, or a date to ISO 8601; empty if it is no date."""
    if isinstance(value, datetime):
        return (value if value.tzinfo is None else value.astimezone(UTC)).strftime("%Y-%m-%dT%H:%M:%SZ")
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return ""
    text = str(value).strip() if isinstance(value, str | int) else ""
    if match := _DATE.fullmatch(text):
        zone = "Z" if match[5] in {"", "UTC", "GMT"} else match[5]
        return "-".join(match.groups()[:3]) + (f"T{match[4]}{zone}" if match[4] else "")
    if (match := _DIGITS.fullmatch(text)) and "19" <= text[:2] <= "20" and match[2] <= "12" and match[3] <= "31":
        year, month, day, *clock = match.groups(default="00")
        return f"{year}-{month}-{day}T{':'.join(clock)}Z"
    return _from_seconds(value) if isinstance(value, int | float) else ""


def _from_seconds(value: float) -> str:
    seconds = value / 1000 if value > 1e11 else value
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ") if 1e8 < seconds < 1e10 else ""
