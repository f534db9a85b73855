"""Check codes of languages that a user gives: whether they can be identified, and whether they are codes at all."""

from __future__ import annotations

import difflib
from collections.abc import Container, Iterable

from gristmill.errors import UsageError
from gristmill.language.cld2 import NAMES
from gristmill.language.identified import UNKNOWN
from gristmill.language.models import Models

_WIDER = {"nb": "no", "fil": "tl"}  # codes under which identifiers have a language, though ISO 639 has not


def check_languages(codes: Iterable[str], models: Models | None = None) -> None:
    """Raise if a code is not that of a language that can be identified: a misspelt one would silently drop everything.

    With models, these are the languages that they know; without, also all for which a user may have trained one.
    """
    known = {*(models or Models.load()).identifier.languages, UNKNOWN}
    for code in codes:
        if code in known:
            continue
        hint = NAMES.get(code) or _known_as(code, known) or _standard(code) or _like(code)
        if models is None and code not in _WIDER and _standard(code) == code:
            continue
        if hint == code:
            how = f"; `gristmill train language --lang {code}` teaches it from a sample, and --models FOLDER uses that"
        else:
            how = f"; did you mean {hint!r}?" if hint else ""
        raise UsageError(f"{code!r} is not the code of a language that can be identified{how}")


def check_code(code: str) -> None:
    """Raise if a code is not the usual one of ISO 639 for a language: `en`, not `eng`."""
    standard = _standard(code)
    if standard != code:
        hint = NAMES.get(code.lower()) or standard or _standard(code.partition("-")[0])
        raise UsageError(
            f"{code!r} is not a language code of ISO 639" + (f"; did you mean {hint!r}?" if hint else " (en, cs, hsb)")
        )


def _known_as(code: str, known: Container[str]) -> str:
    """The known code of a language with several: `no` for `nb`, `zh` for `cmn`, `en` for `en-GB`; empty if none."""
    import langcodes  # noqa: PLC0415 (takes long to import, and codes that need it are rare)

    code = code.lower().replace("_", "-").partition("-")[0]
    wider = _WIDER.get(code) or (str(langcodes.standardize_tag(code, macro=True)) if _standard(code) else "")
    return next((name for name in (wider.partition("-")[0], code) if name in known), "")


def _like(code: str) -> str:
    return next((NAMES[name] for name in difflib.get_close_matches(code, NAMES, n=1)), "")


def _standard(code: str) -> str:
    """The shortest code of a language: `en` for `eng`; empty if the code is invalid."""
    if not (code.isascii() and code.isalpha() and len(code) in {2, 3}):
        return ""
    import langcodes  # noqa: PLC0415 (takes long to import, and codes that need it are rare)

    return str(langcodes.standardize_tag(code)) if langcodes.Language.get(code).is_valid() else ""
