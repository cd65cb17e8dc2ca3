"""Judge one answer three times; a scripted model stands in for a real one."""

import asyncio

from llm_judge import GRADED, judge_answer_runs
from llm_judge.testing import ScriptedModel

replies = ['{"score": 90, "explanation": "Same pet."}', "Score: 80/100", "no idea"]
asked = judge_answer_runs(
    ScriptedModel(replies), "Which pet?", "a cat", "a kitten", runs=3
)
judged = asyncio.run(asked)
print("mean", judged.mean_score, "of", judged.individual_scores)
print(judged.warnings[0])
print(GRADED.signature)
