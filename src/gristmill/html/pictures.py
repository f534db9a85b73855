"""Pictures of a report as SVG: a funnel of what is left after each stage, a histogram of scores, small bars.

They use classes and the colours of the page, and no style of their own, so that they stand in pages with a strict
policy, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

_FUNNEL_WIDTH, _FUNNEL_ROW = 380, 38
_FUNNEL_LEFT, _FUNNEL_RIGHT = 130, 302
"""Where the shape of a funnel begins and ends; labels are left of it, numbers right."""
_MIN_WIDTH = 2
HISTOGRAM_WIDTH, HISTOGRAM_HEIGHT = 808, 130
"""The size of a histogram in its own coordinates, in which `report.js` draws, too; the page stretches it."""


def funnel_chart(title: str, steps: Sequence[tuple[str, int]]) -> str:
    """Draw what is left after each step, as wide as it is much; the first step is as wide as the picture."""
    most = max((count for _, count in steps), default=0) or 1
    middle, full = (_FUNNEL_LEFT + _FUNNEL_RIGHT) / 2, _FUNNEL_RIGHT - _FUNNEL_LEFT
    widths = [max(full * count / most, _MIN_WIDTH if count else 0) for _, count in steps]
    parts = []
    for number, (label, count) in enumerate(steps):
        top, here = number * _FUNNEL_ROW, widths[number]
        below = widths[number + 1] if number + 1 < len(steps) else here
        edge = top + 26
        points = [
            (middle - here / 2, top + 2),
            (middle + here / 2, top + 2),
            (middle + here / 2, edge),
            (middle + below / 2, top + _FUNNEL_ROW + 2),
            (middle - below / 2, top + _FUNNEL_ROW + 2),
            (middle - here / 2, edge),
        ]
        points = points if number + 1 < len(steps) else [*points[:3], points[5]]
        shape = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        share = f"{count / most:.1%}"
        parts.append(
            f'<polygon points="{shape}"><title>{escape(label)}: {count:,} ({share})</title></polygon>'
            f'<text class="label" x="{_FUNNEL_LEFT - 12}" y="{top + 19}" text-anchor="end">{escape(label)}</text>'
            f'<text class="number" x="{_FUNNEL_WIDTH}" y="{top + 19}" text-anchor="end">{count:,}</text>'
        )
    height = len(steps) * _FUNNEL_ROW
    words = "; ".join(f"{label} {count:,}" for label, count in steps)
    return (
        f'<svg class="funnel" viewBox="0 0 {_FUNNEL_WIDTH} {height}" role="img" '
        f'aria-label="{escape(f"{title}: {words}")}">{"".join(parts)}</svg>'
    )


def histogram(title: str, unit: str, everything: Sequence[int], chosen: Sequence[int], threshold: float) -> str:
    """Draw how many there are of each score, a bar each, in front of it those that are chosen by their roles.

    A bar of score `s` (`s` hundredths) is kept if it is not right of the line of the threshold. Heights grow with the
    square root, so that one also sees what is rare.
    """
    most = max(everything, default=0) or 1
    wide = HISTOGRAM_WIDTH / len(everything)
    limit = round(threshold * (len(everything) - 1))
    bars = []
    for step, (count, some) in enumerate(zip(everything, chosen, strict=True)):
        bars.append(_bar(step, wide, count, most, "all"))
        bars.append(_bar(step, wide, some, most, "chosen" if step <= limit else "chosen out"))
    at = (limit + 1) * wide
    return (
        f'<svg class="histogram" viewBox="0 0 {HISTOGRAM_WIDTH} {HISTOGRAM_HEIGHT}" preserveAspectRatio="none" '
        f'role="img" data-unit="{unit}" data-most="{most}" aria-label="{escape(title)}">{"".join(bars)}'
        f'<line class="base" x1="0" x2="{HISTOGRAM_WIDTH}" y1="{HISTOGRAM_HEIGHT}" y2="{HISTOGRAM_HEIGHT}"/>'
        f'<line class="limit" x1="{at:.1f}" x2="{at:.1f}" y1="0" y2="{HISTOGRAM_HEIGHT}"/></svg>'
        '<div class="axis" aria-hidden="true"><span>0</span><span>0.25</span><span>0.5</span><span>0.75</span>'
        "<span>1</span></div>"
    )


def _bar(step: int, wide: float, count: int, most: int, kind: str) -> str:
    height = round((count / most) ** 0.5 * HISTOGRAM_HEIGHT, 1)
    hint = f"<title>{step / 100:.2f}: {count:,}</title>" if kind == "all" and count else ""
    return (
        f'<rect class="{kind}" x="{step * wide:.1f}" y="{HISTOGRAM_HEIGHT - height:.1f}" width="{wide - 1:.1f}" '
        f'height="{height:.1f}">{hint}</rect>'
    )


def share_bar(share: float | None) -> str:
    """Draw a share as a small bar; it says nothing that the number beside it does not say."""
    width = round(100 * min(max(share or 0.0, 0.0), 1.0), 1)
    return (
        '<svg class="share" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">'
        f'<rect class="rest" width="100" height="8"/><rect class="part" width="{width:g}" height="8"/></svg>'
    )
