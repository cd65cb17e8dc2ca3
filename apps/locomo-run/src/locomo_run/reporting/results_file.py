"""What `results.json` holds: its schema, and the file read back."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import Field, JsonValue, ValidationError

from locomo_run.errors import UsageError
from locomo_run.reporting.results_scores import (
    Adversarial,
    Calibration,
    CategorySummary,
    EvidenceRecall,
    JudgeResults,
    MetricInterval,
    Part,
    Summary,
)

SCHEMA = 1
"""Raised when a field comes, goes or changes its meaning."""


class Percentiles(Part):
    """Latencies in milliseconds."""

    p50: float | None
    p95: float | None
    count: int


class Latency(Part):
    """How long the steps of a question took."""

    search: Percentiles
    answer: Percentiles
    total: Percentiles
    """Search and answer together."""


class Tokens(Part):
    """What the answerer read and wrote."""

    total_input: int | None
    total_output: int | None
    mean_per_question: float | None
    """In and out together."""
    count: int
    """Questions whose tokens are known."""


class Cost(Part):
    """What calls to models cost, every attempt counted."""

    calls: int
    batched_calls: int
    input_tokens: int
    cache_write_tokens: int
    cache_read_tokens: int
    output_tokens: int
    dollars: float | None
    """null if a model has no known price."""
    wasted_calls: int
    """Calls whose replies did not become an entry."""
    wasted_dollars: float | None
    calls_without_usage: int
    """Calls whose tokens the endpoint did not tell; they are not in the sums."""


class StageCost(Cost):
    """What one stage cost with one model."""

    stage: str
    model: str


class Spend(Part):
    """What the run cost."""

    currency: Literal["USD"]
    prices_date: str
    stages: list[StageCost]
    total: Cost
    lost_dollars_at_most: float
    """For replies that were perhaps written but never came."""


class Ingestion(Part):
    """How much of a conversation the memory holds."""

    sample_id: str
    total_sessions: int
    sessions_ingested: int
    observations_queued: int
    """What the memory made of the sessions and holds."""
    status: Literal["complete", "incomplete"]


class DatasetNamed(Part):
    """The data set of the run."""

    name: str
    sha256: str
    """Of the file."""


class JudgeOfRun(Part):
    """A judge of the run."""

    protocol: str
    kind: Literal["binary", "strict", "graded"]
    model: str
    runs: int
    signature: str


class Metadata(Part):
    """What the figures depend on."""

    recipe: str
    dataset: DatasetNamed
    memory: dict[str, JsonValue]
    """Its name, version and settings."""
    search: dict[str, JsonValue]
    context: dict[str, JsonValue]
    answerer: dict[str, JsonValue]
    judge: list[JudgeOfRun] | None
    scoring_methods: list[str]
    headline: str
    """The F1 profile of the headline."""
    signatures: dict[str, str]
    """By F1 profile, what determines its numbers."""
    total_questions: int
    """Selected, adversarial ones included."""
    subset: bool
    """Whether fewer than all answerable questions of the data set were selected."""
    selections: list[dict[str, JsonValue]]
    worker: dict[str, JsonValue] | None
    """What the run tells about its claude-mem worker."""
    states: dict[Literal["answered", "failed", "missing"], int]
    versions: list[dict[str, str]]
    """Versions of the code that took part, in order."""
    timestamp: tuple[str, str] | None
    """When the first and the last entry were stored."""


class Verdicts(Part):
    """What one judge said of one question."""

    mean_score: float | None
    """Mean of the good runs."""
    std_dev: float | None
    """Of the good runs (n - 1); null with fewer than two."""
    run_count: int
    """Good runs."""
    individual_scores: list[float | None]
    """By run; null where one gave no score."""


class Question(Part):
    """One question and what became of it."""

    id: str
    """Conversation and index from 0."""
    question: str | None
    """null where texts were left out, as gold and prediction then are."""
    category: int
    category_name: str
    gold: str | None
    """null for most adversarial questions."""
    prediction: str | None
    """null without an answer."""
    state: Literal["answered", "failed", "missing"]
    reason: str | None
    """Why it failed."""
    f1: dict[str, float | None]
    """By profile, 0 to 1; null for adversarial questions and without an answer."""
    locomo_abstain: float | None
    """1 for an adversarial question that was declined, else 0; null for others."""
    abstained: bool | None
    judge: dict[str, Verdicts]
    """By signature of the judge."""
    refusal: dict[str, list[str | None]]
    """By signature of the judge of refusals, a label for each answer."""
    evidence: list[str]
    """Ids of the turns that hold the answer."""
    evidence_recall: float | None
    search_results: list[str]
    """Ids of the hits, best first."""
    search_results_used: int | None
    """How many of them fitted the context."""
    context_chars: int | None
    """Characters of the block that they make, with its numbers and dates."""
    search_latency_ms: float | None
    answer_latency_ms: float | None
    answer_input_tokens: int | None
    answer_output_tokens: int | None


class ResultsFile(Part):
    """The results of a run."""

    schema_version: Literal[1] = Field(alias="schema")
    """Raised when a field comes, goes or changes its meaning."""
    metadata: Metadata
    overall_f1: dict[str, Summary]
    """By profile, over the answerable questions."""
    per_category_f1: dict[str, dict[str, CategorySummary]]
    """By profile and category name."""
    overall_f1_without_wrong_golds: dict[str, Summary]
    """By profile, without the questions whose gold the audit found wrong."""
    intervals: dict[str, MetricInterval]
    """By metric: `f1:` and the profile, or the signature of the judge."""
    judge: dict[str, JudgeResults]
    """By signature of the judge."""
    calibration: list[Calibration]
    adversarial: Adversarial
    evidence_recall: EvidenceRecall
    latency: Latency
    tokens: Tokens
    spend: Spend
    ingestion: list[Ingestion]
    """By conversation, for memories that tell what they hold."""
    questions: list[Question]


def read_results_file(path: Path) -> ResultsFile:
    """Read `results.json` back.

    Args:
        path: The file.

    Raises:
        UsageError: it cannot be read, or is no results file of this schema.
    """
    try:
        return ResultsFile.model_validate_json(path.read_bytes())
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}") from error
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(map(str, first["loc"])) or "the whole"
        raise UsageError(
            f"{path} is no results file of schema {SCHEMA}: {where}: {first['msg']}"
        ) from error
