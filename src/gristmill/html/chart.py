"""Line charts as SVG, to stand in a page of HTML: drawn without a script, in the colours of the page."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape

_WIDTH, _HEIGHT = 560, 220
_LEFT, _RIGHT, _TOP, _BOTTOM = 58, 12, 12, 26
_MAX_TICKS = 5

CHART_STYLE = """
.chart{display:block;width:100%;height:auto;margin:0 0 .4rem;font-size:12px;font-variant-numeric:tabular-nums}
.chart text{fill:var(--soft)}.chart .grid{stroke:var(--line);stroke-width:1}
.chart polyline{fill:none;stroke:var(--accent);stroke-width:2;stroke-linejoin:round;stroke-linecap:round}
.chart polyline.mean{stroke:var(--ink);stroke-width:1.4;stroke-dasharray:5 4;opacity:.75}
.chart polygon{fill:var(--accent);opacity:.13}.chart .dot{fill:var(--accent)}
.chart .hit{fill:transparent}.chart .hit:hover{fill:var(--ink);opacity:.08}
"""
"""For the style sheet of a page with charts; the page has the colours `--accent`, `--ink`, `--soft` and `--line`."""


@dataclass(frozen=True, slots=True)
class Point:
    """A point of a chart, with what is shown when the mouse points at it."""

    x: float
    y: float
    hint: str = ""


@dataclass(frozen=True, slots=True)
class _Scale:
    """How values become places in the picture, from the origin to the largest ones."""

    max_x: float
    max_y: float

    def x(self, value: float) -> float:
        return round(_LEFT + (_WIDTH - _LEFT - _RIGHT) * value / self.max_x, 1)

    def y(self, value: float) -> float:
        return round(_HEIGHT - _BOTTOM - (_HEIGHT - _TOP - _BOTTOM) * value / self.max_y, 1)

    def line(self, points: Sequence[Point]) -> str:
        return " ".join(f"{self.x(point.x)},{self.y(point.y)}" for point in points)


def line_chart(
    title: str,
    points: Sequence[Point],
    show_x: Callable[[float], str],
    show_y: Callable[[float], str],
    mean: Sequence[Point] = (),
) -> str:
    """Draw a line with the area below it, and a dashed line for a mean if there is one; axes begin at 0."""
    highest = max((point.y for point in (*points, *mean)), default=0) or 1
    step = _step(highest)
    scale = _Scale(max((point.x for point in points), default=0) or 1, step * math.ceil(highest / step * 0.999))
    parts = [_grid(scale, show_x, show_y)]
    if len(points) > 1:
        line, floor = scale.line(points), scale.y(0)
        parts.append(f'<polygon points="{scale.x(points[0].x)},{floor} {line} {scale.x(points[-1].x)},{floor}"/>')
        parts.append(f'<polyline points="{line}"/>')
    else:
        parts += [f'<circle class="dot" cx="{scale.x(item.x)}" cy="{scale.y(item.y)}" r="4"/>' for item in points]
    if len(mean) > 1:
        parts.append(f'<polyline class="mean" points="{scale.line(mean)}"/>')
    parts.append(_hints(scale, points))
    return (
        f'<svg class="chart" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label="{escape(title)}">'
        f"{''.join(parts)}</svg>"
    )


def _step(largest: float) -> float:
    """Find a round distance between ticks, of which there are few up to the largest value."""
    rough = largest / _MAX_TICKS
    unit = 10.0 ** math.floor(math.log10(rough))
    return next(factor * unit for factor in (1, 2, 2.5, 5, 10) if factor * unit >= rough * 0.999)


def _ticks(largest: float) -> list[float]:
    step = _step(largest)
    return [step * number for number in range(math.floor(largest / step * 1.001) + 1)]


def _grid(scale: _Scale, show_x: Callable[[float], str], show_y: Callable[[float], str]) -> str:
    parts = []
    for value in _ticks(scale.max_y):
        y = scale.y(value)
        parts.append(f'<line class="grid" x1="{_LEFT}" x2="{_WIDTH - _RIGHT}" y1="{y}" y2="{y}"/>')
        parts.append(f'<text x="{_LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{escape(show_y(value))}</text>')
    for value in _ticks(scale.max_x):
        x = scale.x(value)
        anchor = "start" if value == 0 else "end" if x > _WIDTH - 3 * _RIGHT else "middle"
        parts.append(f'<text x="{x}" y="{_HEIGHT - 8}" text-anchor="{anchor}">{escape(show_x(value))}</text>')
    return "".join(parts)


def _hints(scale: _Scale, points: Sequence[Point]) -> str:
    """Cover the picture with columns that no one sees, one a point: pointing at it shows the hint."""
    places = [scale.x(point.x) for point in points]
    edges = [_LEFT, *((a + b) / 2 for a, b in itertools.pairwise(places)), _WIDTH - _RIGHT]
    return "".join(
        f'<rect class="hit" x="{edges[at]:.1f}" y="{_TOP}" width="{max(edges[at + 1] - edges[at], 0):.1f}" '
        f'height="{_HEIGHT - _TOP - _BOTTOM}"><title>{escape(point.hint)}</title></rect>'
        for at, point in enumerate(points)
        if point.hint
    )
