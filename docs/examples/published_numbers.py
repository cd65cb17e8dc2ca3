"""Published J values, with what has to be known to compare with them."""

from eval_report import load_baselines

baselines = load_baselines()
for row in sorted(baselines.j, key=lambda row: row.overall or 0, reverse=True):
    printed = f"{row.overall}" + (f" ±{row.overall_std}" if row.overall_std else "")
    title = baselines.sources[row.source].title
    print(f"{row.system:30}{printed:13}{title}, {row.table}, judge {row.judge}")
