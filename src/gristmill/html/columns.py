"""Charts of columns as SVG, to stand in a page: one column a year or a month, or a strip of parts of a corpus.

They need no script and no style of their own: classes are coloured by the style sheet of the page. All texts are
escaped here.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

_WIDTH, _HEIGHT = 960, 240
_LEFT, _RIGHT, _TOP, _BOTTOM = 62, 8, 10, 28
_STRIP_HEIGHT = 56
_MAX_LABELS = 14
_MAX_TICKS = 4
_MIN_HEIGHT = 1.5
"""What a column has at least that is not zero, so that it is seen."""


@dataclass(frozen=True, slots=True)
class Bar:
    """A column: its label, its height, what is shown when the mouse points at it, and where it leads."""

    label: str
    value: float
    hint: str = ""
    address: str = ""


def column_chart(title: str, bars: Sequence[Bar]) -> str:
    """Draw columns from left to right over an axis with their labels; the vertical axis begins at 0."""
    step = _step(max((bar.value for bar in bars), default=0))
    top = step * max(math.ceil(max((bar.value for bar in bars), default=0) / step * 0.999), 1)
    height = _HEIGHT - _TOP - _BOTTOM
    parts = []
    for number in range(round(top / step) + 1):
        y = _TOP + height - height * step * number / top
        parts.append(f'<line class="grid" x1="{_LEFT}" x2="{_WIDTH - _RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>')
        parts.append(f'<text x="{_LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{_number(step * number)}</text>')
    width = (_WIDTH - _LEFT - _RIGHT) / max(len(bars), 1)
    every = math.ceil(len(bars) / _MAX_LABELS) or 1
    for number, bar in enumerate(bars):
        x = _LEFT + width * number
        parts.append(_column(bar, x, width, _TOP, height, top))
        if number % every == 0:
            parts.append(
                f'<text x="{x + width / 2:.1f}" y="{_HEIGHT - 8}" text-anchor="middle">{escape(bar.label)}</text>'
            )
    return _svg("columns", title, _HEIGHT, parts)


def strip_chart(title: str, bars: Sequence[Bar]) -> str:
    """Draw a strip of columns without axes, for a look at where there is something."""
    width, top = _WIDTH / max(len(bars), 1), max((bar.value for bar in bars), default=0) or 1
    parts = [_column(bar, width * number, width, 0, _STRIP_HEIGHT, top) for number, bar in enumerate(bars)]
    return _svg("strip", title, _STRIP_HEIGHT, parts)


def _svg(kind: str, title: str, height: int, parts: Sequence[str]) -> str:
    return (
        f'<svg class="chart {kind}" viewBox="0 0 {_WIDTH} {height}" role="group" aria-label="{escape(title)}">'
        f"{''.join(parts)}</svg>"
    )


def _column(bar: Bar, x: float, width: float, y: float, height: float, top: float) -> str:
    """Draw a column, and over the whole height a field that is pointed at; both are a link, if it leads somewhere."""
    own = max(height * bar.value / top, _MIN_HEIGHT) if bar.value else 0
    gap = min(width * 0.12, 3)
    hint = f"<title>{escape(bar.hint)}</title>" if bar.hint else ""
    drawn = (
        f'<rect class="column" x="{x + gap:.1f}" y="{y + height - own:.1f}" width="{width - 2 * gap:.1f}" '
        f'height="{own:.1f}"/><rect class="hit" x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}">'
        f"{hint}</rect>"
    )
    if not bar.address:
        return drawn
    return f'<a href="{escape(bar.address)}" tabindex="-1" aria-label="{escape(bar.hint or bar.label)}">{drawn}</a>'


def _step(largest: float) -> float:
    """Find a round distance between the lines of a grid, of which there are few."""
    rough = (largest or 1) / _MAX_TICKS
    unit = 10.0 ** math.floor(math.log10(rough))
    return next(factor * unit for factor in (1, 2, 2.5, 5, 10) if factor * unit >= rough * 0.999)


def _number(value: float) -> str:
    return f"{value:,.0f}" if value == round(value) else f"{value:,.10g}"
