"""How many words a text has, in scripts with and without spaces between them."""

from __future__ import annotations

import re

# Characters a word, on average, where words are not separated: Chinese and Japanese; Thai, Lao, Myanmar and Khmer.
_HAN_AND_KANA = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]+")
_SOUTH_EAST_ASIAN = re.compile(r"[\u0e01-\u0e5b\u0e81-\u0eff\u1000-\u109f\u1780-\u17ff]+")
_PER_WORD = ((_HAN_AND_KANA, 2), (_SOUTH_EAST_ASIAN, 5))


def count_words(text: str) -> int:
    """White-space separated items; runs of a script without spaces count by their length."""
    if text.isascii():
        return len(text.split())
    words = 0
    for script, per_word in _PER_WORD:
        if script.search(text):
            words += sum(-(-len(run) // per_word) for run in script.findall(text))
            text = script.sub(" ", text)
            text = " ".join(item for item in text.split() if any(map(str.isalnum, item)))
    return words + len(text.split())


def has_unspaced_script(text: str) -> bool:
    """Whether some of the text is in a script that does not separate its words."""
    return not text.isascii() and any(script.search(text) for script, _ in _PER_WORD)
