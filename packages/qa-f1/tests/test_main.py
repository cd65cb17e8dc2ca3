import io
import json
import os
import runpy
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest
from qa_f1 import profiles
from qa_f1.__main__ import main

PAIRS = [("the big cat sat", "the cat sat"), ("dog", "cat"), ("A cat!", "cat")]


@pytest.fixture
def jsonl(tmp_path: Path) -> Path:
    path = tmp_path / "pairs.jsonl"
    lines = [json.dumps({"prediction": p, "gold": g}) for p, g in PAIRS]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


@pytest.fixture
def tsv(tmp_path: Path) -> Path:
    path = tmp_path / "pairs.tsv"
    path.write_text("".join(f"{p}\t{g}\n" for p, g in PAIRS), encoding="utf-8")
    return path


def test_a_file_gives_mean_count_and_signature(
    jsonl: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([str(jsonl)]) == 0

    out, err = capsys.readouterr()
    assert out == f"mean F1 0.600000, n = 3\n{profiles.STANDARD.signature}\n"
    assert err == ""


def test_a_table_gives_the_same_as_json(
    tsv: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([str(tsv), "--profile", "squad"]) == 0

    out, _ = capsys.readouterr()
    assert out == f"mean F1 0.600000, n = 3\n{profiles.SQUAD.signature}\n"


def test_standard_input_is_read_in_the_format_asked_for(
    tsv: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with tsv.open(encoding="utf-8") as lines:
        monkeypatch.setattr(sys, "stdin", lines)
        assert main(["-", "--format", "tsv"]) == 0

    assert capsys.readouterr().out.startswith("mean F1 0.600000, n = 3\n")


def test_the_fields_may_have_other_names(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "answers"
    path.write_text('{"answer": "oak", "truth": "oak"}', encoding="utf-8")

    code = main([str(path), "--prediction-field", "answer", "--gold-field", "truth"])

    assert code == 0
    assert capsys.readouterr().out.startswith("mean F1 1.000000, n = 1\n")


def test_each_line_is_printed_on_demand_and_the_summary_apart(
    jsonl: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([str(jsonl), "--per-line"]) == 0

    out, err = capsys.readouterr()
    records = [json.loads(line) for line in out.splitlines()]
    assert records[0] == {
        "line": 1,
        "f1": 0.8,
        "precision": 2 / 3,
        "recall": 1.0,
        "overlap": 2,
        "n_prediction": 3,
        "n_gold": 2,
    }
    assert [(record["line"], record["f1"]) for record in records] == [
        (1, 0.8),
        (2, 0.0),
        (3, 1.0),
    ]
    assert err == f"mean F1 0.600000, n = 3\n{profiles.STANDARD.signature}\n"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b'{"prediction": "a", "gold": 3}', "line 1: field 'gold' must be a string"),
        (b'{"prediction": "a", "gold": ""}\n\n{', "line 3: not JSON"),
        (b'{"prediction": "a"}', "line 1: no field 'gold'"),
        (b'{"prediction": "\xff"}', "line 1: not UTF-8 at byte 17"),
        (b"\n\n", "no line to score"),
    ],
)
def test_data_that_cannot_be_read_fails_with_one_line(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    content: bytes,
    message: str,
) -> None:
    path = tmp_path / "pairs.jsonl"
    path.write_bytes(content)

    assert main([str(path)]) == 1

    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(f"qa_f1: {str(path)!r}: {message}")
    assert err.count("\n") == 1


def test_a_missing_file_is_wrong_usage(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "no\nsuch"

    assert main([str(path)]) == 2

    assert capsys.readouterr().err == (
        f"qa_f1: cannot score {str(path)!r}: No such file or directory\n"
    )


def test_an_unknown_profile_is_wrong_usage(
    jsonl: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as exit_:
        main([str(jsonl), "--profile", "rouge"])

    assert exit_.value.code == 2
    assert "locomo-list" in capsys.readouterr().err


@pytest.mark.skipif(
    sys.platform == "win32", reason="a closed pipe is no error of its own there"
)
def test_a_reader_that_leaves_ends_the_run_without_a_word(
    jsonl: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "w", encoding="utf-8") as pipe:
        monkeypatch.setattr(sys, "stdout", pipe)
        assert main([str(jsonl), "--per-line"]) == 1

    assert capfd.readouterr().err == ""


def test_an_interrupt_ends_with_its_own_code(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Interrupted(io.BytesIO):
        def __next__(self) -> bytes:
            raise KeyboardInterrupt

    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(Interrupted(), encoding="utf-8"))

    assert main(["-"]) == 130


def test_the_module_runs_as_a_command(
    jsonl: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    module = find_spec("qa_f1.__main__")
    assert module is not None
    assert module.origin is not None
    monkeypatch.setattr(sys, "argv", ["qa_f1", str(jsonl)])

    with pytest.raises(SystemExit) as exit_:
        runpy.run_path(module.origin, run_name="__main__")

    assert exit_.value.code == 0
    assert capsys.readouterr().out.startswith("mean F1 0.600000, n = 3\n")


MEASURED = """
import tracemalloc
from qa_f1 import profiles
from qa_f1.__main__ import main
from qa_f1._normalize import analyser
import sys

analyser(profiles.SQUAD).tokens(" ".join(f"w{n}" for n in range(60_000)))
tracemalloc.start()
code = main(["-", "--format", "tsv", "--profile", "squad", "--per-line"])
print(code, tracemalloc.get_traced_memory()[1], file=sys.stderr)
"""


def _peak(lines: Iterator[bytes]) -> int:
    with subprocess.Popen(
        [sys.executable, "-c", MEASURED],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdin is not None
        assert process.stderr is not None
        process.stdin.writelines(lines)
        process.stdin.close()
        code, peak = process.stderr.read().split()[-2:]
    assert code == b"0"
    return int(peak)


def test_more_lines_take_no_more_memory() -> None:
    def lines(n: int) -> Iterator[bytes]:
        return (b"w%d the oak tree\tan oak tree\n" % (i % 60_000) for i in range(n))

    few, many = _peak(lines(500)), _peak(lines(25_000))

    # Were only a float kept for each line, it would be 600 kB more.
    assert many < few + 100_000
