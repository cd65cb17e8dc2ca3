"""What a run still has to buy: its data set, its memory and its ledger, read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass
from pathlib import Path

from locomo_dataset import Dataset, Question

from locomo_run.answerers.registry import EXTRACTIVE
from locomo_run.config import RunConfig
from locomo_run.dataset_source import open_dataset
from locomo_run.errors import RunError
from locomo_run.identity import run_name
from locomo_run.judging.judge import Judge
from locomo_run.judging.judge_run import judges_of, refusal_judge_of
from locomo_run.ledger.entry import Stage
from locomo_run.ledger.file import FILE_NAME
from locomo_run.ledger.store import Ledger
from locomo_run.memory import Memory
from locomo_run.memory.registry import open_memory
from locomo_run.money.estimate import (
    Counted,
    Estimate,
    Job,
    estimate,
)
from locomo_run.money.planning import Contexts, Plans
from locomo_run.money.prices import Prices
from locomo_run.outcome import outcomes
from locomo_run.run_directory import check_identity, dataset_of, read_facts
from locomo_run.start import RUNS, identity_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Prospect:
    """What is still to be bought."""

    jobs: tuple[Job, ...]
    directory: Path | None = None
    """Of the run, if it has been begun."""
    bought: int = 0
    """Calls that are stored already."""
    sessions: int = 0
    """Sessions for which the memory asks a model of its own."""

    def estimate(
        self, prices: Prices, counted: Mapping[str, Counted] | None = None
    ) -> Estimate:
        """Price it."""
        return Estimate(
            lines=estimate(self.jobs, prices, counted),
            prices_date=prices.date,
            bought=self.bought,
            sessions=self.sessions,
            drawn=any(
                p.drawn
                for job in self.jobs
                if job.stage is Stage.ANSWER
                for p in job.planned
            ),
        )


def prospect_of_run(config: RunConfig) -> Prospect:
    """Say what `run` still has to buy.

    A memory of this process is filled and searched for it; of any other the context is
    taken as full where the ledger does not hold what it found.

    Raises:
        RunError: see `locomo_run.errors`.
        DatasetError: the data set cannot be read.
    """
    dataset = open_dataset(config.dataset)
    questions = config.selection.resolve(dataset)
    with ExitStack() as closed:
        memory = _open_memory(config, closed)
        ledger = _open_ledger(config, dataset, memory, closed)
        plans = Plans(
            ledger=ledger,
            retry_failed=config.calls.retry_failed,
            answering=config.answering,
        )
        asked = list(outcomes(questions, ledger, config.answering.runs))
        jobs = []
        if config.answering.answerer != EXTRACTIVE:
            contexts = Contexts(config, dataset, memory, ledger)
            jobs.append(plans.answers(asked, contexts))
        jobs += [plans.judging(judge, asked) for judge in judges_of(config.judging)]
        if refusals := refusal_judge_of(config.judging):
            jobs.append(plans.refusals(refusals, asked))
        return Prospect(
            jobs=tuple(jobs),
            directory=_begun(ledger),
            bought=plans.bought,
            sessions=_sessions(config, dataset, questions, ledger),
        )


def prospect_of_judging(
    directory: Path,
    judges: Sequence[Judge],
    *,
    refusals: Judge | None = None,
    retry_failed: bool,
    dataset: str | None = None,
) -> Prospect:
    """Say what `judge` still has to buy over the answers that a run has stored.

    Raises:
        RunError: there is no run, or its data set cannot be read.
    """
    with Ledger.read(directory) as ledger:
        facts = read_facts(ledger)
        questions = facts.questions(dataset_of(facts, dataset))
        plans = Plans(ledger=ledger, retry_failed=retry_failed)
        asked = list(outcomes(questions, ledger, facts.answer_runs))
        jobs = [plans.judging(judge, asked) for judge in judges]
        if refusals is not None:
            jobs.append(plans.refusals(refusals, asked))
        return Prospect(jobs=tuple(jobs), directory=directory, bought=plans.bought)


def _open_memory(config: RunConfig, closed: ExitStack) -> Memory | None:
    """Open the memory; None for a worker that does not answer (yet)."""
    try:
        memory = open_memory(
            config.memory, neighbours=config.neighbours, claude_mem=config.claude_mem
        )
    except RunError:
        if config.memory != "claude-mem":
            raise
        return None
    return closed.enter_context(closing(memory))


def _open_ledger(
    config: RunConfig, dataset: Dataset, memory: Memory | None, closed: ExitStack
) -> Ledger:
    """Open what the run has stored; a blank ledger if it has not begun.

    Raises:
        UsageError: the folder holds another run.
    """
    identity = None if memory is None else identity_of(config, dataset, memory)
    directory = config.out
    if directory is None and identity is not None:
        directory = RUNS / run_name(config.recipe, identity)
    if directory is None or not (directory / FILE_NAME).is_file():
        return closed.enter_context(Ledger.blank())
    ledger = closed.enter_context(Ledger.read(directory))
    if identity is not None and _begun(ledger):
        check_identity(read_facts(ledger).identity, identity)
    return ledger


def _begun(ledger: Ledger) -> Path | None:
    return ledger.directory if ledger.fact("identity") is not None else None


def _sessions(
    config: RunConfig, dataset: Dataset, questions: Sequence[Question], ledger: Ledger
) -> int:
    """Count the sessions that claude-mem has still to compress."""
    if config.memory != "claude-mem" or config.claude_mem.via == "import":
        return 0
    names = dict.fromkeys(question.sample_id for question in questions)
    wanted = sum(len(dataset.conversation(name).sessions) for name in names)
    stored = sum(
        entry.ok and entry.request.item.partition("/s")[0] in names
        for entry in ledger.entries(Stage.INGEST)
        if "/s" in entry.request.item
    )
    return max(0, wanted - stored)
