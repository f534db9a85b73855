"""The usual encodings of each language: for these, models are trained.

The names are those of the WHATWG Encoding Standard, which takes ISO-8859-1 for windows-1252 and TIS-620 for
windows-874; code pages of DOS and the Macintosh that it does not have go by their Python names.
"""

from __future__ import annotations

from gristmill.decoding.labels import is_wide

_WESTERN = ("windows-1252", "ISO-8859-15", "macintosh", "cp850")
_NORDIC = (*_WESTERN, "ISO-8859-10")
_CELTIC = (*_WESTERN, "ISO-8859-14")
_CENTRAL = ("windows-1250", "ISO-8859-2", "cp852", "mac-latin2")
_BALTIC = ("windows-1257", "ISO-8859-13", "ISO-8859-4", "cp775")
_CYRILLIC = ("windows-1251", "ISO-8859-5", "IBM866", "cp855", "x-mac-cyrillic")
_TURKIC = ("windows-1254", "ISO-8859-3", "cp857", "mac-turkish")
_ARABIC = ("windows-1256", "ISO-8859-6")

_BY_LANGUAGES = {
    "af ast br ca es eu fr fy gl id it lb ms nl oc pt sq sw tl": _WESTERN,
    "en": (*_WESTERN, "cp437"),
    "de": (*_WESTERN, "cp437"),
    "da fi fo is nb nn sv": _NORDIC,
    "cy ga gd": _CELTIC,
    "bs cs hr hsb hu pl ro sk sl sr-latn": _CENTRAL,
    "et": (*_BALTIC, *_WESTERN),
    "lt lv": _BALTIC,
    "bg mk ru sr": ("KOI8-R", *_CYRILLIC),
    "be uk": ("KOI8-U", *_CYRILLIC),
    "kk ky mn tg tt": (*_CYRILLIC, "kz1048"),
    "az tr uz ku": _TURKIC,
    "eo mt": ("ISO-8859-3",),
    "el": ("windows-1253", "ISO-8859-7", "cp737", "mac-greek"),
    "he yi": ("windows-1255", "ISO-8859-8", "cp862"),
    "ar fa ur": _ARABIC,
    "th": ("windows-874",),
    "vi": ("windows-1258",),
    "ja": ("Shift_JIS", "EUC-JP"),
    "ko": ("EUC-KR",),
    "zh-cn": ("gb18030",),
    "zh-tw": ("Big5",),
}
USUAL: dict[str, tuple[str, ...]] = {
    lang: encodings for langs, encodings in _BY_LANGUAGES.items() for lang in langs.split()
}
"""The usual encodings of each language, besides the forms of Unicode."""


def usual_encodings(lang: str) -> tuple[str, ...]:
    """The encodings in use for a language; those of Western Europe if nothing is known of it."""
    return USUAL.get(lang, _WESTERN)


def rarity(encoding: str) -> int:
    """The rarity of an encoding, from 0 for the most frequent one that is not UTF-8 to 4."""
    if encoding == "windows-1252":
        return 0
    if encoding.startswith("windows") or is_wide(encoding) or encoding in {"ISO-8859-2", "ISO-8859-15", "KOI8-R"}:
        return 1
    if encoding in {"ISO-8859-5", "ISO-8859-7", "ISO-8859-8", "ISO-8859-6", "KOI8-U", "IBM866"}:
        return 2
    return 3 if encoding.startswith("ISO") else 4
