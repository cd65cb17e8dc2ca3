"""What the documentation shows is what happens."""

import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import click
import pytest
from locomo_run.cli import root as program

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
EXAMPLES = DOCS / "examples"
GENERATED = DOCS / "commands.md"
READMES = (
    ROOT / "README.md",
    *ROOT.glob("apps/*/README.md"),
    *ROOT.glob("packages/*/README.md"),
)
PAGES = sorted(page for page in DOCS.rglob("*.md") if page != GENERATED)

SHOWN = re.compile(
    r"^```(?:\{\.)?(\w+)\}?\n(.*?)^```$(?:\n\n```text\n(.*?)^```$)?",
    re.MULTILINE | re.DOTALL,
)
FILE = re.compile(
    r"`(?:pytest |python )?((?:\.ci|apps|docs|packages|tests)/[\w./-]+)`"
    r"|locomo-bench/(?:blob|tree)/main/([\w./-]+)"
)
INCLUDE = re.compile(r'^--8<-- "examples/(.+)"$', re.MULTILINE)
ENTRY_POINTS = re.compile(r'\[project\.entry-points\."(.+)"\]\n(.+) = "(.+)"')

OFFLINE = (
    "index.md",
    "guides/add-a-memory.md",
    "guides/compare.md",
    "guides/import-published-results.md",
    "guides/libraries-alone.md",
    "guides/read-a-report.md",
    "guides/resume-and-repair.md",
    "guides/write-a-protocol.md",
)
"""Pages whose `sh` blocks need no key, no worker and no download."""

NEEDS_DATA = ("category_evidence.py", "wrong_golds.py")
NEEDS_RAY = ("shard_with_ray.py",)


def read(page: Path) -> str:
    return page.read_text(encoding="utf-8")


def named(page: Path) -> str:
    return page.relative_to(DOCS).as_posix()


def fences(page: Path) -> list[tuple[str, str, str]]:
    """Every fenced block: its language, its text, and the output right behind it."""
    return SHOWN.findall(read(page))


def included() -> list[tuple[str, str]]:
    """Every example on a page with the output that the page shows."""
    return [
        (match[1], output)
        for page in PAGES
        for _, text, output in fences(page)
        if (match := INCLUDE.fullmatch(text.strip())) is not None
    ]


def run_example(name: str, *arguments: Path) -> str:
    done = subprocess.run(
        [sys.executable, EXAMPLES / name, *arguments],
        capture_output=True,
        encoding="utf-8",
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize(
    ("name", "output"),
    [(n, o) for n, o in included() if n.endswith(".py") and n not in NEEDS_DATA],
)
def test_an_example_prints_what_its_page_shows(name: str, output: str) -> None:
    assert run_example(name).rstrip() == output.rstrip()


@pytest.mark.locomo
@pytest.mark.parametrize(
    ("name", "output"), [(n, o) for n, o in included() if n in NEEDS_DATA]
)
def test_an_example_over_the_data_set_prints_what_its_page_shows(
    dataset_path: Path, name: str, output: str
) -> None:
    errata = dataset_path.with_name("locomo-audit-errors.json")

    assert run_example(name, dataset_path, errata).rstrip() == output.rstrip()


def test_every_example_is_on_a_page() -> None:
    shown = {name for name, _ in included()}
    files = {path.name for path in EXAMPLES.iterdir() if path.is_file()}

    assert shown == files - set(NEEDS_RAY)


def install(page: Path, folder: Path) -> None:
    """Register what the page registers, as an installed distribution would."""
    points = [
        f"[{group}]\n{name} = {value}\n"
        for language, text, _ in fences(page)
        if language == "toml"
        for group, name, value in ENTRY_POINTS.findall(text)
    ]
    info = folder / "shown-0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: shown\nVersion: 0\n", encoding="utf-8"
    )
    (info / "entry_points.txt").write_text("".join(points), encoding="utf-8")


@pytest.mark.parametrize("name", OFFLINE)
def test_the_commands_of_a_page_do_what_it_shows(name: str, tmp_path: Path) -> None:
    """They run in their order, in one folder."""
    page = DOCS / name
    install(page, tmp_path / "installed")
    here = tmp_path / "here"
    here.mkdir()
    for file in EXAMPLES.glob("*.toml"):
        (here / file.name).write_text(read(file), encoding="utf-8")
    environment = {
        **os.environ,
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": f"{tmp_path / 'installed'}{os.pathsep}{EXAMPLES}",
    }
    blocks = [(text, out) for language, text, out in fences(page) if language == "sh"]
    for text, output in blocks:
        done = subprocess.run(
            ["sh", "-e", "-c", text],
            cwd=here,
            env=environment,
            capture_output=True,
            encoding="utf-8",
        )
        assert done.returncode == 0, f"{text}\n{done.stderr}"
        assert output in done.stdout
    assert blocks


def command_lines() -> list[tuple[str, str]]:
    """Every call of the program that a page or a README shows, with where it stands."""
    found = []
    for page in (*PAGES, *READMES):
        text = read(page).replace("\\\n", " ")
        lines = re.findall(r"(?<!`)`(locomo-run [^`\n]+)`(?!`)", text)
        for language, block, _ in SHOWN.findall(text):
            if language in ("sh", "console"):
                lines += re.findall(r"(?m)(?:^|[ $])(locomo-run .+)$", block)
        found += [(page.relative_to(ROOT).as_posix(), line) for line in lines]
    return found


def test_every_command_and_option_that_a_page_shows_exists() -> None:
    wrong = [
        f"{place}: {line}" for place, line in command_lines() if not understood(line)
    ]

    assert wrong == []


def understood(line: str) -> bool:
    words = re.sub(r"[|#>].*", "", line).split()[1:]
    command: click.Command = program
    context = click.Context(program)
    while words and isinstance(command, click.Group) and not words[0].startswith("-"):
        found = command.get_command(context, words.pop(0))
        if found is None:
            return False
        command = found
    known = {
        name
        for param in command.params
        for name in (*param.opts, *param.secondary_opts)
    }
    asked = {word.partition("=")[0] for word in words if word.startswith("--")}
    return asked - {"--help"} <= known


def test_every_file_that_a_page_names_exists() -> None:
    named_files = {
        (page.relative_to(ROOT).as_posix(), inline or linked)
        for page in (*PAGES, *READMES)
        for inline, linked in FILE.findall(read(page))
    }

    assert len(named_files) > 20
    assert [(p, file) for p, file in named_files if not (ROOT / file).exists()] == []


def generator(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, DOCS / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    return script


def test_the_command_reference_is_what_the_program_says() -> None:
    script = generator("generate_commands")

    assert read(GENERATED) == script.command_reference(), (
        "write it anew: uv run python docs/generate_commands.py"
    )


def test_the_published_schema_of_the_results_is_that_of_the_program() -> None:
    script = generator("generate_results_schema")

    assert (read(script.PAGE), read(script.SCHEMA)) == (
        script.page(),
        script.schema_text(),
    ), "write it anew: uv run python docs/generate_results_schema.py"


@pytest.mark.locomo
@pytest.mark.parametrize("command", ["stats", "validate"])
def test_the_page_on_the_benchmark_shows_what_the_data_set_holds(
    dataset_path: Path, command: str
) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "locomo_run", "dataset", command, dataset_path],
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    general = [line for line in done.stdout.splitlines() if "$[" not in line]
    if command == "stats":
        general = general[1:]  # the first line names the file

    assert "\n".join(general) in read(DOCS / "methodology" / "benchmark.md")


def test_both_readmes_have_the_same_commands_tables_and_headings() -> None:
    english, chinese = read(ROOT / "README.md"), read(ROOT / "README.zh-CN.md")

    assert SHOWN.findall(chinese) == SHOWN.findall(english)
    assert outline(chinese) == outline(english)


def outline(text: str) -> list[str]:
    """The beginnings of headings, list items and table rows, and every link."""
    found = re.findall(r"^#+ |^- |^\| |\]\(.+?\)", text, re.MULTILINE)
    return [each for each in found if not each.startswith("](README")]
