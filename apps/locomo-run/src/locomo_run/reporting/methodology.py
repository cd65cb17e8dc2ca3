"""`methodology.md`: how a run was made, from what the run noted itself."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from eval_report import Section, Table, format_full_report, load_baselines

from locomo_run.ledger.entry import Json, canonical
from locomo_run.reporting.cells import runs_said, setting_cell
from locomo_run.reporting.findings import METHODOLOGY, TITLE
from locomo_run.reporting.front_matter import front_matter
from locomo_run.reporting.results import Results
from locomo_run.reporting.tables import ADVERSARIAL, conditions
from locomo_run.reporting.worker_tables import worker_table
from locomo_run.scoring import ABSTAIN, F1_PROFILES, signature
from locomo_run.selection import Selection

FEW = 20
"""Chosen questions up to which a selection names each."""

SCORING = (
    *"""\
Token F1 is computed under several profiles from the same answers.
Each signature names everything that changes a number.
What could not be scored is left out of the mean and counted.""".splitlines(),
    *ADVERSARIAL,
    "Their score is whether the answer declines.",
)

INGESTION = (
    "What the memory was given is part of its settings above; "
    "the ledger holds an entry for each thing that was stored."
)

IMPORTED_INGESTION = (
    "The answers were imported from a result file; "
    "what the memory of its source stored is not known."
)


def methodology(results: Results) -> str:
    """Return the methodology of a run as Markdown with front matter."""
    head = front_matter(
        results,
        title=METHODOLOGY,
        tags=["locomo", "evaluation", "methodology"],
        related=TITLE,
    )
    return head + format_full_report(METHODOLOGY, list(_sections(results)))


def _sections(results: Results) -> Iterator[Section]:
    identity = results.facts.identity
    yield Section(heading="Benchmark", paragraphs=tuple(_benchmark(results)))
    yield Section(
        heading="Scoring methodology",
        paragraphs=SCORING,
        tables=(_signatures(results),),
    )
    yield Section(
        heading="Memory system under test",
        tables=(_settings("Memory", identity["memory"]),),
    )
    yield Section(
        heading="Ingestion pipeline",
        paragraphs=(IMPORTED_INGESTION if results.facts.imported else INGESTION,),
        tables=tuple(t for t in (worker_table(results),) if t),
    )
    yield Section(
        heading="QA pipeline",
        tables=(
            _settings("Search", identity["search"]),
            _settings("Context", identity["context"]),
            _settings("Answerer", identity["answerer"]),
        ),
    )
    yield Section(heading="Baseline sources", paragraphs=tuple(_sources()))
    yield Section(heading="Models", paragraphs=tuple(_models(results)))
    yield Section(
        heading="Reproducibility",
        paragraphs=(
            "Selections: "
            + "; ".join(_selection(each) for each in results.facts.selections),
        ),
        tables=(conditions(results),),
    )


def _selection(selection: Selection) -> str:
    """Print a choice of questions, with the ids of questions only if they are few."""
    spec = selection.spec()
    if len(selection.questions) > FEW:
        spec["questions"] = f"{len(selection.questions):,} by id"
    return canonical(spec)


def _benchmark(results: Results) -> Iterator[str]:
    dataset = results.dataset
    yield (
        f"{dataset.name}, sha256 {dataset.sha256}: "
        f"{len(dataset.conversations):,} conversations, "
        f"{len(dataset.questions()):,} answerable and "
        f"{len(dataset.all_questions()) - len(dataset.questions()):,} adversarial "
        "questions."
    )
    yield (
        f"Of these {len(results.answerable):,} answerable and "
        f"{len(results.adversarial):,} adversarial questions were selected."
    )


def _signatures(results: Results) -> Table:
    rows = [(name, signature(name)) for name in (*F1_PROFILES, ABSTAIN)]
    rows += [(f"J {judged.name}", judged.judge.signature) for judged in results.judged]
    return Table(title="Signatures", columns=("Score", "Signature"), rows=tuple(rows))


def _settings(title: str, settings: Mapping[str, Json]) -> Table:
    return Table(
        title=title,
        columns=("Setting", "Value"),
        rows=tuple((name, setting_cell(value)) for name, value in settings.items()),
    )


def _sources() -> Iterator[str]:
    for source in load_baselines().sources.values():
        yield f"{source.title}: {source.reference}. {source.note}"


def _models(results: Results) -> Iterator[str]:
    answerer = results.facts.identity["answerer"]
    yield "Answerer: " + ", ".join(f"{k} {v}" for k, v in answerer.items()) + "."
    if "prompt" in answerer:
        yield (
            f"The answerer was given version {answerer['prompt']} of the prompt of "
            "locomo-run, filled with what the search found. Its text for a question: "
            "locomo-run prompt show QUESTION_ID RUN."
        )
    for judged in results.judged:
        judge = judged.judge
        runs = runs_said(judge.runs)
        yield f"Judge of {judged.name}: {judge.settings_signature}, {runs}."
    if not results.judged:
        yield "Judge: none."
