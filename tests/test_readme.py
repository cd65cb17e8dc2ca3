"""What the README tells a newcomer to type."""

import re
from pathlib import Path

COMMANDS = re.compile(r"^```sh\n(.+?)^```", re.MULTILINE | re.DOTALL)


def test_ci_runs_the_two_commands_as_they_are_printed(root: Path) -> None:
    readme = (root / "README.md").read_text(encoding="utf-8")
    script = (root / ".ci" / "run").read_text(encoding="utf-8")
    main_job, tests, *_ = (text.strip() for text in COMMANDS.findall(readme))

    assert main_job.endswith("locomo-run run")
    assert tests.endswith("pytest")
    assert f"main_job() {{ {main_job}; }}" in script
    assert tests in script


def test_every_command_of_the_readme_exists(root: Path) -> None:
    from locomo_run.cli import COMMANDS as KNOWN

    readme = (root / "README.md").read_text(encoding="utf-8")
    named = set(re.findall(r"locomo-run ([a-z]+)", readme))

    assert named <= set(KNOWN)
