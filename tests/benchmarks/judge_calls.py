"""What calls to a judge cost in time, by the clock and by the processor.

    python tests/benchmarks/judge_calls.py [a] [b] [c] [d]

A fake endpoint in a process of its own answers on loopback; the calls go through
everything that a run's calls go through, the ledger included.

a   2,000 calls of 1 s each, 64 in flight: at most 1.15 times the ideal time;
    then 15,400 calls without latency: as fast as the client's processor allows
b   3 in flight and a long-tailed latency: the sliding window against batches of three
    that wait for their slowest
c   30 % of all attempts fail, in every way from which a run recovers: it ends
    with the scores of the run without failures, and tells what it wasted
d   processor time of the client for one call
"""

import asyncio
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from llm_judge import GRADED, JudgeSettings
from llm_judge.testing import FakeMessagesAPI, Fault, FaultPlan, Latency
from locomo_dataset import Category, Question
from locomo_run.calls import pace
from locomo_run.calls.desk import open_desk
from locomo_run.config import CallOptions
from locomo_run.judging.judge import Judge, score_of
from locomo_run.judging.stage import judge_answers
from locomo_run.ledger.entry import Stage
from locomo_run.ledger.store import Ledger
from locomo_run.money.prices import load_prices
from locomo_run.money.spend import spend, total
from locomo_run.outcome import Outcome, State

FAILING = {
    Fault.RATE_LIMITED: 0.04,
    Fault.RATE_LIMITED_BARE: 0.02,
    Fault.OVERLOADED: 0.03,
    Fault.SERVER_ERROR: 0.05,
    Fault.DROPPED: 0.05,
    Fault.CUT_SHORT: 0.03,
    Fault.HANG: 0.01,
    Fault.TRUNCATED: 0.03,
    Fault.HTML: 0.04,
    Fault.WRONG_JSON: 0.03,
}
"""One of three calls; with at most two for each, three of ten attempts.

Left out are those that end a run or an entry by design: a wrong key, an unknown model,
no credit, a request that is not taken, a refusal."""

WIDE = CallOptions(in_flight=64)

PLANS = {
    "instant": (FaultPlan(), Latency()),
    "second": (FaultPlan(), Latency(median=1.0)),
    "tail": (FaultPlan(), Latency(median=0.1, spread=1.0)),
    "failing": (FaultPlan(rates=FAILING, per_body=2, seed=1), Latency()),
}


def answers(count: int) -> list[Outcome]:
    """Answers of about the length of the data set's, all different."""
    return [
        Outcome(
            question=Question(
                id=f"bench:{number}",
                sample_id="bench",
                index=number,
                text=f"What did Ana say about visit number {number} to the museum?",
                category=Category.SINGLE_HOP,
                gold=f"that the room with ship {number} was closed",
            ),
            state=State.ANSWERED,
            prediction=f"the room with ship {number % 7} was shut",
        )
        for number in range(count)
    ]


def judging(runs: int) -> Judge:
    return Judge(protocol=GRADED, settings=JudgeSettings(), runs=runs)


def bought(
    directory: Path,
    parts: Sequence[Sequence[Outcome]],
    judge: Judge,
    calls: CallOptions,
) -> tuple[float, float]:
    """Buy verdicts on one part after the other; seconds by clock and by processor."""

    async def main() -> tuple[float, float]:
        with Ledger.write(directory) as ledger:
            async with open_desk(ledger, calls, lambda event: None) as desk:
                warm = Judge(
                    protocol=GRADED, settings=JudgeSettings(max_tokens=99), runs=1
                )
                await judge_answers(warm, parts[0][:1], desk)
                clock, processor = time.perf_counter(), time.process_time()
                for part in parts:
                    await judge_answers(judge, part, desk)
                return (
                    time.perf_counter() - clock,
                    time.process_time() - processor,
                )

    return asyncio.run(main())


def scores(directory: Path, judge: Judge) -> dict[tuple[str, int], float | None]:
    with Ledger.read(directory) as ledger:
        return {
            (entry.request.item, entry.request.run): score_of(entry)
            for entry in ledger.entries(Stage.JUDGE)
            if entry.request.content["judge"] == judge.signature
        }


def memory() -> float:
    """The most memory that this process ever had, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def a_and_d(folder: Path) -> None:
    ideal = 2000 / 64
    with serving("second"):
        seconds, _ = bought(folder / "a1", [answers(200)], judging(10), WIDE)
    print(
        f"a  2,000 calls of 1 s, 64 in flight: {seconds:.1f} s, "
        f"{seconds / ideal:.3f} times the ideal {ideal:.2f} s; {memory():.0f} MB"
    )
    with serving("instant"):
        seconds, processor = bought(folder / "a2", [answers(1540)], judging(10), WIDE)
    print(
        f"a  15,400 calls without latency: {seconds:.1f} s, "
        f"{15_400 / seconds:,.0f} calls a second; {memory():.0f} MB"
    )
    print(f"d  processor time of the client: {1000 * processor / 15_400:.2f} ms a call")


def b(folder: Path) -> None:
    asked, judge = answers(300), judging(1)
    threes = [asked[at : at + 3] for at in range(0, len(asked), 3)]
    with serving("tail"):
        sliding, _ = bought(folder / "b1", [asked], judge, CallOptions())
    with serving("tail"):
        waiting, _ = bought(folder / "b2", threes, judge, CallOptions())
    print(
        f"b  300 calls, 3 in flight: sliding {sliding:.1f} s, batches of three "
        f"{waiting:.1f} s, {waiting / sliding:.2f} times as long"
    )


def c(folder: Path) -> None:
    asked, judge = answers(1540), judging(1)
    pace.FIRST_PAUSE = 0.02  # the pauses are not what is measured
    with serving("instant"):
        bought(folder / "c1", [asked], judge, CallOptions(in_flight=16))
    with serving("failing"):
        seconds, _ = bought(
            folder / "c2", [asked], judge, CallOptions(in_flight=16, call_timeout=1.0)
        )
    same = scores(folder / "c1", judge) == scores(folder / "c2", judge)
    with Ledger.read(folder / "c2") as ledger:
        made = sum(entry.attempts for entry in ledger.entries(Stage.JUDGE))
        spent = total(spend(ledger.bills(), load_prices()))
        print(
            f"c  1,540 verdicts took {made:,} attempts, {1 - 1541 / made:.1%} failed, "
            f"{seconds:.1f} s; scores {'equal' if same else 'DIFFER'}; spent "
            f"${spent.dollars:.2f}, of which ${spent.wasted_dollars:.4f} wasted in "
            f"{spent.wasted:,} calls, and up to ${ledger.lost():.2f} lost"
        )


@contextmanager
def serving(plan: str) -> Iterator[None]:
    """Run the endpoint in a process of its own, and point the environment at it."""
    with subprocess.Popen(
        [sys.executable, __file__, "--serve", plan],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as server:
        assert server.stdout is not None
        assert server.stdin is not None
        os.environ["ANTHROPIC_BASE_URL"] = server.stdout.readline().strip()
        os.environ["ANTHROPIC_API_KEY"] = "key-of-the-benchmark"
        try:
            yield
        finally:
            server.stdin.close()


def serve(plan: str) -> None:
    """Answer until standard input ends."""
    faults, latency = PLANS[plan]
    with FakeMessagesAPI(faults=faults, latency=latency) as api:
        print(api.base_url, flush=True)
        sys.stdin.read()


def main(wanted: Sequence[str]) -> None:
    if wanted[:1] == ["--serve"]:
        serve(wanted[1])
        return
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if not wanted or {"a", "d"} & {*wanted}:
            a_and_d(folder)
        if not wanted or "b" in wanted:
            b(folder)
        if not wanted or "c" in wanted:
            c(folder)


if __name__ == "__main__":
    main(sys.argv[1:])
