"""What `results.json` holds of scores: the parts of its schema about them."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class Part(BaseModel):
    """A part of the file."""

    model_config = ConfigDict(
        extra="forbid", frozen=True, use_attribute_docstrings=True
    )


class Mean(Part):
    """A mean and what it stands on."""

    mean: float | None
    """null over nothing."""
    count: int
    """How many values it is over."""


class Summary(Mean):
    """The scores of a set of questions, in the unit of their metric."""

    missing: int
    """Questions without a score; they are not in the mean."""
    std_dev: float | None
    """Over the questions (n - 1); null with fewer than two."""
    min: float | None
    max: float | None
    pessimistic_mean: float | None
    """With every missing score counted as 0."""


class JudgeSummary(Summary):
    """The judged scores of a set of questions; a question's is the mean of its runs."""

    mean_j: float | None
    """The mean."""
    pooled_std_dev: float | None
    """Of one run around its question's mean, pooled over the questions."""
    run_std_dev: float | None
    """Between whole runs (n - 1): the ± of Mem0's paper."""


class CategorySummary(Summary):
    """The scores of a category."""

    category: int
    """As the data set numbers it."""


class CategoryJudgeSummary(JudgeSummary):
    """The judged scores of a category."""

    category: int
    """As the data set numbers it."""


Ends = tuple[float, float]


class MetricInterval(Mean):
    """How sure a mean over the answerable questions is, at 95 %."""

    clusters: int
    """Conversations."""
    std_error: float | None
    """Clustered by conversation; null with fewer than two, as what follows from it."""
    interval: Ends | None
    """Mean ± Student's t with clusters - 1 degrees of freedom."""
    iid_std_error: float | None
    """As if questions were independent."""
    iid_interval: Ends | None
    design_effect: float | None
    """Squared ratio of the two standard errors."""
    bootstrap_interval: Ends | None
    """From resampled conversations: a check, too narrow with few of them."""


class Majority(Part):
    """The verdict of most runs, for judges that say right or wrong."""

    correct: int
    wrong: int
    ties: int
    missing: int
    """Questions without a good run."""
    accuracy: float | None
    """Share of the decided questions."""
    interval: Ends | None
    """Wilson's, at 95 %, with questions taken as independent."""


class StdErrors(Part):
    """Standard errors of J with more runs of the judge."""

    now: float | None
    twice_the_runs: float | None
    infinitely_many_runs: float | None


class StdErrorsByKind(Part):
    """Standard errors of J, by what is taken as independent."""

    clustered: StdErrors
    """Conversations."""
    independent: StdErrors
    """Questions."""


class Reliability(Part):
    """How far a judge's runs repeat each other, on its own scale."""

    questions: int
    """With at least two good runs."""
    flip_rate: float | None
    """Share of these whose runs do not all agree."""
    pairwise_agreement: float | None
    """Share of pairs of runs that agree, averaged over questions."""
    alpha: float | None
    """Krippendorff's, with the interval metric."""
    within_variance: float | None
    """Mean variance of the runs of one question."""
    between_variance: float | None
    """Variance of the questions' means without that noise."""
    pooled_std_dev: float | None
    run_scores: list[float]
    """Mean of each whole run over the questions that have a score in all."""
    run_std_dev: float | None
    """Of these (n - 1)."""
    complete_questions: int
    """How many questions have a score in every run."""
    std_error: StdErrorsByKind


class JudgeResults(Part):
    """J by one judge."""

    full_mark: float
    """The score of a perfect answer."""
    overall_judge: JudgeSummary
    overall_judge_without_wrong_golds: JudgeSummary | None
    """Without the questions whose gold the audit found wrong; null without one."""
    majority: Majority | None
    """null for a judge that grades."""
    per_category_judge: dict[str, CategoryJudgeSummary]
    """By category name."""
    runs_by_status: dict[str, int]
    """How the runs ended; `missing` were not bought."""
    reliability: Reliability


class ErrorRate(Part):
    """How often a judge was wrong about answers that are known."""

    errors: int
    n: int
    rate: float | None
    interval: Ends | None
    """Wilson's, at 95 %."""


class ErrorRateOfKind(ErrorRate):
    """How often a judge was wrong about one kind of answer."""

    mean_score: float | None


class Calibration(Part):
    """What a judge made of answers that are known to be right or wrong."""

    signature: str
    protocol: str
    model: str
    accept_at: float
    """The score from which an answer counts as accepted."""
    full_mark: float
    false_accept: ErrorRate
    false_reject: ErrorRate
    by_kind: dict[str, ErrorRateOfKind]
    without_score: int


class JudgedRefusals(Mean):
    """What a judge said of the answers to adversarial questions."""

    model: str
    signature: str
    declined: int
    trapped: int
    """Answers that fell for the trap."""
    other: int
    without_label: int


class Adversarial(Mean):
    """Share of adversarial questions that were declined, as they should be."""

    metric: str
    answerable_abstention: Mean
    """Share of answerable questions that were declined."""
    judged: list[JudgedRefusals]


class EvidenceRecall(Mean):
    """Mean share of the evidence turns among the hits."""

    k: int | None
    """How many hits a search may return."""
    by_session: Mean
    """The same by session, where hits tell their sessions only."""
