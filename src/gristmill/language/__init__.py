"""Which language a text is in, and the words by which text in a language is told from lists of names."""

from gristmill.language.identify import Identified, check_languages, identify
from gristmill.language.stoplist import stop_list, stop_list_languages

__all__ = ["Identified", "check_languages", "identify", "stop_list", "stop_list_languages"]
