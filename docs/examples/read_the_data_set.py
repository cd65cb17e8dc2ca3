"""Read a data set and look at one question."""

from locomo_dataset import load_mini, stats

dataset = load_mini()  # load("locomo10.json") reads the real file
question = dataset.conversation("mini-1").questions()[4]
print(question.id, question.category.label, "|", question.text)
print("gold:", question.gold, "| evidence:", *question.evidence)
counted = stats(dataset)
print(counted.sessions, "sessions,", counted.turns, "turns")
