"""Find and mask personal data in text: e-mail addresses, phone numbers and public IP addresses.

The filter `personal` and exports use it. Precision goes first: a price, a date, a version or an ISBN should stay. What
is found has the form of personal data; whose it is, or whether it is in use, can't be known from the text. The time is
linear in the length of the text.
"""

from __future__ import annotations

import ipaddress
import itertools
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from gristmill.errors import UsageError
from gristmill.registry import did_you_mean

KINDS = ("email", "phone", "ip")
"""The kinds of personal data that can be found."""
REPLACEMENTS: Mapping[str, str] = {"email": "<EMAIL>", "phone": "<PHONE>", "ip": "<IP>"}
"""The text that replaces each kind in masked text."""

# Letters of scripts that have spaces between words: in others an address would take in the sentence before it.
_LETTER = "A-Za-zÀ-ÖØ-öø-ɏͰ-ϿЀ-ԯ"
_DOMAIN = re.compile(
    rf"@(?:[{_LETTER}0-9][{_LETTER}0-9-]{{0,62}}+\.){{1,8}}"
    rf"(?!(?:png|jpe?g|gif|svg|webp|css|js)\b)(?:xn--[a-z0-9-]{{2,59}}+|[{_LETTER}]{{2,24}}+)(?![0-9])"
)
_LOCAL_BACKWARDS = re.compile(rf"[{_LETTER}0-9._%+'-]{{1,64}}+")
_MAX_LOCAL_CHARACTERS = 64  # before the @, RFC 5321, 4.5.3.1.1

_IPV4 = re.compile(r"(?<![\w.-])[0-9]{1,3}(?:\.[0-9]{1,3}){3}(?![\w-]|\.[0-9])")
_IPV6 = re.compile(r"(?<![\w:.])[23][0-9A-Fa-f]{3}:(?:[0-9A-Fa-f]{0,4}:){1,6}+[0-9A-Fa-f]{0,4}(?![\w:])")
_NUMBERED = re.compile(r"(?:version|release|section|chapter|build|clause|ver|\bv|§)[.:]?\s?$", re.IGNORECASE)

_BETWEEN = "[ \u00a0\u202f.()/‐‑–-]"
_PHONE = re.compile(
    rf"(?<![\w+/=#&%_$€£-])(?<![0-9]{_BETWEEN})"
    rf"[+(]{{0,2}}+[0-9](?:{_BETWEEN}{{0,3}}+[0-9]){{6,17}}+(?![\w@+=%]|{_BETWEEN}[0-9])"
)
_CUE = re.compile(
    r"(?:\b(?:tel|tél|phone|telephone|téléphone|telefon|teléfono|telefone|telefono|fax|mobile?|mob|móvil|cell|handy|gsm"
    r"|whatsapp|тел|телефон)"
    r"|[☎☏✆📞📱]|电话|電話|手机|전화)\W{0,3}$",
    re.IGNORECASE,
)
_MAX_CUE_CHARACTERS = 16
_DATE = re.compile(
    r"[0-9]{1,2}[./–-][0-9]{1,2}[./–-](?:19|20)[0-9]{2}(?![0-9])"
    r"|(?:19|20)[0-9]{2}[./–-][0-9]{1,2}[./–-][0-9]{1,2}(?![0-9])"
)
_NORTH_AMERICAN = re.compile(r"(?:1[ .-])?(?:\([2-9][0-9]{2}\) ?|[2-9][0-9]{2}[.-])[2-9][0-9]{2}[ .-][0-9]{4}")
_IN_BRACKETS = re.compile(r"(?:[0-9][ -]?)?\((?!(?:1[89]|20)[0-9]{2}\))[0-9]{2,5}\) ?[0-9]{3,5}(?:[ -][0-9]{2,4}){1,2}")
_INTERNATIONAL = re.compile(r"\(?\+[1-9]")
_TRUNK = re.compile(r"\(?0[1-9]")


class Found(NamedTuple):
    """A piece of personal data: where it stands in a text, and its kind."""

    start: int
    end: int
    kind: str


def find_personal(text: str, kinds: Sequence[str] = KINDS) -> list[Found]:
    """Find personal data of some kinds, in the order of the text; no two overlap."""
    check_kinds(kinds)
    finders = [(kind, find) for kind, find in _FINDERS.items() if kind in kinds]
    candidates = [Found(*span, kind) for kind, find in finders for span in find(text)]
    found: list[Found] = []
    for one in sorted(candidates, key=lambda one: (one.start, -one.end)):
        if not found or one.start >= found[-1].end:
            found.append(one)
    return found


def mask_personal(text: str, kinds: Sequence[str] = KINDS) -> tuple[str, dict[str, int]]:
    """Replace personal data by the names of its kinds, and count how many of each kind there were."""
    found = find_personal(text, kinds)
    if not found:
        return text, {}
    pieces, end = [], 0
    for one in found:
        pieces += [text[end : one.start], REPLACEMENTS[one.kind]]
        end = one.end
    return "".join([*pieces, text[end:]]), dict(Counter(one.kind for one in found))


def check_kinds(kinds: Sequence[str]) -> None:
    """Raise `UsageError` if something is no kind of personal data."""
    if isinstance(kinds, str):
        raise UsageError(f"kinds of personal data must be a list such as ('email', 'ip'), not {kinds!r}")
    for kind in kinds:
        if kind not in KINDS:
            raise UsageError(
                f"{kind!r} is no kind of personal data{did_you_mean(kind, KINDS)} (there are: {', '.join(KINDS)})"
            )


def _emails(text: str) -> Iterator[tuple[int, int]]:
    """Find e-mail addresses: from each `@` with a domain after it, back over what may stand before it."""
    for match in _DOMAIN.finditer(text) if "@" in text else ():
        at = match.start()
        local = _LOCAL_BACKWARDS.match(text[max(at - _MAX_LOCAL_CHARACTERS, 0) : at][::-1])
        name = local[0][::-1].lstrip(".'-%") if local else ""
        if name:
            yield at - len(name), match.end()


def _ip_addresses(text: str) -> Iterator[tuple[int, int]]:
    """Find addresses of the public internet, in the usual forms of IPv4 and IPv6."""
    for pattern in (_IPV4, _IPV6):
        for match in pattern.finditer(text):
            if _is_public(match[0]) and not _NUMBERED.search(text, max(match.start() - 12, 0), match.start()):
                yield match.span()


def _is_public(text: str) -> bool:
    try:
        address = ipaddress.ip_address(text)
    except ValueError:  # 999.1.1.1, 12:30:45
        return False
    return address.is_global and not address.is_multicast and not address.is_reserved


def _phone_numbers(text: str) -> Iterator[tuple[int, int]]:
    """Find phone numbers: international ones, national ones of clear forms, and others after a word such as Tel."""
    for match in _PHONE.finditer(text):
        number = match[0]
        if _is_phone(number) or (
            _may_be_phone(number) and _CUE.search(text, max(match.start() - _MAX_CUE_CHARACTERS, 0), match.start())
        ):
            yield match.span()


def _is_phone(number: str) -> bool:
    """Whether a number can hardly be anything but a phone number."""
    if not _may_be_phone(number):
        return False
    digits = len(re.sub("[^0-9]", "", number))
    groups = re.findall("[0-9]+", number)
    if _INTERNATIONAL.match(number):
        return 9 <= digits <= 15 and not _is_amount(number, groups)
    if number.startswith("00"):
        return number[2] in "123456789" and len(groups) > 1 and 11 <= digits <= 17
    if _TRUNK.match(number):
        return len(groups) > 1 and 9 <= digits <= 12
    return bool(_NORTH_AMERICAN.fullmatch(number) or _IN_BRACKETS.fullmatch(number))


def _may_be_phone(number: str) -> bool:
    """Whether a number is none of the other things of such a form: a date, an IP address, a run of numbers."""
    groups = re.findall("[0-9]+", number)
    steps = {int(after) - int(before) for before, after in itertools.pairwise(groups)}
    counted_up = len(groups) > 2 and steps == {1}
    return (
        not counted_up
        and not _DATE.search(number)
        and not _IPV4.fullmatch(number)
        and number.count("(") == number.count(")")
    )


def _is_amount(number: str, groups: Sequence[str]) -> bool:
    """Whether a number is an amount in which dots divide thousands: +1.234.567.890."""
    return "." in number and len(groups) > 2 and all(len(group) == 3 for group in groups[1:])


_FINDERS: Mapping[str, Callable[[str], Iterator[tuple[int, int]]]] = {
    "email": _emails,
    "ip": _ip_addresses,
    "phone": _phone_numbers,
}
