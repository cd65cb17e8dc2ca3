"""Baselines: published results with their source, validated on loading."""

import tomllib
from collections.abc import Mapping
from decimal import Decimal
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from eval_report._published import check_published_overall

Score = Annotated[Decimal, Field(ge=0, le=100)]
Spread = Annotated[Decimal, Field(ge=0)]
Seconds = Annotated[Decimal, Field(gt=0)]


class BaselineError(ValueError):
    """A baselines file cannot be read or contradicts itself."""


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class CategoryInfo(_Frozen):
    """Name a category of the benchmark and count its questions."""

    number: int
    label: str
    questions: Annotated[int, Field(gt=0)]


class Benchmark(_Frozen):
    """Describe the question set that the baselines were measured on."""

    name: str
    categories: tuple[CategoryInfo, ...]

    @property
    def counts(self) -> dict[int, int]:
        """Category to number of questions."""
        return {category.number: category.questions for category in self.categories}

    @property
    def labels(self) -> dict[int, str]:
        """Category to its name in the data set's own terms."""
        return {category.number: category.label for category in self.categories}


class Source(_Frozen):
    """Say where rows come from and what limits their comparison."""

    title: str
    reference: str
    date: str | None = None
    same_questions: bool
    """Whether the source is known to have measured just the benchmark's questions."""

    note: str
    as_printed: dict[int, str] = {}
    """Names the source prints for the data set's categories, where they differ."""


class _Row(_Frozen):
    system: str
    source: str
    """Key of the row's entry in `Baselines.sources`."""

    table: str
    answerer: str | None = None
    covers: tuple[int, ...]
    """Categories of the data set that the row's overall covers."""


class _ScoredRow(_Row):
    categories: dict[int, Score] = {}
    """Category of the data set to score on a 0 to 100 scale, as printed."""

    overall: Score | None = None

    @model_validator(mode="after")
    def _categories_are_covered(self) -> Self:
        extra = sorted(set(self.categories) - set(self.covers))
        if extra:
            msg = f"{self.system}: categories {extra} are not among covers"
            raise ValueError(msg)
        return self


class F1Baseline(_ScoredRow):
    """Hold a published token F1 and the profile of `qa_f1` that it was made with."""

    profile: str


class JBaseline(_ScoredRow):
    """Hold a published share of answers that a judge called correct."""

    kind: Literal["binary"]
    judge: str | None = None
    std: dict[int, Spread] = {}
    """Category to the ± the source prints."""

    overall_std: Spread | None = None


class LatencyBaseline(_Row):
    """Hold published times in seconds and tokens of context per question."""

    search_p50: Seconds | None = None
    search_p95: Seconds | None = None
    total_p50: Seconds
    """Search and answer together."""

    total_p95: Seconds
    context_tokens: int


class Footnote(_Frozen):
    """Mention a published number that cannot stand in a row."""

    metric: Literal["f1", "j", "latency"]
    text: str


class Baselines(_Frozen):
    """Hold every published row, its source, and the benchmark behind it."""

    benchmark: Benchmark
    sources: dict[str, Source]
    f1: tuple[F1Baseline, ...] = ()
    j: tuple[JBaseline, ...] = ()
    latency: tuple[LatencyBaseline, ...] = ()
    footnotes: tuple[Footnote, ...] = ()

    @model_validator(mode="after")
    def _rows_hold_together(self) -> Self:
        for row in (*self.f1, *self.j, *self.latency):
            if row.source not in self.sources:
                msg = f"{row.system}: source {row.source!r} is not under [sources]"
                raise ValueError(msg)
            unknown = sorted(set(row.covers) - set(self.benchmark.counts))
            if unknown:
                msg = f"{row.system}: the benchmark has no categories {unknown}"
                raise ValueError(msg)
        for scored in (*self.f1, *self.j):
            _check_overall(scored, self.benchmark.counts)
        return self


def load_baselines(path: str | Path | None = None) -> Baselines:
    """Load and validate published results.

    Args:
        path: TOML file in the format of this package's own `baselines.toml`, which
            is read when it is None.

    Raises:
        BaselineError: The file cannot be read, has another shape, names a source
            it does not define, or prints an overall that is not the weighted mean
            of its categories under the declared category numbers.

    Example:
        >>> [row.system for row in load_baselines().f1 if row.profile == "locomo"]
        ['Human', 'RAG over observations', 'GPT-3.5-turbo-16K', 'GPT-4-turbo']
    """
    if path is None:
        return _shipped()
    try:
        text = Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        msg = f"cannot read the baselines file {path}: {error}"
        raise BaselineError(msg) from error
    return _parse(text, str(path))


@cache
def _shipped() -> Baselines:
    data = files("eval_report").joinpath("baselines.toml")
    return _parse(data.read_text(encoding="utf-8"), "baselines.toml")


def _parse(text: str, name: str) -> Baselines:
    try:
        # decimals keep a number as it was printed: 42.00 is not 42.0
        return Baselines.model_validate(tomllib.loads(text, parse_float=Decimal))
    except tomllib.TOMLDecodeError as error:
        msg = f"{name} is not TOML: {error}"
        raise BaselineError(msg) from error
    except ValidationError as error:
        problems = "; ".join(_problem(detail) for detail in error.errors())
        msg = f"{name}: {problems}"
        raise BaselineError(msg) from error


def _problem(detail: Mapping[str, object]) -> str:
    location = detail["loc"]
    where = ".".join(map(str, location)) if isinstance(location, tuple) else ""
    return f"{where}: {detail['msg']}" if where else str(detail["msg"])


def _check_overall(row: _ScoredRow, counts: Mapping[int, int]) -> None:
    if row.overall is None or set(row.categories) != set(row.covers):
        return
    check = check_published_overall(row.categories, row.overall, counts)
    if not check.agrees:
        msg = (
            f"{row.system}: overall {row.overall} is not the weighted mean of its "
            f"categories, {check.weighted:.2f}; are the categories keyed by the "
            "data set's numbers?"
        )
        raise ValueError(msg)
