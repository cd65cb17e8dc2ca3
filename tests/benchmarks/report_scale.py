"""How long a report takes over many copies of the data set, and how much memory.

    python tests/benchmarks/report_scale.py [COPIES]

makes a run over COPIES (100) copies of LoCoMo with ten judge runs, by writing its
ledger, then reads it and makes the Markdown and the JSON report, and the statistics
that resample. Prints seconds and the peak of memory. Needs LOCOMO_DATASET.
"""

import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from eval_report import (
    MAX_EXACT_CLUSTERS,
    Record,
    bootstrap_interval,
    paired_difference,
)
from llm_judge import BINARY, JudgeSettings
from locomo_dataset import Conversation, Dataset, Question, load
from locomo_run.judging.judge import Judge
from locomo_run.ledger.entry import (
    Attempt,
    Json,
    Request,
    Stage,
    Status,
    Usage,
    canonical,
)
from locomo_run.ledger.rows import insert_attempt, insert_request
from locomo_run.ledger.store import Ledger
from locomo_run.outcome import Outcome, State
from locomo_run.reporting.report import markdown
from locomo_run.reporting.results import compute
from locomo_run.reporting.results_json import json_parts
from locomo_run.run_directory import Facts, read_facts, register, write_file
from locomo_run.selection import Selection

RUNS = 10
JUDGE = Judge(protocol=BINARY, settings=JudgeSettings(), runs=RUNS)


def copies_of(dataset: Dataset, copies: int) -> Dataset:
    return replace(
        dataset,
        conversations=tuple(
            _renamed(conversation, f"{conversation.sample_id}-{copy}")
            for copy in range(copies)
            for conversation in dataset.conversations
        ),
    )


def _renamed(conversation: Conversation, name: str) -> Conversation:
    return replace(
        conversation,
        sample_id=name,
        qa=tuple(
            replace(question, id=f"{name}:{question.index}", sample_id=name)
            for question in conversation.qa
        ),
    )


def write_run(directory: Path, dataset: Dataset) -> None:
    rng = random.Random(1)
    facts = Facts(
        recipe="scale",
        identity={
            "dataset": {"sha256": dataset.sha256},
            "memory": {"name": "synthetic"},
            "search": {"limit": 10},
            "context": {"chars": 12000},
            "answerer": {"name": "synthetic"},
        },
        source="-",
        selections=(Selection(),),
        headline="locomo",
        versions=({"locomo-run": "0"},),
        judges=(JUDGE,),
    )
    with Ledger.write(directory) as ledger:
        register(ledger, facts)
        hits = {c.sample_id: hits_of(c) for c in dataset.conversations}
        db = ledger._db
        db.execute("PRAGMA synchronous=OFF")
        db.execute("BEGIN")
        for question in dataset.all_questions():
            for request, attempt in entries(question, hits, ledger, rng):
                insert_request(db, request)
                insert_attempt(db, request.key, 1, attempt)
        db.execute("COMMIT")


def hits_of(conversation: Conversation) -> list[list[dict[str, Json]]]:
    """A few lists of ten hits, as a search of the conversation gives them."""
    turns = [t for session in conversation.sessions for t in session.turns]
    return [
        [
            {
                "id": turn.id,
                "text": f"{turn.speaker}: {turn.text}",
                "date": "1:56 pm on 8 May, 2023",
                "score": 1.5,
                "turns": [turn.id],
            }
            for turn in turns[start : start + 10]
        ]
        for start in range(0, len(turns) - 10, 5)
    ]


def entries(
    question: Question,
    hits: dict[str, list[list[dict[str, Json]]]],
    ledger: Ledger,
    rng: random.Random,
) -> Iterator[tuple[Request, Attempt]]:
    name = ledger.store(canonical(rng.choice(hits[question.sample_id])))
    yield (
        Request(
            stage=Stage.SEARCH,
            item=question.id,
            content={"memory": {"name": "synthetic"}, "query": question.text},
        ),
        Attempt(status=Status.OK, reply={"hits": name}, latency_ms=rng.random() * 10),
    )
    said = question.gold if question.gold and rng.random() < 0.5 else "something else"
    yield (
        Request(
            stage=Stage.ANSWER,
            item=question.id,
            content={"answerer": {"name": "synthetic"}, "hits": name, "hits_read": 10},
        ),
        Attempt(status=Status.OK, reply={"text": said}, latency_ms=rng.random() * 1000),
    )
    if question.gold is None:
        return
    outcome = Outcome(question=question, state=State.ANSWERED, prediction=said)
    prompt = JUDGE.prompt(outcome)
    for run in range(RUNS):
        right = said == question.gold
        score = float(right if rng.random() < 0.95 else rng.random() < 0.5)
        label = "CORRECT" if score else "WRONG"
        yield (
            JUDGE.request(outcome, run, prompt),
            Attempt(
                status=Status.OK,
                reply={
                    "score": score,
                    "label": label,
                    "explanation": "The answer names what the reference names.",
                    "text": json.dumps({"explanation": "…", "label": label}),
                    "stop_reason": "end_turn",
                    "model": "claude-sonnet-4-6",
                    "withheld": [],
                },
                latency_ms=1000.0,
                model="claude-sonnet-4-6",
                usage=Usage(input=420 + run, output=38),
            ),
        )


def report(directory: Path, dataset: Dataset) -> None:
    def peak() -> float:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024

    began = time.perf_counter()

    def say(step: str) -> None:
        print(f"{step:<28}{time.perf_counter() - began:8.1f} s {peak():8.0f} MB")

    say("data set")
    with Ledger.read(directory) as ledger:
        say("ledger opened")
        results = compute(read_facts(ledger), dataset, ledger)
    say("scored")
    text = markdown(results)
    say(f"Markdown, {len(text) / 1e6:.1f} MB")
    size = write_file(directory / "results.json", json_parts(results)).stat().st_size
    say(f"JSON, {size / 1e6:.1f} MB")
    overall = results.f1_overall("locomo")
    print(f"n = {overall.count:,}, F1 {overall.mean:.3f}")
    statistics(results.judged[0].records())


def statistics(records: Sequence[Record]) -> None:
    """Time what resamples; two runs of the judge stand for two systems."""
    clusters = list(dict.fromkeys(record.cluster for record in records))
    for count in (MAX_EXACT_CLUSTERS, len(clusters)):
        chosen = set(clusters[:count])
        ours, theirs = (
            [of_run(record, run) for record in records if record.cluster in chosen]
            for run in (0, 1)
        )
        began = time.perf_counter()
        bootstrap_interval(ours)
        drawn = time.perf_counter()
        paired_difference(ours, theirs)
        print(
            f"{count:,} conversations: bootstrap {drawn - began:.2f} s, "
            f"paired difference with its sign flip {time.perf_counter() - drawn:.2f} s"
        )


def of_run(record: Record, run: int) -> Record:
    return replace(record, value=record.runs[run], runs=())


def main() -> None:
    dataset = load(os.environ["LOCOMO_DATASET"])
    if sys.argv[1:2] == ["--report"]:
        report(Path(sys.argv[3]), copies_of(dataset, int(sys.argv[2])))
        return
    copies = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    with tempfile.TemporaryDirectory() as folder:
        began = time.perf_counter()
        write_run(Path(folder), copies_of(dataset, copies))
        size = (Path(folder) / "ledger.sqlite").stat().st_size / 1e6
        seconds = time.perf_counter() - began
        print(f"ledger of {size:.0f} MB written in {seconds:.0f} s")
        # a process of its own, so that its peak of memory is the report's
        program = [sys.executable, __file__, "--report", str(copies), folder]
        subprocess.run(program, check=True)


if __name__ == "__main__":
    main()
