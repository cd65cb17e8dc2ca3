"""From a result file to a run."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from itertools import zip_longest
from pathlib import Path

from llm_judge import JudgeProtocol, JudgeSettings, Label, LabelScale
from locomo_dataset import Dataset

from locomo_run.errors import UsageError
from locomo_run.identity import Identity, run_name
from locomo_run.importing.formats import Answered, ResultFile, read_results
from locomo_run.importing.matching import match
from locomo_run.judging.judge import Judge
from locomo_run.ledger.entry import Attempt, Request, Stage, Status
from locomo_run.ledger.store import Ledger
from locomo_run.outcome import Outcome, outcomes
from locomo_run.run_directory import (
    IMPORTED,
    Facts,
    installed_versions,
    noted_source,
    register,
)
from locomo_run.selection import Selection


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
    """What came of an import."""

    directory: Path
    answers: int
    """In the file."""
    matched: int
    problems: tuple[str, ...]


def import_results(
    path: Path,
    dataset: Dataset,
    source: str,
    *,
    format_name: str = "auto",
    out: Path | None = None,
) -> Imported:
    """Make a run of a result file; repeating it adds nothing.

    Args:
        path: The result file.
        dataset: The data set that it is about.
        source: Where that came from.
        format_name: Format of the file, or `auto`.
        out: Run directory; None for one named after the file's content.

    Raises:
        UsageError: the file cannot be read, or none of it is about the data set.
        LedgerError: the run cannot be written.
    """
    results = read_results(path, format_name)
    found = match(results.answers, dataset)
    if not found.answers:
        raise UsageError(
            f"no question of {path} is in {dataset.name}: {found.problems[0]}"
        )
    identity = _identity(results, dataset, sha256(path.read_bytes()).hexdigest())
    directory = out or Path("runs") / run_name(f"{IMPORTED}-{results.format}", identity)
    judges = _judges(results)
    with Ledger.write(directory) as ledger:
        register(
            ledger,
            Facts(
                recipe=IMPORTED,
                identity=identity,
                source=noted_source(source),
                selections=(Selection(questions=tuple(found.answers)),),
                headline="mem0" if results.format == "mem0" else "locomo",
                versions=(installed_versions(),),
                judges=judges,
            ),
        )
        for question_id, answer in found.answers.items():
            _store_answer(ledger, question_id, answer, results)
        questions = [q for q in dataset.all_questions() if q.id in found.answers]
        for outcome in outcomes(questions, ledger):
            for judge in judges:
                answer = found.answers[outcome.question.id]
                _store_verdicts(ledger, judge, outcome, answer)
    return Imported(
        directory=directory,
        answers=len(results.answers),
        matched=len(found.answers),
        problems=found.problems,
    )


def _identity(results: ResultFile, dataset: Dataset, digest: str) -> Identity:
    return {
        "dataset": {"sha256": dataset.sha256},
        "memory": {"name": IMPORTED, "format": results.format, "sha256": digest},
        "search": {"limit": None},
        "context": {"chars": None},
        "answerer": {"name": results.answerer},
    }


def _judges(results: ResultFile) -> tuple[Judge, ...]:
    """The judge of the file, under a protocol name of its own."""
    runs = max(len(answer.verdicts) for answer in results.answers)
    if not runs:
        return ()
    protocol = JudgeProtocol(
        name=f"{IMPORTED}-{results.format}",
        version="1",
        description=f"Verdicts of a result file in the format {results.format}.",
        system="This protocol only names verdicts that were made elsewhere.",
        user="<question>{question}</question><gold>{gold}</gold>"
        "<prediction>{prediction}</prediction>",
        verdict_key="label",
        scale=LabelScale(labels={"CORRECT": Label(score=1), "WRONG": Label(score=0)}),
    )
    settings = JudgeSettings(model=results.judge, temperature=None)
    return (Judge(protocol=protocol, settings=settings, runs=runs, imported=True),)


def _store_answer(
    ledger: Ledger, question_id: str, answer: Answered, results: ResultFile
) -> None:
    request = Request(
        stage=Stage.ANSWER,
        item=question_id,
        content={IMPORTED: results.format, "prediction": answer.prediction},
    )
    if ledger.entry(request) is None:
        reply = {"text": answer.prediction}
        ledger.append(request, Attempt(status=Status.OK, reply=reply))


def _store_verdicts(
    ledger: Ledger,
    judge: Judge,
    outcome: Outcome,
    answer: Answered,
) -> None:
    prompt = judge.prompt(outcome)
    said = zip_longest(answer.verdicts, answer.explanations[: len(answer.verdicts)])
    for run, (score, explanation) in enumerate(said):
        request = judge.request(outcome, run, prompt)
        if ledger.entry(request) is None:
            ledger.append(request, _attempt(score, explanation or ""))


def _attempt(score: float | None, explanation: str) -> Attempt:
    if score is None:
        return Attempt(status=Status.UNPARSED, reason="the file holds no verdict")
    label = "CORRECT" if score else "WRONG"
    return Attempt(
        status=Status.OK,
        reply={"score": score, "label": label, "explanation": explanation},
    )
