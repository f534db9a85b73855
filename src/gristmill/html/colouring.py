"""How blocks are coloured: by score, role, duplicate, language, or by what two methods say.

Each block gets a key such as `q-a` or `role-text`, and each key has a hue. The page inspector uses the keys as classes,
in its own style sheet and in that of the stored page.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from gristmill.corpus.inspecting import Inspected, SeenBlock
from gristmill.html.judged import HUES, LETTERS
from gristmill.roles import ROLES

COLOURINGS = ("score", "role", "duplicate", "language")
"""What blocks can be coloured by."""
_MAX_LANGUAGES = 7
_ROLE_HUES = (265, 285, 150, 170, 190, 205, 130, 95, 310, 45, 30, 10, 355, 330)
_LANGUAGE_HUES = (150, 215, 30, 280, 350, 95, 190)

_KEYS: dict[str, int] = {
    **{f"q-{letter}": hue for letter, hue in zip(LETTERS, HUES, strict=True)},
    **{f"role-{role}": hue for role, hue in zip(ROLES, _ROLE_HUES, strict=True)},
    "dup-unique": 165,
    "dup-stub": 45,
    "dup-duplicate": 8,
    **{f"lang-{number}": hue for number, hue in enumerate(_LANGUAGE_HUES)},
}
PLAIN = "none"
"""The key of blocks of which nothing is known."""


def hues() -> dict[str, int]:
    """All keys that have a hue, and these."""
    return dict(_KEYS)


class Colouring:
    """Colours the blocks of one page."""

    def __init__(self, blocks: Iterable[SeenBlock], by: str) -> None:
        self.by = by
        words = Counter[str]()
        for seen in blocks:
            words[seen.block.lang] += seen.block.words
        del words[""]
        self.languages: Sequence[str] = [lang for lang, _ in words.most_common(_MAX_LANGUAGES)]
        """The languages that have a hue, those with the most words first."""

    def key(self, seen: SeenBlock) -> str:
        """Return the key of a block."""
        block = seen.block
        if self.by == "role":
            key = f"role-{block.role}"
        elif self.by == "duplicate":
            key = f"dup-{seen.traced.verdict}" if seen.traced else PLAIN
        elif self.by == "language":
            key = f"lang-{self.languages.index(block.lang)}" if block.lang in self.languages else PLAIN
        else:
            key = f"q-{block.quantile}"
        return key if key in _KEYS else PLAIN

    def legend(self, page: Inspected) -> list[tuple[str, str, int, int]]:
        """List the keys that the page has: the key, what it stands for, and how many blocks and words have it."""
        counts, words = Counter[str](), Counter[str]()
        for seen in page.blocks:
            key = self.key(seen)
            counts[key] += 1
            words[key] += seen.block.words
        return [(key, self._name(key), counts[key], words[key]) for key in (*_KEYS, PLAIN) if counts[key]]

    def _name(self, key: str) -> str:
        kind, _, name = key.partition("-")
        if key == PLAIN:
            return {"duplicate": "not compared", "language": "too short to tell"}.get(self.by, "not known")
        if kind == "lang":
            return self.languages[int(name)]
        if kind == "q":
            number = LETTERS.index(name)
            return f"{number / 10:.1f}–{(number + 1) / 10:.1f}"
        return name


def frame_style(by: str) -> str:
    """CSS that gives the marks in a stored page their hues."""
    kind = {"score": "q-", "role": "role-", "duplicate": "dup-", "language": "lang-"}[by]
    rules = [f".gm-{key}{{--gm-hue:{hue}}}" for key, hue in _KEYS.items() if key.startswith(kind)]
    return "".join(rules)
