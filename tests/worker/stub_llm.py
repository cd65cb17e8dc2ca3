"""A language model for the worker's compression calls, which fails on demand.

The worker's provider `openrouter` posts chat completions: one call opens a session,
one follows per observation, and the answer to the latter must be `<observation>`
blocks. The stub turns every few lines of dialogue into one block, word for word, so
that what was said can be found again.
"""

from __future__ import annotations

import contextlib
import json
import re
import sys
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from xml.sax.saxutils import escape

from .loopback import free_port

LINES_PER_OBSERVATION = 3
SPOKEN = re.compile(r"^(\w[\w .'-]{0,40}): (.+)$", re.MULTILINE)
OUTCOME = re.compile(r"^ *<outcome>(.*)</outcome>$", re.MULTILINE)
OFFERED_TYPES = re.compile(r"<type>\[ *([^\]]+?) *\]</type>")


class Kind(StrEnum):
    """What the worker wants from a call."""

    OPENING = "opening"
    OBSERVATION = "observation"


class Behaviour(StrEnum):
    """How the stub answers."""

    OK = "ok"
    EMPTY = "empty"
    PROSE = "prose"
    GARBAGE = "garbage"
    UNAUTHORIZED = "401"
    TOO_MANY_REQUESTS = "429"
    SERVER_ERROR = "500"


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One request of the worker."""

    kind: Kind
    behaviour: Behaviour
    """How it was answered."""
    model: str
    prompts: tuple[str, ...]
    """Every message of the request, oldest first."""
    transcripts: tuple[str, ...]
    """What was posted as a tool's response: more than one where the model left an
    earlier one without a word."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Plan:
    behaviour: Behaviour = Behaviour.OK
    on: frozenset[Kind] = frozenset({Kind.OBSERVATION})
    times: int | None = None
    delay: float = 0.0
    silent_about: str | None = None


class StubLlm:
    """The model: switched and read by the test, called by the worker."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.url = f"http://127.0.0.1:{port}/v1"
        self._lock = threading.Lock()
        self._plan = _Plan()
        self._calls: list[Call] = []
        self._impatient = threading.Event()
        self.fault: BaseException | None = None
        """What went wrong in the stub itself."""

    def behave(
        self,
        behaviour: Behaviour = Behaviour.OK,
        *,
        on: Sequence[Kind] = (Kind.OBSERVATION,),
        times: int | None = None,
        delay: float = 0.0,
        silent_about: str | None = None,
    ) -> None:
        """Switch over, from the next call on.

        Args:
            behaviour: How calls of the kinds in `on` are answered.
            on: The kinds of calls it is about; the others are answered well.
            times: After so many of them all is well again; None for never.
            delay: Seconds before they are answered.
            silent_about: Transcripts that hold this text get an empty answer.
        """
        with self._lock:
            self._plan = _Plan(
                behaviour=behaviour,
                on=frozenset(on),
                times=times,
                delay=delay,
                silent_about=silent_about,
            )

    def forget(self) -> None:
        """Drop the calls recorded so far and behave well."""
        self.behave()
        with self._lock:
            self._calls.clear()
            self.fault = None

    def calls(self, kind: Kind | None = None) -> tuple[Call, ...]:
        """Return the calls so far, oldest first."""
        with self._lock:
            return tuple(c for c in self._calls if kind is None or c.kind is kind)

    def release(self) -> None:
        """Let no call wait any longer, now or later."""
        self._impatient.set()

    def answer(self, request: dict[str, Any]) -> tuple[int, str]:
        """Return the status and the body for one request."""
        prompts = tuple(str(message["content"]) for message in request["messages"])
        kind = Kind.OBSERVATION if "<what_happened>" in prompts[-1] else Kind.OPENING
        transcripts = tuple(map(_unwrapped, OUTCOME.findall(prompts[-1])))
        with self._lock:
            behaviour, delay = self._next(kind, transcripts)
            call = Call(
                kind=kind,
                behaviour=behaviour,
                model=request["model"],
                prompts=prompts,
                transcripts=transcripts,
            )
            self._calls.append(call)
        self._impatient.wait(delay)
        return _reply(call)

    def _next(
        self, kind: Kind, transcripts: tuple[str, ...]
    ) -> tuple[Behaviour, float]:
        plan = self._plan
        if kind not in plan.on or plan.times == 0:
            return Behaviour.OK, 0.0
        if plan.times is not None:
            self._plan = replace(plan, times=plan.times - 1)
        if plan.silent_about and any(plan.silent_about in t for t in transcripts):
            return Behaviour.EMPTY, plan.delay
        return plan.behaviour, plan.delay


@contextlib.contextmanager
def serving() -> Iterator[StubLlm]:
    """Serve a stub on a free port of the loopback interface."""
    stub = StubLlm(free_port())

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            length = int(self.headers["Content-Length"])
            status, body = stub.answer(json.loads(self.rfile.read(length)))
            data = body.encode()
            with contextlib.suppress(ConnectionError):  # the worker may have given up
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            """Keep quiet: `calls` tells more."""

    class Server(ThreadingHTTPServer):
        def handle_error(self, request: object, client_address: object) -> None:
            stub.fault = sys.exception()

    with Server(("127.0.0.1", stub.port), Handler) as server:
        server.daemon_threads = False
        thread = threading.Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        try:
            yield stub
        finally:
            stub.release()
            server.shutdown()
            thread.join()


def _reply(call: Call) -> tuple[int, str]:
    match call.behaviour:
        case Behaviour.OK if call.kind is Kind.OPENING:
            return 200, _completion("Ready.")
        case Behaviour.OK:
            return 200, _completion(_observations(call))
        case Behaviour.EMPTY:
            return 200, _completion("")
        case Behaviour.PROSE:
            return 200, _completion("Nothing here seems worth keeping.")
        case Behaviour.GARBAGE:
            return 200, "<html>a gateway's page</html>"
        case _:
            error = {
                "code": int(call.behaviour),
                "message": "the stub was told to fail",
            }
            return int(call.behaviour), json.dumps({"error": error})


def _completion(content: str) -> str:
    message = {"role": "assistant", "content": content}
    return json.dumps(
        {
            "id": "stub",
            "object": "chat.completion",
            "created": 0,
            "model": "stub",
            "choices": [{"index": 0, "finish_reason": "stop", "message": message}],
            "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
        }
    )


def _unwrapped(text: str) -> str:
    """Undo the nested JSON in which the worker passes a tool's response on."""
    try:
        while isinstance(inner := json.loads(text), str):
            text = inner
    except ValueError:  # it is a text of its own now
        pass
    return text


def _observations(call: Call) -> str:
    offered = OFFERED_TYPES.search("\n".join(call.prompts))
    types = (
        [each.strip() for each in offered[1].split("|")] if offered else ["discovery"]
    )
    spoken = [SPOKEN.findall(each) for each in call.transcripts]
    blocks = [
        lines[start : start + LINES_PER_OBSERVATION]
        for lines in spoken
        for start in range(0, len(lines), LINES_PER_OBSERVATION)
    ]
    return "\n".join(
        _observation(types[number % len(types)], block)
        for number, block in enumerate(blocks)
    )


def _observation(kind: str, spoken: list[tuple[str, str]]) -> str:
    said = [f"{speaker} said: {text}" for speaker, text in spoken]
    facts = "".join(f"<fact>{escape(each)}</fact>" for each in said)
    return (
        "<observation>"
        f"<type>{escape(kind)}</type>"
        f"<title>{escape(said[0][:80])}</title>"
        f"<facts>{facts}</facts>"
        f"<narrative>{escape(' '.join(said))}</narrative>"
        "<concepts></concepts>"
        "</observation>"
    )
