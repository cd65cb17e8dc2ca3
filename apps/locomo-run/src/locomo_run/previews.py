"""What would be sent for one question, word for word, without sending it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from sys import maxsize
from typing import cast

from llm_judge import JudgeSettings, Prompt
from locomo_dataset import Dataset, Question

from locomo_run.answerers.model import settings_of
from locomo_run.answerers.prompt import answer_prompt
from locomo_run.answerers.registry import EXTRACTIVE
from locomo_run.config import AnswerOptions, RunConfig
from locomo_run.context import fit
from locomo_run.dataset_source import open_dataset
from locomo_run.errors import UsageError
from locomo_run.judging.judge import Judge, judgeable, merged
from locomo_run.judging.judge_run import judges_of
from locomo_run.ledger.entry import Json, Stage
from locomo_run.ledger.store import Ledger
from locomo_run.memory import Hit, Query
from locomo_run.memory.registry import open_memory
from locomo_run.money.planning import IN_PROCESS
from locomo_run.outcome import Outcome, State, outcomes
from locomo_run.replies import hits_of
from locomo_run.run_directory import dataset_of, read_facts
from locomo_run.selection import Selection
from locomo_run.start import bounds

NO_PREDICTION = "(the answer, once there is one)"


@dataclass(frozen=True, slots=True, kw_only=True)
class Preview:
    """One call, as it would be made; or why there is none."""

    name: str
    """The stage, and the protocol of a judge."""
    settings: JudgeSettings | None = None
    """None if nothing would be sent."""
    prompt: Prompt | None = None
    remark: str = ""


def previews_of_options(question_id: str, config: RunConfig) -> tuple[Preview, ...]:
    """Show what `run` would send; the memory is filled and searched for it.

    Raises:
        UsageError: there is no such question, or the memory is none of this process.
    """
    if config.memory not in IN_PROCESS:
        raise UsageError(
            f"what {config.memory} finds is known once a run has asked it: name the "
            "run after the question"
        )
    dataset = open_dataset(config.dataset)
    question = _question(question_id, dataset)
    limit, chars = bounds(config)
    query = Query(
        question_id=question.id, sample_id=question.sample_id, text=question.text
    )
    with closing(open_memory(config.memory, neighbours=config.neighbours)) as memory:
        memory.ingest(dataset.conversation(question.sample_id))
        hits = memory.search(query, maxsize if limit is None else limit)
    answer = Outcome(question=question, state=State.MISSING)
    return (
        _answer(config.answering, question, fit(hits, chars)),
        *_judging(judges_of(config.judging), answer),
    )


def previews_of_run(
    question_id: str,
    directory: Path,
    *,
    more: Sequence[Judge] = (),
    dataset: str | None = None,
) -> tuple[Preview, ...]:
    """Show what a run sends or has sent, from its stored hits and answer.

    Args:
        question_id: Such as `conv-26:12`.
        directory: The run directory.
        more: Judges to be shown besides those of the run.
        dataset: Where its data set is, if not where the run noted it.

    Raises:
        UsageError: there is no such question, or the run has not searched for it.
        RunError: there is no run, or its data set cannot be read.
    """
    with Ledger.read(directory) as ledger:
        facts = read_facts(ledger)
        question = _question(question_id, dataset_of(facts, dataset))
        (answer,) = outcomes([question], ledger)
        found = [
            e for e in ledger.entries(Stage.SEARCH) if e.request.item == question_id
        ]
        if not found or not found[-1].ok:
            raise UsageError(f"{directory} holds no search for {question_id} yet")
        chars = cast(int | None, facts.identity["context"]["chars"])
        context = fit(hits_of(found[-1], ledger), chars)
        return (
            _answer(_options(facts.identity["answerer"]), question, context),
            *_judging(merged(facts.judges, more), answer),
        )


def _question(question_id: str, dataset: Dataset) -> Question:
    return Selection(questions=(question_id,)).resolve(dataset)[0]


def _options(answerer: Mapping[str, Json]) -> AnswerOptions:
    """Read back who answers a run."""
    name = str(answerer["name"])
    if "max_tokens" not in answerer:
        return AnswerOptions(answerer=EXTRACTIVE)
    return AnswerOptions(
        answerer=name,
        temperature=cast(float | None, answerer["temperature"]),
        max_tokens=cast(int, answerer["max_tokens"]),
        hints=bool(answerer["category_hints"]),
    )


def _answer(
    options: AnswerOptions, question: Question, context: Sequence[Hit]
) -> Preview:
    if options.answerer == EXTRACTIVE:
        return Preview(
            name="answer",
            remark="nothing is sent: the extractive answerer works in this process",
        )
    return Preview(
        name="answer",
        settings=settings_of(options),
        prompt=answer_prompt(question, context, hints=options.hints),
    )


def _judging(judges: Sequence[Judge], answer: Outcome) -> Iterator[Preview]:
    if not judges:
        yield Preview(name="judge", remark="nothing is sent: no judge is named")
    for judge in judges:
        name = f"judge {judge.protocol.name}"
        if answer.adversarial or answer.question.gold is None:
            yield Preview(
                name=name,
                remark="nothing is sent: the question has no reference answer",
            )
            continue
        known = judgeable(answer)
        judged = answer if known else replace(answer, prediction=NO_PREDICTION)
        yield Preview(
            name=name,
            settings=judge.settings,
            prompt=judge.prompt(judged),
            remark=""
            if known
            else f"{NO_PREDICTION!r} stands for an answer that is not there yet; the "
            "hash will be another",
        )
