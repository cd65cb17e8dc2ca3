"""Drawings: a chart's panels as SVG elements, before any markup.

A panel is 360 units wide, so that one fits a phone and three fit a desk.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import assert_never

from eval_report._latency import latency_stats
from eval_report._visible import visible
from eval_report.page._chart import (
    Chart,
    CountChart,
    DistributionChart,
    IntervalChart,
    Point,
)

WIDTH = 360.0
_ROW = 20.0
_TOP = 24.0
_LEFT, _RIGHT = 148.0, 304.0
_LETTERS = 22
_BINS_PER_DECADE = 8
_TIMES = 96.0
_LABEL = 90.0


@dataclass(frozen=True, slots=True)
class Mark:
    """Hold one SVG element: tag, attributes as text, content."""

    tag: str
    attributes: dict[str, str]
    text: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawing:
    """Hold one panel and what it says in words."""

    label: str
    description: str
    height: float
    marks: tuple[Mark, ...]


@dataclass(frozen=True, slots=True)
class _Scale:
    """Map values onto the width of a panel, or onto a part of it."""

    low: float
    high: float
    left: float = field(default=_LEFT)
    right: float = field(default=_RIGHT)

    def __call__(self, value: float) -> float:
        share = (value - self.low) / (self.high - self.low)
        return self.left + min(max(share, 0.0), 1.0) * (self.right - self.left)


def drawings(chart: Chart) -> tuple[Drawing, ...]:
    """Return the panels of a chart, in the order of its groups."""
    match chart:
        case IntervalChart():
            return tuple(
                _points(chart, label, points) for label, points in chart.groups.items()
            )
        case CountChart():
            most = max(max(counts.values()) for counts in chart.groups.values())
            return tuple(
                _counts(chart, label, list(counts.items()), most)
                for label, counts in chart.groups.items()
            )
        case DistributionChart():
            return _distributions(chart)
        case _:
            assert_never(chart)


def _points(chart: IntervalChart, label: str, points: Sequence[Point]) -> Drawing:
    scale = _Scale(chart.low, chart.high)
    bottom = _TOP + len(points) * _ROW
    marks = [
        mark
        for tick in _ticks(chart.low, chart.high)
        for mark in (
            _line(
                scale(tick),
                _TOP - 4,
                scale(tick),
                bottom,
                "zero" if tick == 0 else "grid",
            ),
            _text(scale(tick), _TOP - 10, f"{tick:g}", "middle", "tick"),
        )
    ]
    for row, point in enumerate(points):
        marks += _point(scale, point, chart.printed(point), _TOP + (row + 0.5) * _ROW)
    said = ", ".join(f"{point.name} {chart.printed(point)}" for point in points)
    return Drawing(
        label=label,
        description=f"{chart.unit}: {said}.",
        height=bottom + 4,
        marks=tuple(marks),
    )


def _point(scale: _Scale, point: Point, value: str, y: float) -> list[Mark]:
    kind = "ours" if point.ours else "theirs"
    marks = [
        _text(0, y + 4, _short(point.name), "start", f"name {kind}"),
        _text(WIDTH, y + 4, value, "end", f"value {kind}"),
    ]
    if point.interval is not None:
        low, high = scale(point.interval.low), scale(point.interval.high)
        marks.append(_line(low, y, high, y, f"interval {kind}"))
    if point.value is not None:
        centre = {"cx": _size(scale(point.value)), "cy": _size(y), "r": "4.5"}
        marks.append(Mark("circle", {**centre, "class": f"dot {kind}"}))
    return marks


def _counts(
    chart: CountChart, label: str, counts: Sequence[tuple[str, int]], most: int
) -> Drawing:
    scale = _Scale(0, max(most, 1))
    marks: list[Mark] = []
    for row, (name, count) in enumerate(counts):
        y = 4 + row * _ROW
        marks += (
            _text(0, y + 14, _short(name), "start", "name ours"),
            _rectangle(_LEFT, y + 3, scale(count) - _LEFT, _ROW - 6),
            _text(WIDTH, y + 14, f"{count:,}", "end", "value ours"),
        )
    said = ", ".join(f"{name} {count:,}" for name, count in counts)
    return Drawing(
        label=label,
        description=f"{chart.unit}: {said}.",
        height=8 + len(counts) * _ROW,
        marks=tuple(marks),
    )


def _distributions(chart: DistributionChart) -> tuple[Drawing, ...]:
    positive = [v for values in chart.series.values() for v in values if v]
    first = math.floor(math.log10(min(positive, default=1.0)))
    last = max(math.ceil(math.log10(max(positive, default=10.0))), first + 1)
    scale = _Scale(first, last, 8.0, WIDTH - 8)
    return tuple(
        _distribution(label, [v for v in values if v is not None], scale)
        for label, values in chart.series.items()
    )


def _distribution(label: str, times: Sequence[float], scale: _Scale) -> Drawing:
    bottom = _TOP + _TIMES
    marks = [
        mark
        for decade in range(int(scale.low), int(scale.high) + 1)
        for mark in (
            _line(scale(decade), _TOP, scale(decade), bottom, "grid"),
            _text(
                scale(decade),
                bottom + 15,
                _duration(10.0**decade),
                _anchor(scale, decade),
                "tick",
            ),
        )
    ]
    marks += _histogram(times, scale, bottom)
    stats = latency_stats(times)
    said = "nothing measured."
    if stats.p50 is not None and stats.p95 is not None:
        said = (
            f"n = {stats.count:,}, median {_duration(stats.p50)}, "
            f"95th percentile {_duration(stats.p95)}."
        )
        marks += _percentile("p95", stats.p95, 8.0, scale, bottom)
        marks += _percentile("p50", stats.p50, 20.0, scale, bottom)
    return Drawing(
        label=label, description=said, height=bottom + 20, marks=tuple(marks)
    )


def _percentile(
    name: str, value: float, y: float, scale: _Scale, bottom: float
) -> tuple[Mark, Mark]:
    x = scale(_log(value, scale))
    left = x > _LABEL if name == "p50" else x > WIDTH - _LABEL
    text = f"{name} {_duration(value)}"
    return (
        _line(x, y - 7, x, bottom, "percentile"),
        _text(x - 4, y + 2, text, "end", "value ours")
        if left
        else _text(x + 4, y + 2, text, "start", "value ours"),
    )


def _histogram(times: Iterable[float], scale: _Scale, bottom: float) -> list[Mark]:
    bins = [0] * (int(scale.high - scale.low) * _BINS_PER_DECADE)
    for time in times:
        place = int((_log(time, scale) - scale.low) * _BINS_PER_DECADE)
        bins[min(place, len(bins) - 1)] += 1
    most = max(*bins, 1)
    marks = []
    for place, count in enumerate(bins):
        if count:
            left = scale(scale.low + place / _BINS_PER_DECADE)
            right = scale(scale.low + (place + 1) / _BINS_PER_DECADE)
            height = max(count / most * (_TIMES - 8), 1.0)
            marks.append(
                _rectangle(left + 0.5, bottom - height, right - left - 1, height)
            )
    return marks


def _log(time: float, scale: _Scale) -> float:
    """Return the place of a time on a log scale; what took no time is leftmost."""
    return math.log10(time) if time > 0 else scale.low


def _anchor(scale: _Scale, decade: int) -> str:
    if decade == scale.low:
        return "start"
    return "end" if decade == scale.high else "middle"


def _duration(ms: float) -> str:
    """Return a time with a unit that suits it.

    Example:
        >>> _duration(0.25), _duration(12.4), _duration(1440.0), _duration(10000.0)
        ('0.25 ms', '12.4 ms', '1.44 s', '10 s')
    """
    value, unit = (ms / 1000, "s") if ms >= 1000 else (ms, "ms")
    return f"{value:.0f} {unit}" if value >= 1000 else f"{value:.3g} {unit}"


def _ticks(low: float, high: float) -> list[float]:
    """Return round values within a scale, at most four steps apart.

    Example:
        >>> _ticks(0, 100), _ticks(-12, 12)
        ([0.0, 50.0, 100.0], [-10.0, 0.0, 10.0])
    """
    rough = (high - low) / 4
    unit = 10.0 ** math.floor(math.log10(rough))
    step = next(m * unit for m in (1, 2, 5, 10) if m * unit >= rough)
    first, last = math.ceil(low / step), math.floor(high / step)
    return [place * step for place in range(first, last + 1)]


def _short(name: str) -> str:
    plain = visible(name)
    return plain if len(plain) <= _LETTERS else plain[: _LETTERS - 1] + "…"


def _line(x1: float, y1: float, x2: float, y2: float, kind: str) -> Mark:
    ends = {"x1": _size(x1), "y1": _size(y1), "x2": _size(x2), "y2": _size(y2)}
    return Mark("line", {**ends, "class": kind})


def _text(x: float, y: float, text: str, anchor: str, kind: str) -> Mark:
    place = {"x": _size(x), "y": _size(y), "text-anchor": anchor}
    return Mark("text", {**place, "class": kind}, text)


def _rectangle(x: float, y: float, width: float, height: float) -> Mark:
    place = {"x": _size(x), "y": _size(y)}
    return Mark(
        "rect",
        {**place, "width": _size(width), "height": _size(height), "class": "bar"},
    )


def _size(value: float) -> str:
    return f"{value:z.1f}"
