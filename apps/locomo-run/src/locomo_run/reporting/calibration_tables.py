"""The calibration of judges as a table, and as plain values."""

from __future__ import annotations

from collections.abc import Sequence

from eval_report import Interval, Table, wilson_interval
from llm_judge import ErrorRate, ProbeKind

from locomo_run.judging.probes import Calibrated, probe_of
from locomo_run.ledger.entry import Entry, Json
from locomo_run.reporting.cells import NOT_KNOWN

_KINDS = {
    ProbeKind.OTHER_GOLD: "wrong: the gold of another question",
    ProbeKind.TRAP: "wrong: the trap of an adversarial question",
    ProbeKind.VAGUE: "wrong: vague",
    ProbeKind.REWORDED: "right: the gold reworded",
}


def calibration_tables(calibrated: Sequence[Calibrated]) -> tuple[Table, ...]:
    """Set out for each judge how often it was wrong about answers that are known."""
    return tuple(_table(each) for each in calibrated)


def calibration_spec(calibrated: Calibrated) -> dict[str, Json]:
    """Return the calibration of a judge as plain values."""
    measured, means = calibrated.measure(), calibrated.mean_scores()
    return {
        "signature": calibrated.judge.signature,
        "protocol": calibrated.judge.protocol.name,
        "model": calibrated.judge.settings.model,
        "accept_at": calibrated.accept_at,
        "full_mark": calibrated.judge.full_mark,
        "false_accept": _rate_spec(measured.false_accept),
        "false_reject": _rate_spec(measured.false_reject),
        "by_kind": {
            kind.value: {**_rate_spec(rate), "mean_score": means.get(kind)}
            for kind, rate in measured.by_kind.items()
        },
        "without_score": measured.failed_count,
    }


def mistake_spec(entry: Entry) -> dict[str, Json]:
    """Return a probe that a judge got wrong as plain values."""
    probe = probe_of(entry)
    return {
        "question_id": entry.request.item,
        "kind": probe.kind.value,
        "question": probe.question,
        "gold": probe.gold,
        "answer": probe.prediction,
        "score": entry.attempt.reply["score"],
        "explanation": entry.attempt.reply["explanation"],
    }


def _table(calibrated: Calibrated) -> Table:
    measured, means = calibrated.measure(), calibrated.mean_scores()
    full = calibrated.judge.full_mark
    rows = [
        (_KINDS[kind], *_cells(rate), _score(means.get(kind), full))
        for kind, rate in measured.by_kind.items()
    ]
    return Table(
        title=f"Known answers put to the judge, {calibrated.judge.protocol.name}",
        columns=("Answers", "n", "Errors", "Error rate", "95 %", "Mean score, 0-100"),
        rows=(
            *rows,
            ("false accepts: all wrong answers", *_cells(measured.false_accept), ""),
            ("false rejects: all right answers", *_cells(measured.false_reject), ""),
        ),
        notes=(
            f"Accepted: a score of {calibrated.accept_at:g} or more of {full:g}.",
            f"Without a score, and in no rate: {measured.failed_count:,}.",
            "95 %: Wilson's interval, with probes taken as independent.",
            "The probes are made by rule and easy: expect more errors on real answers.",
            calibrated.judge.signature,
        ),
    )


def _cells(rate: ErrorRate) -> tuple[str, str, str, str]:
    share = NOT_KNOWN if rate.rate is None else f"{rate.rate:.3f}"
    return f"{rate.n:,}", f"{rate.errors:,}", share, _span(_interval(rate))


def _interval(rate: ErrorRate) -> Interval | None:
    return wilson_interval(rate.errors, rate.n)


def _span(interval: Interval | None) -> str:
    if interval is None:
        return NOT_KNOWN
    return f"{interval.low:.3f} to {interval.high:.3f}"


def _score(mean: float | None, full: float) -> str:
    return NOT_KNOWN if mean is None else f"{mean * 100 / full:.1f}"


def _rate_spec(rate: ErrorRate) -> dict[str, Json]:
    interval = _interval(rate)
    return {
        "errors": rate.errors,
        "n": rate.n,
        "rate": rate.rate,
        "interval": None if interval is None else [interval.low, interval.high],
    }
