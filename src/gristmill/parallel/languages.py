"""Whether a text that was identified as one language may be in another: some are often taken for each other."""

from __future__ import annotations

_ALIKE = (
    ("da", "no", "nb", "nn"),
    ("bs", "hr", "sr", "cnr", "sh"),
    ("id", "ms"),
    ("cs", "sk"),
    ("pt", "gl"),
    ("es", "ca", "gl", "ast"),
    ("bg", "mk"),
    ("ru", "be", "uk"),
    ("hi", "mr", "ne", "bh"),
    ("zh", "yue", "ja"),
    ("af", "nl"),
    ("fi", "et"),
    ("tr", "az"),
    ("en", "sco"),
)
"""Languages that identifiers take for each other in single sentences."""


def may_be(found: str, wanted: str, other: str) -> bool:
    """Tell whether a text identified as `found` may be in the language `wanted` of a pair with `other`.

    What could not be told may be anything. What is in the other language of the pair is not translated, even if the
    two are alike.
    """
    found, wanted, other = (code.partition("-")[0] for code in (found, wanted, other))
    if found in {"", "und", wanted}:
        return True
    return found != other and any(found in group and wanted in group for group in _ALIKE)
