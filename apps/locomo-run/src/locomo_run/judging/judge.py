"""A judge of answers: who judges, how, how often, and what is stored of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import cast

from llm_judge import (
    JudgeProtocol,
    JudgeSettings,
    NumberScale,
    Prompt,
    build_judge_prompt,
)

from locomo_run.ledger.entry import Entry, Json, Request, Stage
from locomo_run.ledger.store import Ledger
from locomo_run.outcome import Outcome


@dataclass(frozen=True, kw_only=True)  # no slots: it keeps its signature
class Judge:
    """Who judges, how, and how often."""

    protocol: JudgeProtocol
    settings: JudgeSettings
    runs: int
    extra: int = 0
    """Runs beyond `runs` for the questions whose first ones differ."""
    imported: bool = False
    """Whether the verdicts come from a result file: then the protocol only names them,
    and of the settings nothing but the model is known."""

    @cached_property
    def signature(self) -> str:
        """Everything but the number of runs that can change a score, if it is known."""
        protocol = self.protocol
        named = f"protocol:{protocol.name}" if self.imported else protocol.signature
        return f"{named}|{self.settings_signature}"

    @property
    def settings_signature(self) -> str:
        """The model and how it samples; of an imported judge only what is known."""
        if self.imported:
            return f"model:{self.settings.model}"
        return self.settings.signature

    @property
    def full_mark(self) -> float:
        """The score of a perfect answer."""
        scale = self.protocol.scale
        if isinstance(scale, NumberScale):
            return scale.maximum
        return max(label.score for label in scale.labels.values())

    def spec(self) -> dict[str, Json]:
        """Return the judge as plain values, to be stored with the run."""
        return {
            # as text: the ledger sorts keys, and the order of labels is in the prompt
            "protocol": self.protocol.model_dump_json(),
            "settings": cast(Json, self.settings.model_dump(mode="json")),
            "runs": self.runs,
            "extra": self.extra,
            "imported": self.imported,
        }

    @classmethod
    def from_spec(cls, spec: Mapping[str, Json]) -> Judge:
        """Read a stored judge back."""
        return cls(
            protocol=JudgeProtocol.model_validate_json(str(spec["protocol"])),
            settings=JudgeSettings.model_validate(spec["settings"]),
            runs=cast(int, spec["runs"]),
            extra=cast(int, spec["extra"]),
            imported=bool(spec.get("imported")),
        )

    def prompt(self, outcome: Outcome) -> Prompt:
        """Build what is sent to judge a question's prediction."""
        question = outcome.question
        return build_judge_prompt(
            question.text,
            question.gold or "",
            outcome.prediction or "",
            question.category.label,
            self.protocol,
        )

    def request(self, outcome: Outcome, run: int, prompt: Prompt) -> Request:
        """Return the key of one run over a question's prediction."""
        return Request(
            stage=Stage.JUDGE,
            item=outcome.question.id,
            run=run,
            content={
                "judge": self.signature,
                "prompt": prompt.sha256,
                "answer_run": outcome.run,
            },
        )


def merged(known: Iterable[Judge], more: Iterable[Judge]) -> tuple[Judge, ...]:
    """Return every judge once, with the most runs that were ever asked of it."""
    judges: dict[str, Judge] = {}
    for judge in (*known, *more):
        before = judges.get(judge.signature, judge)
        judges[judge.signature] = replace(
            judge,
            runs=max(before.runs, judge.runs),
            extra=max(before.extra, judge.extra),
        )
    return tuple(judges.values())


def judgeable(outcome: Outcome) -> bool:
    """Tell whether a question has what a judge compares."""
    return (
        not outcome.adversarial
        and outcome.question.gold is not None
        and outcome.prediction is not None
    )


def entries_of(
    judge: Judge, outcome: Outcome, ledger: Ledger, runs: range
) -> Iterator[Entry | None]:
    """Return what the ledger has of a judge's runs over a question."""
    if not judgeable(outcome):
        return
    request = judge.request(outcome, runs.start, judge.prompt(outcome))
    for run in runs:
        yield ledger.entry(replace(request, run=run))


def score_of(entry: Entry | None) -> float | None:
    """Return the score of a judge run, None without one."""
    if entry is None or not entry.ok:
        return None
    score = entry.attempt.reply["score"]
    return float(score) if isinstance(score, int | float) else None


def differ(judge: Judge, outcome: Outcome, ledger: Ledger) -> bool:
    """Tell whether the runs over a question gave different scores."""
    entries = entries_of(judge, outcome, ledger, range(judge.runs))
    return len({s for e in entries if (s := score_of(e)) is not None}) > 1
