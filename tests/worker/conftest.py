"""Workers to test against, and what they logged when a test fails."""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Generator, Iterator
from pathlib import Path

import pytest

from .installation import (
    NEWEST,
    OLDER,
    Chroma,
    Installation,
    install_chroma,
    install_worker,
)
from .real_worker import Worker, running
from .stub_llm import StubLlm, serving

LOG_SHOWN = 4000


class RunWorker:
    """Runs workers of a test's own, one after another or side by side."""

    def __init__(self, llm: str, home: Path) -> None:
        self.home = home
        self.started: list[Worker] = []
        self._llm = llm

    @contextlib.contextmanager
    def __call__(
        self, version: str, *, chroma: Chroma | None = None, **settings: str
    ) -> Iterator[Worker]:
        """Run a worker; the next one of the same test finds this one's data.

        Args:
            version: Which one.
            chroma: Search by vectors with it.
            settings: More settings, by their names without `CLAUDE_MEM_`.
        """
        with running(
            install_worker(version),
            self.home,
            llm=self._llm,
            settings={f"CLAUDE_MEM_{name}": text for name, text in settings.items()},
            chroma=chroma,
        ) as worker:
            self.started.append(worker)
            yield worker


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark all tests of this folder."""
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            item.add_marker("worker")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Show the end of the workers' logs with a failure."""
    report = yield
    if report.failed:
        values = getattr(item, "funcargs", {}).values()
        for value in values:
            for worker in _workers(value):
                name = f"log of worker {worker.version}"
                report.sections.append((name, worker.log()[-LOG_SHOWN:]))
    return report


def _workers(value: object) -> list[Worker]:
    match value:
        case Worker():
            return [value]
        case RunWorker():
            return value.started
        case _:
            return []


@pytest.fixture(scope="session")
def model() -> Iterator[StubLlm]:
    """The model behind all workers."""
    with serving() as stub:
        yield stub


@pytest.fixture
def stub(model: StubLlm) -> Iterator[StubLlm]:
    """The model, well-behaved and without a past."""
    model.forget()
    yield model
    model.behave()
    assert model.fault is None, "the stub itself failed"


@pytest.fixture(scope="session", autouse=True)
def npm() -> None:
    """Skip where the worker cannot be installed."""
    if not shutil.which("npm") or not shutil.which("node"):
        pytest.skip("node and npm are not here: install both (Debian: nodejs, npm)")


@pytest.fixture(scope="session", params=[NEWEST, OLDER])
def installation(request: pytest.FixtureRequest) -> Installation:
    """Each version in turn."""
    return install_worker(request.param)


@pytest.fixture(scope="session")
def worker(
    installation: Installation,
    model: StubLlm,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Worker]:
    """A worker of each version in turn, shared: a project of one's own, please."""
    home = tmp_path_factory.mktemp(f"worker-{installation.version}")
    with running(installation, home, llm=model.url) as started:
        yield started


@pytest.fixture
def run_worker(stub: StubLlm, tmp_path: Path) -> RunWorker:
    """Workers of the test's own, for what would harm a shared one."""
    return RunWorker(stub.url, tmp_path / "home")


@pytest.fixture(scope="session")
def chroma(uv: str) -> Chroma:
    """What vector search takes."""
    return install_chroma(uv)
