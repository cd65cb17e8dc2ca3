"""Run each member's tests against the lowest or the highest versions that it allows.

    uv run --no-project .ci/members.py lowest-direct|highest [FOLDER...]

Each member gets an environment of its own, outside the workspace and its lock file;
UV_PYTHON chooses the Python. The tests that build environments themselves or need a
worker, a browser or data from elsewhere are those of the root, and are not run here.
"""

import os
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = ("packages/*", "apps/*")

COMPILED = ("coverage", "numpy", "pydantic-core", "regex", "scipy")
"""Never built from source: the lowest version is the lowest that has a wheel."""


def main(resolution: str, *folders: str) -> int:
    """Run the tests of the members in some folders, all by default."""
    members = [ROOT / folder for folder in folders] or [
        path for pattern in FOLDERS for path in sorted(ROOT.glob(pattern))
    ]
    failed = [path.name for path in members if not passes(resolution, path)]
    _say(f"{resolution}: " + (f"failed: {', '.join(failed)}" if failed else "passed"))
    return 1 if failed else 0


def passes(resolution: str, member: Path) -> bool:
    """Tell whether a member passes its tests; print what they print."""
    command = [
        *("uv", "run", "--isolated", "--no-project", "--resolution", resolution),
        *(part for each in folders_of(member) for part in ("--with-editable", each)),
        *(part for each in tools() for part in ("--with", each)),
        *("python", "-m", "pytest", "-q", "-p", "no:cacheprovider", str(member)),
    ]
    _say(f"-- {member.name} with {resolution} versions")
    environment = {**os.environ, "UV_NO_BUILD_PACKAGE": " ".join(COMPILED)}
    done = subprocess.run(command, check=False, cwd=ROOT, env=environment)  # noqa: S603  # the command above
    return done.returncode == 0


def folders_of(member: Path) -> Iterator[str]:
    """Yield the folder of a member and those of the members that it builds on."""
    own = {name_of(path): path for path in ROOT.glob("packages/*")}
    project = pyproject(member)["project"]
    yield requirement(member)
    for needed in project["dependencies"]:
        name = needed.partition(">")[0].partition("[")[0]
        if name in own:
            yield requirement(own[name])


def requirement(member: Path) -> str:
    """Name a member's folder with all its extras."""
    extras = pyproject(member)["project"].get("optional-dependencies", {})
    return str(member) + (f"[{','.join(extras)}]" if extras else "")


def tools() -> list[str]:
    """Return what the tests themselves need."""
    groups: Mapping[str, list[str]] = pyproject(ROOT)["dependency-groups"]
    return [*groups["test"], *groups["oracle"]]


def _say(text: str) -> None:
    print(text, flush=True)  # noqa: T201  # between the lines of the tests


def name_of(member: Path) -> str:
    """Return the name of a member's distribution."""
    return str(pyproject(member)["project"]["name"])


def pyproject(folder: Path) -> dict[str, Any]:
    """Read the project file of a folder."""
    return tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))


if __name__ == "__main__":
    if sys.argv[1:2] not in (["lowest-direct"], ["highest"]):
        sys.exit("usage: members.py lowest-direct|highest [FOLDER...]")
    sys.exit(main(*sys.argv[1:]))
