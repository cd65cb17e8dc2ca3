"""Score a file of predictions and golds from the shell: `python -m qa_f1 FILE`."""

import argparse
import json
import math
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import BinaryIO

from qa_f1 import Profile, Score, profiles, token_f1
from qa_f1._lines import LineError, Parse, parse_jsonl, parse_tsv, read_pairs


def score_lines(
    lines: Iterable[bytes],
    parse: Parse,
    profile: Profile,
    report: Callable[[int, Score], None],
) -> tuple[float, int]:
    """Score every line, hand each score on, and return the mean F1 and the count.

    Raises:
        LineError: A line cannot be read, or there is none.
    """
    n = 0

    def values() -> Iterator[float]:
        nonlocal n
        for number, (prediction, gold) in read_pairs(lines, parse):
            score = token_f1(prediction, gold, profile)
            report(number, score)
            n += 1
            yield score.f1

    total = math.fsum(values())
    if not n:
        msg = "no line to score"
        raise LineError(msg)
    return total / n, n


def _print_line(number: int, score: Score) -> None:
    record = {
        "line": number,
        "f1": score.f1,
        "precision": score.precision,
        "recall": score.recall,
        "overlap": score.overlap,
        "n_prediction": score.n_prediction,
        "n_gold": score.n_gold,
    }
    sys.stdout.write(json.dumps(record) + "\n")


def _print_nothing(_number: int, _score: Score) -> None:
    pass


def _fail(message: str, code: int) -> int:
    sys.stderr.write(f"qa_f1: {message}\n")
    return code


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m qa_f1",
        description="Score predictions against golds by token F1.",
        epilog=(
            "The summary goes to standard output, with --per-line to standard error. "
            "Exit codes: 0 scored, 1 a line cannot be read, 2 wrong usage or no such "
            "file."
        ),
    )
    parser.add_argument(
        "file",
        metavar="FILE",
        help="JSONL with one object a line, or TSV with prediction and gold; - reads "
        "standard input; empty lines are passed over",
    )
    parser.add_argument(
        "--profile",
        choices=profiles.names(),
        default=profiles.STANDARD.name,
        help="the recipe (default: %(default)s)",
    )
    parser.add_argument(
        "--format",
        choices=("jsonl", "tsv"),
        help="how to read FILE (default: tsv if its name ends in .tsv, else jsonl)",
    )
    parser.add_argument(
        "--prediction-field",
        metavar="NAME",
        default="prediction",
        help="JSONL field of the prediction (default: %(default)s)",
    )
    parser.add_argument(
        "--gold-field",
        metavar="NAME",
        default="gold",
        help="JSONL field of the gold (default: %(default)s)",
    )
    parser.add_argument(
        "--per-line", action="store_true", help="print each score as a line of JSON"
    )
    return parser


def _open(file: str) -> BinaryIO:
    return sys.stdin.buffer if file == "-" else Path(file).open("rb")


def _parse(options: argparse.Namespace) -> Parse:
    form = options.format or ("tsv" if options.file.endswith(".tsv") else "jsonl")
    if form == "tsv":
        return parse_tsv
    return partial(
        parse_jsonl,
        prediction_field=options.prediction_field,
        gold_field=options.gold_field,
    )


def _run(options: argparse.Namespace) -> None:
    profile = profiles.get(options.profile)
    report = _print_line if options.per_line else _print_nothing
    with _open(options.file) as lines:
        mean, n = score_lines(lines, _parse(options), profile, report)
    sys.stdout.flush()
    summary = sys.stderr if options.per_line else sys.stdout
    summary.write(f"mean F1 {mean:.6f}, n = {n}\n{profile.signature}\n")
    summary.flush()


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code."""
    options = _parser().parse_args(arguments)
    name = "standard input" if options.file == "-" else repr(options.file)
    try:
        _run(options)
    except LineError as error:
        return _fail(f"{name}: {error}", 1)
    except BrokenPipeError:
        # The reader has gone. Without this, Python would complain once more at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except OSError as error:
        return _fail(f"cannot score {name}: {error.strerror}", 2)
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
