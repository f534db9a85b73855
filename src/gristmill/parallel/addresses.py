"""Addresses of pages and their translations: the site, a form for comparison, and patterns learned from the site.

`/en/mill/12` and `/de/mill/12` differ in one part. That `en` stands where the other has `de` on many pages is learned
from the addresses themselves, whatever the parts are (`L=0` and `L=1`, `products` and `produkte`); that these two are
codes of the languages is known before.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from urllib.parse import unquote, urlsplit

import xxhash

_WWW = re.compile(r"www\d?\.")
_INDEX = re.compile(r"/(?:index|default|home)\.(?:html?|php|aspx?|jsp)$")
_PARTS = re.compile(r"[^/._;,:+-]+|/")
_DIGITS = re.compile(r"\d+")
_IP = re.compile(r"[\d.]+|.*:.*")
_SECOND_LEVEL = frozenset("ac co com ed edu go gob gouv gov gv mil ne net or org".split())
"""Names under which domains of countries are registered, as in `example.co.uk`."""
_MAX_PARTS = 32
"""Parts of an address that are looked at."""
_MAX_CHARACTERS = 500
"""Characters of a path, and of a query, that are looked at."""
_MAX_PAGES = 4
"""Pages of a language that an address without one part may stand for; more are a list, not translations."""
_MIN_COUNT = 3
"""Addresses in which one part must stand for another before that is a pattern."""
_NEARLY_ALL = 0.9
"""Share of the addresses of a language that have a part which tells the languages apart."""
_ROUNDS = 3
"""How often patterns are learned: the section of an address can be seen to be translated when the code is known."""
_KNOWN = 0.95
_CERTAIN_COUNT = 2.0
"""The trust in a pattern is n / (n + this) of the n addresses that show it."""
_NAMES = {
    "cs": ("cz", "cze", "ces", "czech", "cesky", "cs-cz"),
    "da": ("dk", "dan", "danish", "dansk"),
    "de": ("ger", "deu", "german", "deutsch", "dt", "d", "at", "ch"),
    "el": ("gr", "gre", "ell", "greek"),
    "en": ("eng", "english", "englisch", "anglais", "uk", "us", "gb", "e", "int"),
    "es": ("spa", "esp", "spanish", "espanol", "castellano", "mx"),
    "et": ("ee", "est"),
    "fi": ("fin", "finnish", "suomi"),
    "fr": ("fre", "fra", "french", "francais", "f"),
    "hu": ("hun", "hungarian", "magyar"),
    "it": ("ita", "italian", "italiano", "i"),
    "ja": ("jp", "jpn", "japanese"),
    "ko": ("kr", "kor", "korean"),
    "nl": ("dut", "nld", "dutch", "nederlands"),
    "pl": ("pol", "polish", "polski"),
    "pt": ("por", "br", "portuguese", "portugues"),
    "ru": ("rus", "russian"),
    "sk": ("slk", "slo", "slovak", "slovensky"),
    "sl": ("si", "slv", "slovenian"),
    "sv": ("se", "swe", "swedish", "svenska"),
    "uk": ("ua", "ukr", "ukrainian"),
    "zh": ("cn", "chi", "zho", "chinese"),
}
"""Parts of addresses that stand for a language, beside its code."""

Parts = tuple[str, ...]


def site_of(url: str) -> str:
    """Name the site of an address, for pages that may translate each other: its registered domain.

    That is the last two parts of the host, or three below names such as `co.uk`; `de.example.org` and `en.example.org`
    are one site. For an address without a host, such as that of a file, it is the empty site.
    """
    host = _host(url)
    if not host or _IP.fullmatch(host):
        return host
    labels = host.split(".")
    count = 3 if len(labels) > 2 and len(labels[-1]) == 2 and labels[-2] in _SECOND_LEVEL else 2
    return ".".join(labels[-count:])


def _host(url: str) -> str:
    try:
        return (urlsplit(url).hostname or "").rstrip(".")
    except ValueError:  # brackets that hold no IPv6 address
        return ""


def plain_address(url: str) -> str:
    """Return an address in the form in which two spellings of it are equal.

    Without scheme, `www.`, fragment, name of an index file and the slash at the end; escapes resolved.
    """
    rest = url.partition("#")[0].partition("://")[2] or url
    host, slash, path = rest.partition("/")
    path, mark, query = path.partition("?")
    path = _INDEX.sub("/", slash + path).rstrip("/")
    if "%" in path or "%" in query:
        path, query = unquote(path), unquote(query)
    return f"{_WWW.sub('', host.lower(), count=1)}{path}{mark}{query}"


def address_key(url: str) -> int:
    """Return a 64-bit hash of an address, equal for all its spellings."""
    return xxhash.xxh3_64_intdigest(plain_address(url).encode("utf-8", "replace"))


def parts_of(url: str) -> Parts:
    """Divide an address into parts: labels of the host, words of the path with slashes, parameters of the query.

    >>> parts_of("https://www.example.org/en/old-mill.html?id=3")
    ('example', 'org', '/', 'en', '/', 'old', 'mill', 'html', 'id=3')
    """
    path, _, query = plain_address(url).lower().partition("?")
    parts = _PARTS.findall(path[:_MAX_CHARACTERS])
    return tuple((parts + sorted(query[:_MAX_CHARACTERS].split("&") if query else []))[:_MAX_PARTS])


def names_of(lang: str) -> frozenset[str]:
    """Return the parts of addresses that stand for a language."""
    code = lang.partition("-")[0]
    return frozenset({code, *_NAMES.get(code, ())})


def numbers_key(parts: Parts) -> str:
    """Return the numbers of an address in their order, and how deep it is; empty if it has none.

    A translated address often has the same ones: `/12-old-mill` and `/12-alte-muehle`.
    """
    numbers = [number for part in parts for number in _DIGITS.findall(part)]
    return f"{' '.join(numbers)} {parts.count('/')}" if numbers else ""


@dataclass(slots=True)
class AddressPatterns:
    """How the addresses of a site differ from language to language."""

    source_names: frozenset[str]
    target_names: frozenset[str]
    trust: dict[tuple[str, str], float] = field(default_factory=dict)
    """Parts that stand for each other, and the trust in that; an empty part stands for one that is missing."""
    _of_part: tuple[dict[str, tuple[str, str]], dict[str, tuple[str, str]]] = field(default_factory=lambda: ({}, {}))
    """The pair that a part of the source, or of the target, is in."""

    @classmethod
    def learned(cls, source: Sequence[Parts], target: Sequence[Parts], languages: tuple[str, str]) -> AddressPatterns:
        """Learn from all addresses of a site which parts stand for each other in the two languages.

        For each address and each of its parts the rest is looked up. Where it is that of an address in the other
        language, the two parts may stand for each other; if that is so for several, they do. In the next round, parts
        that are known are made equal, so that those are found that are next to them. Time is linear in the parts.
        """
        found = cls(names_of(languages[0]), names_of(languages[1]))
        found._divide(source, target)
        for _ in range(_ROUNDS):
            before = len(found.trust)
            found._learn(
                {found.common(parts, is_source=True)[0] for parts in source},
                {found.common(parts, is_source=False)[0] for parts in target},
            )
            if len(found.trust) == before:
                break
        return found

    def _divide(self, source: Sequence[Parts], target: Sequence[Parts]) -> None:
        """Find parts in the same place that nearly all addresses of one language have, and hardly any of the other."""
        places = [Counter(item for parts in pages for item in set(enumerate(parts))) for pages in (source, target)]
        usual = []
        for side, pages in enumerate((source, target)):
            others = places[1 - side]
            least, most = _NEARLY_ALL * len(pages), (1 - _NEARLY_ALL) * len((target, source)[side])
            usual.append(
                {at: part for (at, part), count in places[side].items() if count >= least and others[at, part] <= most}
            )
        counts = Counter(
            {
                (part, usual[1][at]): min(places[0][at, part], places[1][at, usual[1][at]])
                for at, part in usual[0].items()
                if at in usual[1]
            }
        )
        self._choose(counts)

    def _learn(self, source: set[Parts], target: set[Parts]) -> None:
        """Count which parts are in the same gaps of addresses."""
        counts: Counter[tuple[str, str]] = Counter()
        ours, theirs = _gaps(source), _gaps(target)
        for some_gaps, other_gaps in ((ours[0], theirs[0]), (ours[1], theirs[2]), (ours[2], theirs[1])):
            for key, some in some_gaps.items():
                others = other_gaps.get(key, ())
                if len(some) <= _MAX_PAGES and 0 < len(others) <= _MAX_PAGES:
                    counts.update((one, other) for one in some for other in others if one != other)
        self._choose(counts)

    def _choose(self, counts: Counter[tuple[str, str]]) -> None:
        """Choose pairs of parts, names of the languages first, then the most frequent; a part is in one pair."""
        for pair, count in sorted(counts.items(), key=lambda item: (not self._is_known(item[0]), -item[1], item[0])):
            is_known = self._is_known(pair)
            if not is_known and (count < _MIN_COUNT or _are_numbers(pair)):
                continue
            taken = [bool(part) and part in self._of_part[side] for side, part in enumerate(pair)]
            if any(taken):
                continue
            self.trust[pair] = _KNOWN if is_known else count / (count + _CERTAIN_COUNT)
            for side, part in enumerate(pair):
                if part:
                    self._of_part[side][part] = pair

    def _is_known(self, pair: tuple[str, str]) -> bool:
        """Tell whether two parts are names of the two languages, or one is and the other is missing."""
        ours, theirs = (part.rpartition("=")[2] for part in pair)
        is_ours, is_theirs = ours in self.source_names, theirs in self.target_names
        return (is_ours and is_theirs) or (is_ours and not pair[1]) or (is_theirs and not pair[0])

    def common(self, parts: Parts, *, is_source: bool) -> tuple[Parts, float]:
        """Return an address with the parts that were learned replaced by what both languages share, and the trust.

        Parts that are missing in the other language, and names of the language, are left out; of others the pair is
        written. The trust is that in the weakest, and 1 if nothing was replaced.
        """
        pairs = self._of_part[0 if is_source else 1]
        trust = 1.0
        found: list[str] = []
        for part in parts:
            pair = pairs.get(part)
            if pair is not None:
                trust = min(trust, self.trust[pair])
                if all(pair) and not self._is_known(pair):
                    found.append("|".join(pair))
                continue
            if part == "/" and found[-1:] == ["/"]:
                continue
            found.append(part)
        while found and found[-1] == "/":
            found.pop()
        return tuple(found), trust


def _gaps(pages: set[Parts]) -> tuple[dict[int, set[str]], dict[int, set[str]], dict[int, set[str]]]:
    """Return hashes of what addresses are without one of their parts, and for each the parts that are left out.

    The first is about gaps in a certain place. The second is about addresses as they are, with the empty part, and the
    third about addresses from which a part was removed altogether: of two languages, one is compared with the other.
    """
    gaps: dict[int, set[str]] = defaultdict(set)
    whole: dict[int, set[str]] = {}
    removed: dict[int, set[str]] = defaultdict(set)
    for parts in pages:
        whole[_hash(parts)] = {""}
        for place, part in enumerate(parts):
            if part == "/":
                continue
            before, behind = parts[:place], parts[place + 1 :]
            is_segment = before[-1:] == ("/",) and behind[:1] in {(), ("/",)}
            _note(gaps, _hash((*before, "\0", *behind)), part)
            _note(removed, _hash((*(before[:-1] if is_segment else before), *behind)), part)
    return gaps, whole, removed


def _hash(parts: Parts) -> int:
    return xxhash.xxh3_64_intdigest(" ".join(parts).encode("utf-8", "replace"))


def _note(found: dict[int, set[str]], key: int, part: str) -> None:
    if len(found[key]) <= _MAX_PAGES:
        found[key].add(part)


def _are_numbers(pair: tuple[str, str]) -> bool:
    """Tell whether both parts are numbers, such as years, that can't be those of languages."""
    return all(part.isdecimal() and len(part) > 1 for part in pair)
