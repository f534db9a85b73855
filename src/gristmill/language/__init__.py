"""Which language a text is in, and the words by which text in a language is told from lists of names."""

from gristmill.language import beesley, cavnar_trenkle, cld2, trigram
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
    "beesley",
    "cavnar_trenkle",
    "check_languages",
    "cld2",
    "forget_models",
    "identify",
    "identify_all",
    "stop_list",
    "stop_list_languages",
    "trigram",
]
