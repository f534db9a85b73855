"""Words around a word as SVG: the nearest in the inner ring, larger the more similar they are."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

_WIDTH, _HEIGHT = 1040, 460
_RINGS = ((6, 190, 78), (10, 345, 142), (14, 440, 205))
"""Words of each ring, and how far it reaches to the sides and up."""
_MAX_CHARACTERS = 18
_FONT_SIZES = (13.0, 25.0)


@dataclass(frozen=True, slots=True)
class Around:
    """A word of the picture: how near it is to the one in the middle, from 0 to 1, and where it leads."""

    text: str
    nearness: float
    link: str


def rings_picture(title: str, middle: str, words: Sequence[Around]) -> str:
    """Draw words, the nearest first, in rings around one; those that there is no place for are left out.

    The picture adds nothing to a list of the words, so it is hidden from screen readers and from the tab key.
    """
    lines, texts, first = [], [], 0
    for number, (places, wide, high) in enumerate(_RINGS):
        ring = words[first : first + places]
        first += places
        for at, word in enumerate(ring):
            angle = 2 * math.pi * (at + 0.5 * (number % 2)) / len(ring) - math.pi / 2
            x, y = _WIDTH / 2 + wide * math.cos(angle), _HEIGHT / 2 + high * math.sin(angle)
            size = _FONT_SIZES[0] + (_FONT_SIZES[1] - _FONT_SIZES[0]) * max(0.0, min(word.nearness, 1.0)) ** 2
            lines.append(
                f'<line x1="{_WIDTH / 2:.0f}" y1="{_HEIGHT / 2:.0f}" x2="{x:.0f}" y2="{y:.0f}" '
                f'stroke-width="{0.5 + 3 * word.nearness:.1f}"/>'
            )
            texts.append(_text(word, x, y, size))
    shown = escape(_cut(middle))
    return (
        f'<svg class="rings" viewBox="0 0 {_WIDTH} {_HEIGHT}" aria-hidden="true" focusable="false">'
        f"<title>{escape(title)}</title>{''.join(lines)}{''.join(texts)}"
        f'<text class="middle" x="{_WIDTH / 2:.0f}" y="{_HEIGHT / 2:.0f}" font-size="28">{shown}</text></svg>'
    )


def _text(word: Around, x: float, y: float, size: float) -> str:
    return (
        f'<a href="{escape(word.link)}" tabindex="-1"><text x="{x:.0f}" y="{y:.0f}" font-size="{size:.1f}">'
        f"{escape(_cut(word.text))}</text></a>"
    )


def _cut(text: str) -> str:
    return text if len(text) <= _MAX_CHARACTERS else text[: _MAX_CHARACTERS - 1] + "…"
