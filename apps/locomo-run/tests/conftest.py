from __future__ import annotations

import asyncio
import os
import signal
import sys
import threading
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from datetime import datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from textwrap import dedent
from typing import Protocol, TypeVar

import httpx
import pytest
from click.testing import CliRunner, Result
from cmem_client.testing import FakeWorker
from llm_judge import BINARY, JudgeProtocol, JudgeSettings
from llm_judge.testing import FakeMessagesAPI
from locomo_dataset import Category, Conversation, Dataset, Question, Session, Turn
from locomo_dataset import TurnRef as Ref
from locomo_run.calls.desk import Desk, open_desk
from locomo_run.cli import root
from locomo_run.config import CallOptions
from locomo_run.judging.judge import Judge
from locomo_run.judging.judged import Judged, JudgeRun
from locomo_run.ledger.store import Ledger
from locomo_run.outcome import Outcome, State
from locomo_run.reporting.results import Results
from locomo_run.run_directory import Facts
from locomo_run.scoring import score
from locomo_run.selection import Selection

T = TypeVar("T")


class AtDesk(Protocol):
    """Runs something at the desk of a run."""

    def __call__(
        self, work: Callable[[Desk], Awaitable[T]], *, name: str = "run"
    ) -> T: ...


@pytest.fixture(scope="session")
def dataset_path() -> Path:
    """Path of the real data set, for tests marked `locomo`."""
    value = os.environ.get("LOCOMO_DATASET")
    if not value:
        pytest.skip("set LOCOMO_DATASET to the path of locomo10.json")
    return Path(value)


# the program, called in a folder of its own


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty folder to work in, with a cache of its own and a bare environment."""
    for name in list(os.environ):
        if name.startswith("LOCOMO_RUN_"):
            monkeypatch.delenv(name)
    monkeypatch.setattr(
        "platformdirs.user_cache_path", lambda name: tmp_path / "cache" / name
    )
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.chdir(work)
    handler = signal.getsignal(signal.SIGTERM)
    yield work
    signal.signal(signal.SIGTERM, handler)


@pytest.fixture
def call(folder: Path) -> Callable[..., Result]:
    """Call the program in `folder`; an error that it does not explain is raised."""

    def invoke(
        *arguments: object,
        typed: str | None = None,
        **environment: str,
    ) -> Result:
        return CliRunner().invoke(
            root,
            [str(argument) for argument in arguments],
            input=typed,
            env=environment,
            prog_name="locomo-run",
            catch_exceptions=False,
        )

    return invoke


@pytest.fixture
def plug(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> Callable[[str], Path]:
    """Install a distribution that brings a memory named `plugged`.

    Takes the source of a module with a class `Plugged`; gives the folder to put on the
    path of other processes. Calls of this process that fail are repeated at once.
    """
    monkeypatch.setattr("locomo_run.calls.pace.FIRST_PAUSE", 0.0)

    def install(source: str) -> Path:
        site = tmp_path_factory.mktemp("site")
        (site / "plugged.py").write_text(dedent(source), encoding="utf-8")
        about = site / "plugged-1.dist-info"
        about.mkdir()
        (about / "METADATA").write_text(
            "Metadata-Version: 2.1\nName: plugged\nVersion: 1\n", encoding="utf-8"
        )
        (about / "entry_points.txt").write_text(
            "[locomo_run.memories]\nplugged = plugged:Plugged\n", encoding="utf-8"
        )
        monkeypatch.syspath_prepend(site)
        monkeypatch.delitem(sys.modules, "plugged", raising=False)
        return site

    return install


# a run over four questions, whose figures the tests know by hand

TINY = Conversation(
    sample_id="tiny",
    speaker_a="Ana",
    speaker_b="Ben",
    sessions=(
        Session(
            number=1,
            date_text="9:00 am on 3 May, 2024",
            date=datetime(2024, 5, 3, 9),  # noqa: DTZ001  # the data set has no zones
            turns=(
                Turn(id="D1:1", session=1, number=1, speaker="Ana", text="Lisbon!"),
                Turn(id="D1:2", session=1, number=2, speaker="Ben", text="Miso."),
            ),
        ),
    ),
    qa=(
        Question(
            id="tiny:0",
            sample_id="tiny",
            index=0,
            text="Where does Ana live?",
            category=Category.SINGLE_HOP,
            gold="Lisbon",
            evidence=(Ref(1, 1),),
        ),
        Question(
            id="tiny:1",
            sample_id="tiny",
            index=1,
            text="When did Ana move?",
            category=Category.TEMPORAL,
            gold="May 2024",
            evidence=(Ref(1, 1), Ref(1, 2)),
        ),
        Question(
            id="tiny:2",
            sample_id="tiny",
            index=2,
            text="Which names came up?",
            category=Category.MULTI_HOP,
            gold="Lisbon, Miso",
        ),
        Question(
            id="tiny:3",
            sample_id="tiny",
            index=3,
            text="Where does Ben live?",
            category=Category.ADVERSARIAL,
            gold=None,
            adversarial_answer="Lisbon",
            evidence=(Ref(1, 1),),
        ),
    ),
)


@pytest.fixture(scope="session")
def tiny() -> Conversation:
    """A conversation of two turns with four questions, one of them adversarial."""
    return TINY


PREDICTIONS = ("Lisbon", "in May 2024", "Miso", "unanswerable")
"""F1 1, 0.8 and (by the rule for lists) 0.5; the last is a right abstention."""


@pytest.fixture(scope="session")
def scored() -> Callable[..., Results]:
    """Give the results of a run over `tiny` that predicted what is passed.

    A prediction of None stands for a failed question. What was found is the first turn;
    searches took 10, 20, 30 and 40 ms, answers 100 ms each.
    """

    def results(
        predictions: Sequence[str | None] = PREDICTIONS,
        *,
        asked: Sequence[int] = (0, 1, 2, 3),
        missing: Sequence[int] = (),
        turns: bool = True,
        tokens: tuple[int, int] | None = None,
        selections: tuple[Selection, ...] = (Selection(),),
        dataset_name: str = "tiny.json",
        memory: str = "scripted",
        answerer: str = "scripted",
        search_limit: int | None = 10,
        wrong_golds: frozenset[str] | None = None,
    ) -> Results:
        identity: dict[str, Mapping[str, str | int | None]] = {
            "dataset": {"sha256": "ab" * 32},
            "memory": {"name": memory},
            "search": {"limit": search_limit},
            "context": {"chars": 12_000},
            "answerer": {"name": answerer},
        }
        return Results(
            facts=Facts(
                recipe="offline",
                identity=identity,
                source=dataset_name,
                selections=selections,
                headline="locomo",
                versions=({"locomo-run": "0"},),
            ),
            dataset=Dataset(conversations=(TINY,), sha256="ab" * 32, name=dataset_name),
            outcomes=tuple(
                Outcome(question=TINY.qa[index], state=State.MISSING)
                if index in missing
                else outcome(index, predictions[index], turns=turns, tokens=tokens)
                for index in asked
            ),
            times=("2026-01-02T03:04:05+00:00", "2026-01-02T03:05:00+00:00"),
            wrong_golds=wrong_golds,
        )

    return results


def outcome(
    index: int, said: str | None, *, turns: bool, tokens: tuple[int, int] | None
) -> Outcome:
    """What became of one of the four questions."""
    question = TINY.qa[index]
    if said is None:
        return Outcome(question=question, state=State.FAILED, reason="no reply")
    found = [turn for turn in question.evidence if turn == Ref(1, 1)]
    return Outcome(
        question=question,
        state=State.ANSWERED,
        prediction=said,
        scores=score(said, question),
        hits=("D1:1",) if turns else ("obs-1",),
        hits_read=1,
        context_chars=13,
        recall=len(found) / len(question.evidence)
        if turns and question.evidence
        else None,
        search_ms=10.0 * (index + 1),
        answer_ms=100.0,
        input_tokens=tokens[0] if tokens else None,
        output_tokens=tokens[1] if tokens else None,
    )


# a claude-mem worker, in this process or on a port of the loopback interface


@pytest.fixture
def at_desk(tmp_path: Path) -> AtDesk:
    """Run something at the desk of a run; gives what it gave.

    Every call opens the same run directory anew, as repeated commands do.
    """

    def run(work: Callable[[Desk], Awaitable[T]], *, name: str = "run") -> T:
        async def main() -> T:
            with Ledger.write(tmp_path / name) as ledger:
                async with open_desk(ledger, CallOptions(), lambda event: None) as desk:
                    return await work(desk)

        return asyncio.run(main())

    return run


@pytest.fixture
def serve() -> Iterator[Callable[[FakeWorker], str]]:
    """Let fake workers answer on the loopback interface; gives `host:port`."""
    with ExitStack() as servers:
        yield lambda worker: servers.enter_context(serving(worker))


@contextmanager
def serving(worker: FakeWorker) -> Iterator[str]:
    lock = threading.Lock()

    class Handler(BaseHTTPRequestHandler):
        def answer(self) -> None:
            length = int(self.headers.get("Content-Length", 0))
            request = httpx.Request(
                self.command,
                f"http://worker{self.path}",
                headers=dict(self.headers.items()),
                content=self.rfile.read(length),
            )
            with lock:
                response = worker(request)
            self.send_response(response.status_code)
            self.send_header("Content-Type", response.headers["content-type"])
            self.send_header("Content-Length", str(len(response.content)))
            self.end_headers()
            self.wfile.write(response.content)

        do_GET = do_POST = answer  # noqa: N815  # the base class wants these names

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            """Keep quiet."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield f"127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


# an endpoint of the Messages API


@pytest.fixture
def endpoint(
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[Callable[..., FakeMessagesAPI]]:
    """Start a fake endpoint, and point the environment at it; takes its arguments."""
    monkeypatch.delenv("ANTHROPIC_AUTH_TOKEN", raising=False)
    with ExitStack() as running:

        def start(*arguments: object, **options: object) -> FakeMessagesAPI:
            api = running.enter_context(FakeMessagesAPI(*arguments, **options))  # type: ignore[arg-type]  # passed on as they are
            monkeypatch.setenv("ANTHROPIC_BASE_URL", api.base_url)
            monkeypatch.setenv("ANTHROPIC_API_KEY", "key-of-the-tests")
            return api

        yield start


# runs over several conversations, judged, as values


@pytest.fixture(scope="session")
def judged_run() -> Callable[..., Results]:
    """Give the results of a run from rows of what was asked, said and found.

    A row is the conversation, the category, the gold, the prediction (None if that
    failed) and the scores of the judge's runs (None where one failed). Without scores
    there is no judge. Every conversation has one turn more than the one before.
    """

    def results(
        rows: Sequence[
            tuple[str, Category, str | None, str | None, Sequence[float | None]]
        ],
        *,
        protocol: JudgeProtocol = BINARY,
        model: str = "judge-a",
        headline: str = "standard",
        sha256: str = "ab" * 32,
        search_limit: int = 10,
    ) -> Results:
        names = list(dict.fromkeys(row[0] for row in rows))
        questions = [
            Question(
                id=f"{name}:{index}",
                sample_id=name,
                index=index,
                text=f"What of {index}?",
                category=category,
                gold=gold,
            )
            for index, (name, category, gold, _, _) in enumerate(rows)
        ]
        answered = tuple(
            Outcome(question=question, state=State.FAILED, reason="no reply")
            if said is None
            else Outcome(
                question=question,
                state=State.ANSWERED,
                prediction=said,
                scores=score(said, question),
                hits=("D1:1", "D1:2"),
                search_ms=2.0,
                answer_ms=10.0,
            )
            for question, (_, _, _, said, _) in zip(questions, rows, strict=True)
        )
        judge = Judge(
            protocol=protocol,
            settings=JudgeSettings(model=model),
            runs=max(len(row[4]) for row in rows),
        )
        asked = tuple(outcome for outcome in answered if not outcome.adversarial)
        runs = {
            question.id: tuple(
                JudgeRun("unparsed" if score is None else "ok", score)
                for score in row[4]
            )
            for question, row in zip(questions, rows, strict=True)
            if question.category is not Category.ADVERSARIAL
        }
        judged = Judged(judge=judge, runs=runs, extra={}, asked=asked)
        identity: dict[str, Mapping[str, str | int | None]] = {
            "dataset": {"sha256": sha256},
            "memory": {"name": "scripted"},
            "search": {"limit": search_limit},
            "context": {"chars": None},
            "answerer": {"name": "scripted"},
        }
        return Results(
            facts=Facts(
                recipe="offline",
                identity=identity,
                source="made.json",
                selections=(Selection(),),
                headline=headline,
                versions=({"locomo-run": "0"},),
                judges=(judge,) if judge.runs else (),
            ),
            dataset=Dataset(
                conversations=tuple(
                    replace(
                        TINY,
                        sample_id=name,
                        sessions=(
                            replace(
                                TINY.sessions[0],
                                turns=TINY.sessions[0].turns[:1] * (number + 1),
                            ),
                        ),
                        qa=tuple(q for q in questions if q.sample_id == name),
                    )
                    for number, name in enumerate(names)
                ),
                sha256=sha256,
                name="made.json",
            ),
            outcomes=answered,
            times=None,
            judged=(judged,) if judge.runs else (),
        )

    return results
