"""What sets the categories apart: where evidence comes from, how questions begin.

python category_evidence.py locomo10.json
"""

import sys
from collections import defaultdict

from locomo_dataset import Question, load

by_category: dict[int, list[Question]] = defaultdict(list)
for conversation in load(sys.argv[1]).conversations:
    for question in conversation.questions():
        by_category[question.category].append(question)

print("category        questions  several sessions  begins with When")
for number, questions in sorted(by_category.items()):
    spread = sum(len({ref.session for ref in q.evidence}) > 1 for q in questions)
    when = sum(q.text.startswith("When") for q in questions)
    name, n = questions[0].category.label, len(questions)
    print(f"{number} {name:12}{n:11}{spread / n:18.1%}{when / n:18.1%}")
