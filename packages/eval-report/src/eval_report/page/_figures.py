"""Figures: the charts of a run, made from its records."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

from eval_report._baselines import Baselines, F1Baseline, JBaseline, load_baselines
from eval_report._cells import titled
from eval_report._difference import published_overall
from eval_report._intervals import Interval, clustered_mean
from eval_report._moments import std_dev
from eval_report._paired import PairedDifference
from eval_report._record import Record, of_one_metric
from eval_report._rows import subset
from eval_report._scores import F1Scores, JudgeScores
from eval_report.page._chart import CountChart, IntervalChart, Point

_CLUSTERED = "Filled: this run, with its 95 % interval clustered by conversation."
_HOLLOW = " Hollow: published."
_BINARY = (
    " Published J is the share of answers that a generous judge called correct{other}."
)
_OTHER = "; the J of this run is another metric"
_SPREADS = (1.0, 2.0, 5.0, 10.0)


def category_chart(
    scores: F1Scores | JudgeScores,
    records: Iterable[Record],
    baselines: Baselines | None = None,
) -> IntervalChart:
    """Show a run by category and overall, 0 to 100, beside published results.

    Token F1 stands beside published rows of its own profile only. J stands beside
    published J, and the caption says so when it is another metric. A run of less than
    the whole is marked in the title.

    Args:
        scores: The run under one profile or protocol.
        records: The records behind the scores, for the intervals.
        baselines: Published rows; this package's own when None.
    """
    published = baselines or load_baselines()
    title, caption, rows = _beside(scores, published)
    judged = of_one_metric(records)
    groups = {}
    for category, summary in sorted(scores.by_category.items()):
        within = [record for record in judged if record.category == category]
        ours = Point(
            name=scores.name,
            value=_scaled(summary.mean, scores.scale),
            interval=_interval(within, scores.scale),
            count=summary.count,
        )
        theirs = [_published(row.system, row.categories.get(category)) for row in rows]
        label = f"{published.benchmark.labels.get(category, 'category')} ({category})"
        groups[label] = [ours, *filter(None, theirs)]
    overall = Point(
        name=scores.name,
        value=_scaled(scores.overall.mean, scores.scale),
        interval=_interval(judged, scores.scale),
        count=scores.overall.count,
    )
    theirs = [_published(row.system, published_overall(row, published)) for row in rows]
    groups["overall"] = [overall, *filter(None, theirs)]
    return IntervalChart(
        title=titled(title, [subset(scores)]),
        caption=caption,
        unit="0-100",
        groups=groups,
    )


def conversation_chart(
    records: Iterable[Record], *, title: str, full_mark: float = 1.0
) -> IntervalChart:
    """Show the mean score of each conversation, 0 to 100.

    The interval of a conversation takes its questions as independent: within one
    conversation there is no cluster left to know better from.

    Args:
        records: Records of one metric.
        title: Heading of the chart, with the metric's name.
        full_mark: Score of a perfect answer.
    """
    groups: defaultdict[str, list[Record]] = defaultdict(list)
    for record in of_one_metric(records):
        groups[record.cluster].append(record)
    points = []
    for cluster, within in groups.items():
        result = clustered_mean(within)
        points.append(
            Point(
                name=cluster,
                value=_scaled(result.mean, 100 / full_mark),
                interval=_times(result.iid_interval, 100 / full_mark),
                count=result.count,
            )
        )
    return IntervalChart(
        title=title,
        caption="Mean of each conversation with a 95 % interval over its questions.",
        unit="0-100",
        groups={"conversations": points},
    )


def difference_chart(
    differences: Mapping[str, PairedDifference], *, title: str, full_mark: float = 1.0
) -> IntervalChart:
    """Show paired differences a minus b with their intervals, in points of 100.

    Args:
        differences: Label (a category, or all of them) to difference.
        title: Heading of the chart, with the names of the runs.
        full_mark: Score of a perfect answer.
    """
    scale = 100 / full_mark
    points = [
        Point(
            name=label,
            value=_scaled(result.difference, scale),
            interval=_times(result.interval, scale),
            count=result.count,
        )
        for label, result in differences.items()
    ]
    ends = [abs(p.value) for p in points if p.value is not None]
    for point in points:
        if point.interval is not None:
            ends += (abs(point.interval.low), abs(point.interval.high))
    reach = min(max([*ends, 1.0]) * 1.05, 100.0)
    return IntervalChart(
        title=title,
        caption=(
            "Right of zero the first run is better. Paired difference with its 95 % "
            "interval clustered by conversation."
        ),
        unit="points of 100, a minus b",
        groups={"a minus b": points},
        low=-reach,
        high=reach,
    )


def verdict_chart(
    records: Iterable[Record], *, protocol: str, graded: bool, full_mark: float = 100.0
) -> CountChart:
    """Show how far the judge agreed with itself, question by question.

    Args:
        records: Records of one protocol, with their runs.
        protocol: Name of the protocol.
        graded: Whether a verdict is a grade; else it is full mark or nothing.
        full_mark: Score of a perfect answer.
    """
    labels = _graded_labels() if graded else _binary_labels()
    counts = dict.fromkeys(labels, 0)
    for record in of_one_metric(records):
        runs = [score * 100 / full_mark for score in record.good_runs]
        if len(runs) < 2:
            counts[labels[-1]] += 1
        elif graded:
            counts[labels[_spread(runs)]] += 1
        else:
            counts[labels[_share(runs)]] += 1
    return CountChart(
        title=f"Spread of verdicts, protocol {protocol}",
        caption=(
            "Standard deviation of a question's judge runs, in points of 100."
            if graded
            else "How many of a question's judge runs called the answer correct."
        ),
        unit="questions",
        groups={protocol: counts},
    )


def _beside(
    scores: F1Scores | JudgeScores, published: Baselines
) -> tuple[str, str, Sequence[F1Baseline | JBaseline]]:
    """Return title and caption of a chart, and the published rows it shows."""
    if isinstance(scores, F1Scores):
        same = [row for row in published.f1 if row.profile == scores.profile]
        title = f"Token F1 by category, profile {scores.profile}"
        return title, _CLUSTERED + (_HOLLOW if same else ""), same
    other = "" if scores.kind == "binary" else _OTHER
    caption = _CLUSTERED + _HOLLOW + _BINARY.format(other=other)
    return f"J by category, protocol {scores.protocol}", caption, published.j


def _graded_labels() -> list[str]:
    low = ("0", *(f"{edge:g}" for edge in _SPREADS))
    steps = [f"over {a} to {b}" for a, b in pairwise(low)]
    return ["0: all runs agree", *steps, f"over {low[-1]}", "fewer than two runs"]


def _spread(runs: list[float]) -> int:
    spread = std_dev(runs) or 0.0
    return sum(spread > edge for edge in (0.0, *_SPREADS))


def _binary_labels() -> list[str]:
    return ["none", "under half", "half", "over half", "all", "fewer than two runs"]


def _share(runs: list[float]) -> int:
    correct = sum(score > 0 for score in runs)
    if correct in (0, len(runs)):
        return 4 if correct else 0
    return 2 + (2 * correct > len(runs)) - (2 * correct < len(runs))


def _published(system: str, value: object) -> Point | None:
    if value is None:
        return None
    return Point(name=system, value=float(str(value)), ours=False)


def _interval(records: Sequence[Record], scale: float) -> Interval | None:
    return _times(clustered_mean(records).interval, scale)


def _scaled(value: float | None, scale: float) -> float | None:
    return None if value is None else value * scale


def _times(interval: Interval | None, scale: float) -> Interval | None:
    if interval is None:
        return None
    return Interval(interval.low * scale, interval.high * scale)
