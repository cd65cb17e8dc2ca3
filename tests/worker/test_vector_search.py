"""Search by vectors: Chroma over uvx, with the embedding model it would download."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from functools import partial

import pytest

from .calls import import_lines, post, rows, search, wait_for, wait_until_idle
from .installation import NEWEST, Chroma, install_worker
from .real_worker import Worker, running
from .stub_llm import StubLlm

EMBEDDED_WITHIN = 120.0
LINES = (
    "Ines: My sister opened a bakery in Porto last Friday.",
    "Tomas: I adopted a greyhound called Pixel from the shelter.",
    "Ines: The dentist says that I grind my teeth at night.",
    "Tomas: Next month I run twenty-six miles through Lisbon.",
    "Ines: We painted the nursery yellow.",
    "Tomas: My guitar teacher moved to Canada.",
)
QUESTION, ANSWER = "Which pet did Tomas get?", "greyhound"


@pytest.fixture(scope="module")
def vectors(
    model: StubLlm, chroma: Chroma, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Worker]:
    """The newest worker, once it searches by vectors."""
    home = tmp_path_factory.mktemp("vectors")
    installation = install_worker(NEWEST)
    with running(installation, home, llm=model.url, chroma=chroma) as worker:
        wait_for(partial(connected, worker), within=60.0)
        yield worker


def connected(worker: Worker) -> bool:
    return bool(worker.http.get("/api/chroma/status").json()["connected"])


def finds(
    worker: Worker, project: str, question: str, answer: str, since: str = ""
) -> bool:
    hits = search(worker, project, question, since)
    return bool(hits) and answer in hits[0]["narrative"]


def test_a_question_in_other_words_finds_its_row_once_it_is_embedded(
    vectors: Worker, stub: StubLlm
) -> None:
    for number, line in enumerate(LINES):
        post(vectors, "posted", f"posted-s{number}", f"[Session]\n\n{line}\n")
    wait_until_idle(vectors)
    assert len(rows(vectors, "posted")) == len(LINES)

    for question, answer in (
        (QUESTION, ANSWER),
        ("What long race will he take part in?", "Lisbon"),
        ("Does anybody play a musical instrument?", "guitar"),
    ):
        wait_for(partial(finds, vectors, "posted", question, answer), EMBEDDED_WITHIN)


def test_imported_rows_are_found_if_they_are_dated_within_ninety_days(
    vectors: Worker, stub: StubLlm
) -> None:
    import_lines(vectors, "recent", LINES, datetime.now(UTC) - timedelta(days=80))

    wait_for(partial(finds, vectors, "recent", QUESTION, ANSWER), EMBEDDED_WITHIN)


def test_older_rows_are_found_with_a_date_range_alone(
    vectors: Worker, stub: StubLlm
) -> None:
    import_lines(vectors, "old", LINES, datetime(2024, 3, 4, tzinfo=UTC))

    found = partial(finds, vectors, "old", QUESTION, ANSWER, "2024-01-01")
    wait_for(found, EMBEDDED_WITHIN)
    assert search(vectors, "old", QUESTION) == []
