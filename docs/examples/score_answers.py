"""Score answers without LoCoMo: nothing but two texts is needed."""

from qa_f1 import profiles, score_many, token_f1

print(token_f1("the big cat sat", "the cat sat").f1)

pairs = [("They were running.", "running"), ("Oslo, Norway", "Oslo")]
scores = score_many(pairs, profiles.SQUAD2)
print([round(score.f1, 3) for score in scores], profiles.SQUAD2.signature)
