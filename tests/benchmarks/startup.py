"""How long `locomo-run --help` takes beside `import click, pydantic`.

    python tests/benchmarks/startup.py

Alternates the two and prints the medians and their ratio.
"""

import statistics
import subprocess
import sys
import time

ROUNDS = 15
PROGRAMS = {
    "import click, pydantic": ("-c", "import click, pydantic"),
    "locomo-run --help": ("-m", "locomo_run", "--help"),
}


def seconds(*arguments: str) -> float:
    began = time.perf_counter()
    subprocess.run([sys.executable, *arguments], check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - began


def main() -> None:
    taken: dict[str, list[float]] = {name: [] for name in PROGRAMS}
    for _ in range(ROUNDS):
        for name, arguments in PROGRAMS.items():
            taken[name].append(seconds(*arguments))
    medians = {name: statistics.median(times) for name, times in taken.items()}
    for name, median in medians.items():
        print(f"{name:<24}{1000 * median:7.0f} ms")
    floor, ours = medians.values()
    print(f"{'ratio':<24}{ours / floor:7.2f}")


if __name__ == "__main__":
    main()
