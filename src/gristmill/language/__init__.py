"""Identify the language of texts, and the stop lists of languages.

`identify` and `identify_all` use the default identifier; `Models` adds what a user has trained. Cleaning and filters
use both identification and stop lists.
"""

from typing import TYPE_CHECKING

from gristmill.lazy import lazy_names

if TYPE_CHECKING:
    from gristmill.language.codes import check_languages
    from gristmill.language.identified import UNKNOWN, Identified
    from gristmill.language.identifier import IDENTIFIERS, Identifier
    from gristmill.language.models import Models, forget_models, identify, identify_all
    from gristmill.language.stoplist import stop_list, stop_list_languages

__all__ = [
    "IDENTIFIERS",
    "UNKNOWN",
    "Identified",
    "Identifier",
    "Models",
    "check_languages",
    "forget_models",
    "identify",
    "identify_all",
    "stop_list",
    "stop_list_languages",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "codes": ("check_languages",),
        "identified": ("UNKNOWN", "Identified"),
        "identifier": ("IDENTIFIERS", "Identifier"),
        "models": ("Models", "forget_models", "identify", "identify_all"),
        "stoplist": ("stop_list", "stop_list_languages"),
    },
)
