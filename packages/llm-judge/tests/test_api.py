import subprocess
import sys

import llm_judge
import llm_judge.testing


def test_the_surface_is_sorted_and_complete() -> None:
    public = {
        name
        for name, value in vars(llm_judge).items()
        if not name.startswith("_") and not isinstance(value, type(sys))
    }

    assert public == set(llm_judge.__all__)
    assert len(public) == len(llm_judge.__all__)


def test_the_import_brings_no_model_client_and_no_http_client() -> None:
    program = "import llm_judge, llm_judge.testing, sys; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", program],
        check=True,
        capture_output=True,
        encoding="utf-8",
    )
    loaded = set(done.stdout.split())

    assert "llm_judge.testing" in loaded
    assert not loaded & {"anthropic", "httpx", "httpx2", "anyio", "urllib.request"}
