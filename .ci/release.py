"""Say whether a tag may be released: `release.py qa-f1-v0.2.0`."""

import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = ("packages/*", "apps/*")


def problem(tag: str, root: Path = ROOT) -> str | None:
    """Return what stands between a tag and its release; None if nothing does."""
    name, separator, version = tag.rpartition("-v")
    projects = {
        project["name"]: (project["version"], pyproject.parent)
        for folder in FOLDERS
        for pyproject in sorted(root.glob(f"{folder}/pyproject.toml"))
        for project in [tomllib.loads(pyproject.read_text("utf-8"))["project"]]
    }
    if not separator or name not in projects:
        return f"{tag}: no member; tags are <member>-v<version>, of {list(projects)}"
    declared, folder = projects[name]
    if version != declared:
        return f"{tag}: {folder.name}/pyproject.toml says version {declared}"
    newest = re.search(
        r"^## (\S+) \((.+)\)$",
        (folder / "CHANGELOG.md").read_text(encoding="utf-8"),
        re.MULTILINE,
    )
    wanted = f"## {version} (YYYY-MM-DD)"
    if newest is None or newest[1] != version:
        return f"{tag}: the newest entry of {folder.name}/CHANGELOG.md is not {wanted}"
    if not re.fullmatch(r"\d{4}-\d\d-\d\d", newest[2]):
        return f"{tag}: {folder.name}/CHANGELOG.md says {newest[2]}, not {wanted}"
    return None


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: release.py TAG")
    sys.exit(problem(sys.argv[1]))
