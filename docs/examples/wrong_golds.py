"""How many golds of each category the public audit calls wrong.

python wrong_golds.py locomo10.json locomo-audit-errors.json
"""

import sys
from collections import Counter

from locomo_dataset import load
from locomo_dataset.errata import load_errata

dataset = load(sys.argv[1])
join = load_errata(sys.argv[2]).join(dataset)
questions = [q for each in dataset.conversations for q in each.questions()]
asked = Counter(q.category for q in questions)
wrong = Counter(q.category for q in questions if q.id in join.score_corrupting)
cited = Counter(q.category for q in questions if q.id in join.citation_only)

print("category        questions  wrong gold  wrong citation only")
for c in sorted(asked):
    name = f"{c.value} {c.label}"
    print(f"{name:14}{asked[c]:11}{wrong[c]:5} {wrong[c] / asked[c]:6.1%}{cited[c]:15}")
n, w = asked.total(), wrong.total()
print(f"{'all':14}{n:11}{w:5} {w / n:6.1%}{cited.total():15}")
print(f"all others answered rightly: {1 - w / n:.1%}")
