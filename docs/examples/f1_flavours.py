"""One answer, one gold, and the F1 of every recipe."""

from qa_f1 import profiles, token_f1

gold = "the blue kayak"
answers = ["blue kayaks", "a Blue Kayak!", "It was the blue kayak", "kayak, kayak"]

print(f"{'profile':14}", *(f"{answer:>22}" for answer in answers))
for name in profiles.names():
    scores = [token_f1(answer, gold, profiles.get(name)).f1 for answer in answers]
    print(f"{name:14}", *(f"{score:22.3f}" for score in scores))
