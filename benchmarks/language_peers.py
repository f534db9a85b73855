"""The language identifiers that `languages.py` compares: for each a function from text to code, and its languages."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import langcodes

from gristmill.language import UNKNOWN, Models

_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
# What langcodes does not do: the two Norwegians, Malay and Quechua of all kinds, Twi, the Hmong that is in the
# declaration.
_GROUPS = {"nb": "no", "nn": "no", "mly": "ms", "zlm": "ms", "tw": "ak", "hms": "hmn"} | dict.fromkeys(
    "qud qug quy quz qva qvc qvh qvm qvn qwh qxa qxn qxu".split(), "qu"
)
_NONE = {"", "un", "und", "unknown", "xx", "none"}
# gcld3 does not say it itself
_CLD3 = """
af am ar bg bn bs ca ceb co cs cy da de el en eo es et eu fa fi fil fr fy ga gd gl gu ha haw hi hmn hr ht hu hy id ig is
it iw ja jv ka kk km kn ko ku ky la lb lo lt lv mg mi mk ml mn mr ms mt my ne nl no ny pa pl ps pt ro ru sd si sk sl sm
sn so sq sr st su sv sw ta te tg th tr uk ur uz vi xh yi yo zh zu
"""


def same_code(code: str) -> str:
    """The code by which languages are compared: that of the macro-language in ISO 639-1, if any, without script."""
    code = re.split("[-_]", code.lower())[0]
    if code in _NONE:
        return UNKNOWN
    if not code.isalpha():
        return code
    standard = langcodes.standardize_tag(_GROUPS.get(code, code), macro=True).partition("-")[0]
    return _GROUPS.get(standard, standard)


@dataclass(frozen=True, slots=True)
class Peer:
    """An identifier and the languages it knows; a slow one is given only some of the texts."""

    identify: Callable[[str], str]
    languages: frozenset[str]
    every: int = 1


def _codes(codes: Iterable[str]) -> frozenset[str]:
    return frozenset(map(same_code, codes)) - {UNKNOWN}


def gristmill() -> Peer:
    """The shipped identifier: CLD2 where it is sure, else a guess for short texts and `und` for longer ones."""
    models = Models()
    return Peer(lambda text: models.identify(text).lang, _codes(models.identifier.languages))


def gristmill_sure() -> Peer:
    """The shipped identifier without guesses, as it is used for blocks."""
    models = Models()

    def identify(text: str) -> str:
        (found,) = models.identify_all([text], guess=False)
        return found.lang if found.confidence >= 0.5 else UNKNOWN

    return Peer(identify, _codes(models.identifier.languages))


def cld2() -> Peer:
    """CLD2 with its best effort."""
    import pycld2  # noqa: PLC0415 (also below: what is not installed is left out)

    codes = dict(pycld2.LANGUAGES)

    def identify(text: str) -> str:
        data = _CONTROL.sub(" ", text).encode()
        return str(pycld2.detect(data, isPlainText=True, bestEffort=True)[2][0][1])

    return Peer(identify, _codes(codes[name] for name in pycld2.DETECTED_LANGUAGES))


def py3langid() -> Peer:
    """A naive Bayes classifier over byte sequences."""
    from py3langid.langid import MODEL_FILE, LanguageIdentifier  # noqa: PLC0415

    identifier = LanguageIdentifier.from_model_file(MODEL_FILE)
    return Peer(lambda text: str(identifier.classify(text)[0]), _codes(identifier.labels))


def cld3() -> Peer:
    """A small neural network."""
    import gcld3  # noqa: PLC0415

    identifier = gcld3.NNetLanguageIdentifier(0, 10_000)
    return Peer(lambda text: str(identifier.FindLanguage(text).language), _codes(_CLD3.split()))


def resiliparse() -> Peer:
    """Out-of-place ranks of hashed sequences."""
    from resiliparse.parse.lang import detect_fast, supported_langs  # noqa: PLC0415

    return Peer(lambda text: str(detect_fast(text)[0]), _codes(supported_langs()))


def langdetect() -> Peer:
    """A naive Bayes classifier over character sequences."""
    from langdetect import DetectorFactory, LangDetectException, detect, detector_factory  # noqa: PLC0415

    DetectorFactory.seed = 0
    detector_factory.init_factory()

    def identify(text: str) -> str:
        try:
            return str(detect(text))
        except LangDetectException:
            return UNKNOWN

    return Peer(identify, _codes(detector_factory._factory.langlist), 4)  # noqa: SLF001 (there is no other way)


def lingua() -> Peer:
    """Character sequences of five lengths, at its most accurate."""
    from lingua import Language, LanguageDetectorBuilder  # noqa: PLC0415

    detector = LanguageDetectorBuilder.from_all_languages().with_preloaded_language_models().build()

    def identify(text: str) -> str:
        found = detector.detect_language_of(text)
        return str(found.iso_code_639_1.name) if found else UNKNOWN

    return Peer(identify, _codes(language.iso_code_639_1.name for language in Language.all()), 4)


PEERS = {
    "gristmill": gristmill,
    "gristmill, sure": gristmill_sure,
    "CLD2, best effort": cld2,
    "py3langid": py3langid,
    "CLD3": cld3,
    "resiliparse": resiliparse,
    "langdetect": langdetect,
    "lingua": lingua,
}
