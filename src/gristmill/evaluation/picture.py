"""Draw precision against recall as SVG, for the HTML report: a point for each method, and lines of equal F1."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

_WIDTH, _HEIGHT = 760, 520
_LEFT, _RIGHT, _TOP, _BOTTOM = 64, 24, 20, 56
_TICK_DISTANCES = (0.01, 0.02, 0.05, 0.1, 0.2)
_COLOURS = (
    "#1b6ca8 #c8553d #3a7d44 #7b4b94 #b8860b #2a9d8f #8d5524 #d6447c #5c6b73 "
    "#4361ee #9a031e #6a994e #b5179e #e07a00 #007f8c #6f4e37 #a02c5d #333333"
).split()
_MIN_AXIS_RANGE = 0.1  # lest small differences look large
_HALO = 'paint-order="stroke" stroke="#fcfcfa" stroke-width="3"'  # keeps lines out of the letters
_LETTER_WIDTH = 7.2  # in the labels, about

# Offsets of a label from its point in pixels, the best ones first: aside, above, below, then farther away with a line
# to it.
_PLACES = [(10, 4), (-10, 4), (0, -11), (0, 19), (14, -14), (-14, -14), (14, 22), (-14, 22)]
_FAR = [(side * reach, rise) for reach in (34, 60) for rise in (-30, -48, 36, 54, -66, 72) for side in (1, -1)]


@dataclass(frozen=True, slots=True)
class Point:
    """A method's precision and recall."""

    name: str
    precision: float
    recall: float


@dataclass(frozen=True, slots=True)
class _Axis:
    """A range of numbers between 0 and 1, and the pixels between which it is drawn."""

    low: float
    high: float
    step: float
    start: float
    end: float

    def at(self, value: float) -> float:
        return self.start + (value - self.low) / (self.high - self.low) * (self.end - self.start)

    @property
    def ticks(self) -> list[float]:
        return [round(self.low + at * self.step, 4) for at in range(round((self.high - self.low) / self.step) + 1)]

    def has(self, value: float) -> bool:
        return self.low <= value <= self.high


def precision_recall_svg(points: Sequence[Point]) -> str:
    """Draw the picture, as SVG that needs no other files."""
    across = _axis([point.recall for point in points], _LEFT, _WIDTH - _RIGHT)
    up = _axis([point.precision for point in points], _HEIGHT - _BOTTOM, _TOP)
    parts = [*_grid(across, up), *_equal_f1(across, up), *_points(points, across, up)]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" '
        'aria-label="precision against recall" font-family="system-ui, sans-serif" font-size="13">\n'
        + "\n".join(parts)
        + "\n</svg>"
    )


def _axis(values: Sequence[float], start: float, end: float) -> _Axis:
    """Choose an axis from below the lowest value to above the highest, at round numbers, in at most eight steps."""
    middle, half = (min(values) + max(values)) / 2, max(_MIN_AXIS_RANGE / 2, (max(values) - min(values)) / 2 + 0.01)
    low, high = max(0.0, min(middle - half, 1 - _MIN_AXIS_RANGE)), min(1.0, max(middle + half, _MIN_AXIS_RANGE))
    step = next((step for step in _TICK_DISTANCES if (high - low) / step <= 7), _TICK_DISTANCES[-1])
    low, high = math.floor(low / step + 1e-9) * step, math.ceil(high / step - 1e-9) * step
    return _Axis(round(low, 4), round(high, 4), step, start, end)


def _grid(across: _Axis, up: _Axis) -> list[str]:
    left, right, bottom, top = across.start, across.end, up.start, up.end
    parts = [
        f'<rect x="{left}" y="{top}" width="{right - left}" height="{bottom - top}" fill="#fcfcfa" stroke="#999"/>'
    ]
    for tick in across.ticks:
        x = across.at(tick)
        parts.append(f'<line x1="{x:.1f}" y1="{bottom}" x2="{x:.1f}" y2="{top}" stroke="#e4e4de"/>')
        parts.append(f'<text x="{x:.1f}" y="{bottom + 18}" text-anchor="middle" fill="#444">{tick:.2f}</text>')
    for tick in up.ticks:
        y = up.at(tick)
        parts.append(f'<line x1="{left}" y1="{y:.1f}" x2="{right}" y2="{y:.1f}" stroke="#e4e4de"/>')
        parts.append(f'<text x="{left - 8}" y="{y + 4:.1f}" text-anchor="end" fill="#444">{tick:.2f}</text>')
    middle = (bottom + top) / 2
    parts.append(f'<text x="{(left + right) / 2:.1f}" y="{bottom + 42}" text-anchor="middle" fill="#222">recall</text>')
    parts.append(
        f'<text transform="translate(16 {middle:.1f}) rotate(-90)" text-anchor="middle" fill="#222">precision</text>'
    )
    return parts


def _equal_f1(across: _Axis, up: _Axis) -> list[str]:
    """Draw dotted lines of equal F1, each with its value where it leaves the picture."""
    parts = []
    apart = 0.05 if max(across.step, up.step) < 0.2 else 0.1
    for f1 in [round(number * apart, 2) for number in range(1, round(1 / apart))]:
        recalls = [across.low + at * (across.high - across.low) / 200 for at in range(201)]
        curve = [(recall, f1 * recall / (2 * recall - f1)) for recall in recalls if 2 * recall > f1]
        inside = [(across.at(recall), up.at(precision)) for recall, precision in curve if up.has(precision)]
        if len(inside) < 25:  # a corner is no line
            continue
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in inside)
        x, y = inside[-1]
        parts.append(f'<polyline points="{path}" fill="none" stroke="#b9b9ae" stroke-dasharray="2 4"/>')
        parts.append(
            f'<text x="{x - 4:.1f}" y="{y - 8:.1f}" text-anchor="end" font-size="11" fill="#8a8a80" {_HALO}>'
            f"F1 {f1:.2f}</text>"
        )
    return parts


@dataclass(frozen=True, slots=True)
class _Box:
    """The box of a label or a point, in pixels."""

    left: float
    top: float
    right: float
    bottom: float

    def meets(self, other: _Box) -> bool:
        return (
            self.left < other.right and other.left < self.right and self.top < other.bottom and other.top < self.bottom
        )


def _points(points: Sequence[Point], across: _Axis, up: _Axis) -> list[str]:
    places = [(across.at(point.recall), up.at(point.precision)) for point in points]
    taken = [_Box(x - 6, y - 6, x + 6, y + 6) for x, y in places]
    frame = _Box(across.start, up.end, across.end, up.start)
    parts = []
    for number, (point, (x, y)) in enumerate(zip(points, places, strict=True)):
        colour = _COLOURS[number % len(_COLOURS)]
        dx, dy = _place(point.name, x, y, taken, frame)
        taken.append(_label_box(point.name, x + dx, y + dy, dx))
        if (dx, dy) in _FAR:
            parts.append(
                f'<line x1="{x:.1f}" y1="{y:.1f}" x2="{x + dx:.1f}" y2="{y + dy - 4:.1f}" '
                f'stroke="{colour}" stroke-width=".8"/>'
            )
        facts = f"{point.name}: precision {point.precision:.3f}, recall {point.recall:.3f}"
        parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="5" fill="{colour}"><title>{escape(facts)}</title></circle>')
        anchor = "start" if dx > 0 else "end" if dx < 0 else "middle"
        parts.append(
            f'<text x="{x + dx:.1f}" y="{y + dy:.1f}" text-anchor="{anchor}" fill="{colour}" {_HALO}>'
            f"{escape(point.name)}</text>"
        )
    return parts


def _place(name: str, x: float, y: float, taken: Sequence[_Box], frame: _Box) -> tuple[int, int]:
    """Find the first offset for a label where it is in the picture and on top of nothing."""
    for dx, dy in (*_PLACES, *_FAR):
        box = _label_box(name, x + dx, y + dy, dx)
        inside = box.left > frame.left and box.right < frame.right and box.top > frame.top and box.bottom < frame.bottom
        if inside and not any(box.meets(other) for other in taken):
            return dx, dy
    return _PLACES[0]


def _label_box(name: str, x: float, y: float, dx: float) -> _Box:
    width = _LETTER_WIDTH * len(name)
    left = x if dx > 0 else x - width if dx < 0 else x - width / 2
    return _Box(left - 3, y - 12, left + width + 3, y + 4)
