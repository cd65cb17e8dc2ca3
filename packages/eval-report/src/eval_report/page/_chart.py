"""Charts: the values behind a drawing, and the same values as a table."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from eval_report._cells import NOTHING, number
from eval_report._intervals import Interval
from eval_report._latency import latency_stats
from eval_report._table import Table


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """Hold one value on a scale, with what is known about how sure it is."""

    name: str
    value: float | None
    interval: Interval | None = None
    count: int | None = None
    """Questions behind the value."""

    ours: bool = True
    """Whether it was measured here; published values are drawn hollow."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IntervalChart:
    """Show values with their intervals, one panel per group on a common scale.

    Raises:
        ValueError: The scale has no length, or there is no group.
    """

    title: str
    caption: str
    """One or two sentences that say how to read it."""

    unit: str
    groups: Mapping[str, Sequence[Point]]
    low: float = 0.0
    high: float = 100.0
    decimals: int = 1

    def __post_init__(self) -> None:
        if not self.low < self.high:
            msg = f"chart {self.title!r}: the scale {self.low} to {self.high} is empty"
            raise ValueError(msg)
        _filled(self.title, self.groups)

    def printed(self, point: Point) -> str:
        """Return a point's value as text, with its sign on a scale of differences."""
        return number(point.value, self.decimals, signed=self.low < 0)

    def numbers(self) -> Table:
        """Return the values as a table, the chart's alternative in text."""
        return Table(
            title=self.title,
            columns=("Group", "Name", self.unit, "95 % interval", "n"),
            rows=tuple(
                (
                    group,
                    point.name,
                    self.printed(point),
                    self._interval(point.interval),
                    NOTHING if point.count is None else f"{point.count:,}",
                )
                for group, points in self.groups.items()
                for point in points
            ),
        )

    def _interval(self, interval: Interval | None) -> str:
        if interval is None:
            return NOTHING
        low, high = (
            number(end, self.decimals) for end in (interval.low, interval.high)
        )
        return f"{low} to {high}"


@dataclass(frozen=True, slots=True, kw_only=True)
class DistributionChart:
    """Show how times are distributed, one panel per series on a common log scale.

    Raises:
        ValueError: There is no series, or a time is negative, NaN or infinite.
    """

    title: str
    caption: str
    series: Mapping[str, Sequence[float | None]]
    """Name to times in milliseconds; None for a time that was not measured."""

    def __post_init__(self) -> None:
        _filled(self.title, self.series)
        for values in self.series.values():
            latency_stats(values)

    def numbers(self) -> Table:
        """Return count, median, 95th percentile and the ends of each series."""
        rows = []
        for name, values in self.series.items():
            stats = latency_stats(values)
            times = [value for value in values if value is not None]
            ends = min(times, default=None), max(times, default=None)
            figures = (ends[0], stats.p50, stats.p95, ends[1])
            rows.append(
                (name, f"{stats.count:,}", *(number(value, 1) for value in figures))
            )
        return Table(
            title=self.title,
            columns=("Step", "n", "Min, ms", "p50, ms", "p95, ms", "Max, ms"),
            rows=tuple(rows),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class CountChart:
    """Show how many questions fall under each label, one panel per group.

    Raises:
        ValueError: There is no group, or a count is negative.
    """

    title: str
    caption: str
    unit: str
    """What is counted, for example `questions`."""

    groups: Mapping[str, Mapping[str, int]]

    def __post_init__(self) -> None:
        _filled(self.title, self.groups)
        for counts in self.groups.values():
            if min(counts.values()) < 0:
                msg = f"chart {self.title!r}: a count is negative"
                raise ValueError(msg)

    def numbers(self) -> Table:
        """Return the counts as a table."""
        return Table(
            title=self.title,
            columns=("Group", "Label", self.unit),
            rows=tuple(
                (group, label, f"{count:,}")
                for group, counts in self.groups.items()
                for label, count in counts.items()
            ),
        )


Chart = IntervalChart | DistributionChart | CountChart


def _filled(
    title: str, groups: Mapping[str, Sequence[object] | Mapping[str, int]]
) -> None:
    if not groups or not all(groups.values()):
        msg = f"chart {title!r} has nothing to show: leave it out"
        raise ValueError(msg)
