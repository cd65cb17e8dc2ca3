"""Latency: percentiles of measured times."""

import math
from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class LatencySummary:
    """Describe measured times, in the unit of the values."""

    count: int
    """Values measured."""

    missing: int
    """Values not measured, left out."""

    p50: float | None
    p95: float | None
    mean: float | None


def latency_stats(values: Iterable[float | None]) -> LatencySummary:
    """Summarise times by median, 95th percentile and mean.

    A percentile is numpy's default, linear interpolation between the two nearest
    values (definition 7 of Hyndman and Fan, 1996, doi 10.2307/2684934). Without a
    value the three figures are None.

    Args:
        values: Times in one unit; None for a time that was not measured.

    Raises:
        ValueError: A time is negative, NaN or infinite.

    Example:
        >>> stats = latency_stats([10, 20, 30, 40, None])
        >>> stats.p50, round(stats.p95, 9), stats.mean, stats.missing
        (25.0, 38.5, 25.0, 1)
    """
    times, missing = [], 0
    for value in values:
        if value is None:
            missing += 1
        elif value < 0 or not math.isfinite(value):
            msg = f"{value} is not a time; a time that was not measured is None"
            raise ValueError(msg)
        else:
            times.append(float(value))
    if not times:
        return LatencySummary(count=0, missing=missing, p50=None, p95=None, mean=None)
    import numpy as np  # lazily: printing a table does not need numpy

    p50, p95 = np.quantile(times, (0.5, 0.95)).tolist()
    return LatencySummary(
        count=len(times),
        missing=missing,
        p50=p50,
        p95=p95,
        mean=math.fsum(times) / len(times),
    )
