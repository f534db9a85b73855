"""The tagger `hanta`: German by the model of HanTa (Wartena 2019), in the extra `german`."""

from __future__ import annotations

from dataclasses import dataclass

from gristmill.annotation.tagger import Tagger
from gristmill.errors import UsageError
from gristmill.registry import part

_LANGUAGE = "de"


@part("tagger", "hanta")
@dataclass(frozen=True, slots=True)
class Hanta:
    """The registered kind of tagger: the German model of HanTa."""

    def serves(self, lang: str) -> bool:
        """Tell whether a language is German."""
        return lang == _LANGUAGE

    def load(self, lang: str) -> Tagger:
        """Load the tagger; raises `UsageError` if the language is another or the extra is not installed."""
        if not self.serves(lang):
            raise UsageError(f"hanta knows {_LANGUAGE}, not {lang}")
        try:
            from gristmill.annotation.taggers.hanta_tagger import HantaTagger  # noqa: PLC0415 (not everybody has HanTa)
        except ImportError:
            raise UsageError("the tagger hanta is not installed; run `pip install 'gristmill[german]'`") from None
        return HantaTagger(lang)
