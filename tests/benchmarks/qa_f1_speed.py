"""Measure how fast profile `locomo` scores, beside the recipe it reproduces.

    LOCOMO_DATASET=data/locomo10.json python tests/benchmarks/qa_f1_speed.py

It needs nltk. Pairs: the text of one turn against the gold, for every question that has
an answer. Warm rounds are interleaved in this process; a cold figure is the first pass
of a fresh process, imports excluded. Figures are medians.
"""

import argparse
import json
import os
import string
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from statistics import median
from typing import Any

import regex
from nltk.stem.porter import PorterStemmer
from qa_f1 import profiles, token_f1

Pair = tuple[str, str]
F1 = Callable[[str, str], float]

WARM_ROUNDS = 7
COLD_ROUNDS = 5
STEMMER = PorterStemmer()
PUNCTUATION = set(string.punctuation)
DELETE_PUNCTUATION = str.maketrans("", "", string.punctuation)


def ours(prediction: str, gold: str) -> float:
    """Score with this project's library."""
    return token_f1(prediction, gold, profiles.LOCOMO).f1


def reference(prediction: str, gold: str) -> float:
    """Score as the benchmark's own script does, step by step with nltk."""
    given, wanted = Counter(stems(prediction)), Counter(stems(gold))
    overlap = (given & wanted).total()
    if not overlap:
        return 0.0
    precision, recall = overlap / given.total(), overlap / wanted.total()
    return 2 * precision * recall / (precision + recall)


def stems(text: str) -> list[str]:
    """Normalise, split and stem a text with nltk."""
    lowered = text.replace(",", "").lower()
    kept = "".join(char for char in lowered if char not in PUNCTUATION)
    words = regex.sub(r"\b(?:a|an|the|and)\b", " ", kept).split()
    return [STEMMER.stem(word) for word in words]


def floor(prediction: str, gold: str) -> float:
    """Count common words with neither articles nor stems: the least there is to do."""
    given = Counter(prediction.lower().translate(DELETE_PUNCTUATION).split())
    wanted = Counter(gold.lower().translate(DELETE_PUNCTUATION).split())
    overlap = (given & wanted).total()
    return 2 * overlap / (given.total() + wanted.total()) if overlap else 0.0


SIDES: dict[str, F1] = {"reference": reference, "qa-f1": ours, "floor": floor}


def read_pairs(path: Path) -> list[Pair]:
    """Draw one turn for each question that has an answer."""
    return [
        pair
        for sample in json.loads(path.read_text(encoding="utf-8"))
        for pair in sample_pairs(sample)
    ]


def sample_pairs(sample: dict[str, Any]) -> list[Pair]:
    """Pair each gold of one conversation with the turn that its number draws."""
    sessions = sorted(
        (int(key.removeprefix("session_")), turns)
        for key, turns in sample["conversation"].items()
        if key.startswith("session_") and isinstance(turns, list)
    )
    texts = [
        turn["text"] for _, turns in sessions for turn in turns if turn.get("text")
    ]
    pairs = []
    for index, question in enumerate(sample["qa"]):
        if "answer" in question:
            name = f"{sample['sample_id']}:{index}:turn".encode()
            number = int(sha256(name).hexdigest()[:12], 16)
            pairs.append((texts[number % len(texts)], str(question["answer"])))
    return pairs


def seconds(score: F1, pairs: list[Pair]) -> float:
    """Time one pass over the pairs."""
    start = time.perf_counter()
    for prediction, gold in pairs:
        score(prediction, gold)
    return time.perf_counter() - start


def cold_seconds(side: str) -> float:
    """Time the first pass of a fresh process."""
    command = [sys.executable, __file__, "--cold", side]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", check=True)
    return float(done.stdout)


def main() -> None:
    """Print the table, or with `--cold` the seconds of one first pass."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cold", choices=SIDES, help="print one side's first pass")
    options = parser.parse_args()
    path = os.environ.get("LOCOMO_DATASET")
    if not path:
        parser.error("set LOCOMO_DATASET to the path of locomo10.json")
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    pairs = read_pairs(Path(path))
    if options.cold:
        print(seconds(SIDES[options.cold], pairs))
        return

    cold = {
        side: median(cold_seconds(side) for _ in range(COLD_ROUNDS)) for side in SIDES
    }
    difference = max(abs(ours(*pair) - reference(*pair)) for pair in pairs)
    rounds = [
        {side: seconds(score, pairs) for side, score in SIDES.items()}
        for _ in range(WARM_ROUNDS)
    ]
    warm = {side: median(times[side] for times in rounds) for side in SIDES}

    print(f"{len(pairs)} pairs, largest difference of F1 {difference:.1e}")
    print(
        f"{'':10} {'warm µs/pair':>13} {'ratio':>7} {'cold µs/pair':>13} {'ratio':>7}"
    )
    for side in SIDES:
        cells = [
            f"{times[side] / len(pairs) * 1e6:13.1f}"
            f" {times['reference'] / times[side]:6.1f}x"
            for times in (warm, cold)
        ]
        print(f"{side:10} {' '.join(cells)}")
    print(f"qa-f1 takes {warm['qa-f1'] / warm['floor']:.2f} times the floor, warm")


if __name__ == "__main__":
    main()
