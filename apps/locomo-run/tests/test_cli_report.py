import json
import shutil
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from locomo_run.ledger.store import Ledger

Call = Callable[..., Result]
Plug = Callable[[str], Path]


@pytest.fixture(scope="session")
def mini() -> bytes:
    """The content of the small data set."""
    return (files("locomo_dataset") / "data/mini.json").read_bytes()


@pytest.fixture
def run(call: Call) -> str:
    """The folder of a finished run over a few questions of every category."""
    result = call("run", "--per-category", "2", "--out", "here", "--quiet")
    assert result.exit_code == 0, result.output
    return "here"


@pytest.fixture
def moved(call: Call, folder: Path, mini: bytes) -> str:
    """The folder of a run whose data set has moved from a.json to b.json."""
    (folder / "a.json").write_bytes(mini)
    call("run", "--dataset", "a.json", "--limit", "3", "--out", "there", "--quiet")
    (folder / "a.json").rename(folder / "b.json")
    return "there"


FAILING = """
    from locomo_run.memory.nothing import NoMemory

    class Plugged(NoMemory):
        def search(self, query, limit):
            if query.question_id == "mini-1:1":
                raise OSError("no reply")
            return ()
"""


@pytest.fixture
def broken(call: Call, plug: Plug) -> str:
    """The folder of a run one of whose four questions failed."""
    plug(FAILING)
    call("run", "--memory", "plugged", "--limit", "4", "--out", "broken", "--quiet")
    return "broken"


# report


def test_the_report_is_made_from_the_ledger_alone(
    call: Call, folder: Path, run: str
) -> None:
    written = (folder / run / "report.md").read_text(encoding="utf-8")
    (folder / run / "report.md").unlink()
    (folder / run / "results.json").unlink()

    result = call("report", run)

    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout == written
    assert not (folder / run / "report.md").exists()


def test_the_report_as_json_is_what_the_run_wrote(
    call: Call, folder: Path, run: str
) -> None:
    assert call("report", run, "--json").stdout == (
        folder / run / "results.json"
    ).read_text(encoding="utf-8")


def test_the_report_can_be_written_again(call: Call, folder: Path, run: str) -> None:
    before = {
        name: (folder / run / name).read_bytes()
        for name in ("report.md", "results.json")
    }
    for name in before:
        (folder / run / name).unlink()

    result = call("report", run, "--write")

    assert result.exit_code == 0
    assert result.stdout == "here/report.md\nhere/results.json\n"
    assert before == {name: (folder / run / name).read_bytes() for name in before}


def test_without_texts_no_file_holds_any(call: Call, folder: Path, run: str) -> None:
    rows = json.loads(call("report", run, "--json").stdout)["questions"]
    files = {name: f"bare.{name}" for name in ("csv", "jsonl", "html")}
    named = [word for name, path in files.items() for word in (f"--{name}", path)]

    result = call(
        "report", run, "--no-text", "--write", "--findings", "--methodology", *named
    )
    printed = [
        call("report", run, "--no-text", *more).stdout for more in ((), ("--json",))
    ]

    assert result.exit_code == 0, result.output
    paths = [*map(folder.joinpath, files.values()), *(folder / run).glob("*.[mj]*")]
    assert len(paths) == 7
    whole = "".join([*printed, *(path.read_text(encoding="utf-8") for path in paths)])
    for row in rows:
        assert row["question"] not in whole
        assert len(row["prediction"]) < 20 or row["prediction"] not in whole
    bare = json.loads(printed[1])["questions"]
    assert {q[name] for q in bare for name in ("question", "gold", "prediction")} == {
        None
    }


def test_the_names_that_a_source_prints_are_shown_on_request(
    call: Call, run: str
) -> None:
    plain, as_printed = call("report", run), call("report", run, "--as-printed")

    assert len(as_printed.stdout) > len(plain.stdout)
    assert "### Token F1 beside published results" in as_printed.stdout


def audit(folder: Path, mini: bytes) -> str:
    """An audit that finds the gold of the first question wrong; its path."""
    question = json.loads(mini)[0]["qa"][0]
    erratum = {
        "question_id": "locomo_0_qa0",
        "error_type": "HALLUCINATION",
        "question": question["question"],
        "golden_answer": question["answer"],
        "category": question["category"],
    }
    (folder / "audit.json").write_text(json.dumps([erratum]), encoding="utf-8")
    return "audit.json"


def test_an_audit_adds_a_second_line_of_scores(
    call: Call, folder: Path, mini: bytes
) -> None:
    call("run", "--limit", "3", "--out", "here", "--quiet")
    errata = audit(folder, mini)

    without = json.loads(call("report", "here", "--json").stdout)
    found = json.loads(call("report", "here", "--json", "--errata", errata).stdout)
    text = call("report", "here", "--errata", errata).stdout

    assert without["overall_f1_without_wrong_golds"] == {}
    assert found["overall_f1"]["locomo"]["count"] == 3
    assert found["overall_f1_without_wrong_golds"]["locomo"]["count"] == 2
    assert "### With and without the known wrong golds" in text


# validate


def checks(text: str) -> dict[str, str]:
    lines = (line.partition(":")[0].split("  ") for line in text.splitlines())
    return {name: verdict for verdict, name in lines}


def test_a_whole_run_passes_every_check(call: Call) -> None:
    call("run", "--out", "here", "--quiet")

    result = call("validate", "here")

    assert (result.exit_code, result.stderr) == (0, "")
    assert checks(result.stdout) == {
        "questions": "PASS",
        "categories": "PASS",
        "F1": "PASS",
        "J": "PASS",
        "empty predictions": "PASS",
        "latency": "PASS",
    }


def test_a_subset_is_valid_with_a_warning(call: Call, run: str) -> None:
    result = call("validate", run)

    assert result.exit_code == 0
    assert (
        "WARN  categories: present: [1, 2, 3, 4, 5]; a subset, not comparable with "
        "published rows\n"
    ) in result.stdout


def test_a_failed_question_makes_a_run_invalid(call: Call, broken: str) -> None:
    result = call("validate", broken)

    assert result.exit_code == 3
    assert result.stdout.startswith(
        "FAIL  questions: 3 answered of 4 selected: mini-1:1\n"
    )
    assert result.stderr == "Error: broken is not valid: questions\n"


def test_the_checks_can_be_read_by_a_program(call: Call, broken: str) -> None:
    result = call("validate", broken, "--json")

    found = json.loads(result.stdout)
    assert result.exit_code == 3
    assert [each["verdict"] for each in found] == [
        *("FAIL", "WARN", "PASS", "PASS", "PASS", "PASS")
    ]
    assert found[0] == {
        "name": "questions",
        "verdict": "FAIL",
        "found": "3 answered of 4 selected: mini-1:1",
    }


# status


def status(call: Call, *arguments: str) -> dict[str, Any]:
    result = call("status", *arguments, "--json")
    assert (result.exit_code, result.stderr) == (0, "")
    found: dict[str, Any] = json.loads(result.stdout)
    return found


def test_the_status_of_a_finished_run(call: Call, run: str) -> None:
    found = status(call, run)

    assert 0 <= found.pop("f1_locomo") <= 1
    assert found.pop("last_entry").endswith("+00:00")
    assert found == {
        "run": "here",
        "recipe": "offline",
        "written_by": None,
        "conversations_ingested": 2,
        "sessions_ingested": 10,
        "questions": 10,
        "answered": 10,
        "failed": 0,
        "missing": 0,
        "complete": True,
        "f1_count": 8,
        "judges": [],
        "model_calls": 0,
        "spent_usd": 0.0,
    }


def test_the_status_as_text_has_a_line_for_each(call: Call, run: str) -> None:
    lines = call("status", run).stdout.splitlines()

    assert lines[:6] == [
        "run: here",
        "recipe: offline",
        "written_by: n/a",
        "conversations_ingested: 2",
        "sessions_ingested: 10",
        "questions: 10",
    ]
    known = list(status(call, run))
    known.remove("judges")  # a line for each, and nobody judged
    assert [line.partition(": ")[0] for line in lines] == known


def test_a_failed_question_keeps_a_run_from_being_complete(
    call: Call, broken: str
) -> None:
    found = status(call, broken)

    assert (found["answered"], found["failed"], found["complete"]) == (3, 1, False)


def test_the_status_names_the_process_that_writes(
    call: Call, folder: Path, run: str
) -> None:
    with Ledger.write(folder / run) as ledger:
        writer = ledger.fact("writer")
        busy = status(call, run)
        refused = call("run", "--per-category", "2", "--out", run)

    assert busy["written_by"] == writer
    assert status(call, run)["written_by"] is None
    assert refused.exit_code == 1
    assert refused.stderr == (
        f"Error: here is being written by process {writer}; wait for it, or watch it "
        "with `locomo-run status here`\n"
    )


# runs


def test_the_runs_of_a_folder_are_listed_with_what_they_are(
    call: Call, run: str, broken: str
) -> None:
    result = call("runs", ".")

    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout == (
        "broken  3/4 answered, not complete\nhere  10/10 answered, complete\n"
    )


def test_the_runs_can_be_read_by_a_program(call: Call, run: str) -> None:
    found = json.loads(call("runs", ".", "--json").stdout)

    assert found == [status(call, run)]


@pytest.mark.parametrize("arguments", [(), ("missing",), (".",)])
def test_a_folder_without_runs_is_no_error(
    call: Call, arguments: tuple[str, ...]
) -> None:
    text, as_json = call("runs", *arguments), call("runs", *arguments, "--json")

    assert (text.exit_code, text.stdout) == (0, "")
    assert text.stderr == f"no runs in {arguments[0] if arguments else 'runs'}\n"
    assert (as_json.exit_code, as_json.stdout) == (0, "[]\n")


def test_a_broken_run_does_not_hide_the_good_ones(
    call: Call, folder: Path, run: str, moved: str
) -> None:
    (folder / "a/b").mkdir(parents=True)
    (folder / "a/ledger.sqlite").write_text("not a data base", encoding="utf-8")
    (folder / "empty").mkdir()
    Ledger.write(folder / "empty").close()

    result = call("runs", ".")

    assert result.exit_code == 0
    assert result.stdout == "here  10/10 answered, complete\n"
    first, second, third = result.stderr.splitlines()
    assert first.startswith("a: a/ledger.sqlite: file is not a database;")
    assert second == ("empty: the run was stopped before it began; repeat its command")
    assert third.startswith(f"there: no file at {folder / 'a.json'};")


# a run whose data set is not where it was


@pytest.mark.parametrize("command", ["report", "validate", "status"])
def test_a_data_set_that_has_moved_can_be_named(
    call: Call, moved: str, command: str
) -> None:
    lost = call(command, moved)
    found = call(command, moved, "--dataset", "b.json")

    assert (lost.exit_code, lost.stdout) == (2, "")
    assert "a.json; give the path of a data set" in lost.stderr
    assert (found.exit_code, found.stderr) == (0, "")
    assert found.stdout


@pytest.mark.parametrize("command", ["report", "validate", "status"])
def test_another_data_set_is_refused(
    call: Call, folder: Path, mini: bytes, moved: str, command: str
) -> None:
    (folder / "c.json").write_bytes(mini + b"\n")

    result = call(command, moved, "--dataset", "c.json")

    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("Error: c.json is not the data set of this run: ")
    assert "name the right file with --dataset" in result.stderr


@pytest.mark.parametrize("command", ["report", "validate", "status"])
def test_a_folder_that_is_no_run_is_said_so(
    call: Call, folder: Path, command: str
) -> None:
    missing, other = call(command, "missing"), call(command, ".")

    assert (missing.exit_code, other.exit_code) == (1, 1)
    assert missing.stderr == (
        "Error: missing is not a run directory: it holds no ledger.sqlite; "
        "`locomo-run runs` lists the runs of a folder\n"
    )
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize("command", ["report", "validate", "status"])
def test_a_copy_of_a_run_is_as_good(
    call: Call, folder: Path, run: str, command: str
) -> None:
    shutil.copytree(folder / run, folder / "copy")

    original, copy = call(command, run), call(command, "copy")

    assert copy.stdout.replace("run: copy", "run: here") == original.stdout
