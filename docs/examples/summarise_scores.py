"""Summarise scores of which one does not exist."""

from eval_report import (
    Record,
    Table,
    aggregate_f1_by_category,
    compute_overall_f1,
    render_text,
)

scores = [(1, "ana", 0.8), (1, "ana", None), (4, "ben", 1.0), (4, "ben", 0.5)]
records = [
    Record(item=f"q{i}", category=category, cluster=who, metric="f1", value=score)
    for i, (category, who, score) in enumerate(scores)
]
by_category = aggregate_f1_by_category(records)
named = [(str(number), summary) for number, summary in by_category.items()]
named.append(("all", compute_overall_f1(records)))

columns = ("category", "n", "unscored", "mean", "mean if unscored is 0")
rows = tuple(
    (name, str(s.count), str(s.missing), f"{s.mean:.2f}", f"{s.pessimistic_mean:.2f}")
    for name, s in named
)
print(render_text(Table(title="Token F1", columns=columns, rows=rows)))
