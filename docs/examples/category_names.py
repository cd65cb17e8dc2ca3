"""Which category number does each column of Mem0's table mean? Try all 24 answers."""

from itertools import permutations

from eval_report import load_baselines, weighted_overall

baselines = load_baselines()
counts = {n: c for n, c in baselines.benchmark.counts.items() if n != 5}
printed = baselines.sources["mem0"].as_printed
tables = [
    (float(row.overall), {printed[number]: row.categories[number] for number in counts})
    for row in baselines.j
    if row.source == "mem0" and row.overall is not None and row.categories
]

found = []
for numbers in permutations(counts):
    mapping = dict(zip(printed.values(), numbers, strict=True))
    errors = [
        weighted_overall({mapping[c]: v for c, v in table.items()}, counts) - overall
        for overall, table in tables
    ]
    found.append((max(map(abs, errors)), mapping))

print(f"{len(tables)} systems, {len(found)} readings of their column names")
for worst, mapping in sorted(found, key=lambda each: each[0])[:2]:
    print(f"largest error {worst:.3f}:", mapping)
own = {label.lower(): n for n, label in baselines.benchmark.labels.items() if n != 5}
error = next(worst for worst, mapping in found if mapping == own)
print(f"the data set's own names give an error of {error:.2f}")
