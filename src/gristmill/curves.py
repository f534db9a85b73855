"""Curves as SVG that needs no other files: panels side by side, with lines or dots over axes.

Axes may be logarithmic, and that across may have names in place of numbers.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

_WIDTH, _HEIGHT = 380, 290
"""The size of a panel; one with names across is as large as these need."""
_LEFT, _RIGHT, _TOP, _BOTTOM = 64, 14, 58, 44
_COLOURS = ("#1b6ca8", "#c8553d", "#3a7d44", "#7b4b94", "#b8860b", "#2a9d8f", "#5c6b73")
_MAX_TICKS = 6
_LETTER_WIDTH = 7.2
_NAME_SPACE = 13
"""The space of a name across, which is written upwards."""


@dataclass(frozen=True, slots=True)
class Curve:
    """A line of a panel: its name, and its points from left to right; or the points alone, as dots."""

    name: str
    points: Sequence[tuple[float, float]]
    dots: bool = False
    deviations: Sequence[float] = ()
    """The standard deviation of each point, drawn as a bar to both sides."""


@dataclass(frozen=True, slots=True)
class Axis:
    """An axis: what it shows, where it begins and ends (by the points, if that is not given), and its scale."""

    title: str
    low: float | None = None
    high: float | None = None
    logarithmic: bool = False
    names: Sequence[str] = ()
    """What the values 1, 2, 3... of an axis across are called, if they are no numbers."""


@dataclass(frozen=True, slots=True)
class Panel:
    """One picture: a title, two axes and some curves."""

    title: str
    across: Axis
    up: Axis
    curves: Sequence[Curve]

    @property
    def width(self) -> int:
        """The width that the panel needs."""
        return max(_WIDTH, _LEFT + _RIGHT + _NAME_SPACE * len(self.across.names))

    @property
    def bottom(self) -> int:
        """The space below the curves: a line of numbers, or the longest name, and the title of the axis."""
        return _BOTTOM + math.ceil(_LETTER_WIDTH * max(map(len, self.across.names), default=0))


@dataclass(frozen=True, slots=True)
class _Scale:
    """How the values of an axis become places in the picture."""

    low: float
    high: float
    start: float
    end: float
    logarithmic: bool

    def at(self, value: float) -> float:
        low, high, value = (self._measured(item) for item in (self.low, self.high, value))
        return round(self.start + (min(max(value, low), high) - low) / (high - low) * (self.end - self.start), 1)

    def _measured(self, value: float) -> float:
        return math.log10(max(value, 1e-12)) if self.logarithmic else value

    def ticks(self) -> list[float]:
        if self.logarithmic:
            first, last = round(math.log10(self.low)), round(math.log10(self.high))
            apart = max(1, math.ceil((last - first) / _MAX_TICKS))
            return [10.0**power for power in range(first, last + 1, apart)]
        rough = (self.high - self.low) / _MAX_TICKS
        unit = 10.0 ** math.floor(math.log10(rough))
        step = next(factor * unit for factor in (1, 2, 2.5, 5, 10) if factor * unit >= rough * 0.999)
        first = math.ceil(self.low / step - 1e-9)
        return [number * step for number in range(first, math.floor(self.high / step + 1e-9) + 1)]


def curves_svg(title: str, panels: Sequence[Panel], columns: int = 3) -> str:
    """Draw panels, so many in a row, as one picture."""
    columns = max(1, min(columns, len(panels)))
    rows = -(-len(panels) // columns)
    width = max((panel.width for panel in panels), default=_WIDTH)
    height = _HEIGHT - _BOTTOM + max((panel.bottom for panel in panels), default=_BOTTOM)
    parts = [
        f'<g transform="translate({width * (number % columns)} {height * (number // columns)})">{_panel(panel)}</g>'
        for number, panel in enumerate(panels)
    ]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width * columns} {height * max(rows, 1)}" '
        f'role="img" aria-label="{escape(title)}" font-family="system-ui, sans-serif" font-size="12">\n'
        f'<rect width="100%" height="100%" fill="#fff"/>\n' + "\n".join(parts) + "\n</svg>\n"
    )


def _panel(panel: Panel) -> str:
    across = _scale(panel.across, [x for curve in panel.curves for x, _ in curve.points], _LEFT, panel.width - _RIGHT)
    heights = [y for curve in panel.curves for _, y in curve.points]
    heights += [y + by for curve in panel.curves for (_, y), at in _deviating(curve) for by in (-at, at)]
    up = _scale(panel.up, heights, _HEIGHT - _BOTTOM, _TOP)
    parts = [
        f'<text x="{panel.width / 2:g}" y="16" text-anchor="middle" font-weight="600">{escape(panel.title)}</text>',
        *_grid(panel, across, up),
        *_lines(panel.curves, across, up),
        *_key(panel.curves, panel.width),
    ]
    return "".join(parts)


def _scale(axis: Axis, values: Sequence[float], start: float, end: float) -> _Scale:
    """Choose where an axis begins and ends; a logarithmic one does so at powers of ten."""
    if axis.names:
        return _Scale(0.5, len(axis.names) + 0.5, start, end, logarithmic=False)
    shown = [value for value in values if math.isfinite(value) and (value > 0 or not axis.logarithmic)]
    low = axis.low if axis.low is not None else min(shown, default=1.0)
    high = axis.high if axis.high is not None else max(shown, default=low)
    if axis.logarithmic:
        low = 10.0 ** math.floor(math.log10(max(low, 1e-12)) + 1e-9)
        high = 10.0 ** math.ceil(math.log10(max(high, 1e-12)) - 1e-9)
        high = max(high, low * 10)
    elif high <= low:
        high = low + 1
    return _Scale(low, high, start, end, axis.logarithmic)


def _grid(panel: Panel, across: _Scale, up: _Scale) -> list[str]:
    left, right, bottom, top = across.start, across.end, up.start, up.end
    parts = [
        f'<rect x="{left}" y="{top}" width="{right - left}" height="{bottom - top}" fill="#fcfcfa" stroke="#999"/>'
    ]
    names = panel.across.names
    for tick in range(1, len(names) + 1) if names else across.ticks():
        x = across.at(tick)
        parts.append(f'<line x1="{x}" y1="{bottom}" x2="{x}" y2="{top}" stroke="#e4e4de"/>')
        parts.append(
            f'<text transform="translate({x + 4:g} {bottom + 6}) rotate(-90)" text-anchor="end" fill="#444">'
            f"{escape(names[int(tick) - 1])}</text>"
            if names
            else f'<text x="{x}" y="{bottom + 15}" text-anchor="middle" fill="#444">{_number(tick)}</text>'
        )
    for tick in up.ticks():
        y = up.at(tick)
        parts.append(f'<line x1="{left}" y1="{y}" x2="{right}" y2="{y}" stroke="#e4e4de"/>')
        parts.append(f'<text x="{left - 6}" y="{y + 4}" text-anchor="end" fill="#444">{_number(tick)}</text>')
    middle = f"{(left + right) / 2:g}"
    parts.append(
        f'<text x="{middle}" y="{bottom + panel.bottom - 10}" text-anchor="middle" fill="#222">'
        f"{escape(panel.across.title)}</text>"
    )
    parts.append(
        f'<text transform="translate(12 {(bottom + top) / 2:g}) rotate(-90)" text-anchor="middle" fill="#222">'
        f"{escape(panel.up.title)}</text>"
    )
    return parts


def _number(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"


def _lines(curves: Sequence[Curve], across: _Scale, up: _Scale) -> list[str]:
    """Draw the curves; points that a logarithmic axis can't show are left out."""
    parts = []
    for number, curve in enumerate(curves):
        shown = [
            (across.at(x), up.at(y))
            for x, y in curve.points
            if math.isfinite(y) and (x > 0 or not across.logarithmic) and (y > 0 or not up.logarithmic)
        ]
        colour = _COLOURS[number % len(_COLOURS)]
        line = " ".join(f"{x:g},{y:g}" for x, y in shown)
        parts.append(
            f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="1.8" stroke-linejoin="round"/>'
            if len(shown) > 1 and not curve.dots
            else "".join(f'<circle cx="{x:g}" cy="{y:g}" r="3" fill="{colour}"/>' for x, y in shown)
        )
        parts += _bars(curve, colour, across, up)
    return parts


def _bars(curve: Curve, colour: str, across: _Scale, up: _Scale) -> list[str]:
    """Draw the deviations of the points that have one."""
    return [
        f'<line x1="{across.at(x)}" y1="{up.at(y - by)}" x2="{across.at(x)}" y2="{up.at(y + by)}" stroke="{colour}"/>'
        for (x, y), by in _deviating(curve)
    ]


def _deviating(curve: Curve) -> list[tuple[tuple[float, float], float]]:
    """Return the points that have a deviation, with it."""
    pairs = zip(curve.points, curve.deviations, strict=False)
    return [(point, by) for point, by in pairs if math.isfinite(point[1]) and math.isfinite(by)]


def _key(curves: Sequence[Curve], room: float) -> list[str]:
    """Name the curves above the picture, in as many lines as that takes."""
    parts: list[str] = []
    x, y = float(_LEFT), 34.0
    for number, curve in enumerate(curves):
        width = 30 + _LETTER_WIDTH * len(curve.name)
        if x > _LEFT and x + width > room:
            x, y = float(_LEFT), y + 14
        colour = _COLOURS[number % len(_COLOURS)]
        parts.append(
            f'<circle cx="{x + 7:g}" cy="{y - 4:g}" r="3" fill="{colour}"/>'
            if curve.dots
            else f'<line x1="{x:g}" x2="{x + 14:g}" y1="{y - 4:g}" y2="{y - 4:g}" stroke="{colour}" stroke-width="2"/>'
        )
        parts.append(f'<text x="{x + 18:g}" y="{y:g}" fill="#222">{escape(curve.name)}</text>')
        x += width
    return parts
