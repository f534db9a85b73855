"""Classes of characters in every script: what `\\w`, `[[:alpha:]]` and `\\p{Greek}` are in the words of RE2.

RE2 itself takes `\\w`, `\\d`, `\\s` and the POSIX classes to be of ASCII. Here they are those of Unicode's UTS 18, so
combining marks belong to words: without them no word of Hindi would be one, as its vowel signs are marks.
"""

from __future__ import annotations

import unicodedata
from functools import lru_cache

import numpy as np
import pyarrow as pa

from gristmill.arrays.dtypes import Ids
from gristmill.condition.regex.syntax import MIXED, OTHER, WORD, Characters, Named
from gristmill.lazy import LazyModule

pc = LazyModule("pyarrow.compute")

_JOINERS = r"\x{200C}\x{200D}"
_SPACES = r"\t-\r\x{85}\pZ"
_GRAPH = r"\pL\pM\pN\pP\pS\p{Cf}"
CLASSES = {
    "alpha": Named(r"\pL\pM", WORD),
    "alnum": Named(r"\pL\pM\pN", WORD),
    "ascii": Named(r"\x00-\x7F"),
    "blank": Named(r"\t\p{Zs}", OTHER),
    "cntrl": Named(r"\p{Cc}", OTHER),
    "digit": Named(r"\p{Nd}", WORD),
    "graph": Named(_GRAPH),
    "lower": Named(r"\p{Ll}", WORD),
    "print": Named(rf"{_GRAPH}\p{{Zs}}"),
    "punct": Named(r"\pP$+<=>\^`|~"),
    "space": Named(_SPACES, OTHER),
    "upper": Named(r"\p{Lu}", WORD),
    "word": Named(rf"\pL\pM\pN\p{{Pc}}{_JOINERS}", WORD, whole=True),
    "xdigit": Named(r"0-9A-Fa-f", WORD),
}
"""The POSIX classes, as `[[:alpha:]]`."""
ESCAPES = {
    "w": CLASSES["word"],
    "d": CLASSES["digit"],
    "s": CLASSES["space"],
    "h": CLASSES["blank"],
    "v": Named(r"\n-\r\x{85}\x{2028}\x{2029}", OTHER),
}
"""What `\\w` and others stand for; a capital letter is the opposite."""
_CATEGORIES = {
    "letter": "L", "uppercaseletter": "Lu", "lowercaseletter": "Ll", "titlecaseletter": "Lt", "modifierletter": "Lm",
    "otherletter": "Lo", "mark": "M", "nonspacingmark": "Mn", "spacingmark": "Mc", "enclosingmark": "Me",
    "number": "N", "decimalnumber": "Nd", "letternumber": "Nl", "othernumber": "No", "punctuation": "P",
    "connectorpunctuation": "Pc", "dashpunctuation": "Pd", "openpunctuation": "Ps", "closepunctuation": "Pe",
    "initialpunctuation": "Pi", "finalpunctuation": "Pf", "otherpunctuation": "Po", "symbol": "S", "mathsymbol": "Sm",
    "currencysymbol": "Sc", "modifiersymbol": "Sk", "othersymbol": "So", "separator": "Z", "spaceseparator": "Zs",
    "lineseparator": "Zl", "paragraphseparator": "Zp", "control": "Cc", "format": "Cf", "privateuse": "Co",
}  # fmt: skip
_SCRIPTS = {
    "arab": "Arabic", "armn": "Armenian", "beng": "Bengali", "copt": "Coptic", "cyrl": "Cyrillic", "deva": "Devanagari",
    "ethi": "Ethiopic", "geor": "Georgian", "grek": "Greek", "hang": "Hangul", "hani": "Han", "hebr": "Hebrew",
    "hira": "Hiragana", "kana": "Katakana", "khmr": "Khmer", "knda": "Kannada", "laoo": "Lao", "latn": "Latin",
    "mlym": "Malayalam", "mong": "Mongolian", "mymr": "Myanmar", "sinh": "Sinhala", "syrc": "Syriac", "taml": "Tamil",
    "telu": "Telugu", "tibt": "Tibetan", "signwriting": "SignWriting",
}  # fmt: skip
_OTHER_NAMES = {
    "any": Named(r"\p{Any}"),
    "assigned": Named(rf"{_GRAPH}\pZ\p{{Cc}}\p{{Co}}"),
    "l&": Named(r"\p{Lu}\p{Ll}\p{Lt}", WORD),
    "lc": Named(r"\p{Lu}\p{Ll}\p{Lt}", WORD),
    "casedletter": Named(r"\p{Lu}\p{Ll}\p{Lt}", WORD),
    "xan": CLASSES["alnum"],
    "xwd": CLASSES["word"],
    "xsp": CLASSES["space"],
    "xps": CLASSES["space"],
    "alphabetic": CLASSES["alpha"],
    "uppercase": CLASSES["upper"],
    "lowercase": CLASSES["lower"],
    "whitespace": CLASSES["space"],
}
_FAR_VARIANTS = (
    "\xb5\u017f\u0345\u0390\u03b0\u03c2\u03d0\u03d1\u03d5\u03d6\u03f0\u03f1\u03f4\u03f5\u1c80\u1c81\u1c82\u1c83\u1c84"
    "\u1c85\u1c86\u1c87\u1c88\u1e9b\u1e9e\u1fbe\u1fd3\u1fe3\u2126\u212a\u212b\ufb05\ufb06"
)
"""Letters that another one is the same as but for case, though they are neither its capital nor its small letter."""
_FAR = {
    folded: frozenset(one for one in _FAR_VARIANTS if one.casefold() == folded)
    for folded in {one.casefold() for one in _FAR_VARIANTS}
}


@lru_cache(512)
def named_property(name: str) -> Named | None:
    """Look up a property by its name as in `\\p{Lu}`, `\\p{Greek}`, `\\p{Script=greek}`; None if there is none.

    Case, spaces, `_` and `-` in names don't matter, as Unicode recommends.
    """
    name = name.rsplit("=", maxsplit=1)[-1].rsplit(":", maxsplit=1)[-1].strip()
    plain = "".join(name.lower().replace("_", " ").replace("-", " ").split())
    if plain in _OTHER_NAMES:
        return _OTHER_NAMES[plain]
    parts = name.replace("-", "_").replace(" ", "_").split("_")
    tried = [_CATEGORIES.get(plain), _SCRIPTS.get(plain), "_".join(part.capitalize() for part in parts), name]
    for known in tried:
        if known and known.replace("_", "").isalnum() and known.isascii() and _is_known(known):
            return Named(rf"\p{{{known}}}", _kinds_of_property(known))
    return None


def _is_known(name: str) -> bool:
    try:
        pc.match_substring_regex(pa.array([""]), rf"\p{{{name}}}")
    except pa.ArrowInvalid:
        return False
    return True


def _kinds_of_property(name: str) -> frozenset[str]:
    if len(name) > 2:
        return MIXED
    if name[0] in "LMN" or name == "Pc":
        return WORD
    return MIXED if name in {"P", "C", "Cf"} else OTHER


def is_word_character(character: str) -> bool:
    """Whether a character belongs to words, as `\\w` has it."""
    category = unicodedata.category(character)
    return category[0] in "LMN" or category == "Pc" or character in "\u200c\u200d"


def variants(character: str) -> frozenset[str]:
    """All characters that are the same but for case, by Unicode's simple case folding, as RE2 has it.

    Those of `k` are k, K and the Kelvin sign; those of `σ` are σ, Σ and ς. `ß` goes with `ẞ`, and not with `ss`.
    """
    folded = character.casefold()
    near = (character, folded, character.lower(), character.upper(), character.title(), folded.upper())
    same = {one for one in near if len(one) == 1 and one.casefold() == folded}
    return _FAR.get(folded, frozenset()) | same


def opposite(named: Named) -> Named:
    """All other characters, as they can stand in square brackets."""
    return Named(_opposite_text(named.text), MIXED - named.kinds if named.whole else MIXED, whole=named.whole)


@lru_cache(32)
def _opposite_text(text: str) -> str:
    """Write the opposite as a name if RE2 has one, otherwise as ranges, which RE2 is asked for: some 50 ms once."""
    if text.startswith(r"\p{") and text.endswith("}") and text.count("{") == 1:
        return rf"\P{text[2:]}"
    firsts, lasts = _blocks()
    characters = pa.array(list(firsts.astype("<u4").tobytes().decode("utf-32-le")))
    outside = pc.match_substring_regex(characters, rf"\A[^{text}]\z").to_numpy(zero_copy_only=False)
    firsts, lasts = firsts[outside], lasts[outside]
    gaps = np.flatnonzero(firsts[1:] > lasts[:-1] + 1)
    starts, ends = firsts[[0, *(gaps + 1)]], lasts[[*gaps, -1]]
    return "".join(rf"\x{{{start:X}}}-\x{{{end:X}}}" for start, end in zip(starts.tolist(), ends.tolist(), strict=True))


def _blocks() -> tuple[Ids, Ids]:
    """All code points but surrogates, as blocks of one each, or of a whole plane but its end where all are alike."""
    parts = []
    for plane in range(0, 0x110000, 0x10000):
        if plane < 0x40000 or plane == 0xE0000:
            codes = np.arange(plane, plane + 0x10000)
            codes = codes[(codes < 0xD800) | (codes > 0xDFFF)]
            parts.append(np.stack([codes, codes]))
        else:
            parts.append(np.array([[0, 0xFFFE, 0xFFFF], [0xFFFD, 0xFFFE, 0xFFFF]]) + plane)
    firsts, lasts = np.concatenate(parts, axis=1)
    return firsts, lasts


def kinds(characters: Characters) -> frozenset[str]:
    """Whether the characters of a set belong to words, or don't, or some do."""
    if characters.negated:
        whole = [named for named in characters.names if named.whole]
        return MIXED - whole[0].kinds if whole else MIXED
    found = frozenset[str]().union(*(named.kinds for named in characters.names))
    if sum(last - first + 1 for first, last in characters.ranges) > 512:
        return MIXED
    codes = [code for first, last in characters.ranges for code in range(first, last + 1)]
    return found | {"word" if is_word_character(chr(code)) else "other" for code in codes}
