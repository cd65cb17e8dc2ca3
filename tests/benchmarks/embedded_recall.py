"""Evidence recall and search latency of the embedded memory.

Recall@k of a question is the share of its distinct evidence turns among the first k
hits; a question whose evidence strings name no turn counts 0.
The mean is over the non-adversarial questions that have evidence (1,536 in LoCoMo).

Run it with: LOCOMO_DATASET=.../locomo10.json python tests/benchmarks/embedded_recall.py
"""

from __future__ import annotations

import os
import sys
import time

import numpy as np
from locomo_dataset import Category, load
from locomo_run.memory import Query
from locomo_run.memory.embedded import EmbeddedMemory

CUTS = (5, 10, 20)


def main() -> None:
    """Print a table of recall by category, then the latency of a search."""
    path = os.environ.get("LOCOMO_DATASET")
    if not path:
        sys.exit("set LOCOMO_DATASET to the path of locomo10.json")
    memory = EmbeddedMemory()
    recall: dict[Category, list[list[float]]] = {}
    milliseconds: list[float] = []
    for conversation in load(path).conversations:
        memory.ingest(conversation)
        for question in conversation.questions():
            if not question.evidence_raw:
                continue
            query = Query(
                question_id=question.id,
                sample_id=conversation.sample_id,
                text=question.text,
            )
            started = time.perf_counter()
            memory.search(query, 10)
            milliseconds.append((time.perf_counter() - started) * 1000)
            ids = [hit.id for hit in memory.search(query, max(CUTS))]
            wanted = {str(turn) for turn in question.evidence}
            recall.setdefault(question.category, []).append(
                [len(wanted.intersection(ids[:k])) / max(len(wanted), 1) for k in CUTS]
            )
    memory.close()

    print(f"{'':14}{'n':>6}" + "".join(f"{f'@{k}':>8}" for k in CUTS))
    for category in sorted(recall):
        print_row(category.label, recall[category])
    print_row("all", [row for rows in recall.values() for row in rows])
    median, p95 = np.percentile(milliseconds, [50, 95])
    print(f"search, limit 10: median {median:.2f} ms, p95 {p95:.2f} ms")


def print_row(label: str, rows: list[list[float]]) -> None:
    """Print the mean recall at each cut."""
    means = "".join(f"{mean:8.3f}" for mean in np.mean(rows, axis=0))
    print(f"{label:14}{len(rows):6}{means}")


if __name__ == "__main__":
    main()
