"""Start and stop a real worker, with a throw-away home, on loopback alone."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import httpx

from .installation import Chroma, Installation, python_version
from .loopback import free_port

READY_WITHIN = 60.0
STOPPED_WITHIN = 15.0
EMBEDDING_MODEL = ".cache/chroma/onnx_models/all-MiniLM-L6-v2/onnx"


@dataclass(frozen=True, slots=True, kw_only=True)
class Worker:
    """A worker that answers."""

    version: str
    port: int
    pid: int
    data_dir: Path
    http: httpx.Client
    """Open as long as the worker runs, with its address as base."""

    def log(self) -> str:
        """Return everything it has logged in this data directory."""
        files = [self.data_dir / "stdout.log", *self.data_dir.glob("logs/*.log")]
        return "\n".join(
            file.read_text(encoding="utf-8", errors="replace") for file in files
        )


@contextlib.contextmanager
def running(
    installation: Installation,
    home: Path,
    *,
    llm: str,
    settings: Mapping[str, str] | None = None,
    chroma: Chroma | None = None,
) -> Iterator[Worker]:
    """Run a worker that has `home` as its home directory, and stop it.

    Args:
        installation: What to run.
        home: A folder of its own; a second worker there finds the first one's data.
        llm: Base address of the model, up to `/v1`.
        settings: More settings for `settings.json`, by their full names.
        chroma: Search by vectors with it; None switches vectors off.

    Raises:
        RuntimeError: It did not get ready; the message holds the end of its log.
    """
    data_dir = home / ".claude-mem"
    data_dir.mkdir(parents=True, exist_ok=True)
    port = free_port()
    written = {**_settings(data_dir, port, llm, chroma), **(settings or {})}
    (data_dir / "settings.json").write_text(json.dumps(written), encoding="utf-8")
    if chroma:
        (home / EMBEDDING_MODEL).parent.mkdir(parents=True, exist_ok=True)
        with contextlib.suppress(FileExistsError):
            (home / EMBEDDING_MODEL).symlink_to(chroma.model)
    with (data_dir / "stdout.log").open("ab") as output:
        process = subprocess.Popen(
            # without --no-install bun downloads what it misses while it runs
            [installation.bun, "--no-install", installation.script, "--daemon"],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            cwd=home,
            env=_environment(home, data_dir, port, chroma),
            start_new_session=True,
        )
    address = f"http://127.0.0.1:{port}"
    try:
        with httpx.Client(base_url=address, trust_env=False, timeout=30.0) as http:
            worker = Worker(
                version=installation.version,
                port=port,
                pid=process.pid,
                data_dir=data_dir,
                http=http,
            )
            _wait_until_ready(worker, process)
            yield worker
    finally:
        _stop(process)


def _settings(
    data_dir: Path, port: int, llm: str, chroma: Chroma | None
) -> dict[str, str]:
    return {
        "CLAUDE_MEM_WORKER_HOST": "127.0.0.1",
        "CLAUDE_MEM_WORKER_PORT": str(port),
        "CLAUDE_MEM_DATA_DIR": str(data_dir),
        "CLAUDE_MEM_PROVIDER": "openrouter",
        "CLAUDE_MEM_OPENROUTER_API_KEY": "none",  # empty makes it ask Claude
        "CLAUDE_MEM_OPENROUTER_BASE_URL": llm,
        "CLAUDE_MEM_OPENROUTER_MODEL": "stub",
        "CLAUDE_MEM_TIER_ROUTING_ENABLED": "false",
        "CLAUDE_MEM_CHROMA_ENABLED": "true" if chroma else "false",
        "CLAUDE_MEM_PYTHON_VERSION": python_version(),
        "CLAUDE_MEM_TRANSCRIPTS_ENABLED": "false",
        "CLAUDE_MEM_TELEGRAM_ENABLED": "false",
        "CLAUDE_MEM_FOLDER_CLAUDEMD_ENABLED": "false",
        "CLAUDE_MEM_SKIP_TOOLS": "",
        "CLAUDE_MEM_MODE": "code",
    }


def _environment(
    home: Path, data_dir: Path, port: int, chroma: Chroma | None
) -> dict[str, str]:
    """Return all that the worker sees of this process's environment: nearly nothing."""
    programs = [Path(shutil.which("node") or "/usr/bin/node").parent]
    if chroma:
        programs += [chroma.uvx.parent, Path(sys.base_prefix) / "bin"]
    path = [*map(str, programs), "/usr/local/bin", "/usr/bin", "/bin"]
    return {
        **(chroma.environment if chroma else {}),
        "PATH": os.pathsep.join(path),
        "LANG": "C.UTF-8",
        "HOME": str(home),
        "TMPDIR": str(home),
        "CLAUDE_CONFIG_DIR": str(home / ".claude"),
        "CLAUDE_MEM_DATA_DIR": str(data_dir),
        "CLAUDE_MEM_WORKER_PORT": str(port),
        "CLAUDE_MEM_TELEMETRY": "0",
        "CLAUDE_MEM_TELEMETRY_ERRORS": "0",
        "DO_NOT_TRACK": "1",
        "ANONYMIZED_TELEMETRY": "False",  # Chroma's
    }


def _wait_until_ready(worker: Worker, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + READY_WITHIN
    while time.monotonic() < deadline and process.poll() is None:
        with contextlib.suppress(httpx.TransportError):
            if worker.http.get("/api/readiness").is_success:
                # a worker that finds its port taken leaves without a word
                if worker.http.get("/api/health").json()["pid"] == worker.pid:
                    return
                break
        time.sleep(0.1)
    msg = f"the worker did not get ready on {worker.http.base_url}:\n"
    raise RuntimeError(msg + worker.log()[-3000:])


def _stop(process: subprocess.Popen[bytes]) -> None:
    """Ask the worker to stop, then end what is left of its process group."""
    deadline = time.monotonic() + STOPPED_WITHIN
    if process.returncode is None:
        # not process.terminate(), which would reap one that is dead already
        os.kill(process.pid, signal.SIGTERM)
        while time.monotonic() < deadline and not _has_ended(process.pid):
            time.sleep(0.02)
        # until it is waited for, this number is nobody else's
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _has_ended(pid: int) -> bool:
    return os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
