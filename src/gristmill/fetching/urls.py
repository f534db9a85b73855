"""Addresses in one normal form, so that a page is not fetched twice under two spellings.

Parsing, joining, dot segments, default ports, IDN and odd ways to write IPv4 addresses are as in browsers (the URL
Standard of WHATWG, by `ada-url`). On top of that, fragments, tracking parameters and session ids are removed, and
percent-escapes are written in one way (RFC 3986, section 6.2.2).
"""

from __future__ import annotations

import re

import xxhash

from gristmill.errors import UsageError

try:
    from ada_url import join_url, normalize_url
except ImportError as error:
    raise UsageError("addresses need ada-url: pip install 'gristmill[crawl]'") from error

_SCHEMES = ("http://", "https://")
_MAX_ADDRESS = 16_384  # characters; servers take less, and names of hosts without end take long to encode
_AUTHORITY_AT = 8  # no slash of the scheme is behind this place, and the authority's end is not before it

TRACKING_PREFIXES = ("utm_", "mtm_", "pk_", "piwik_", "matomo_", "__hs")
"""Parameters that begin so tell the site where a visitor came from. They never change the page."""

TRACKING = frozenset(
    "fbclid gclid gclsrc gbraid wbraid dclid msclkid yclid ysclid twclid ttclid igshid igsh li_fat_id srsltid "
    "irclickid mc_cid mc_eid mkt_tok _ga _gl _hsenc _hsmi hsctatracking vero_id vero_conv oly_anon_id oly_enc_id "
    "wickedid _openstat fb_action_ids fb_action_types fb_source fb_ref wt_mc wt_zmc".split()
)
"""Other parameters of advertisers and of newsletters that never change the page."""

SESSION_PREFIXES = ("phpsessid", "jsessionid", "aspsessionid", "asp.net_sessionid")
SESSION = frozenset(["cfid", "cftoken"])
"""Parameters that hold a session id, whatever their value."""

MAYBE_SESSION = frozenset("sid sessid sessionid session_id session oscsid zenid".split())
"""Parameters that hold a session id if their value looks like one."""

_SESSION_VALUE = re.compile(r"(?=[^0-9]*[0-9])[0-9A-Za-z,_-]{16,}")
_PATH_SESSION = re.compile(
    r";(?:jsessionid|phpsessid)(?:=|%3D)[^/?;]*"  # Java's
    r"|/\((?:[A-Z]\([0-9a-z]{12,64}\))+\)(?=/)",  # ASP.NET's
    re.IGNORECASE,
)
_ESCAPE = re.compile("%([0-9A-Fa-f]{2})")
_NO_ESCAPE = re.compile("%(?![0-9A-Fa-f]{2})")
_UNRESERVED = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
_ESCAPES = {
    f"{code:02{case}}": chr(code) if code in _UNRESERVED else f"%{code:02X}" for code in range(256) for case in "xX"
}


def normalise(address: str, base: str = "") -> str:
    """Return the normal form of a web address, joined to `base` if it is relative; empty if it is not one.

    An address with a user name or password is not one.
    """
    try:
        url = "" if len(address) > _MAX_ADDRESS else join_url(base, address) if base else normalize_url(address)
    except ValueError:
        return ""
    if "#" in url:
        url = url[: url.index("#")]
    end = url.find("/", _AUTHORITY_AT)
    if not url.startswith(_SCHEMES) or len(url) > _MAX_ADDRESS or ("@" in url and "@" in url[:end]):
        return ""
    if url[end - 1] == "." or ".:" in url[:end]:
        return _without_dot(url, end)
    if "%" in url:
        url = _with_plain_escapes(url)
    if (";" in url or "(" in url) and (shorter := _without_path_session(url)) != url:
        return normalise(shorter)  # what is left may have dot segments
    if "?" in url:
        url = _with_needed_parameters(url)
    return url


def _without_dot(url: str, end: int) -> str:
    """Return the normal form of an address whose host ends in dots, without these."""
    host, colon, port = url[:end].rpartition(":") if url[end - 1] != "." else (url[:end], "", "")
    host = host.rstrip(".")
    return "" if host.endswith("/") else normalise(host + colon + port + url[end:])


def _with_plain_escapes(url: str) -> str:
    """Write escapes in upper case, and those of unreserved characters as the character."""
    if _NO_ESCAPE.search(url):  # a bare % might become an escape if what is behind it were decoded
        return _ESCAPE.sub(lambda escape: escape[0].upper(), url)
    return _ESCAPE.sub(lambda escape: _ESCAPES.get(escape[1]) or f"%{escape[1].upper()}", url)


def _without_path_session(url: str) -> str:
    """Remove session ids from the path."""
    path, mark, query = url.partition("?")
    return _PATH_SESSION.sub("", path) + mark + query


def _with_needed_parameters(url: str) -> str:
    """Remove tracking parameters and session ids from the query, and a query that is empty."""
    path, _, query = url.partition("?")
    parameters = query.split("&")
    needed = [parameter for parameter in parameters if _is_needed(parameter)]
    if len(needed) < len(parameters):
        query = "&".join(needed)
    return f"{path}?{query}" if query else path


def _is_needed(parameter: str) -> bool:
    """Whether a parameter of a query may change the page."""
    name, _, value = parameter.partition("=")
    name = name.lower()
    if name in TRACKING or name in SESSION or name.startswith(TRACKING_PREFIXES + SESSION_PREFIXES):
        return False
    return name not in MAYBE_SESSION or not _SESSION_VALUE.fullmatch(value)


def authority_of(url: str) -> str:
    """Return host and port of a normalised address as they stand in it: `example.org:8080`, `[::1]`."""
    return url[url.index("//") + 2 : url.index("/", _AUTHORITY_AT)]


def host_of(url: str) -> str:
    """Return the host of a normalised address, without port and without the brackets of IPv6."""
    authority = authority_of(url)
    return authority[1 : authority.index("]")] if authority[0] == "[" else authority.partition(":")[0]


def port_of(url: str) -> int:
    """Return the port of a normalised address."""
    port = authority_of(url).rpartition("]")[2].partition(":")[2]
    return int(port) if port else 443 if is_tls(url) else 80


def origin_of(url: str) -> str:
    """Return scheme, host and port of a normalised address: `https://example.org`."""
    return url[: url.index("/", _AUTHORITY_AT)]


def is_tls(url: str) -> bool:
    """Whether a normalised address is one of https."""
    return url.startswith("https:")


def key_of(url: str) -> int:
    """Return a 64-bit hash of an address, signed, as SQLite has integers."""
    key = xxhash.xxh3_64_intdigest(url.encode())
    return key - (1 << 64) if key >> 63 else key
